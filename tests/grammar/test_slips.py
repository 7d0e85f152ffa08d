"""Slips from the habits of Python, JavaScript and rulebooks: what each is told, and that its mend mends it.

Each file of `slips/` is a game with some slips. Behind it stand, in the order of the text, `# 9: E0203 text`
(the line, the code, the message) and below these the lines as they read once everything is mended.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kemu_grammar.game.game import read_text
from kemu_grammar.game.unending import unending
from kemu_grammar.source.diagnostics import Diagnostic, RulesError, apply, render

from tests.grammar.support import LIBRARY

SLIPS = sorted((Path(__file__).parent / "slips").glob("*.kemu"))
TOLD = re.compile(r"# (\d+): (E\d+) (.*)")


def faults(text: str) -> tuple[Diagnostic, ...]:
    try:
        return unending(read_text(text, "slip.kemu", LIBRARY))
    except RulesError as error:
        return error.diagnostics


def said(found: tuple[Diagnostic, ...]) -> list[tuple[int, str, str]]:
    return [(d.span.line, d.code, d.message) for d in found]


def test_there_are_a_hundred_and_a_fifth_of_them_have_several_slips() -> None:
    told = [len(TOLD.findall(file.read_text())) for file in SLIPS]
    assert len(told) >= 100 and sum(n > 1 for n in told) >= 20 and sum(n > 2 for n in told) >= 8


@pytest.mark.parametrize("file", SLIPS, ids=lambda f: f.stem)
def test_each_slip_is_told_and_its_mend_leaves_the_others(file: Path) -> None:
    """The mends are carried out from the last to the first; what is left to tell must not change."""
    text, _, foot = file.read_text().partition("\n\n# ")
    lines = ("# " + foot).strip().split("\n")
    wanted = [(int(m[1]), m[2], m[3]) for m in map(TOLD.fullmatch, lines) if m]
    after = [line.removeprefix("#    ") for line in lines if not TOLD.fullmatch(line)]
    mended = text
    for left in range(len(wanted), 0, -1):
        found = faults(mended)
        assert said(found) == wanted[:left]
        assert all("^" in render(d, mended) for d in found)
        assert found[-1].mend
        mended = apply(found[-1].mend, mended)
    assert faults(mended) == ()
    before = text.split("\n")
    assert [line for line in mended.split("\n") if line.strip() and line not in before] == after
