"""Verifying many instances of a game in parallel processes, within a limit of time for all of them."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.alarm import OutOfTime, within
from engine.game import Game
from kemu.commands.common import Wanted, made, opened
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
    waiting = context.Value("i", FIRST + len(first) - 1)
    end = time.monotonic() + 60 * minutes
    given = (rules, tuple(asked), end, processes, standard, waiting)
    with context.Pool(processes, _begin, given) as pool:
        for number, verdicts, seconds, error in pool.imap_unordered(_examine, first.values()):
            leader = asked[number]
            yield Surveyed(leader.want, verdicts, seconds, "", error)
            for other in asked:
                if other.program == leader.program and other is not leader:
                    yield Surveyed(other.want, verdicts, 0.0, leader.want.name, error)


_given: list[Any] = []  # of this process: what all its tasks need


def _begin(*given: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent process answers Ctrl-C
    sys.unraisablehook = lambda _: None  # an alarm that rings while something is thrown away
    _given[:] = given
    among(given[3])


def _examine(number: int) -> tuple[int, tuple[Verdict, ...], float, str]:
    """What is found of one instance; an error of our own is told, after what was found before it."""
    rules, asked, end, processes, standard, waiting = _given
    began = time.monotonic()
    weight = 1 if number else FIRST
    with waiting.get_lock():
        ahead = waiting.value + processes - 1
        waiting.value -= weight
    seconds = min(MOST, max(LEAST, (end - began) * min(1, processes * weight / ahead) / SHARE))
    found: list[Verdict] = []
    error = ""
    game = made(opened(rules), asked[number].want)
    names = asked[number].names
    try:
        with within(SHARE * seconds * SLACK):
            for verdict in verify(game, names, seconds, None, standard):
                found.append(verdict)  # noqa: PERF402 (what was found before an error is kept)
    except OutOfTime:
        found += hurried(game, chosen(questions(game.program, standard or names is not None), names), found)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return number, tuple(found), time.monotonic() - began, error


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
