"""Broken rules files, one fault each: one diagnostic, at the fault, and a suggestion that mends it.

The first line of each tells what is expected: `# expect E0301 5:12-5:17`, the code and where the fault was
planted.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kemu_grammar.explain.explain import explain
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import Diagnostic, RulesError, apply, render

from tests.grammar.support import LIBRARY

HERE = Path(__file__).parents[1]
BROKEN = sorted((HERE / "broken").glob("*.kemu"))
SOUND = sorted((HERE / "sound").glob("*.kemu"))


def faults(text: str) -> tuple[Diagnostic, ...]:
    try:
        read_text(text, "broken.kemu", LIBRARY)
    except RulesError as error:
        return error.diagnostics
    return ()


def expected(text: str) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
    found = re.findall(r"(E\d+) (\d+):(\d+)-(\d+):(\d+)", text.split("\n")[0])
    return [(code, (int(a), int(b)), (int(c), int(d))) for code, a, b, c, d in found]


@pytest.mark.parametrize("file", SOUND, ids=lambda f: f.stem)
def test_the_games_that_are_broken_below_are_sound(file: Path) -> None:
    assert read(file, LIBRARY).rules.body


def test_there_are_forty_broken_files() -> None:
    assert len(BROKEN) >= 40


@pytest.mark.parametrize("file", BROKEN, ids=lambda f: f.stem)
def test_one_fault_one_diagnostic_and_what_it_suggests_mends_it(file: Path) -> None:
    text = file.read_text()
    wanted, found = expected(text), faults(text)
    assert [d.code for d in found] == [code for code, _, _ in wanted]
    for (_, start, end), d in zip(wanted, found, strict=True):
        assert (d.span.line, d.span.column) <= start and end <= (d.span.end_line, d.span.end_column)
        assert "^" in render(d, text)
        assert explain(d.code)
    if any(d.fix for d in found):
        assert faults(apply([edit for d in found for edit in d.mend], text)) == ()


def test_most_slips_get_a_suggestion() -> None:
    assert sum(any(d.fix for d in faults(file.read_text())) for file in BROKEN) >= 30
