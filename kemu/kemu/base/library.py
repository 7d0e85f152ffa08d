"""Where the games are: from the name of a game, or a path, to its rules file."""

from __future__ import annotations

import re
import unicodedata
from difflib import get_close_matches
from pathlib import Path

SUFFIX = ".kemu"


class BadInput(Exception):
    """What was asked for cannot be done as it was asked. The message says why, and what would help."""


def library() -> Path:
    """The folder of the games: `kemu/games/` inside an installed wheel, `spec/` of the checkout otherwise."""
    here = Path(__file__).resolve().parents[1]
    for folder in (here / "games", here.parents[1] / "spec"):
        if folder.is_dir():
            return folder
    raise BadInput(
        "this installation of Kemu has no games: "
        f"neither {here / 'games'} nor {here.parents[1] / 'spec'} exists"
    )


def games() -> dict[str, Path]:
    """The games of the library, by name: each folder that holds a rules file with a `game` in it, also within
    a folder of such folders."""
    return games_in(library(), 2)


def games_in(shelf: Path, levels: int) -> dict[str, Path]:
    """The games in the folders of a shelf, and in the folders of those, down to so many levels. Of two with
    the same name the one further out is meant, or else the first."""
    found: dict[str, Path] = {}
    for folder in sorted(shelf.iterdir()) if levels else ():
        rules = rules_in(folder) if folder.is_dir() else []
        if len(rules) == 1:
            found[folder.name] = rules[0]
        elif folder.is_dir():
            found = games_in(folder, levels - 1) | found
    return found


def find(name: str) -> Path:
    """The rules file that `name` means: a game of the library, a file, or a folder with one game in it.

    Raises BadInput with a suggestion if there is none.
    """
    known = games()
    for game, path in known.items():
        if plain(game) == plain(name):
            return path
    path, there = looked_up(name)
    if path.is_dir():
        return only_rules_in(path)
    if there:
        return path
    if path.suffix == SUFFIX or len(path.parts) > 1:
        raise BadInput(f"there is no file {shown(name)}" + near_file(path))
    raise BadInput(f"there is no game {shown(name)}" + near_game(name, known))


def looked_up(name: str) -> tuple[Path, bool]:
    """The path that a user has named, and whether something is there. Raises BadInput for what can be no
    path."""
    try:
        path = Path(name).expanduser()
        path.resolve()
        return path, path.exists()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a zero byte, in the home of nobody
        why = str(getattr(error, "strerror", None) or error).rstrip(".")
        raise BadInput(f"cannot use {shown(name)}: {why}") from error


def rules_in(folder: Path) -> list[Path]:
    """The rules files in `folder` that have a `game` in them (a library of boards has none)."""
    try:
        return [path for path in sorted(folder.glob(f"*{SUFFIX}")) if is_game(path)]
    except OSError:
        return []


def only_rules_in(folder: Path) -> Path:
    rules = rules_in(folder)
    if len(rules) == 1:
        return rules[0]
    if not rules:
        raise BadInput(f"the folder {shown(str(folder))} holds no rules file (*{SUFFIX}) with a game in it")
    names = ", ".join(path.name for path in rules)
    raise BadInput(f"the folder {shown(str(folder))} holds several games ({names}): name one of them")


def is_game(path: Path) -> bool:
    try:
        return re.search(r"^game\b", path.read_text("utf-8", errors="replace"), re.M) is not None
    except OSError:
        return False


def near_game(name: str, known: dict[str, Path]) -> str:
    if Path(name + SUFFIX).is_file():
        return f": did you mean {name}{SUFFIX}?"
    by_plain = {plain(game): game for game in known}
    near = get_close_matches(plain(name), by_plain, n=1)
    near = near or [game for game in by_plain if plain(name) and game.startswith(plain(name))]
    if near:
        return f": did you mean {by_plain[near[0]]}?"
    return "; `kemu games` lists the available ones, and a path to a rules file works too"


def near_file(path: Path) -> str:
    try:
        beside = [other.name for other in path.parent.iterdir()] if path.parent.is_dir() else []
    except OSError:
        beside = []
    near = get_close_matches(path.name, beside, n=1)
    return f": did you mean {path.parent / near[0]}?" if near else ""


def plain(name: str) -> str:
    """A name as it is compared: lower case, without accents, with hyphens for spaces and underscores."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return re.sub(r"[ _\-]+", "-", bare)


def shown(text: str) -> str:
    """A text of the user's in a message: quoted, on one line, not too long."""
    short = text if len(text) <= 80 else text[:77] + "..."
    return repr(short).replace("\\\\", "\\")
