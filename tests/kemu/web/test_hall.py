"""Tables over a network: they outlive the server; nobody acts for another, sees what another holds, or stops
others."""

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.base.opening import ready
from kemu.findings.phrases import Phrases
from kemu.table.session import Session
from kemu.web.changes import changes
from kemu.web.hall import Hall
from kemu.web.page import failed
from kemu.web.place import Table
from kemu.web.serving import Numbers, served, where
from kemu_engine.play.state import IllegalAction, State

from tests.kemu.web.asking import Page
from tests.kemu.web.guests import GUEST, HOME, Following, after_a_kill, hall, opened, run
from tests.kemu.web.told import changed


def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    async def body() -> None:
        first = hall(tmp_path / "a")
        cross, nought, watch = await opened(first)
        sent = {"table": cross, "action": "put((2, 2))", "step": 0}
        assert await first.ask("act", sent, HOME) == {"done": 1}
        second = after_a_kill(tmp_path / "a", tmp_path / "b")
        assert await second.ask("act", sent, HOME) == {"done": 1}  # once more, since the answer may be lost
        await second.ask("act", {"table": nought, "action": "put((1, 1))", "step": 1}, HOME)
        found = await second.ask("look", {"table": watch}, HOME)
        assert [each["text"] for each in found["log"]] == ["put((2, 2))", "put((1, 1))"]
        assert [found["you"], found["waits"], found["actions"]] == ["", False, []]

    run(body)


def test_whoever_is_connected_is_told_what_changes(tmp_path: Path) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        cross, nought, _ = await opened(here)
        one, other = Following(here, cross), Following(here, nought)
        assert (await one.told())["people"] == {"cross": "here", "nought": "away"}
        assert not (await other.told())["waits"]
        assert (await one.told())["people"] == {"cross": "here", "nought": "here"}
        await here.ask("act", {"table": cross, "action": "put((2, 2))", "step": 0}, HOME)
        for each, token in ((one, cross), (other, nought)):
            assert await each.told() == await here.ask("look", {"table": token}, HOME)
        assert other.now["waits"] and len(other.now["actions"]) == 8
        await one.events.aclose()  # type: ignore[attr-defined]
        assert (await other.told())["people"]["cross"] == "away"

    run(body)


@pytest.mark.parametrize(
    ("what", "whose", "message", "says"),
    [
        ("act", "x" * 22, {}, "nothing is known of this link"),
        ("act", "../../etc", {}, "nothing is known of this link"),
        ("look", 7, {}, "nothing is known of this link"),
        ("act", "nought", {}, "it is not for you to decide now"),
        ("act", "watch", {}, "whoever watches does not play"),
        ("act", "invitation", {}, "take the seat first"),
        ("act", "cross", {"step": 1}, "the game has gone on meanwhile"),
        ("act", "cross", {"step": True}, "an action names the step"),
        ("act", "cross", {"step": -1}, "the game has gone on meanwhile"),
        ("act", "cross", {"action": ["put((1, 1))"]}, "an action is given as a text"),
        ("act", "cross", {"action": "put((9, 9))"}, "put((9, 9)) is not possible"),
        ("claim", "invitation", {"seat": "y" * 22}, "this seat is taken already"),
        ("claim", "cross", {"seat": "y" * 22}, "this link is no invitation"),
        ("look", "invitation", {}, "this seat is taken already"),
        ("undo", "cross", {}, "nobody here knows how to"),
        ("hint", "cross", {}, "nobody here knows how to"),
        ("load", "cross", {"saved": "{}"}, "nobody here knows how to"),
        ("new", "", {"game": "/etc/passwd"}, "on this table"),
        ("new", "", {"game": "tic-tac-toe", "seats": {"cross": "human", "nought": "human"}}, "one seat"),
        ("new", "", {"game": "tic-tac-toe", "seats": {"cross": "random", "nought": "random"}}, "has to play"),
        (
            "new",
            "",
            {"game": "tic-tac-toe", "seats": {"cross": "human", "nought": "mcts:5s"}},
            "sits at this",
        ),
    ],
)
def test_a_hostile_client_gains_nothing(
    tmp_path: Path, what: str, whose: object, message: dict[str, object], says: str
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        found = await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        invitation = found["invitations"]["nought"]
        await here.ask("claim", {"table": invitation, "seat": GUEST}, HOME)
        links = {"cross": found["table"], "nought": GUEST, "watch": found["watch"], "invitation": invitation}
        asked = {"table": links.get(str(whose), whose), "action": "put((1, 1))", "step": 0, **message}
        with pytest.raises((BadInput, IllegalAction)) as error:
            await here.ask(what, asked, HOME)
        assert says in str(error.value)
        assert not (await here.ask("look", {"table": GUEST}, HOME))["log"]

    run(body)


def test_a_guest_who_goes_away_while_he_sits_down_has_the_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        found = await here.ask("new", {"game": "tic-tac-toe"}, HOME)
        claimed, ends = here.journal.claimed, asyncio.Event()

        async def late(*told: Any) -> None:
            await claimed(*told)
            await ends.wait()

        monkeypatch.setattr(here.journal, "claimed", late)
        asked = {"table": found["invitations"]["nought"], "seat": GUEST}
        sitting = asyncio.ensure_future(here.ask("claim", asked, HOME))
        while not here.claimed:
            await asyncio.sleep(0)
        sitting.cancel()
        ends.set()
        while here.claimed:
            await asyncio.sleep(0)
        assert (await here.ask("look", {"table": GUEST}, HOME))["you"] == "nought"

    run(body)


def test_what_is_wrong_with_a_step_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        cross, nought, _ = await opened(here)

        async def full(*_: object) -> None:
            raise BadInput("this could not be written down: disk full")

        monkeypatch.setattr(here.journal, "grown", full)
        other = Following(here, nought)
        await other.told()
        with pytest.raises(BadInput, match="disk full"):
            await here.ask("act", {"table": cross, "action": "put((2, 2))", "step": 0}, HOME)
        assert not (await other.told())["log"] and not (await here.ask("look", {"table": cross}, HOME))["log"]

    run(body)


@pytest.mark.parametrize(("what", "message"), [("look", {}), ("why", {"at": 0}), ("save", {})])
def test_nobody_is_told_of_a_step_that_could_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, message: dict[str, Any]
) -> None:
    async def body() -> None:
        here = hall(tmp_path / "a")
        cross, nought, _ = await opened(here)
        ends = asyncio.Event()

        async def fails(*_: object) -> None:
            await ends.wait()
            raise BadInput("this could not be written down: disk full")

        monkeypatch.setattr(here.journal, "grown", fails)
        asked = {"table": cross, "action": "put((2, 2))", "step": 0}
        act = asyncio.ensure_future(here.ask("act", asked, HOME))
        while not here.tables[1].session.steps:
            await asyncio.sleep(0)
        other = asyncio.ensure_future(here.ask(what, {"table": nought, **message}, HOME))
        await asyncio.sleep(0)
        ends.set()
        _, found = await asyncio.gather(act, other, return_exceptions=True)
        (after,) = await asyncio.gather(
            here.ask(what, {"table": nought, **message}, HOME), return_exceptions=True
        )
        assert str(found) == str(after) and not here.tables[1].session.steps

    run(body)


def test_other_sites_and_large_messages_are_refused(tmp_path: Path) -> None:
    page = Page()
    page.app = served(hall(tmp_path / "a"), where("127.0.0.1:80", "https://kemu.example.org"))
    body = b'{"game": "tic-tac-toe"}'
    good = {"host": "kemu.example.org", "origin": "https://kemu.example.org"}
    for bad in (
        {"host": "127.0.0.1:80"},
        {"host": "evil.example"},
        {"origin": "http://kemu.example.org"},
        {"origin": "https://kemu.example.org.evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"content_type": "text/plain"},
    ):
        page.send("/do/games", body, **{**good, **bad})
        assert page.status == 403
    page.send("/style.css/", b"", "GET", host="evil.example")
    assert page.status == 404  # and not a way to another place
    page.send("/do/games", b" " * 20_000, **good)
    assert page.status == 413
    assert "games" in json.loads(page.send("/do/games", body, **good))


def test_where_it_is_served() -> None:
    assert where("0.0.0.0:8000", None).hosts == Numbers(8000)
    assert "192.0.2.1:8000" in Numbers(8000) and "[2001:db8::1]:8000" in Numbers(8000)
    assert "evil.example:8000" not in Numbers(8000) and "192.0.2.1:80" not in Numbers(8000)
    assert where("127.0.0.1:8000", "https://kemu.example.org/").hosts == frozenset({"kemu.example.org"})
    for wrong in ("8000", ":8000", "localhost:", "localhost:0", "localhost:x"):
        with pytest.raises(BadInput, match="HOST:PORT"):
            where(wrong, None)
    with pytest.raises(BadInput, match="public address"):
        where("localhost:80", "kemu.example.org")


def histories(game: Any, most: int, rng: random.Random) -> Iterator[list[str]]:
    """Random plays, some that agree for long: of each the first steps are those of the one before."""
    last: list[str] = []
    for _ in range(most):
        state: State = game.initial()
        steps: list[str] = []
        keep = rng.randrange(len(last) + 1)
        while not state.is_end and len(steps) < 40:
            texts = [each.text for each in state.moves()]
            known = last[len(steps)] if len(steps) < keep else ""
            steps.append(known if known in texts else rng.choice(texts))
            state = state.apply(steps[-1])
        last = steps
        yield steps


SECRETS = [
    ("kuhn-poker", None, 60),
    ("leduc-poker", None, 40),
    ("rock-paper-scissors", None, 25),  # what is chosen together
    ("hanabi", "tiny", 25),  # a hand that only the others see
    ("stratego", "duel", 10),
]


@pytest.mark.parametrize(("name", "instance", "plays"), SECRETS)
def test_messages_to_a_seat_follow_from_what_it_may_know(name: str, instance: str | None, plays: int) -> None:
    game = ready(name, (), None, instance)
    told: dict[object, tuple[str, tuple[str, ...]]] = {}
    met = 0
    for steps in histories(game, plays, random.Random(1)):
        session = Session.new(game, dict.fromkeys(game.players, "human"), 0)
        table = Table(1, session, name, Phrases(), set())
        before: dict[str, Any] = {}
        for at, text in enumerate(["", *steps]):
            if text:
                session.apply(text)
                table.changed()
            for viewer in (*game.players, ""):
                place = table.place(viewer)
                if viewer in before:
                    assert changed(before[viewer], changes(before[viewer], place.now) or {}) == place.now
                before[viewer] = place.now
                key = (viewer, session.state.information_state(viewer or None))
                message = json.dumps(place.now, sort_keys=True)
                first, history = told.setdefault(key, (message, tuple(steps[:at])))
                met += history != tuple(steps[:at])
                assert message == first
    assert met > 20


def test_links_are_not_in_the_journal(tmp_path: Path) -> None:
    async def body() -> None:
        here: Hall = hall(tmp_path / "a")
        tokens = await opened(here)
        here.journal.close()
        kept = (tmp_path / "a").read_bytes()
        assert not any(token.encode() in kept for token in tokens)

    run(body)


def test_programs_are_made_elsewhere() -> None:
    from kemu.web.instances import program

    assert program("tic-tac-toe", (), 60).game == ready("tic-tac-toe", (), None, None).title


def test_one_link_claimed_at_two_tables_at_once_stops_nobody_else(tmp_path: Path) -> None:
    """What is written down together fails together: a claim that cannot be written must not get there."""

    async def body() -> None:
        here = hall(tmp_path / "a")
        cross, _, _ = await opened(here)
        tables = [await here.ask("new", {"game": "tic-tac-toe"}, HOME) for _ in range(2)]
        claims = [
            here.ask("claim", {"table": each["invitations"]["nought"], "seat": "z" * 22}, HOME)
            for each in tables
        ]
        act = here.ask("act", {"table": cross, "action": "put((2, 2))", "step": 0}, HOME)
        first, second, done = await asyncio.gather(*claims, act, return_exceptions=True)
        assert first["you"] == "nought"  # type: ignore[index]
        assert str(second) == "this link is known already"
        assert done == {"done": 1}

    run(body)


@pytest.mark.parametrize(
    "public", ["http://[x", "http://x:99999", "http://someone@x", "http://x#y", "ftp://x"]
)
def test_a_public_address_that_is_none_is_refused_in_words(public: str) -> None:
    with pytest.raises(BadInput, match="the public address is like"):
        where("127.0.0.1:8000", public)


def test_browsers_leave_out_the_usual_port() -> None:
    assert "192.0.2.1" in where("192.0.2.1:80", None).hosts
    assert "192.0.2.1" not in where("192.0.2.1:8000", None).hosts
    assert "kemu.example.org:8000" in where("Kemu.example.org:8000", None).hosts


def test_half_a_surrogate_is_refused_in_words() -> None:
    assert json.loads(bytes(failed("put(\ud800) is not possible").body))["error"] == "put(?) is not possible"
