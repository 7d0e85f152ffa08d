"""A program as text: every node, by a program that has them all."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.printer import expression, printed

from tests.engine.build import YES, Builder, every, num, op, subset

WANTED = """\
fun twice(x):
    return (x + x)
block 0:
    c := 2
    score = need((c < 3), twice(c), out_of_range)
    board[c] = lookup_0[c]
    board[d] = 0 for all
    if (count(true for d in all 4 if (board[d] == 1)) <= 2):
        break
    else:
        continue
    for c in {0, 3}:
        score = (1 if true else 0)
    loop 9, out_of_range:
        check (1 in closure({1}, d: {2})), out_of_range
    if trial(score = 3: (score == 3)) goto 1 else 2
block 1 stop keeps c:
    decide go by 0
      take(d in all 4 if (board[d] == 0)) if (score == 0) goto 0
    else stuck
block 2 draw:
    chance dice: d by (let c = 1: c)
    goto 0
block 3:
    switch c: 0, 1
block 4:
    fail out_of_range
block 5 end:
    end win"""


def everything() -> k.Program:
    b = Builder()
    score, board = b.var("score", k.Int(0, 9), 0), b.var("board", k.Int(0, 3), (0,) * 4)
    c, d, x = (b.local(name, k.Int(0, 3)) for name in ("c", "d", "x"))
    b.tables.append(k.Table("lookup", (1, 0, 1, 0)))
    fault = b.fault("out_of_range")
    twice = b.function("twice", [x], k.Int(0, 6), k.Return(op("add", b.get(x), b.get(x))))
    call = k.Call(k.Int(0, 6), twice, (b.get(c),))
    ones = b.fold("count", every(4), YES, d, op("eq", b.at(board, b.get(d)), num(1)))
    closure = k.Closure(k.Set(4), subset(4, 1), d, subset(4, 2))
    three = op("eq", b.load(score), num(3))
    code = [
        k.Assign(c, num(2)),
        k.Store(score, k.Need(k.Int(0, 6), op("lt", b.get(c), num(3)), call, fault)),
        k.Put(board, b.get(c), b.lookup(0, b.get(c))),
        k.Fill(board, d, num(0)),
        k.When(op("le", ones, num(2)), (k.Break(),), (k.Continue(),)),
        k.For(c, subset(4, 0, 3), (k.Store(score, k.If(k.Int(0, 1), YES, num(1), num(0))),)),
        k.Loop(9, (k.Check(op("in", num(1), closure), fault),), fault),
    ]
    b.block(code, k.Split(k.Trial(k.BOOL, (k.Store(score, num(3)),), three), 1, 2))
    param = b.param("d", d, b.domain(*"abcd"), where=op("eq", b.at(board, b.get(d)), num(0)))
    arm = b.arm("take", 0, param, guard=op("eq", b.load(score), num(0)))
    b.block([], b.decide("go", num(0), arm), name="stop", live=(c,))
    weight = k.Let(k.Int(1, 1), c, num(1), k.Local(k.Int(1, 1), c))
    b.block([], b.chance("dice", d, b.domain(*"efgh"), 0, weight), name="draw")
    b.block([], k.Switch(c, (0, 1)))
    b.block([], k.Fail(fault))
    b.block([], k.End("win"), name="end")
    return b.program(0, score)


def test_every_node_has_a_text() -> None:
    assert printed(everything()) == WANTED


def test_locals_of_one_name_are_told_apart() -> None:
    b = Builder()
    one, two = b.local("c", k.Int(0, 1)), b.local("c", k.Int(0, 1))
    made = b.program(0, 0)
    assert expression(made, op("add", b.get(one), b.get(two))) == "(c_0 + c_1)"


def test_of_a_large_set_the_first_elements_are_shown() -> None:
    made = Builder().program(0, 0)
    assert expression(made, subset(99, *range(40))).endswith("10, 11, ...}")
