"""What the page of details says of claims for several values, of claims about nothing, and of games without
an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu.findings import play
from kemu.findings.data import Cost
from kemu.findings.play import Sides
from kemu.render.findings import frequency
from kemu.render.findings_details import unfinished
from kemu_verifier.symbolic.deadline import Deadline

from tests.kemu.conftest import Run

pytestmark = pytest.mark.slow

BOOK = """\
# Retold

## Gaps

- **[G1]** Who may do what?
"""


@pytest.fixture
def detailed(kemu: Run, tmp_path: Path) -> Run:
    """The page of details about these rules."""

    def run(rules: str) -> str:
        (tmp_path / "rules.md").write_text(BOOK)
        (tmp_path / "game.kemu").write_text(rules)
        page = tmp_path / "details.md"
        done = kemu(
            "findings", str(tmp_path / "game.kemu"), "--details", str(page), "--minutes=0.1", "--seconds=2"
        )
        assert done.code == 0, done.err
        return page.read_text()

    return run


SEVERAL = """\
game "Several"
players ann, ben
option first: bool = true
instance other_one: first = false
state:
    won: set[Player]
rules:
    for p in turns():
        choose:
            win if first == (p == ann):
                won |= {p}
                end win(p)
            go: pass
        if p == ben: end tie
property no_win for q in Player: never q in won   # [G1]
property few for q in Player: always len(won) <= 1    # [G1]
"""


def test_of_a_claim_for_several_values_it_is_told_of_each_where_they_differ(detailed: Run) -> None:
    text = detailed(SEVERAL)
    assert "`no_win`: refuted in as it stands, other_one.\n" in text
    assert "- `no_win(ann)`: refuted in as it stands; proved in other_one" in text
    assert "- `no_win(ben)`: proved in as it stands; refuted in other_one" in text
    assert "`few`: proved in as it stands, other_one, by" in text and "- `few(" not in text


OPEN = """\
game "Open"
players ann, ben
state:
    x: 0..1000000006 = 1
rules:
    for p in turns():
        choose:
            double: x = (x * 48271 + 11) % 1000000007
            add: x = (x * 69621 + 5) % 1000000007
property comes_up for q in Player: possible x == (48282 if q == ann else 123456789)  # [G1]
property ends: at_end x == 7   # [G1]
"""


def test_one_that_is_open_and_one_that_is_about_nothing_are_told(detailed: Run) -> None:
    text = detailed(OPEN)
    assert "`comes_up`: unknown in as it stands.\n" in text
    assert "- `comes_up(ann)`: possible in as it stands" in text
    assert "- `comes_up(ben)`: unknown in as it stands" in text
    assert "(perhaps vacuous) in as it stands" in text


BREAKS = """\
game "Breaks"
players ann, ben
reading G1 "what": fine | breaks = fine
state:
    x: 0..9
    y: 0..9 = 6
rules:
    x = y + (0 if G1 == fine else y)
    for p in turns():
        choose go
        end tie
"""


def test_a_value_under_which_no_game_can_begin_is_told(detailed: Run) -> None:
    text = detailed(BREAKS)
    assert "a fault in G1=breaks only (out_of_range" in text and "ValueError" not in text


ENDS = """\
game "Ends"
players ann
option how: ends | breaks | goes_on = ends
state:
    x: 0..2
rules:
    for i in 1..3:
        choose go by ann
        if how == breaks: x += 1
    while how == goes_on:
        choose go by ann
    end tie
"""


@pytest.mark.parametrize(
    ("how", "cost"),
    [
        ("ends", Cost(20, 0, 0, (0, 0), (0, 0), 0)),
        ("breaks", Cost(20, 20, 0, (0, 0), (0, 20), 20)),
        ("goes_on", Cost(20, 20, 0, (0, 20), (0, 0), 20)),
    ],
)
def test_games_that_break_down_are_told_from_long_ones(
    how: str, cost: Cost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "LONGEST", 30)
    monkeypatch.setattr(play, "MORE", 20)
    (tmp_path / "ends.kemu").write_text(ENDS)
    sides = Sides(load(tmp_path / "ends.kemu"), load(tmp_path / "ends.kemu", how=how))
    list(sides.play(Deadline(60)))
    assert sides.tally.cost == cost


def test_they_are_told_apart_in_words() -> None:
    said = "".join(unfinished(Cost(20, 9, 0, (0, 2), (0, 3)), "G1=no"))
    assert said == (
        "; not over after 1,500 steps: 0 here, 2 with `G1=no`; broken down by a fault: 0 here, 3 with `G1=no`"
    )
    of_old = "".join(unfinished(Cost(20, 9, 0, (0, 2)), "G1=no"))
    assert of_old == "; not over after 1,500 steps, or broken down: 0 here, 2 with `G1=no`"


LATE = """\
game "Late"
players ann, ben
reading G1 "at how many pebbles one has won": three | five = three
state:
    enough: 0..9 = 3 if G1 == three else 5
    pebbles: 0..9
    told: 0..1 = 0 if G1 == three else 1
rules:
    for p in turns():
        choose take(n in 0..1)
        pebbles += n
        if pebbles == enough: end win(p)
        if n == 0: end rank({q: told + (1 if q == p else 0) for q in Player})
"""


def test_a_question_comes_up_where_something_else_may_be_done_or_comes_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where only what the rules remember is different, or scores."""
    monkeypatch.setattr(play, "MORE", 200)
    (tmp_path / "late.kemu").write_text(LATE)
    sides = Sides(load(tmp_path / "late.kemu"), load(tmp_path / "late.kemu", G1="five"))
    list(sides.play(Deadline(60)))
    cost = sides.tally.cost
    assert (cost.games, cost.up) == (200, 200)
    assert cost.met is not None and 10 < cost.met < 40  # one in eight
    assert frequency(cost) == f"*Comes up* in {cost.met} of 200 games."
    assert frequency(Cost(200, 200)) == "*Something differs* in all of 200 games."
