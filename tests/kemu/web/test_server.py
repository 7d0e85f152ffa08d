"""The table's server: games over messages; one clear error for whatever is wrong; secrets stay secret."""

import json
import re
import subprocess
import sys
from importlib.resources import files
from typing import Any

import pytest
from kemu.base.library import BadInput
from kemu.base.opening import ready
from kemu.table.session import Session
from kemu.web import why
from kemu.web.games import Shelf
from kemu.web.page import LARGEST
from kemu.web.position import Seated
from kemu.web.room import TABLES, Room
from kemu_engine.play.game import Game
from kemu_engine.run.python import writer

from tests.kemu.web.asking import HOST, Page

BOTH = {"cross": "human", "nought": "human"}


def begun(page: Page) -> Any:
    return page.ask("new", game="tic-tac-toe", seats=BOTH)


def test_a_game_is_played_taken_back_saved_and_goes_on() -> None:
    page = Page()
    start = begun(page)
    assert [each["text"] for each in start["actions"]][:2] == ["put((1, 1))", "put((2, 1))"]
    assert start["parameters"] == {"put": ["c"]}
    assert start["scene"]["picks"] == [{"action": "put", "parameter": "c", "domains": ["Cell"]}]
    table = start["table"]
    page.ask("act", table=table, action="put((2, 2))", step=0)
    played = page.ask("act", table=table, action="put((1, 1))", step=1)
    assert [(each["player"], each["text"]) for each in played["log"]] == [
        ("cross", "put((2, 2))"),
        ("nought", "put((1, 1))"),
    ]
    assert played["undo"] and not start["undo"]
    assert page.ask("undo", table=table)["step"] == 1
    saved = page.ask("save", table=table)["saved"]
    again = page.ask("load", saved=saved)
    assert again["step"] == 1 and again["scene"]["seats"] == page.ask("look", table=table)["scene"]["seats"]


def test_bots_and_chance_go_on_until_a_person_is_to_decide() -> None:
    page = Page()
    seats = {"cross": "random", "nought": "random"}
    found = page.ask("new", game="tic-tac-toe", seats=seats, seed=1)
    table = found["table"]
    while not found["over"]:
        found = page.ask("go", table=table)
    assert found["scene"]["status"]


@pytest.mark.parametrize(
    ("what", "message", "says"),
    [
        ("new", {"game": "no-such"}, "there is no game 'no-such' on this table"),
        ("new", {"game": "/etc/passwd"}, "on this table"),
        ("new", {"game": ["chess"]}, "on this table"),
        ("new", {"game": "tic-tac-toe", "settings": {"x": "1"}}, "no option"),
        ("new", {"game": "tic-tac-toe", "settings": {"players": "9"}}, "players"),
        ("new", {"game": "tic-tac-toe", "settings": [1]}, "options are given as texts"),
        (
            "new",
            {"game": "tic-tac-toe", "seats": {"cross": "human"}},
            "each player has a seat: cross, nought",
        ),
        (
            "new",
            {"game": "tic-tac-toe", "seats": {"cross": "mcts:9999999s", "nought": "human"}},
            "sits at this",
        ),
        ("new", {"game": "tic-tac-toe", "seed": -1}, "a seed is"),
        ("load", {"saved": "{"}, "this file is not JSON"),
        ("load", {"saved": "[]"}, "this file is not a record of a game"),
        ("load", {}, "this is no saved game"),
        ("act", {"table": "guessed"}, "this game is not here any more"),
        ("act", {"table": [1]}, "this game is not here any more"),
        ("fly", {}, "not here any more"),
    ],
)
def test_what_is_wrong_is_said_once(what: str, message: dict[str, object], says: str) -> None:
    page = Page()
    answer = page.ask(what, **message)
    assert page.status == 400 and says in answer["error"] and list(answer) == ["error"]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"action": "put((9, 9))", "step": 0}, "put((9, 9)) is not possible"),
        ({"action": 7, "step": 0}, "an action is given as a text"),
        ({"action": "put((1, 1))", "step": 5}, "the game has gone on meanwhile"),
    ],
)
def test_an_illegal_action_changes_nothing(message: dict[str, object], says: str) -> None:
    page = Page()
    table = begun(page)["table"]
    assert says in page.ask("act", table=table, **message)["error"]
    assert page.ask("look", table=table)["step"] == 0


def test_rubbish_and_other_sites_get_nothing() -> None:
    page = Page()
    for body in (b"", b"\xff", b"[]", b"[" * 100_000, b'"' * 10):
        assert "error" in json.loads(page.send("/do/new", body)) and page.status == 400
    page.send("/do/new", b" " * (LARGEST + 1))
    assert page.status == 413
    body = b'{"game": "tic-tac-toe"}'
    for headers in (
        {"host": "evil.example"},
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"content_type": "text/plain"},
    ):
        page.send("/do/new", body, **headers)
        assert page.status == 403
    page.send("/", b"", "GET", host="evil.example")
    assert page.status == 403
    page.send("/do/new", body, origin=f"http://{HOST}")
    assert page.status == 200


def test_tables_are_few() -> None:
    room = Room(Shelf())
    first = room.do("new", {"game": "tic-tac-toe"})["table"]
    for _ in range(TABLES):
        room.do("new", {"game": "tic-tac-toe"})
    assert len(room.tables) == TABLES and first not in room.tables


def seated(game: Game, seats: dict[str, str], *texts: str) -> Seated:
    session = Session.new(game, seats, 0)
    for text in texts:
        session.apply(text)
    return Seated(session, "kuhn-poker")


def test_the_page_of_a_player_knows_nothing_of_what_others_hold() -> None:
    game = ready("kuhn-poker", (), None, None)
    alone = {"ann": "human", "ben": "random"}
    one, other = (seated(game, alone, "3", card).message() for card in ("1", "2"))
    assert one == other and "3" in json.dumps(one["facts"])


def test_two_people_at_one_screen_take_turns_to_look() -> None:
    game = ready("kuhn-poker", (), None, None)
    table = seated(game, {"ann": "human", "ben": "human"}, "3", "1")
    waiting = table.message()
    assert waiting["hand_over"] == "ann" and not waiting["actions"] and "picks" not in waiting["scene"]
    other = seated(game, {"ann": "human", "ben": "human"}, "2", "1").message()
    assert waiting == other
    table.viewer = "ann"
    assert table.message()["waits"]


def test_nobody_is_given_a_hint_before_he_is_there() -> None:
    room = Room(Shelf())
    seats = {"ann": "human", "ben": "human"}
    begun = room.do("new", {"game": "kuhn-poker", "seats": seats, "seed": 1})
    while not begun["hand_over"]:
        begun = room.do("go", {"table": begun["table"]}) | {"table": begun["table"]}
    with pytest.raises(BadInput, match="not for you"):
        room.do("hint", {"table": begun["table"]})
    room.do("sit", {"table": begun["table"], "player": begun["hand_over"]})
    assert room.do("hint", {"table": begun["table"]})["hints"]


def test_why_tells_lines_of_the_rules_statements_and_what_a_step_changed() -> None:
    page = Page()
    start = page.ask("new", game="moeraki-kemu", seats={"matau": "human", "manaia": "human"}, seed=1)
    table = start["table"]
    now = page.ask("why", table=table)
    assert "place_ball" in now["lines"][0]["text"] and now["statements"] and not now["changes"]
    page.ask("act", table=table, action=start["actions"][0]["text"], step=0)
    then = page.ask("why", table=table, at=0)
    assert then["changes"] and "place_ball" in then["lines"][0]["text"]
    assert "no such step" in page.ask("why", table=table, at=9)["error"]


def test_what_a_player_saw_of_a_secret_draw_is_told_to_him_alone() -> None:
    game = ready("kuhn-poker", (), None, None)
    told = seated(game, {"ann": "human", "ben": "random"}, "3", "1").message()["log"]
    assert [(each["text"], each["words"]) for each in told] == [("?", "you see card: 3"), ("?", "")]
    watched = seated(game, {"ann": "random", "ben": "random"}, "3", "1").message()["log"]
    assert [(each["text"], each["words"]) for each in watched] == [("?", "")] * 2


def test_why_shows_of_a_secret_step_no_more_than_was_seen() -> None:
    game = ready("kuhn-poker", (), None, None)
    shown = []
    for card in ("1", "2"):
        table = seated(game, {"ann": "human", "ben": "random"}, "3", card)
        shown.append([why.behind(table.session, at, table.sight) for at in (0, 1)])
    assert shown[0] == shown[1]
    assert [each["text"] for each in shown[0][0]["changes"]] == ["card[ann] = 3"]
    assert not shown[0][1]["changes"]


@pytest.mark.parametrize(
    ("module", "later"),
    [
        ("server", ["kemu_grammar", "kemu_engine"]),
        ("room", ["kemu_grammar.syntax", "kemu_engine.static", "kemu_engine.opt", "kemu_engine.run.wasm"]),
    ],
)
def test_the_page_waits_for_no_rules_and_the_first_board_for_no_compiler(
    module: str, later: list[str]
) -> None:
    code = f"import sys, kemu.web.{module}; print([each for each in {later} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_what_leads_on_is_made_ready_while_the_first_board_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    room = Room(Shelf())
    table = room.do("new", {"game": "tic-tac-toe", "seats": BOTH})["table"]
    room.prepare()
    monkeypatch.setattr(writer, "stepping", None)
    assert room.do("act", {"table": table, "action": "put((2, 2))", "step": 0})["step"] == 1


def test_the_page_asks_at_once_for_all_that_its_script_imports() -> None:
    site = files("kemu.web").joinpath("site")
    scripts = {each.name: each.read_text("utf-8") for each in site.iterdir() if each.name.endswith(".js")}
    imported = {
        name for text in scripts.values() for name in re.findall(r'^import .* from "./(.*)";', text, re.M)
    }
    asked = re.findall(r'rel="modulepreload" href="(.*)"', site.joinpath("index.html").read_text("utf-8"))
    assert asked == sorted(imported)
