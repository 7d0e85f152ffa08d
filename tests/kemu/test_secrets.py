"""Nobody is shown what another keeps secret: boards, texts, records, prompts. All that is told to a player is
the same in two plays that he cannot tell apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu.table.keeper import Keeper
from kemu.table.session import Session
from kemu.table.terminal import Table
from kemu.table.visibility import Sight
from kemu.web import why

import kemu as public
from tests.kemu.conftest import Run

CARDS = """\
language 2
game "Cards"
players ann, ben
enum Card: low, mid, high
state:
    deck: set[Card] hidden = Card
    calls: 0..4
    each p in Player:
        hand: Card? secret to p
fun held(p: Player, n: 0..2) recursive at most 4 -> bool: hand[p] == high or n > 0 and held(p, n - 1)
rules:
    for p in Player:
        hand[p] = draw from deck
    glance = hand[ben]
    mine: list[Card?, 2] = []
    mine += [glance]
    choose together for p in Player:
        call(n in 1..2):
            calls += n
    sealed choose keep(c in Card) by ann
    kept = c
    for p in Player:
        choose look by p
    hand[ann] = glance if kept == low else mine[0]
    choose go by ben
    end win(ann)
view table:
    cell p in Player at (1, 1 if p == ann else 2): "H" if held(p, 2) else "-"
    cell p in Player at (2, 1 if hand[p] == high else 2): "x"
    line "{hand[ann]} against {hand[ben]}, {calls} called"
    line "glance {glance}, list {mine[0]}, kept {kept}" at look
    line "ben has more" if hand[ben] == high
"""
ALIKE = (  # to ann, but for what ben has
    ["low", "high", "call(1)", "call(2)", "keep(low)", "look", "look", "go"],
    ["low", "mid", "call(1)", "call(2)", "keep(low)", "look", "look", "go"],
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "cards.kemu").write_text(CARDS)
    game = public.load(tmp_path / "cards.kemu")
    for name, steps in zip("ab", ALIKE, strict=True):
        public.save_record(public.record(game, steps[:6]), tmp_path / f"{name}.json")
    return tmp_path


def test_a_record_as_a_player_sees_it_has_question_marks_for_the_rest(kemu: Run, files: Path) -> None:
    whole, as_ann, as_ben = (
        kemu("replay", "a.json", "cards.kemu", *whose).out for whose in ([], ["--as", "ann"], ["--as", "ben"])
    )
    assert "1. chance at draw: low" in whole and "2. chance at draw: high" in whole
    assert "1. chance at draw: ?" in as_ann and "hand[ann] = low" in as_ann and "hand[ben]" not in as_ann
    assert "3-4. ann: call(1), ben: call(2)" in as_ann and "5. ann: keep(low)" in as_ann
    assert "5. ann: ?" in as_ben and "hand[ben] = high" in as_ben and "hand[ann]" not in as_ben
    assert kemu("replay", "b.json", "cards.kemu", "--as", "ann").out == as_ann
    assert kemu("replay", "b.json", "cards.kemu", "--as", "ben").out != as_ben


def test_what_a_player_knows_of_a_record_is_there_as_data(kemu: Run, files: Path) -> None:
    said = [
        json.loads(line)
        for line in kemu("replay", "a.json", "cards.kemu", "--as", "ann", "--json").out.splitlines()
    ]
    state = public.replay(public.load(files / "cards.kemu"), public.load_record(files / "a.json"))[-1]
    assert said == state.information_state("ann").to_json()
    assert kemu("replay", "a.json", "cards.kemu", "--json").code != 0
    assert kemu("replay", "a.json", "cards.kemu", "--as", "cid").code == 64


def test_a_trace_and_views_in_python_are_those_of_a_player(files: Path) -> None:
    game = public.load(files / "cards.kemu")
    one, other = (public.trace(game, steps[:6], player="ann") for steps in ALIKE)
    assert [(step.text, step.changes) for step in one.steps] == [(s.text, s.changes) for s in other.steps]
    assert one.final is not None and other.final is not None
    assert public.view(one.final, "ann") == public.view(other.final, "ann")
    (picture,) = public.view(one.final, "ann")
    assert picture.lines == ("low against ?, 3 called", "glance ?, list ?, kept ?")
    assert [mark.glyph for mark in picture.marks] == ["?", "?", "x"]  # x for her own
    assert public.trace(game, ALIKE[0][:3], player="ben").steps[2].text == "?"
    with pytest.raises(ValueError, match="no player"):
        public.view(one.final, "cid")


def test_somebody_without_a_seat_sees_no_secret(files: Path) -> None:
    game = load(str(files / "cards.kemu"))
    states = []
    for steps in ALIKE:
        state = game.initial()
        for step in steps[:6]:
            state = state.apply(step)
        states.append(state)
    one, other = (state.information_state(None) for state in states)
    assert one == other and "high" not in str(one)
    seen = [Sight(game, "").pictures(state) for state in states]
    assert seen[0] == seen[1]


def table(files: Path, steps: list[str]) -> Table:
    game = load(str(files / "cards.kemu"))
    session = Session.new(game, {"ann": "human", "ben": "human"}, seed=1)
    for step in steps:
        session.apply(step)
    return Table(session, Keeper(session, str(files / "cards.kemu")))


def test_the_table_tells_people_the_same_where_they_cannot_know_more(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    for steps in ALIKE:
        at = table(files, steps[:5])
        at.facing = "ann"
        at.draw()
        at.history("")
        at.moves("")
        at.places("")
        at.why("look")
        at.refuse("keep low", "no")
        at.notice(0)
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] and "low against ?" in told[0]


def test_whoever_looks_on_while_another_comes_to_the_screen_is_offered_nothing(files: Path) -> None:
    at = table(files, ALIKE[0][:2])
    assert at.completions("") == []
    at.facing = "ann"
    assert "call" in at.completions("")


def test_before_somebody_sits_at_the_screen_what_is_told_is_what_all_may_know(kemu: Run, files: Path) -> None:
    shown = CARDS.replace("    glance = hand", "    reveal hand[ben] to ann\n    glance = hand")
    (files / "shown.kemu").write_text(shown)
    out = kemu("play", "shown.kemu", "--seat", "all=human", "--seed", "1").out
    assert "3. shown: ?" in out


def test_a_position_that_comes_again_is_not_noticed_where_that_tells_a_secret(
    kemu: Run, tmp_path: Path
) -> None:
    rules = """\
language 2
game "Round"
players ann, ben
state:
    each p in Player:
        coin: bool secret to p
rules:
    for p in turns():
        coin[ben] = roll {true, false}
        choose go by ann
"""
    (tmp_path / "round.kemu").write_text(rules)
    out = kemu("play", "round.kemu", "--seed", "1", stdin="go\n" * 6).out
    assert "was there before" not in out


LINES = """\
language 2
game "Lines"
players ann, ben
state:
    s: 1..2 secret to ann
    a: 0..3
rule low():
    choose go by ben
rule high():
    choose go by ben
rules:
    s = roll 1..2
    if s == 1:
        a = 1
    else:
        a = 1
    if s == 1:
        low()
    else:
        high()
    a = s
    a = 0
    choose last by ben
    if s == 1:
        end win(ann)
    end win(ann)
view board:
    line "the low rule" at low
    line "the high rule" at high
    line "a rule" at go
    line "the last one" at last
"""
LIKE = (["1", "go", "last"], ["2", "go", "last"])  # to ben, but for the lines of the rules that did it


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    (tmp_path / "lines.kemu").write_text(LINES)
    return tmp_path / "lines.kemu"


def test_a_trace_for_a_player_tells_what_is_different_for_him_and_not_by_which_lines(lines: Path) -> None:
    game = public.load(lines)
    one, other = (public.trace(game, steps, player="ben") for steps in LIKE)
    assert [(step.text, step.changes) for step in one.steps] == [(s.text, s.changes) for s in other.steps]
    first, second, _ = one.steps
    assert [(each.where, each.old, each.new, each.origin) for each in first.changes] == [
        ("a", "0", "1", None)
    ]
    assert [(each.where, each.old, each.new) for each in second.changes] == [("a", "1", "0")]


def test_a_view_shows_no_line_that_tells_which_of_two_stops_it_is(lines: Path) -> None:
    game = public.load(lines)
    low, high = (public.trace(game, steps[:1]).final for steps in LIKE)
    assert low is not None and high is not None
    assert public.view(low)[0].lines == ("the low rule", "a rule")
    assert public.view(low, "ben") == public.view(high, "ben")
    assert public.view(low, "ben")[0].lines == ("a rule",)
    assert public.view(low, "ann") == public.view(low)  # who sees all that is done


def test_who_does_not_see_an_outcome_long_enough_is_shown_no_line_either(tmp_path: Path) -> None:
    (tmp_path / "gone.kemu").write_text(
        LINES.replace(
            "    if s == 1:\n        low()", "    first = s == 1\n    s = 1\n    if first:\n        low()"
        )
    )
    game = public.load(tmp_path / "gone.kemu")
    low, high = (public.trace(game, steps[:1]).final for steps in LIKE)
    assert low is not None and high is not None
    assert public.view(low, "ann") == public.view(high, "ann") != public.view(low)


def test_the_table_and_the_page_show_no_rule_that_tells_which_of_two_stops_it_is(
    lines: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told, pages = list[str](), list[object]()
    for steps in LIKE:
        session = Session.new(load(str(lines)), {"ann": "random", "ben": "human"}, seed=1)
        at = Table(session, Keeper(session, str(lines)))
        session.apply(steps[0])
        for step in steps[1:]:
            at.draw()
            at.explain(at.advice.only(80))
            at.why("go")
            at.refuse("go 1", "no")
            pages.append(why.offered(session.state))
            session.apply(step)
        at.over()
        told.append(capsys.readouterr().out)
        pages.append([why.behind(session, number, at.sight()) for number in range(len(steps))])
    assert told[0] == told[1] and pages[: len(pages) // 2] == pages[len(pages) // 2 :]
    assert "line 23: choose last by ben" in told[0]  # there is but one like it
