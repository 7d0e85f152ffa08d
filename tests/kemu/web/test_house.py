"""Tables over a network come and go: what nobody uses is put away, nobody fills the disk or stops others."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.table.session import Session, Step
from kemu.web import instances, journal, serving, tables
from kemu.web.hall import Hall
from kemu.web.journal import Journal, Kept
from kemu.web.limits import Rate, TooOften
from kemu.web.serving import served, where
from kemu_engine.kernel.nodes import Program
from kemu_engine.play.game import Game

from tests.instances import instance
from tests.kemu.web.guests import HOME, Following, after_a_kill, hall, opened, run

FREE = "192.0.2.2"


def test_a_step_that_is_confirmed_while_the_house_is_kept_stays(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", forgotten=-1.0)
        cross, _, _ = await opened(here)
        asked = {"table": cross, "action": "put((2, 2))", "step": 0}
        _, done = await asyncio.gather(here.keep_house(), here.ask("act", asked, HOME))
        assert done == {"done": 1}
        again = after_a_kill(tmp_path / "a", tmp_path / "b")
        assert (await again.ask("look", {"table": cross}, HOME))["step"] == 1

    run(body)


def test_no_table_has_the_number_of_one_that_was_given_up(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", forgotten=-1.0)
        await opened(here)
        await here.keep_house()
        again = after_a_kill(tmp_path / "a", tmp_path / "b")
        await opened(again)
        assert not here.numbers and list(again.numbers) == [2]

    run(body)


def test_the_house_is_kept_again_after_it_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        tries = 0

        async def fails() -> None:
            nonlocal tries
            tries += 1
            raise sqlite3.OperationalError("disk I/O error")

        monkeypatch.setattr(here, "keep_house", fails)
        monkeypatch.setattr(serving, "HOUSE", 0.0)
        app = served(here, where("127.0.0.1:8000", None))
        async with app.router.lifespan_context(app):
            for _ in range(20):
                await asyncio.sleep(0)
        assert tries > 1

    run(body)


async def until_refused(here: Hall, tokens: list[str]) -> int:
    """How often one may ask by such links."""
    for at, token in enumerate(tokens):
        try:
            await here.ask("look", {"table": token}, HOME)
        except BadInput:
            continue
        except TooOften:
            return at
    return len(tokens)


def test_nobody_stops_others_or_fills_the_disk(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", tables=2, seat=Rate(0, 5), address=Rate(0, 20), streams_of_seat=1)
        cross, nought, _ = await opened(here)
        await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        with pytest.raises(BadInput, match="all tables are taken"):
            await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        assert await until_refused(here, [cross] * 10) == 5
        assert await until_refused(here, [f"{at:022}" for at in range(10)]) < 5
        old, new = Following(here, nought), Following(here, nought)
        await old.told()
        await new.told()
        last = [event async for event in old.events][-1]  # so that the page does not come again
        assert b"too many other windows" in last and b'"ended":true' in last
        assert await here.ask("games", {}, FREE)
        for most in ("streams", "streams_of_address"):
            crowded = hall(tmp_path / most, **{most: 0})
            cross, _, _ = await opened(crowded)
            with pytest.raises(TooOften, match="too many people are here"):  # so that the page tries again
                crowded.follows({"table": cross}, HOME)

    run(body)


def test_so_many_watch_a_table(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", streams_of_watchers=1)
        cross, _, watch = await opened(here)
        other = (await here.ask("new", {"game": "tic-tac-toe"}, HOME))["watch"]
        watching = [Following(here, token) for token in (watch, cross, other)]
        for each in watching:
            await each.told()
        with pytest.raises(TooOften, match="too many people watch this game"):
            here.follows({"table": watch}, HOME)

    run(body)


def test_a_game_that_is_over_makes_room_also_after_a_kill(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", tables_of_address=2)
        going = await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        cross, nought, _ = await opened(here)
        for at, (row, column) in enumerate([(1, 1), (2, 1), (1, 2), (2, 2), (1, 3)]):
            asked = {"table": (cross, nought)[at % 2], "action": f"put(({row}, {column}))", "step": at}
            await here.ask("act", asked, HOME)
        assert (await here.ask("look", {"table": cross}, HOME))["over"]
        again = after_a_kill(tmp_path / "a", tmp_path / "b", tables_of_address=2)
        for each in (here, again):
            await each.ask("new", {"game": "tic-tac-toe"}, HOME)
            assert list(each.numbers) == [1, 3]
            with pytest.raises(BadInput, match="nothing is known of this link"):
                await each.ask("look", {"table": cross}, HOME)
            assert (await each.ask("look", {"table": going["table"]}, HOME))["step"] == 0
            with pytest.raises(BadInput, match="too many tables are open from your address"):
                await each.ask("new", {"game": "tic-tac-toe"}, HOME)

    run(body)


def test_of_a_full_journal_games_that_are_over_make_room(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        for _ in range(2):
            await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        here.over[1] = None
        here.journal.used = 0.95
        await here.ask("new", {"game": "tic-tac-toe"}, FREE)
        assert list(here.numbers) == [2, 3]

    run(body)


def test_of_a_full_journal_each_address_has_its_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever holds less goes on, also after a kill; who has filled it waits for himself."""
    monkeypatch.setattr(Journal, "_used", lambda _: 0.95)
    monkeypatch.setattr(Journal, "full", False)

    async def body() -> None:
        first = hall(tmp_path / "a")
        many = [(await first.ask("new", {"game": "tic-tac-toe"}, HOME))["table"] for _ in range(3)]
        few = (await first.ask("new", {"game": "tic-tac-toe"}, FREE))["table"]
        monkeypatch.setattr(Journal, "full", True)
        for here in (first, after_a_kill(tmp_path / "a", tmp_path / "b")):
            asked = {"action": "put((1, 1))", "step": 0}
            assert await here.ask("act", {"table": few, **asked}, FREE) == {"done": 1}
            with pytest.raises(BadInput, match="tables opened from this table's address hold their part"):
                await here.ask("act", {"table": many[0], **asked}, FREE)
            with pytest.raises(BadInput, match="tables opened from your address hold their part"):
                await here.ask("new", {"game": "tic-tac-toe"}, HOME)
            await here.ask("new", {"game": "tic-tac-toe"}, "198.51.100.7")
            assert not (await here.ask("look", {"table": many[0]}, HOME))["log"]
        for each in (first, here):
            stored = {number: table.size for number, table in each.journal.tables().items()}
            assert each.shares.sizes == stored

    run(body)


def test_who_asks_for_many_games_waits_for_himself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instances, "begun", Game)

    async def body() -> None:
        made, process, may = [], asyncio.Lock(), asyncio.Event()

        async def make(name: str, _: object) -> Program:
            async with process:  # one makes them all
                await may.wait()
                made.append(name)
            return instance("tic-tac-toe").program

        here = instances.Instances(make)
        asks = [asyncio.ensure_future(here.get(name, (), b"many")) for name in ("first", "second", "third")]
        await asyncio.sleep(0)
        with pytest.raises(TooOften, match="too much is asked for at once from your address"):
            await here.get("fourth", (), b"many")
        asks.append(asyncio.ensure_future(here.get("other", (), b"one")))
        for _ in range(5):
            await asyncio.sleep(0)
        may.set()
        await asyncio.gather(*asks)
        assert made == ["first", "other", "second", "third"] and not here.turns.locks

    run(body)


def test_who_has_many_tables_that_are_woken_waits_for_himself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "WAKES", 1)

    async def body() -> None:
        first = hall(tmp_path / "a")
        found = [
            (await first.ask("new", {"game": "tic-tac-toe"}, who))["table"]
            for who in (HOME, HOME, HOME, FREE)
        ]
        again, replayed = after_a_kill(tmp_path / "a", tmp_path / "b"), tables._replayed

        async def when_all_wait(*woken: Any) -> Any:
            while again.wakes_of.wait.total() < len(found) - len(again.tables):
                await asyncio.sleep(0)
            return await replayed(*woken)

        monkeypatch.setattr(tables, "_replayed", when_all_wait)
        await asyncio.gather(*(again.ask("look", {"table": each}, HOME) for each in found))
        assert [*again.tables].index(4) < 2

    run(body)


def test_an_address_asks_only_so_often_whatever_links_it_has(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", at_tables=Rate(0, 4))
        links = await opened(here)  # whoever took the seat has asked once
        assert await until_refused(here, [*links, *links]) == 3
        assert not (await here.ask("look", {"table": links[0]}, FREE))["log"]

    run(body)


def test_no_step_holds_the_others_for_long(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", step=0.25)
        cross, _, _ = await opened(here)
        again = after_a_kill(tmp_path / "a", tmp_path / "b", step=0.25)
        for each in (here, again):
            await each.ask("look", {"table": cross}, HOME)
            assert [table.session.patience for table in each.tables.values()] == [0.25]

    run(body)


def test_a_game_is_not_prepared_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    """The threads that do it are few, and tables are woken by the same."""
    played = 0

    def walk(*_: object) -> Iterator[None]:
        nonlocal played
        while True:
            played += 1
            yield

    monkeypatch.setattr(instances, "walk", walk)
    monkeypatch.setattr(instances, "SOON", -1.0)
    instances.begun(instance("tic-tac-toe").program)
    assert played == 1


def test_nothing_makes_room_for_a_wish_that_is_refused(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", tables_of_address=1)
        await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        here.over[1] = None
        with pytest.raises(BadInput, match="each player has a seat"):
            await here.ask("new", {"game": "tic-tac-toe", "seats": {}}, HOME)
        assert list(here.numbers) == [1]

    run(body)


def test_no_more_tables_are_opened_at_once_than_there_may_be(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", tables=1)
        wishes = [here.ask("new", {"game": "tic-tac-toe"}, HOME) for _ in range(3)]
        found = await asyncio.gather(*wishes, return_exceptions=True)
        assert sum(isinstance(each, BadInput) for each in found) == 2 and list(here.numbers) == [1]

    run(body)


def test_while_many_tables_are_given_up_others_have_their_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", forgotten=-1.0)
        for _ in range(5):
            await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        monkeypatch.setattr(tables, "AT_ONCE", 2)
        forgotten, at_once = here.journal.forgotten, list[int]()

        async def counted(numbers: list[int]) -> None:
            at_once.append(len(numbers))
            await forgotten(numbers)

        monkeypatch.setattr(here.journal, "forgotten", counted)
        await here.keep_house()
        assert at_once == [2, 2, 1] and not here.numbers

    run(body)


def test_an_address_has_a_share_of_the_tables_also_after_a_kill(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", tables_of_address=2)
        for _ in range(2):
            await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        again = hall(tmp_path / "b", tables_of_address=1, forgotten=-1.0)
        await again.ask("new", {"game": "tic-tac-toe"}, HOME)
        for full in (here, after_a_kill(tmp_path / "a", tmp_path / "c", tables_of_address=2), again):
            with pytest.raises(BadInput, match="too many tables are open from your address"):
                await full.ask("new", {"game": "tic-tac-toe"}, HOME)
            await full.ask("new", {"game": "tic-tac-toe"}, FREE)
        await again.keep_house()  # which gives up what nobody plays
        await again.ask("new", {"game": "tic-tac-toe"}, HOME)

    run(body)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_journal_of_before_is_read(tmp_path: Path, version: int) -> None:
    more = (", opener blob not null default x''", ", over integer not null default 0")
    since = "".join(more[: version - 1])
    db = sqlite3.connect(tmp_path / "a")
    db.executescript(
        "create table tables (number integer primary key, game text not null, settings text not null,"
        " seats text not null, seed integer not null, touched real not null,"
        f" played integer not null default 0{since});"
        "create table steps (number integer not null, at integer not null, actor text, text text not null,"
        " primary key (number, at)) without rowid; insert into steps values (7, 0, 'cross', 'put((1, 1))');"
        "insert into tables (number, game, settings, seats, seed, touched)"
        f" values (7, 'tic-tac-toe', '{{}}', '{{}}', 0, 0); pragma user_version = {version};"
    )
    db.close()
    found = hall(tmp_path / "a")
    assert found.numbers == {7: b""} and not found.over
    assert found.shares.sizes == {7: journal.TABLE + journal.size([Step("cross", "put((1, 1))")])}


def test_a_journal_of_before_is_made_anew_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = sqlite3.connect(tmp_path / "a")
    db.executescript("create table tables (number integer primary key); pragma user_version = 2;")
    db.close()
    with monkeypatch.context() as broken:
        broken.setattr(journal, "SCHEMA", "this is no statement;")
        with pytest.raises(BadInput, match="cannot be used"):
            hall(tmp_path / "a")
    for end in ("", "-wal"):
        shutil.copy(tmp_path / f"a{end}", tmp_path / f"b{end}")
    db = sqlite3.connect(tmp_path / "b")
    assert [name for _, name, *_ in db.execute("pragma table_info(tables)")] == ["number"]
    db.close()


def test_what_nobody_uses_is_put_away(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a", asleep=-1.0)
        cross, _, _ = await opened(here)
        await here.ask("act", {"table": cross, "action": "put((2, 2))", "step": 0}, HOME)
        await here.keep_house()
        assert not here.tables and (await here.ask("look", {"table": cross}, HOME))["step"] == 1
        old = hall(tmp_path / "b", forgotten=-1.0)
        cross, _, _ = await opened(old)
        await old.keep_house()
        with pytest.raises(BadInput, match="nothing is known of this link"):
            await old.ask("look", {"table": cross}, HOME)
        assert not old.links and not old.numbers and old.journal.kept(1) is None

    run(body)


def test_tables_are_woken_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the first are there long before the last."""

    async def body() -> None:
        first = hall(tmp_path / "a")
        links = [
            (await first.ask("new", {"game": "tic-tac-toe"}, f"192.0.2.{at}"))["table"] for at in range(10)
        ]
        here = after_a_kill(tmp_path / "a", tmp_path / "b")
        replayed, now, most = tables._replayed, 0, 0

        async def counted(game: Game, kept: Kept) -> Session:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return await replayed(game, kept)

        monkeypatch.setattr(tables, "_replayed", counted)
        await asyncio.gather(*(here.ask("look", {"table": link}, HOME) for link in links))
        assert most == tables.WAKES

    run(body)
