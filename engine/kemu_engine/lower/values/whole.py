"""What is put together is worked out as a whole: whatever is looked at of it, the faults of all its parts are
met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import nodes
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.finite import item_at
from kemu_engine.lower.values.forms import Forms
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

Faulty = tuple[k.Expr, ...]
"""Kernel expressions that have to be evaluated because they might fault."""


class Wholes(Forms):
    """Whoever looks at a part of a value evaluates what might fault of the whole."""

    def __init__(self, builder: Builder) -> None:
        super().__init__(builder)
        self._faulting: dict[int, bool] = {}  # functions

    def bag(self, rep: Rep, span: Span) -> Bag:
        made = super().bag(rep, span)
        if made.values or not isinstance(rep, FiniteValue) or not self._may_fault(rep.index):
            return made
        # one that always faults: of a thing that lies in no bag
        return Bag((None,), 0, lambda _: self.evaluated((rep.index,), build.integer(0)))

    def faulty(self, rep: Rep | Place) -> Faulty:
        """What of a value might fault."""
        match rep:
            case Const():
                return ()
            case Num(expr=expr) | Truth(expr=expr) | SetOf(expr=expr) | FiniteValue(index=expr):
                return (expr,) if self._may_fault(expr) else ()
            case Tup(items=items):
                return self.all_faulty(*items)
            case Scalar() | RecordPlace():
                return self.faulty(self.read(rep))
            case Map(get=get):  # what lies under a key might fault only as all of it does
                return self.faulty(get(build.integer(0)))
            case Pairs(keys=keys, get=value):
                return self._each(len(keys), value, build.TRUE)
            case Bag(values=values, count=count, place=None):
                return self._each(len(values), lambda i: Num(count(i)), build.TRUE)
            case Bag(count=count):
                return self.faulty(Num(count(build.integer(0))))
            case Seq(length=length, size=size, place=None):
                return (*self.faulty(Num(length)), *self._each(size, lambda i: item_at(rep, i), length))
            case Seq(length=length):
                return self.faulty(Num(length))

    def all_faulty(self, *reps: Rep) -> Faulty:
        return tuple(expr for rep in reps for expr in self.faulty(rep))

    def _each(self, size: int, item: Callable[[k.Expr], Rep], length: k.Expr) -> Faulty:
        """What might fault of so many items, or of those before a length."""
        if size == 0:
            return ()
        at = self.builder.local("position", k.Int(0, size - 1))
        met = self.evaluated(self.faulty(item(at)), build.TRUE)
        if met == build.TRUE:
            return ()
        inside = build.TRUE if length == build.TRUE else build.lt(at, length)
        return (build.fold("all", at.id, build.full(size), inside, met),)

    def evaluated(self, first: Faulty, value: k.Expr) -> k.Expr:
        """The value, after what might fault."""
        for expr in reversed(first):
            if not any(expr == part for part in _surely(value)):
                value = k.Let(value.type, self.builder.local("met", expr.type).id, expr, value)
        return value

    def after(self, first: Faulty, rep: Rep) -> Rep:
        """The value, after what might fault: that belongs to one of its parts from now on."""
        if not first:
            return rep
        match rep:
            case Const(value=bool() as value):
                return Truth(self.evaluated(first, build.truth(value)))
            case Const(value=value):
                return FiniteValue(self.evaluated(first, build.integer(0)), (value, value))
            case Num(expr=expr):
                return Num(self.evaluated(first, expr))
            case Truth(expr=expr):
                return Truth(self.evaluated(first, expr))
            case SetOf(expr=expr, values=values):
                return SetOf(self.evaluated(first, expr), values)
            case FiniteValue(index=index, values=values):
                return FiniteValue(self.evaluated(first, index), values)
            case Tup(items=(), seq=True):
                return Seq(self.evaluated(first, build.integer(0)), 0, lambda _: Const(None))
            case Tup(items=items, fields=fields, seq=seq):
                return Tup((self.after(first, items[0]), *items[1:]), fields, seq)
            case Map(keys=keys, get=place, default=default):
                return self.after(first, Pairs(keys, lambda i: self.read(place(i)), default))
            case Pairs(keys=keys, get=get, default=default):
                return Pairs(keys, lambda i: self.after(first, get(i)) if _first(i) else get(i), default)
            case Bag(values=values, size=size, count=count):
                return Bag(values, size, lambda i: self.evaluated(first, count(i)) if _first(i) else count(i))
            case Seq(length=length, size=size, get=get, kind=kind):
                return Seq(self.evaluated(first, length), size, get, None, kind)

    def _may_fault(self, root: k.Expr) -> bool:
        """Whether evaluating an expression might fault, itself or in a function that it calls."""
        if not build.faults(root):
            return False
        for node in nodes(root):
            match node:
                case k.Need() | k.Check() | k.Loop() | k.Trial():
                    return True
                case k.Call(function=number):
                    if self._calls_fault(number):
                        return True
        return False

    def _calls_fault(self, number: int) -> bool:
        if number not in self._faulting:
            function = self.builder.functions[number]
            assert function is not None, "functions of play do not call themselves"
            found = any(isinstance(x, k.Need | k.Check | k.Loop | k.Trial) for x in nodes(function.body))
            calls = {x.function for x in nodes(function.body) if isinstance(x, k.Call)}
            self._faulting[number] = found or any(map(self._calls_fault, calls))
        return self._faulting[number]

    def made_faulty(self, rep: Rep) -> Faulty:
        """What might fault of a value that is put together, so that a part of it does without the others."""
        stored = isinstance(rep, Map) or (isinstance(rep, Seq | Bag) and rep.place is not None)
        return () if stored or isinstance(rep, FiniteValue | Const) else self.faulty(rep)


def _surely(expr: k.Expr) -> Iterator[k.Expr]:
    """The expressions that are evaluated whenever this one is."""
    yield expr
    match expr:
        case k.Op(op="and" | "or", args=(first, *_)) | k.If(test=first) | k.Fold(over=first):
            yield from _surely(first)
        case k.Op(args=args) | k.Call(args=args):
            for arg in args:
                yield from _surely(arg)
        case k.At(index=index) | k.Lookup(index=index):
            yield from _surely(index)
        case k.Need(test=test, value=value):
            yield from _surely(test)
            yield from _surely(value)
        case k.Let(value=value, body=body):
            yield from _surely(value)
            yield from _surely(body)


def _first(index: k.Expr) -> bool:
    """Whether an index may be that of the first part."""
    return build.interval(index)[0] <= 0
