"""The exported page: its reader of rules against the engine on random games; Chromium without a network."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from kemu.base import save_files
from kemu.base.library import BadInput, find, games, library
from kemu.cli.table import command
from kemu.findings.phrases import moves_in_words
from kemu.table.chance import pick
from kemu.table.session import Session
from kemu.web import program, why
from kemu.web.export import _offline, export, module, program_data
from kemu.web.position import Seated
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.lower.settings import SettingError
from kemu_engine.play import record
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.search import mcts
from kemu_engine.search.mcts import Search
from kemu_engine.search.onward import onward
from kemu_grammar.game.game import read_text

from tests.engine.kernels import Maker
from tests.engine.search.passes import PASSES
from tests.instances import PUBLISHED, STAND_INS, grouped, instance
from tests.kemu.web.browsing import CHROMIUM, HOW, Tab, browsing, handed_out

NODE = shutil.which("node") or ""
needs_node = pytest.mark.skipif(not NODE, reason="no node: `apt-get install nodejs` gets it")
SITE = Path(str(files("kemu.web"))) / "site" / "here"
STEPS = 6
GAMES = 200  # that a bot plays in its thoughts
SAMPLE = 64  # random games that show how much is won
ROUNDING = 0.0011
LARGEST = 400_000  # bytes of a site


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's modules where node takes them for such."""
    folder = tmp_path_factory.mktemp("page")
    for each in SITE.glob("*.js"):
        shutil.copy(each, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def read(modules: Path, asked: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page makes of games."""
    lines = "\n".join(map(json.dumps, asked))
    done = subprocess.run(
        [NODE, str(Path(__file__).with_name("reader.mjs")), str(modules)],
        input=lines, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def page_thinks(modules: Path, folder: Path, game: Game, seed: int, at: int) -> dict[str, Any] | None:
    """What the page finds out in so many random games after so many steps; None if nobody chooses there."""
    pytest.importorskip("wasmtime")
    made = module(game)
    assert made is not None
    file, binary = folder / "game.json", folder / "search"
    file.write_text(json.dumps(program_data(game, made)))
    binary.write_bytes(gzip.compress(made.binary))
    asked = {"file": str(file), "binary": str(binary), "phrases": [], "seed": seed, "most": at}
    (got,) = read(modules, [asked | {"search": {"at": at, "games": GAMES}}])
    found: dict[str, Any] | None = got["thoughts"]
    return found


def bot_thinks(game: Game, state: State, seed: int, at: int) -> dict[str, Any]:
    """What the bot does."""
    search = Search(game, threads=1)
    thought = search.think(state, playouts=GAMES, seed=seed, number=at)
    visits = [each.visits for each in thought.branches]
    following = [*onward(search, state, thought.best)]
    return {"best": thought.best, "visits": visits, "games": thought.games, "onward": following}


def told(game: Game, name: str, seed: int, most: int) -> tuple[list[Any], str]:
    """What the server tells of the same game, and the fault it runs into; all players are at the page."""
    found: list[Any] = []
    try:
        session = Session.new(game, dict.fromkeys(game.players, "human"), seed)
        seated = Seated(session, name, moves_in_words(str(find(name))) if name else moves_in_words(""))
        for step in range(most + 1):
            seated.viewer = seated.hands_over or seated.viewer
            state = session.state
            more = {
                "moves": [each.text for each in state.moves()],
                "why": why.offered(state) if session.waits else None,
            }
            found.append(json.loads(json.dumps(seated.message() | more)))
            if state.is_end:
                break
            session.apply(pick(state, seed, step))
    except FaultError as error:
        return found, error.fault.message
    return found, ""


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Where two messages differ, but for how numbers are rounded."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differences(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{where}/{at}")
    elif isinstance(one, float) or isinstance(other, float):
        if abs(one - other) > ROUNDING:
            yield f"{where}: {one} is {other} in the page"
    elif one != other:
        yield f"{where}: {one!r:.300} is {other!r:.300} in the page"


@needs_node
@pytest.mark.slow
@pytest.mark.parametrize("name", grouped(games()))
def test_every_game_is_told_alike(modules: Path, tmp_path: Path, name: str) -> None:
    """Legal actions and their texts, chance, scenes, secrets, logs, facts, reasons, results."""
    game, file, seed = instance(name, STAND_INS.get(name)), tmp_path / "game.json", list(games()).index(name)
    file.write_text(json.dumps(program_data(game, None)))
    rows = moves_in_words(str(find(name))).rows
    (got,) = read(modules, [{"file": str(file), "phrases": rows, "seed": seed, "most": STEPS}])
    expected, fault = told(game, name, seed, STEPS)
    assert list(differences(expected, got["told"], name)) == []
    assert fault == got["fault"]


@needs_node
@pytest.mark.parametrize("small", [False, True])
def test_random_programs_are_read_alike(
    modules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small: bool
) -> None:
    """Every node; also as if few numbers and sets were small, so that all forms of values meet."""
    if small:
        monkeypatch.setattr(program, "SAFE", 16)
        monkeypatch.setattr(program, "SMALL", 4)
    made = [Maker(Random(seed), histories=seed % 2 == 1).program() for seed in range(40)]
    asked = []
    for seed, each in enumerate(made):
        file = tmp_path / f"{seed}.json"
        file.write_text(json.dumps(program_data(Game(each), None)))
        asked.append({"file": str(file), "phrases": [], "seed": seed, "most": STEPS})
    for seed, (each, got) in enumerate(zip(made, read(modules, asked), strict=True)):
        expected, fault = told(Game(each, reader="interpreter"), "", seed, STEPS)
        assert list(differences(expected, got["told"], str(seed))) == []
        assert fault == got["fault"]


@needs_node
@pytest.mark.parametrize("name", grouped(["tic-tac-toe", "backgammon", "mahe"]))
def test_the_page_thinks_as_the_bots_do(
    modules: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcts, "SAMPLE", SAMPLE)
    game, seed = instance(name), 3
    state = game.initial()
    for step in range(2):
        state = state.apply(pick(state, seed, step))
    found = bot_thinks(game, state, seed, 2) if state.is_decision else None
    assert page_thinks(modules, tmp_path, game, seed, 2) == found


@needs_node
@pytest.mark.parametrize("seed", [2, 3])
def test_the_page_doubts_as_the_bots_do(modules: Path, tmp_path: Path, seed: int) -> None:
    game = Game(instantiate(read_text(PASSES, "passes.kemu", library()), {}))
    assert page_thinks(modules, tmp_path, game, seed, 0) == bot_thinks(game, game.initial(), seed, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", grouped(PUBLISHED))
def test_a_site_is_small(tmp_path: Path, name: str) -> None:
    """What a first visit loads: the page, and the game for as many players as usual."""
    assert export(name, tmp_path, players=len(instance(name).players)).first < LARGEST


def test_all_numbers_of_players_are_there(tmp_path: Path) -> None:
    """Those that are not usual are loaded when they are chosen; all are kept for when there is no network."""
    made = export("hearts", tmp_path)
    files_ = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert made.players == (3, 4)
    assert made.first < made.size == sum(each.stat().st_size for each in files_)
    names = {each.relative_to(tmp_path).as_posix() for each in files_} - {"service-worker.js"}
    kept = (tmp_path / "service-worker.js").read_text()
    assert all(f'"{each}"' in kept for each in names)


@pytest.mark.parametrize(
    ("asked", "why_not"),
    [
        (["--export", "site"], "say which game"),
        (["tic-tac-toe", "--players", "2"], "chosen on the page"),
        (["tic-tac-toe", "--export", "site", "--players", "5"], "players"),
    ],
)
def test_what_cannot_be_exported(asked: list[str], why_not: str, tmp_path: Path) -> None:
    with pytest.raises((BadInput, SettingError), match=why_not):
        CliRunner().invoke(command, asked, catch_exceptions=False)


def test_no_other_files_are_lost(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(BadInput, match="holds other files"):
        export("tic-tac-toe", tmp_path)


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason=HOW)
def test_a_site_is_played_to_the_end_and_without_a_network(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason=HOW)
    said = CliRunner().invoke(command, ["tic-tac-toe", "--export", str(tmp_path)], catch_exceptions=False)
    assert "any web server" in said.output
    with browsing() as browser:
        tab = Tab(browser)
        with handed_out(tmp_path) as address:
            played(tab, address, "mcts:100")
            tab.page.wait_for_function("navigator.serviceWorker.controller !== null")
        tab.page.reload()
        tab.settled()
        assert tab.over  # the same game is there again
        resumed(tab, tmp_path / "saved.json")
        played(tab, address, "mcts:100")
        assert tab.faults == []


@pytest.mark.browser
@pytest.mark.skipif(not CHROMIUM, reason=HOW)
def test_other_numbers_of_players_are_loaded_when_they_are_chosen_and_kept_then(tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason=HOW)
    made = export("love-letter", tmp_path)
    assert len(made.players) > 1 and made.first < made.size
    usual = len(instance("love-letter").players)
    with browsing() as browser:
        tab = Tab(browser)
        with handed_out(tmp_path) as address:
            tab.page.goto(address)
            tab.page.wait_for_function("navigator.serviceWorker.controller !== null")
            assert kept(tab) == {f"{usual}.program"}
            begun_by(tab, made.players[-1])
            assert f"{made.players[-1]}.program" in kept(tab)
        begun_by(tab, made.players[-1])  # the server is gone
        assert tab.faults == []


def kept(tab: Tab) -> set[str]:
    """What of the rules the browser keeps."""
    found = tab.page.evaluate(
        "async () => (await (await caches.open((await caches.keys())[0])).keys()).map((each) => each.url)"
    )
    names = {each.rpartition("/")[2] for each in found}
    return {each for each in names if each.endswith((".program", ".search"))}


def begun_by(tab: Tab, count: int) -> None:
    """A game by so many players begins."""
    tab.page.goto(tab.page.url.partition("#")[0])
    tab.page.wait_for_selector("#begin:enabled")
    tab.page.click("#more summary")
    tab.page.select_option("[data-option=players]", str(count))
    tab.settled()
    tab.page.click("#begin")
    tab.page.wait_for_selector("#play:not([hidden])")
    tab.settled()


def test_a_site_says_why_nobody_thinks_there(tmp_path: Path) -> None:
    export("kuhn-poker", tmp_path)
    (about,) = json.loads((tmp_path / "game.json").read_text())["instances"]
    assert about["kinds"] == ["human", "random"] and "where players have secrets" in about["note"]


def resumed(tab: Tab, file: Path) -> None:
    """What the page saves, the commands read; and so does the page."""
    with tab.page.expect_download() as download:
        tab.page.click("#save")
    download.value.save_as(file)
    kept = save_files.load(file)
    assert record.replay(instance("tic-tac-toe"), kept)[-1].is_end
    tab.page.set_input_files("#file", file)
    tab.settled()
    assert tab.over and tab.page.locator("#log li").count() == len(kept.steps)


def played(tab: Tab, address: str, seats: str) -> None:
    tab.begin(address, "tic-tac-toe", seats)
    while not tab.over:
        tab.pick()


WORKER = """
const [text, room] = [require("fs").readFileSync(process.argv[1], "utf-8"), process.argv[2] === "true"];
const listeners = {}, kept = [];
const put = async ({ url }) => { if (!room) throw new Error("full"); kept.push(url); };
const cache = { match: async () => undefined, put };
const registration = { scope: "https://x/" };
const self = { registration, addEventListener: (name, does) => { listeners[name] = does; } };
const fetch = async (request, how) => ({ ok: true, how, clone: () => null });
new Function("self", "caches", "fetch", text)(self, { open: async () => cache }, fetch);
const request = { method: "GET", url: "https://x/6.program" };
const respondWith = async (answer) => console.log(JSON.stringify([(await answer).how, kept]));
listeners.fetch({ request, respondWith });
"""


@needs_node
@pytest.mark.parametrize("room", [True, False])
def test_what_is_loaded_later_is_the_newest_and_used_also_where_it_cannot_be_kept(
    tmp_path: Path, room: bool
) -> None:
    worker = tmp_path / "worker.js"
    worker.write_bytes(_offline({}, {"6.program"}))
    said = subprocess.run(
        [NODE, "-e", WORKER, worker, str(room).lower()], capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout) == [{"cache": "reload"}, ["https://x/6.program"] if room else []]
