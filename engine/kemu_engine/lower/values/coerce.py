"""Brings values together and into types: the two ways of an `if`, lists, what a variable keeps."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.finite import FiniteValues, is_number, is_truth, item_at, key_of, values_of
from kemu_engine.lower.values.reps import Const, FiniteValue, Num, Rep, Seq, SetOf, Truth, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import (
    AnyInt,
    BagType,
    BoolType,
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionOf,
    RecordType,
    SetType,
    TextType,
    Type,
    admit,
)
from kemu_engine.static.values import Value, iterate

TRUTHS = (False, True)


class Coercions(FiniteValues):
    """The conversions of coercions, and those that need to know a type."""

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
        if isinstance(a, Seq) or isinstance(b, Seq):
            return self._join_lists(test, self.sequence(a, span), self.sequence(b, span), span)
        fa, fb = self.as_finite(a), self.as_finite(b)
        if fa is None or fb is None:
            refuse("E0718", span, "the two values of this `if` have incompatible types")
        known = self.positions(fa.values)
        values = (*fa.values, *(v for v in fb.values if key_of(v) not in known))
        return self.family(build.when(test, fa.index, self.remap(fb, values)), values)

    def _join_lists(self, test: k.Expr, a: Seq, b: Seq, span: Span) -> Seq:
        def get(i: k.Expr) -> Rep:
            if a.size == 0 or b.size == 0:
                return item_at(b if a.size == 0 else a, i)
            return self.join(test, item_at(a, i), item_at(b, i), span)

        kind = a.kind if a.kind == b.kind else None
        return Seq(build.when(test, a.length, b.length), max(a.size, b.size), get, None, kind)

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

    def coerce(self, rep: Rep, kind: Type, span: Span) -> Rep:
        """The value brought into a type: a fault of play if it may not fit, an error if it never does."""
        if isinstance(rep, Const):
            return Const(admit(kind, rep.value, span))
        match kind:
            case BoolType():
                return Truth(self.truth(rep, span))
            case AnyInt():
                return Num(self.number(rep, span))
            case IntType(low=low, high=high):
                return Num(self._narrow(self.number(rep, span), low, high, span))
            case ElementType(name=name, values=values):
                return self._element(rep, name, values, span)
            case OptionOf(inner=inner):
                if isinstance(inner, ElementType | IntType | BoolType):
                    values = values_of(inner)
                    return self._element(rep, "this type", (None, *values), span)
            case SetType(values=values):
                return self.set(rep, span, values)
            case RecordType(fields=fields):
                items = self.parts(rep, len(fields), span)
                made = tuple(self.coerce(i, f, span) for i, (_, f) in zip(items, fields, strict=True))
                return Tup(made, tuple(n for n, _ in fields))
            case ListType(inner=inner):
                seq = self.sequence(rep, span)
                return seq if seq.kind is not None else replace(seq, kind=inner)
            case BagType() | MapType() | TextType():
                return rep
        refuse("E0716", span, "a value of this type cannot be made during play")

    def _narrow(self, expr: k.Expr, low: int, high: int, span: Span) -> k.Expr:
        test = build.within(expr, low, high)
        if test == build.TRUE:
            return expr
        have = build.interval(expr)
        fault = self.builder.fault("out_of_range", f"the number is not in {low}..{high}", span)
        kind = (
            k.Int(max(low, have[0]), min(high, have[1]))
            if max(low, have[0]) <= min(high, have[1])
            else k.Int(low, low)
        )
        return k.Need(kind, test, expr, fault)

    def _element(self, rep: Rep, name: str, values: tuple[Value, ...], span: Span) -> Rep:
        fam = self.as_finite(rep)
        if fam is None:
            refuse("E0710", span, f"expected an element of {name} here")
        index = self.remap(fam, values)
        low, _ = build.interval(index)
        if low < 0:
            inside = set(map(key_of, values))
            if all(v is None or key_of(v) in inside for v in fam.values):
                fault = self.builder.fault("missing_value", "none where a value is wanted", span)
            else:
                fault = self.builder.fault("out_of_range", f"the value is not in {name}", span)
            test = build.le(build.integer(0), index)
            index = k.Need(k.Int(0, len(values) - 1), test, index, fault)
        return FiniteValue(index, values)

    def parts(self, rep: Rep, size: int, span: Span) -> tuple[Rep, ...]:
        """The items of a tuple of known length."""
        if isinstance(rep, Tup) and len(rep.items) == size:
            return rep.items
        fam = self.as_finite(rep)
        columns = () if fam is None else self.tabulator.parts(fam.values, size)
        if fam is None or len(columns) != size:
            refuse("E0710", span, f"expected a tuple of {size} here")
        index = self._present(fam.index, fam.values, span)
        return tuple(self.family(index, column) for column in columns)

    def encode(self, rep: Rep, kind: Type, span: Span) -> k.Expr:
        """The kernel value that keeps `rep` in a variable of a scalar type."""
        made = self.coerce(rep, kind, span)
        match kind:
            case BoolType():
                return self.truth(made, span)
            case IntType():
                return self.number(made, span)
            case ElementType(values=values):
                fam = self.as_finite(made)
                assert fam is not None
                return self.remap(fam, values)
            case OptionOf(inner=inner):
                fam = self.as_finite(made)
                assert fam is not None
                return build.add(self.remap(fam, (None, *values_of(inner))), build.integer(-1))
            case SetType(values=values):
                return self.set(made, span, values).expr
        refuse("E0716", span, "a value of this type does not fit one variable")

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
                values = values_of(inner)
                return FiniteValue(build.add(expr, build.integer(1)), self.optional(values))
            case SetType(values=values):
                return SetOf(expr, values)
        raise AssertionError(kind)
