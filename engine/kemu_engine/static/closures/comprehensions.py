"""Comprehensions, and what stops as soon as it knows: any, all, first, a closure under a function."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_grammar.syntax import ast as t

from kemu_engine.static import operators
from kemu_engine.static.closures.base import Closure, Maker, Run, Scopes
from kemu_engine.static.closures.operations import together
from kemu_engine.static.context import Env
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import LARGEST, Seq, Value, arranged, in_order_of_keys, iterate


def scopes(maker: Maker, clauses: tuple[t.Clause, ...]) -> tuple[Scopes, int]:
    """What goes through the environments of some clauses, and the steps of the first source.

    An environment holds until the next one is asked for.
    """
    clause = clauses[0]
    source, work, most = maker.elements(clause.source), maker.work, maker.work.most
    elements, span = source.run, clause.span
    conditions = together(maker, clause.conditions, True) if clause.conditions else None
    passes, steps = (conditions.run, conditions.steps) if conditions else (None, 0)
    name = clause.targets[0] if len(clause.targets) == 1 else None

    def run(env: Env) -> Iterator[Env]:
        scope = {**env}
        for value in elements(env):
            if name is not None:
                scope[name] = value
            else:
                scope.update(operators.unpack(clause.targets, value, span))
            if passes is not None:
                work.steps += steps
                if work.steps > most:
                    work.spend(0, span)
                if not passes(scope):
                    continue
            yield scope

    return (_within(maker, run, clauses[1:]) if clauses[1:] else run), source.steps


def _within(maker: Maker, outer: Scopes, clauses: tuple[t.Clause, ...]) -> Scopes:
    inner, steps = scopes(maker, clauses)
    work, most, span = maker.work, maker.work.most, clauses[0].span

    def run(env: Env) -> Iterator[Env]:
        for scope in outer(env):
            work.steps += steps
            if work.steps > most:
                work.spend(0, span)
            yield from inner(scope)

    return run


def comprehension(maker: Maker, e: t.Comprehension) -> Closure:
    if e.kind == "map":
        return _map(maker, e)
    each, steps = scopes(maker, e.clauses)
    element, work, most = maker.of(e.element), maker.work, maker.work.most
    value_of, own, made, span = element.run, element.steps, maker.weights.made, e.span
    gathered = frozenset if e.kind == "set" else Seq

    def run(env: Env) -> Value:
        values: list[Value] = []
        for scope in each(env):
            work.steps += own
            if work.steps > most:
                work.spend(0, span)
            values.append(value_of(scope))
            if len(values) > LARGEST:
                refuse("E0705", span, f"more than {LARGEST:,} elements")
        return made(gathered(values), span)

    return Closure(run, 1 + steps)


def _map(maker: Maker, e: t.Comprehension) -> Closure:
    assert e.key is not None
    each, steps = scopes(maker, e.clauses)
    (key_of, value_of), own = maker.strict((e.key, e.element))
    work, weights, key_span = maker.work, maker.weights, e.key.span

    def run(env: Env) -> Value:
        pairs: dict[Value, Value] = {}
        for scope in each(env):
            work.spend(own)
            key = key_of(scope)
            weights.used(key, key_span)
            pairs[key] = value_of(scope)
            if len(pairs) > LARGEST:
                refuse("E0705", e.span, f"more than {LARGEST:,} keys")
        return weights.made(in_order_of_keys(pairs), e.span)

    return Closure(run, 1 + steps)


def lazy(maker: Maker, name: str, e: t.Comprehension) -> Closure:
    """any, all, first over a comprehension stop as soon as they know."""
    if name == "first":
        return _first(maker, e)
    each, steps = scopes(maker, e.clauses)
    element, work, most, span = maker.truth(e.element), maker.work, maker.work.most, e.span
    holds, own, wanted = element.run, element.steps, name == "any"

    def run(env: Env) -> Value:
        for scope in each(env):
            work.steps += own
            if work.steps > most:
                work.spend(0, span)
            if holds(scope) is wanted:
                return wanted
        return not wanted

    return Closure(run, 1 + steps)


def _first(maker: Maker, e: t.Comprehension) -> Closure:
    each, steps = scopes(maker, e.clauses)
    element, work = maker.of(e.element), maker.work

    def run(env: Env) -> Value:
        for scope in each(env):
            work.steps += element.steps
            return element.run(scope)
        return None

    return _first_of_set(maker, e, run, steps) if e.kind == "set" else Closure(run, 1 + steps)


def _first_of_set(maker: Maker, e: t.Comprehension, soonest: Run, steps: int) -> Closure:
    """A set has an order of its own: it is gone through to the end unless its elements come in that order."""
    whole, source, work = comprehension(maker, e), maker.elements(e.clauses[0].source), maker.work
    element, targets = e.element, e.clauses[0].targets
    plain = len(e.clauses) == 1 and isinstance(element, t.Name) and targets == (element.id,)

    def run(env: Env) -> Value:
        if plain:
            work.steps += source.steps
            elements = source.run(env)
            if arranged(elements) is elements:
                work.steps += steps
                return soonest(env)
        work.steps += whole.steps - 1
        return next(iter(iterate(whole.run(env))), None)

    return Closure(run, 1)


def closed(maker: Maker, e: t.Call) -> Closure:
    """`closure(start, x -> found)`: all that is found from a start, and from what is found."""
    arrow = e.args[1]
    assert isinstance(arrow, t.Arrow)
    start, further, work = maker.elements(e.args[0]), maker.elements(arrow.body), maker.work
    name = arrow.params[0]

    def run(env: Env) -> frozenset[Value]:
        found = set(start.run(env))
        todo = list(found)
        while todo:
            value = todo.pop()
            work.spend(further.steps)
            for new in further.run({**env, name: value}):
                if new not in found:
                    found.add(new)
                    todo.append(new)
            if len(found) > LARGEST:
                refuse("E0705", e.span, f"a closure of more than {LARGEST:,} elements")
        return frozenset(found)

    return Closure(run, 1 + start.steps)
