"""Every game in docs/findings.md shows what it is said to show, and the pages say what was found.

`kemu findings GAME... --kept tests/findings --details docs/findings-details.md` writes tests/findings/
and the details; docs/findings.md is what it prints (with `--again`: without looking anew).
"""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from shlex import split

import msgspec
import pytest
from kemu.base.opening import Wanted, load, wanted
from kemu.cli.diff import command as diff
from kemu.cli.findings import read
from kemu.cli.verify import command as verify
from kemu.findings import readings
from kemu.findings.data import Choice, Claim, Gap, Setting
from kemu.findings.play import Draws, Sides, happening
from kemu.findings.wordings import strange
from kemu.render.findings import EXAMPLE, book, page
from kemu.render.findings_details import Games, details
from kemu.render.findings_page import Examples
from kemu_engine.lower.settings import choose_settings, of_models
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_engine.play.view import view
from kemu_engine.static.values import text_of
from kemu_engine.support.process_pool import DIED, Failed
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.syntax.ast import Number
from kemu_verifier.diff.compare import confirmed
from kemu_verifier.goal.questions import questions
from kemu_verifier.symbolic.deadline import Deadline

from tests.instances import instance as instance_of
from tests.instances import rules, spread, together, with_settings
from tests.soak import as_far

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
PAGE, DETAILS = ROOT / "docs" / "findings.md", ROOT / "docs" / "findings-details.md"
A_PAGE = 40  # lines beside the picture
NAMES = ["moeraki-kemu", "mahe", "maori", "tongiaki"]
KEPT = {name: read(ROOT / "tests" / "findings" / f"{name}.json") for name in NAMES}


def entries(gap: Gap) -> tuple[Claim | Choice, ...]:
    return (*gap.claims, *gap.choices)


PLAYED = {
    (name, msgspec.json.encode(entry)): pytest.param(
        name,
        entry,
        id=f"{name}-{gap.number}-{getattr(entry, 'property', '')}{getattr(entry, 'value', '')}",
        marks=pytest.mark.xdist_group(f"findings of {name}"),
    )
    for name, found in KEPT.items()
    for gap in found.gaps
    for entry in entries(gap)
    if entry.steps is not None and entry.verdict not in ("equivalent", "unknown")
}  # what is told of several gaps once
SPREAD = [each for first in range(3) for each in [*PLAYED.values()][first::3]]
"""The same, the first third from all over: the rest is played in a soak run."""


def instance(name: str, setting: Setting) -> Game:
    return with_settings(name, setting.settings, setting.players)


@pytest.mark.parametrize(("name", "entry"), as_far(len(SPREAD) // 3, SPREAD))
def test_the_game_shows_it(name: str, entry: Claim | Choice) -> None:
    if isinstance(entry, Claim) and entry.model:
        name = str(Path(rules(name).file).parent / entry.model)
    if isinstance(entry, Choice):
        left, right = instance(name, entry.left), instance(name, entry.right)
        if entry.effect == "board":
            assert next(Sides(left, right).replayed([entry.steps])).fork == len(entry.steps)
        else:
            assert confirmed(left, right, entry.steps) is not None
        return
    game = instance(name, entry.instance)
    played = replay(game, entry.steps or ())
    if entry.form == "terminates":
        assert played.last in played.states[:-1]
        return
    (question,) = (
        q for q in questions(game.program, True) if (q.name, q.standard) == (entry.property, entry.standard)
    )
    assert question.goal is not None and question.goal(None).reached(played)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages are made of the instances that all tests of a game share."""

    def made(shown: Rules, want: Wanted) -> Game:
        assert want.players is not None
        name = next((each for each in NAMES if shown is rules(each)), shown.file)
        return with_settings(name, want.settings, want.players)

    monkeypatch.setattr("kemu.render.findings_details.made", made)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(f"findings of {name}")) for name in NAMES]
)
def test_the_pages_are_up_to_date(name: str) -> None:
    mine, found, games = rules(name), KEPT[name], Games()
    assert page(mine, book(mine), found, games, DETAILS.name) in PAGE.read_text("utf-8")
    assert details(mine, found, games) in DETAILS.read_text("utf-8")


def test_the_page_of_html_has_the_games_to_step_through() -> None:
    mine, found = rules("mahe"), KEPT["mahe"]
    examples = Examples(book(mine).statements)
    text = examples.page("Findings", page(mine, book(mine), found, Games(), "", examples.show))
    shown = text.count('<div class="play">')
    assert shown == text.count("<em>Example</em> (") > 0 and "PLAY" not in text
    assert "Under the other answer" in text and text.count('class="step"') > 2 * shown
    links = {link for link in re.findall(r'href="#([^"]+)"', text) if not re.fullmatch(r"d\d+", link)}
    assert links <= set(re.findall(r'id="([^"]+)"', text))


def test_the_page_is_for_those_who_know_the_game_only() -> None:
    text = PAGE.read_text("utf-8")
    machine = (
        r"(?i)\b(?:sampled|unknown|induction|invariant|refuted|thrift|depth \d|another winner)\b|kemu \w+ -"
    )
    assert re.findall(machine, text) == []
    told = re.sub(r"(?s)```.*?```", "", text)  # without the pictures
    assert re.findall(r"\b\w+\((?:\(|\w+,).*", told) == []  # moves are in words
    assert re.findall(rf"\b(?:{'|'.join(numbers())})\b(?!-)", without_links(told)) == []
    holes = [re.split(r"\n###? [^:]*\n", hole)[0].splitlines() for hole in told.split("\n<a id")[1:]]
    assert [hole[1] for hole in holes if len(hole) > A_PAGE] == []


def numbers() -> list[str]:
    """Those of all statements that have a game of their own letters; water cards are called w1 and so on."""
    return sorted({number for name in NAMES for number in book(rules(name)).statements})


def without_links(text: str) -> str:
    return re.sub(r"\]\([^)]*\)", "]", text)


@pytest.mark.parametrize("name", NAMES)
def test_every_gap_says_how_it_would_be_closed(name: str) -> None:
    statements, closed = tuple(book(rules(name)).statements.values()), book(rules(name)).closing
    assert strange(closed, statements) == []
    material = {each.number for each in statements if each.is_note}
    assert sorted(closed.numbers) == sorted({gap.number for gap in KEPT[name].gaps} - material)


@pytest.mark.parametrize("name", NAMES)
def test_of_the_answers_to_a_question_the_first_is_how_we_play(name: str) -> None:
    ours = with_settings(name, {}, fewest(name)).settings
    for entry in book(rules(name)).closing.entries:
        first: dict[str, str] = {}
        for option, value in entry.answers:
            first.setdefault(option, value)
        assert first == {option: ours[option] for option in first}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_in_words_is_tried_in_the_rules_file(name: str) -> None:
    tried = {gap.number for gap in KEPT[name].gaps if gap.examples or gap.choices}
    told = [entry for entry in book(rules(name)).closing.entries if EXAMPLE in entry.doubt]
    assert [entry.question for entry in told if not tried & set(entry.numbers)] == []


COMMANDS = sorted(set(re.findall(r"`(kemu (?:diff|verify) [^`]*)`", DETAILS.read_text("utf-8"))))


def test_every_command_of_the_details_means_a_game_that_is_told_there() -> None:
    told = {
        (msgspec.json.encode(setting.settings, order="sorted"), setting.players)
        for found in KEPT.values()
        for gap in found.gaps
        for entry in entries(gap)
        for setting in ([entry.instance] if isinstance(entry, Claim) else [entry.left, entry.right])
    }
    for words in COMMANDS:
        _, verb, *arguments = split(words)
        asked = {"diff": diff, "verify": verify}[verb].make_context(verb, arguments).params
        for own in [asked["lefts"], asked["rights"]] if verb == "diff" else [()]:
            want = wanted(rules(asked["game"]), own, None, asked["instance"])
            players = want.players or fewest(asked["game"])
            chosen = choose_settings(rules(asked["game"]), want.settings, players)
            kept = of_models(rules(asked["game"]), chosen, players)
            meant = {name: text_of(each) for name, each in chosen.items() if kept.get(name, True)}
            assert (msgspec.json.encode(meant, order="sorted"), players) in told, words


def fewest(name: str) -> int:
    low = rules(name).players.low
    return low.value if isinstance(low, Number) else len(rules(name).players.names)


@pytest.mark.parametrize(("name", "which"), [together(*each) for each in spread() if each[0] in NAMES])
def test_no_picture_prints_one_thing_over_another(name: str, which: str | None) -> None:
    """A later glyph may cover one of the same place of the game, as a stone its hollow; never another's."""
    state, draws = instance_of(name, which).initial(), Draws(1)
    for _ in range(20 if which else 60):
        for picture in view(state):
            shown: dict[tuple[int, int], str] = {}
            for mark in picture.marks:
                assert not mark.glyph or shown.setdefault((mark.x, mark.y), mark.element) == mark.element
        if state.is_end:
            break
        state = state.follow(draws.pick(state))


def test_random_players_do_the_same_at_the_same_decision() -> None:
    """After the two games of a pair have parted, too; every action is equally likely."""
    state = with_settings("moeraki-kemu", {}, 2).initial()
    first, second = Draws(7), Draws(7)
    assert first.pick(state) == second.pick(state)
    assert first.again().pick(state) == second.pick(state)
    picked = [Draws(number).pick(state) for number in range(900)]
    assert all(70 < picked.count(index) < 130 for index in range(9))


def test_a_comparison_whose_process_dies_is_told_as_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def died(_: int, __: object, tasks: list[object]) -> Generator[tuple[int, Failed]]:
        yield from ((at, Failed(DIED)) for at in range(len(tasks)))

    monkeypatch.setattr(readings, "outcomes", died)
    found = list(readings.chosen("moeraki-kemu", rules("moeraki-kemu"), [], {"K3"}, {}, 1, 1, print))
    assert found and {(each.verdict, each.words) for each in found} == {("unknown", DIED)}


def test_a_random_game_that_breaks_down_is_counted_up_to_there(tmp_path: Path) -> None:
    (tmp_path / "take.kemu").write_text("""\
game "Take"
players ann, ben
state:
    left: 0..3 = 3
rules:
    for p in turns():
        choose take(n in 2..3)
        left -= n
        if left == 0: end win(p)
property never_one: always left != 1
""")
    game = load(tmp_path / "take.kemu")
    by_name = {question.name: question for question in questions(game.program, True)}
    broken, one = (happening(game, by_name[name], Deadline(60)) for name in ("no_fault", "never_one"))
    assert broken == one and one is not None and 0 < one.up < one.games
