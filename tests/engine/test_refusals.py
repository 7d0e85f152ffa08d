"""Rules that the checker lets pass, though there is no instance of them: one diagnostic, at the fault."""

from __future__ import annotations

import re
from pathlib import Path

import kemu_engine
import pytest
from kemu_engine.lint.set_order import reordered
from kemu_engine.lint.trivial_claims import early
from kemu_engine.lint.unused_claims import idle
from kemu_engine.lint.unused_names import unused
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.explain.explain import REGISTRY, explain
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import Diagnostic, RulesError, render

from tests.rules import LIBRARY

BROKEN = sorted((Path(__file__).parent / "broken").glob("*.kemu"))
EMITTED = {
    code
    for file in Path(str(kemu_engine.__file__)).parent.rglob("*.py")
    for code in re.findall(r'"(E\d{4})"', file.read_text())
}
WARNING = "E0773"
EXPLAINED = sorted(code for code in REGISTRY if code.startswith("E07"))


def refused(text: str, file: str = "test.kemu", warned: bool = False) -> tuple[Diagnostic, ...]:
    """What is wrong with the instances of a game that the checker has no fault to find with."""
    game = read_text(text, file, LIBRARY)
    try:
        made = instantiate(game)
    except RulesError as error:
        return error.diagnostics
    warnings = unused(game) if warned else ()
    return (*reordered(game), *idle(game), *early(Game(made)), *warnings)


def whole(text: str) -> str:
    """A few declarations as a game."""
    if "rules:" not in text:
        text += "\nrules:\n    end tie\n"
    return 'game "Test"\n' + ("" if text.startswith("players") else "players ann, ben\n") + text


def test_every_code_of_the_engine_is_explained_and_no_other() -> None:
    assert set(EXPLAINED) == EMITTED


@pytest.mark.parametrize("code", EXPLAINED)
def test_explanations_tell_the_truth(code: str, tmp_path: Path) -> None:
    entry = REGISTRY[code]
    assert entry.wrong and entry.right and entry.title in str(explain(code))
    for at, (rules, expected) in enumerate(((entry.wrong, [code]), (entry.right, []))):
        if entry.files is not None:
            (tmp_path / entry.name).write_text(entry.files[at])
        found = refused(whole(rules), str(tmp_path / "test.kemu"), warned=code == WARNING)
        assert [d.code for d in found] == expected
        for d in found:
            assert "\n" not in d.message and d.span.line > 0


def test_there_are_twenty_broken_files() -> None:
    assert len(BROKEN) >= 20


@pytest.mark.parametrize("file", BROKEN, ids=lambda f: f.stem)
def test_one_fault_one_diagnostic(file: Path) -> None:
    text = file.read_text()
    code, *ends = re.findall(r"(E\d+) (\d+):(\d+)-(\d+):(\d+)", text.split("\n")[0])[0]
    line, column, end_line, end_column = map(int, ends)
    (found,) = refused(text, str(file))
    assert found.code == code
    assert (found.span.line, found.span.column) <= (line, column)
    assert (end_line, end_column) <= (found.span.end_line, found.span.end_column)
    assert "^" in render(found, text)
