"""Stores a whole value, of whatever type: block by block, in an order in which no block is read once it has
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import nodes, read
from kemu_engine.lower.values.context import StatementLowering
from kemu_engine.lower.values.finite import item_at
from kemu_engine.lower.values.layout import kernel_type
from kemu_engine.lower.values.leaves import Block, Cells, blocks
from kemu_engine.lower.values.place_types import kind_of
from kemu_engine.lower.values.reps import Bag, Map, Place, RecordPlace, Rep, Scalar, Seq
from kemu_engine.static.types import MapType

Key = tuple[bool, int]
"""A local (true) or a variable, by its number."""


@dataclass(frozen=True, slots=True)
class Write:
    """One block, and the new value of each of its cells."""

    block: Block
    cell: Callable[[k.Expr], k.Expr]

    @property
    def key(self) -> Key:
        return self.block.local, self.block.var


class BlockwiseStores:
    def __init__(self, statements: StatementLowering) -> None:
        self.statements = statements
        self.coercions = statements.coercions
        self.builder = statements.builder

    def store(self, place: Place, rep: Rep, span: Span) -> None:
        if isinstance(place, Seq):
            rep = self._counted(place, self.coercions.sequence(rep, span))
        for test, fault in self.limits(place, rep, span):
            if test != build.TRUE:
                self.statements.out.append(k.Check(test, fault))
        kind, cells = kind_of(place), Cells(self.coercions, span)

        def write(number: int, block: Block) -> Write:
            return Write(block, lambda at: cells.cell(rep, kind, number, at))

        writes = [write(number, block) for number, block in enumerate(blocks(place)) if self._cells(block)]
        self.statements.out.extend(self._in_order(self._settled(writes), span))

    def _counted(self, place: Seq, rep: Seq) -> Seq:
        """The list with its length worked out now."""
        kind = k.Int(0, max(rep.size, place.size))
        length = self.builder.local(f"{self.statements.frame}.length", kind)
        self.statements.out.append(k.Assign(length.id, rep.length))
        return replace(rep, length=length)

    def _cells(self, block: Block) -> bool:
        """Whether a block has any."""
        return block.local or self.builder.vars[block.var].length != 0

    # ----------------------------------------------------------------------------------------- what must hold

    def limits(self, place: Place, rep: Rep, span: Span) -> Iterator[tuple[k.Expr, int]]:
        """That the value fits into the place, as far as the kernel's types do not say it; and the faults."""
        builder = self.builder
        match place:
            case Scalar(within=(low, high, code)):
                fault = builder.fault(code, "the number is not in the range for this key", span)
                number = self.coercions.number(rep, span)
                yield build.both(build.le(low, number), build.le(number, high)), fault
            case RecordPlace(fields=fields):
                parts = self.coercions.parts(rep, len(fields), span)
                for (_, inner), part in zip(fields, parts, strict=True):
                    yield from self.limits(inner, part, span)
            case Bag():
                yield from self._bag_limits(place, self.coercions.bag(rep, span), span)
            case Seq():
                yield from self._list_limits(place, self.coercions.sequence(rep, span), span)
            case Map(keys=keys, get=get, default=default) if limited(get(build.integer(0))):
                key = builder.local("key", k.Int(0, len(keys) - 1))
                value = self.coercions.pairs(rep, keys, span, default).get(key)
                for test, fault in self.limits(get(key), value, span):
                    yield build.fold("all", key.id, build.full(len(keys)), build.TRUE, test), fault

    def _list_limits(self, place: Seq, rep: Seq, span: Span) -> Iterator[tuple[k.Expr, int]]:
        builder = self.builder
        if rep.size > place.size:
            fault = builder.fault("overfull", f"the list may hold {place.size}", span)
            yield build.le(rep.length, build.integer(place.size)), fault
        if place.room is not None:
            yield build.le(rep.length, place.room), builder.fault("overfull", "the list is full", span)
        size = min(rep.size, place.size)
        if size == 0 or place.place is None or not limited(place.place(build.integer(0))):
            return
        at = builder.local("position", k.Int(0, size - 1))
        for test, fault in self.limits(place.place(at), item_at(rep, at), span):
            yield build.fold("all", at.id, build.full(size), build.lt(at, rep.length), test), fault

    def _bag_limits(self, place: Bag, rep: Bag, span: Span) -> Iterator[tuple[k.Expr, int]]:
        counts = [rep.count(build.integer(i)) for i in range(len(rep.values))]
        strange = [n for n, x in zip(counts, rep.values, strict=True) if x not in place.values]
        if strange:
            fault = self.builder.fault("out_of_range", "nothing of the kind lies in the bag", span)
            yield build.both(*(build.eq(n, build.integer(0)) for n in strange)), fault
        if rep.place is None or rep.size > place.size or place.room is not None:
            total: k.Expr = build.integer(0)
            for count in counts:
                total = build.add(total, count)
            full = self.builder.fault("overfull", "more than the bag may hold", span)
            yield build.le(total, place.most), full

    # ------------------------------------------------------------------------------------------ in what order

    def depends(self, place: Place) -> bool:
        """Whether which place it is depends on what stands there."""
        found = blocks(place)
        changed = {(block.local, block.var) for block in found}
        return any(block.start is not None and changed & self._read(block.start) for block in found)

    def _settled(self, writes: list[Write]) -> list[Write]:
        """Where a block starts is worked out before any of them changes."""
        changed = {write.key for write in writes}
        settled: list[Write] = []
        for write in writes:
            start = write.block.start
            if start is not None and changed & self._read(start):
                start = self._kept(start)
                write = replace(write, block=replace(write.block, start=start))
            settled.append(write)
        return settled

    def _in_order(self, waiting: list[Write], span: Span) -> list[k.Stmt]:
        """Those first that the others do not look at; if they look at each other, one is made beside."""
        origin = self.builder.origin(span)
        made = [self._statement(write, origin) for write in waiting]
        reads = [self._read(statement) for statement in made]
        order: list[k.Stmt] = []
        left = list(range(len(waiting)))
        while left:
            free = [i for i in left if not any(waiting[i].key in reads[j] for j in left if j != i)]
            if free:
                order.append(made[free[0]])
                left.remove(free[0])
            else:
                stuck = next(i for i in left if reads[i])
                made[stuck] = self._statement(self._beside(waiting[stuck], made[stuck], span), origin)
                reads[stuck] = set()
        return order

    def _beside(self, write: Write, made: k.Stmt, span: Span) -> Write:
        """The block made elsewhere now, and only moved to its place then."""
        block = write.block
        if not isinstance(made, k.Fill):
            assert isinstance(made, k.Assign | k.Store | k.Put)
            value = self._kept(made.value)
            return replace(write, cell=lambda at: value)
        kind = MapType(tuple(range(block.leaf.size)), block.leaf.kind)
        (beside,) = blocks(self.statements.new_local(f"{self.statements.frame}.made", kind, span))
        self.statements.out.append(self._statement(replace(write, block=beside), made.origin))
        type_, last = kernel_type(block.leaf.kind, span), block.leaf.size - 1
        return replace(write, cell=lambda at: k.At(type_, beside.var, build.clamped(at, 0, last)))

    def _kept(self, expr: k.Expr) -> k.Expr:
        if isinstance(expr, k.Const):
            return expr
        local = self.builder.local(f"{self.statements.frame}.kept", expr.type)
        self.statements.out.append(k.Assign(local.id, expr))
        return local

    def _read(self, root: k.Expr | k.Stmt) -> set[Key]:
        """The variables and locals that an expression or a statement reads, itself or through functions."""
        found: set[Key] = set()
        entered: set[int] = set()
        waiting: list[object] = [root]
        while waiting:
            for node in nodes(waiting.pop()):
                match node:
                    case k.Load(var=var) | k.At(var=var):
                        found.add((False, var))
                    case k.Times():
                        found |= {(False, var) for var in read(self.builder.vars, node)}
                    case k.Local(id=number):
                        found.add((True, number))
                    case k.Call(function=number) if number not in entered:
                        entered.add(number)
                        function = self.builder.functions[number]
                        assert function is not None
                        waiting.append(function.body)
        return found

    # ------------------------------------------------------------------------------------------ statements

    def _statement(self, write: Write, origin: int) -> k.Stmt:
        block = write.block
        zero = build.integer(0)
        if block.local:
            return k.Assign(block.var, write.cell(zero), origin)
        if block.start is None:
            return k.Store(block.var, write.cell(zero), origin)
        if block.leaf.size == 1:
            return k.Put(block.var, block.start, write.cell(zero), origin)
        whole = self.builder.vars[block.var]
        assert whole.length is not None
        binder = self.builder.local("at", k.Int(0, whole.length - 1))
        position = build.sub(binder, block.start)
        inside = build.both(build.le(zero, position), build.lt(position, build.integer(block.leaf.size)))
        new = write.cell(position)
        if inside != build.TRUE:
            new = k.If(whole.type, inside, new, k.At(whole.type, block.var, binder))
        return k.Fill(block.var, binder.id, new, origin)


def limited(place: Place) -> bool:
    """Whether there is more to fitting into a place than the types of the kernel's variables."""
    match place:
        case Scalar(within=within):
            return within is not None
        case RecordPlace(fields=fields):
            return any(limited(part) for _, part in fields)
        case Map(get=get):
            return limited(get(build.integer(0)))
    return True
