"""What is not worked out, because it depends on what is forgotten: any value of its type."""

from collections.abc import Callable
from typing import Any

from kemu_checker.cases import Cases, Value
from kemu_checker.looks import Looks, below
from kemu_checker.state import State
from kemu_checker.text import Node
from kemu_checker.values import Values

Expr = Callable[[State], Value]


def _long(node: Node) -> bool:
    """Whether it is not looked at if it depends on something forgotten: its values are plain to see."""
    return node.kind == "Closure" or (node.kind == "Fold" and node.fields[1] in ("any", "all"))


def key_of(value: Any) -> Any:
    """The same for the same value, as long as the value is kept."""
    if type(value) is int:
        return value
    if type(value) is Cases:
        return tuple((n, cond if type(cond) is int else id(cond)) for n, cond in value.table)
    return id(value), None


def size_of(kind: Node) -> int | None:
    """The size of a type of sets."""
    return kind.fields[0] if kind.kind == "Set" else None


def kind_of(item: Node) -> tuple[str, tuple[Any, ...]]:
    """A type as its name and its bounds."""
    return item.kind, item.fields


class Anything:
    """Makes functions of expressions that are not worked out."""

    def __init__(self, values: Values, looks: Looks) -> None:
        self.values, self.looks = values, looks
        self._known: dict[Any, tuple[list[Any], Value]] = {}

    def instead(self, node: Node) -> Expr | None:
        """What gives any value; None if the expression is worked out."""
        if self.looks.loose(node):
            return self._same(node)
        if _long(node) and self.looks.hazy(node) and not self.looks.faulty(node):
            return self._any_of(node)
        return None

    def _any_of(self, node: Node) -> Expr:
        """Any value that it can have; what it depends on is forgotten, and it does not fault."""
        judges = node.kind == "Fold" and node.fields[1] in ("any", "all")
        kind, args = ("Bool", ()) if judges else kind_of(node.fields[0])

        def evaluate(state: State) -> Value:
            self.values.terms.guessed = True
            return self.values.unknown(kind, args, "what depends on the forgotten")

        return evaluate

    def _same(self, node: Node) -> Expr:
        """The same; one and the same for equal expressions while nothing that they depend on is written."""
        anything, read = self._any_of(node), self.looks.read_in(node)
        if read is None:
            return anything
        shape, variables = self.looks.shape(node), sorted(read)
        local = sorted({each.fields[1] for each in below(node) if each.kind == "Local"})

        def evaluate(state: State) -> Value:
            given = [*(state.vars[each] for each in variables), *(state.locals[each] for each in local)]
            key = shape, *map(key_of, given)
            if key not in self._known:
                self._known[key] = given, anything(state)
            return self._known[key][1]

        return evaluate
