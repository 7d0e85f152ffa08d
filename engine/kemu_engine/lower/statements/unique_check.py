"""`unique` maps: no value stands under two keys, nothing lies in two lists; tested after every change."""

from __future__ import annotations

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import StatementLowering
from kemu_engine.lower.values.reps import Const, Map, Rep, Seq


def distinct(s: StatementLowering, place: Map, span: Span) -> None:
    """Emits the check that a unique map is still injective."""
    i = s.builder.local("key", k.Int(0, len(place.keys) - 1))
    held = s.expressions.read(place.get(i))
    test = _lists(s, place, held, i, span) if isinstance(held, Seq) else _values(s, place, held, i, span)
    if test != build.TRUE:
        s.out.append(
            k.Check(test, s.builder.fault("not_unique", "the same value stands in two places", span))
        )


def _values(s: StatementLowering, place: Map, held: Rep, i: k.Local, span: Span) -> k.Expr:
    j = s.builder.local("other key", k.Int(0, len(place.keys) - 1))
    there = build.no(s.expressions.operations.equal(held, Const(None), span))
    same = s.expressions.operations.equal(s.expressions.read(place.get(j)), held, span)
    every = build.full(len(place.keys))
    twice = build.fold("any", j.id, every, build.lt(j, i), same)
    return build.fold("all", i.id, every, there, build.no(twice))


def _lists(s: StatementLowering, place: Map, held: Seq, i: k.Local, span: Span) -> k.Expr:
    item = s.coercions.as_finite(held.get(build.integer(0)))
    if item is None:
        return build.TRUE
    thing = s.builder.local("thing", k.Int(0, len(item.values) - 1))
    at = s.builder.local("position", k.Int(0, max(held.size - 1, 0)))
    same = s.expressions.operations.equal(held.get(at), s.coercions.family(thing, item.values), span)
    here = build.fold("count", at.id, build.full(held.size), build.lt(at, held.length), same)
    total = build.fold("sum", i.id, build.full(len(place.keys)), build.TRUE, here)
    once = build.le(total, build.integer(1))
    return build.fold("all", thing.id, build.full(len(item.values)), build.TRUE, once)
