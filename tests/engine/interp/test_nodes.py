"""What each kernel expression and statement means."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.interp.frame import Faulted, Frame
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import BrokenProgram

from tests.engine.build import NO, YES, Builder, every, num, op, subset

SIZE = 8
sets = st.frozensets(st.integers(0, SIZE - 1))
small = st.integers(-50, 50)


def run(b: Builder, *code: k.Stmt, checked: bool = True) -> Frame:
    """Runs code in a program of the builder's parts, on initial values."""
    machine = Machine(b.program(b.block([], k.End("tie")), 0), checked)
    frame = machine.opening()
    machine.run(code, frame)
    return frame


def value(expr: k.Expr, b: Builder | None = None) -> int:
    b = b or Builder()
    machine = Machine(b.program(b.block([], k.End("tie")), 0), checked=True)
    return machine.evaluate(expr, machine.opening())


def members(mask: int) -> set[int]:
    return {i for i in range(SIZE) if mask >> i & 1}


@given(small, small)
def test_integers_are_those_of_python(a: int, b: int) -> None:
    for name, wanted in {
        "add": a + b, "sub": a - b, "mul": a * b, "min": min(a, b), "max": max(a, b),
        "eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b,
    }.items():  # fmt: skip
        assert value(op(name, num(a), num(b))) == wanted
    assert value(op("neg", num(a))) == -a
    assert value(op("abs", num(a))) == abs(a)
    if b:
        assert value(op("div", num(a), num(b))) == a // b
        assert value(op("mod", num(a), num(b))) == a % b


def test_division_rounds_down() -> None:
    assert [value(op("div", num(a), num(b))) for a, b in [(7, 2), (-7, 2), (7, -2), (-7, -2)]] == [
        3,
        -4,
        -4,
        3,
    ]
    assert [value(op("mod", num(a), num(b))) for a, b in [(7, 2), (-7, 2), (7, -2), (-7, -2)]] == [
        1,
        1,
        -1,
        -1,
    ]


@given(sets, sets, st.integers(-2, SIZE + 2))
def test_sets_are_those_of_python(one: frozenset[int], two: frozenset[int], i: int) -> None:
    a, b = subset(SIZE, *one), subset(SIZE, *two)
    assert members(value(op("union", a, b))) == one | two
    assert members(value(op("inter", a, b))) == one & two
    assert members(value(op("diff", a, b))) == one - two
    assert value(op("subset", a, b)) == (one <= two)
    assert value(op("eq", a, b)) == (one == two)
    assert value(op("card", a)) == len(one)
    assert value(op("in", num(i), a)) == (i in one)
    if 0 <= i < SIZE:
        assert members(value(k.Op(k.Set(SIZE), "single", (num(i),)))) == {i}


@given(sets, sets, st.tuples(*[small] * SIZE))
def test_folds_are_the_comprehensions_of_python(
    over: frozenset[int], where: frozenset[int], row: Any
) -> None:
    b = Builder()
    table = b.table(*row)
    x = b.local("x", k.Int(0, SIZE - 1))
    body, positive = b.lookup(table, b.get(x)), op("lt", num(0), b.lookup(table, b.get(x)))
    taken = sorted(over & where)

    def fold(name: str, of: k.Expr) -> int:
        return value(b.fold(name, subset(SIZE, *over), of, x, op("in", b.get(x), subset(SIZE, *where))), b)

    assert fold("any", positive) == any(row[i] > 0 for i in taken)
    assert fold("all", positive) == all(row[i] > 0 for i in taken)
    assert fold("count", positive) == sum(row[i] > 0 for i in taken)
    assert fold("first", positive) == next((i for i in taken if row[i] > 0), -1)
    assert fold("sum", body) == sum(row[i] for i in taken)
    if taken:
        assert fold("min", body) == min(row[i] for i in taken)
        assert fold("max", body) == max(row[i] for i in taken)
    assert members(fold("set", op("sub", num(SIZE - 1), b.get(x)))) == {SIZE - 1 - i for i in taken}


def test_what_is_not_needed_is_not_evaluated() -> None:
    b = Builder()
    bad = k.Need(k.BOOL, NO, YES, b.fault("missing_value"))
    x = b.local("x", k.Int(0, 3))
    at_one = op("eq", b.get(x), num(1))
    only_to_one = k.If(k.BOOL, op("le", b.get(x), num(1)), at_one, bad)
    assert not value(op("and", YES, NO, bad), b)
    assert value(op("or", NO, YES, bad), b)
    assert value(k.If(k.BOOL, YES, YES, bad), b)
    assert value(b.fold("any", every(4), only_to_one, x), b)
    assert not value(b.fold("all", every(4), op("not", only_to_one), x), b)
    assert value(b.fold("first", every(4), only_to_one, x), b) == 1
    assert not value(b.fold("any", every(4), bad, x, where=NO), b)
    with pytest.raises(Faulted, match="missing_value"):
        value(op("and", YES, bad), b)


def test_closure_is_the_least_closed_set() -> None:
    b = Builder()
    x = b.local("x", k.Int(0, SIZE - 1))
    beyond = op(
        "mod", op("add", b.get(x), num(3)), num(SIZE)
    )  # 0, 3, 6, 1, ... reaches all; from 6 on a ring of 8
    step = k.If(k.Set(SIZE), op("lt", b.get(x), num(6)), k.Op(k.Set(SIZE), "single", (beyond,)), subset(SIZE))
    assert members(value(k.Closure(k.Set(SIZE), subset(SIZE, 0), x, step), b)) == {0, 3, 6}
    assert members(value(k.Closure(k.Set(SIZE), subset(SIZE), x, step), b)) == set()


def test_a_function_is_called_by_value() -> None:
    b = Builder()
    x = b.local("x", k.Int(-9, 9))
    more = k.Assign(x, b.fit(op("add", b.get(x), num(1)), -9, 9))
    body = (k.When(op("lt", b.get(x), num(0)), (k.Return(num(0)),), (more,)), k.Return(b.get(x)))
    rise = b.function("rise", [x], k.Int(-9, 9), *body)

    def call(arg: k.Expr) -> k.Call:
        return k.Call(k.Int(-9, 9), rise, (arg,))

    assert value(op("add", call(num(3)), call(call(num(1)))), b) == 4 + 3
    assert value(call(num(-5)), b) == 0


def test_a_trial_leaves_state_and_locals_as_they_were() -> None:
    b = Builder()
    scalar, array = b.var("s", k.Int(0, 9), 1), b.var("a", k.Int(0, 9), (1, 1))
    x = b.local("x", k.Int(0, 9))
    changes = (k.Store(scalar, num(5)), k.Put(array, num(0), num(5)), k.Assign(x, num(5)))
    five = [op("eq", each, num(5)) for each in (b.load(scalar), b.at(array, num(0)), b.get(x))]
    tried = b.var("tried", k.BOOL, 0)
    frame = run(b, k.Put(array, num(1), num(2)), k.Assign(x, num(2)),
                k.Store(tried, k.Trial(k.BOOL, changes, op("and", *five))))  # fmt: skip
    assert frame.frozen() == (1, (1, 2), True)
    assert frame.locals[x] == 2


def test_fill_computes_all_elements_on_the_old_state() -> None:
    b = Builder()
    ring = b.var("ring", k.Int(0, 9), (1, 2, 3))
    x = b.local("x", k.Int(0, 2))
    after = b.at(ring, op("mod", op("add", b.get(x), num(1)), num(3)))
    assert run(b, k.Fill(ring, x, after)).frozen() == ((2, 3, 1),)


def test_for_takes_its_set_as_it_is_on_entry() -> None:
    b = Builder()
    open_ = b.var("open", k.Set(4), 0b0101)
    seen = b.var("seen", k.Set(4), 0)
    x = b.local("x", k.Int(0, 3))
    note = k.Store(seen, op("union", b.load(seen), k.Op(k.Set(4), "single", (b.get(x),))))
    assert run(b, k.For(x, b.load(open_), (k.Store(open_, every(4)), note))).frozen() == (0b1111, 0b0101)


def test_break_and_continue_speak_to_the_innermost_loop() -> None:
    b = Builder()
    count = b.var("count", k.Int(0, 99), 0)
    x, y = b.local("x", k.Int(0, 3)), b.local("y", k.Int(0, 3))
    more = k.Store(count, b.fit(op("add", b.load(count), num(1)), 0, 99))
    inner = k.For(y, every(4), (k.When(op("eq", b.get(y), num(2)), (k.Break(),)), more))  # two a lap
    outer = k.For(x, every(4), (k.When(op("eq", b.get(x), num(0)), (k.Continue(),)), inner))  # three laps
    assert run(b, outer).frozen() == (6,)


@pytest.mark.parametrize(("bound", "good"), [(3, True), (2, False)])
def test_the_lap_after_the_bound_is_a_fault(bound: int, good: bool) -> None:
    b = Builder()
    laps = b.var("laps", k.Int(0, 9), 0)
    more = k.Store(laps, b.fit(op("add", b.load(laps), num(1)), 0, 9))
    third = k.When(op("eq", b.load(laps), num(3)), (k.Break(),))
    loop = k.Loop(bound, (more, third), b.fault("overrun"))
    if good:
        assert run(b, loop).frozen() == (3,)
    else:
        with pytest.raises(Faulted, match="overrun"):
            run(b, loop)


def test_writes_are_logged_with_old_and_new_values() -> None:
    b = Builder()
    scalar, array = b.var("s", k.Int(0, 9), 1), b.var("a", k.Int(0, 9), (1, 1))
    machine = Machine(b.program(b.block([], k.End("tie")), 0))
    frame = machine.opening(log := [])
    machine.run((k.Store(scalar, num(2), 7), k.Put(array, num(1), num(3), 8)), frame)
    assert [(w.var, w.element, w.old, w.new, w.origin) for w in log] == [(0, None, 1, 2, 7), (1, 1, 1, 3, 8)]


def test_a_checked_run_finds_what_breaks_the_contract() -> None:
    b = Builder()
    array = b.var("a", k.Int(0, 1), (0, 0))
    x = b.local("x", k.Int(0, 9))
    for wrong in (
        k.Put(array, num(-1), num(1)),
        k.Put(array, num(0), num(2)),
        k.Put(array, num(0), b.get(x)),
        k.Put(array, num(0), k.Op(k.Int(0, 1), "add", (num(1), num(1)))),
    ):
        with pytest.raises(BrokenProgram):
            run(b, wrong)
