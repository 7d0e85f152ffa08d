"""The optimiser's passes are checked, each by itself, in all tests of the engine."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _each_pass_is_checked() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KEMU_CHECK_PASSES", "1")
        yield
