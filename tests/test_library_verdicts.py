"""docs/library-verdicts.md is about the programs of today, and as its command writes it."""

from __future__ import annotations

import pytest

from tests.library_verdicts import PAGE, names, opening, page, program, rows
from tests.soak import as_far

ROWS = rows(PAGE.read_text("utf-8"))
SPREAD = [name for first in range(3) for name in [*ROWS][first::3]]


def test_the_page_is_as_its_command_writes_it() -> None:
    assert page(ROWS) == PAGE.read_text("utf-8")
    assert ROWS.keys() <= set(names())


@pytest.mark.slow
@pytest.mark.parametrize("name", as_far(len(SPREAD) // 3, SPREAD))
def test_a_row_is_about_the_program_of_today(name: str) -> None:
    assert ROWS[name].program == program(opening(name)), f"python -m tests.library_verdicts {name}"
