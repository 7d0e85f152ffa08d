"""Lays types out in kernel variables: a map is an array, a bag an array of counts, a list a length and an
array, a record its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import accumulate, chain, count, product

from kemu_grammar.syntax.ast import NOWHERE, Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import EMPTY
from kemu_engine.lower.values.builder import Builder
from kemu_engine.lower.values.reps import Bag, Const, Map, Num, Place, RecordPlace, Rep, Scalar, Seq, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import (
    MOST_CELLS,
    BagType,
    BoolType,
    ElementType,
    IntType,
    ListType,
    MapType,
    OptionOf,
    RecordType,
    SetType,
    Type,
)
from kemu_engine.static.values import Value, text_of

Read = Callable[[Scalar], Rep]
MASKED = 256  # members of sets for which there is room made in the time of a step
VARIABLE = 50  # steps of a variable, besides those of its elements
MOST_MEMBERS = 20_000_000  # in all sets of one variable together


def kernel_type(kind: Type, span: Span) -> k.Type:
    """The kernel type of a type that fits one variable."""
    match kind:
        case BoolType():
            return k.BOOL
        case IntType(low=low, high=high):
            return k.Int(low, high)
        case ElementType(values=values):
            return k.Int(0, len(values) - 1)
        case OptionOf(inner=ElementType(values=values)):
            return k.Int(-1, len(values) - 1)
        case OptionOf(inner=IntType(low=low, high=high)):
            return k.Int(-1, high - low)
        case OptionOf(inner=BoolType()):
            return k.Int(-1, 1)
        case SetType(values=values):
            return k.Set(len(values))
    refuse("E0716", span, "this type cannot be kept in state")


def nothing(kind: Type) -> int:
    """The kernel value of what was never set: so a variable begins, and so it is behind the end of a list."""
    made = kernel_type(kind, NOWHERE)
    if isinstance(kind, OptionOf) or not isinstance(made, k.Int):
        return -1 if isinstance(kind, OptionOf) else 0
    return 0 if made.low <= 0 <= made.high else made.low


def is_scalar(kind: Type) -> bool:
    return isinstance(kind, BoolType | IntType | ElementType | SetType) or (
        isinstance(kind, OptionOf) and isinstance(kind.inner, ElementType | IntType | BoolType)
    )


def texts(kind: Type) -> tuple[str, ...]:
    """How the values of a scalar type are written, from its lowest; nothing for plain numbers and truth
    values.
    """
    match kind:
        case ElementType(values=values) | SetType(values=values):
            return tuple(map(text_of, values))
        case OptionOf(inner=ElementType(values=values)):
            return ("none", *map(text_of, values))
        case OptionOf(inner=IntType(low=low, high=high)):
            return ("none", *map(str, range(low, high + 1)))
        case OptionOf(inner=BoolType()):
            return ("none", "false", "true")
    return ()


class Layout:
    """Allocates variables in a builder. `seen`: masks of who sees each element along the outermost key, if
    not all do.
    """

    def __init__(self, builder: Builder, read: Read) -> None:
        self.builder = builder
        self.read = read
        self._taken: set[str] = set()  # names of locals, and what they begin with up to a dot

    def allocate(
        self, name: str, kind: Type, span: Span, seen: tuple[int, ...] | None = None, local: bool = False
    ) -> Place:
        """A place for a state variable, or (local) for a list, bag or map of a rule."""
        start = len(self.builder.vars)
        if local:
            name = self._own(name)
        place = self._place(name, kind, (), span, seen)(None)
        for i in range(start, len(self.builder.vars)):
            self.builder.vars[i] = var = replace(self.builder.vars[i], local=local)
            if local:
                self._taken.update(_beginnings(var.name))
        return place

    def history(self, name: str, vars: tuple[int, ...]) -> int:
        """A variable for what these have been."""
        self.builder.vars.append(k.Var(name, k.History(vars), None, EMPTY))
        return len(self.builder.vars) - 1

    def _own(self, name: str) -> str:
        """The name of a local that no other has, nor a part of one: two blocks of a rule may use the same."""
        names = chain((name,), (f"{name}#{number}" for number in count(2)))
        return next(each for each in names if each not in self._taken)

    def _place(
        self,
        name: str,
        kind: Type,
        dims: tuple[tuple[Value, ...], ...],
        span: Span,
        seen: tuple[int, ...] | None,
    ) -> Callable[[k.Expr | None], Place]:
        if is_scalar(kind):
            return self._scalar(name, kind, dims, span, seen)
        match kind:
            case MapType(keys=keys, inner=inner):
                element = self._place(name, inner, (*dims, keys), span, seen)
                default = kind.default
                if kind.each is None:
                    return lambda base: Map(
                        keys, lambda i: element(_flat(base, len(keys), i)), default=default
                    )
                kinds = kind.each
                return lambda base: Map(
                    keys,
                    lambda i: self._limited(element(_flat(base, len(keys), i)), kinds, i),
                    default=default,
                )
            case BagType(values=values, size=size):
                counts = self._scalar(name, IntType(0, size), (*dims, values), span, seen)

                def bag(base: k.Expr | None) -> Place:
                    def at(i: k.Expr) -> Scalar:
                        return counts(_flat(base, len(values), i))

                    return Bag(values, size, lambda i: _number(self.read(at(i))), at)

                return bag
            case ListType(inner=inner, size=size):
                if size > MOST_CELLS:
                    refuse("E0717", span, f"`{name}` would have {size:,} elements; at most {MOST_CELLS:,}")
                length = self._scalar(self._length(name), IntType(0, size), dims, span, seen)
                item = self._place(name, inner, (*dims, tuple(range(size))), span, seen)

                def sequence(base: k.Expr | None) -> Place:
                    def at(i: k.Expr) -> Place:
                        return item(_flat(base, size, i))

                    def get(i: k.Expr) -> Rep:
                        return self.rep(at(i))

                    many = length(base)
                    return Seq(_number(self.read(many)), size, get, many, inner, at)

                return sequence
            case RecordType(fields=fields):
                parts = [(n, self._place(f"{name}.{n}", inner, dims, span, seen)) for n, inner in fields]
                return lambda base: RecordPlace(tuple((n, part(base)) for n, part in parts))
        if isinstance(kind, OptionOf):
            what = "a number, a truth value, an element of a domain, or a tuple of these"
            refuse("E0716", span, f"`{name}` may be none, which only {what} may be in play")
        refuse("E0716", span, f"`{name}` has a type that cannot be kept in state")

    def _length(self, name: str) -> str:
        """What the length of a list is called: of a list in it, `name.len.len`."""
        taken = {var.name for var in self.builder.vars}
        length = f"{name}.len"
        while length in taken:
            length += ".len"
        return length

    def _limited(self, place: Place, kinds: tuple[Type, ...], key: k.Expr) -> Place:
        """What lies under a key of a map whose values have sizes of their own."""
        sizes = tuple(kind.size for kind in kinds if isinstance(kind, BagType | ListType))
        ranges = [(kind.low, kind.high) for kind in kinds if isinstance(kind, IntType)]
        match place:
            case Bag() | Seq():
                return replace(place, room=self.builder.lookup("size", sizes, key))
            case Scalar():
                low = self.builder.lookup("lowest", tuple(r[0] for r in ranges), key)
                high = self.builder.lookup("highest", tuple(r[1] for r in ranges), key)
                return replace(place, within=(low, high, "out_of_range"))
        return place

    def rep(self, place: Place) -> Rep:
        """What stands at a place."""
        if isinstance(place, Scalar):
            return self.read(place)
        if isinstance(place, RecordPlace):
            return Tup(tuple(self.rep(p) for _, p in place.fields), tuple(n for n, _ in place.fields))
        return place

    def _scalar(
        self,
        name: str,
        kind: Type,
        dims: tuple[tuple[Value, ...], ...],
        span: Span,
        seen: tuple[int, ...] | None,
    ) -> Callable[[k.Expr | None], Scalar]:
        made, start = kernel_type(kind, span), nothing(kind)
        size = 1
        for keys in dims:
            size *= len(keys)
        if size > MOST_CELLS:
            refuse(
                "E0717", span, f"`{name}` would have {size:,} elements; at most {MOST_CELLS:,} are possible"
            )
        if isinstance(made, k.Set) and size * made.size > MOST_MEMBERS:
            refuse(
                "E0717", span, f"the sets of `{name}` would have room for more than {MOST_MEMBERS:,} members"
            )
        members = size * made.size // MASKED if isinstance(made, k.Set) else 0
        self.builder.work.spend(VARIABLE + size + members, span)
        number, words = len(self.builder.vars), texts(kind)
        self.builder.work.spend(len(words), span)
        if not dims:
            self.builder.vars.append(k.Var(name, made, None, start, (), words, seen))
            return lambda base: Scalar(kind, number)
        labels = tuple(", ".join(map(text_of, key)) for key in product(*dims))
        masks = None if seen is None else tuple(seen[i * len(seen) // size] for i in range(size))
        self.builder.vars.append(k.Var(name, made, size, (start,) * size, labels, words, masks))
        return lambda base: Scalar(kind, number, build.integer(0) if base is None else base)


def _beginnings(name: str) -> Iterator[str]:
    """`a`, `a.b`, `a.b.c` of `a.b.c`."""
    return accumulate(name.split("."), "{}.{}".format)


def _flat(base: k.Expr | None, size: int, index: k.Expr) -> k.Expr:
    return index if base is None else build.add(build.mul(base, build.integer(size)), index)


def _number(rep: Rep) -> k.Expr:
    if isinstance(rep, Num):
        return rep.expr
    assert isinstance(rep, Const)
    return build.integer(rep.value)
