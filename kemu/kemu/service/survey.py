"""Verifying many instances of a game in parallel processes, within a limit of time for all of them. What was
shown of one instance is tried on those that come after it."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from kemu_engine.play.game import Game
from kemu_engine.support.gc_pause import undisturbed
from kemu_engine.support.process_pool import Crew, Failed, Told
from kemu_engine.support.time_limit import OutOfTime, silenced, within
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.goal.questions import Question, questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.verify import Effort, chosen, in_order, verify
from kemu_verifier.symbolic.solve import among

from kemu.base.opening import Wanted, made, opened

FIRST = 20  # times the time of another instance may have the first one, the game as it stands
SHARE = 21  # the time that an instance may take, at most, in times of what one question may
BASE, EACH = 3, 2  # of that: what any instance needs, and what a question more where few are asked
SLACK = 1.2  # so much longer an instance may take at most; what it has no answer to then is unknown
# what is known of another instance helps most in what all share; there is no time to be generous with
EFFORT = Effort(10, 10.0, generous=False)
LEAST, MOST = 0.8, 60.0  # seconds for a question
LOST = 10  # times HURRY, and twice what it may take: then a process is taken to hang
MORE, LITTLE = 3, 20.0  # times the seconds it had, and so many at least: for asking again
OFTEN = 5.0  # seconds between two times that a process tells its notes
HURRY = 15.0  # seconds for what is left of an instance when its time is over


@dataclass(frozen=True, slots=True)
class Asked:
    """An instance, a hash of its program that decides which are alike, what is asked of it (None:
    everything), how its time compares to that of others, and how large its state is: of the others than the
    first, small ones come first."""

    want: Wanted
    program: str
    names: tuple[str, ...] | None = None
    weight: int = 1
    size: int = 0


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
    notes: LemmaCache
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
    order = sorted(first.values(), key=lambda at: (at > 0, asked[at].size))
    tasks = [Task(at, asked[at].names, asked[at].weight if at else FIRST) for at in order]
    known: dict[int, Done] = {}
    settled: set[int] = set()
    notes, end = LemmaCache(), time.monotonic() + 60 * minutes
    with closing(Crew(processes, _examine, _begin, (processes, rules, tuple(asked), standard))) as crew:
        while tasks:
            for done in _round(crew, processes, tasks, end, notes):
                number, before = done.number, known.get(done.number)
                known[number] = done if before is None else better(before, done)
                if before is None or known[number] != replace(before, seconds=known[number].seconds):
                    yield from _surveyed(asked, known[number])
                else:
                    settled.add(number)  # more time brought nothing
            left = {at: done for at, done in known.items() if at not in settled}
            tasks = asked_again(left, [one.weight for one in asked], end - time.monotonic(), processes)


def asked_again(
    known: Mapping[int, Done], weights: Sequence[float], left: float, processes: int
) -> list[Task]:
    """What is to be asked again: of instances with open questions those for each of which there are several
    times the seconds that it had before; first the ones that weigh most."""
    found, room = list[Task](), left * processes
    for at in sorted(known, key=lambda at: (-weights[at], known[at].seconds)):
        names, cost = still_open(known[at]), max(LITTLE, MORE * known[at].seconds)
        if names and not known[at].error and cost <= min(left, room):
            found.append(Task(at, names, cost, True))
            room -= cost
    return found


def _round(
    crew: Crew, processes: int, tasks: Sequence[Task], until: float, notes: LemmaCache
) -> Iterator[Done]:
    """Every task once, each with its part of the time, and with what was shown before it. `until`: when all
    are to be done."""
    quarter = (until - time.monotonic()) * processes / 4
    reserve = 0.0 if any(task.again for task in tasks) else min(HURRY, quarter / len(tasks))  # for `hurried`
    waiting, under_way = list(tasks), dict[int, tuple[Task, float]]()  # by number: until when it has time
    patience: dict[int, float] = {}  # by number: so many seconds of silence, and its process is given up
    silent: dict[int, float] = {}  # by number: when that is
    while waiting or under_way:
        while waiting and crew.free:
            task, now = waiting.pop(0), time.monotonic()
            end = until - reserve * (1 + len(waiting) + len(under_way)) / processes
            room = processes * (end - now) - sum(max(0, busy - now) for _, busy in under_way.values())
            share = min(end - now, room * task.weight / sum(other.weight for other in (task, *waiting)))
            times = times_of(task.names)
            seconds = min(MOST, max(LEAST, share / times))
            limit = times * max(seconds, min(SLACK * seconds, (end - now) / times))
            under_way[task.number] = task, now + times * seconds
            patience[task.number] = 2 * limit + LOST * HURRY
            silent[task.number] = now + patience[task.number]
            crew.give(task.number, task, seconds, limit, notes)
        came = dict(crew.done(max(0, min(silent[number] for number in under_way) - time.monotonic())))
        for number in under_way.keys() - came.keys():
            if time.monotonic() > silent[number]:
                came[number] = crew.given_up(number)
        for number, done in came.items():
            if isinstance(done, Told):
                notes.add(done.what)
                silent[number] = time.monotonic() + patience[number]
                continue
            under_way.pop(number)
            if isinstance(done, Failed):
                done = Done(number, (), LemmaCache(), 0.0, done.error)
            notes.add(done.notes)
            yield done


def times_of(names: Sequence[str] | None) -> int:
    """The time that an instance may take of which this is asked, in times of what one question may."""
    return SHARE if names is None else min(SHARE, BASE + EACH * len(names))


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


def better(before: Done, later: Done) -> Done:
    """The definite answers of both looks; else those of the first. An error in the second look takes nothing
    from the first."""
    count = Counter((verdict.property, verdict.standard) for verdict in before.verdicts)
    new = {
        (verdict.property, verdict.standard): verdict
        for verdict in later.verdicts
        if not verdict.open and count[verdict.property, verdict.standard] == 1
    }
    verdicts = tuple(
        new.get((verdict.property, verdict.standard), verdict) if verdict.open else verdict
        for verdict in before.verdicts
    )
    error = later.error and f"when asked again: {later.error}"
    return replace(before, verdicts=verdicts, seconds=before.seconds + later.seconds, error=error)


Tell = Callable[[LemmaCache], None]
"""Says what there is to note so far."""

_given: list[Any] = []  # of this process: what all its tasks need


def _begin(*given: Any) -> None:
    sys.unraisablehook = lambda _: None  # an alarm that rings while something is thrown away
    processes, *_given[:] = given
    among(processes)


def _examine(tell: Tell, task: Task, seconds: float, limit: float, notes: LemmaCache) -> Done:
    """What is found of one instance; an error of our own is told, after what was found before it. Notes are
    told as they come."""
    rules, asked, standard = _given
    last = time.monotonic()

    def progress(_: str) -> None:
        nonlocal last
        if time.monotonic() > last + OFTEN:
            with silenced():
                tell(notes)
            last = time.monotonic()

    began = time.monotonic()
    found: list[Verdict] = []
    error = ""
    with undisturbed():
        game = made(opened(rules), asked[task.number].want)
    names = task.names
    effort = EFFORT if names is None else replace(EFFORT, shares=min(EFFORT.shares, len(names)))
    try:
        try:
            with within(limit):
                for verdict in verify(game, names, seconds, progress, standard, notes=notes, effort=effort):
                    found.append(verdict)  # noqa: PERF402 (what was found before an error is kept)
        except OutOfTime:
            if not task.again:
                every = questions(game.program, standard or names is not None)
                found += hurried(game, chosen(every, names), found, notes)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return Done(task.number, tuple(in_order(game, found)), notes, time.monotonic() - began, error)


def hurried(
    game: Game, asked: Sequence[Question], found: Sequence[Verdict], notes: LemmaCache
) -> list[Verdict]:
    """For each question without a verdict what random games, those that were noted, and the first states
    show; or that there was no time even for that."""
    done = {(verdict.property, verdict.standard) for verdict in found}
    left = {(q.name, q.standard): q for q in asked if (q.name, q.standard) not in done}
    made: dict[tuple[str, bool], Verdict] = {}
    try:
        with within(HURRY):
            names = list(dict.fromkeys(name for name, _ in left))
            for verdict in verify(game, names, HURRY / 12, symbolic=False, notes=notes):
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
