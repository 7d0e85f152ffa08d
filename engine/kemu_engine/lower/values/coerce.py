"""Brings values into types, and into what a variable keeps."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.finite import key_of, values_of
from kemu_engine.lower.values.forms import Forms
from kemu_engine.lower.values.reps import Const, FiniteValue, Map, Num, Pairs, Rep, Truth, Tup
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
from kemu_engine.static.values import Value


class Coercions(Forms):
    """The conversions that need to know a type."""

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
            case BagType():
                return self.bag(rep, span)
            case MapType(keys=keys, inner=inner):
                if isinstance(rep, Map):
                    return rep
                pairs = self.pairs(rep, keys, span)
                return Pairs(keys, lambda i: self.coerce(pairs.get(i), inner, span))
            case TextType():
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
