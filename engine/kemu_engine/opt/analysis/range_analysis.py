"""Range analysis: what tests that have been passed say about the values of expressions, as intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kemu_engine.kernel import nodes as k

Key = tuple[object, ...]
At = TypeVar("At")
Entry = TypeVar("Entry")


class ScopedTable(dict[At, Entry]):
    """A dictionary that can be taken back to how it was."""

    def __init__(self) -> None:
        super().__init__()
        self._log: list[tuple[At, Entry | None]] = []

    def note(self, key: At, entry: Entry) -> None:
        self._log.append((key, self.get(key)))
        self[key] = entry

    def mark(self) -> int:
        return len(self._log)

    def back(self, mark: int) -> None:
        while len(self._log) > mark:
            key, before = self._log.pop()
            if before is None:
                del self[key]
            else:
                self[key] = before


class Ranges:
    """Intervals of integer expressions, and tests known to hold or not. `key`: what tells values apart;
    `meaning`: what a name stands for."""

    def __init__(
        self, key: Callable[[k.Expr], Key], meaning: Callable[[k.Expr], k.Expr] = lambda expr: expr
    ) -> None:
        self._key, self._meaning = key, meaning
        self.known: ScopedTable[Key, tuple[int, int]] = ScopedTable()

    def assume(self, test: k.Expr, outcome: bool) -> None:
        """Takes note that a test came out so."""
        test = self._meaning(test)
        if isinstance(test, k.Op) and test.op == "not":
            self.assume(test.args[0], not outcome)
            return
        if isinstance(test, k.Op) and test.op == ("and" if outcome else "or"):
            for part in test.args:
                self.assume(part, outcome)
            return
        self.known.note(("test", self._key(test)), (int(outcome), int(outcome)))
        for base, low, high in self._bounds(test, outcome):
            before = self.interval(base)
            self.known.note(self._key(base), (max(low, before[0]), min(high, before[1])))

    def outcome(self, test: k.Expr) -> bool | None:
        """How a test will come out, if that is known."""
        test = self._meaning(test)
        if isinstance(test, k.Const):
            return bool(test.value)
        if isinstance(test, k.Op) and test.op == "not":
            inner = self.outcome(test.args[0])
            return None if inner is None else not inner
        if isinstance(test, k.Op) and test.op in ("and", "or"):
            absorbing = test.op == "or"
            outcomes = [self.outcome(part) for part in test.args]
            if outcomes[0] is absorbing:
                return absorbing
            return not absorbing if all(each is (not absorbing) for each in outcomes) else None
        found = self.known.get(("test", self._key(test)))
        if found is not None:
            return bool(found[0])
        for base, low, high in self._bounds(test, True):
            least, most = self.interval(base)
            if most < low or high < least:
                return False
            one_way = isinstance(test, k.Op) and (test.op in ("lt", "le") or least == most)
            if one_way and not (isinstance(test, k.Op) and test.op == "ne") and low <= least <= most <= high:
                return True
        for base, low, high in self._bounds(test, False):
            least, most = self.interval(base)
            if most < low or high < least:
                return True
        return None

    def interval(self, expr: k.Expr) -> tuple[int, int]:
        """Within what an integer expression lies."""
        assert isinstance(expr.type, k.Int)
        low, high = self.known.get(self._key(expr), (expr.type.low, expr.type.high))
        return max(low, expr.type.low), min(high, expr.type.high)

    def _bounds(self, test: k.Expr, outcome: bool) -> list[tuple[k.Expr, int, int]]:
        """Expressions with what the outcome of the test says of them."""
        if not isinstance(test, k.Op) or test.op not in ("eq", "ne", "lt", "le"):
            return []
        one, two = map(self._meaning, test.args)
        if not isinstance(one.type, k.Int):
            return []
        op = test.op if outcome else {"eq": "ne", "ne": "eq", "lt": "ge", "le": "gt"}[test.op]
        if isinstance(one, k.Const) and not isinstance(two, k.Const):
            one, two = two, one
            op = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(op, op)
        if not isinstance(two, k.Const) or isinstance(one, k.Const):
            return []
        base, value = self._stripped(one, two.value)
        low, high = self.interval(base)
        match op:
            case "eq":
                return [(base, value, value)]
            case "ne":
                if value == low:
                    return [(base, low + 1, high)]
                return [(base, low, high - 1)] if value == high else []
            case "lt":
                return [(base, low, value - 1)]
            case "le":
                return [(base, low, value)]
            case "gt":
                return [(base, value + 1, high)]
            case _:
                return [(base, value, high)]

    def _stripped(self, expr: k.Expr, value: int) -> tuple[k.Expr, int]:
        """The expression without a constant added to it, and what to compare it with then."""
        while isinstance(expr, k.Op) and expr.op == "add" and isinstance(expr.args[1], k.Const):
            value -= expr.args[1].value
            expr = self._meaning(expr.args[0])
        return expr, value
