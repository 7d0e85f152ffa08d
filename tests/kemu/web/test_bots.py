"""Bots at tables over a network: they think elsewhere, and what they do is kept as what people do is."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.web import bots
from kemu.web.hall import Hall
from kemu.web.helper import Helper, Lost
from kemu.web.thinking import Question, Thinker

from tests.kemu.web.guests import HOME, Following, after_a_kill, hall, run

BOT = {"cross": "human", "nought": "mcts:100"}


class Slow:
    """Bots who choose when they are told to; `asked`: what they were."""

    def __init__(self, here: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked: list[Question] = []
        self.may = asyncio.Event()
        monkeypatch.setattr(here.bots.thinkers, "chosen", self.chosen)

    async def chosen(self, opener: bytes, asked: Question) -> str:
        self.asked.append(asked)
        await self.may.wait()
        return Thinker(1.0, 20.0)(asked)


async def act(here: Hall, table: str, text: str, step: int) -> Any:
    return await here.ask("act", {"table": table, "action": text, "step": step}, HOME)


def test_a_bot_thinks_while_the_table_waits_and_its_move_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        slow = Slow(here, monkeypatch)
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        mine = Following(here, found["table"])
        await mine.told()
        assert await act(here, found["table"], "put((2, 2))", 0) == {"done": 1}
        now = await mine.told()
        assert [now["step"], now["waits"], now["seats"]["nought"]] == [1, False, "mcts:100"]
        with pytest.raises(BadInput, match="not for you to decide"):
            await act(here, found["table"], "put((1, 1))", 1)
        slow.may.set()
        assert [(await mine.told())["step"], mine.now["waits"]] == [2, True]
        again = after_a_kill(tmp_path / "a", tmp_path / "b")
        assert (await again.ask("look", {"table": found["table"]}, HOME))["log"] == mine.now["log"]

    run(body)


def test_a_bot_that_was_to_choose_thinks_again_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        Slow(here, monkeypatch)
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        await act(here, found["table"], "put((2, 2))", 0)
        again = after_a_kill(tmp_path / "a", tmp_path / "b")
        Slow(again, monkeypatch).may.set()
        mine = Following(again, found["table"])
        while (await mine.told())["step"] < 2:
            pass

    run(body)


def test_a_table_that_is_put_away_has_no_bots_that_think(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", asleep=-1.0)
        slow = Slow(here, monkeypatch)
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        await act(here, found["table"], "put((2, 2))", 0)
        await here.keep_house()
        await asyncio.sleep(0)
        assert not here.bots.tasks and not here.tables
        slow.may.set()
        mine = Following(here, found["table"])
        while (await mine.told())["step"] < 2:
            pass
        assert len(slow.asked) == 2

    run(body)


def test_a_bot_that_gives_no_answer_plays_at_random(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")

        async def none(*_: object) -> str:
            raise Lost

        monkeypatch.setattr(here.bots.thinkers, "chosen", none)
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        await act(here, found["table"], "put((2, 2))", 0)
        mine = Following(here, found["table"])
        while (await mine.told())["step"] < 2:
            pass

    run(body)


def test_a_move_of_a_bot_that_could_not_be_written_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        Slow(here, monkeypatch).may.set()
        grown, tries = here.journal.grown, 0

        async def fails_once(number: int, first: int, *more: Any) -> None:
            nonlocal tries
            tries += first == 1
            if first == 1 and tries == 1:
                raise BadInput("this could not be written down: disk full")
            await grown(number, first, *more)

        monkeypatch.setattr(here.journal, "grown", fails_once)
        monkeypatch.setattr(bots, "AGAIN", 0.0)
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        mine = Following(here, found["table"])
        await act(here, found["table"], "put((2, 2))", 0)
        while (await mine.told())["step"] < 2:
            pass
        assert tries == 2

    run(body)


def test_those_at_a_table_hear_why_a_bot_cannot_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", steps=1)  # a game has no more
        Slow(here, monkeypatch).may.set()
        found = await here.ask("new", {"game": "tic-tac-toe", "seats": BOT}, HOME)
        mine = Following(here, found["table"])
        await act(here, found["table"], "put((2, 2))", 0)
        while not (await mine.told())["trouble"]:
            pass
        assert mine.now["trouble"] == "a game here has at most 1 steps" and mine.now["step"] == 1

    run(body)


def test_who_opened_many_tables_waits_for_himself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one searches at a time; others have their turn between those of the one who asked first."""

    async def body() -> None:
        thinkers = hall(tmp_path / "a", thinkers=1).bots.thinkers
        served: list[int] = []

        async def ask(asked: Question, seconds: float) -> str:
            served.append(asked.table)
            await asyncio.sleep(0)
            return ""

        monkeypatch.setattr(thinkers.helpers[0], "ask", ask)
        wishes = [(b"many", 1), (b"many", 2), (b"many", 3), (b"one", 4), (b"other", 5)]
        tasks = [
            asyncio.ensure_future(thinkers.chosen(who, Question(table, "", (), (), (), "mcts:1s")))
            for who, table in wishes
        ]
        await asyncio.sleep(0)
        tasks[1].cancel()  # whoever gives up is not waited for
        await asyncio.gather(*tasks, return_exceptions=True)
        assert served == [1, 4, 5, 3]

    run(body)


@pytest.mark.parametrize("mine", [1, 2, 3])
def test_a_bot_chooses_by_what_its_player_knows(mine: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same card, the same choice, whatever the other one holds; and whatever was asked before."""
    monkeypatch.setattr("kemu.web.thinking.secrets.randbits", lambda bits: 7)
    thinker = Thinker(20.0, 20.0)
    seats = (("ann", "mcts:100"), ("ben", "human"))
    chosen = {
        thinker(Question(table, "kuhn-poker", (), seats, (str(mine), str(other)), "mcts:100"))
        for table, other in enumerate({1, 2, 3} - {mine})
    }
    assert len(chosen) == 1


def test_a_bot_follows_a_game_that_went_another_way() -> None:
    """What was not written down did not happen."""
    thinker = Thinker(20.0, 20.0)
    seats = (("cross", "human"), ("nought", "mcts:100"))
    for steps in (
        ("put((1, 1))", "put((2, 2))", "put((1, 2))"),
        ("put((1, 1))", "put((1, 3))", "put((3, 3))"),
    ):
        action = thinker(Question(1, "tic-tac-toe", (), seats, steps, "mcts:100"))
        assert action not in steps and tuple(step.text for step in thinker.tables[1].steps) == steps


def answering() -> Any:
    def answer(question: object) -> object:
        if question == "late":
            time.sleep(60)
        if question == "wrong":
            raise BadInput("this is wrong")
        return question

    return answer


def test_a_helper_answers_blames_is_given_up_and_ends_with_its_server() -> None:
    helper = Helper(answering)

    async def body() -> None:
        assert await helper.ask("good", 60) == "good"
        with pytest.raises(BadInput, match="this is wrong"):
            await helper.ask("wrong", 60)
        with pytest.raises(Lost):
            await helper.ask("late", 0.05)
        assert await helper.ask("good", 60) == "good"
        assert helper.process is not None and helper.pipe is not None
        helper.pipe.close()  # as any end of the server does
        helper.process.join(60)
        assert helper.process.exitcode == 0

    run(body)
    helper.close()
