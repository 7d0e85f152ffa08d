"""What somebody wanted to do who typed an action that is not legal, and what is legal close to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot

from kemu_engine.kernel import nodes as k
from kemu_engine.play.action import Action
from kemu_engine.play.state import State

from kemu.table.input import NUMBER, words

Places = Mapping[str, tuple[int, int]]
APART = 1000.0  # between arguments that have no distance


@dataclass(frozen=True, slots=True)
class Attempt:
    """An action of an arm, or its beginning. An argument may be none that the arm knows."""

    arm: k.Arm
    args: tuple[str, ...]

    @property
    def text(self) -> str:
        return Action(self.arm.name, self.args).text


def attempted(typed: str, state: State) -> Attempt | None:
    """The action that was typed, by its name or by its arguments alone; None if it is like none here."""
    wanted = words(typed)
    if not wanted or not isinstance(state.stop, k.Decide):
        return None
    domains = state.program.domains
    named = [arm for arm in state.stop.arms if arm.name.casefold().startswith(wanted[0])]
    found = [Attempt(arm, args) for arm in named for args in read(wanted[1:], arm, domains)]
    if not found:
        found = [Attempt(arm, args) for arm in state.stop.arms for args in read(wanted, arm, domains) if args]
    return max(found, key=lambda each: known(each, domains), default=None)


def read(
    wanted: Sequence[str], arm: k.Arm, domains: Sequence[k.Domain], at: int = 0
) -> list[tuple[str, ...]]:
    """The arguments that the words are from parameter `at` on: at most one reading, and none if words are
    left over."""
    if not wanted:
        return [()]
    if at == len(arm.params):
        return []
    texts = by_words(domains[arm.params[at].domain].texts)
    lengths = sorted({len(each) for each in texts}, reverse=True)
    for length in lengths:
        if (first := texts.get(tuple(wanted[:length]))) is not None:
            for rest in read(wanted[length:], arm, domains, at + 1):
                return [(first, *rest)]
    length = lengths[0] if len(lengths) == 1 else 0
    if 0 < length <= len(wanted) and all(map(NUMBER.fullmatch, [*next(iter(texts)), *wanted[:length]])):
        first = alike(wanted[:length], next(iter(texts.values())))
        return [(first, *rest) for rest in read(wanted[length:], arm, domains, at + 1)]
    return []


@lru_cache(maxsize=32)
def by_words(texts: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    return {tuple(words(text)): text for text in texts}


def alike(wanted: Sequence[str], text: str) -> str:
    """The words, written as that text is: `(9, 9)`."""
    joined = ", ".join(wanted)
    return f"({joined})" if text.startswith("(") else joined


def known(attempt: Attempt, domains: Sequence[k.Domain]) -> int:
    """How many arguments are such that the arm knows."""
    pairs = zip(attempt.arm.params, attempt.args, strict=False)
    return sum(text in domains[param.domain].texts for param, text in pairs)


def asked_elsewhere(typed: str, program: k.Program) -> list[k.Arm]:
    """The action whose name was typed, as the decisions have it that offer it."""
    wanted = words(typed)[:1]
    exits = (block.exit for block in program.blocks)
    arms = (arm for exit in exits if isinstance(exit, k.Decide) for arm in exit.arms)
    return [arm for arm in arms if [arm.name.casefold()] == wanted]


# ------------------------------------------------------------------------------------------- what is close


def nearest(
    attempt: Attempt, actions: Sequence[Action], places: Sequence[Places], most: int = 3
) -> list[str]:
    """The legal actions of the same name that are closest to it; nothing if none is close in any way.
    `places`: where what each argument may be is drawn."""
    far = [
        (sum(distances(attempt.args, action.args, places)), number, action.text)
        for number, action in enumerate(actions)
        if action.name == attempt.arm.name and action.args
    ]
    close = [each for each in sorted(far) if each[0] < APART * max(1, len(attempt.args))]
    return [text for _, _, text in close[:most]]


def distances(some: Sequence[str], others: Sequence[str], places: Sequence[Places]) -> Iterator[float]:
    for one, other, drawn in zip(some, others, places, strict=False):
        a, b = (drawn.get(one), drawn.get(other)) if {one, other} <= drawn.keys() else (None, None)
        yield distance(a or numbers(one), b or numbers(other)) if one != other else 0.0


def distance(a: Sequence[int], b: Sequence[int]) -> float:
    return hypot(*(x - y for x, y in zip(a, b, strict=True))) if a and len(a) == len(b) else APART


def numbers(text: str) -> tuple[int, ...]:
    """`(3, 1)`: 3, 1. Nothing, if there are other things in it."""
    parts = words(text)
    return tuple(map(int, parts)) if all(map(NUMBER.fullmatch, parts)) else ()
