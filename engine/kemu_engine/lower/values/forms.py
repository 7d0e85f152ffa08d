"""Any value as a list, a bag, a map or a tuple of parts, and two values as one: the two ways of an `if`."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.finite import (
    FiniteValues,
    is_number,
    is_truth,
    item_at,
    key_of,
    never,
)
from kemu_engine.lower.values.layout import kernel_type
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    FiniteValue,
    Map,
    Num,
    Pairs,
    Place,
    RecordPlace,
    Rep,
    Scalar,
    Seq,
    SetOf,
    Truth,
    Tup,
)
from kemu_engine.static.maps import complete, filled, no_others
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import BoolType, ElementType, IntType, OptionOf, SetType, Type
from kemu_engine.static.values import FrozenMap, Value, arranged, iterate


class Forms(FiniteValues):
    def read(self, binding: Rep | Place) -> Rep:
        """What stands at a place; a value is itself."""
        match binding:
            case Scalar(kind=kind, var=var, index=index, local=local):
                made = kernel_type(kind, t.NOWHERE)
                if local:
                    return self.decode(k.Local(made, var), kind)
                return self.decode(k.Load(made, var) if index is None else k.At(made, var, index), kind)
            case RecordPlace(fields=fields):
                return Tup(tuple(self.read(p) for _, p in fields), tuple(n for n, _ in fields))
        return binding

    def decode(self, expr: k.Expr, kind: Type) -> Rep:
        """What a kernel value in a variable of a scalar type stands for."""
        match kind:
            case BoolType():
                return Truth(expr)
            case IntType():
                return Num(expr)
            case ElementType(values=values):
                return self.family(expr, values) if len(values) > 1 else Const(values[0])
            case OptionOf(inner=inner):
                values = self.values_of(inner)
                return FiniteValue(build.add(expr, build.integer(1)), self.optional(values))
            case SetType(values=values):
                return SetOf(expr, values)
        raise AssertionError(kind)

    # ------------------------------------------------------------------------------------------- two as one

    def join(self, test: k.Expr, a: Rep, b: Rep, span: Span) -> Rep:
        """`a if test else b`"""
        self.builder.work.spend(1, span)
        if isinstance(test, k.Const):
            return a if test.value else b
        if (
            isinstance(a, Const)
            and isinstance(b, Const)
            and type(a.value) is type(b.value)
            and a.value == b.value
            and not build.faults(test)
        ):
            return a
        if is_truth(a) and is_truth(b):
            return Truth(build.when(test, self.truth(a, span), self.truth(b, span)))
        if is_number(a) and is_number(b):
            return Num(build.when(test, self.number(a, span), self.number(b, span)))
        if isinstance(a, SetOf) or isinstance(b, SetOf):
            x, y, values = self.same_universe(
                self.some_set(a, span, b.values if isinstance(b, SetOf) else None),
                self.some_set(b, span, a.values if isinstance(a, SetOf) else None),
                span,
            )
            return SetOf(build.when(test, x, y), values)
        if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
            items = tuple(self.join(test, x, y, span) for x, y in zip(a.items, b.items, strict=True))
            return Tup(items, a.fields, a.seq)
        if isinstance(a, Bag) or isinstance(b, Bag):
            return self._join_bags(test, self.bag(a, span), self.bag(b, span))
        if isinstance(a, Map | Pairs) or isinstance(b, Map | Pairs):
            return self._join_maps(test, a, b, span)
        if isinstance(a, Seq) or isinstance(b, Seq):
            return self._join_lists(test, self.sequence(a, span), self.sequence(b, span), span)
        fa, fb = self.as_finite(a), self.as_finite(b)
        if fa is None or fb is None:
            return self._join_parts(test, a, b, span)
        known = self.positions(fa.values)
        values = (*fa.values, *(v for v in fb.values if key_of(v) not in known))
        return self.family(build.when(test, fa.index, self.remap(fb, values)), values)

    def _join_parts(self, test: k.Expr, a: Rep, b: Rep, span: Span) -> Rep:
        """Two tuples, records or lists of which one is written with its parts."""
        written = a if isinstance(a, Tup) else b
        if not isinstance(written, Tup):
            refuse("E0718", span, "the two values of this `if` have incompatible types")
        if written.seq:
            return self._join_lists(test, self.sequence(a, span), self.sequence(b, span), span)
        size = len(written.items)
        parts = zip(self.parts(a, size, span), self.parts(b, size, span), strict=True)
        return Tup(tuple(self.join(test, x, y, span) for x, y in parts), written.fields)

    def _join_lists(self, test: k.Expr, a: Seq, b: Seq, span: Span) -> Seq:
        def get(i: k.Expr) -> Rep:
            if a.size == 0 or b.size == 0:
                return item_at(b if a.size == 0 else a, i)
            return self.join(test, item_at(a, i), item_at(b, i), span)

        kind = a.kind if a.kind == b.kind else None
        return Seq(build.when(test, a.length, b.length), max(a.size, b.size), get, None, kind)

    def _join_bags(self, test: k.Expr, a: Bag, b: Bag) -> Bag:
        things = tuple(dict.fromkeys((*a.values, *b.values)))

        def count(i: k.Expr) -> k.Expr:
            return build.when(test, self.count(a, things, i), self.count(b, things, i))

        return Bag(things, max(a.size, b.size), count)

    def _join_maps(self, test: k.Expr, a: Rep, b: Rep, span: Span) -> Pairs:
        keys = a.keys if isinstance(a, Map | Pairs) else b.keys if isinstance(b, Map | Pairs) else ()
        default = _default(a) or _default(b)
        one, other = self.pairs(a, keys, span, default), self.pairs(b, keys, span, default)
        return Pairs(keys, lambda i: self.join(test, one.get(i), other.get(i), span), default)

    # --------------------------------------------------------------------------------------------- one form

    def sequence(self, rep: Rep, span: Span) -> Seq:
        """The value as a list."""
        match rep:
            case Seq():
                return rep
            case Tup(items=items):
                return Seq(build.integer(len(items)), len(items), lambda i: self._pick(items, i, span))
            case Const() | FiniteValue():
                fam = self.as_finite(rep)
                assert fam is not None
                rows = [() if v is None else iterate(v) for v in fam.values]
                size = max(map(len, rows), default=0)
                flat = tuple(
                    row[j] if j < len(row) else (row or (None,))[-1] for row in rows for j in range(size)
                )
                index = self._present(fam.index, fam.values, span)

                def get(i: k.Expr) -> Rep:
                    if not flat:  # all of them are empty
                        return Const(None)
                    return self._shared(build.add(build.mul(index, build.integer(size)), i), flat)

                length = self.builder.lookup("length", tuple(map(len, rows)), index)
                return Seq(length, size, get)
        refuse("E0710", span, "expected a list here")

    def _pick(self, items: tuple[Rep, ...], index: k.Expr, span: Span) -> Rep:
        if isinstance(index, k.Const):
            return items[min(max(index.value, 0), len(items) - 1)]
        picked = items[-1]
        for i in reversed(range(len(items) - 1)):
            picked = self.join(build.eq(index, build.integer(i)), items[i], picked, span)
        return picked

    def pairs(self, rep: Rep, keys: tuple[Value, ...], span: Span, default: tuple[Value, ...] = ()) -> Pairs:
        """The value as a map with just these keys, in this order; `default`, if there is one, where none is
        given.
        """
        if isinstance(rep, Map | Pairs) and rep.keys == keys:
            return Pairs(keys, lambda i: self.read(rep.get(i)), default)
        if isinstance(rep, Map | Pairs):
            no_others(rep.keys, keys, span)
            if not default:
                complete(rep.keys, keys, span)
            rest = Const(FrozenMap(dict.fromkeys(keys, default[0] if default else None)))
            return replace(self.merged(rest, rep, span), default=default)
        fam = self.as_finite(rep)
        if fam is None:
            refuse("E0730", span, "a map takes a map or `{key: value}`")
        if never(fam.values) and isinstance(rep, FiniteValue):
            return Pairs(keys, lambda i: rep)
        rows = [None if m is None else filled(m, keys, default, span) for m in fam.values]
        some = next((row for row in rows if row is not None), FrozenMap(dict.fromkeys(keys)))
        return replace(self._known_pairs(fam, [row or some for row in rows], keys, span), default=default)

    def _known_pairs(
        self, fam: FiniteValue, rows: list[FrozenMap], keys: tuple[Value, ...], span: Span
    ) -> Pairs:
        """Several known maps, all with these keys, of which one is meant."""
        base = build.mul(self._present(fam.index, fam.values, span), build.integer(len(keys)))
        flat = tuple(row[key] for row in rows for key in keys)
        return Pairs(keys, lambda i: self._shared(build.add(base, i), flat))

    def hidden(self, old: Rep, new: Rep, span: Span) -> Rep:
        """What of `old` is not seen in `old | new`, but worked out all the same."""
        first = self._with_own_keys(old, span)
        given = self.positions(self._with_own_keys(new, span).keys)
        both = tuple(at for at, key in enumerate(first.keys) if key_of(key) in given)
        names = tuple(first.keys[at] for at in both)
        return Pairs(names, lambda i: self.read(first.get(self.builder.lookup("hidden", both, i))))

    def merged(self, old: Rep, new: Rep, span: Span) -> Pairs:
        """`old | new`: what `new` gives, and else what `old` has."""
        first = self._with_own_keys(old, span)
        if isinstance(new, FiniteValue) and never(new.values):
            return Pairs(first.keys, lambda i: new)
        then = self._with_own_keys(new, span)
        given, kept = self.positions(then.keys), self.positions(first.keys)
        keys = (*first.keys, *(key for key in then.keys if key_of(key) not in kept))
        there = tuple(given.get(key_of(key), -1) for key in keys)
        before = tuple(kept.get(key_of(key), 0) for key in keys)

        def get(i: k.Expr) -> Rep:
            at = self.builder.lookup("given", there, i)
            low, high = build.interval(at)
            if low >= 0:
                return self.read(then.get(at))
            rest = self.read(first.get(self.builder.lookup("kept", before, i)))
            if high < 0:
                return rest
            here = self.read(then.get(build.clamped(at, 0, len(then.keys) - 1)))
            return self.join(build.le(build.integer(0), at), here, rest, span)

        return Pairs(keys, get)

    def _with_own_keys(self, rep: Rep, span: Span) -> Map | Pairs:
        if isinstance(rep, Map | Pairs):
            return rep
        fam = self.as_finite(rep)
        rows = [] if fam is None else [m for m in fam.values if m is not None]
        if fam is None or not rows or not all(isinstance(m, FrozenMap) for m in rows):
            refuse("E0730", span, "`|` takes two maps, or two sets")
        keys = tuple(rows[0])
        if any(set(m) != set(keys) for m in rows):
            refuse("E0730", span, "which keys this map has depends on play")
        return self._known_pairs(fam, [rows[0] if m is None else m for m in fam.values], keys, span)

    def bag(self, rep: Rep, span: Span) -> Bag:
        """The value as a bag."""
        match rep:
            case Bag():
                return rep
            case Map(keys=keys) | Pairs(keys=keys):
                made = self.pairs(rep, keys, span)
                numbers = [self.number(made.get(build.integer(i)), span) for i in range(len(keys))]
                most = sum(max(build.interval(n)[1], 0) for n in numbers)
                return Bag(keys, most, lambda i: self.number(made.get(i), span))
            case Const() | FiniteValue():
                fam = self.as_finite(rep)
                assert fam is not None
                if all(v is None or isinstance(v, FrozenMap | frozenset | tuple) for v in fam.values):
                    return self._known_bag(fam, span)
        refuse("E0731", span, "a bag takes a bag or `{thing: number}`")

    def _known_bag(self, fam: FiniteValue, span: Span) -> Bag:
        counts: list[dict[Any, Any]] = [
            {} if v is None else v if isinstance(v, FrozenMap) else Counter(v) for v in fam.values
        ]
        things = arranged(thing for each in counts for thing in each)
        flat = tuple(each.get(thing, 0) for each in counts for thing in things)
        index = self._present(fam.index, fam.values, span)
        base = build.mul(index, build.integer(len(things)))

        def count(i: k.Expr) -> k.Expr:
            return self.builder.lookup("count", flat, build.add(base, i))

        return Bag(things, max((sum(each.values()) for each in counts), default=0), count)

    def count(self, bag: Bag, things: tuple[Value, ...], index: k.Expr) -> k.Expr:
        """How often things[index] lies in a bag."""
        if bag.values == things:
            return bag.count(index)
        where = self.positions(bag.values)
        at = self.builder.lookup("thing", tuple(where.get(key_of(x), -1) for x in things), index)
        if build.interval(at)[1] < 0:
            return build.integer(0)
        there = build.le(build.integer(0), at)
        return build.when(there, bag.count(build.clamped(at, 0, len(bag.values) - 1)), build.integer(0))

    def parts(self, rep: Rep, size: int, span: Span) -> tuple[Rep, ...]:
        """The items of a tuple of known length."""
        if isinstance(rep, Tup) and len(rep.items) == size:
            return rep.items
        fam = self.as_finite(rep)
        if isinstance(rep, FiniteValue) and never(rep.values):
            return (rep,) * size
        columns = () if fam is None else self.tabulator.parts(fam.values, size)
        if fam is None or len(columns) != size:
            refuse("E0710", span, f"expected a tuple of {size} here")
        index = self._present(fam.index, fam.values, span)
        return tuple(self.family(index, column) for column in columns)


def _default(rep: Rep) -> tuple[Value, ...]:
    return rep.default if isinstance(rep, Map | Pairs) else ()
