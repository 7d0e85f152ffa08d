"""A game as a folder of files that any web server can hand out: the page, and the rules that run in it."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.kernel.sight import secret
from kemu_engine.lower.instantiate import player_counts
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import Game
from kemu_engine.play.masked_view import without_secrets
from kemu_engine.run.wasm.programs.mcts import Treeing, treeing
from kemu_engine.search.mcts import horizon, scale
from kemu_engine.support.stack import deep
from kemu_grammar.source.versions import LANGUAGE

from kemu.base.library import BadInput, find, shown
from kemu.base.opening import made, name_of, opened, wanted
from kemu.findings.phrases import moves_in_words
from kemu.render.scene.palette import GROUNDS, PIECES, colours, css
from kemu.render.scene.symbols import SYMBOLS
from kemu.web import why
from kemu.web.games import KINDS
from kemu.web.layout import layout
from kemu.web.program import as_data

MEMORY = 1 << 28
"""Bytes that a search may take in the page."""
ALONE = ("human", "random")
"""Who can sit there where nothing searches: with secrets, or where the module does not cover the rules."""
AT_RANDOM = {
    True: "Bots play at random here: where players have secrets, those that think need Kemu's own server.",
    False: "Bots play at random here: those that think about these rules need Kemu's own server.",
}
"""What is said there; whether there are secrets."""
OWN = "service-worker.js"
PAGE = ("css", "html", "js")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: how many bytes in how many files, and how many of them a first visit loads; for which
    numbers of players."""

    size: int
    first: int
    files: int
    players: tuple[int, ...]


def export(
    name: str,
    folder: Path,
    sets: tuple[str, ...] = (),
    players: int | None = None,
    instance: str | None = None,
) -> Exported:
    """Writes the site of a game with these options; for every number of players, unless one is said. Raises
    BadInput, RulesError, SettingError, OSError."""
    if folder.exists() and any(folder.iterdir()) and not (folder / "game.json").exists():
        raise BadInput(
            f"{shown(str(folder))} holds other files: name a new folder, or one that holds an exported game"
        )
    rules = opened(name)
    want = wanted(rules, sets, players, instance)
    usual = made(rules, want)
    games = {len(usual.players): usual}
    if want.players is None:
        for count in player_counts(rules):
            try:
                games.setdefault(count, made(rules, wanted(rules, sets, count, instance)))
            except SettingError:  # these options are not for so many
                continue
    contents: dict[str, bytes] = dict(_page())
    told = []
    for count, game in sorted(games.items()):
        about, parts = _instance(game, str(count))
        told.append(about)
        contents |= parts
    about = {
        "name": Path(name_of(name)).stem,
        "title": rules.title,
        "doc": rules.doc,
        "options": [_players(sorted(games), len(usual.players))] if len(games) > 1 else [],
        "usual": str(len(usual.players)),
        "instances": told,
        "phrases": moves_in_words(str(find(name))).rows,
        "language": LANGUAGE,
    }
    contents["game.json"] = _json(about)
    later = {
        each[part]
        for each in told
        for part in ("program", "search")
        if len(each["players"]) != len(usual.players)
    } - {""}
    contents[OWN] = _offline(contents, later)
    for path, data in contents.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    sizes = {path: len(data) for path, data in contents.items()}
    first = sum(size for path, size in sizes.items() if path not in later)
    return Exported(sum(sizes.values()), first, len(contents), tuple(sorted(games)))


def _players(counts: list[int], usual: int) -> dict[str, Any]:
    """The one choice that an exported page has, as games.options tells of it."""
    values = [str(count) for count in counts]
    return {"name": "players", "kind": "players", "text": "", "values": values, "default": str(usual)}


def _page() -> Iterator[tuple[str, bytes]]:
    """The files of the page; of its two sources the one that needs no server."""
    site = files("kemu.web").joinpath("site")
    for each in site.iterdir():
        if each.name.rpartition(".")[2] in PAGE:
            yield each.name, each.read_bytes()
    for each in site.joinpath("here").iterdir():
        if each.name not in ("source.js", OWN):
            yield f"here/{each.name}", each.read_bytes()
    yield "source.js", site.joinpath("here", "source.js").read_bytes()
    day, night = css([*PIECES, *GROUNDS])
    yield "drawing.json", _json({"symbols": SYMBOLS, "day": day, "night": night})


def _instance(game: Game, name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What is said of an instance, and its files, packed."""
    found = module(game)
    about: dict[str, Any] = {
        "players": game.players,
        "hash": game.hash,
        "kinds": KINDS if found else ALONE,
        "note": "" if found else AT_RANDOM[secret(game.program)],
        "program": f"{name}.program",
        "search": f"{name}.search" if found else "",
    }
    parts = {about["program"]: _packed(_json(program_data(game, found)))}
    if found:
        parts[about["search"]] = _packed(found.binary)
    return about, parts


def program_data(game: Game, search: Treeing | None) -> dict[str, Any]:
    """An instance as the page reads it; `search`: what searches it, if it can be had."""
    program = game.program
    hidden = secret(program)
    seers, alike = range(len(program.players) + 1), game.machine.alike
    views = [without_secrets(program, seer, alike) for seer in seers] if hidden else [program.views]
    shades = colours(program.players)
    with deep():
        return as_data(program, views) | {
            "secrets": hidden,
            "colours": [shades[player] for player in program.players],
            "named": all(player in PIECES for player in program.players),
            "layout": layout(program, search, scale(game), horizon(game)) if search else None,
            "why": why.everywhere(game.machine),
        }


def module(game: Game) -> Treeing | None:
    """What searches the game; None if nothing does."""
    if secret(game.program):
        return None
    try:
        return treeing(game.program, MEMORY)
    except (NotCovered, *TOO_DEEP):
        return None


def _offline(contents: dict[str, bytes], later: Set[str]) -> bytes:
    """The service worker, which keeps these files, `later` ones when they are asked for: under a name that
    goes by what is in them."""
    key = hashlib.sha256(
        b"".join(name.encode() + data for name, data in sorted(contents.items()))
    ).hexdigest()[:16]
    names = ["./", *sorted(contents.keys() - later)]
    text = files("kemu.web").joinpath("site", "here", OWN).read_text("utf-8")
    for name, value in (('"KEY"', key), ("[/* FILES */]", names), ("[/* LATER */]", sorted(later))):
        text = text.replace(name, json.dumps(value))
    return text.encode()


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)
