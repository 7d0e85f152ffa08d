"""Processes beside this one: what becomes of their tasks, and of themselves."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest
from kemu_engine.support.process_pool import DIED, SILENT, Crew, Failed, Told, outcomes


def work(tell: Callable[[object], None], task: str) -> object:
    """What a process of the tests does."""
    if task == "talk":
        tell("so far")
        tell("and on")
    if task == "die":
        os._exit(1)
    if task == "hang":
        time.sleep(600)
    if task == "odd":
        return lambda: None
    if task == "who":
        return os.getpid()
    if task == "signal":
        return signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    return 1 / len(task)


@pytest.fixture
def crew() -> Iterator[Crew]:
    made = Crew(2, work)
    yield made
    made.close()


def come(crew: Crew, count: int = 1) -> dict[object, object]:
    found: dict[object, object] = {}
    while len(found) < count:
        found |= crew.done(60)
    return found


def test_who_dies_takes_its_own_task_only(crew: Crew) -> None:
    crew.give("a", "die")
    crew.give("b", "four")
    assert not crew.free
    assert come(crew, 2) == {"a": Failed(DIED), "b": 0.25}
    crew.give("c", "die")
    crew.give("d", "by")
    assert come(crew, 2) == {"c": Failed(DIED), "d": 0.5}


def test_an_error_is_told_and_the_process_goes_on(crew: Crew) -> None:
    crew.give("a", "")
    assert come(crew) == {"a": Failed("ZeroDivisionError: division by zero")}
    crew.give("b", "by")
    assert come(crew) == {"b": 0.5}


def test_what_is_told_comes_before_what_is_done(crew: Crew) -> None:
    crew.give("a", "talk")
    assert [come(crew) for _ in range(3)] == [{"a": Told("so far")}, {"a": Told("and on")}, {"a": 0.25}]


def test_what_cannot_be_sent_is_an_error_too(crew: Crew) -> None:
    crew.give("a", "odd")
    [answer] = come(crew).values()
    assert isinstance(answer, Failed) and "pickle" in answer.error


def test_one_that_dies_without_a_task_takes_none_with_it(crew: Crew) -> None:
    crew.give("a", "who")
    [number] = come(crew).values()
    assert isinstance(number, int)
    os.kill(number, signal.SIGKILL)
    assert gone(crew)
    crew.give("b", "four")
    assert come(crew) == {"b": 0.25}


def gone(crew: Crew) -> bool:
    """Waits until the only idle process has died."""
    return crew._idle[0][1].poll(60)


def test_one_that_hangs_is_given_up(crew: Crew) -> None:
    crew.give("a", "hang")
    assert crew.done(0.1) == {}
    assert crew.given_up("a") == Failed(SILENT)
    assert crew.free


def test_they_leave_ctrl_c_to_this_process_from_their_start(crew: Crew) -> None:
    mine = signal.getsignal(signal.SIGINT)
    crew.give("a", "signal")
    assert come(crew) == {"a": True}
    assert signal.getsignal(signal.SIGINT) is mine


def test_many_tasks_are_done_by_few_and_one_that_fails_is_told() -> None:
    tasks = [("four",), ("die",), ("",), ("by",)]
    found = dict(outcomes(2, work, tasks))
    assert found[0] == 0.25 and found[1] == Failed(DIED) and found[3] == 0.5
    assert found[2] == Failed("ZeroDivisionError: division by zero")
    assert len(found) == len(tasks)


def test_who_stops_listening_stops_the_work() -> None:
    answers = outcomes(2, work, [("by",), ("hang",), ("by",)])
    assert next(answers) == (0, 0.5)
    assert multiprocessing.active_children()
    answers.close()
    assert not multiprocessing.active_children()


def broken() -> None:
    raise ValueError("no")


def test_of_processes_that_cannot_begin_every_task_says_why() -> None:
    found = dict(outcomes(2, work, [("by",), ("by",), ("by",)], broken))
    assert found == dict.fromkeys(range(3), Failed("ValueError: no"))
