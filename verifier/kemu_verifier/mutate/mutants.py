"""All mutants of a game: its rules with one small change each, in the order of the text.

Changed are the state's initial values, the flow of the game, and the domains, consts, funs and rules that
these need; not what
only claims, assertions, examples and views use, and not the library.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax import unparse

from kemu_verifier.mutate.operators import OPERATORS, changes, without
from kemu_verifier.mutate.places import Here, Names

SHOWN = 72  # a change is shown within the largest expression that has so many letters at most

__all__ = ["OPERATORS", "Mutant", "mutants"]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed game. `before` and `after`: what was changed, with a little of what stands around it."""

    number: int
    operator: str
    span: t.Span
    before: str
    after: str
    game: Game


@dataclass(frozen=True, slots=True)
class _Change:
    operator: str
    span: t.Span
    before: str
    after: str


def mutants(game: Game) -> Iterator[Mutant]:
    """Every mutant, numbered from 1."""
    for number, (change, changed) in enumerate(_games(game), 1):
        yield Mutant(number, change.operator, change.span, change.before, change.after, changed)


def _games(game: Game) -> Iterator[tuple[_Change, Game]]:
    walker = _Walker(names_of(game))
    here = Here()
    needed = needed_names(game)
    for name, declaration in game.names.items():
        if name in needed and declaration.span.file == game.file:
            for change, new in walker.within(declaration, here):
                yield change, replace(game, names={**game.names, name: new})
    for at, under in enumerate(game.unders):
        for place, declaration in enumerate(under.declarations if under.span.file == game.file else ()):
            if getattr(declaration, "name", "") in needed:
                for change, new in walker.within(declaration, here):
                    inner = (*under.declarations[:place], new, *under.declarations[place + 1 :])
                    unders = (*game.unders[:at], replace(under, declarations=inner), *game.unders[at + 1 :])
                    yield change, replace(game, unders=unders)
    for at, variable in enumerate(game.state):
        if variable.initial is not None:
            scope = _bind(here, (variable.each[0],), variable.each[1]) if variable.each else here
            for change, new in walker.within(variable.initial, scope):
                state = (*game.state[:at], replace(variable, initial=new), *game.state[at + 1 :])
                yield change, replace(game, state=state)
    for change, new in walker.within(game.rules, here):
        yield change, replace(game, rules=new)


# ---------------------------------------------------------------------------------- what belongs to the rules


def needed_names(game: Game) -> set[str]:
    """The names of the declarations that play depends on."""
    uses: dict[str, set[str]] = {}
    for declaration in [*game.names.values(), *(d for under in game.unders for d in under.declarations)]:
        uses.setdefault(getattr(declaration, "name", ""), set()).update(names_in(declaration))
    waiting = [*names_in(game.rules), *(name for variable in game.state for name in names_in(variable))]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in uses and name not in found:
            found.add(name)
            waiting += uses[name]
    return found


def names_in(value: Any) -> Iterator[str]:
    """The names that a node or a tuple of nodes mentions, claims left out."""
    match value:
        case t.Name(id=name) | t.NamedType(name=name):
            yield name
        case t.Assert():  # what only a claim uses is no rule
            return
        case t.Node():
            for field in fields(value):
                yield from names_in(getattr(value, field.name))
        case tuple():
            for item in value:
                yield from names_in(item)


def names_of(game: Game) -> Names:
    """The names that the operators exchange."""
    declared = game.players
    next_member: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for name, declaration in game.names.items():
        if isinstance(declaration, t.Enum | t.Table):
            members = (
                declaration.members
                if isinstance(declaration, t.Enum)
                else tuple(row for row, _ in declaration.rows)
            )
            if len(members) > 1:
                next_member.update(zip(members, members[1:] + members[:1], strict=True))
        if isinstance(declaration, t.Domain):
            kinds[name] = _kind(declaration, game, 0)
    like = {
        name: tuple(n for n, k in kinds.items() if k == kind and n != name) for name, kind in kinds.items()
    }
    two = len(declared.names) == 2 and declared.low is None
    variables = {
        variable.name
        for variable in game.state
        if isinstance(variable.type, t.NamedType) and variable.type.name == "Player" and not variable.each
    }
    declared_funs = {name for name, one in game.names.items() if isinstance(one, t.Fun)}
    taken = frozenset({*game.names, *game.options, *(variable.name for variable in game.state)})
    return Names(
        declared.names, two, next_member, like, frozenset(variables), frozenset(declared_funs), taken
    )


def _kind(domain: t.Domain, game: Game, depth: int) -> str:
    """A word for what the elements are, the same for domains of which one can stand in the other's place."""

    def of(expr: t.Expr | None) -> str:
        match expr:
            case t.Name(name):
                known = game.names.get(name)
                return _kind(known, game, depth + 1) if isinstance(known, t.Domain) and depth < 50 else name
            case t.Comprehension("set", t.Name(element), clauses):
                return next((of(c.source) for c in clauses if element in c.targets), domain.name)
            case t.Binary("|" | "&" | "-", left, _):
                return of(left)
            case t.Range():
                return "numbers"
            case t.Call(t.Name(name)):
                return f"{name}(...)"
        return domain.name

    return of(domain.value)


# ---------------------------------------------------------------------------------------------- the walk


class _Walker:
    """Finds the places and rebuilds the tree around each change."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def within(self, value: Any, here: Here) -> Iterator[tuple[_Change, Any]]:
        """Every change of a node, a tuple of nodes (or of pairs), or nothing for what is no node."""
        if isinstance(value, t.Node):
            yield from self._node(value, here)
        elif isinstance(value, tuple):
            for at, item in enumerate(value):
                for change, new in self.within(item, here):
                    yield change, (*value[:at], new, *value[at + 1 :])

    def _node(self, node: t.Node, here: Here) -> Iterator[tuple[_Change, t.Node]]:
        if isinstance(node, t.Text | t.Assert):
            return
        for operator, new in changes(node, self.names, here):
            if isinstance(new, t.Node) and new.span == t.NOWHERE:
                new = replace(new, span=node.span)
            yield self._shown(node, new, _Change(operator, node.span, "", "")), new
        for name, inner in _parts(node):
            scope = _scope(node, name, here)
            for change, new in self.within(inner, scope):
                made = _with(node, name, new)
                yield self._shown(node, made, change), made
            for dropped, rest in _shorter(name, inner):
                text = unparse.headline(dropped)
                yield _Change("statement", dropped.span, text, ""), _with(node, name, rest)

    def _shown(self, node: t.Node, new: t.Node, change: _Change) -> _Change:
        """The change with the texts of this node, if they are not too long and say more."""
        if change.operator == "statement":
            return change
        before, after = _text(node), _text(new)
        if before is None or after is None or before == after:
            return change
        if change.before and max(len(before), len(after)) > SHOWN:
            return change
        return replace(change, before=before, after=after)


def _with(node: t.Node, name: str, value: Any) -> t.Node:
    changed: dict[str, Any] = {name: value}
    return replace(node, **changed)


def _shorter(name: str, value: Any) -> Iterator[tuple[t.Statement, Any]]:
    """(a statement, a block or the branches of an `if` without it); nothing for other parts of a node."""
    if name == "branches":
        for at, (test, body) in enumerate(value):
            for dropped, rest in without(body):
                yield dropped, (*value[:at], (test, rest), *value[at + 1 :])
    elif isinstance(value, tuple) and all(isinstance(item, t.Statement) for item in value):
        yield from without(value)


def _text(node: t.Node) -> str | None:
    match node:
        case t.Clause():
            return unparse.clause(node)
        case t.Arm():
            return unparse.headline(t.Choose(None, (replace(node, body=None),)))
    if isinstance(node, t.Expr):
        return unparse.expression(node)
    if isinstance(node, t.Statement):
        return unparse.headline(node)
    return None


_APART = ("span", "doc", "cites", "type", "fields", "result")


def _parts(node: t.Node) -> Iterator[tuple[str, Any]]:
    """The fields with nodes in them that are rules; types are not."""
    if isinstance(node, t.Enum | t.Record | t.Table):
        return
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name in _APART or isinstance(value, str | int | None):
            continue
        if isinstance(node, t.Call) and field.name == "value" and isinstance(value, t.Name):
            continue
        if isinstance(node, t.Unary) and isinstance(value, t.Number):
            continue  # `-1` is one number
        if isinstance(node, t.Assign) and isinstance(value, t.Name) and field.name == "target":
            continue  # what is given a value is no player
        yield field.name, value


# ------------------------------------------------------------------------------------ what names are bound to


def _scope(node: t.Node, part: str, here: Here) -> Here:
    """Where a part of a node stands."""
    here = replace(here, in_point=False, turned=False)
    if isinstance(node, t.Statement):
        here = replace(here, role="")
    match node:
        case t.Tuple():
            return replace(here, in_point=True)
        case t.Call(t.Name("turns")):
            return replace(here, role="begins")
        case t.Choose() if part == "actor":
            return replace(here, role="asked")
        case t.For() if part == "order":
            return replace(here, role="asked")
        case t.End("win"):
            return replace(here, role="winner")
        case t.Call(t.Name("other" | "left" | "right" | "others")):
            return replace(here, turned=True)
        case t.Fun(params=params) | t.Rule(params=params):
            for param in params:
                is_player = isinstance(param.type, t.NamedType) and param.type.name == "Player"
                here = _bound(here, (param.name,), is_player)
            return _locals(node.body, here) if isinstance(node.body, tuple) else here
        case t.Rules(body=body):
            return _locals(body, here)
        case t.Comprehension(clauses=clauses):
            for each in clauses:
                here = _bind(here, each.targets, each.source)
            return here
        case t.Clause(targets=targets, source=source) if part == "conditions":
            return _bind(here, targets, source)
        case t.For(targets=targets, source=source) if part in ("conditions", "body"):
            here = _bind(here, targets, source)
            in_turns = isinstance(source, t.Call) and source.value == t.Name("turns")
            return replace(here, mover=targets[0]) if in_turns else here
        case t.Arm(params=chosen) if part in ("condition", "body"):
            for one in chosen:
                here = _bind(here, (one.name,), one.source)
            return here
        case t.Arrow(params=names):
            return _bound(here, names, False)
    return here


def _locals(body: t.Block, here: Here) -> Here:
    """With the names that the statements of a block, at whatever depth, assign first or choose."""
    for node in _nodes(body):
        match node:
            case t.Assign(target=t.Name(name)) if name not in here.bound:
                here = _bound(here, (name,), False)
            case t.Choose(arms=arms) if arms[0].body is None:
                for param in arms[0].params:
                    here = _bind(here, (param.name,), param.source)
    return here


def _nodes(value: Any) -> Iterator[t.Node]:
    if isinstance(value, t.Node):
        yield value
        for field in fields(value):
            yield from _nodes(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)


def _bind(here: Here, targets: tuple[str, ...], source: t.Expr) -> Here:
    match source:
        case t.Name("Player") | t.Call(t.Name("turns" | "others")):
            return _bound(here, targets, True)
    return _bound(here, targets, False)


def _bound(here: Here, names: tuple[str, ...], players: bool) -> Here:
    new = frozenset(names)
    return replace(
        here, bound=here.bound | new, players=here.players | new if players else here.players - new
    )
