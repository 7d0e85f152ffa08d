"""Maps whose values have sizes that depend on the key: what does not fit under its key is a fault wherever
the value is given to such a type, even if nothing keeps it.
"""

from __future__ import annotations

from itertools import product

import pytest

from tests.oracles.agreement import agree
from tests.soak import as_far

RULES = """game "Generated"
players ann, bob
state:
    n: 0..2
    b: bool
    s: WIDE
    m: map[k in 0..2, KIND]
    w: map[0..2, WIDE]
rule made(q: 0..2) -> map[k in 0..2, KIND]:
    return GIVEN
fun given(q: 0..2) -> map[k in 0..2, KIND]:
    return GIVEN
fun taken(q: map[k in 0..2, KIND]) -> 0..2: 0
rules:
    STATEMENT
    choose by ann:
        act:
            pass
"""
USES = [
    "made(0)",
    "b = (true after made(0))",
    "b = given(0)[2] == w[0]",
    "b = given(0)[1] == s",
    "b = given(0)[n] == s",
    "n = taken(GIVEN)",
    "m = GIVEN",
    "m = given(0)",
    "m[n] = given(0)[n]",
    "b = 1 in given(0)",
    "b = w == given(0)",
    "for x in given(0): pass",
    "kept: map[k in 0..2, KIND] = GIVEN",
]
KINDS = {
    "list[1..2, k]": (
        "list[1..2, 2] = [1]",
        ("{0: [2], 1: s, 2: s}", "{0: [], 1: s + [1], 2: s}", "{0: [], 1: [1], 2: s}", "w", "m"),
    ),
    "bag[1..2, k]": (
        "bag[1..2, 2] = {1: 1}",
        ("{0: {2: 1}, 1: s, 2: s}", "{0: {}, 1: s, 2: {1: 1, 2: 1}}", "{k: s for k in 0..2}", "w", "m"),
    ),
    "0..k": (
        "0..2 = 2",
        ("{0: n, 1: 1, 2: n}", "{0: 0, 1: s, 2: 2}", "{k: s for k in 0..2}", "w", "m"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_does_not_fit_under_its_key_is_a_fault(kind: str) -> None:
    wide, values = KINDS[kind]
    pairs = [*product(values, USES)]
    for value, use in as_far(len(pairs) // 2, [*pairs[::2], *pairs[1::2]]):
        rules = RULES.replace("STATEMENT", use).replace("s: WIDE", f"s: {wide}")
        rules = rules.replace("WIDE", wide.partition(" =")[0])
        agree(rules.replace("GIVEN", value).replace("KIND", kind), 4)
