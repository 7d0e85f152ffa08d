"""Where the naive evaluator keeps what changes: variables and their parts, and what moves between zones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_types import Env, Named, Types
from tests.oracles.naive_values import Bag, Fault, Member, Record, elements, same


class Places(Types):
    """The variables of the state, and those of a rule (`env`): beside `x` there may be `#x`, its type, and
    `@x`, the place of the caller that it stands for.
    """

    vars: Env
    types: dict[str, t.Type]
    unique: set[str]

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
            if name in self.unique:
                self.distinct(self.vars[name])
            return
        kind = env.get("#" + name)
        env[name] = value if kind is None else self.changed(env.get(name), kind, steps, value, env)
        if "@" + name in env:  # it stands for a place of the caller's
            caller, root, before = env["@" + name]
            self.write(root, [*before, *steps], value, caller)

    def distinct(self, held: Any) -> None:
        """No value may lie under two keys, nor twice in lists."""
        found = [x for value in held.values() for x in (elements_of(value))]
        if len(set(found)) < len(found):
            raise Fault("not unique")

    def lay(self, thing: Any, target: t.Expr, env: Env) -> None:
        """Puts a thing into a zone."""
        if not (isinstance(target, t.Name) and target.id == "box"):
            place, steps = self.place(target, env)
            self.write(place, steps, with_(self.stands(place, steps, env), thing, 1), env)

    def move(self, what: Any, whole: bool, source: t.Expr, target: t.Expr, env: Env) -> None:
        """A thing, or so many, or all of them, from zone to zone."""
        place, steps = self.place(source, env)
        boxed = isinstance(target, t.Name) and target.id == "box"
        other, there = ("box", []) if boxed else self.place(target, env)
        held = self.stands(place, steps, env)
        if not boxed:
            self.stands(other, there, env)
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
            moved = [(what, self.part(held, what))]
        else:
            moved = [(None, what)] if counters else [(what, 1)]
        for thing, many in moved:
            if many < 0:
                raise Fault("fewer than none")
            self.write(place, steps, without(self.stands(place, steps, env), thing, many), env)
        for thing, many in moved if not boxed else []:
            self.write(other, there, with_(self.stands(other, there, env), thing, many), env)


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
        case _ if many == 0:
            return zone
        case Bag():
            return zone | {thing: zone.get(thing, 0) + many}
        case frozenset():
            return zone | {thing}
        case int() if not isinstance(zone, bool) and thing is None:
            return zone + many
        case tuple() if not isinstance(zone, Member | Record):
            return (*zone, *[thing] * many)
        case None if many == 1:
            return thing
    raise Fault("the place is taken")
