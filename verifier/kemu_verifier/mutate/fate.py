"""What became of a mutant, and of all of them: the words and the counts. Nothing here needs a solver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from kemu_verifier.mutate.mutants import OPERATORS, Mutant

Kind = Literal["rejected", "check", "example", "property", "fault", "equivalent", "survived"]

KINDS: tuple[Kind, ...] = ("rejected", "check", "example", "property", "fault", "equivalent", "survived")


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance to judge in: its settings, the number of players (None: as the rules file says)."""

    name: str
    settings: tuple[tuple[str, str | int | bool], ...] = ()
    players: int | None = None


@dataclass(frozen=True, slots=True)
class Fate:
    """`rejected`: the rules are no longer sound, or an instance cannot be made. `check`, `example`,
    `property`, `fault`: what noticed the change is `by`, in the instance of that name. `equivalent`: proved
    for every instance asked about. `survived`: none of these; then `detail` says how the games differ, if a
    difference was seen. `differs`: play was seen to be another one than before, or a claim that holds of the
    original is broken."""

    kind: Kind
    by: str = ""
    instance: str = ""
    detail: str = ""
    differs: bool = False

    @property
    def settled(self) -> bool:
        return self.kind != "survived"


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant without its game, and its fate."""

    number: int
    operator: str
    line: int
    before: str
    after: str
    fate: Fate
    seconds: float = 0.0


def judged(mutant: Mutant, fate: Fate, seconds: float) -> Judged:
    return Judged(
        mutant.number, mutant.operator, mutant.span.line, mutant.before, mutant.after, fate, seconds
    )


def by_claims(found: Iterable[Judged]) -> tuple[int, int]:
    """How many claims have killed (properties, assertions, the standard questions), and how many there are
    of which it is proved that they change something, examples and checks aside."""
    changed = [one.fate for one in found if one.fate.differs and one.fate.kind not in ("check", "example")]
    return sum(fate.kind in ("property", "fault") for fate in changed), len(changed)


def tally(found: Iterable[Judged]) -> dict[str, dict[Kind, int]]:
    """How many of each operator met each fate, for the operators that made any."""
    counts: dict[str, dict[Kind, int]] = {}
    for one in found:
        counts.setdefault(one.operator, dict.fromkeys(KINDS, 0))[one.fate.kind] += 1
    return {operator: counts[operator] for operator in OPERATORS if operator in counts}
