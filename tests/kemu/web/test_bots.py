"""Bots at tables over a network: they think elsewhere, and what they do is kept as what people do is."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.web import bots
from kemu.web.hall import Hall
from kemu.web.helper import Lost
from kemu.web.limits import Limits
from kemu.web.thinking import Question, Thinker, Thinkers

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


@pytest.mark.parametrize("why", [Lost("no answer"), RuntimeError("the search broke down")])
def test_a_bot_that_gives_no_answer_plays_at_random(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: Exception
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")

        async def none(*_: object) -> str:
            raise why

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


class OneThinks:
    """Who thinks, one at a time: `served`, the tables in their order; `seconds`, how long about some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, seconds: dict[int, float] | None = None) -> None:
        self.now, self.seconds, self.served = 0.0, seconds or {}, list[int]()
        self.lost = 0  # the table that gets no answer
        self.may = asyncio.Event()
        self.may.set()
        self.thinkers = Thinkers(Limits(thinkers=1, thought=2.0), lambda: self.now, self.passes)
        monkeypatch.setattr(self.thinkers.helpers[0], "ask", self.ask)

    async def passes(self, seconds: float) -> None:
        self.now += seconds
        for _ in range(9):
            await asyncio.sleep(0)

    async def ask(self, asked: Question, _: float) -> str:
        self.served.append(asked.table)
        self.now += self.seconds.get(asked.table, 0.1)
        await asyncio.sleep(0)
        await self.may.wait()
        if asked.table == self.lost:
            raise Lost("no answer")
        return ""

    def asks(self, opener: bytes, table: int) -> asyncio.Task[str]:
        return asyncio.create_task(self.thinkers.chosen(opener, Question(table, "", (), (), (), "mcts:1s")))


def test_who_opened_many_tables_waits_for_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only one searches at a time; others have their turn between those of the one who asked first."""

    async def body() -> None:
        one = OneThinks(monkeypatch)
        tasks = [
            one.asks(*wish) for wish in ((b"many", 1), (b"many", 2), (b"many", 3), (b"one", 4), (b"other", 5))
        ]
        await asyncio.sleep(0)
        tasks[1].cancel()  # whoever gives up is not waited for
        await asyncio.gather(*tasks, return_exceptions=True)
        assert one.served == [1, 4, 5, 3]

    run(body)


def test_who_has_bots_that_think_for_long_waits_for_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        one = OneThinks(monkeypatch, {1: 7.0, 2: 7.0})
        quick = [(b"quick", table) for table in range(3, 9)]
        tasks = [one.asks(*wish) for wish in ((b"slow", 1), (b"slow", 2), *quick)]
        await asyncio.gather(*tasks)
        assert one.served == [1, 3, 4, 5, 6, 2, 7, 8]  # seven seconds, then four turns of two

    run(body)


def test_who_thinks_in_vain_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that was put away: what thinks about it answers nobody else meanwhile."""

    async def body() -> None:
        one = OneThinks(monkeypatch)
        one.may.clear()
        one.lost = 1
        complaints = list[object]()
        asyncio.get_running_loop().set_exception_handler(lambda _, told: complaints.append(told))
        first, second = one.asks(b"one", 1), one.asks(b"other", 2)
        await asyncio.sleep(0)
        first.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert one.served == [1]
        one.may.set()
        await second
        assert one.served == [1, 2]
        gc.collect()
        assert not complaints

    run(body)


def test_when_a_bot_answers_tells_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it had a choice, and how hard that was, is not seen from without."""

    async def body() -> None:
        told = []
        for took in (0.0, 0.9):
            one = OneThinks(monkeypatch, {1: took})
            monkeypatch.setattr(one, "now", -took)  # what the search takes passes while the answer is kept
            await one.thinkers.chosen(b"one", Question(1, "", (), (), (), "mcts:1s", secret=True))
            told.append(one.now)
        assert told == [2.0, 2.0]

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
        known = thinker.games["tic-tac-toe", ()].tables[1]
        assert action not in steps and tuple(step.text for step in known.steps) == steps


def test_of_a_game_that_is_not_kept_in_mind_no_table_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemu.web.thinking.GAMES", 1)
    thinker = Thinker(20.0, 20.0)
    for table, size in enumerate(("3", "4"), 1):
        seats = (("red", "mcts:100"), ("blue", "human"))
        thinker(Question(table, "hex", (f"size={size}",), seats, (), "mcts:100"))
    assert [[*known.tables] for known in thinker.games.values()] == [[2]]


@pytest.mark.parametrize(
    ("game", "step", "says"),
    [("tic-tac-toe", "put((2, 2))", "all is not possible"), ("kuhn-poker", "", "the rules break down")],
)
def test_why_a_bot_cannot_go_on_tells_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str, step: str, says: str
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")

        async def wrong(*_: object) -> str:
            return "all"

        monkeypatch.setattr(here.bots.thinkers, "chosen", wrong)
        first, second = (await here.ask("table", {"game": game}, HOME))["players"]
        seats = {first: "human", second: "mcts:100"} if step else {first: "mcts:100", second: "human"}
        found = await here.ask("new", {"game": game, "seats": seats}, HOME)
        if step:
            await act(here, found["table"], step, 0)
        mine = Following(here, found["table"])
        while not (await mine.told())["trouble"]:
            pass
        assert mine.now["trouble"].startswith(says)

    run(body)
