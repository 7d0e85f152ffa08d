"""Actions by number, whose words are put together only when somebody reads them."""

from __future__ import annotations


class Action:
    """What a player may do, `place((1, 3))` or `pass`; or what chance may bring, `2`, `(6, 6)`, `heads`.

    `number` is what `State.step` takes. Actions are equal if number and text are.
    """

    __slots__ = ("_args", "_domains", "_name", "_number", "_values")

    def __init__(
        self, number: int, name: str, domains: tuple[tuple[str, ...], ...] = (), values: tuple[int, ...] = ()
    ) -> None:
        self._number, self._name, self._domains, self._values = number, name, domains, values
        self._args: tuple[str, ...] | None = None

    @property
    def number(self) -> int:
        """The same at every decision of the game that has this action; of outcomes the number among those of
        their chance node."""
        return self._number

    @property
    def name(self) -> str:
        """What stands before the brackets: `place`."""
        return self._name

    @property
    def args(self) -> tuple[str, ...]:
        """What stands in the brackets, one text for each parameter and each part of a path: `("(1, 3)",)`."""
        if self._args is None:
            pairs = zip(self._domains, self._values, strict=True)
            self._args = tuple(filter(None, (texts[value] for texts, value in pairs)))
        return self._args

    @property
    def text(self) -> str:
        """The action as `State.apply` reads it, and as the rules write it."""
        return f"{self._name}({', '.join(self.args)})" if self._values else self._name

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Action {self._number}: {self.text}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Action):
            return NotImplemented
        return self is other or (self._number == other._number and self.text == other.text)

    def __hash__(self) -> int:
        return hash(self._number)

    def __copy__(self) -> Action:
        return self

    def __deepcopy__(self, memo: object) -> Action:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        domains = tuple((text,) for text in self.args)
        return Action, (self._number, self._name, domains, (0,) * len(domains))
