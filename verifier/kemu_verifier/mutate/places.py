"""What the operators know of a game, and of the place in it that they change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from kemu_grammar.syntax import ast as t


@dataclass(frozen=True, slots=True)
class Names:
    """What the operators must know of a game. `next_member`: of an enum; `like`: to a domain the others of
    its kind; `variables`: of the state, those that hold one player; `functions`: what is called, not indexed;
    `taken`: every name that is declared."""

    players: tuple[str, ...]
    two: bool  # exactly two players, so that there is an `other`
    next_member: dict[str, str]
    like: dict[str, tuple[str, ...]]
    variables: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()

    def next(self, player: t.Expr) -> t.Expr:
        """Another player than this one."""
        return t.Call(t.Name("other" if self.two else "left"), (player,))


Role = Literal["begins", "asked", "winner", ""]


@dataclass(frozen=True, slots=True)
class Here:
    """Where a node stands: the names bound to players, all names bound, whether it is part of a point or an
    argument of `other`; what the expression says that it is part of, if it names the player who begins, is
    asked or wins; and the variable of the loop over `turns` around it."""

    players: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    in_point: bool = False
    turned: bool = False
    role: Role = ""
    mover: str = ""


Change = tuple[str, Any]
"""(operator, the node instead)"""
