"""One player for another, wherever one is named: as `player`, or as what it says that it is he."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kemu_grammar.syntax import ast as t

from kemu_verifier.mutate.places import Change, Here, Names

_SWAPPED = {"left": "right", "right": "left"}


def player_changes(node: t.Node, names: Names, here: Here) -> Iterator[Change]:
    """What becomes of a node that names a player."""
    operator = here.role or "player"
    match node:
        case t.Name(name) if name in here.players or (name in names.variables and name not in here.bound):
            if (names.two or here.role) and not here.turned:
                yield operator, names.next(node)
        case t.Name(name) if name in names.players and name not in here.bound:
            at = names.players.index(name)
            yield operator, t.Name(names.players[(at + 1) % len(names.players)])
        case t.Call(t.Name("other"), (player,), ()) if names.two:
            yield operator, player
        case t.Call(t.Name("left" | "right" as side), (_,), ()):
            yield operator, replace(node, value=t.Name(_SWAPPED[side]))


def another(player: t.Expr, names: Names, here: Here) -> t.Expr | None:
    """Another player than the one that an expression gives; None if the expression is changed by itself."""
    return None if any(True for _ in player_changes(player, names, here)) else names.next(player)
