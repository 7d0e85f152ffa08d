"""Judging many mutants, in parallel processes, each mutant within a limit of time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from random import Random

from kemu_engine.support.process_pool import Failed, outcomes
from kemu_engine.support.time_limit import OutOfTime, within
from kemu_grammar.game.game import Game

from kemu_verifier.mutate.fate import Fate, Instance, Judged, judged
from kemu_verifier.mutate.judge import PATIENCE, Judge, prover
from kemu_verifier.mutate.mutants import Mutant, mutants
from kemu_verifier.symbolic.solve import among

SHUFFLE = 21  # the order from which samples are taken, one after the other
WALL = 4 * PATIENCE  # times the seconds of one question: then a mutant is given up, whatever it is doing


def chosen(
    game: Game, operators: Sequence[str] = (), limit: int | None = None, sample: int = 1
) -> list[Mutant]:
    """The mutants of these operators (of all, if none is named); if there are more than `limit`, so many, in
    the order of the text. No two samples have one in common; the last ones may be smaller, or empty."""
    found = [one for one in mutants(game) if not operators or one.operator in operators]
    if limit is None:
        return found if sample == 1 else []
    places = list(range(len(found)))
    Random(SHUFFLE).shuffle(places)
    return [found[at] for at in sorted(places[limit * (sample - 1) : limit * sample])]


def run(
    game: Game,
    wanted: Sequence[Mutant],
    instances: Sequence[Instance],
    seconds: float,
    prove: bool,
    processes: int,
    examples: bool = True,
) -> Iterator[Judged]:
    """The fates of mutants, as they are found. Whoever stops listening stops the work."""
    numbers = [one.number for one in wanted]
    if processes == 1:
        _begin(game, instances, seconds, prove, 1, examples)
        yield from map(_judge, numbers)
        return
    tasks = [(number,) for number in numbers]
    given = (game, instances, seconds, prove, processes, examples)
    with closing(outcomes(processes, _told, tasks, _begin, given)) as fates:
        for at, found in fates:
            yield _broken(wanted[at], found.error) if isinstance(found, Failed) else found


_judges: list[Judge] = []  # of this process: one
_all: dict[int, Mutant] = {}


def _begin(
    game: Game,
    instances: Sequence[Instance],
    seconds: float,
    prove: bool,
    processes: int,
    examples: bool,
) -> None:
    among(processes)
    _judges[:] = [Judge(game, instances, seconds, prover if prove else None, examples)]
    _all.clear()
    _all.update((one.number, one) for one in mutants(game))


def _told(tell: object, number: int) -> Judged:
    return _judge(number)


def _judge(number: int) -> Judged:
    judge, mutant = _judges[0], _all[number]
    start = time.perf_counter()
    try:
        with within(WALL * judge.seconds):
            fate = judge.judge(mutant)
    except OutOfTime:
        fate = Fate("survived", "", "", f"given up after {WALL * judge.seconds:.0f} s")
    except Exception as error:
        return _broken(mutant, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    return judged(mutant, fate, time.perf_counter() - start)


def _broken(mutant: Mutant, why: str, seconds: float = 0.0) -> Judged:
    """An error of our own, or of a solver that took its process with it."""
    return judged(mutant, Fate("survived", "internal error", "", why), seconds)
