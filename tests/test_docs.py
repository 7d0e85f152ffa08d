"""The documentation is true: its pieces of rules files check, and its commands do what it shows."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engine.examples import run_examples
from engine.game import Game
from engine.instantiate import instantiate
from grammar.diagnostics import RulesError
from grammar.game import read_text

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
LIBRARY = ROOT / "spec"
PAGES = sorted(DOCS.glob("*.md"))
DEFAULTS = {
    "game": 'game "Piece"\n',
    "players": "players black, white\n",
    "rules": "rules:\n    end tie\n",
}  # what a piece of a file lacks


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of code. `words`: what stands behind `kemu` at its opening: `as NAME` (a file that others are
    pieces
    of), `in NAME`, `rules in NAME` (the body of its rules), `fails CODE`; nothing: a file, or a piece of any."""

    page: str
    line: int
    words: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"

    def after(self, word: str) -> str:
        return self.words[self.words.index(word) + 1] if word in self.words else ""


def pieces(page: Path) -> Iterator[Piece]:
    text = page.read_text("utf-8")
    for found in re.finditer(r"^```kemu([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        line = text.count("\n", 0, found.start()) + 2
        yield Piece(page.name, line, tuple(found.group(1).split()), found.group(2))


PIECES = [piece for page in PAGES for piece in pieces(page)]
BASES = {(piece.page, piece.after("as")): piece.text for piece in PIECES if "as" in piece.words}


def whole(piece: Piece) -> str:
    """The file that a piece belongs to, with the piece in it."""
    text = piece.text
    if "rules" in piece.words:
        text = "rules:\n" + textwrap.indent(text, "    ")
    name = piece.after("in")
    base = BASES[piece.page, name] if name else "".join(DEFAULTS.values())
    return "".join([*(part for part in parts(base) if not replaced(part, text)), "\n", text])


def parts(text: str) -> list[str]:
    """The declarations of a file, each with what belongs to it."""
    return re.split(r"^(?=\S)", text, flags=re.M)


def replaced(part: str, text: str) -> bool:
    """Whether a text has a declaration in place of this one, of which a game has one."""
    head = re.match(r"\w+", part)
    return head is not None and head.group() in DEFAULTS and re.search(rf"^{head.group()}\b", text, re.M) is not None


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_every_piece_of_a_rules_file_checks(piece: Piece) -> None:
    text, wrong = whole(piece), piece.after("fails")
    if wrong:
        with pytest.raises(RulesError) as error:
            instantiate(read_text(text, piece.name, LIBRARY))
        assert {diagnostic.code for diagnostic in error.value.diagnostics} == {wrong}
        return
    game = read_text(text, piece.name, LIBRARY)
    wanted = [{}, *(dict(instance.settings) for instance in game.instances.values())]
    for settings in wanted:
        players = settings.pop("players", None)
        playable = Game(instantiate(game, settings, players))
        failed = [result for result in run_examples(playable) if not result.passed]
        assert not failed, f"{failed[0].title}: {failed[0].message}"
