"""`unique` maps: after each statement no value stands under two keys, and nothing lies in two lists."""

from __future__ import annotations

import pytest

from tests.oracles.agreement import agree

RULES = """game "Generated"
players ann, bob
enum Hue: red, green, blue
state:
    n: 0..2
    b: bool = true
    m: map[0..2, Hue?] unique = {0: red, 1: none, 2: none}
    l: map[0..2, list[Hue, 2]] unique = {0: [red], 1: [], 2: [green]}
    p: map[bool, tuple[0..1, bool]?] unique = {true: (1, true), false: none}
    w: map[0..2, Hue?] = {0: blue, 1: green, 2: blue}
rule put(inout x: Hue?, h: Hue?):
    x = h
rule twice(h: Hue):
    m[1] = h
    m[2] = none
rules:
    STATEMENT
    n = 1
    choose by ann:
        act(k in 0..2, h in Hue) if b:
            STATEMENT
            b = false
        lay(k in 0..2, h in Hue) if all(m[x] != h for x in 0..2):
            m[k] = h
            require k > 0
        lie(k in 0..2, h in Hue):
            l[k] += [h]
    m[n] = m[0]
"""
STATEMENTS = [
    "m[1] = red",
    "m[0] = red",
    "m[n] = m[0]",
    "m[2] = green",
    "m[1] = m[2]",
    "m = {0: red, 1: green, 2: blue}",
    "m = {0: red, 1: blue, 2: blue}",
    "m = {k: none for k in 0..2}",
    "m = {k: red if k < 2 else none for k in 0..2}",
    "m = w",
    "m |= {1: blue}",
    "m |= {1: red}",
    "m |= {0: none, 1: red}",
    "put(m[1], red)",
    "put(m[n], m[0])",
    "twice(red)",
    "twice(blue)",
    "for k in 0..2: m[k] = w[k]",
    "l[0] += [green]",
    "l[0] += [blue]",
    "l[0] = [blue, blue]",
    "l[1] = l[0]",
    "l[1] = l[2]",
    "l[n] = []",
    "l = {0: [red, green], 1: [blue], 2: []}",
    "l = {0: [red, green], 1: [green], 2: []}",
    "move red from l[0] to l[1]",
    "move all from l[0] to l[1]",
    "l |= {1: l[0]}",
    "l[0] = l[0] + l[2]",
    "l[0][0] = green",
    "l[0][0] = blue",
    "p[false] = (1, true)",
    "p[false] = (0, true)",
    "p[true] = none",
    "b = (true after put(m[1], red))",
    "b = (m[1] == red after put(m[1], blue))",
    "b = can lay(1, red)",
    "b = can lay(1, green)",
    "b = can lie(0, green)",
    "b = can lie(0, blue)",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_no_value_stands_twice(statement: str) -> None:
    for seed in (4, 5):
        agree(RULES.replace("STATEMENT", statement), seed)
