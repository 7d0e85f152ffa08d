"""Functions of known values written out row by row, each table made once and shared."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Literal

from kemu_engine.static.problems import NO_FIELD, StaticFault
from kemu_engine.static.values import Value, exact
from kemu_engine.static.work import Work

WORDS = {  # of a fault whose rows would tell it in different words
    "bad_index": "there is no such element",
    "empty_min": "the least or greatest of nothing",
    "missing_value": "none where a value is wanted",
    "out_of_range": "the value is not in its range",
}
Column = tuple[Value, ...]
Form = Literal["same", "truths", "numbers", "other"]


class Same:
    """Something as a key: equal only to itself, and kept alive so that its identity is not used again."""

    __slots__ = ("it",)

    def __init__(self, it: object) -> None:
        self.it = it

    def __hash__(self) -> int:
        return id(self.it)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.it is self.it


@dataclass(frozen=True, slots=True)
class Rows:
    """The results of a function, row by row: the last argument runs fastest. `wrong`: the rows that end in
    `fault`.
    """

    values: Column
    wrong: frozenset[int]
    fault: StaticFault | None


class Tabulator:
    def __init__(self, work: Work) -> None:
        self.work = work
        self._rows: dict[Any, Rows] = {}
        self._columns: dict[Any, Column] = {}
        self._forms: dict[Same, Form] = {}
        self._distinct: dict[Same, tuple[Column, tuple[int, ...]]] = {}

    def rows(
        self, function: Callable[..., Value], columns: list[Column], key: Hashable, name: str = ""
    ) -> Rows:
        """function(*row) for all rows of the columns. `key`: what says which function it is; None: do not
        remember. `name`: that of a function of the rules file.
        """
        known = (key, tuple(_column(c) for c in columns))
        if key is None or known not in self._rows:
            made = self._made(function, columns, name)
            if key is None:
                return made
            self._rows[known] = made
        return self._rows[known]

    def _made(self, function: Callable[..., Value], columns: list[Column], name: str) -> Rows:
        keys = prod(map(len, columns))
        if not name or keys < 2:
            self.work.spend(keys)
            return _rows(function, columns)
        with self.work.of(name, keys):
            self.work.spend(keys)
            return _rows(function, columns)

    def column(self, key: Hashable, make: Callable[[], Column]) -> Column:
        """The column that a key stands for; made once, so that it is the same object every time."""
        if key not in self._columns:
            self._columns[key] = make()
        return self._columns[key]

    def form(self, values: Column) -> Form:
        """What the values of a column are: all the same, all truth values, all plain numbers, or other."""
        same = Same(values)
        if same not in self._forms:
            self._forms[same] = _form(values)
        return self._forms[same]

    def parts(self, values: Column, size: int) -> tuple[Column, ...]:
        """A column of tuples as one column for each place in them; nothing if not all have that size."""

        def made() -> Column:
            filler = next((v for v in values if v is not None), None)
            rows: list[Any] = [filler if v is None else v for v in values]
            if not all(isinstance(r, tuple) and len(r) == size for r in rows):
                return ()
            return tuple(tuple(r[i] for r in rows) for i in range(size))

        return self.column(("parts", size, Same(values)), made)

    def distinct(self, values: Column) -> tuple[Column, tuple[int, ...]]:
        """The different values of a column, in order of first appearance, and the position of each row's
        among them.
        """
        same = Same(values)
        if same not in self._distinct:
            found: dict[Any, int] = {}
            positions = tuple(found.setdefault(exact(v), len(found)) for v in values)
            if len(found) == len(values):
                self._distinct[same] = (values, positions)
            else:
                first = dict(zip(reversed(positions), reversed(values), strict=True))
                self._distinct[same] = (tuple(first[i] for i in range(len(found))), positions)
        return self._distinct[same]


def _rows(function: Callable[..., Value], columns: list[Column]) -> Rows:
    values: list[Value] = []
    wrong: set[int] = set()
    fault: StaticFault | None = None
    for row in product(*columns):
        try:
            values.append(function(*row))
        except StaticFault as problem:
            if fault is None or problem.code == NO_FIELD:
                fault = problem
            elif problem.message != fault.message:
                fault = StaticFault(fault.code, WORDS.get(fault.code, fault.message), fault.span)
            wrong.add(len(values))
            values.append(None)
    if fault is not None and len(wrong) < len(values):
        good = next(v for i, v in enumerate(values) if i not in wrong)
        values = [good if i in wrong else v for i, v in enumerate(values)]
    return Rows(tuple(values), frozenset(wrong), fault)


def _form(values: Column) -> Form:
    if not values:
        return "other"
    first = values[0]
    if all(type(v) is type(first) and v == first for v in values):
        return "same"
    kinds = set(map(type, values))
    return "truths" if kinds == {bool} else "numbers" if kinds == {int} else "other"


def _column(column: Column) -> Hashable:
    return exact(column[0]) if len(column) == 1 else Same(column)
