"""Little games as kernel programs, with the claims that the tests put to the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import questions
from kemu_verifier.strategy.context import ProofContext

from tests.engine.build import Builder, every, num, op

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def claim(name: str, form: str, *exprs: k.Expr, **more: Any) -> k.Property:
    """A property with the usual defaults."""
    given: dict[str, Any] = {"bound": None, "blocks": (), "expect": None, "lemma": False, "origin": -1}
    return k.Property(name, form, exprs, **{**given, **more})


def with_claims(program: k.Program, claims: Sequence[k.Property]) -> k.Program:
    return replace(program, properties=tuple(claims))


def noughts(checked: bool = True) -> k.Program:
    """Tic-tac-toe. With `checked` false nobody looks at the lines before the board is full."""
    b = Builder("Noughts", ("cross", "nought"))
    texts = ("none", "cross", "nought")
    cell = b.var("cell", k.Int(-1, 1), (-1,) * 9, texts=texts, labels=tuple("abcdefghi"))
    result = b.var("result", k.Int(0, 1), (0, 0))
    p, c, i, q = (b.local(n, k.Int(0, s - 1)) for n, s in (("p", 2), ("c", 9), ("i", 9), ("q", 2)))
    places = b.domain(*"abcdefghi")

    def owns(line: tuple[int, ...]) -> k.Expr:
        return op("and", *(op("eq", b.at(cell, num(at)), b.get(q)) for at in line))

    won = b.function("won", [q], k.BOOL, k.Return(op("or", *map(owns, LINES))))
    choose, act, test, full, over, tie, win = (b.hole() for _ in range(7))
    start = b.block([k.Assign(p, num(0))], k.Goto(choose))
    free = op("eq", b.at(cell, b.get(c)), num(-1))
    put = b.arm("put", act, b.param("c", c, places, where=free))
    b.block([], b.decide("put", b.get(p), put), choose, live=(p,), name="play.put")
    mine = k.Call(k.BOOL, won, (b.get(p),))
    goal: k.Exit = k.Split(mine, over, full) if checked else k.Goto(full)
    b.block([k.Put(cell, b.get(c), b.get(p), b.origin(3))], goal, act)
    left = b.fold("any", every(9), op("eq", b.at(cell, b.get(i)), num(-1)), i)
    b.block([], k.Split(left, test, tie), full)
    b.block([k.Assign(p, op("sub", num(1), b.get(p)))], k.Goto(choose), test)
    b.block([k.Put(result, b.get(p), num(1), b.origin(5))], k.Goto(win), over)
    b.block([], k.End("win"), win, name="end.win")
    b.block([], k.End("tie"), tie, name="end.tie")

    def count(player: int) -> k.Expr:
        return b.fold("count", every(9), op("eq", b.at(cell, b.get(i)), num(player)), i)

    def has(player: int) -> k.Expr:
        return k.Call(k.BOOL, won, (num(player),))

    frees = b.fold("count", every(9), op("eq", b.at(cell, b.get(i)), num(-1)), i)
    claims = [
        claim("one_winner", "never", op("and", has(0), has(1))),
        claim("supply", "always", op("le", count(0), num(5))),
        claim("short", "always", op("le", count(0), num(4)), expect="refuted"),
        claim("ends", "terminates", frees),
        claim("nought_wins", "possible", has(1)),
        claim("six", "possible", op("eq", count(1), num(5)), expect="impossible"),
        claim("draw", "possible", op("and", op("eq", frees, num(0)), op("not", has(0)))),
    ]
    return with_claims(b.program(start, result), claims)


def ladder(high: int = 300) -> k.Program:
    """A counter that climbs by arithmetic on wide integers; odd heights are left by a half, even ones by a
    step of seven."""
    b = Builder("Ladder", ("climber",))
    height = b.var("height", k.Int(-5, high), 0)
    result = b.var("result", k.Int(0, 1), (0,))
    climb, act, look, done = b.hole(), b.hole(), b.hole(), b.hole()
    way = b.local("way", k.Int(0, 2))
    ways = b.domain("half", "seven", "mirror")
    here = b.load(height)
    steps = (
        op("div", op("add", op("mul", here, num(3)), num(1)), num(2)),
        op("sub", op("add", here, num(7)), op("mod", here, num(3))),
        op("abs", op("sub", here, num(40))),
    )
    chosen = k.If(k.Int(-800, 800), op("eq", b.get(way), num(1)), steps[1], steps[2])
    value = k.If(k.Int(-800, 800), op("eq", b.get(way), num(0)), steps[0], chosen)
    arm = b.arm("go", act, b.param("way", way, ways))
    b.block([], b.decide("climb", num(0), arm), climb, name="climb")
    b.block([k.Store(height, b.fit(value, -5, high), b.origin(4))], k.Goto(look), act)
    b.block([], k.Split(op("le", num(150), here), done, climb), look)
    b.block([], k.End("rank"), done, name="end")
    return b.program(climb, result)


FILL = """
    game "Filling"
    players ann, bob
    domain Cell = 0..23
    state:
        mark: map[Cell, Player?]
    rules:
        for p in turns():
            choose take(c in Cell) if mark[c] is none
            mark[c] = p
            if all(mark[d] is some for d in Cell):
                end tie
    property even:   always len({c for c in Cell if mark[c] == ann}) <= 12
    property fewer:  always len({c for c in Cell if mark[c] == bob}) < 12
    property ends:   terminates by len({c for c in Cell if mark[c] is none})
    property ladder: possible all(mark[c] == (ann if c % 2 == 0 else bob) for c in Cell)
    property greedy: possible len({c for c in Cell if mark[c] == bob}) > 12
"""


def goal(context: ProofContext, name: str) -> Goal:
    """What a claim asks for."""
    reading = next(q.goal for q in questions(context.program, False) if q.name == name)
    assert reading is not None
    return reading(context.transitions)


def ring() -> k.Program:
    """0, 1, 2 and round; from the unreachable 9 the way leads through 5 and 6 to 7, and from there to 7
    again."""
    b = Builder("Ring", ("one",))
    at = b.var("at", k.Int(0, 9), 0)
    result = b.var("result", k.Int(0, 1), (0,))
    table = b.table(1, 2, 0, 3, 4, 6, 7, 7, 8, 5)
    go, act, done = b.hole(), b.hole(), b.hole()
    b.block([], b.decide("go", num(0), b.arm("go", act), b.arm("stop", done)), go, name="go")
    b.block([k.Store(at, b.lookup(table, b.load(at)))], k.Goto(go), act)
    b.block([], k.End("tie"), done, name="end")
    never = claim("never_seven", "never", op("eq", b.load(at), num(7)))
    return with_claims(b.program(go, result), [never])
