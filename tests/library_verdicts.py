"""Writes docs/library-verdicts.md: what is proved, shown and open of the games of the library.

    .venv/bin/python -m tests.library_verdicts [NAME...] [--seconds N]

NAME: instances whose name begins like that (`chess`, `hex.three`); without one, all of them. Rows of other
instances stay as they are. A row names the program that it is about, and its claims, by a hash: where that
has changed, tests/test_library_verdicts.py asks for the row to be made anew.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from kemu.base.opening import made, opened, wanted
from kemu_engine.kernel.hash import canonical, program_hash
from kemu_engine.play.game import Game
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.verify import verify

from tests.freeze import instances

PAGE = Path(__file__).parents[1] / "docs" / "library-verdicts.md"
HEAD = """\
# The library's games: what is proved, shown, open

Every question that [`kemu verify`](verdicts.md) asks of a game, the author's claims among them, by instance.
*Proved*: of all plays, impossible things included. *Shown*: by a play, refuted claims included; `!` marks an
answer that the author did not expect. *Open*: which, and how far it is known. *s*: seconds of computing, with
so many for a question as `at` says. What is not here was not run yet. The page is written by

    python -m tests.library_verdicts

"""
COLUMNS = ("game", "proved", "shown", "open", "s", "at", "program")
PROVED, SHOWN = ("proved", "impossible"), ("refuted", "possible")
HASH = 12


@dataclass(frozen=True, slots=True)
class Row:
    """What was found out of one instance, as the page has it."""

    game: str
    proved: str
    shown: str
    open: str
    seconds: str
    at: str
    program: str

    def cells(self) -> tuple[str, ...]:
        return self.game, self.proved, self.shown, self.open, self.seconds, self.at, self.program


def row(name: str, game: Game, verdicts: Iterable[Verdict], took: float, at: float) -> Row:
    """The row of one instance."""
    found = list(verdicts)
    left = [v for v in found if v.kind not in (*PROVED, *SHOWN, "not applicable")]
    words = ", ".join(
        f"`{v.property}` ({v.kind}{' ' + str(v.depth) if v.depth and v.open else ''})" for v in left
    )
    counts = (_count(found, PROVED), _count(found, SHOWN))
    return Row(name, *counts, words or "-", f"{took:.0f}", f"{at:g}", program(game))


def program(game: Game) -> str:
    """The program of a row, and what is claimed of it: a hash."""
    said = program_hash(game.program) + canonical(game.program.properties)
    return sha256(said.encode()).hexdigest()[:HASH]


def _count(verdicts: Iterable[Verdict], kinds: tuple[str, ...]) -> str:
    mine = [v for v in verdicts if v.kind in kinds]
    unexpected = [f"`{v.property}`" for v in mine if v.surprise and not v.standard]
    return f"{len(mine)}{'! ' * bool(unexpected)}{', '.join(unexpected)}"


def page(rows: Mapping[str, Row]) -> str:
    """The whole page."""
    lines = [
        COLUMNS,
        tuple("---" for _ in COLUMNS),
        *(rows[name].cells() for name in instances() if name in rows),
    ]
    return HEAD + "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def rows(text: str) -> dict[str, Row]:
    """The rows of a page."""
    table = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    return {cells[0]: Row(*cells) for cells in table[2:]}


def opening(name: str) -> Game:
    """The instance so called."""
    path, instance = instances()[name]
    rules = opened(path)
    return made(rules, wanted(rules, (), None, instance))


def names() -> list[str]:
    """The instances that the page is about."""
    return [name for name in instances() if not name.startswith("gallery.")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    known = rows(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    for name in names():
        if name.startswith(tuple(given.names)):
            began, game = time.process_time(), opening(name)
            found = list(verify(game, seconds=given.seconds))
            known[name] = row(name, game, found, time.process_time() - began, given.seconds)
            PAGE.write_text(page(known), "utf-8")
            print(*known[name].cells(), sep="  ", flush=True)


if __name__ == "__main__":
    main()
