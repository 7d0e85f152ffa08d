"""Ranges of integers: what is said to be in a range is in it, by the types of its parts; and what is given a
value can hold it. So types tell where an expression cannot fault.
"""

from typing import Any

from kemu_checker.intervals import Interval, hull, of_fold, of_operator, within
from kemu_checker.text import BadText, Node

CLOCK = 0, 1 << 62
_ARITHMETIC = {"add", "sub", "mul", "neg", "abs", "min", "max", "div", "mod"}


class Ranges:
    """Looks at nodes whose parts are of the right kinds, one by one."""

    def __init__(self, program: Node, definitions: tuple[Node, ...] = ()) -> None:
        self.definitions = definitions
        self.vars, self.locals, self.tables = program.fields[3:6]
        self.functions = program.fields[7]
        self._least: dict[tuple[int, Interval], Interval] = {}
        self._most: dict[int, tuple[Node, int]] = {}

    def node(self, node: Node) -> None:
        """One node; not what is in it."""
        look = getattr(self, f"_{node.kind.lower()}", None)
        if look is not None:
            look(*node.fields)

    def of(self, expr: Node) -> Interval | None:
        """The range that an integer is said to be in."""
        while expr.kind == "Def":
            expr = self.definitions[expr.fields[0]]
        return CLOCK if expr.kind == "Clock" else _range(expr.fields[0])

    def _says(self, result: Node, actual: Interval | None) -> None:
        said = _range(result)
        if said is not None and actual is not None and not within(actual, said):
            raise BadText(f"an integer {_words(actual)} is said to be {_words(said)}")

    def _holds(self, local: int, given: Interval | None) -> None:
        self._fits(self.locals[local], given)

    def _fits(self, declared: Node, given: Interval | None) -> None:
        room = _range(declared.fields[1])
        if room is not None and given is not None and not within(given, room):
            raise BadText(f"{declared.fields[0]} is {_words(room)} and given {_words(given)}")

    def _elements(self, local: int, size: int) -> None:
        """The local takes the elements of a set of this size."""
        if size:
            self._holds(local, (0, size - 1))

    def most(self, members: Node) -> int:
        """How many elements a set has at most."""
        while members.kind == "Def":
            members = self.definitions[members.fields[0]]
        if id(members) not in self._most:  # definitions may speak of each other often
            self._most[id(members)] = members, self._of_set(members)
        return self._most[id(members)][1]

    def _of_set(self, members: Node) -> int:
        if members.kind == "Const":
            return int(members.fields[1].bit_count())
        if members.kind == "Op" and members.fields[1] in ("inter", "diff"):
            parts = members.fields[2][: 1 if members.fields[1] == "diff" else None]
            return min(map(self.most, parts))
        return int(members.fields[0].fields[0])

    # Expressions

    def _local(self, result: Node, local: int) -> None:
        self._says(result, _range(self.locals[local].fields[1]))

    def _load(self, result: Node, var: int, _: Any = None) -> None:
        self._says(result, _range(self.vars[var].fields[1]))

    _at = _load

    def _lookup(self, result: Node, table: int, index: Node) -> None:
        entries, where = self.tables[table].fields[1], self.of(index)
        if result.kind != "Int" or where is None:
            return
        if (table, where) not in self._least:
            some = entries[max(where[0], 0) : max(where[1] + 1, 0)]
            self._least[table, where] = (min(some), max(some)) if some else (0, -1)
        found = self._least[table, where]
        self._says(result, found if found[0] <= found[1] else None)

    def _times(self, result: Node, var: int) -> None:
        self._says(result, (0, 255))

    def _op(self, result: Node, operator: str, arguments: tuple[Node, ...]) -> None:
        if operator == "card":
            self._says(result, (0, self.most(arguments[0])))
        elif operator in _ARITHMETIC:
            parts = [part for each in arguments if (part := self.of(each)) is not None]
            self._says(result, of_operator(operator, parts))

    def _if(self, result: Node, test: Node, then: Node, other: Node) -> None:
        parts = [part for each in (then, other) if (part := self.of(each)) is not None]
        self._says(result, hull(parts) if parts else None)

    def _fold(self, result: Node, operator: str, binder: int, over: Node, where: Node, body: Node) -> None:
        size, inside = over_size(self.definitions, over), self.of(body) or (0, 1)
        self._elements(binder, size)
        if operator == "first":
            self._says(result, (-1, size - 1))
        elif operator != "set":
            self._says(result, of_fold(operator, self.most(over), inside))

    def _closure(self, result: Node, seed: Node, binder: int, step: Node) -> None:
        self._elements(binder, result.fields[0])

    def _let(self, result: Node, local: int, value: Node, body: Node) -> None:
        self._holds(local, self.of(value))
        self._says(result, self.of(body))

    def _call(self, result: Node, function: int, arguments: tuple[Node, ...]) -> None:
        _, params, returned, _ = self.functions[function].fields
        self._says(result, _range(returned))
        for local, each in zip(params, arguments, strict=True):
            self._holds(local, self.of(each))

    def _trial(self, result: Node, code: Any, test: Node) -> None:
        self._says(result, self.of(test))

    # Statements, and what gives values to locals elsewhere

    def _assign(self, local: int, value: Node) -> None:
        self._holds(local, self.of(value))

    def _store(self, var: int, value: Node) -> None:
        self._fits(self.vars[var], self.of(value))

    def _put(self, var: int, index: Node, value: Node) -> None:
        self._fits(self.vars[var], self.of(value))

    def _fill(self, var: int, binder: int, value: Node) -> None:
        self._elements(binder, self.vars[var].fields[2])
        self._fits(self.vars[var], self.of(value))

    def _for(self, local: int, over: Node, code: Any) -> None:
        self._elements(local, over_size(self.definitions, over))

    def _param(self, name: str, local: int, over: Node, where: Node, domain: int) -> None:
        self._elements(local, over_size(self.definitions, over))

    def returned(self, said: Node, value: Node) -> None:
        """What a function returns is in the range that it says."""
        self._says(said, self.of(value))


def over_size(definitions: tuple[Node, ...], over: Node) -> int:
    """The size of a set's type."""
    while over.kind == "Def":
        over = definitions[over.fields[0]]
    return int(over.fields[0].fields[0])


def _range(kind: Node) -> Interval | None:
    return kind.fields if kind.kind == "Int" else None


def _words(interval: Interval) -> str:
    return f"{interval[0]}..{interval[1]}"
