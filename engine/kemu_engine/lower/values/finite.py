"""Conversions between representations: families, numbers, truth values, sets; joining two of them; bringing
one into a type.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import Any

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.reps import Const, FiniteValue, Num, Rep, Seq, SetOf, Truth, Tup
from kemu_engine.lower.values.tabulate import Rows, Same, Tabulator
from kemu_engine.static.problems import NO_FIELD, StaticFault, refuse
from kemu_engine.static.types import ElementType, IntType, Type
from kemu_engine.static.values import RingInt, Row, Value, arranged, iterate, text_of
from kemu_engine.static.values import Seq as ValueSeq

LIMIT = 1 << 17  # rows of one tabulated function
MASKED = 256  # bits of sets that are written in the time of a step
SMALL = 4096  # rows up to which operators on known values are tabulated whole
TRUTHS = (False, True)


class FiniteValues:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.tabulator = Tabulator(builder.work)
        self._positions: dict[int, tuple[tuple[Value, ...], dict[Value, int]]] = {}

    # ------------------------------------------------------------------------------------------ families

    def positions(self, values: tuple[Value, ...]) -> dict[Value, int]:
        entry = self._positions.get(id(values))
        if entry is None or entry[0] is not values:
            keys = map(key_of, reversed(values)) if bool in set(map(type, values)) else reversed(values)
            found = dict(zip(keys, range(len(values) - 1, -1, -1), strict=True))
            entry = self._positions[id(values)] = (values, found)
        return entry[1]

    def family(self, index: k.Expr, values: tuple[Value, ...]) -> Rep:
        """The plainest representation of values[index]."""
        if isinstance(index, k.Const):
            return Const(values[index.value])
        form = self.tabulator.form(values)
        if form == "same" and not build.faults(index):
            return Const(values[0])
        if form == "truths" or (form == "same" and isinstance(values[0], bool)):
            return Truth(self.builder.lookup("truth", values, index))
        if form == "numbers" or (form == "same" and _plain(values[0]) and not isinstance(values[0], RingInt)):
            return Num(self.builder.lookup("number", values, index))
        return FiniteValue(index, values)

    def as_finite(self, rep: Rep) -> FiniteValue | None:
        """The value as a family, if it ranges over few enough known values."""
        match rep:
            case FiniteValue():
                return rep
            case Const(value=value):
                return FiniteValue(build.integer(0), (value,))
            case Truth(expr=expr):
                return FiniteValue(build.when(expr, build.integer(1), build.integer(0)), TRUTHS)
            case Num(expr=expr):
                low, high = build.interval(expr)
                if high - low < LIMIT:
                    return FiniteValue(build.add(expr, build.integer(-low)), self._numbers(low, high))
            case Tup(items=items, fields=fields, seq=seq):
                parts = [self.as_finite(i) for i in items]
                if all(p is not None for p in parts):
                    return self._product([p for p in parts if p is not None], fields, seq)
        return None

    def _product(
        self, parts: list[FiniteValue], fields: tuple[str, ...] | None, seq: bool
    ) -> FiniteValue | None:
        combined = self._index(parts)
        if combined is None:
            return None
        key = (tuple(Same(p.values) for p in parts), fields, seq)
        return FiniteValue(combined, self.tabulator.column(key, lambda: _tuples(parts, fields, seq)))

    def _index(self, parts: list[FiniteValue]) -> k.Expr | None:
        size, index = 1, build.integer(0)
        combined: k.Expr = index
        for part in parts:
            size *= len(part.values)
            if size > LIMIT:
                return None
            combined = build.add(build.mul(combined, build.integer(len(part.values))), part.index)
        return combined

    def combine(
        self,
        function: Callable[..., Value],
        reps: list[Rep],
        span: Span,
        key: Hashable = None,
        name: str = "",
    ) -> Rep | None:
        """function(*reps), tabulated; None if there would be too many rows or a rep is no family. `key`:
        which function it is; `name`: what it is called in the rules file.
        """
        parts = [self.as_finite(r) for r in reps]
        if any(p is None for p in parts):
            return None
        known = [p for p in parts if p is not None]
        index = self._index(known)
        if index is None:
            return None
        rows = self.tabulator.rows(function, [p.values for p in known], key, name)
        if rows.fault is None:
            return self._shared(index, rows.values)
        if all(isinstance(p.index, k.Const) for p in known):
            raise StaticFault(rows.fault.code, rows.fault.message, rows.fault.span)  # called from elsewhere
        return self._guarded(index, rows, rows.fault, span)

    def _shared(self, index: k.Expr, values: tuple[Value, ...]) -> Rep:
        """values[index], where several rows may hold the same."""
        plain = self.family(index, values)
        if isinstance(plain, FiniteValue):
            distinct, positions = self.tabulator.distinct(values)
            if len(distinct) < len(values):
                return FiniteValue(self.builder.lookup("shared", positions, index), distinct)
        return plain

    def _guarded(self, index: k.Expr, rows: Rows, fault: StaticFault, span: Span) -> Rep:
        if fault.code == NO_FIELD:
            if len(rows.wrong) == len(rows.values):
                refuse("E0712", span, fault.message)
            fault = StaticFault("missing_value", fault.message, fault.span)
        number = self.fault(fault, span)
        if len(rows.wrong) == len(rows.values):
            if len(rows.values) == 1:
                return self.fails(number, None)
            return FiniteValue(build.need(build.FALSE, index, number), rows.values)
        defined = [True] * len(rows.values)
        for wrong in rows.wrong:
            defined[wrong] = False
        test = self.builder.lookup("defined", tuple(defined), index)
        plain = self._shared(index, rows.values)
        match plain:
            case Const(value=value):
                return FiniteValue(k.Need(k.Int(0, 1), test, build.integer(0), number), (value, value))
            case Truth(expr=expr):
                return Truth(build.need(test, expr, number))
            case Num(expr=expr):
                return Num(build.need(test, expr, number))
            case FiniteValue(index=at, values=values):
                return FiniteValue(build.need(test, at, number), values)
        return plain

    def fault(self, found: StaticFault, span: Span) -> int:
        """A fault of play at `span`, found before play; perhaps within a function that is called there."""
        at = found.span
        inside = at.file == span.file and span.line <= at.line <= span.end_line
        where = "" if inside or not at.line else f", in line {at.line} of {at.file.rsplit('/', 1)[-1]}"
        return self.builder.fault(found.code, found.message + where, span)

    def fails(self, fault: int, value: Value) -> Rep:
        return FiniteValue(k.Need(k.Int(0, 1), build.FALSE, build.integer(0), fault), (value, value))

    def remap(self, fam: FiniteValue, targets: tuple[Value, ...]) -> k.Expr:
        """The first position of the value in `targets`, -1 if it is not there."""
        where = self.positions(targets)
        if len(where) == len(targets) and (fam.values is targets or fam.values == targets):
            return fam.index
        self.builder.work.spend(len(fam.values) // 2)
        mapping = tuple(where.get(key_of(v), -1) for v in fam.values)
        return self.builder.lookup("position", mapping, fam.index)

    # ------------------------------------------------------------------------------------------ plain values

    def truth(self, rep: Rep, span: Span) -> k.Expr:
        match rep:
            case Truth(expr=expr):
                return expr
            case Const(value=bool() as value):
                return build.truth(value)
            case Const(value=None):
                raise StaticFault("missing_value", "none where a truth value is wanted", span)
            case FiniteValue(index=index, values=values) if any(isinstance(v, bool) for v in values) or never(
                values
            ):
                fixed = self._present(index, values, span)
                fixed = self._fitting(fixed, index, [isinstance(v, bool | None) for v in values], span)
                return self.builder.lookup("truth", tuple(v is True for v in values), fixed)
        refuse("E0710", span, "expected a truth value here")

    def number(self, rep: Rep, span: Span) -> k.Expr:
        match rep:
            case Num(expr=expr):
                return expr
            case Const(value=int() as value) if not isinstance(value, bool):
                return build.integer(int(value))
            case Const(value=None):
                raise StaticFault("missing_value", "none where a number is wanted", span)
            case FiniteValue(index=index, values=values) if any(_plain(v) for v in values) or never(values):
                known = [int(v) for v in values if _plain(v)] or [0]
                fixed = self._present(index, values, span)
                fixed = self._fitting(fixed, index, [v is None or _plain(v) for v in values], span)
                numbers = tuple(int(v) if _plain(v) else known[0] for v in values)
                return self.builder.lookup("number", numbers, fixed)
        refuse("E0710", span, "expected a number here")

    def optional(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """None, then the values; the same tuple every time."""
        return self.tabulator.column(("option", Same(values)), lambda: (None, *values))

    def values_of(self, inner: Type) -> tuple[Value, ...]:
        """The values of a type of few; the same tuple every time."""
        match inner:
            case ElementType(values=values):
                return values
            case IntType(low=low, high=high):
                return self._numbers(low, high)
        return TRUTHS

    def _numbers(self, low: int, high: int) -> tuple[Value, ...]:
        return self.tabulator.column((low, high), lambda: tuple(range(low, high + 1)))

    def present(self, fam: FiniteValue) -> k.Expr:
        """Whether the value is some."""
        values = fam.values
        there = self.tabulator.column(("present", Same(values)), lambda: tuple(v is not None for v in values))
        return self.builder.lookup("present", there, fam.index)

    def some(self, fam: FiniteValue, span: Span) -> FiniteValue:
        """The value where it is some; a fault if it is none."""
        return FiniteValue(self._present(fam.index, fam.values, span), fam.values)

    def _present(self, index: k.Expr, values: tuple[Value, ...], span: Span) -> k.Expr:
        if None not in values:
            return index
        test = self.present(FiniteValue(index, values))
        return build.need(
            test, index, self.builder.fault("missing_value", "none where a value is wanted", span)
        )

    def _fitting(self, position: k.Expr, index: k.Expr, fits: list[bool], span: Span) -> k.Expr:
        """The position, if the value at the index is of the kind that is wanted."""
        if all(fits):
            return position
        fault = self.builder.fault("out_of_range", "the value is of another kind", span)
        return build.need(self.builder.lookup("fits", tuple(fits), index), position, fault)

    def set(self, rep: Rep, span: Span, values: tuple[Value, ...] | None = None) -> SetOf:
        """The value as a set; over the given universe, faulting if it does not fit into that."""
        made = self.some_set(rep, span, values)
        if values is None or made.values is values or made.values == values:
            return made
        where = self.positions(values)
        self.builder.work.spend(len(made.values) // 2)
        mapping = tuple(where.get(key_of(v), -1) for v in made.values)
        expr = made.expr
        if any(m < 0 for m in mapping):
            inside = build.mask(len(mapping), sum(1 << i for i, m in enumerate(mapping) if m >= 0))
            test = build.set_op("subset", expr, inside)
            fault = self.builder.fault("out_of_range", "the set has elements outside the domain", span)
            expr = build.need(test, build.set_op("inter", expr, inside), fault)
        return SetOf(self._carry(expr, tuple(max(m, 0) for m in mapping), len(values)), values)

    def _carry(self, expr: k.Expr, mapping: tuple[int, ...], size: int) -> k.Expr:
        if isinstance(expr, k.Const):
            return build.mask(size, sum({1 << m for i, m in enumerate(mapping) if expr.value >> i & 1}))
        if not mapping:
            return build.after(expr, build.mask(size, 0))
        binder = self.builder.local("element", k.Int(0, len(mapping) - 1))
        return build.fold(
            "set", binder.id, expr, build.TRUE, self.builder.lookup("position", mapping, binder), size
        )

    def some_set(self, rep: Rep, span: Span, values: tuple[Value, ...] | None = None) -> SetOf:
        """The value as a set over whatever universe it has; of known sets, over the given one if they fit."""
        match rep:
            case SetOf():
                return rep
            case Const() | FiniteValue():
                fam = self.as_finite(rep)
                assert fam is not None
                try:
                    sets = [() if v is None else iterate(v) for v in fam.values]
                except TypeError as error:
                    refuse("E0710", span, str(error))
                self.builder.work.spend(sum(map(len, sets)))
                universe = values or arranged(v for s in sets for v in s)
                self.builder.work.spend(len(sets) * len(universe) // MASKED)
                where = self.positions(universe)
                if any(key_of(v) not in where for s in sets for v in s):
                    universe = arranged(v for s in sets for v in s)
                    where = self.positions(universe)
                masks = tuple(sum(1 << where[key_of(v)] for v in dict.fromkeys(s)) for s in sets)
                index = self._present(fam.index, fam.values, span)
                return SetOf(self.builder.lookup("set", masks, index, len(universe)), universe)
        refuse("E0710", span, "expected a set here")

    def same_universe(self, a: SetOf, b: SetOf, span: Span) -> tuple[k.Expr, k.Expr, tuple[Value, ...]]:
        if a.values is b.values or a.values == b.values:
            return a.expr, b.expr, a.values
        known = self.positions(a.values)
        if all(key_of(v) in known for v in b.values):
            return a.expr, self.set(b, span, a.values).expr, a.values
        known = self.positions(b.values)
        if all(key_of(v) in known for v in a.values):
            return self.set(a, span, b.values).expr, b.expr, b.values
        union = arranged((*a.values, *b.values))
        return self.set(a, span, union).expr, self.set(b, span, union).expr, union


def _tuples(parts: list[FiniteValue], fields: tuple[str, ...] | None, seq: bool) -> tuple[Value, ...]:
    rows = product(*(p.values for p in parts))
    if fields is not None:
        return tuple(Row(r, fields) for r in rows)
    return tuple(ValueSeq(r) if seq else r for r in rows)


def item_at(items: Seq, index: k.Expr) -> Rep:
    """An element of a list; of an index that lies beyond its room, where nobody looks, the nearest."""
    return items.get(build.clamped(index, 0, max(items.size - 1, 0)))


def never(values: tuple[Value, ...]) -> bool:
    """Whether there is never a value: so it is with what always faults."""
    return all(v is None for v in values)


def _plain(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_truth(rep: Rep) -> bool:
    return isinstance(rep, Truth) or (isinstance(rep, Const) and isinstance(rep.value, bool))


def is_number(rep: Rep) -> bool:
    return isinstance(rep, Num) or (
        isinstance(rep, Const) and _plain(rep.value) and not isinstance(rep.value, RingInt)
    )


def key_of(value: Value) -> Any:
    """True and 1 are different values here, although Python calls them equal."""
    return (bool, value) if isinstance(value, bool) else value


def texts_of(rep: Rep) -> tuple[str, ...]:
    if isinstance(rep, FiniteValue):
        low, high = build.interval(rep.index)
        return tuple(map(text_of, rep.values[max(low, 0) : high + 1]))
    if isinstance(rep, SetOf):
        return tuple(map(text_of, rep.values))
    return ()


def fitting(names: tuple[str, ...], kind: k.Type) -> tuple[str, ...]:
    """The texts of the values that a local of a family may hold; none if two of them are written alike."""
    if isinstance(kind, k.Int):
        names = names[max(kind.low, 0) : kind.high + 1]
        if len(names) != kind.high - kind.low + 1:
            return ()
    return names if len(set(names)) == len(names) else ()
