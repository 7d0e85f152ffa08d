"""The generator of rules files writes every form of the language, or the reason why not is on a list."""

from __future__ import annotations

import pytest
from kemu_grammar.syntax.parser import parse

from tests.oracles.forms import NEVER, known, written
from tests.oracles.sources import write

pytestmark = pytest.mark.slow

FIRST = (3, 4, 7, 15, 17, 22, 23, 51, 85, 103, 121, 157, 159, 171, 200, 222, 255, 258, 339, 359)
"""Seeds of files that hold all forms between them, as the generator is today: looked at first."""
FILES = 600
"""Files that are looked at, at most."""


def test_the_generator_writes_all_forms() -> None:
    never = {form.strip() for forms in NEVER.values() for form in forms.split(",")}
    assert never <= known()
    missing, files = known(), iter((*FIRST, *range(FILES)))
    while missing > never and (seed := next(files, None)) is not None:
        missing -= set(written(parse(write(seed), "generated.kemu").declarations))
    assert missing == never
