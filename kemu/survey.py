"""Verifying many instances of a game in parallel processes, within a limit of time for all of them. What was
shown of one instance is tried on those that come after it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from engine.alarm import OutOfTime, within
from engine.game import Game
from kemu.commands.common import Wanted, made, opened
from verifier.notes import Notes
from verifier.questions import Question, questions
from verifier.symbolic.solve import among
from verifier.verdict import Verdict
from verifier.verify import chosen, verify

FIRST = 10  # times the time of another instance has the first one, the game as it stands
SHARE = 15  # the time that an instance may take, in times of what one question may
SLACK = 2.0  # so much longer an instance may take; what it has no answer to then is unknown
LEAST, MOST = 1.0, 60.0  # seconds for a question
HURRY = 12.0  # seconds for what is left of an instance when its time is over


@dataclass(frozen=True, slots=True)
class Asked:
    """An instance, a hash of its program that decides which are alike, and what is asked of it (None:
    everything)."""

    want: Wanted
    program: str
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The verdicts on one instance. `like`: the name of the instance that is alike, and so has the same
    verdicts. `error`: why there are no more of them."""

    want: Wanted
    verdicts: tuple[Verdict, ...]
    seconds: float = 0.0
    like: str = ""
    error: str = ""


def survey(
    rules: str, asked: Sequence[Asked], minutes: float, processes: int, standard: bool = True
) -> Iterator[Surveyed]:
    """The verdicts on each instance, as they are found; of those that are alike one is looked at.

    `minutes`: for all of them together, as far as that can be kept. Whoever stops listening stops the work.
    """
    first: dict[str, int] = {}
    for number, one in enumerate(asked):
        first.setdefault(one.program, number)
    context = multiprocessing.get_context("spawn")
    end = time.monotonic() + 60 * minutes
    waiting = [(number, FIRST if number == 0 else 1) for number in first.values()]
    done: SimpleQueue[_Done | BaseException] = SimpleQueue()
    notes, under_way = Notes(), 0
    with context.Pool(processes, _begin, (rules, tuple(asked), processes, standard)) as pool:
        while waiting or under_way:
            while waiting and under_way < processes:
                number, weight = waiting[0]
                ahead = sum(weight for _, weight in waiting) + processes - 1
                share = (end - time.monotonic()) * min(1, processes * weight / ahead)
                given = (number, min(MOST, max(LEAST, share / SHARE)), deepcopy(notes))
                pool.apply_async(_examine, given, callback=done.put, error_callback=done.put)
                del waiting[0]
                under_way += 1
            one_done = done.get()
            under_way -= 1
            if isinstance(one_done, BaseException):
                raise one_done
            notes.add(one_done.notes)
            leader = asked[one_done.number]
            yield Surveyed(leader.want, one_done.verdicts, one_done.seconds, "", one_done.error)
            for other in asked:
                if other.program == leader.program and other is not leader:
                    yield Surveyed(other.want, one_done.verdicts, 0.0, leader.want.name, one_done.error)


@dataclass(frozen=True, slots=True)
class _Done:
    """What came of one instance."""

    number: int
    verdicts: tuple[Verdict, ...]
    notes: Notes
    seconds: float
    error: str


_given: list[Any] = []  # of this process: what all its tasks need


def _begin(*given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process answers Ctrl-C
    sys.unraisablehook = lambda _: None  # an alarm that rings while something is thrown away
    _given[:] = given
    among(given[2])


def _examine(number: int, seconds: float, notes: Notes) -> _Done:
    """What is found of one instance; an error of our own is told, after what was found before it."""
    rules, asked, _, standard = _given
    began = time.monotonic()
    found: list[Verdict] = []
    error = ""
    game = made(opened(rules), asked[number].want)
    names = asked[number].names
    try:
        with within(SHARE * seconds * SLACK):
            for verdict in verify(game, names, seconds, None, standard, notes=notes):
                found.append(verdict)  # noqa: PERF402 (what was found before an error is kept)
    except OutOfTime:
        found += hurried(game, chosen(questions(game.program, standard or names is not None), names), found)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return _Done(number, tuple(found), notes, time.monotonic() - began, error)


def hurried(game: Game, asked: Sequence[Question], found: Sequence[Verdict]) -> list[Verdict]:
    """For each question without a verdict what random games and the first states show; or that there was no
    time even for that."""
    done = {(verdict.property, verdict.standard) for verdict in found}
    left = {(q.name, q.standard): q for q in asked if (q.name, q.standard) not in done}
    made: dict[tuple[str, bool], Verdict] = {}
    try:
        with within(HURRY * SLACK):
            names = list(dict.fromkeys(name for name, _ in left))
            for verdict in verify(game, names, HURRY / 4, symbolic=False):
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
