"""What is not known: symbols for integers, and truth values over them."""

from typing import Any

SMALL = 64


class Symbol:
    """An unknown integer low..high. A small one is known by the sets of values that it may have."""

    __slots__ = ("high", "literals", "low", "name")

    def __init__(self, name: str, low: int, high: int) -> None:
        self.name, self.low, self.high = name, low, high
        self.literals: dict[int, Term] = {}

    @property
    def full(self) -> int:
        """The mask of all its values; bit i stands for low + i."""
        return (1 << (self.high - self.low + 1)) - 1


class Term:
    """A truth value: `in` (symbol, mask), `and`, `or` (terms), or `le`, `eq`, `ne` (a sum compared to 0)."""

    __slots__ = ("args", "kind", "negation", "number")

    def __init__(self, kind: str, args: tuple[Any, ...], number: int) -> None:
        self.kind, self.args, self.number = kind, args, number
        self.negation: Term | None = None


Truth = Any  # 0, 1, or a Term: the numbers are truth values that are known
