"""Folds: the ways of taking together what the laps give."""

from collections.abc import Callable, Iterator

from kemu_checker.cases import Value, packed
from kemu_checker.state import MALFORMED, Malformed, State
from kemu_checker.symbols import Truth
from kemu_checker.text import Node
from kemu_checker.values import Values

Items = Callable[[State, Callable[[], Truth]], Iterator[tuple[int, Truth, Value]]]
"""The laps in a state, while a condition says to go on: the element, whether it counts, the body's value."""


class Folding:
    """The folds, each a way of taking the bodies together."""

    def __init__(self, values: Values, kind: Node, items: Items) -> None:
        self.values, self.kind, self.items = values, kind, items

    def make(self, operator: str) -> Callable[[State], Value]:
        """The fold of this name."""
        if operator not in ("any", "all", "count", "sum", "set", "first", "min", "max"):
            raise Malformed(f"there is no fold `{operator}`")
        return getattr(self, f"_{operator}")  # type: ignore[no-any-return]

    def _any(self, state: State) -> Truth:
        terms, found = self.values.terms, 0
        for _, cond, value in self.items(state, lambda: terms.negate(found)):  # noqa: B023
            found = terms.either(found, terms.both(cond, self.values.truth(value)))
            if type(found) is int and found:
                return 1
        return found

    def _all(self, state: State) -> Truth:
        terms, held = self.values.terms, 1
        for _, cond, value in self.items(state, lambda: held):  # noqa: B023
            held = terms.both(held, terms.either(terms.negate(cond), self.values.truth(value)))
            if type(held) is int and not held:
                return 0
        return held

    def _count(self, state: State) -> Value:
        found = [
            self.values.terms.both(cond, self.values.truth(value))
            for _, cond, value in self.items(state, lambda: 1)
        ]
        if all(type(each) is int for each in found):
            return sum(found)
        return self.values.card(tuple(found))

    def _sum(self, state: State) -> Value:
        result: Value = 0
        for _, cond, value in self.items(state, lambda: 1):
            if type(cond) is int and type(value) is int and type(result) is int:
                result += value
            else:
                result = self.values.add(result, self.values.choose(cond, value, 0))
        return result

    def _set(self, state: State) -> Value:
        terms = self.values.terms
        found: list[Truth] = [0] * self.kind.fields[0]
        for _, cond, value in self.items(state, lambda: 1):
            for n, is_n in self.values.listed(value):
                if not 0 <= n < len(found):
                    state.require(self.values, terms.negate(terms.both(cond, is_n)), MALFORMED)
                    continue
                found[n] = terms.either(found[n], terms.both(cond, is_n))
        return packed(found)

    def _first(self, state: State) -> Value:
        terms, none = self.values.terms, 1
        table: dict[int, Truth] = {}
        for i, cond, value in self.items(state, lambda: none):  # noqa: B023
            here = terms.both(cond, self.values.truth(value))
            table[i] = terms.both(none, here)
            none = terms.both(none, terms.negate(here))
            if type(none) is int and not none:
                break
        table[-1] = none
        return self.values.cases(table)

    def _min(self, state: State) -> Value:
        return self._best(state, self.values.at_most)

    def _max(self, state: State) -> Value:
        return self._best(state, lambda one, other: self.values.at_most(other, one))

    def _best(self, state: State, better: Callable[[Value, Value], Truth]) -> Value:
        terms = self.values.terms
        result: Value = None
        present: Truth = 0
        for _, cond, value in self.items(state, lambda: 1):
            if result is None:
                result, present = value, cond
                continue
            keep = terms.both(present, terms.either(terms.negate(cond), better(result, value)))
            result, present = self.values.choose(keep, result, value), terms.either(present, cond)
        state.require(self.values, present, MALFORMED)
        return result
