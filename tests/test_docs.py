"""The documentation is true: its pieces of rules files check, and its commands do what it shows."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pytest
from kemu_engine.batch.playout import walk
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import RulesError

import kemu
from tests import docs
from tests.docs import DOCS, PAGES, ROOT, parts

pytestmark = pytest.mark.slow

LIBRARY = ROOT / "spec"
DEFAULTS = {
    "game": 'game "Piece"\n',
    "players": "players black, white\n",
    "rules": "rules:\n    end tie\n",
}  # what a piece of a file lacks


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of code. Words behind `kemu` at its opening: `as NAME` (a file of which others are pieces),
    `in NAME` (such a piece), `rules in NAME` (the body of its rules), `beside NAME` (its file of proofs),
    `fails CODE`; none: of any file."""

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


PIECES = [piece for page in PAGES for piece in pieces(page) if docs.file_named(" ".join(piece.words)) is None]
BASES = {(piece.page, piece.after("as")): piece.text for piece in PIECES if "as" in piece.words}


def whole(piece: Piece) -> str:
    """The file that a piece belongs to, with the piece in it."""
    text = piece.text
    if "rules" in piece.words:
        text = "rules:\n" + textwrap.indent(text, "    ")
    name = piece.after("in")
    base = BASES[piece.page, name] if name else "".join(DEFAULTS.values())
    return "".join([*(part for part in parts(base) if not replaced(part, text)), "\n", text])


def replaced(part: str, text: str) -> bool:
    """Whether a text has a declaration in place of this one, of which a game has one."""
    head = part.split(maxsplit=1)[0].rstrip(":") if part.strip() else ""
    return head in DEFAULTS and re.search(rf"^{head}\b", text, re.M) is not None


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_every_piece_of_a_rules_file_checks(piece: Piece, tmp_path: Path) -> None:
    text, wrong = whole(piece), piece.after("fails")
    if wrong:
        with pytest.raises(RulesError) as error:
            instantiate(read_text(text, piece.name, LIBRARY))
        assert {diagnostic.code for diagnostic in error.value.diagnostics} == {wrong}
        return
    if "beside" in piece.words:
        (tmp_path / "proofs.kemu").write_text(piece.text, "utf-8")
        (tmp_path / "row.kemu").write_text(BASES[piece.page, piece.after("beside")], "utf-8")
    beside = "beside" in piece.words
    game = read(tmp_path / "row.kemu", LIBRARY) if beside else read_text(text, piece.name, LIBRARY)
    wanted = [{}, *(dict(instance.settings) for instance in game.instances.values())]
    for settings in wanted:
        players = settings.pop("players", None)
        playable = Game(instantiate(game, settings, players))
        failed = [result for result in run_examples(playable) if not result.passed]
        assert not failed, f"{failed[0].title}: {failed[0].message}"
        for number in range(5):
            for _ in islice(walk(playable, 0, number), 200):
                pass  # a fault would be an error of the page


# ---------------------------------------------------------------------------------------------- examples


WITH_EXAMPLES = [path for path in (ROOT / "README.md", *PAGES) if docs.Page(path).examples]


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_example_shows_what_it_gives(path: Path) -> None:
    page = docs.Page(path)
    page.run()
    assert not page.faults, "\n\n".join(map(str, page.faults))


def test_only_times_and_dots_stand_for_something_else() -> None:
    assert docs.agrees(["1 game in 0.5 s, 2 a second"], ["1 game in 12.5 s, 1,000 a second"])
    assert docs.agrees(["ends   proved   0.52"], ["ends   proved  12.00"])
    assert docs.agrees(["ends   proved   0.52    1/6"], ["ends   proved  12.00    1/6"])
    assert not docs.agrees(["ends   proved   0.52    1/6"], ["ends   proved   0.52    2/6"])
    assert docs.agrees(["(shared)  exploration 1.3    1.31"], ["(shared)  exploration 1.2    1.24"])
    assert not docs.agrees(["1 game in 0.5 s"], ["2 games in 0.5 s"])
    assert docs.agrees(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not docs.agrees(["a", "...", "d"], ["a", "b", "c"])
    assert not docs.agrees(["a", "c"], ["a", "b", "c"])
    assert not docs.agrees(["a"], ["a", "b"])


def test_every_public_name_has_an_example() -> None:
    page = (DOCS / "python.md").read_text("utf-8")
    code = "".join(found[3] for found in docs.BLOCK.finditer(page) if found[1] in ("pycon", "python"))
    assert [name for name in kemu.__all__ if not re.search(rf"kemu\.{name}\b", code)] == []


EVERY_PAGE = [*PAGES, *ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *DOCS.glob("verified/*.md")]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
MODULE = re.compile(r"`((?:\w+/)+\w+\.(?:py|lark))`")


@pytest.mark.parametrize("path", EVERY_PAGE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path: Path) -> None:
    broken = []
    for link in LINK.findall(path.read_text("utf-8")):
        file, _, heading = link.partition("#")
        target = (path.parent / file).resolve() if file else path
        if link.startswith("https://"):
            continue
        if not target.exists() or (heading and heading not in headings(target)):
            broken.append(link)
    assert not broken


def headings(path: Path) -> set[str]:
    """The headings of a page, as links call them, and the places with a name of their own."""
    text = path.read_text("utf-8")
    found = re.findall(r"^#+ (.*)$", text, re.M)
    named = re.findall(r'^<a id="([^"]+)"></a>$', text, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found} | {*named}


@pytest.mark.parametrize("path", EVERY_PAGE, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_module_that_a_page_names_is_there(path: Path) -> None:
    """Named from the top, or from the package or the room that it lies in."""
    named = set(MODULE.findall(path.read_text("utf-8")))
    tops = [ROOT / each for each in ("grammar", "engine", "verifier", "kemu", "tests", "benchmarks")]
    files = [file.as_posix() for top in tops for file in top.rglob("*") if file.suffix in (".py", ".lark")]
    assert sorted(name for name in named if not any(file.endswith(f"/{name}") for file in files)) == []


def test_every_page_is_on_the_page_of_pages() -> None:
    listed = LINK.findall((DOCS / "README.md").read_text("utf-8"))
    assert [page.name for page in PAGES if page.name not in listed and page.name != "README.md"] == []


def test_the_tests_are_there_that_the_docs_name() -> None:
    missing = []
    for page in PAGES:
        for path, name in re.findall(r"`([\w/]+\.py)::(\w+)`", page.read_text("utf-8")):
            files = [ROOT / path] if "/" in path else [*(ROOT / "tests" / "verifier").rglob(path)]
            if not any(f"\ndef {name}(" in file.read_text("utf-8") for file in files if file.is_file()):
                missing.append(f"{page.name}: {path}::{name}")
    assert not missing
