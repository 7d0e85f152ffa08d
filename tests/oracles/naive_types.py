"""What the naive evaluator knows of types: what they begin with, what fits into them, and how a value with
another part at one place is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_values import Bag, Domain, Fault, Filled, Point, Record, elements

Env = dict[str, Any]
MOST = 255  # things in a bag that does not say how many


class Types:
    globals: Env
    records: dict[str, t.Record]

    def eval(self, e: t.Expr, env: Env) -> Any:
        raise NotImplementedError

    def empty(self, kind: t.Type, filled: bool = True, env: Env | None = None) -> Any:
        """What a variable of this type holds if nothing else is written; if not `filled`, its maps ignore
        their defaults, as what lies behind the end of a list; `env`: the key that a range may depend on.
        """
        match kind:
            case t.OptionType():
                return None
            case t.NamedType("bool"):
                return False
            case t.NamedType(name) if name in self.records:
                fields = self.records[name].fields
                return Record((self.empty(inner, filled) for _, inner in fields), tuple(n for n, _ in fields))
            case t.NamedType():
                return 0 if 0 in self.domain(kind) else next(iter(self.domain(kind)))
            case t.RangeType(low, high):
                least, most = self.eval(low, env or {}), self.eval(high, env or {})
                return 0 if least <= 0 <= most else least
            case t.GenericType("set"):
                return frozenset()
            case t.GenericType("bag"):
                return Bag()
            case t.GenericType("list"):
                return ()
            case t.GenericType("tuple", parts):
                return Record(self.empty(inner, filled) for inner in parts)
            case t.GenericType("map", default=default) if default is not None and filled:
                return self.fit({}, kind, {})
            case t.GenericType("map", (key, value), binder=name):
                return {k: self.empty(value, filled, {name: k} if name else {}) for k in self.domain(key)}
        raise NotImplementedError(kind)

    def domain(self, kind: t.Type) -> Sequence[Any]:
        """The values of a type that can be counted through, in their order."""
        match kind:
            case t.NamedType("bool"):
                return (False, True)
            case t.NamedType(name) if name in self.records:
                return self._rows(tuple(inner for _, inner in self.records[name].fields), name)
            case t.NamedType(name):
                return elements(self.globals[name])
            case t.RangeType(low, high):
                return range(self.eval(low, {}), self.eval(high, {}) + 1)
            case t.OptionType(inner):
                return (None, *self.domain(inner))
            case t.GenericType("tuple", parts):
                return self._rows(parts)
        raise NotImplementedError(kind)

    def _rows(self, parts: Iterable[t.Type], record: str = "") -> Sequence[Any]:
        names = tuple(n for n, _ in self.records[record].fields) if record else ()
        return [Record(row, names) for row in product(*map(self.domain, parts))]

    def rows(self, fields: tuple[tuple[str, t.Type], ...]) -> Domain:
        """A domain that is a product."""
        names = tuple(n for n, _ in fields)
        return Domain.of(Record(row, names) for row in product(*(self.domain(k) for _, k in fields)))

    # ---------------------------------------------------------------------------------------- what fits

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
            case t.NamedType(name) if name in self.records:
                fields = self.records[name].fields
                parts = (self.fit(x, inner, env) for x, (_, inner) in zip(value, fields, strict=True))
                return Record(parts, tuple(n for n, _ in fields))
            case t.NamedType(name) if name not in ("bool", "int"):
                return self.element(value, self.globals[name])
            case t.GenericType("tuple", kinds):
                return Record(self.fit(x, inner, env) for x, inner in zip(value, kinds, strict=True))
            case t.GenericType("set", (key,)):
                own = self.domain(key)
                return frozenset(self.element(x, own) for x in elements(value))
            case t.GenericType("bag", (key,), size):
                return self._bag(value, self.domain(key), MOST if size is None else self.eval(size, env))
            case t.GenericType("map", (key, inner)):
                return self._map(value, kind, key, inner, env)
            case t.GenericType("list", (inner,), size):
                if size is not None and len(value) > self.eval(size, env):
                    raise Fault("overfull")
                return tuple(self.fit(x, inner, env) for x in value)
        return value

    def element(self, value: Any, own: Iterable[Any]) -> Any:
        """The domain's own element that equals the value: of a pair, perhaps a point."""
        for x in own:
            if x == value and isinstance(x, bool) == isinstance(value, bool):
                return x
        raise Fault(f"{value} is not in the domain")

    def _bag(self, value: Any, own: Sequence[Any], size: int) -> Bag:
        counts = value if isinstance(value, dict) else {x: list(value).count(x) for x in value}
        if any(n is None or n < 0 for n in counts.values()) or sum(counts.values()) > size:
            raise Fault("such a bag does not fit")
        if not {x for x, n in counts.items() if n} <= set(own):
            raise Fault("such a thing does not lie there")
        made = Bag({x: counts[x] for x in own if counts.get(x)})
        made.own = own
        return made

    def _map(self, value: Any, kind: t.GenericType, key: t.Type, inner: t.Type, env: Env) -> dict[Any, Any]:
        own = self.domain(key)
        if kind.default is not None:
            default = self.fit(self.eval(kind.default, {}), inner, {})
            if not set(value) <= set(own):
                raise Fault("a map has no other keys")
            given = value if isinstance(value, dict) else {}
            return Filled.of({k: self.fit(given.get(k, default), inner, env) for k in own}, default)
        if not isinstance(value, dict) or set(value) != set(own):
            raise Fault("a map has a value for each of its keys")
        bound = {} if kind.binder is None else {kind.binder: None}
        return {k: self.fit(value[k], inner, env | dict.fromkeys(bound, k)) for k in own}

    # ---------------------------------------------------------------------------------------- parts

    def part(self, held: Any, step: Any) -> Any:
        """What lies in a value: under a key, at an index, in a field (`.name`)."""
        if isinstance(step, Named):
            if held is None:
                raise Fault("no value")
            names = ("x", "y") if not held.fields and len(held) == 2 else held.fields
            return held[names.index(step.name)]
        if isinstance(held, Bag):
            if held.own is not None and step not in held.own:
                raise Fault("nothing of the kind lies there")
            return held.get(step, 0)
        if isinstance(held, dict):
            if step not in held:
                raise Fault("no such key")
            return held[step]
        if held is None or step is None or isinstance(held, frozenset):
            raise Fault("no value")
        if not -len(held) <= step < len(held):
            raise Fault("no such element")
        return held[step]

    def inside(self, kind: t.Type, step: Any) -> t.Type:
        """The type of a part."""
        match kind:
            case t.GenericType("bag"):
                return COUNT
            case t.GenericType("map" | "list"):
                return kind.args[-1]
            case t.GenericType("tuple", parts):
                return parts[step]
        assert isinstance(kind, t.NamedType)
        return dict(self.records[kind.name].fields)[step.name]

    def changed(self, held: Any, kind: t.Type, steps: Sequence[Any], value: Any, env: Env) -> Any:
        """The value with another at the place to which the steps lead."""
        if not steps:
            return self.fit(value, kind, env)
        step, *rest = steps
        old = self.part(held, step)
        match kind:
            case t.GenericType("bag"):
                return self.fit({**held, step: self.fit(value, COUNT, env)}, kind, env)
            case t.GenericType("map", (_, inner)):
                more = {} if kind.binder is None else {kind.binder: step}
                made = held | {step: self.changed(old, inner, rest, value, env | more)}
                return Filled.of(made, held.default) if isinstance(held, Filled) else made
            case t.GenericType("list", (inner,)):
                new = self.changed(old, inner, rest, value, env)
                at = step % len(held)
                return (*held[:at], new, *held[at + 1 :])
        if isinstance(step, Named):
            assert isinstance(kind, t.NamedType)
            fields = self.records[kind.name].fields
            at = [n for n, _ in fields].index(step.name)
            inner = fields[at][1]
        else:
            assert isinstance(kind, t.GenericType) and kind.head == "tuple"
            at, inner = step % len(held), kind.args[step]
        new = self.changed(old, inner, rest, value, env)
        return Record((*held[:at], new, *held[at + 1 :]), held.fields)


COUNT = t.RangeType(t.Number(0), t.Number(MOST))


class Named:
    """The step into a field."""

    def __init__(self, name: str) -> None:
        self.name = name


__all__ = ["Env", "Named", "Point", "Types"]
