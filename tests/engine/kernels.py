"""Random kernel programs: every node, well typed, some of which fault."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.build import times
from kemu_engine.kernel.snapshots import EMPTY
from kemu_engine.kernel.walk import within

from tests.engine.build import YES, Builder, every, num, op, subset

SIZE = 6
"""Elements of every domain."""

PLAIN = ["store", "put", "level", "fill", "assign", "flag", "open", "hand", "deal", "some", "few", "many"]
"""Kinds of statements that hold no others."""


def modulo(value: k.Expr, divisor: int) -> k.Op:
    """In 0..divisor-1."""
    return k.Op(k.Int(0, divisor - 1), "mod", (value, num(divisor)))


AGAIN = 0.3
"""How often an expression is one that was made before."""


def free_in(expr: k.Expr) -> set[int]:
    """The locals that an expression reads and does not bind (no local is bound twice)."""
    bound = {part.binder for part in within(expr) if isinstance(part, k.Fold | k.Closure)}
    bound |= {part.local for part in within(expr) if isinstance(part, k.Let)}
    return {part.id for part in within(expr) if isinstance(part, k.Local)} - bound


class Maker:
    """Makes one program of a decision that comes again and again, code behind it, and an end. `histories`:
    it also notes what has been."""

    def __init__(self, random: Random, histories: bool = False) -> None:
        self.random = random
        self.b = b = Builder("at random")
        self.number = b.var("number", k.Int(-4, 9), 1)
        self.flag = b.var("flag", k.BOOL, 0)
        self.some = b.var("some", k.Set(SIZE), 0b100110 % (1 << SIZE))
        self.owner = b.var("owner", k.Int(-1, 1), tuple(random.choices((-1, 0, 1), k=SIZE)))
        self.level = b.var("level", k.Int(0, 9), tuple(random.choices(range(10), k=2 * SIZE)))
        self.open = b.var("open", k.BOOL, tuple(random.choices((0, 1), k=SIZE)))
        self.hand = b.var("hand", k.Int(-1, 2), tuple(random.choices((-1, 0, 1, 2), k=2 * SIZE)))
        self.few = b.var("few", k.Set(3), 0b101)
        self.many = b.var("many", k.Set(2 * SIZE), 0b110010101011 % (1 << 2 * SIZE))
        self.result = b.var("result", k.Int(-4, 9), (0, 0))
        kept = ((self.flag, self.few), (self.owner, self.flag), (self.open, self.number, self.some))
        self.histories = (
            [b.var(f"seen{at}", k.History(vars), EMPTY) for at, vars in enumerate(kept)] if histories else []
        )
        self.rows = b.table(*(random.randrange(1 << SIZE) for _ in range(SIZE)))
        self.low_rows = b.table(*(random.randrange(8) for _ in range(2 * SIZE)))
        self.kinds = b.table(*random.choices(range(3), k=2 * SIZE))
        self.next = b.table(*random.sample(range(SIZE), SIZE))
        self.p, self.q = b.local("p", k.Int(0, SIZE - 1)), b.local("q", k.Int(-9, 99))
        self.r = b.local("r", k.Int(2, 5))  # not set at first
        self.domain = b.domain(*"abcdef"[:SIZE])
        self.binders: list[int] = []
        self.made: dict[str, list[tuple[k.Expr, set[int]]]] = {"int": [], "bool": [], "set": []}
        x = b.local("x", k.Int(-99, 999))
        low = k.When(op("lt", b.get(x), num(2)), (k.Return(b.load(self.number)),))
        self.weigh = b.function("weigh", [x], k.Int(-99, 999), low, k.Return(b.get(x)))
        self.faults = [b.fault(code) for code in ("division", "bad_index", "empty_min")]
        z = b.local("z", k.Int(-99, 999))
        odd = op("mod", op("add", b.get(z), b.load(self.number)), num(7))
        odd_one = k.Check(op("ne", odd, num(0)), self.faults[0])
        self.dare = b.function("dare", [z], k.Int(-99, 999), odd_one, k.Return(b.get(z)))
        self.seek = self.seeking()
        self.owns = b.function("owns", [y := b.local("y", k.Int(0, SIZE - 1))], k.BOOL,
            k.Return(op("eq", b.at(self.owner, b.get(y)), num(0))))  # fmt: skip

    def seeking(self) -> int:
        """A function with loops in loops, left in every way."""
        b = self.b
        x, i, j = (b.local(name, k.Int(0, SIZE - 1)) for name in "xij")
        far = op("lt", b.get(x), op("add", b.get(i), b.get(j)))
        taken = op("eq", b.at(self.owner, b.get(j)), num(1))
        here = op("eq", b.at(self.hand, op("add", b.get(i), b.get(j))), num(2))
        out = k.When(here, (k.Continue(),), (k.Break(),))
        laps = k.Loop(2, (k.When(b.at(self.open, b.get(i)), (k.Break(),)), out), self.faults[1])
        inner = (
            k.When(taken, (k.Continue(),)),
            k.When(here, (k.Return(b.get(j)),)),
            laps,
            k.When(far, (k.Break(),)),
        )
        outer = k.For(i, b.load(self.some), (k.For(j, every(SIZE), inner),))
        last = k.Return(op("sub", num(-1), b.get(i)))
        return b.function("seek", [x], k.Int(-SIZE, SIZE), k.Assign(i, num(2)), outer, last)

    def pick(self, *ways: Callable[[], k.Expr]) -> k.Expr:
        return self.random.choice(ways)()

    # expressions

    def index(self, depth: int) -> k.Expr:
        """A number in 0..SIZE-1."""
        b = self.b
        ways = [
            lambda: b.get(self.random.choice([self.p, *self.binders, *self.binders])),
            lambda: num(self.random.randrange(SIZE)),
        ]
        if depth:
            ways.append(lambda: modulo(self.int(depth - 1), SIZE))
            ways.append(lambda: b.lookup(self.next, self.index(depth - 1)))
        return self.pick(*ways)

    def again(self, kind: str, depth: int, make: Callable[[int], k.Expr]) -> k.Expr:
        """An expression of a kind; now and then one that was made before, if it means something here."""
        if self.random.random() < AGAIN:
            there = {self.p, self.q, *self.binders}
            known = [expr for expr, free in self.made[kind] if free <= there]
            if known:
                return self.random.choice(known[-12:])
        expr = make(depth)
        if depth > 0 and not any(isinstance(part, k.Trial) for part in within(expr)):
            self.made[kind].append((expr, free_in(expr)))
        return expr

    def int(self, depth: int) -> k.Expr:
        return self.again("int", depth, self.new_int)

    def bool(self, depth: int) -> k.Expr:
        return self.again("bool", depth, self.new_bool)

    def set(self, depth: int) -> k.Expr:
        return self.again("set", depth, self.new_set)

    def new_int(self, depth: int) -> k.Expr:
        b, d = self.b, depth - 1
        if self.histories and self.random.random() < 0.15:
            return times(self.random.choice(self.histories))
        if depth <= 0:
            return self.pick(
                lambda: num(self.random.randint(-2, 4)),
                lambda: b.load(self.number),
                lambda: b.at(self.owner, self.index(0)),
                lambda: b.at(self.hand, self.two(0)),
                lambda: b.lookup(self.kinds, self.index(0)),
                lambda: b.get(self.q),
                lambda: self.index(0),
            )
        return self.pick(
            lambda: op(self.random.choice(["add", "sub", "min", "max"]), self.int(d), self.int(d)),
            lambda: op("mul", self.int(d), num(self.random.choice([-2, 1, 3]))),
            lambda: op(self.random.choice(["div", "mod"]), self.int(d), num(self.random.choice([-3, 2, 5]))),
            lambda: op(self.random.choice(["neg", "abs"]), self.int(d)),
            lambda: op("card", self.set(d)),
            lambda: self.either(self.bool(d), self.int(d), self.int(d)),
            lambda: b.at(self.level, op("add", op("mul", num(SIZE), self.bit(d)), self.index(d))),
            lambda: self.fold(self.random.choice(["count", "first"]), d, self.bool),
            lambda: self.fold("sum", d, self.small),
            lambda: self.least(d),
            lambda: self.let(d),
            lambda: self.need(d),
            lambda: self.number_after(d),
            lambda: k.Call(k.Int(-99, 999), self.weigh, (self.clamped(d),)),
            lambda: k.Call(k.Int(-SIZE, SIZE), self.seek, (self.index(d),)),
            lambda: k.Call(k.Int(-99, 999), self.dare, (self.clamped(d),)),
            lambda: self.int(0),
        )

    def two(self, depth: int) -> k.Expr:
        """A number in 0..2 * SIZE - 1."""
        far = op("mul", num(SIZE), self.bit(depth))
        return self.pick(lambda: self.index(0), lambda: op("add", far, self.index(0)))

    def bit(self, depth: int) -> k.Expr:
        return self.pick(lambda: num(0), lambda: num(1), lambda: modulo(self.int(depth), 2))

    def small(self, depth: int) -> k.Expr:
        return modulo(self.int(depth), 7)

    def clamped(self, depth: int) -> k.Expr:
        return modulo(self.int(depth), 50)

    def either(self, test: k.Expr, then: k.Expr, other: k.Expr) -> k.Expr:
        assert isinstance(then.type, k.Int) and isinstance(other.type, k.Int)
        low, high = min(then.type.low, other.type.low), max(then.type.high, other.type.high)
        return k.If(k.Int(low, high), test, then, other)

    def new_bool(self, depth: int) -> k.Expr:
        b, d = self.b, depth - 1
        if depth <= 0:
            return self.pick(
                lambda: b.load(self.flag),
                lambda: b.at(self.open, self.index(0)),
                lambda: op("in", self.int(0), self.set(0)),
                lambda: op("eq", b.at(self.owner, self.index(0)), self.bit(0)),
                lambda: op("eq", b.at(self.hand, self.two(0)), b.at(self.owner, self.index(0))),
                lambda: op("le", b.at(self.hand, self.two(0)), self.bit(0)),
                lambda: op("in", self.index(0), op("diff", every(3), b.load(self.few))),
                lambda: op("in", self.two(0), b.load(self.many)),
                lambda: op("ne", b.load(self.few), subset(3)),
                lambda: op("subset", k.Lookup(k.Set(SIZE), self.low_rows, self.two(0)), self.set(0)),
                lambda: op("lt", b.lookup(self.kinds, self.index(0)), num(2)),
            )
        return self.pick(
            lambda: op(self.random.choice(["eq", "ne", "lt", "le"]), self.int(d), self.int(d)),
            lambda: op(self.random.choice(["eq", "ne"]), self.set(d), self.set(d)),
            lambda: op("subset", self.set(d), self.set(d)),
            lambda: self.meets(d),
            lambda: op("in", self.int(d), self.set(d)),
            lambda: op(self.random.choice(["and", "or"]), self.bool(d), self.bool(d), self.bool(0)),
            lambda: op("not", self.bool(d)),
            lambda: self.fold(self.random.choice(["any", "all"]), d, self.bool),
            lambda: k.If(k.BOOL, self.bool(d), self.bool(d), self.bool(d)),
            lambda: k.Call(k.BOOL, self.owns, (self.index(d),)),
            lambda: self.trial(d),
            lambda: self.bool(0),
        )

    def new_set(self, depth: int) -> k.Expr:
        b, d = self.b, depth - 1
        if depth <= 0:
            return self.pick(
                lambda: b.load(self.some),
                lambda: k.Lookup(k.Set(SIZE), self.rows, self.index(0)),
                lambda: subset(SIZE, *self.random.sample(range(SIZE), 3)),
                lambda: every(SIZE),
            )
        return self.pick(
            lambda: op(self.random.choice(["union", "inter", "diff"]), self.set(d), self.set(d)),
            lambda: k.Op(k.Set(SIZE), "single", (self.index(d),)),
            lambda: self.fold("set", d, self.index),
            lambda: self.closure(d),
            lambda: k.If(k.Set(SIZE), self.bool(d), self.set(d), self.set(d)),
            lambda: self.set(0),
        )

    def binder(self) -> int:
        return self.b.local(f"i{len(self.b.locals)}", k.Int(0, SIZE - 1))

    def fold(self, name: str, depth: int, body: Callable[[int], k.Expr]) -> k.Expr:
        over, binder = self.set(self.random.randint(0, max(depth, 0))), self.binder()
        self.binders.append(binder)
        where = self.bool(depth) if self.random.random() < 0.5 else YES
        fold = self.b.fold(name, over, body(depth), binder, where)
        self.binders.pop()
        return fold

    def least(self, depth: int) -> k.Expr:
        fold = self.fold(self.random.choice(["min", "max"]), depth, self.small)
        assert isinstance(fold, k.Fold)
        there = k.Fold(k.BOOL, "any", fold.binder, fold.over, fold.where, YES)
        return self.either(there, fold, num(-1))

    def let(self, depth: int) -> k.Expr:
        value = self.index(depth)
        binder = self.binder()
        self.binders.append(binder)
        body = self.int(depth)
        self.binders.pop()
        return k.Let(body.type, binder, value, body)

    def need(self, depth: int) -> k.Expr:
        value = self.int(depth)
        return k.Need(value.type, self.bool(depth), value, self.b.fault("missing_value"))

    def meets(self, depth: int) -> k.Expr:
        """Whether a closure and a set have an element in common."""
        both = [self.closure(depth), self.set(depth)]
        self.random.shuffle(both)
        return op(self.random.choice(["eq", "ne"]), op("inter", *both), subset(SIZE))

    def closure(self, depth: int) -> k.Expr:
        seed, binder = self.set(depth), self.binder()
        self.binders.append(binder)
        step = self.set(depth)
        self.binders.pop()
        return k.Closure(k.Set(SIZE), seed, binder, step)

    def trial(self, depth: int) -> k.Expr:
        return k.Trial(k.BOOL, self.code(depth, 2), self.bool(depth))

    def number_after(self, depth: int) -> k.Expr:
        code, value = self.code(depth, 2), self.int(depth)
        return k.Trial(value.type, code, value)

    # statements

    def code(self, depth: int, length: int) -> k.Code:
        return tuple(self.statement(depth) for _ in range(self.random.randint(1, length)))

    def statement(self, depth: int) -> k.Stmt:
        b, d = self.b, depth - 1
        if self.histories and self.random.random() < 0.2:
            note = k.Note if self.random.random() < 0.8 else k.Forget
            return note(self.random.choice(self.histories))
        kind = self.random.choice([*PLAIN, "due"])
        if depth > 0 and self.random.random() < 0.5:
            kind = self.random.choice(["when", "for", "owners", "last", "loop", "check"])
        match kind:
            case "store":
                value = modulo(op("add", self.int(depth), b.load(self.number)), 20)
                return k.Store(self.number, b.fit(op("sub", value, num(6)), -4, 9))
            case "put":
                return k.Put(self.owner, self.index(depth), op("sub", self.bit(depth), self.bit(0)))
            case "level":
                return k.Put(self.level, self.index(depth), self.small(depth))
            case "fill":
                binder = self.binder()
                self.binders.append(binder)
                value = self.small(depth)
                self.binders.pop()
                if self.random.random() < 0.5:
                    return k.Fill(self.open, binder, op("lt", value, num(3)))
                wide = b.local("wide", k.Int(0, 2 * SIZE - 1))
                return k.Fill(self.level, wide, op("min", b.at(self.level, b.get(wide)), self.small(0)))
            case "assign":
                return k.Assign(self.q, modulo(self.int(depth), 90))
            case "flag":
                return k.Store(self.flag, self.bool(depth))
            case "open":
                return k.Put(self.open, self.index(depth), self.bool(depth))
            case "hand":
                value = op("sub", op("add", self.bit(d), self.bit(d)), self.bit(0))
                return k.Put(self.hand, self.two(depth), value)
            case "deal":
                binder = b.local("deal", k.Int(0, 2 * SIZE - 1))
                place = modulo(op("add", op("mul", b.get(binder), num(5)), self.index(0)), 2 * SIZE)
                return k.Fill(self.hand, binder, b.at(self.hand, place))
            case "few":
                i = b.local("few", k.Int(0, 2))
                return k.Store(
                    self.few, b.fold("set", every(3), b.get(i), i, op("in", b.get(i), self.set(d)))
                )
            case "many":
                one, other = (k.Op(k.Set(2 * SIZE), "single", (self.two(depth),)) for depth in (d, 0))
                return k.Store(self.many, op("union", one, op("diff", b.load(self.many), other)))
            case "due":  # set in some runs only, and read in these only
                go = b.load(self.flag)
                some = k.Assign(self.r, op("add", num(2), modulo(self.int(0), 4)))
                use = op("div", self.int(d), b.get(self.r))
                loop = self.each(
                    0,
                    lambda binder: (
                        k.When(go, (k.Assign(self.q, modulo(op("add", use, b.get(binder)), 90)),)),
                    ),
                )
                return k.When(YES, (k.When(go, (some,)), loop))
            case "some":
                return k.Store(self.some, self.set(depth))
            case "when":
                return k.When(
                    self.bool(d), self.code(d, 2), self.code(d, 2) if self.random.random() < 0.5 else ()
                )
            case "for":
                return self.each(d, lambda binder: self.code(d, 2))
            case "owners":  # a loop of the kind that narrows down to a mask
                return self.each(
                    d,
                    lambda binder: (k.When(self.bool(d), (k.Put(self.owner, b.get(binder), self.bit(0)),)),),
                )
            case "last":  # the last element is of use after the loop
                found = self.each(
                    0,
                    lambda binder: (k.When(self.bool(0), (k.Put(self.open, b.get(binder), self.bool(0)),)),),
                )
                assert isinstance(found, k.For)
                after = k.Put(self.owner, b.get(found.local), self.bit(0))
                return k.When(self.bool(0), (k.Assign(found.local, num(1)), found, after))
            case "loop":
                stop = k.When(self.bool(d), (k.Break(),))
                again = k.When(self.bool(d), (k.Continue(),)) if self.random.random() < 0.3 else stop
                return k.Loop(4, (stop, *self.code(d, 1), again), b.fault("overrun"))
            case _:
                return k.Check(self.bool(depth), b.fault("overfull"))

    def each(self, depth: int, body: Callable[[int], k.Code]) -> k.Stmt:
        over, binder = self.set(depth), self.binder()
        self.binders.append(binder)
        loop = k.For(binder, over, body(binder))
        self.binders.pop()
        return loop

    # programs

    def program(self, depth: int = 2, unset: bool = True) -> k.Program:
        """The program; `unset`: one of the locals that live at stops is not set at first."""
        b = self.b
        choose, chance, act, more, over = (b.hole() for _ in range(5))
        first = [k.Assign(self.p, num(0)), k.Assign(self.q, num(0))]
        start = b.block([*first, *([] if unset else [k.Assign(self.r, num(2))])], k.Goto(choose))
        over = b.block([], k.End("rank"), over, name="end")
        x, y = b.local("x", k.Int(0, SIZE - 1)), b.local("y", k.Int(0, SIZE - 1))
        self.binders = [x]
        one = b.param("x", x, self.domain, where=self.bool(depth))
        pairs = self.set(1)
        self.binders = [x, y]
        arms = [
            b.arm("one", act, one),
            b.arm("two", act, one, b.param("y", y, self.domain, pairs, self.bool(1)), legal=self.bool(1)),
        ]
        self.binders = []
        arms.append(b.arm("none", more, guard=self.bool(depth)))
        actor, live = modulo(b.load(self.number), 2), (self.p, self.q, self.r)
        b.block([], b.decide("do", actor, *arms, other=chance), choose, live=live, name="do")
        die = b.local("die", k.Int(0, SIZE - 1))
        self.binders = [die]
        weight = self.pick(lambda: num(2), lambda: self.small(1))
        self.binders = []
        b.block(
            [],
            b.chance("roll", die, self.domain, more, weight),
            chance,
            live=(self.p, self.q, self.r),
            name="roll",
        )
        b.block([k.Assign(self.p, b.get(x)), *self.code(depth, 3)], k.Split(self.bool(1), more, chance), act)
        last = [k.Put(self.result, num(0), b.load(self.number))]
        end = b.block(last, k.Goto(over))
        after = b.block(self.code(depth, 2), k.Split(self.bool(1), choose, end))
        b.block([], k.Split(self.bool(1), after, end), more)
        return b.program(start, self.result)
