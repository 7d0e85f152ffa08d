"""The documentation is true: its pieces of rules files check, and its commands do what it shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from subprocess import PIPE, STDOUT

import pytest
from kemu_engine.batch.playout import walk
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

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
    """A block of code. Words behind `kemu` at its opening: `as NAME` (a file of which others are pieces),
    `in NAME` (such a piece), `rules in NAME` (the body of its rules), `fails CODE`; none: of any file."""

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


PIECES = [piece for page in PAGES for piece in pieces(page) if "ttt.kemu" not in piece.words]
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
    head = part.split(maxsplit=1)[0].rstrip(":") if part.strip() else ""
    return head in DEFAULTS and re.search(rf"^{head}\b", text, re.M) is not None


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
        for number in range(5):
            for _ in islice(walk(playable, 0, number), 200):
                pass  # a fault would be an error of the page


# ---------------------------------------------------------------------------------------------- the tutorial

TUTORIAL = DOCS / "tutorial.md"
BLOCK = re.compile(r"^```(kemu|console|markdown)([^\n]*)\n(.*?)^```$", re.M | re.S)
PASSING = re.compile(r"\d+\.\d+ s\b|[\d,]+ a second|\d+\.\d\d$")
"""What differs from run to run."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the tutorial, what it prints (the lines shown, in order), and its exit code."""

    line: int
    text: str
    shown: tuple[str, ...]
    code: int

    @property
    def typed(self) -> str:
        """What a person types while it runs."""
        return "".join(found.group(1) + "\n" for line in self.shown if (found := PROMPT.match(line)))

    @property
    def key_lines(self) -> list[str]:
        """The lines shown that must be printed; of `verify` the verdicts, as its games are not fixed."""
        if self.text.startswith("kemu verify"):
            return [plain(line) for line in self.shown if VERDICT.match(line)]
        lines = [plain(line) for line in self.shown if not PROMPT.match(line)]
        return [line for line in lines if line not in ("", "...")]


VERDICT = re.compile(
    r"^(\S.*?)  +(proved|refuted|possible|impossible)  +(yes|NO)(: \w+)? .*|^\d+ verdicts?,.*"
)
PROMPT = re.compile(r"^\w+> (.+)$")


def plain(line: str) -> str:
    """A line without what differs from run to run (of a verdict all but name, verdict and surprise)."""
    verdict = VERDICT.match(line)
    if verdict and verdict.group(1):
        return " ".join(part or "" for part in verdict.groups())
    return PASSING.sub("_", line.strip())


def steps(text: str) -> Iterator[tuple[str, str] | Command]:
    """What a reader of the tutorial does: (how, text) for what is typed into the file, or a command."""
    for block in BLOCK.finditer(text):
        language, words, body = block.groups()
        if language != "console":
            yield (words.split()[-1], body)
        else:
            yield from commands(body, text.count("\n", 0, block.start()) + 2)


def commands(body: str, line: int) -> Iterator[Command]:
    """The commands of a block; `echo $?` tells the exit code of the one before it."""
    found: list[tuple[int, str, list[str]]] = []
    for number, text in enumerate(body.splitlines(), line):
        if text.startswith("$ "):
            found.append((number, text[2:], []))
        else:
            found[-1][2].append(text)
    for at, (number, text, shown) in enumerate(found):
        if text != "echo $?":
            follows = found[at + 1] if at + 1 < len(found) and found[at + 1][1] == "echo $?" else None
            yield Command(number, text, tuple(shown), int("".join(follows[2])) if follows else 0)


def typed(file: Path, how: str, text: str) -> None:
    """Types a block into the file: all of it, at its end, or in place of what begins alike; or into another
    file beside it."""
    if how.endswith(".md"):
        file = file.with_name(how)
    elif how == "append":
        text = file.read_text("utf-8") + "\n" + text
    elif how == "replace":
        head = re.match(r"\w+", text)
        assert head
        kept = parts(file.read_text("utf-8"))
        assert sum(part.startswith(head.group()) for part in kept) == 1, "the text must say what is replaced"
        text = "".join(text + "\n" if part.startswith(head.group()) else part for part in kept)
    elif how == "line":
        start = " ".join(text.split()[:2])
        old = file.read_text("utf-8").splitlines(keepends=True)
        assert sum(line.startswith(start) for line in old) == 1, "the text must say what is replaced"
        text = "".join(text if line.startswith(start) else line for line in old)
    file.write_text(text, "utf-8")


def run(command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
    name, *arguments = shlex.split(command.text)
    assert name == "kemu"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "kemu", *arguments],
        cwd=folder, env=environment, input=command.typed, encoding="utf-8", stdout=PIPE, stderr=STDOUT,
    )  # fmt: skip


def test_the_tutorial_does_what_it_shows(tmp_path: Path) -> None:
    for step in steps(TUTORIAL.read_text("utf-8")):
        if not isinstance(step, Command):
            typed(tmp_path / "ttt.kemu", *step)
            continue
        done = run(step, tmp_path)
        where = f"tutorial.md:{step.line}: {step.text}"
        assert done.returncode == step.code, f"{where} gives {done.returncode}\n{done.stdout}"
        printed = [plain(line) for line in done.stdout.splitlines()]
        for line in step.key_lines:
            assert any(line in other for other in printed), f"{where} does not print {line!r}\n{done.stdout}"


def test_the_tests_are_there_that_the_docs_name() -> None:
    missing = []
    for page in PAGES:
        for path, name in re.findall(r"`([\w/]+\.py)::(\w+)`", page.read_text("utf-8")):
            file = ROOT / path if "/" in path else ROOT / "tests" / "verifier" / path
            if not file.is_file() or f"\ndef {name}(" not in file.read_text("utf-8"):
                missing.append(f"{page.name}: {path}::{name}")
    assert not missing
