"""Rules that leave a mark at every statement, so that a run of them tells which statements it came to.

The marks are one more state variable, a map from numbers to truth values: before each statement of a rule
stands an assignment that sets its number. Play is the same; claims are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t

MARKS = "statements come to"
"""The name of the variable; no name of a file has a space."""


@dataclass(frozen=True, slots=True)
class Marked:
    """`game` leaves marks; number i of them (from 0) is that of `statements[i]`, which stands in the rule
    `rules[i]` (`rules` itself among them)."""

    game: Game
    statements: tuple[t.Statement, ...]
    rules: tuple[str, ...]

    @property
    def locals(self) -> frozenset[str]:
        """The names that rules assign to, as `rule.name`."""
        pairs = zip(self.rules, self.statements, strict=True)
        return frozenset(
            f"{rule}.{s.target.id}"
            for rule, s in pairs
            if isinstance(s, t.Assign) and isinstance(s.target, t.Name)
        )


def marked(game: Game) -> Marked:
    """The game with a mark at each statement of its rules, those in `under` blocks among them."""
    marking = _Marking()
    rules = replace(game.rules, body=marking.block(game.rules.body))
    names = {name: marking.declaration(d) for name, d in game.names.items()}
    unders = tuple(
        replace(u, declarations=tuple(marking.declaration(d) for d in u.declarations)) for u in game.unders
    )
    last = t.Number(len(marking.statements) - 1)
    kind = t.GenericType("map", (t.RangeType(t.Number(0), last), t.NamedType("bool")))
    marks = t.StateVariable(MARKS, kind, span=game.rules.span)
    state = (*(_explicit(v, game.state) for v in game.state), marks)
    changed = replace(game, rules=rules, names=names, unders=unders, state=state, properties=())
    return Marked(changed, tuple(marking.statements), tuple(marking.rules))


def inner(statement: t.Statement) -> Iterator[t.Block]:
    """The blocks of a statement."""
    match statement:
        case t.If(branches=branches, other=other):
            yield from (block for _, block in branches)
            yield from (other,) if other else ()
        case t.For(body=body) | t.While(body=body) | t.Repeat(body=body) | t.Path(body=body):
            yield body
        case t.Choose(arms=arms, other=other):
            yield from (arm.body for arm in arms if arm.body is not None)
            yield from (other,) if other else ()


@dataclass(slots=True)
class _Marking:
    statements: list[t.Statement] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    rule: str = "rules"

    def declaration(self, d: Any) -> Any:
        if not isinstance(d, t.Rule):
            return d
        self.rule = d.name
        return replace(d, body=self.block(d.body))

    def block(self, block: t.Block) -> t.Block:
        return tuple(each for statement in block for each in self._statement(statement))

    def _statement(self, statement: t.Statement) -> tuple[t.Statement, t.Statement]:
        place = t.Index(t.Name(MARKS), t.Number(len(self.statements)))
        mark = t.Assign(place, "=", t.Truth(True), span=statement.span)
        self.statements.append(statement)
        self.rules.append(self.rule)
        return mark, self._inside(statement)

    def _inside(self, statement: t.Statement) -> t.Statement:
        match statement:
            case t.If(branches=branches, other=other):
                tested = tuple((test, self.block(block)) for test, block in branches)
                return replace(statement, branches=tested, other=self.block(other))
            case t.For(body=body) | t.While(body=body) | t.Repeat(body=body) | t.Path(body=body):
                return replace(statement, body=self.block(body))
            case t.Choose(arms=arms, other=other):
                menu = tuple(
                    arm if arm.body is None else replace(arm, body=self.block(arm.body)) for arm in arms
                )
                return replace(statement, arms=menu, other=None if other is None else self.block(other))
        return statement


def _explicit(variable: t.StateVariable, state: tuple[t.StateVariable, ...]) -> t.StateVariable:
    """A history of all variables as one of those that the file names: the marks are no part of it."""
    if not isinstance(variable.type, t.HistoryType) or variable.type.variables:
        return variable
    named = tuple(t.Name(v.name) for v in state if not isinstance(v.type, t.HistoryType))
    return replace(variable, type=replace(variable.type, variables=named))
