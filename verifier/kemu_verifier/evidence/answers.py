"""What stands behind an answer, by the rules of docs/evidence.md."""

from __future__ import annotations

from dataclasses import dataclass

NO_PLAY = "no play was kept"


@dataclass(frozen=True, slots=True)
class Play:
    """A play shows it. `loop`: the step after which the state is what it is in the end; `around`: how many
    states beside its last one have to be looked at."""

    steps: tuple[str, ...]
    loop: int | None = None
    around: int | None = None


@dataclass(frozen=True, slots=True)
class AllStates:
    """Looking at all states shows it. `number`: of a question for the greatest value, that."""

    number: int | None = None


@dataclass(frozen=True, slots=True)
class Excluded:
    """What the named inductions say leaves no room for it."""

    proofs: tuple[str, ...]


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
class Nothing:
    """Nothing is written down, for this reason."""

    reason: str


Evidence = Play | AllStates | Excluded | Ranked | Value | NothingHidden | Nothing
