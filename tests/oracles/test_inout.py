"""Rules that change what is given to them `inout`, with stops in them or not: the place itself changes."""

from __future__ import annotations

import pytest

from tests.oracles.agreement import agree

RULES = """game "Generated"
players ann, bob
enum Hue: red, green, blue
record Rec(many: 0..2, tint: Hue?)
state:
    b: bool
    n: 0..2
    m: map[0..2, Hue?] unique = {0: red, 1: none, 2: none}
    l: map[0..2, list[Hue, 2]] unique = {0: [red], 1: [], 2: [green]}
    w: map[0..2, 0..2]
    r: list[Rec, 2] = [Rec(1, red)]
    bagged: bag[Hue, 3] = {red: 1}
rule asks(inout x: Hue?, h: Hue):
    x = h
    choose by ann:
        act5:
            x = none
        act6:
            x = green
rule asks2(inout x: 0..2):
    x = 1
    choose by ann:
        act5:
            x += 1
        act6:
            x = 0
    x = 2 - x
rule asks3(inout x: list[Hue, 2]):
    x += [blue]
    choose by ann:
        act5:
            x = []
        act6(h in Hue):
            x += [h]
rule asks4(inout x: Rec):
    x.many = 2
    choose by ann:
        act5:
            x.tint = blue
        act6(h in Hue):
            x = Rec(0, h)
rule plain(inout x: Hue?, h: Hue?):
    x = h
rule deep(inout x: Hue?):
    plain(x, red)
rule outer(inout y: 0..2):
    asks2(y)
    y = 2 - y
rule outermost(inout z: 0..2):
    outer(z)
    outer(z)
rules:
    STATEMENT
    for p in turns():
        choose:
            act(k in 0..2):
                n = k
            stay:
                n = 1
        n = w[n]
"""
STATEMENTS = [
    "outer(n)",
    "outer(w[n])",
    "outer(n); outer(w[1]); outer(n)",
    "outermost(w[2]); outermost(n)",
    "for k in 0..2: asks2(w[k])",
    "for k in {0, 2}: outer(w[k])",
    "asks(m[1], green)",
    "asks(m[1], red)",
    "asks(m[n], green)",
    "asks2(n)",
    "asks2(w[n])",
    "asks2(w[1])",
    "asks3(l[1])",
    "asks3(l[0])",
    "asks3(l[n])",
    "asks4(r[0])",
    "asks4(r[n])",
    "plain(m[1], red)",
    "plain(m[1], green)",
    "deep(m[1])",
    "deep(m[0])",
    "asks(m[0], red)",
    "asks2(r[0].many)",
    "asks(r[0].tint, blue)",
    "b = (m[1] == red after deep(m[1]))",
    "b = (true after deep(m[0]))",
    "move red from bagged to l[1]",
    "move red from bagged to m[1]",
    "move red from bagged to l[2]",
    "move all from bagged to l[2]",
    "draw 1 from bagged to l[1]",
    "for k in 0..2: m[k] = red if k == 1 else none",
]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_an_inout_parameter_is_the_place_that_is_given(statement: str) -> None:
    for seed in (4, 5):
        agree(RULES.replace("STATEMENT", statement), seed)
