"""Verifying many instances of a game in parallel processes, within a limit of time for all of them."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kemu.commands.common import Wanted, made, opened
from verifier.verdict import Verdict
from verifier.verify import verify

SHARE = 15  # the time that an instance may take, in times of what one question may
LEAST, MOST = 1.0, 60.0  # seconds for a question


@dataclass(frozen=True, slots=True)
class Asked:
    """An instance, the hash of its program, and what is asked of it (None: everything)."""

    want: Wanted
    program: str
    names: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The verdicts on one instance. `like`: the name of the instance that is the same program, and so has the
    same verdicts. `error`: why there are no more of them."""

    want: Wanted
    verdicts: tuple[Verdict, ...]
    seconds: float = 0.0
    like: str = ""
    error: str = ""


def survey(
    rules: str, asked: Sequence[Asked], minutes: float, processes: int, standard: bool = True
) -> Iterator[Surveyed]:
    """The verdicts on each instance, as they are found; of those that are the same program one is looked at.

    `minutes`: for all of them together, as far as that can be kept. Whoever stops listening stops the work.
    """
    first: dict[str, int] = {}
    for number, one in enumerate(asked):
        first.setdefault(one.program, number)
    context = multiprocessing.get_context("spawn")
    waiting = context.Value("i", len(first))
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
    _given[:] = given


def _examine(number: int) -> tuple[int, tuple[Verdict, ...], float, str]:
    """What is found of one instance; an error of our own is told, after what was found before it."""
    rules, asked, end, processes, standard, waiting = _given
    began = time.monotonic()
    with waiting.get_lock():
        ahead = waiting.value + processes - 1
        waiting.value -= 1
    seconds = min(MOST, max(LEAST, (end - began) * processes / ahead / SHARE))
    found: list[Verdict] = []
    error = ""
    try:
        game = made(opened(rules), asked[number].want)
        for verdict in verify(game, asked[number].names, seconds, None, standard):
            found.append(verdict)  # noqa: PERF402 (what was found before an error is kept)
    except Exception as failure:
        error = f"{type(failure).__name__}: {failure}"
    return number, tuple(found), time.monotonic() - began, error
