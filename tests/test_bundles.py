"""docs/evidence-measured.md is as its command writes it."""

from __future__ import annotations

from tests.bundles import PAGE, page, rows
from tests.freeze import instances


def test_the_page_is_as_its_command_writes_it() -> None:
    known = rows(PAGE.read_text("utf-8"))
    assert page(known) == PAGE.read_text("utf-8")
    assert known.keys() <= instances().keys()
