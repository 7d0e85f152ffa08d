"""The naive evaluator's expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_known import known
from tests.oracles.naive_places import Places
from tests.oracles.naive_stops import Run
from tests.oracles.naive_types import Env, Named
from tests.oracles.naive_values import (
    Bag,
    Fault,
    Member,
    Point,
    Record,
    alike,
    elements,
    order,
    same,
    sorted_,
    text,
    things,
)


class Expressions(Places):
    funs: dict[str, t.Fun | t.Rule]
    players: list[Member]

    def enter(
        self, name: str, args: Sequence[t.Expr], caller: Env, named: dict[str, t.Expr] | None = None
    ) -> Run:
        raise NotImplementedError

    def present(self, history: str) -> list[Any]:
        raise NotImplementedError

    def after(self, e: t.After, env: Env) -> Any:
        raise NotImplementedError

    def can(self, e: t.Can, env: Env) -> bool:
        raise NotImplementedError

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
                held = self.some(value, env)
                return (
                    held.text if isinstance(held, Member) and name == "name" else self.part(held, Named(name))
                )
            case t.Index(value, index):
                return self.part(self.eval(value, env), self.eval(index, env))
            case t.Text(parts):
                return "".join(x if isinstance(x, str) else text(self.eval(x, env)) for x in parts)
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
                return alike(self.eval(x, env) for x in items)
            case t.SetOf(items):
                return frozenset(self.some(x, env) for x in items)
            case t.MapOf(pairs):
                return self.mapped((self.eval(k, env), self.eval(v, env)) for k, v in pairs) or frozenset()
            case t.Comprehension():
                return self.comprehension(e, env)
            case t.Unary("not", operand):
                return not self.truth(operand, env)
            case t.Unary(op, operand):
                return (-1 if op == "-" else 1) * self.some(operand, env)
            case t.Binary("implies", left, right):
                return not self.truth(left, env) or self.truth(right, env)
            case t.Binary(op, left, right):
                return self.binary(op, self.some(left, env), self.some(right, env))
            case t.Compare(first, rest):
                return self.compare(first, rest, env)
            case t.Logic("and", items):
                return all(self.truth(x, env) for x in items)
            case t.Logic("or", items):
                return any(self.truth(x, env) for x in items)
            case t.Presence(value, some):
                return (self.eval(value, env) is not None) == some
            case t.Choice(test, then, other):
                return self.eval(then if self.truth(test, env) else other, env)
            case t.After():
                return self.after(e, env)
            case t.Can():
                return self.can(e, env)
            case t.Range(low, high):
                return range(self.some(low, env), self.some(high, env) + 1)
        raise NotImplementedError(e)

    def some(self, e: t.Expr, env: Env) -> Any:
        """The value where one is needed: none is a fault."""
        value = self.eval(e, env)
        if value is None:
            raise Fault("no value")
        return value

    def truth(self, e: t.Expr, env: Env) -> bool:
        found: bool = self.some(e, env)
        return found

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
            case "with":
                changed = list(held)
                if not -len(changed) <= args[0] < len(changed):
                    raise Fault("no such element")
                changed[args[0]] = args[1]
                return tuple(changed)
            case "find":
                inside = [k for k in held if self.holds(held[k], args[0])]
                return inside[0] if inside else None
        raise NotImplementedError(name)

    def holds(self, found: Any, wanted: Any) -> bool:
        """Whether it is what is looked for, or a list with that in it."""
        listed = isinstance(found, tuple) and not isinstance(found, Member | Record)
        return any(same(x, wanted) for x in found) if listed else same(found, wanted)

    def binary(self, op: str, a: Any, b: Any) -> Any:
        if op in ("//", "%") and b == 0:
            raise Fault("division by nothing")
        if op == "|" and isinstance(a, dict) and not b:
            return a
        if op == "+" and isinstance(a, tuple) and not isinstance(a, Record):
            return alike((*a, *b))
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
            if all(self.truth(c, inner) for c in head.conditions):
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
            run = self.enter(name, args, env, named)
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
            return {"any": any, "all": all}[name](self.truth(args[0].element, x) for x in scopes)
        if name == "first" and isinstance(args[0], t.Comprehension) and args[0].kind in ("list", "each"):
            return next((self.eval(args[0].element, x) for x in self.scopes(args[0].clauses, env)), None)
        if name == "turns":
            return Turns(self.players, self.some(named["from"], env) if named else self.players[0])
        if name == "times" and isinstance(args[0], t.Name):
            return min(self.vars[args[0].id].count(self.present(args[0].id)), 255)
        values = [x if isinstance(x, t.Arrow) else self.some(x, env) for x in args]
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
            case "list" | "tuple":
                return tuple(many)
            case "other" | "left" | "right":
                return self.players[(values[0].index + (-1 if name == "right" else 1)) % len(self.players)]
            case "others":
                n = len(self.players)
                return tuple(self.players[(values[0].index + i) % n] for i in range(1, n))
            case "closure":
                return self.closure(frozenset(elements(values[0])), args[1], env)
            case "bag":
                return self.bag(args, env)
        return known(name, values)

    def closure(self, seed: frozenset[Any], step: t.Expr, env: Env) -> frozenset[Any]:
        assert isinstance(step, t.Arrow)
        found, waiting = set(seed), list(seed)
        while waiting:
            inner = env | {step.params[0]: waiting.pop()}
            new = set(elements(self.eval(step.body, inner))) - found
            found |= new
            waiting += new
        return frozenset(found)

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


class Turns:
    """The players in order of their seats, again and again."""

    def __init__(self, players: list[Member], first: Member) -> None:
        self.players, self.first = players, first

    def __iter__(self) -> Iterator[Member]:
        at = self.first.index
        while True:
            yield self.players[at % len(self.players)]
            at += 1
