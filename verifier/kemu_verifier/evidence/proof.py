"""What is written down of proofs, in the nodes of docs/evidence.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from kemu_engine.kernel import nodes as k


@dataclass(frozen=True, slots=True)
class Def:
    """The definition of that number of the same proof."""

    number: int


@dataclass(frozen=True, slots=True)
class Clock:
    """The number of decisions made so far."""


@dataclass(frozen=True, slots=True)
class Known:
    """What holds whenever play stands at a stop."""

    block: int
    exprs: tuple[k.Expr, ...]


@dataclass(frozen=True, slots=True)
class Induction:
    """Invariants that every step keeps if those of the proofs in `uses` hold, whatever the variables in
    `forget` are."""

    name: str
    forget: tuple[int, ...]
    uses: tuple[str, ...]
    definitions: tuple[k.Expr, ...]
    known: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Height:
    """What a measure is at a stop."""

    block: int
    exprs: tuple[k.Expr, ...]


@dataclass(frozen=True, slots=True)
class Round:
    """A measure: numbers of which the first that changes decides, and the bounds that each keeps to. Without
    upper bounds chance does not help."""

    expressions: tuple[Height, ...]
    lows: tuple[int, ...]
    highs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ranking:
    """Measures, in the order in which they are looked at."""

    name: str
    uses: tuple[str, ...]
    definitions: tuple[k.Expr, ...]
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class Preferred:
    """What is chosen at a stop wherever it can be: an action or an outcome (arm 0), or all of an arm."""

    block: int
    arm: int
    arguments: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Strategy:
    """Measures that fall if what is preferred is chosen."""

    name: str
    uses: tuple[str, ...]
    definitions: tuple[k.Expr, ...]
    rounds: tuple[Round, ...]
    preferred: tuple[Preferred, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """A loop in the code of a block that becomes blocks: the block, and the place in its code."""

    block: int
    at: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A proof about the program that has these loops opened, and stops at these blocks."""

    opened: tuple[Opened, ...]
    blocks: tuple[int, ...]
    proof: Induction | Ranking

    @property
    def name(self) -> str:
        return self.proof.name

    @property
    def uses(self) -> tuple[str, ...]:
        return self.proof.uses


Proof = Induction | Ranking | Strategy | Cut


def expression(node: Def | Clock) -> k.Expr:
    """A node of proofs, where an expression of the kernel stands."""
    return cast(k.Expr, node)
