"""Lowers `move x from a to b`: a thing leaves one zone and enters another; zones are counters, bags, sets,
lists, options.
"""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.pins import settled
from kemu_engine.lower.values.context import Scope, StatementLowering
from kemu_engine.lower.values.dependence import root
from kemu_engine.lower.values.reps import Bag, Const, Num, Place, Rep, Scalar, Seq, composite
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import IntType, OptionOf, SetType


def move(s: StatementLowering, m: t.Move, scope: Scope) -> None:
    source = s.expressions.place(m.source, scope)
    boxed = isinstance(m.target, t.Name) and m.target.id == "box"
    target = None if boxed else s.expressions.place(*settled(s, m.target, root(m.source), scope))
    for expr in () if target is None else s.coercions.faulty(target):  # it is there, even if nothing moves
        s.out.append(k.Assign(s.builder.local("met", expr.type).id, expr))
    if m.what is None:
        _all(s, source, target, root(m.source) == root(m.target), m.span)
        return
    thing = _held(s, source, s.expressions.lower(m.what, scope), m.span)
    if m.all:
        if not isinstance(source, Bag):
            refuse("E0734", m.source.span, "`move all x` needs a bag as its source")
        number: k.Expr = _count(s, source, thing, m.span)
        kept = s.keep("number", Num(number))
        number = s.coercions.number(kept, m.span)
    elif _counter(source) and (target is None or _counter(target)):
        number = s.coercions.number(thing, m.span)
        if build.interval(number)[0] < 0:
            fault = s.builder.fault("out_of_range", "fewer than none are moved", m.span)
            s.out.append(k.Check(build.le(build.integer(0), number), fault))
    else:
        number = build.integer(1)
    take(s, source, thing, number, m.span)
    if target is not None:
        put(s, target, thing, number, m.span)


def _held(s: StatementLowering, source: Place, thing: Rep, span: t.Span) -> Rep:
    """What is moved, worked out now; of a list that holds lists, bags or maps, as one of those."""
    if not isinstance(source, Seq) or source.kind is None or not composite(thing):
        return s.held("moved", thing, span)
    place = s.new_local(f"{s.frame}.moved", source.kind, span)
    s.storing.store(place, thing, span)
    return s.expressions.read(place)


def _counter(zone: Place) -> bool:
    """A zone of things that are all alike: between two of them `move n` moves n."""
    return isinstance(zone, Scalar) and isinstance(zone.kind, IntType)


def take(s: StatementLowering, zone: Place, thing: Rep, number: k.Expr, span: t.Span) -> None:
    """`number` pieces of `thing` leave a zone; a fault if they are not there."""
    origin = s.builder.origin(span)
    match zone:
        case Scalar(kind=IntType()):
            rest = build.sub(s.coercions.number(s.expressions.read(zone), span), number)
            s.storing.put(zone, s.coercions.encode(Num(rest), zone.kind, span), origin)
        case Scalar(kind=OptionOf()):
            there = s.expressions.operations.equal(s.expressions.read(zone), _some(s, thing, span), span)
            s.out.append(k.Check(there, s.builder.fault("missing_value", "what is moved is not there", span)))
            s.storing.put(zone, build.integer(-1), origin)
        case Scalar(kind=SetType()):
            place, single = _in_set(s, zone, thing, span)
            inside = build.set_op("subset", single, place)
            s.out.append(
                k.Check(inside, s.builder.fault("missing_value", "what is moved is not there", span))
            )
            s.storing.put(zone, build.set_op("diff", place, single), origin)
        case Bag(place=place_of) if place_of is not None:
            at = place_of(s.expressions.key(thing, zone.values, span))
            rest = build.sub(s.coercions.number(s.expressions.read(at), span), number)
            enough = build.le(build.integer(0), rest)
            fault = s.builder.fault("missing_value", "what is moved is not there", span)
            s.out.append(k.Check(enough, fault))
            s.storing.put(at, s.coercions.encode(Num(rest), at.kind, span), origin)
        case Seq():
            _take_from_list(s, zone, thing, span)
        case _:
            refuse("E0734", span, "nothing can be moved out of this")


def put(s: StatementLowering, zone: Place, thing: Rep, number: k.Expr, span: t.Span) -> None:
    """`number` pieces of `thing` enter a zone; a fault if it is full."""
    origin = s.builder.origin(span)
    match zone:
        case Scalar(kind=IntType()):
            rest = build.add(s.coercions.number(s.expressions.read(zone), span), number)
            s.storing.put(zone, s.coercions.encode(Num(rest), zone.kind, span), origin)
        case Scalar(kind=OptionOf() | SetType()) if not isinstance(number, k.Const):
            with s.into() as code:
                if isinstance(zone.kind, OptionOf):
                    fault = s.builder.fault("overfull", "the place holds one thing", span)
                    s.out.append(k.Check(build.le(number, build.integer(1)), fault))
                put(s, zone, thing, build.integer(1), span)
            s.out.append(k.When(build.lt(build.integer(0), number), tuple(code), ()))
        case Scalar(kind=OptionOf()):
            value = s.expressions.read(zone)
            empty = s.expressions.operations.equal(value, Const(None), span)
            s.out.append(k.Check(empty, s.builder.fault("overfull", "the place is taken", span)))
            s.storing.put(zone, s.coercions.encode(thing, zone.kind, span), origin)
        case Scalar(kind=SetType()):
            place, single = _in_set(s, zone, thing, span)
            s.storing.put(zone, build.set_op("union", place, single), origin)
        case Bag(place=place_of) if place_of is not None:
            at = place_of(s.expressions.key(thing, zone.values, span))
            total = s.coercions.number(s.quantifiers.length(zone, span), span)
            room = build.le(build.add(total, number), zone.most)
            s.out.append(k.Check(room, s.builder.fault("overfull", _full(zone), span)))
            more = build.add(s.coercions.number(s.expressions.read(at), span), number)
            s.storing.put(at, s.coercions.encode(Num(more), at.kind, span), origin)
        case Seq():
            most = max(build.interval(number)[1], 0)
            longer = s.expressions.operations.concat(zone, Seq(number, most, lambda i: thing), span)
            s.storing.store(zone, longer, span)
        case _:
            refuse("E0734", span, "nothing can be moved into this")


def _some(s: StatementLowering, thing: Rep, span: t.Span) -> Rep:
    fam = s.coercions.as_finite(thing)
    return thing if fam is None else s.coercions.some(fam, span)


def _full(bag: Bag) -> str:
    return f"the bag may hold {bag.size}" if bag.room is None else "the bag is full"


def _all(s: StatementLowering, source: Place, target: Place | None, maybe_same: bool, span: t.Span) -> None:
    """`maybe_same`: the two may turn out to be one place."""
    match source, target:
        case Bag(values=values, place=at), _ if at is not None:
            for i, value in enumerate(values):
                number = s.coercions.number(s.keep("number", Num(source.count(build.integer(i)))), span)
                s.storing.put(at(build.integer(i)), build.integer(0), s.builder.origin(span))
                if target is not None:
                    put(s, target, Const(value), number, span)
        case Scalar(kind=IntType()), _:
            number = s.coercions.number(s.keep("number", s.expressions.read(source)), span)
            s.storing.put(source, s.coercions.encode(Const(0), source.kind, span), s.builder.origin(span))
            if target is not None:
                put(s, target, Const(None), number, span)
        case (Scalar(kind=SetType()), Scalar(kind=SetType())) | (Seq(), Seq()):
            assert target is not None
            rep = s.expressions.read(source)
            op = "|" if isinstance(source, Scalar) else "+"
            if maybe_same:
                rep = s.held("moved", rep, span)
                s.storing.store(source, _nothing(source), span)
            s.storing.store(
                target, s.expressions.operations.binary(op, s.expressions.read(target), rep, span), span
            )
            if not maybe_same:
                s.storing.store(source, _nothing(source), span)
        case ((Scalar(kind=SetType()) | Seq()), None):
            s.storing.store(source, _nothing(source), span)
        case Scalar(kind=OptionOf()), _:
            value = s.keep("moved", s.expressions.read(source))
            s.storing.put(source, build.integer(-1), s.builder.origin(span))
            if target is not None:
                present = s.expressions.operations.equal(value, Const(None), span)
                with s.into() as code:
                    put(s, target, value, build.integer(1), span)
                s.out.append(k.When(present, (), tuple(code)))
        case _:
            refuse("E0734", span, "these two zones are incompatible")


def _nothing(zone: Place) -> Rep:
    return Const(frozenset()) if isinstance(zone, Scalar) else Seq(build.integer(0), 0, lambda i: Const(None))


def _in_set(s: StatementLowering, zone: Scalar, thing: Rep, span: t.Span) -> tuple[k.Expr, k.Expr]:
    """The set at a place, and the thing as a set of one."""
    assert isinstance(zone.kind, SetType)
    values = zone.kind.values
    index = s.expressions.key(thing, values, span)
    return s.coercions.set(s.expressions.read(zone), span, values).expr, build.single(index, len(values))


def _count(s: StatementLowering, bag: Bag, thing: Rep, span: t.Span) -> k.Expr:
    return bag.count(s.expressions.key(thing, bag.values, span))


def _take_from_list(s: StatementLowering, zone: Seq, thing: Rep, span: t.Span) -> None:
    """The first such element leaves; those behind it close up."""
    at = s.quantifiers.position(zone, thing, span)
    found = build.le(build.integer(0), at)
    s.out.append(k.Check(found, s.builder.fault("missing_value", "what is moved is not there", span)))
    position = s.coercions.number(s.keep("position", Num(at)), span)

    def get(i: k.Expr) -> Rep:
        later = build.extreme("min", build.add(i, build.integer(1)), build.integer(zone.size - 1))
        return s.coercions.join(build.lt(i, position), zone.get(i), zone.get(later), span)

    shorter = build.sub(zone.length, build.integer(1))
    s.storing.store(zone, Seq(build.clamped(shorter, 0, zone.size), zone.size, get), span)
