"""State variables that nothing reads, and definitions, parameters and locals that nothing uses.

What is written and never read counts as unused, and so does what is read only to work out its own next value:
no rule, end, claim or view would notice if it were something else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children

from kemu_engine.lower.values.dependence import is_history, noted, root

CODE = "E0773"
Named = t.Domain | t.Enum | t.Record | t.Table | t.Const | t.Fun | t.Rule


def unused(game: Game) -> tuple[Diagnostic, ...]:
    """One diagnostic for each unused name that the rules file or its file of proofs, not a library,
    declares."""
    own = [game.file, *([game.proofs] if game.proofs else ())]
    told = sorted(Names(game).unused(), key=lambda d: (d.span.file != game.file, d.span.line, d.span.column))
    return tuple(d for d in told if d.span.file in own)


class Names:
    """What the names of a game mean, and which of them are used, beginning with its rules, claims, views."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.definitions: dict[str, list[Any]] = {name: [d] for name, d in game.names.items()}
        for under in game.unders:
            for d in under.declarations:
                if isinstance(d, Named):
                    self.definitions.setdefault(d.name, []).append(d)
        for variable in game.state:
            kept = noted(variable, game.state) if is_history(variable) else ()
            self.definitions[variable.name] = [variable, *map(t.Name, kept)]
        self.members = {
            member: d.name
            for d in game.names.values()
            if isinstance(d, t.Enum | t.Table)
            for member in (d.members if isinstance(d, t.Enum) else [name for name, _ in d.rows])
        }
        conditions = tuple(under.condition for under in game.unders)
        self.claims = (*game.properties, *game.examples)
        asserted = (*game.checks, *game.needs, *conditions)
        told = (game.players, *(option.default for option in game.options.values()))
        self.roots: tuple[Any, ...] = (*told, game.rules, *asserted, *self.claims, *game.views)
        self.used = self._used()

    def _used(self) -> set[str]:
        found: set[str] = set()
        waiting: list[Any] = list(self.roots)
        while waiting:
            for name in reads(waiting.pop()):
                for each in {name, self.members.get(name, name)} - found:
                    found.add(each)
                    waiting += self.definitions.get(each, [])
        return found

    def unused(self) -> Iterator[Diagnostic]:
        written = {name for nodes in self._all() for node in nodes for name in targets(node)}
        for variable in self.game.state:
            if variable.name not in self.used:
                fate = "is written, but nothing reads it" if variable.name in written else "is never used"
                note = "no rule, function, end, claim or view depends on it"
                yield _told(self.game, variable, variable.name, f"`{variable.name}` {fate}", note)
        for option in self.game.options.values():
            if option.kind == "option" and option.name not in self.used:
                yield _told(self.game, option, option.name, f"nothing asks for the option `{option.name}`")
        for name, (base, *_) in self.definitions.items():
            if isinstance(base, Named) and name not in self.used:
                yield _told(self.game, base, name, f"nothing uses `{name}`")
        yield from self._parameters()
        yield from self._locals()

    def _all(self) -> Iterator[list[Any]]:
        yield list(self.roots)
        yield from self.definitions.values()

    def _parameters(self) -> Iterator[Diagnostic]:
        """Those that no definition of a function or rule reads; a function that is handed on, as in
        `end rank(score)`, takes what it is given."""
        handed = {name for nodes in self._all() for node in nodes for name in bare(node)}
        for name, nodes in self.definitions.items():
            if not isinstance(nodes[0], t.Fun | t.Rule) or name in handed or name not in self.used:
                continue
            for at, p in enumerate(nodes[0].params):
                if not any(d.params[at].name in reads(d.body) for d in nodes) and not p.inout:
                    yield _told(self.game, p, p.name, f"`{name}` does not use its parameter `{p.name}`")

    def _locals(self) -> Iterator[Diagnostic]:
        """Names that are given a value in vain; claims may speak of those that are known at a stop."""
        asked = {name for claim in self.claims for name in reads(claim)}
        asked |= {name for example in self.game.examples for name, _ in example.locals}
        known = self.definitions.keys() | asked
        bodies = [self.game.rules, *(d for ds in self.definitions.values() for d in ds)]
        for d in bodies:
            if isinstance(d, t.Rules | t.Fun | t.Rule) and isinstance(d.body, tuple):
                read = known | set(reads(d.body)) | {p.name for p in getattr(d, "params", ())}
                for name, place in dict(reversed(list(given(d.body)))).items():
                    if name not in read:
                        yield Diagnostic(CODE, place, f"nothing reads `{name}`")


def reads(node: Any) -> Iterator[str]:
    """The names whose values matter in a tree, those of types among them: not what an assignment or a `move`
    only writes, nor what it reads only to write it again."""
    match node:
        case t.Name(id=name) | t.NamedType(name=name):
            yield name
        case t.Assign(target=target, value=value, type=kind):
            own = root(target)
            called = isinstance(value, t.Event | t.Call)
            yield from (name for name in reads(value) if name != own or called)
            yield from reads(kind)
            yield from _indices(target)
        case t.Move(what=what, source=source, target=target):
            yield from reads(what)
            yield from reads(source)
            yield from _indices(target)
        case t.Note() | t.Forget():
            return
        case t.Property(forgetting=names):
            yield from names
            for child in children(node):
                yield from reads(child)
        case t.Example(given=given_):
            for each in (node.condition, *(value for _, value in node.locals), node.steps, node.expect):
                yield from reads(each)
            for s in given_:
                yield from reads(s)
        case _:
            for child in children(node):
                yield from reads(child)


def _indices(target: Any) -> Iterator[str]:
    """What the place that is written depends on."""
    while isinstance(target, t.Index | t.Field):
        if isinstance(target, t.Index):
            yield from reads(target.index)
        target = target.value


def targets(node: Any) -> Iterator[str]:
    """The names that are written in a tree, whole or in part."""
    if isinstance(node, t.Assign | t.Move):
        name = root(node.target)
        if name is not None:
            yield name
    if isinstance(node, t.Note | t.Forget):
        yield node.history.id
    for child in children(node):
        yield from targets(child)


def bare(node: Any) -> Iterator[str]:
    """The names in a tree that are not called there."""
    match node:
        case t.Name(id=name):
            yield name
        case t.Call(value=t.Name()):
            yield from bare(node.args)
            yield from bare(node.named)
        case _:
            for child in children(node):
                yield from bare(child)


def given(node: Any) -> Iterator[tuple[str, t.Span]]:
    """The names in a tree that are given the value of an expression, and where."""
    match node:
        case t.Assign(target=t.Name(id=name), value=value) if not isinstance(value, t.Event | t.Call):
            yield name, node.target.span
        case _:
            for child in children(node):
                yield from given(child)


def _told(game: Game, node: Any, name: str, message: str, note: str = "") -> Diagnostic:
    """A diagnostic at the name in its declaration."""
    span = node.span
    line = game.sources.get(span.file, "").split("\n")[span.line - 1] if span.line else ""
    at = line.find(name, span.column - 1)
    if at >= 0:
        span = t.Span(span.file, span.line, at + 1, span.line, at + 1 + len(name))
    return Diagnostic(CODE, span, message, ((None, note),) if note else ())
