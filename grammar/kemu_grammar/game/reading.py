"""What a part of the tree reads: functions and rules, itself or by way of others; actions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in, nodes

Definition = t.Fun | t.Rule


class Definitions:
    """The functions and rules of a game by name, those of `under` blocks beside what they replace."""

    def __init__(self, game: Game) -> None:
        self.by_name: dict[str, list[Definition]] = {}
        added = (d for under in game.unders for d in under.declarations)
        for d in (*game.names.values(), *added):
            if isinstance(d, Definition):
                self.by_name.setdefault(d.name, []).append(d)

    def read(self, parts: Iterable[Any]) -> frozenset[str]:
        """The names of functions and rules in these parts of the tree, and in those in turn."""
        found: set[str] = set()
        waiting = [name for part in parts for name in names_in(part)]
        while waiting:
            name = waiting.pop()
            if name in self.by_name and name not in found:
                found.add(name)
                waiting += [inner_name for d in self.by_name[name] for inner_name in names_in(d.body)]
        return frozenset(found)


def actions(tree: Any) -> set[str]:
    """The actions that `can` asks for in a part of the tree."""
    return {node.name for node in nodes(tree) if isinstance(node, t.Can)}


def head(statement: t.Statement) -> tuple[Any, ...]:
    """What a statement reads itself, without the statements in it."""
    match statement:
        case t.If(branches=branches):
            return tuple(test for test, _ in branches)
        case t.For(source=source, conditions=conditions, order=order):
            return (source, conditions, order)
        case t.Path(source=source, conditions=conditions, bound=bound):
            return (source, conditions, bound)
        case t.While(test=test):
            return (test,)
        case t.Repeat(bound=bound):
            return (bound,)
        case t.Choose(actor=actor, arms=arms, together=together):
            return (actor, together, tuple((arm.params, arm.condition) for arm in arms))
    return (statement,)
