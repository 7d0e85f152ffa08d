"""Gathers the parts of a program while it is lowered: tables, locals, faults, origins, functions, blocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kemu_grammar.syntax.ast import Span

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.tree_size import TreeSizes
from kemu_engine.static.work import Work

TOUCHED = 16  # values of a table that are looked at in the time of a step
BITS = 32  # of a set that take as much room, in time and memory, as a number
DIGITS = bytes.maketrans(b"\0\1", b"01")

SHORT = 16  # values that are looked through anew


class Column:
    """What is known of values that are looked up again and again."""

    __slots__ = ("_ends", "same", "shifted", "table", "truths", "values")

    def __init__(self, values: tuple[int, ...]) -> None:
        self.values = values  # held, so that no other values have its identity
        first = values[0]
        self.truths = set(map(type, values)) == {bool}
        self.same = all(v == first for v in values)
        self.shifted = len(values) > 1 and all(v == first + i for i, v in enumerate(values))
        self.table: int | None = None  # its number in the program, once it is there
        self._ends: dict[tuple[int, int], tuple[int, int]] = {}

    def between(self, low: int, high: int) -> tuple[int, int]:
        """The least and the greatest at these positions."""
        found = self._ends.get((low, high))
        if found is None:
            seen = self.values[max(low, 0) : high + 1]
            found = self._ends[low, high] = min(seen), max(seen)
        return found


@dataclass(slots=True)
class Builder:
    citations: dict[str, dict[int, tuple[str, ...]]]
    work: Work
    locals: list[k.LocalInfo] = field(default_factory=list)
    vars: list[k.Var] = field(default_factory=list)
    tables: list[k.Table] = field(default_factory=list)
    domains: list[k.Domain] = field(default_factory=list)
    functions: list[k.Function | None] = field(default_factory=list)
    faults: list[k.Fault] = field(default_factory=list)
    origins: list[k.Origin] = field(default_factory=list)
    blocks: list[k.Block | None] = field(default_factory=list)
    context: tuple[str, ...] = ()  # citations of the declaration that is being lowered
    sizes: TreeSizes = field(default_factory=TreeSizes)
    _seen: dict[Any, int] = field(default_factory=dict)
    _columns: dict[int, Column] = field(default_factory=dict)  # by identity, which hashing would cost more

    def local(self, name: str, kind: k.Type, texts: tuple[str, ...] = ()) -> k.Local:
        self.work.spend(1 + len(texts) // 4)
        told = texts if len(set(texts)) == len(texts) else ()
        self.locals.append(k.LocalInfo(name, kind, told))
        return k.Local(kind, len(self.locals) - 1)

    def _once(self, key: Any, items: list[Any], item: Any) -> int:
        if key not in self._seen:
            items.append(item)
            self._seen[key] = len(items) - 1
        return self._seen[key]

    def domain(self, name: str, texts: tuple[str, ...]) -> int:
        return self._once(("domain", texts), self.domains, k.Domain(name, texts))

    def origin(self, span: Span) -> int:
        cites = self.citations.get(span.file, {}).get(span.line, ()) or self.context
        return self._once(("origin", span, cites), self.origins, k.Origin(span, cites))

    def fault(self, code: str, message: str, span: Span, name: str = "") -> int:
        origin = self.origin(span)
        return self._once(("fault", code, message, origin), self.faults, k.Fault(code, message, origin, name))

    def lookup(
        self, name: str, values: tuple[int, ...], index: k.Expr, universe: int | None = None
    ) -> k.Expr:
        """values[index]: truth values if all are, masks over `universe` if given, else numbers. Folds what is
        constant, identical or shifted.
        """
        if isinstance(index, k.Const):
            values, index = (values[index.value],), build.integer(0)
        self.work.spend(1 + len(values) * (1 + (universe or 0) // BITS) // TOUCHED)
        column = self._column(values)
        first = values[0]
        if universe is None and column.truths:
            return self._truths(name, values, index)
        if column.same and not build.faults(index):
            return build.integer(first) if universe is None else build.mask(universe, first)
        if universe is not None:
            kind: k.Type = k.Set(universe)
        else:
            if column.shifted:
                known = build.interval(index) == (0, 0) and not build.faults(index)
                return build.integer(first) if known else build.add(index, build.integer(first))
            kind = k.Int(*column.between(*build.interval(index)))
        if column.table is None:
            column.table = self._once(("table", values), self.tables, k.Table(name, values))
        return k.Lookup(kind, column.table, index)

    def _column(self, values: tuple[int, ...]) -> Column:
        if len(values) <= SHORT:
            return Column(values)
        found = self._columns.get(id(values))
        if found is None:
            found = self._columns[id(values)] = Column(values)
        return found

    def _truths(self, name: str, values: tuple[int, ...], index: k.Expr) -> k.Expr:
        low, high = build.interval(index)
        inside = values[max(low, 0) : high + 1]
        if all(inside) or not any(inside):
            return build.member(index, build.mask(len(values), _mask(values)))
        true, first, without = values.count(True), values.index(True), values.index(False)
        if true == 1:
            return build.eq(index, build.integer(first))
        if true == len(values) - 1:
            return build.ne(index, build.integer(without))
        if first == len(values) - true:
            return build.le(build.integer(first), index)
        if without == true:
            return build.le(index, build.integer(true - 1))
        return build.member(index, build.mask(len(values), _mask(values)))


def _mask(values: tuple[int, ...]) -> int:
    """The positions that hold true."""
    return int(bytes(values[::-1]).translate(DIGITS), 2)
