"""Oracle: a naive evaluator of the syntax tree, for a part of the language, written from docs/language.md.

It walks the tree that the parser gives and knows nothing of programs, intervals or layouts. A position is
the history of actions and outcomes that led to it; whoever wants to look behind one replays it.

It knows: enums, ranges, grids, products, subsets and lists of them; all types, in each other; funs and rules
(with returned values and `inout`); all statements but `while`; `roll`, `draw`; `turns`; every kind of `end`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_types import Env, Named, Types
from tests.oracles.naive_values import (
    Bag,
    Domain,
    Fault,
    Member,
    Point,
    Record,
    elements,
    order,
    same,
    sorted_,
    text,
    things,
)

LAPS = 2_000  # of turns without a stop: more are a loop that never comes to one


@dataclass(frozen=True)
class Stop:
    """Where play waits. `choices`: text and weight (1 for an action) of all that can come next, in order."""

    kind: str  # "decision", "chance", "end"
    actor: str | None
    choices: tuple[tuple[str, int], ...]
    vars: dict[str, Any]
    places: dict[str, int] | None = None


class Ended(Exception):
    def __init__(self, keys: dict[Member, tuple[int, ...]]) -> None:
        self.keys = keys


class Returned(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class Leave(Exception):
    """`break`"""


class Next(Exception):
    """`continue`"""


class Required(Exception):
    """A trial has come to its `require`."""

    def __init__(self, holds: bool) -> None:
        self.holds = holds


class Naive(Types):
    """A game read from a syntax tree. `play(history)` says where it leads."""

    def __init__(self, module: t.Module) -> None:
        self.globals: Env = {}
        self.funs: dict[str, t.Fun | t.Rule] = {}
        self.records: dict[str, t.Record] = {}
        self.vars: Env = {}
        self.types: dict[str, t.Type] = {}
        self.trying = False
        self.declarations = module.declarations
        for d in module.declarations:
            match d:
                case t.Players(names=names):
                    self.players = [Member("Player", i, n) for i, n in enumerate(names)]
                    self._members("Player", self.players)
                case t.Enum(name=name, members=names):
                    self._members(name, [Member(name, i, n) for i, n in enumerate(names)])
                case t.Domain(name=name, value=None, fields=fields):
                    self.globals[name] = self.rows(fields)
                case t.Domain(name=name, value=value) if value is not None:
                    self.globals[name] = Domain.of(elements(self.eval(value, {})))
                case t.Record():
                    self.records[d.name] = d
                case t.Const(name=name, type=kind, value=value):
                    found = self.eval(value, {})
                    self.globals[name] = found if kind is None else self.fit(found, kind, {})
                case t.Fun() | t.Rule():
                    self.funs[d.name] = d
                case t.Rules():
                    self.rules = d

    def _members(self, name: str, members: list[Member]) -> None:
        self.globals[name] = Domain.of(members)
        self.globals |= {m.text: m for m in members}

    # ---------------------------------------------------------------------------------------- play

    def play(self, history: Sequence[str]) -> Stop:
        """Where a history leads. Raises Fault if the rules fault on the way (or at the stop)."""
        self.vars = {}
        for d in self.declarations:
            if isinstance(d, t.State):
                for v in d.variables:
                    self._declare(v)
        run = self.block(self.rules.body, {})
        stop = self._ahead(run, None)
        for done in history:
            assert done in dict(stop.choices), f"{done} is not possible: {stop}"
            stop = self._ahead(run, done)
        return stop

    def _ahead(self, run: Generator[Stop, str | None, None], done: str | None) -> Stop:
        try:
            return run.send(done)
        except Ended as end:
            places = {p.text: 1 + sum(k > key for k in end.keys.values()) for p, key in end.keys.items()}
            return Stop("end", None, (), dict(self.vars), places)

    def present(self, history: str) -> list[Any]:
        """The values that a history is of, as they are."""
        kind = self.types[history]
        assert isinstance(kind, t.HistoryType)
        plain = [name for name in self.vars if not isinstance(self.types[name], t.HistoryType)]
        values = [self.vars[name] for name in [each.id for each in kind.variables] or plain]
        return [{k: n for k, n in v.items() if n} if isinstance(v, Bag) else v for v in values]

    def _declare(self, v: t.StateVariable) -> None:
        if isinstance(v.type, t.HistoryType):
            self.types[v.name], self.vars[v.name] = v.type, []
            return
        if v.each is None:
            self.types[v.name] = v.type
            self.vars[v.name] = self.fit(
                self.eval(v.initial, {}) if v.initial is not None else self.empty(v.type), v.type, {}
            )
            return
        name, over = v.each
        keys = self.eval(over, {})
        assert isinstance(over, t.Name)
        self.types[v.name] = t.GenericType("map", (t.NamedType(over.id), v.type))
        given = {
            k: self.eval(v.initial, {name: k}) if v.initial is not None else self.empty(v.type) for k in keys
        }
        self.vars[v.name] = self.fit(given, self.types[v.name], {})

    # ---------------------------------------------------------------------------------------- expressions

    def eval(self, e: t.Expr, env: Env) -> Any:
        match e:
            case t.Number(value) | t.Truth(value):
                return value
            case t.Nothing():
                return None
            case t.Name(id):
                for scope in (env, self.vars, self.globals):
                    if id in scope:
                        return scope[id]
                if id in self.funs:
                    return self.call(id, [], env)
                raise NotImplementedError(id)
            case t.Field(value, name):
                return self.part(self.some(value, env), Named(name))
            case t.Index(value, index):
                return self.part(self.eval(value, env), self.eval(index, env))
            case t.Slice(value, low, high):
                held = self.some(value, env)
                ends = [None if x is None else self.some(x, env) for x in (low, high)]
                return held[slice(*ends)]
            case t.Call(t.Name(name), args, named):
                return self.call(name, args, env, dict(named))
            case t.Call(t.Field(value, name), args):
                return self.method(self.eval(value, env), name, [self.eval(x, env) for x in args])
            case t.Tuple(items):
                return Record(self.eval(x, env) for x in items)
            case t.ListOf(items):
                return tuple(self.eval(x, env) for x in items)
            case t.SetOf(items):
                return frozenset(self.some(x, env) for x in items)
            case t.MapOf(pairs):
                return self.mapped((self.eval(k, env), self.eval(v, env)) for k, v in pairs) or frozenset()
            case t.Comprehension():
                return self.comprehension(e, env)
            case t.Unary("not", operand):
                return not self.eval(operand, env)
            case t.Unary(op, operand):
                return (-1 if op == "-" else 1) * self.some(operand, env)
            case t.Binary("implies", left, right):
                return not self.eval(left, env) or self.eval(right, env)
            case t.Binary(op, left, right):
                return self.binary(op, self.some(left, env), self.some(right, env))
            case t.Compare(first, rest):
                return self.compare(first, rest, env)
            case t.Logic("and", items):
                return all(self.eval(x, env) for x in items)
            case t.Logic("or", items):
                return any(self.eval(x, env) for x in items)
            case t.Presence(value, some):
                return (self.eval(value, env) is not None) == some
            case t.Choice(test, then, other):
                return self.eval(then if self.eval(test, env) else other, env)
            case t.Range(low, high):
                return range(self.some(low, env), self.some(high, env) + 1)
        raise NotImplementedError(e)

    def some(self, e: t.Expr, env: Env) -> Any:
        """The value where one is needed: none is a fault."""
        value = self.eval(e, env)
        if value is None:
            raise Fault("no value")
        return value

    def mapped(self, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
        """A map that is only written: its keys in their order."""
        given = dict(pairs)
        return {k: given[k] for k in sorted_(given)}

    def method(self, held: Any, name: str, args: list[Any]) -> Any:
        match name:
            case "count":
                return sum(same(x, args[0]) for x in held)
            case "index":
                found = [i for i, x in enumerate(held) if same(x, args[0])]
                if not found:
                    raise Fault("not in the list")
                return found[0]
            case "find":
                inside = [k for k, x in held.items() if same(x, args[0])]
                return inside[0] if inside else None
        raise NotImplementedError(name)

    def binary(self, op: str, a: Any, b: Any) -> Any:
        if op in ("//", "%") and b == 0:
            raise Fault("division by nothing")
        if isinstance(a, range):
            a = frozenset(a)
        if isinstance(b, range):
            b = frozenset(b)
        do: dict[str, Callable[[Any, Any], Any]] = {
            "+": operator.add, "-": operator.sub, "*": operator.mul, "**": operator.pow,
            "//": operator.floordiv, "%": operator.mod, "|": operator.or_, "&": operator.and_,
        }  # fmt: skip
        return do[op](a, b)

    def compare(self, first: t.Expr, rest: tuple[tuple[str, t.Expr], ...], env: Env) -> bool:
        left = self.eval(first, env)
        for op, other in rest:
            right = self.eval(other, env)
            if op in ("==", "!="):
                holds = same(left, right) == (op == "==")
            elif op in ("in", "not in"):  # compares, so none is simply not in it
                holds = any(same(left, x) for x in elements(right)) == (op == "in")
            elif left is None or right is None:
                raise Fault("no value")
            elif isinstance(left, frozenset) or isinstance(right, frozenset):
                left, right = frozenset(left), frozenset(right)
                holds = getattr(operator, {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[op])(left, right)
            else:
                do = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[op]
                holds = do(left, right)
            if not holds:
                return False
            left = right
        return True

    def scopes(self, clauses: tuple[t.Clause, ...], env: Env) -> Iterator[Env]:
        """The bindings of a comprehension, in source order."""
        if not clauses:
            yield env
            return
        head, *rest = clauses
        for value in elements(self.eval(head.source, env)):
            inner = env | self.bind(head.targets, value)
            if all(self.eval(c, inner) for c in head.conditions):
                yield from self.scopes(tuple(rest), inner)

    def bind(self, targets: tuple[str, ...], value: Any) -> Env:
        return {targets[0]: value} if len(targets) == 1 else dict(zip(targets, value, strict=True))

    def comprehension(self, e: t.Comprehension, env: Env) -> Any:
        if e.kind == "map":
            assert e.key is not None
            scopes = self.scopes(e.clauses, env)
            return self.mapped((self.eval(e.key, x), self.eval(e.element, x)) for x in scopes)
        found = (self.eval(e.element, x) for x in self.scopes(e.clauses, env))
        return frozenset(found) if e.kind == "set" else tuple(found)

    # ---------------------------------------------------------------------------------------- calls

    def call(
        self, name: str, args: Sequence[t.Expr], env: Env, named: dict[str, t.Expr] | None = None
    ) -> Any:
        if name in self.funs:
            run = self.enter(name, args, env)
            try:
                next(run)
            except StopIteration as done:
                return done.value
            raise AssertionError("a fun never stops")
        if name in self.records:
            return self.record(self.records[name], args, named or {}, env)
        # lazy: what follows is not looked at
        if name in ("any", "all") and isinstance(args[0], t.Comprehension):
            scopes = self.scopes(args[0].clauses, env)
            return {"any": any, "all": all}[name](self.eval(args[0].element, x) for x in scopes)
        if name == "turns":
            return Turns(self.players, self.some(named["from"], env) if named else self.players[0])
        if name == "times" and isinstance(args[0], t.Name):
            return min(self.vars[args[0].id].count(self.present(args[0].id)), 255)
        values = [self.some(x, env) for x in args]
        many = (
            elements(values[0])
            if len(values) == 1 and not isinstance(values[0], int | Member | Point)
            else values
        )
        if name in ("len", "sum"):
            many = things(values[0])
        match name:
            case "len":
                return len(many)
            case "sum":
                return sum(self.each_some(many))
            case "any" | "all":
                return {"any": any, "all": all}[name](many)
            case "min" | "max":
                if not many:
                    raise Fault("the least of nothing")
                return {"min": min, "max": max}[name](self.each_some(many), key=order)
            case "first":
                return many[0] if many else None
            case "only":
                if len(many) != 1:
                    raise Fault("not exactly one")
                return many[0]
            case "abs":
                return abs(values[0])
            case "sign":
                return (values[0] > 0) - (values[0] < 0)
            case "even" | "odd":
                return values[0] % 2 == (name == "odd")
            case "int":
                return int(values[0])
            case "set":
                return frozenset(many)
            case "list":
                return tuple(many)
            case "other" | "left" | "right":
                return self.players[(values[0].index + (-1 if name == "right" else 1)) % len(self.players)]
            case "others":
                n = len(self.players)
                return tuple(self.players[(values[0].index + i) % n] for i in range(1, n))
            case "bag":
                return self.bag(args, env)
            case "grid":
                return frozenset(Point((x, y)) for y in values[1] for x in values[0])
        raise NotImplementedError(name)

    def each_some(self, values: Iterable[Any]) -> list[Any]:
        values = list(values)
        if None in values:
            raise Fault("no value")
        return values

    def bag(self, args: Sequence[t.Expr], env: Env) -> Bag:
        held = elements(self.eval(args[0], env))
        if len(args) == 1:
            return Bag({x: list(held).count(x) for x in held})
        return Bag({x: self.eval(args[1], env) for x in held})

    def record(self, d: t.Record, args: Sequence[t.Expr], named: dict[str, t.Expr], env: Env) -> Record:
        given = [*args, *(named[n] for n, _ in d.fields[len(args) :])]
        parts = [self.eval(x, env) for x in given]
        made: Record = self.fit(Record(parts), t.NamedType(d.name), {})
        return made

    def enter(self, name: str, args: Sequence[t.Expr], caller: Env) -> Generator[Stop, str | None, Any]:
        """Runs a fun or a rule; the generator's value is what it returns."""
        found = self.funs[name]
        env: Env = {}
        for param, given in zip(found.params, args, strict=True):
            if param.inout:
                env["@" + param.name] = (caller, *self.place(given, caller))
        for param, given in zip(found.params, args, strict=True):
            value = self.eval(given, caller)
            env[param.name] = value if param.type is None else self.fit(value, param.type, env)
            if param.type is not None:
                env["#" + param.name] = param.type
        if not isinstance(found.body, tuple):
            return self.result(self.eval(found.body, env), found.result)
        try:
            yield from self.block(found.body, env)
        except Returned as returned:
            return self.result(returned.value, found.result)
        return None

    def result(self, value: Any, kind: t.Type | None) -> Any:
        return value if kind is None else self.fit(value, kind, {})

    # ---------------------------------------------------------------------------------------- statements

    def block(self, block: t.Block, env: Env) -> Generator[Stop, str | None, None]:
        """A name that gets its first value here is known until the end."""
        before = set(env)
        try:
            for statement in block:
                yield from self.do(statement, env)
        finally:
            for name in set(env) - before:
                del env[name]

    def do(self, s: t.Statement, env: Env) -> Generator[Stop, str | None, None]:
        match s:
            case t.Pass():
                pass
            case t.Note(t.Name(history)):
                self.vars[history] = [*self.vars[history], self.present(history)]
            case t.Forget(t.Name(history)):
                self.vars[history] = []
            case t.Assign(target, op, value, kind):
                found = yield from self.value(value, env, target)
                if op != "=":
                    name, steps = self.place(target, env)
                    old = self.needed(self.stands(name, steps, env))
                    self.write(name, steps, self.binary(op[0], old, self.needed(found)), env)
                elif kind is not None:
                    assert isinstance(target, t.Name)
                    env["#" + target.id] = kind
                    env[target.id] = self.fit(found, kind, env)
                else:
                    self.store(target, found, env)
            case t.Do(value):
                yield from self.value(value, env, None)
            case t.If(branches, other):
                for test, body in branches:
                    if self.eval(test, env):
                        yield from self.block(body, env)
                        return
                yield from self.block(other, env)
            case t.For(targets, source, (), body, order_of) if order_of is not None:
                yield from self.ordered(targets[0], elements(self.eval(source, env)), body, order_of, env)
            case t.Move(what, whole, source, target):
                self.move(None if what is None else self.some(what, env), whole, source, target, env)
            case t.For(targets, source, conditions, body):
                yield from self.loop(self.laps(targets, self.eval(source, env), conditions, env), body, env)
            case t.Repeat(bound, body):
                yield from self.loop(self.bounded(self.eval(bound, env)), body, env)
            case t.Break():
                raise Leave
            case t.Continue():
                raise Next
            case t.Return(value):
                if isinstance(value, t.Expr | None):
                    raise Returned(None if value is None else self.eval(value, env))
            case t.Require(condition):
                if self.trying:
                    raise Required(self.eval(condition, env))
            case t.End():
                raise Ended(self.keys(s, env))
            case t.Choose():
                yield from self.choose(s, env)
            case _:
                raise NotImplementedError(s)

    def loop(self, laps: Iterator[Env], body: t.Block, env: Env) -> Generator[Stop, str | None, None]:
        for bound in laps:
            env |= bound
            try:
                yield from self.block(body, env)
            except Leave:
                return
            except Next:
                continue

    def laps(
        self, targets: tuple[str, ...], source: Any, conditions: tuple[t.Expr, ...], env: Env
    ) -> Iterator[Env]:
        """The source is frozen; the conditions are tested as each lap comes."""
        silent = 0
        for value in source if isinstance(source, Turns) else elements(source):
            bound = self.bind(targets, value)
            if isinstance(source, Turns):
                silent = 0 if self.stopped else silent + 1
                self.stopped = False
                if silent > LAPS:
                    raise Fault("a loop without a stop")
                bound["#actor"] = value
            if all(self.eval(c, env | bound) for c in conditions):
                yield bound

    stopped = False

    def ordered(
        self, name: str, left: Sequence[Any], body: t.Block, by: t.Expr, env: Env
    ) -> Generator[Stop, str | None, None]:
        """A player chooses which comes next; the last one needs no asking."""
        left = list(left)
        while left:
            picked = left[0]
            if len(left) > 1:
                actor = self.some(by, env)
                legal = {f"next_{name}({text(x)})": x for x in left}
                self.stopped = True
                done = yield Stop("decision", actor.text, tuple((x, 1) for x in legal), dict(self.vars))
                assert done is not None
                picked = legal[done]
            left.remove(picked)
            env[name] = picked
            try:
                yield from self.block(body, env)
            except Leave:
                return
            except Next:
                continue

    def move(self, what: Any, whole: bool, source: t.Expr, target: t.Expr, env: Env) -> None:
        """A thing, or so many, or all of them, from zone to zone."""
        place, steps = self.place(source, env)
        boxed = isinstance(target, t.Name) and target.id == "box"
        other, there = ("box", []) if boxed else self.place(target, env)
        held = self.stands(place, steps, env)
        counters = isinstance(self.kind(place, steps, env), t.RangeType) and (
            boxed or isinstance(self.kind(other, there, env), t.RangeType)
        )
        if what is None:
            moved = (
                [(x, held[x]) for x in held] if isinstance(held, Bag) else [(x, 1) for x in elements_of(held)]
            )
            if counters:
                moved = [(None, held)]
        elif whole:
            moved = [(what, held.get(what, 0))]
        else:
            moved = [(None, what)] if counters else [(what, 1)]
        for thing, many in moved:
            if many < 0:
                raise Fault("fewer than none")
            self.write(place, steps, without(self.stands(place, steps, env), thing, many), env)
        for thing, many in moved if not boxed else []:
            self.write(other, there, with_(self.stands(other, there, env), thing, many), env)

    def bounded(self, bound: int) -> Iterator[Env]:
        for _ in range(bound):
            yield {}
        raise Fault("overrun")

    def needed(self, value: Any) -> Any:
        if value is None:
            raise Fault("no value")
        return value

    def place(self, target: t.Expr, env: Env) -> tuple[str, list[Any]]:
        """The variable that a place is part of, and the steps there."""
        match target:
            case t.Name(id):
                return id, []
            case t.Index(value, index):
                name, steps = self.place(value, env)
                return name, [*steps, self.eval(index, env)]
            case t.Field(value, field):
                name, steps = self.place(value, env)
                return name, [*steps, Named(field)]
        raise NotImplementedError(target)

    def stands(self, name: str, steps: Sequence[Any], env: Env) -> Any:
        """What stands at a place."""
        held = env[name] if name in env else self.vars[name]
        for step in steps:
            held = self.part(held, step)
        return held

    def kind(self, name: str, steps: Sequence[Any], env: Env) -> t.Type:
        """The type of a place."""
        found: t.Type = env.get("#" + name) or self.types[name]
        for step in steps:
            found = self.inside(found, step)
        return found

    def store(self, target: t.Expr, value: Any, env: Env) -> None:
        self.write(*self.place(target, env), value, env)

    def write(self, name: str, steps: Sequence[Any], value: Any, env: Env) -> None:
        if name not in env and name in self.vars:
            self.vars[name] = self.changed(self.vars[name], self.types[name], steps, value, env)
            return
        kind = env.get("#" + name)
        env[name] = value if kind is None else self.changed(env.get(name), kind, steps, value, env)
        if "@" + name in env:  # it stands for a place of the caller's
            caller, root, before = env["@" + name]
            self.write(root, [*before, *steps], value, caller)

    def value(self, value: t.Value, env: Env, target: t.Expr | None) -> Generator[Stop, str | None, Any]:
        """The value of a right-hand side: an expression, a rule call, or what chance brings."""
        match value:
            case t.Roll(faces, None):
                found = elements(self.eval(faces, env))
                return (yield from self.chance([(text(x), 1, x) for x in found]))
            case t.Roll(faces, count):  # one die after another
                dice = []
                for _ in range(self.eval(count, env)):
                    dice.append((yield from self.value(t.Roll(faces), env, None)))  # noqa: PERF401
                return Record(dice)
            case t.Draw(source, condition):
                pile, steps = self.place(source, env)
                bag = self.stands(pile, steps, env)
                name = target.id if isinstance(target, t.Name) else "it"
                likely = [
                    (text(x), bag[x] if isinstance(bag, Bag) else 1, x)
                    for x in elements(bag)
                    if condition is None or self.eval(condition, env | {name: x})
                ]
                if not likely:
                    raise Fault("nothing to draw from")
                drawn = yield from self.chance(likely)
                self.write(pile, steps, without(self.stands(pile, steps, env), drawn, 1), env)
                return drawn
            case t.Call(t.Name(name), args) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, args, env))
            case t.Name(name) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, [], env))
        assert not isinstance(value, t.Roll | t.Draw)
        return self.eval(value, env)

    def chance(self, likely: list[tuple[str, int, Any]]) -> Generator[Stop, str | None, Any]:
        self.stopped = True
        done = yield Stop("chance", None, tuple((x, weight) for x, weight, _ in likely), dict(self.vars))
        return next(value for x, _, value in likely if x == done)

    def keys(self, s: t.End, env: Env) -> dict[Member, tuple[int, ...]]:
        """What the players are ranked by at an end."""
        match s.kind, s.value:
            case "tie", _:
                return dict.fromkeys(self.players, (0,))
            case "win", winner:
                assert winner is not None
                found = self.some(winner, env)
                return {p: (int(p == found),) for p in self.players}
            case "pays", amounts:
                assert amounts is not None
                return {p: (n,) for p, n in self.eval(amounts, env).items()}
        assert s.value is not None
        items = s.value.items if isinstance(s.value, t.Tuple) else (s.value,)
        return {p: tuple(int(self.key(x, p, env)) for x in items) for p in self.players}

    def key(self, e: t.Expr, p: Member, env: Env) -> Any:
        if isinstance(e, t.Name) and e.id in self.funs:
            return self.call(e.id, [t.Name("p")], {"p": p})
        if isinstance(e, t.Name) and e.id in self.vars:
            return self.part(self.vars[e.id], p)
        return self.eval(e, env | {"p": p})

    # ---------------------------------------------------------------------------------------- decisions

    def choose(self, s: t.Choose, env: Env) -> Generator[Stop, str | None, None]:
        actor = env.get("#actor") if s.actor is None else self.eval(s.actor, env)
        if actor is None:
            raise Fault("nobody chooses")
        legal: dict[str, tuple[t.Arm | None, Env]] = {}
        for arm in s.arms:
            for bound in self.actions(arm, env):
                args = ", ".join(text(bound[p.name]) for p in arm.params)
                legal[f"{arm.name}({args})" if args else arm.name] = (arm, bound)
        if s.optional:
            legal["pass"] = (None, {})
        if not legal:
            if s.other is None:
                raise Fault("nothing is legal")
            yield from self.block(s.other, env)
            return
        self.stopped = True
        done = yield Stop("decision", actor.text, tuple((x, 1) for x in legal), dict(self.vars))
        assert done is not None
        arm_done, bound = legal[done]
        env |= bound
        if arm_done is not None and arm_done.body is not None:
            yield from self.block(arm_done.body, env)

    def actions(self, arm: t.Arm, env: Env) -> Iterator[Env]:
        """The legal bindings of an arm's parameters, the last fastest. Each condition is tested as soon as
        the
        parameters that it mentions are bound."""
        names = [p.name for p in arm.params]
        levels: list[list[t.Expr]] = [[] for _ in range(len(names) + 1)]
        for condition in conjuncts(arm.condition):
            mentioned = names_in(condition)
            levels[max([names.index(n) + 1 for n in names if n in mentioned], default=0)].append(condition)

        def extend(depth: int, bound: Env) -> Iterator[Env]:
            if not all(self.eval(c, env | bound) for c in levels[depth]):
                return
            if depth == len(names):
                if self.allowed(arm, env | bound):
                    yield bound
                return
            for value in elements(self.eval(arm.params[depth].source, env | bound)):
                yield from extend(depth + 1, bound | {names[depth]: value})

        yield from extend(0, {})

    def allowed(self, arm: t.Arm, env: Env) -> bool:
        """Whether what the arm requires holds after it: tried out, then taken back."""
        if arm.body is None or not any(isinstance(s, t.Require) for s in arm.body):
            return True
        kept, self.trying, stopped = dict(self.vars), True, self.stopped
        try:
            next(self.block(arm.body, dict(env)))
        except Required as required:
            return required.holds
        except (StopIteration, Ended):
            return True
        finally:
            self.vars, self.trying, self.stopped = kept, False, stopped
        return True


class Turns:
    """The players in order of their seats, again and again."""

    def __init__(self, players: list[Member], first: Member) -> None:
        self.players, self.first = players, first

    def __iter__(self) -> Iterator[Member]:
        at = self.first.index
        while True:
            yield self.players[at % len(self.players)]
            at += 1


def elements_of(zone: Any) -> Sequence[Any]:
    """The things in a zone; an option holds one at most."""
    if isinstance(zone, frozenset | tuple) and not isinstance(zone, Member | Record):
        return elements(zone)
    return () if zone is None else (zone,)


def without(zone: Any, thing: Any, many: int) -> Any:
    """A zone that so many of a thing have left."""
    match zone:
        case Bag():
            if zone.get(thing, 0) < many:
                raise Fault("not there")
            return zone | {thing: zone.get(thing, 0) - many}
        case frozenset() if thing in zone:
            return zone - {thing}
        case int() if not isinstance(zone, bool) and thing is None:
            return zone - many
        case tuple() if not isinstance(zone, Member | Record):
            at = next((i for i, x in enumerate(zone) if same(x, thing)), None)
            if at is not None:
                return (*zone[:at], *zone[at + 1 :])
        case _ if zone is not None and same(zone, thing):
            return None
    raise Fault("not there")


def with_(zone: Any, thing: Any, many: int) -> Any:
    """A zone that so many of a thing have entered."""
    match zone:
        case Bag():
            return zone | {thing: zone.get(thing, 0) + many}
        case frozenset():
            return zone | {thing}
        case int() if not isinstance(zone, bool) and thing is None:
            return zone + many
        case tuple() if not isinstance(zone, Member | Record):
            return (*zone, *[thing] * many)
        case _ if many == 0:
            return zone
        case None if many == 1:
            return thing
    raise Fault("the place is taken")


def conjuncts(e: t.Expr | None) -> tuple[t.Expr, ...]:
    if e is None:
        return ()
    return e.items if isinstance(e, t.Logic) and e.op == "and" else (e,)


def names_in(node: Any) -> set[str]:
    """All names that a piece of the tree mentions."""
    if isinstance(node, t.Name):
        return {node.id}
    if isinstance(node, tuple):
        return set().union(*map(names_in, node)) if node else set()
    if isinstance(node, t.Node):
        return set().union(*(names_in(getattr(node, f)) for f in node.__dataclass_fields__ if f != "span"))
    return set()
