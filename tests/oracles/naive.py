"""Oracle: a naive evaluator of the syntax tree, for a part of the language, written from docs/language.md.

It walks the tree that the parser gives and knows nothing of programs, intervals or layouts. A position is
the history of actions and outcomes that led to it; whoever wants to look behind one replays it. Values:
integers, truths and `None` (the language's `none`), elements of enums, of Player and of grids, frozensets,
dictionaries (maps and bags) that nobody changes once made, tuples (lists).

It knows: enums, ranges, grids and subsets of them; options, sets, maps, bags, lists; funs and rules (with
returned values); all statements but `while`; `roll`, `draw`; `turns`; every kind of `end`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kemu_grammar.syntax import ast as t

LAPS = 2_000  # of turns without a stop: more are a loop that never comes to one
Env = dict[str, Any]


class Fault(Exception):
    """The rules ask for what cannot be."""


class Member(NamedTuple):
    """An element of an enum (or a player): enums are told apart by name."""

    domain: str
    index: int
    text: str


class Point(NamedTuple):
    """An element of a grid; row-major, so the second coordinate counts first."""

    y: int
    x: int


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


def text(value: Any) -> str:
    """A value as actions and outcomes write it."""
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Member():
            return value.text
        case Point():
            return f"({value.x}, {value.y})"
        case tuple():
            return f"({', '.join(map(text, value))})"
    return str(value)


def order(value: Any) -> Any:
    """What sorts the elements of one domain: as declared, numbers upwards, grids row by row."""
    return value.index if isinstance(value, Member) else value


def elements(value: Any) -> Sequence[Any]:
    """The elements of a collection, in order."""
    if value is None:
        raise Fault("no value")
    if isinstance(value, frozenset):
        return sorted(value, key=order)
    if isinstance(value, Bag):
        return [x for x in sorted(value, key=order) for _ in range(value[x])]
    return list(value)


class Bag(dict[Any, int]):
    """How often each element lies in it."""


class Naive:
    """A game read from a syntax tree. `play(history)` says where it leads."""

    def __init__(self, module: t.Module) -> None:
        self.globals: Env = {}
        self.funs: dict[str, t.Fun | t.Rule] = {}
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
                case t.Domain(name=name, value=value) if value is not None:
                    found = self.eval(value, {})
                    self.globals[name] = found if isinstance(found, frozenset) else frozenset(found)
                case t.Const(name=name, value=value):
                    self.globals[name] = self.eval(value, {})
                case t.Fun() | t.Rule():
                    self.funs[d.name] = d
                case t.Rules():
                    self.rules = d

    def _members(self, name: str, members: list[Member]) -> None:
        self.globals[name] = frozenset(members)
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
        self.types[v.name] = t.GenericType("map", (t.NamedType("?"), v.type))
        self.vars[v.name] = {
            k: self.eval(v.initial, {name: k}) if v.initial is not None else self.empty(v.type) for k in keys
        }

    # ---------------------------------------------------------------------------------------- types

    def empty(self, kind: t.Type) -> Any:
        """What a variable of this type holds if nothing else is written."""
        match kind:
            case t.OptionType():
                return None
            case t.NamedType("bool"):
                return False
            case t.GenericType("set"):
                return frozenset()
            case t.GenericType("bag"):
                return Bag()
            case t.GenericType("list"):
                return ()
            case t.GenericType("map", (key, value)):
                return {k: self.empty(value) for k in self.domain(key)}
        raise NotImplementedError(kind)

    def domain(self, kind: t.Type) -> Iterable[Any]:
        match kind:
            case t.NamedType("bool"):
                return (False, True)
            case t.NamedType(name):
                return elements(self.globals[name])
            case t.RangeType(low, high):
                return range(self.eval(low, {}), self.eval(high, {}) + 1)
        raise NotImplementedError(kind)

    def fit(self, value: Any, kind: t.Type, env: Env) -> Any:
        """The value, if a place of this type can hold it."""
        match kind:
            case t.OptionType(inner):
                return None if value is None else self.fit(value, inner, env)
            case _ if value is None:
                raise Fault("no value")
            case t.RangeType(low, high):
                if not self.eval(low, env) <= value <= self.eval(high, env):
                    raise Fault(f"{value} does not fit")
            case t.NamedType(name) if name not in ("bool", "int", "?") and value not in self.globals[name]:
                raise Fault(f"{value} is not in {name}")
            case t.GenericType("set", (key,)):
                inside = set(self.domain(key))
                if not set(elements(value)) <= inside:
                    raise Fault("such an element does not fit")
                return frozenset(elements(value))
            case t.GenericType("bag"):
                return Bag(value)
            case t.GenericType("map", (key, inner)):
                return {k: self.fit(value[k], inner, env) for k in self.domain(key)}
            case t.GenericType("list", (inner,), size):
                if size is not None and len(value) > self.eval(size, env):
                    raise Fault("overfull")
                return tuple(self.fit(x, inner, env) for x in value)
        return value

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
                return getattr(self.some(value, env), name)
            case t.Index(value, index):
                return self.at(self.eval(value, env), self.some(index, env))
            case t.Slice(value, low, high):
                ends = [None if x is None else self.some(x, env) for x in (low, high)]
                return self.eval(value, env)[slice(*ends)]
            case t.Call(t.Name(name), args, named):
                return self.call(name, args, env, dict(named))
            case t.Call(t.Field(value, name), args):
                return self.method(self.eval(value, env), name, [self.eval(x, env) for x in args])
            case t.Tuple(items) | t.ListOf(items):
                return tuple(self.eval(x, env) for x in items)
            case t.SetOf(items):
                return frozenset(self.some(x, env) for x in items)
            case t.MapOf(pairs):
                return {self.eval(k, env): self.eval(v, env) for k, v in pairs} if pairs else frozenset()
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

    def at(self, held: Any, index: Any) -> Any:
        if isinstance(held, Bag):
            return held.get(index, 0)
        if isinstance(held, dict):
            if index not in held:
                raise Fault("no such key")
            return held[index]
        if not -len(held) <= index < len(held):
            raise Fault("no such element")
        return held[index]

    def method(self, held: Any, name: str, args: list[Any]) -> Any:
        match name:
            case "count":
                return held.count(args[0])
            case "index":
                if args[0] not in held:
                    raise Fault("not in the list")
                return held.index(args[0])
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
                holds = (left == right) == (op == "==")
            elif op in ("in", "not in"):  # compares, so none is simply not in it
                holds = (left in elements(right)) == (op == "in")
            elif left is None or right is None:
                raise Fault("no value")
            elif isinstance(left, frozenset):
                holds = getattr(operator, {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[op])(left, right)
            else:
                do = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[op]
                holds = do(order(left), order(right))
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
            return {self.eval(e.key, x): self.eval(e.element, x) for x in self.scopes(e.clauses, env)}
        found = (self.eval(e.element, x) for x in self.scopes(e.clauses, env))
        return frozenset(found) if e.kind == "set" else tuple(found)

    # ---------------------------------------------------------------------------------------- calls

    def call(
        self, name: str, args: Sequence[t.Expr], env: Env, named: dict[str, t.Expr] | None = None
    ) -> Any:
        if name in self.funs:
            run = self.enter(name, [self.eval(x, env) for x in args])
            try:
                next(run)
            except StopIteration as done:
                return done.value
            raise AssertionError("a fun never stops")
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
                return frozenset(Point(y, x) for y in values[1] for x in values[0])
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

    def enter(self, name: str, args: list[Any]) -> Generator[Stop, str | None, Any]:
        """Runs a fun or a rule; the generator's value is what it returns."""
        found = self.funs[name]
        env: Env = {}
        for param, value in zip(found.params, args, strict=True):
            env[param.name] = value if param.type is None else self.fit(value, param.type, env)
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
        for statement in block:
            yield from self.do(statement, env)

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
                    found = self.binary(op[0], self.some(target, env), self.needed(found))
                if kind is not None:
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
            case t.Move(what, False, source, target):
                assert what is not None
                self.move(self.some(what, env), source, target, env)
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

    def move(self, what: Any, source: t.Expr, target: t.Expr, env: Env) -> None:
        """A thing from bag to bag, or so many from counter to counter."""
        for zone, sign in ((source, -1), (target, 1)):
            assert isinstance(zone, t.Name)
            held = self.vars[zone.id]
            kind = self.types[zone.id]
            if not isinstance(held, Bag):
                self.vars[zone.id] = self.fit(held + sign * what, kind, env)
                continue
            many = held.get(what, 0) + sign
            assert isinstance(kind, t.GenericType)
            size = 255 if kind.size is None else self.eval(kind.size, env)
            if many < 0 or sum(held.values()) + sign > size:
                raise Fault("not there, or no room")
            self.vars[zone.id] = Bag(held | {what: many})

    def bounded(self, bound: int) -> Iterator[Env]:
        for _ in range(bound):
            yield {}
        raise Fault("overrun")

    def needed(self, value: Any) -> Any:
        if value is None:
            raise Fault("no value")
        return value

    def store(self, target: t.Expr, value: Any, env: Env) -> None:
        match target:
            case t.Name(id) if id in env or id not in self.vars:
                kind = env.get("#" + id)
                env[id] = value if kind is None else self.fit(value, kind, env)
            case t.Name(id):
                self.vars[id] = self.fit(value, self.types[id], env)
            case t.Index(t.Name(id), index):
                key, held, kind = self.some(index, env), self.eval(target.value, env), self.types[id]
                assert isinstance(kind, t.GenericType)
                self.at(held, key)
                if isinstance(held, Bag):
                    self.vars[id] = Bag(held | {key: value})
                elif isinstance(held, dict):
                    self.vars[id] = held | {key: self.fit(value, kind.args[1], env)}
                else:
                    self.vars[id] = (*held[:key], self.fit(value, kind.args[0], env), *held[key + 1 :])
            case _:
                raise NotImplementedError(target)

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
                return tuple(dice)
            case t.Draw(t.Name(pile), condition):
                bag = self.vars[pile]
                name = target.id if isinstance(target, t.Name) else "#"
                likely = [
                    (text(x), bag[x], x)
                    for x in sorted(bag, key=order)
                    if bag[x] and (condition is None or self.eval(condition, env | {name: x}))
                ]
                if not likely:
                    raise Fault("nothing to draw from")
                drawn = yield from self.chance(likely)
                self.vars[pile] = Bag(self.vars[pile] | {drawn: self.vars[pile][drawn] - 1})
                return drawn
            case t.Call(t.Name(name), args) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, [self.eval(x, env) for x in args]))
            case t.Name(name) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, []))
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
            return self.at(self.vars[e.id], p)
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
