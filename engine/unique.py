"""`unique` maps: no value stands under two keys, nothing lies in two lists; tested after every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine import kernel as k
from engine import make
from engine.reps import Const, Map, Rep, Seq
from grammar.tree import Span

if TYPE_CHECKING:
    from engine.structured import Structured


def distinct(s: Structured, place: Map, span: Span) -> None:
    """Emits the check that a unique map is still injective."""
    i = s.builder.local("key", k.Int(0, len(place.keys) - 1))
    held = s.expressions.read(place.get(i))
    test = _lists(s, place, held, i, span) if isinstance(held, Seq) else _values(s, place, held, i, span)
    if test != make.TRUE:
        s.out.append(
            k.Check(test, s.builder.fault("not_unique", "the same value stands in two places", span))
        )


def _values(s: Structured, place: Map, held: Rep, i: k.Local, span: Span) -> k.Expr:
    j = s.builder.local("other key", k.Int(0, len(place.keys) - 1))
    there = make.no(s.expressions.operations.equal(held, Const(None), span))
    same = s.expressions.operations.equal(s.expressions.read(place.get(j)), held, span)
    every = make.full(len(place.keys))
    twice = make.fold("any", j.id, every, make.lt(j, i), same)
    return make.fold("all", i.id, every, there, make.no(twice))


def _lists(s: Structured, place: Map, held: Seq, i: k.Local, span: Span) -> k.Expr:
    item = s.families.as_family(held.get(make.integer(0)))
    if item is None:
        return make.TRUE
    thing = s.builder.local("thing", k.Int(0, len(item.values) - 1))
    at = s.builder.local("position", k.Int(0, max(held.size - 1, 0)))
    same = s.expressions.operations.equal(held.get(at), s.families.family(thing, item.values), span)
    here = make.fold("count", at.id, make.full(held.size), make.lt(at, held.length), same)
    total = make.fold("sum", i.id, make.full(len(place.keys)), make.TRUE, here)
    once = make.le(total, make.integer(1))
    return make.fold("all", thing.id, make.full(len(item.values)), make.TRUE, once)
