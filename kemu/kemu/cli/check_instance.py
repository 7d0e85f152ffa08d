"""Checks instances of a game: makes and starts each, runs its examples; several at once, in processes."""

from __future__ import annotations

import atexit
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from kemu_engine.interp.frame import TooMany
from kemu_engine.lint.trivial_claims import early
from kemu_engine.play.examples import ExampleResult, run_example
from kemu_engine.play.game import Game as Playable
from kemu_engine.play.state import FaultError
from kemu_engine.support.process_pool import Failed, outcomes
from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import RulesError

from kemu.base.library import BadInput
from kemu.base.opening import Wanted, declared, made, opened
from kemu.base.timeouts import soon
from kemu.base.words import counted
from kemu.cli.common import complaint, diagnosed
from kemu.render.words import citation, fault
from kemu.service.simulation import cores

EXAMPLES = 20.0  # seconds for those of an instance, after which none is begun
COSTLY = "E0703"
FEW = 3  # instances that one process checks while others would still be starting


@dataclass(frozen=True, slots=True)
class Checked:
    """What to say about an instance: how many faults it has, `lines` about it, and `once`: texts that other
    instances may share and that are said only of the first, each with what comes before it."""

    faults: int
    lines: tuple[str, ...] = ()
    once: tuple[tuple[str, str], ...] = ()
    costly: bool = False
    """Whether it took more steps than an instance may take."""


def checked(name: str, game: Game) -> Iterator[Checked]:
    """All instances of the game of that name, in their order."""
    wants = declared(game)
    if len(wants) <= FEW or cores() < 2:
        yield from (one(game, want) for want in wants)
        return
    found: dict[int, Checked] = {}
    told = 0
    with closing(outcomes(cores(), _task, [(at,) for at in range(len(wants))], _begin, (name,))) as coming:
        for at, what in coming:
            # an error of our own is raised here, where its place is shown
            found[at] = one(game, wants[at]) if isinstance(what, Failed) else what
            while told in found:
                yield found[told]
                told += 1


_opened: list[Game] = []  # of this process: the game that it checks
atexit.register(_opened.clear)


def _begin(name: str) -> None:
    _opened[:] = [opened(name)]


def _task(tell: object, at: int) -> Checked:
    return one(_opened[0], declared(_opened[0])[at])


def one(game: Game, want: Wanted) -> Checked:
    """Makes an instance, starts it, and runs its examples."""
    title = want.name or "as it stands"
    try:
        playable = made(game, want)
    except Exception as error:
        text = complaint(error)
        if text is None:
            raise
        faults = len(error.diagnostics) if isinstance(error, RulesError) else 1
        costly = isinstance(error, RulesError) and any(d.code == COSTLY for d in error.diagnostics)
        return Checked(faults, (), ((f"  {title}:\n", text),), costly)
    try:
        with soon("the way to the first decision"):
            playable.initial()
    except (BadInput, TooMany) as error:
        return Checked(1, (f"  {title}: the game cannot begin\n{complaint(error)}",))
    except FaultError as error:
        return Checked(1, ("\n".join([f"  {title}: the game cannot begin", *fault(error, playable)]),))
    return examined(title, playable)


def examined(title: str, playable: Playable) -> Checked:
    """What an instance that can begin is, and which of its examples fail."""
    results = list(ran(playable))
    bad = [result for result in results if not result.passed]
    program = playable.program
    shape = f"{counted(len(program.players), 'player')}, {counted(len(program.vars) - 1, 'variable')}"
    passed = (
        f"{len(results) - len(bad)} of {counted(len(results), 'example')} as expected"
        if results
        else "no examples"
    )
    with soon("what is claimed of the first position"):
        hasty = [diagnosed(RulesError((each,))) for each in early(playable)]
    lines = (f"  {title}: {shape}, {passed}", *map(failed, bad))
    return Checked(len(bad) + len(hasty), lines, tuple(("", text) for text in hasty))


def ran(playable: Playable) -> Iterator[ExampleResult]:
    """The results of the examples; those that are given up are failures, and if all of them together take
    too long, so is the next."""
    began = time.process_time()
    for example in playable.program.examples:
        origin = playable.program.origins[example.origin]
        if time.process_time() - began > EXAMPLES:
            told = f"the examples take more than {EXAMPLES:.0f} seconds of computing"
            yield ExampleResult(example.title, False, f"{told}: from here on none was run", origin)
            return
        try:
            with soon("it"):
                result = run_example(playable, example)
        except (BadInput, TooMany) as error:
            result = ExampleResult(example.title, False, str(error), origin)
        yield result


def failed(result: ExampleResult) -> str:
    """Which example did not come out as expected, where, and what happened instead."""
    span = result.origin.span if result.origin else None
    where = f" ({span.file}:{span.line})" if span and span.line else ""
    cites = citation(result.origin) if result.origin and result.origin.cites else ""
    return f'    example "{result.title}"{where} {cites}'.rstrip() + f"\n      {result.message}"
