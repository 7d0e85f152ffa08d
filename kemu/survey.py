"""Verifying many instances of a game in parallel processes, within a limit of time for all of them. What was
shown of one instance is tried on those that come after it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.pool import Pool
from queue import Empty, SimpleQueue
from typing import Any

from engine.alarm import OutOfTime, within
from engine.game import Game
from kemu.commands.common import Wanted, made, opened
from verifier.notes import Notes
from verifier.questions import Question, questions
from verifier.symbolic.solve import among
from verifier.verdict import Verdict
from verifier.verify import Effort, chosen, in_order, verify

FIRST = 30  # times the time of another instance may have the first one, the game as it stands
SHARE = 21  # the time that an instance may take, in times of what one question may
SLACK = 1.5  # so much longer an instance may take at most; what it has no answer to then is unknown
EFFORT = Effort(8, 6.0)  # what is known of another instance helps most in what its questions share
LEAST, MOST = 1.0, 60.0  # seconds for a question
LOST = 3  # times the time that an instance may take: then its process is taken to have died
MORE, LITTLE = 3, 20.0  # times the seconds it had, and so many at least: for asking again
DEAD = RuntimeError("its process has died, or does not answer")  # then no other is waited for
HURRY = 24.0  # seconds for what is left of an instance when its time is over


@dataclass(frozen=True, slots=True)
class Asked:
    """An instance, a hash of its program that decides which are alike, what is asked of it (None:
    everything), and how its time compares to that of others."""

    want: Wanted
    program: str
    names: tuple[str, ...] | None = None
    weight: int = 1


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The verdicts on one instance so far. `like`: the name of the instance that is alike, and so has the
    same verdicts. `error`: why there are no more of them."""

    want: Wanted
    verdicts: tuple[Verdict, ...]
    seconds: float = 0.0
    like: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be asked of an instance (None: everything), which part of the time it has, and whether it
    was asked before."""

    number: int
    names: tuple[str, ...] | None
    weight: float
    again: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it."""

    number: int
    verdicts: tuple[Verdict, ...]
    notes: Notes
    seconds: float
    error: str


def survey(
    rules: str, asked: Sequence[Asked], minutes: float, processes: int, standard: bool = True
) -> Iterator[Surveyed]:
    """The verdicts on each instance, as they are found; of those that are alike one is looked at. In the time
    that is left some is asked again that is open, with more time and with what the others have shown: then an
    instance comes again.

    `minutes`: for all of them together, as far as that can be kept. Whoever stops listening stops the work.
    """
    first: dict[str, int] = {}
    for number, one in enumerate(asked):
        first.setdefault(one.program, number)
    tasks = [Task(at, asked[at].names, asked[at].weight if at else FIRST) for at in first.values()]
    known: dict[int, Done] = {}
    settled: set[int] = set()
    context, notes = multiprocessing.get_context("spawn"), Notes()
    hurry = HURRY * len(tasks) / processes  # if none has time enough
    end = time.monotonic() + 60 * minutes - min(hurry / 2, 60 * minutes / 4)
    with context.Pool(processes, _begin, (processes, rules, tuple(asked), standard)) as pool:
        while tasks:
            for done in _round(pool, processes, tasks, end, notes):
                number, before = done.number, known.get(done.number)
                known[number] = done if before is None else better(before, done)
                if before is None or known[number] != replace(before, seconds=known[number].seconds):
                    yield from _surveyed(asked, known[number])
                else:
                    settled.add(number)  # more time brought nothing
            if any(str(DEAD) in done.error for done in known.values()):
                return
            left = {at: done for at, done in known.items() if at not in settled}
            tasks = again(left, [one.weight for one in asked], end - time.monotonic(), processes)


def again(known: Mapping[int, Done], weights: Sequence[float], left: float, processes: int) -> list[Task]:
    """What is to be asked again: of instances with open questions those for each of which there are several
    times the seconds that it had before; first the ones that weigh most."""
    found, room = list[Task](), left * processes
    for at in sorted(known, key=lambda at: (-weights[at], known[at].seconds)):
        names, cost = still_open(known[at]), max(LITTLE, MORE * known[at].seconds)
        if names and not known[at].error and cost <= min(left, room):
            found.append(Task(at, names, cost, True))
            room -= cost
    return found


def _round(pool: Pool, processes: int, tasks: Sequence[Task], end: float, notes: Notes) -> Iterator[Done]:
    """Every task once, each with its part of the time, and with what was shown before it."""
    results: SimpleQueue[Done] = SimpleQueue()
    waiting, under_way, longest = list(tasks), dict[int, Task](), 0.0

    def failed(task: Task, error: BaseException) -> None:
        results.put(Done(task.number, (), Notes(), 0.0, f"{type(error).__name__}: {error}"))

    while waiting or under_way:
        while waiting and len(under_way) < processes:
            task = waiting.pop(0)
            under_way[task.number] = task
            ahead = sum(other.weight for other in (task, *waiting)) + processes - 1
            share = (end - time.monotonic()) * min(1, processes * task.weight / ahead)
            seconds = min(MOST, max(LEAST, share / SHARE))
            longest = max(longest, SHARE * seconds * SLACK + HURRY)
            given = (task, seconds, deepcopy(notes))
            pool.apply_async(_examine, given, callback=results.put, error_callback=partial(failed, task))
        try:
            done = results.get(timeout=LOST * longest)
        except Empty:
            for task in [*under_way.values(), *waiting]:
                under_way[task.number] = task
                failed(task, DEAD)
            waiting.clear()
            continue
        if under_way.pop(done.number, None) is not None:  # an answer that comes after all is too late
            notes.add(done.notes)
            yield done


def _surveyed(asked: Sequence[Asked], done: Done) -> Iterator[Surveyed]:
    """The instance, and those that are alike."""
    leader = asked[done.number]
    yield Surveyed(leader.want, done.verdicts, done.seconds, "", done.error)
    for other in asked:
        if other.program == leader.program and other is not leader:
            yield Surveyed(other.want, done.verdicts, 0.0, leader.want.name, done.error)


def still_open(done: Done) -> tuple[str, ...]:
    """The questions without a definite answer."""
    return tuple(dict.fromkeys(verdict.property for verdict in done.verdicts if verdict.open))


def better(before: Done, again: Done) -> Done:
    """The definite answers of both looks; else those of the first."""
    count = Counter((verdict.property, verdict.standard) for verdict in before.verdicts)
    new = {
        (verdict.property, verdict.standard): verdict
        for verdict in again.verdicts
        if not verdict.open and count[verdict.property, verdict.standard] == 1
    }
    verdicts = tuple(
        new.get((verdict.property, verdict.standard), verdict) if verdict.open else verdict
        for verdict in before.verdicts
    )
    return replace(before, verdicts=verdicts, seconds=before.seconds + again.seconds, error=again.error)


_given: list[Any] = []  # of this process: what all its tasks need


def _begin(*given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process answers Ctrl-C
    sys.unraisablehook = lambda _: None  # an alarm that rings while something is thrown away
    processes, *_given[:] = given
    among(processes)


def _examine(task: Task, seconds: float, notes: Notes) -> Done:
    """What is found of one instance; an error of our own is told, after what was found before it."""
    rules, asked, standard = _given
    began = time.monotonic()
    found: list[Verdict] = []
    error = ""
    game = made(opened(rules), asked[task.number].want)
    names = task.names
    try:
        with within(SHARE * seconds * SLACK):
            for verdict in verify(game, names, seconds, None, standard, notes=notes, effort=EFFORT):
                found.append(verdict)  # noqa: PERF402 (what was found before an error is kept)
    except OutOfTime:
        if not task.again:
            every = questions(game.program, standard or names is not None)
            found += hurried(game, chosen(every, names), found)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return Done(task.number, tuple(in_order(game, found)), notes, time.monotonic() - began, error)


def hurried(game: Game, asked: Sequence[Question], found: Sequence[Verdict]) -> list[Verdict]:
    """For each question without a verdict what random games and the first states show; or that there was no
    time even for that."""
    done = {(verdict.property, verdict.standard) for verdict in found}
    left = {(q.name, q.standard): q for q in asked if (q.name, q.standard) not in done}
    made: dict[tuple[str, bool], Verdict] = {}
    try:
        with within(HURRY):
            names = list(dict.fromkeys(name for name, _ in left))
            for verdict in verify(game, names, HURRY / 8, symbolic=False):
                made[verdict.property, verdict.standard] = verdict
    except OutOfTime:
        pass
    detail = "out of time for this instance"
    return [
        made[key]
        if key in made
        else Verdict(
            q.name, q.standard, q.form, "unknown", detail=detail, expected=q.expected, origin=q.origin
        )
        for key, q in left.items()
    ]
