"""Actions and outcomes of chance: one text form that prints and parses, whatever the whitespace."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from kemu_engine.kernel.text import canonical

CALL = re.compile(r"(\w+)\((.+)\)")


@dataclass(frozen=True, slots=True)
class Action:
    """What a player may do, `place((1, 3))` or `pass`; or what chance may bring, `2`, `(6, 6)`, `heads`."""

    name: str
    args: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.name}({', '.join(self.args)})" if self.args else self.name

    def __str__(self) -> str:
        return self.text

    @classmethod
    def parse(cls, text: str) -> Action:
        """Reads the text form. Texts that differ only in whitespace around signs give equal actions.

        Any text is some action: what has not the form `name(arg, ...)` is a name without arguments.
        """
        text = canonical(text)
        match = CALL.fullmatch(text)
        args = _arguments(match[2]) if match else None
        return cls(match[1], args) if match and args else cls(text)


def _arguments(text: str) -> tuple[str, ...] | None:
    """The parts between the commas outside brackets; None if the brackets do not match."""
    args, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return None
        if sign == "," and depth == 0:
            args.append(text[start:at].strip())
            start = at + 1
    return (*args, text[start:].strip()) if depth == 0 else None


def near_misses(text: str, possible: Sequence[str]) -> str:
    """What to say after `text` was none of the possible: all of them if they are few, else those like it."""
    if len(possible) <= 6:
        return f"possible: {', '.join(possible)}"
    close = get_close_matches(canonical(text), possible, 3, 0.5)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"possible: {', '.join(possible[:5])} and {len(possible) - 5} more"
