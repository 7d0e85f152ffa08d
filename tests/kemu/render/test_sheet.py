"""The sentence at the end of `kemu verify`: it claims no more than the verdicts do."""

from __future__ import annotations

import pytest
from kemu.render.sheet import closing
from kemu_verifier.goal.verdict import Kind, Verdict


def found(kind: Kind, expected: str | None = None, form: str = "always") -> Verdict:
    return Verdict("claim", False, form, kind, expected=expected)


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            [found("proved"), found("refuted", "refuted")],
            "holds: 1 proved; 1 refuted, as expected; nothing open",
        ),
        ([found("unknown", "any")], "holds: 1 undecided, as expected; nothing open"),
        ([found("not applicable")], "holds: nothing open"),
        ([found("proved"), found("sampled")], "is not shown to hold: 1 proved; 1 open"),
        ([found("refuted"), found("unknown")], "does not hold: claim not as claimed; 1 open"),
        ([found("proved", "refuted")], "does not hold: claim not as claimed; nothing open"),
    ],
)
def test_the_last_sentence(verdicts: list[Verdict], said: str) -> None:
    assert closing(verdicts) == f"The game {said}"
    assert closing(verdicts, "What was asked") == f"What was asked {said}"
