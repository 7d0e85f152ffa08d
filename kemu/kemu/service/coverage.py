"""What of the rules no example runs and no claim reads."""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kemu_engine.interp.frame import TooMany
from kemu_engine.kernel import nodes as k
from kemu_engine.play.examples import Part, run_example
from kemu_engine.play.state import State
from kemu_engine.play.stepping import marks_left
from kemu_engine.support.process_pool import Failed, outcomes
from kemu_grammar.game.game import Game
from kemu_grammar.game.marked import Marked, inner, marked
from kemu_grammar.game.reading import Definitions, actions, head
from kemu_grammar.source.span import Span
from kemu_grammar.syntax import ast as t

from kemu.base.library import BadInput
from kemu.base.opening import Wanted, declared, made, opened
from kemu.base.timeouts import soon
from kemu.service.simulation import cores

EXAMPLES = 20.0  # seconds for those of an instance, after which none is begun
FEW = 3  # instances that one process runs while others would still be starting


@dataclass(frozen=True, slots=True)
class Met:
    """The places of the statements and of the actions that examples came to."""

    statements: frozenset[Span] = frozenset()
    arms: frozenset[Span] = frozenset()

    def __or__(self, other: Met) -> Met:
        return Met(self.statements | other.statements, self.arms | other.arms)


@dataclass(frozen=True, slots=True)
class Gap:
    """Lines that nothing touches: the rule that they stand in, the action that they belong to if all of it is
    meant, and from which line to which."""

    where: str
    first: Span
    last: Span


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of all statements, actions and functions are touched, and what is not."""

    statements: tuple[int, int]
    actions: tuple[int, int]
    functions: tuple[int, int]
    gaps: tuple[Gap, ...]


def coverage(name: str, game: Game) -> Coverage:
    """What the examples run in all declared instances of the game of that name, and what its claims read."""
    found = Met()
    for each in _met(name, game):
        found |= each
    return _Account(game, marked(game), found).coverage()


# ---------------------------------------------------------------------------------------- what examples do


def _met(name: str, game: Game) -> Iterator[Met]:
    wants = declared(game)
    if len(wants) <= FEW or cores() < 2:
        rules = marked(game)
        yield from (met(rules, want) for want in wants)
        return
    with closing(outcomes(cores(), _task, [(at,) for at in range(len(wants))], _begin, (name,))) as coming:
        for at, what in coming:
            yield met(marked(game), wants[at]) if isinstance(what, Failed) else what


_opened: list[Marked] = []  # of this process: the game whose examples it runs
atexit.register(_opened.clear)


def _begin(name: str) -> None:
    _opened[:] = [marked(opened(name))]


def _task(tell: object, at: int) -> Met:
    return met(_opened[0], declared(_opened[0].game)[at])


def met(rules: Marked, want: Wanted) -> Met:
    """What the examples of an instance come to; those that fail as far as they get."""
    game = made(rules.game, want)
    statements: set[Span] = set()
    arms: set[Span] = set()
    decisions = {arm.span: s.span for s in rules.statements if isinstance(s, t.Choose) for arm in s.arms}
    began = time.process_time()
    for example in game.program.examples:
        if time.process_time() - began > EXAMPLES:
            break
        parts: list[Part] = []
        try:
            with soon("it"):
                run_example(game, example, parts)
        except (BadInput, TooMany):
            continue
        for part in parts:
            statements |= {rules.statements[at].span for at in marks_left(game.program, part.log)}
            statements |= {decisions[arm] for arm in _offered(part.after) if arm in decisions}
            arms |= _chosen(part)
        reached = {id(part.step): part.after for part in parts}
        stands = [reached.get(id(step)) for step in (None, *example.steps)]
        for expected in example.expect:
            names = {text.partition("(")[0] for text in expected.texts}
            arms |= {arm for arm, name in _offered(stands[expected.after]).items() if name in names}
    return Met(frozenset(statements), frozenset(arms))


def _offered(state: State | None) -> dict[Span, str]:
    """The places and names of the arms of the decision at which play stands."""
    if state is None or not isinstance(state.stop, k.Decide):
        return {}
    origins = state.program.origins
    return {origins[arm.origin].span: arm.name for arm in state.stop.arms}


def _chosen(part: Part) -> set[Span]:
    """The place of the arm that was chosen, if one was."""
    before = part.before
    if before is None or not isinstance(before.stop, k.Decide):
        return set()
    choice = before.choices[before.index(part.text)]
    return {before.program.origins[before.stop.arms[choice.arm].origin].span}


# ---------------------------------------------------------------------------------------- what is left


@dataclass(frozen=True)
class _Account:
    game: Game
    marked: Marked
    met: Met

    def coverage(self) -> Coverage:
        arms = [arm for s in self.marked.statements if isinstance(s, t.Choose) for arm in s.arms]
        functions = self.functions
        missing = [name for name in functions if name not in self.read]
        gaps = [gap for rule, body in self.bodies for gap in self._gaps(rule, body)]
        gaps += [_function(self.definitions.by_name[name][0]) for name in missing]
        return Coverage(
            (len(self.touched), len(self.marked.statements)),
            (sum(map(self._known, arms)), len(arms)),
            (len(functions) - len(missing), len(functions)),
            tuple(sorted(gaps, key=lambda gap: (gap.first.file, gap.first.line))),
        )

    @cached_property
    def definitions(self) -> Definitions:
        return Definitions(self.game)

    @cached_property
    def bodies(self) -> list[tuple[str, t.Block]]:
        """The rules, `rules` first."""
        rules = [d for found in self.definitions.by_name.values() for d in found if isinstance(d, t.Rule)]
        return [("rules", self.game.rules.body), *((d.name, d.body) for d in rules)]

    @cached_property
    def functions(self) -> tuple[str, ...]:
        """Those of the game's own file that the rules use."""
        used = self.definitions.read(s for _, body in self.bodies for s in body)
        return tuple(
            name
            for name, (first, *_) in self.definitions.by_name.items()
            if name in used and isinstance(first, t.Fun) and first.span.file == self.game.file
        )

    @cached_property
    def claimed(self) -> frozenset[str]:
        """The functions and rules that claims read."""
        claims: list[Any] = [(d.value, d.bound, d.start, d.run, d.each) for d in self.game.properties]
        claims += [s.condition for s in self.marked.statements if isinstance(s, t.Assert)]
        return self.definitions.read(claims)

    @cached_property
    def touched(self) -> frozenset[Span]:
        """The places of the statements that an example runs, or that stand in a rule that a claim runs; and
        of those around them."""
        found = set(self.met.statements)
        for rule, body in self.bodies:
            _touch(body, found, rule in self.claimed)
        return frozenset(found)

    @cached_property
    def read(self) -> frozenset[str]:
        """The functions that examples, claims and statements that are touched read."""
        examples = [(d.locals, d.given, d.expect, d.steps) for d in self.game.examples]
        statements = [head(s) for s in self.marked.statements if s.span in self.touched]
        return self.claimed | self.definitions.read([*examples, *statements])

    @cached_property
    def named(self) -> frozenset[str]:
        """The actions that claims name."""
        asked = (name for d in self.game.properties for name in actions((d.value, d.start)))
        return frozenset(asked) | {label for d in self.game.properties for label in d.labels}

    def _known(self, arm: t.Arm) -> bool:
        return arm.name in self.named or arm.span in self.met.arms

    def _gaps(self, rule: str, block: t.Block) -> Iterator[Gap]:
        """Runs of statements that nothing touches, and actions; one that is touched is looked into."""
        waiting: list[t.Statement] = []
        for statement in block:
            if statement.span not in self.touched:
                waiting.append(statement)
                continue
            yield from _gap(rule, waiting)
            waiting = []
            if isinstance(statement, t.Choose):
                yield from self._arms(rule, statement)
            for within in () if isinstance(statement, t.Choose) else inner(statement):
                yield from self._gaps(rule, within)
        yield from _gap(rule, waiting)

    def _arms(self, rule: str, choose: t.Choose) -> Iterator[Gap]:
        for arm in choose.arms:
            body = arm.body or ()
            if not self._known(arm):
                yield Gap(
                    f"the action `{arm.name}` in `{rule}`", arm.span, body[-1].span if body else arm.span
                )
            else:
                yield from self._gaps(rule, body)
        yield from self._gaps(rule, choose.other or ())


def _touch(block: t.Block, found: set[Span], whole: bool) -> bool:
    """Adds the statements around those that are touched, or all; whether there is one."""
    any_ = False
    for statement in block:
        within = [_touch(each, found, whole) for each in inner(statement)]
        if whole or any(within):
            found.add(statement.span)
        any_ |= statement.span in found
    return any_


def _gap(rule: str, statements: list[t.Statement]) -> Iterator[Gap]:
    if statements:
        yield Gap(f"in `{rule}`", statements[0].span, statements[-1].span)


def _function(fun: t.Fun | t.Rule) -> Gap:
    return Gap(f"the function `{fun.name}`", fun.span, fun.span)
