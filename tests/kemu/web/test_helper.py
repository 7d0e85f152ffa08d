"""Another process that answers questions: whatever becomes of it, or of this one, nobody waits for ever."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.web.helper import Helper, Lost


class Unreadable(Exception):
    """An error that cannot be made again from what is told of it."""

    def __init__(self, one: object, other: object) -> None:
        super().__init__(one)


def answering() -> Any:
    def answer(question: object) -> object:
        if question == "late":
            print("busy", flush=True)
            time.sleep(60)
        if question == "wrong":
            raise BadInput("this is wrong")
        if question == "unreadable":
            raise Unreadable(1, 2)
        return question

    return answer


def run(body: Callable[[Helper], Awaitable[None]]) -> None:
    helper = Helper(answering)
    try:
        asyncio.run(body(helper))  # type: ignore[arg-type]
    finally:
        helper.close()


def test_a_helper_answers_blames_and_is_given_up() -> None:
    async def body(helper: Helper) -> None:
        assert await helper.ask("good", 60) == "good"
        with pytest.raises(BadInput, match="this is wrong"):
            await helper.ask("wrong", 60)
        with pytest.raises(Lost, match="more than"):
            await helper.ask("late", 0.05)
        with pytest.raises(Lost, match="no answer"):
            await helper.ask("unreadable", 60)
        assert await helper.ask("good", 60) == "good"

    run(body)


def test_a_process_that_ended_while_nobody_asked_begins_again() -> None:
    async def body(helper: Helper) -> None:
        await helper.ask("good", 60)
        assert helper.process is not None
        helper.process.kill()
        helper.process.join()
        assert await helper.ask("good", 60) == "good"

    run(body)


def test_no_process_is_left_of_a_helper_that_is_closed_while_it_begins() -> None:
    helper = Helper(answering)
    helper.begin()
    helper.close()
    assert helper.process is None
    with pytest.raises(Lost):
        helper._asked("good", 60)


def test_a_process_ends_in_the_middle_of_an_answer_if_who_asked_is_killed() -> None:
    asks = (
        "import asyncio; from tests.kemu.web.test_helper import Helper, answering; "
        "asyncio.run(Helper(answering).ask('late', 60))"
    )
    with subprocess.Popen([sys.executable, "-c", asks], stdout=subprocess.PIPE, text=True) as asking:
        assert asking.stdout is not None
        assert asking.stdout.readline() == "busy\n"
        asking.kill()
        asking.communicate(timeout=30)  # both wrote there: that the other has ended, too, is its end
