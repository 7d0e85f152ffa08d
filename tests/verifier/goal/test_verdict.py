"""Verdicts: what surprises, and which exit code a run of them has."""

from __future__ import annotations

import subprocess
import sys

import pytest
from kemu_verifier.goal.verdict import Kind, Verdict, exit_code


def verdict(kind: Kind, form: str = "always", expected: str | None = None) -> Verdict:
    return Verdict("claim", False, form, kind, expected=expected)


@pytest.mark.parametrize(
    ("form", "expected", "kind", "code"),
    [
        ("always", None, "proved", 0),
        ("always", None, "refuted", 1),
        ("always", None, "not inductive", 2),
        ("always", None, "holds to depth", 3),
        ("always", None, "unknown", 4),
        ("always", None, "sampled", 5),
        ("always", None, "not applicable", 0),
        ("always", "refuted", "refuted", 0),
        ("always", "refuted", "proved", 1),
        ("always", "refuted", "unknown", 4),
        ("always", "not_inductive", "not inductive", 0),
        ("possible", None, "possible", 0),
        ("possible", None, "impossible", 1),
        ("possible", None, "unknown", 4),
        ("possible", "impossible", "impossible", 0),
        ("possible", "impossible", "possible", 1),
        ("terminates", None, "proved", 0),
        ("at_most", "refuted", "holds to depth", 3),
        ("always", "holds", "holds to depth", 0),
        ("always", "any", "refuted", 0),
        ("possible", "any", "unknown", 0),
    ],
)
def test_each_verdict_has_its_code(form: str, expected: str | None, kind: Kind, code: int) -> None:
    one = verdict(kind, form, expected)
    assert one.exit_code == code
    assert (one.surprise, one.open) == (code == 1, code > 1)
    assert exit_code([verdict("proved"), one]) == code


def test_a_surprise_decides_before_what_is_open() -> None:
    kinds: list[Kind] = ["holds to depth", "sampled", "not inductive", "unknown", "refuted"]
    for count, code in enumerate([3, 5, 2, 4, 1], 1):
        assert exit_code(verdict(kind) for kind in kinds[:count]) == code
    assert exit_code([]) == 0


def test_reading_verdicts_needs_no_solver() -> None:
    code = "import sys, kemu_verifier.goal.verdict; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
