"""Brings values into types, and into what a variable keeps."""

from __future__ import annotations

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.finite import item_at, key_of
from kemu_engine.lower.values.place_types import kind_of
from kemu_engine.lower.values.reps import Bag, Const, FiniteValue, Map, Num, Pairs, Rep, Seq, Truth, Tup
from kemu_engine.lower.values.whole import Wholes
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


class Coercions(Wholes):
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
                    return self._element(rep, "this type", self.optional(self.values_of(inner)), span)
            case SetType(values=values):
                return self.set(rep, span, values)
            case RecordType(fields=fields):
                items = self.parts(rep, len(fields), span)
                made = tuple(self.coerce(i, f, span) for i, (_, f) in zip(items, fields, strict=True))
                return Tup(made, tuple(n for n, _ in fields))
            case ListType():
                return self._list(self.sequence(rep, span), kind, span)
            case BagType():
                return self._bag(self.bag(rep, span), kind, span)
            case MapType(keys=keys, inner=inner, each=each, default=default):
                same = isinstance(rep, Map) and kind_of(rep) == MapType(keys, inner, default=rep.default)
                if same and each is None:
                    return rep
                pairs = self.pairs(rep, keys, span, default)
                kinds = each or (inner,) * len(keys)
                return Pairs(keys, lambda i: self._under(pairs.get(i), inner, kinds, i, span), default)
            case TextType():
                return rep
        refuse("E0716", span, "a value of this type cannot be made during play")

    def _under(self, rep: Rep, inner: Type, kinds: tuple[Type, ...], key: k.Expr, span: Span) -> Rep:
        """What lies under a key, brought into the type that belongs there, of those under the keys."""
        if isinstance(key, k.Const):
            return self.coerce(rep, kinds[key.value], span)
        made = self.coerce(rep, inner, span)
        sizes = tuple(kind.size for kind in kinds if isinstance(kind, BagType | ListType))
        if len(set(sizes)) > 1 and isinstance(made, Seq | Bag):
            many = made.length if isinstance(made, Seq) else self._total(made)
            room = self.builder.lookup("size", sizes, key)
            return self._tested(made, build.le(many, room), "overfull", span)
        ranges = [(kind.low, kind.high) for kind in kinds if isinstance(kind, IntType)]
        if len(set(ranges)) > 1:
            number = self.number(made, span)
            low = self.builder.lookup("lowest", tuple(r[0] for r in ranges), key)
            high = self.builder.lookup("highest", tuple(r[1] for r in ranges), key)
            inside = build.both(build.le(low, number), build.le(number, high))
            return self._tested(made, inside, "out_of_range", span)
        return made

    def _tested(self, rep: Rep, test: k.Expr, code: str, span: Span) -> Rep:
        words = "there is too much for this key" if code == "overfull" else "the number does not fit this key"
        return self.after((build.need(test, build.TRUE, self.builder.fault(code, words, span)),), rep)

    def _total(self, bag: Bag) -> k.Expr:
        """How many things lie in a bag."""
        total: k.Expr = build.integer(0)
        for i in range(len(bag.values)):
            total = build.add(total, bag.count(build.integer(i)))
        return total

    def _list(self, items: Seq, kind: ListType, span: Span) -> Seq:
        if items.kind == kind.inner and items.size <= kind.size:
            return items
        length = items.length
        if items.size > kind.size:
            fault = self.builder.fault("overfull", f"the list may hold {kind.size}", span)
            fits = build.le(length, build.integer(kind.size))
            length = build.confined(fits, length, 0, kind.size, fault)
        size = min(items.size, kind.size)
        return Seq(length, size, lambda i: self.coerce(item_at(items, i), kind.inner, span), None, kind.inner)

    def _bag(self, bag: Bag, kind: BagType, span: Span) -> Bag:
        if bag.values == kind.values and bag.size <= kind.size:
            return bag
        counts = [bag.count(build.integer(i)) for i in range(len(bag.values))]
        total = self._total(bag)
        own = set(map(key_of, kind.values))
        strange = [n for n, x in zip(counts, bag.values, strict=True) if key_of(x) not in own]
        tests = (
            (build.le(total, build.integer(kind.size)), "overfull", f"the bag may hold {kind.size}"),
            (build.both(*(build.eq(n, build.integer(0)) for n in strange)), "out_of_range",
             "nothing of the kind lies in the bag"),
            (build.both(*(build.le(build.integer(0), n) for n in counts)), "out_of_range",
             "there are fewer than none in the bag"),
        )  # fmt: skip
        first = tuple(
            k.Need(k.BOOL, test, build.TRUE, self.builder.fault(code, words, span))
            for test, code, words in tests
            if test != build.TRUE
        )
        made = self.after(first, Bag(kind.values, kind.size, lambda i: self.count(bag, kind.values, i)))
        assert isinstance(made, Bag)
        return made

    def _narrow(self, expr: k.Expr, low: int, high: int, span: Span) -> k.Expr:
        test = build.within(expr, low, high)
        if test == build.TRUE:
            return expr
        least, most = build.interval(expr)
        fault = self.builder.fault("out_of_range", f"the number is not in {low}..{high}", span)
        if most < low or high < least:
            return build.confined(test, expr, low, low, fault)
        return build.confined(test, expr, max(low, least), min(high, most), fault)

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
            index = build.confined(test, index, 0, len(values) - 1, fault)
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
                return build.add(self.remap(fam, self.optional(self.values_of(inner))), build.integer(-1))
            case SetType(values=values):
                return self.set(made, span, values).expr
        refuse("E0716", span, "a value of this type does not fit one variable")
