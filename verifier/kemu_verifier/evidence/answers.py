"""What stands behind an answer, by the rules of docs/evidence.md."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel.values import Cells

NO_PLAY = "no play was kept"


@dataclass(frozen=True, slots=True)
class Play:
    """A play shows it. `loop`: the step after which the state is what it is in the end; `around`: how many
    states have to be looked at, from the last one on, or from that `since` so many steps; `state`: of a rule
    by itself, the values of all variables where it begins."""

    steps: tuple[str, ...]
    loop: int | None = None
    around: int | None = None
    state: tuple[Cells, ...] | None = None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class AllStates:
    """Looking at all states shows it. `number`: of a question for the greatest value, that."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """What the named inductions say leaves no room for it."""

    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """It is not met in so many steps from the opening; and where play may go on, after so many steps in which
    it is not met it is not met either, as the named inductions say."""

    proofs: tuple[str, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Laps:
    """What the named inductions say of the program with a stop at the head of each loop leaves no room for
    it, and the named ranking falls from lap to lap. `opened`: loops in the code of blocks that are blocks
    there; `heads`: the heads of all loops."""

    opened: tuple[tuple[int, int], ...]
    heads: tuple[int, ...]
    proofs: tuple[str, ...]
    ranking: str | None


@dataclass(frozen=True, slots=True)
class Ranked:
    """The named ranking falls, as the named inductions say."""

    proofs: tuple[str, ...]
    ranking: str


@dataclass(frozen=True, slots=True)
class Value:
    """A play shows the value, what the named inductions say excludes a greater one."""

    number: int
    steps: tuple[str, ...]
    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NothingHidden:
    """All see everything."""


@dataclass(frozen=True, slots=True)
class TwoPlays:
    """Two plays that look alike to a player (by his number; the one after the last has no seat)."""

    plays: tuple[tuple[str, ...], tuple[str, ...]]
    seer: int


@dataclass(frozen=True, slots=True)
class AllPlays:
    """Going through all plays that look alike shows it."""


@dataclass(frozen=True, slots=True)
class Flow:
    """Nothing that can be seen depends on a secret, as the program's text shows."""


@dataclass(frozen=True, slots=True)
class TwoStates:
    """What a player sees decides what he may do, as the named inductions say of any two states."""

    proofs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing is written down, for this reason."""

    reason: str


Compared = TwoPlays | AllPlays | Flow | TwoStates
Evidence = Play | AllStates | Excluded | Steps | Laps | Ranked | Value | NothingHidden | Compared | Nothing
