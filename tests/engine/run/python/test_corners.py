"""Corners of the kernel in which generated Python has to take care to be the same game."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Thread
from unittest.mock import patch

import pytest
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Stop
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.run.python.loader import GeneratedMachine, Stepper
from kemu_engine.run.python.writer import fast, whole

from tests.engine.build import Builder, every, num, op, subset
from tests.engine.games import nim, pig
from tests.engine.run.python.test_lockstep import came, compare, compare_playouts

S3, S6 = k.Set(3), k.Set(6)


class Rolled(Builder):
    """A program of a die, the code that makes use of it, and the end."""

    def __init__(self) -> None:
        super().__init__()
        self.die, self.i = self.local("die", k.Int(0, 5)), self.local("i", k.Int(0, 5))
        self.n = self.var("n", k.Int(-9, 99), 0)
        self.flag = self.var("flag", k.BOOL, 1)
        self.some = self.var("some", S6, 0b001100)

    @property
    def roll(self) -> k.Expr:
        return self.get(self.die)

    @property
    def each(self) -> k.Expr:
        return self.get(self.i)

    def count(self, body: k.Expr) -> k.Store:
        return k.Store(self.n, self.fold("count", every(6), body, self.i))

    def rolled(self, code: list[k.Stmt]) -> k.Program:
        chance, act, end = self.hole(), self.hole(), self.hole()
        roll = self.chance("roll", self.die, self.domain(*"123456"), act)
        self.block([], roll, chance, name="roll")
        self.block(code, k.Goto(end), act)
        self.block([], k.End("tie"), end, name="end")
        return self.program(chance, self.var("result", k.Int(0, 0), (0, 0)))


def longer_array(b: Rolled) -> list[k.Stmt]:
    hand = b.var("hand", k.Int(-1, 1), (0,) * 12)
    return [k.Put(hand, b.roll, num(1)), b.count(op("eq", b.at(hand, b.each), num(0)))]


def longer_table(b: Rolled) -> list[k.Stmt]:
    kinds = b.table(*[0, 1] * 6)
    return [b.count(op("eq", b.lookup(kinds, b.each), op("mod", b.roll, num(2))))]


def larger_set(b: Rolled) -> list[k.Stmt]:
    many = b.var("many", k.Set(12), 0b111111000110)
    return [b.count(op("in", b.each, b.load(many)))]


def smaller_set(b: Rolled) -> list[k.Stmt]:
    few = b.var("few", S3, 0b001)
    return [b.count(op("not", op("in", b.each, op("diff", every(3), b.load(few)))))]


def narrow_rows(b: Rolled) -> list[k.Stmt]:
    rows = b.table(3, 1, 2, 1, 1, 3)
    single = k.Op(S6, "single", (b.roll,))
    return [b.count(op("subset", k.Lookup(S6, rows, b.each), single))]


def truth_of_a_set(b: Rolled) -> list[k.Stmt]:
    some = op("ne", b.load(b.some), subset(6))
    both = op("and", op("lt", b.roll, num(3)), some)
    return [k.Store(b.flag, both), k.When(op("eq", both, b.load(b.flag)), (k.Store(b.n, num(1)),))]


def truth_in_an_array_with_masks(b: Rolled) -> list[k.Stmt]:
    open_ = b.var("open", k.BOOL, (0,) * 6)
    both = op("and", b.load(b.flag), op("ne", b.load(b.some), subset(6)))
    return [k.Put(open_, b.roll, both), b.count(b.at(open_, b.each))]


def last_element_of_a_loop(b: Rolled) -> list[k.Stmt]:
    owner = b.var("owner", k.Int(-1, 1), (0, 1, 0, 1, 0, 1))
    mine = k.When(op("eq", b.at(owner, b.each), num(0)), (k.Put(owner, b.each, num(-1)),))
    return [k.Assign(b.i, num(1)), k.For(b.i, b.load(b.some), (mine,)), k.Store(b.n, b.each)]


def size_of_a_known_set(b: Rolled) -> list[k.Stmt]:
    few = k.If(S3, b.load(b.flag), subset(3, 0, 2), subset(3))
    return [k.When(b.load(b.flag), (k.Store(b.n, op("card", few)),))]


def value_whose_name_is_set_again(b: Rolled) -> list[k.Stmt]:
    q = b.local("q", k.Int(0, 99))
    value = op("mul", b.roll, num(3))
    needed = k.Need(k.Int(0, 15), b.load(b.flag), value, b.fault("missing_value"))
    then = (k.Assign(q, value), k.Store(b.n, op("add", needed, num(1))), k.Assign(q, num(9)))
    return [k.When(b.load(b.flag), (*then, k.Store(b.n, op("add", needed, num(2)))))]


def local_not_set(b: Rolled) -> list[k.Stmt]:
    q = b.local("q", k.Int(1, 5))
    go = op("lt", num(3), b.roll)
    use = k.When(go, (k.Store(b.n, op("div", num(9), b.get(q))),))
    return [k.When(go, (k.Assign(q, num(2)),)), k.For(b.i, every(6), (use,))]


def fails(b: Rolled, name: str, type_: k.Type, value: k.Expr) -> k.Call:
    fault = b.fault("missing_value", name)
    test = k.Check(op("lt", num(4), b.load(b.n)), fault)
    return k.Call(type_, b.function(name, [], type_, test, k.Return(value)), ())


def faults_from_the_left(b: Rolled) -> list[k.Stmt]:
    element = fails(b, "element", k.Int(-3, 9), num(2))
    return [k.Store(b.n, b.roll), k.Store(b.flag, op("in", element, fails(b, "items", S6, b.load(b.some))))]


def faults_in_a_closure(b: Rolled) -> list[k.Stmt]:
    rows, seed = b.table(0, 0, 0, 0, 0, 1), subset(6, 1, 5)
    zero, one = (
        k.Need(k.BOOL, op("or", op("ne", b.each, num(at)), op("lt", num(3), b.roll)), b.load(b.flag), fault)
        for at, fault in ((0, b.fault("missing_value", "0")), (1, b.fault("missing_value", "1")))
    )
    step = k.If(S6, op("and", zero, one), k.Lookup(S6, rows, b.each), subset(6))
    return [k.Store(b.some, k.Closure(S6, seed, b.i, step))]


CORNERS = [
    longer_array,
    longer_table,
    larger_set,
    smaller_set,
    narrow_rows,
    truth_of_a_set,
    truth_in_an_array_with_masks,
    last_element_of_a_loop,
    size_of_a_known_set,
    value_whose_name_is_set_again,
    local_not_set,
    faults_from_the_left,
    faults_in_a_closure,
]


def same(program: k.Program) -> None:
    assert problems(program) == []
    compare(program, Random(1), 20, 20)
    compare_playouts(program, 1, 20, 20)


@pytest.mark.parametrize("code", CORNERS, ids=lambda make: make.__name__)
def test_code_is_the_same(code: Callable[[Rolled], list[k.Stmt]]) -> None:
    b = Rolled()
    same(b.rolled(code(b)))


def test_a_condition_of_all_parameters_is_not_asked_before_there_is_a_value_for_each() -> None:
    b = Builder()
    level, some = b.var("level", k.Int(0, 9), 0), b.var("some", S6, 0)
    x, y = (b.local(name, k.Int(0, 5)) for name in "xy")
    value = k.Need(k.Int(0, 9), op("lt", num(0), b.load(level)), b.load(level), b.fault("missing_value"))
    domain, do, end = b.domain(*"abcdef"), b.hole(), b.hole()
    params = b.param("x", x, domain), b.param("y", y, domain, b.load(some))
    pair = b.arm("pair", end, *params, legal=op("lt", value, b.get(x)))
    b.block([], b.decide("do", num(0), pair, b.arm("pass", end)), do, name="do")
    b.block([], k.End("tie"), end, name="end")
    same(b.program(do, b.var("result", k.Int(0, 0), (0, 0))))


def test_names_clash_with_nothing() -> None:
    b = Rolled()
    for name in ("class", "s", "vars", "fault", "日本", "naïve é", "naïve e", "begin", "SET"):
        b.var(name, k.Int(0, 99), 1)
    q, r = b.local('after_"""\\_TABLE0_0', k.Int(0, 99)), b.local("ßTABLE0_0", k.Int(0, 99))
    table = b.table(*range(30, 42))
    x, aft = b.local("x", k.Int(0, 5)), b.hole()
    do, end = b.hole(), b.hole()
    arms = [
        b.arm("TABLE0_0", aft, b.param("x", x, b.domain(*"abcdef"))),
        b.arm("def", aft),
        b.arm("def_", end),
    ]
    b.block([], b.decide('"""\\', num(0), *arms), do, name='"""\\')
    use = op("min", op("add", op("add", b.get(q), b.get(r)), b.lookup(table, num(5))), num(99))
    code = [k.Assign(q, num(4)), k.Assign(r, b.lookup(table, num(3))), k.Store(b.n, use)]
    b.block(code, k.Split(op("lt", b.load(b.n), num(70)), end, do), aft)
    b.block([], k.End("tie"), end, name="end")
    program = b.program(do, b.var("result", k.Int(0, 0), (0, 0)))
    same(program)
    compile(whole(program), "module", "exec")


@pytest.mark.parametrize("make", [nim, pig])
def test_a_written_module_leads_from_stop_to_stop(make: Callable[[], k.Program]) -> None:
    names: dict[str, Callable[..., object]] = {}
    exec(whole(make()), names)
    state, stop, random = Game(make(), reader="interpreter").initial(), names["start"](), Random(5)
    while True:
        choices = tuple((each.arm, each.values, each.weight) for each in state.choices)
        assert stop == (state.block, state.vars, state.locals, state.player, choices)
        if state.is_end:
            return
        chosen = random.randrange(len(choices))
        state, stop = state.follow(chosen), names["follow"](stop, stop[4][chosen])  # type: ignore[index]


def test_an_interruption_leaves_nothing_half_written() -> None:
    program = pig()
    reference, generated = Machine(program), GeneratedMachine(program)
    stop: Stop | None = None
    for _ in range(6):
        interrupted = patch("kemu_engine.run.python.loader.run", side_effect=KeyboardInterrupt)
        with interrupted, suppress(KeyboardInterrupt):
            came(generated, stop, -1)
        after = came(reference, stop, -1)
        assert after == came(generated, stop, -1) == came(GeneratedMachine(program), stop, -1)
        assert isinstance(after, Stop) and generated.by_python
        stop = after


def test_a_part_too_deep_for_python_does_not_spoil_the_next_game() -> None:
    program = nim()
    first, second = GeneratedMachine(program), GeneratedMachine(program)
    with patch.object(Stepper, "_compiled", side_effect=RecursionError):
        assert first.begin() == Machine(program).begin() and not first.by_python
    assert second.begin() == Machine(program).begin() and second.by_python


def test_threads_play_the_same_game() -> None:
    program, found = pig(), []

    def play() -> None:
        stop, machine, path = None, GeneratedMachine(program), []
        for _ in range(30):
            stop = machine.begin() if stop is None else machine.follow(stop, stop.choices[-1])
            path.append(stop)
            if not stop.choices:
                break
        found.append(path)

    threads = [Thread(target=play) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 and all(path == found[0] for path in found)


class Rounds(Builder):
    """A number is rolled once; then there are rounds of an action, each with `code`, and odd and even ones
    with their own; play ends after six."""

    def __init__(self) -> None:
        super().__init__()
        self.n = self.var("n", k.Int(-1, 5), -1)
        self.round = self.var("round", k.Int(0, 9), 0)
        self.told = self.var("told", k.Int(0, 999), 0)
        self.die = self.local("die", k.Int(0, 5))

    def tell(self, value: k.Expr) -> k.Store:
        return k.Store(
            self.told, op("mod", op("add", op("mul", self.load(self.told), num(7)), value), num(997))
        )

    def rounds(self, code: list[k.Stmt], odd: list[k.Stmt], even: list[k.Stmt]) -> k.Program:
        roll, rolled, choose, act, parted, one, two, both, end = (self.hole() for _ in range(9))
        self.block([], self.chance("roll", self.die, self.domain(*"123456"), rolled), roll, name="roll")
        self.block([k.Store(self.n, self.get(self.die))], k.Goto(choose), rolled)
        self.block([], self.decide("go", num(0), self.arm("go", act), self.arm("on", one)), choose, name="go")
        self.block(code, k.Goto(parted), act)
        more = k.Store(self.round, op("min", op("add", self.load(self.round), num(1)), num(9)))
        odds = op("eq", op("mod", self.load(self.round), num(2)), num(1))
        self.block([more], k.Split(odds, one, two), parted)
        self.block(odd, k.Goto(both), one)
        self.block([*even, self.tell(self.load(self.n))], k.Goto(both), two)
        self.block([more], k.Split(op("le", num(6), self.load(self.round)), end, choose), both)
        self.block([], k.End("tie"), end, name="end")
        return self.program(roll, self.var("result", k.Int(0, 999), (0, 0)))


def test_a_name_may_stand_for_what_faults_before_it_is_given() -> None:
    """What does not change in play is worked out ahead, but no fault comes before its time."""
    b = Builder()
    few, n = b.var("few", k.Int(0, 9), 0), b.var("n", k.Int(-99, 99), 0)
    missing, x = b.fault("missing_value"), b.local("x", k.Int(0, 1))
    choose, act, end = (b.hole() for _ in range(3))
    some = k.Need(k.Int(0, 9), op("lt", num(3), b.load(few)), b.load(few), missing)
    start = b.block([k.Store(n, num(1))], k.Goto(choose))
    one = b.arm("one", act, b.param("x", x, b.domain("a", "b"), every(2)))
    b.block([], b.decide("do", num(0), one), choose, name="do")
    again = op("add", op("mod", b.load(n), num(7)), op("mod", some, num(5)))
    code = [k.Store(n, op("mod", op("add", b.load(n), some), num(50))), k.Store(n, again)]
    b.block(code, k.Split(op("lt", b.load(n), num(3)), choose, end), act)
    b.block([], k.End("rank"), end, name="end")
    program = b.program(start, b.var("result", k.Int(-99, 99), (0, 0)))
    assert problems(program) == []
    compare(program, Random(1), 1, 4)
    compare_playouts(program, 1, 1, 4)


def looked_up(b: Rounds, needed: bool) -> k.Expr:
    """What a table has at n, or, as it may be -1 for all that is known, at n if it is some."""
    table = b.table(5, 3, 8, 1, 9, 2)
    return b.lookup(table, b.fit(b.load(b.n), 0, 5) if needed else op("max", b.load(b.n), num(0)))


def only_looked_up(b: Rounds) -> tuple[list[k.Stmt], list[k.Stmt], list[k.Stmt]]:
    return [b.tell(looked_up(b, False))], [b.tell(looked_up(b, True))], []


def known_in_one_round(b: Rounds) -> tuple[list[k.Stmt], list[k.Stmt], list[k.Stmt]]:
    """What a test says of n holds behind it only."""
    three = op("eq", b.load(b.n), num(3))
    inside = k.When(three, (b.tell(num(50)),), (k.Check(three, b.fault("assertion")),))
    return [b.tell(looked_up(b, False))], [], [k.When(op("le", num(4), b.load(b.n)), (inside,), ())]


def tried_only(b: Rounds) -> tuple[list[k.Stmt], list[k.Stmt], list[k.Stmt]]:
    trial = k.Trial(k.BOOL, (k.Store(b.n, num(2)),), op("eq", looked_up(b, False), num(8)))
    return [b.tell(looked_up(b, False))], [k.When(trial, (b.tell(num(11)),), ())], []


def set_late(b: Rounds) -> tuple[list[k.Stmt], list[k.Stmt], list[k.Stmt]]:
    late = k.When(op("eq", b.load(b.round), num(3)), (k.Store(b.n, num(1)),), ())
    return [b.tell(looked_up(b, False)), late], [b.tell(looked_up(b, False))], []


@pytest.mark.parametrize(
    ("make", "between"),
    [(only_looked_up, True), (known_in_one_round, True), (tried_only, False), (set_late, False)],
)
def test_what_is_set_before_the_first_round_and_never_again(
    make: Callable[[Rounds], tuple[list[k.Stmt], ...]], between: bool
) -> None:
    """What depends on that alone is worked out between, if it is sure to have a value there."""
    b = Rounds()
    code, odd, even = make(b)
    program = b.rounds(code, odd, even)
    assert problems(program) == []
    lines = fast(program).splitlines()
    loop = lines.index("        while True:")
    assert any("[n if n > 0 else 0]" in line for line in lines[:loop]) == between
    compare_playouts(program, 1, 60, 40)
