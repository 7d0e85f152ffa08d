"""Things that move from one zone to another: every pair of zones, what stays behind, and what goes wrong."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import held
from tests.rules import sound_in

HEAD = """\
game "Moves"
players ann, bob
enum Hue: red, green, blue
state:
    n: 0..99 = 2
    bank: 0..9 = 7
    purse: 0..9 = 1
    pile: bag[Hue, 6] = {red: 2, blue: 1}
    pool: bag[Hue, 3] = {green: 1}
    hands: map[Player, bag[Hue, 2] = {}] = {bob: {blue: 1}}
    seats: map[p in Player, bag[Hue, 2 if p == ann else 0]]
    line_: list[Hue, 4] = [red, green, red, blue]
    queue: list[Hue, 2] = [green]
    some: set[Hue] = {red, blue}
    rest: set[Hue]
    hand: Hue? = green
    tray: Hue?
    k: Hue = red
"""
MOVES: dict[str, dict[str, Any]] = {
    # counters: so many
    "move 3 from bank to purse": {"bank": 4, "purse": 4},
    "move n from bank to purse": {"bank": 5, "purse": 3},
    "move 0 from bank to purse": {"bank": 7, "purse": 1},
    "move bank - 1 from bank to box": {"bank": 1, "purse": 1},
    "move all from bank to purse": {"bank": 0, "purse": 8},
    "move all from bank to box": {"bank": 0},
    # bags: a thing, all that are like it, all
    "move red from pile to pool": {
        "pile": {"red": 1, "green": 0, "blue": 1},
        "pool": {"red": 1, "green": 1, "blue": 0},
    },
    "move k from pile to hands[ann]": {
        "pile": {"red": 1, "green": 0, "blue": 1},
        "hands": {
            "ann, red": 1,
            "ann, green": 0,
            "ann, blue": 0,
            "bob, red": 0,
            "bob, green": 0,
            "bob, blue": 1,
        },
    },
    "move blue from pile to seats[ann]": {
        "pile": {"red": 2, "green": 0, "blue": 0},
        "seats": {
            "ann, red": 0,
            "ann, green": 0,
            "ann, blue": 1,
            "bob, red": 0,
            "bob, green": 0,
            "bob, blue": 0,
        },
    },
    "move red from pile to box": {"pile": {"red": 1, "green": 0, "blue": 1}},
    "move all red from pile to pool": {
        "pile": {"red": 0, "green": 0, "blue": 1},
        "pool": {"red": 2, "green": 1, "blue": 0},
    },
    "move all green from pile to pool": {
        "pile": {"red": 2, "green": 0, "blue": 1},
        "pool": {"red": 0, "green": 1, "blue": 0},
    },
    "move all red from pile to box": {"pile": {"red": 0, "green": 0, "blue": 1}},
    "move all from pool to pile": {
        "pile": {"red": 2, "green": 1, "blue": 1},
        "pool": {"red": 0, "green": 0, "blue": 0},
    },
    "move all from pile to box": {"pile": {"red": 0, "green": 0, "blue": 0}},
    "move red from pile to queue": {"pile": {"red": 1, "green": 0, "blue": 1}, "queue": ["green", "red"]},
    "move red from pile to tray": {"pile": {"red": 1, "green": 0, "blue": 1}, "tray": "red"},
    "move red from pile to rest": {"pile": {"red": 1, "green": 0, "blue": 1}, "rest": ["red"]},
    "move red from pile to purse": {"pile": {"red": 1, "green": 0, "blue": 1}, "purse": 2},
    # lists: the first that is like it, and those behind close up
    "move red from line_ to pile": {
        "line_": ["green", "red", "blue"],
        "pile": {"red": 3, "green": 0, "blue": 1},
    },
    "move blue from line_ to queue": {"line_": ["red", "green", "red"], "queue": ["green", "blue"]},
    "move green from line_ to box": {"line_": ["red", "red", "blue"]},
    "move green from queue to tray": {"queue": [], "tray": "green"},
    "move all from queue to box": {"queue": []},
    "queue = []; move all from queue to line_": {"queue": [], "line_": ["red", "green", "red", "blue"]},
    "line_ = [k]; move all from queue to line_": {"queue": [], "line_": ["red", "green"]},
    # sets
    "move red from some to rest": {"some": ["blue"], "rest": ["red"]},
    "move blue from some to pile": {"some": ["red"], "pile": {"red": 2, "green": 0, "blue": 2}},
    "move all from some to rest": {"some": [], "rest": ["red", "blue"]},
    "move all from some to box": {"some": []},
    "move k from some to some": {"some": ["red", "blue"]},
    # options
    "move green from hand to tray": {"hand": "none", "tray": "green"},
    "move all from hand to tray": {"hand": "none", "tray": "green"},
    "move all from hand to pool": {"hand": "none", "pool": {"red": 0, "green": 2, "blue": 0}},
    "move all from tray to hand": {"hand": "green", "tray": "none"},
    "move all from hand to box": {"hand": "none"},
}
FAULTS = {
    "move 8 from bank to box": "out_of_range",
    "move 4 + n from bank to purse; move 5 from bank to purse": "out_of_range",
    "purse = 9; move 1 from bank to purse": "out_of_range",
    "move n - 5 from bank to purse": "out_of_range",
    "purse = 9; move all from bank to purse": "out_of_range",
    "move green from pile to pool": "missing_value",
    "pool[red] = 2; move red from pile to pool": "overfull",
    "pool[blue] = 1; move all red from pile to pool": "overfull",
    "pool[blue] = 1; move all from pile to pool": "overfull",
    "move red from pile to seats[bob]": "overfull",
    "move tray from pile to pool": "missing_value",
    "move tray from tray to box": "missing_value",
    "line_ = [blue]; move red from line_ to pile": "missing_value",
    "move red from pile to line_": "overfull",
    "move all from line_ to queue": "overfull",
    "move green from some to rest": "missing_value",
    "move green from some to box": "missing_value",
    "move red from hand to tray": "missing_value",
    "move green from tray to hand": "missing_value",
    "move red from pile to hand": "overfull",
    "tray = red; move all from hand to tray": "overfull",
}


def start(bodies: list[str]) -> Any:
    arms = "".join(f"        r{i}:\n{indent(body, '            ')}\n" for i, body in enumerate(bodies))
    rules = f"rules:\n    choose by ann:\n{arms}    choose stop by ann\n    end tie\n"
    return sound_in(HEAD + rules).initial()


def test_what_is_moved() -> None:
    first = start(list(MOVES))
    found = {}
    for i, (move, changed) in enumerate(MOVES.items()):
        state = first.apply(f"r{i}")
        found[move] = {name: held(state, name) for name in changed}
    assert found == MOVES


def test_what_cannot_be_moved() -> None:
    first = start(list(FAULTS))
    found = {}
    for i, move in enumerate(FAULTS):
        with pytest.raises(FaultError) as fault:
            first.apply(f"r{i}")
        found[move] = fault.value.code
    assert found == FAULTS


@pytest.mark.parametrize(
    "move",
    [
        "move all from some to pile",
        "move all red from line_ to pile",
        "move all from line_ to pile",
        "move red from k to pile",
    ],
)
def test_zones_that_do_not_go_together(move: str) -> None:
    with pytest.raises(RulesError) as found:
        start([move])
    assert found.value.diagnostics[0].code in ("E0734", "E0415", "E0414", "E0510")


def test_a_move_that_brings_a_thing_twice_into_a_unique_map() -> None:
    game = sound_in("""\
        game "Unique"
        players ann, bob
        enum Hue: red, green
        state:
            place: map[1..2, Hue? = none] unique = {1: red}
            stacks: map[1..2, list[Hue, 3] = []] unique = {1: [red, green]}
            pile: bag[Hue, 9] = {red: 2, green: 2}
        rules:
            choose by ann:
                once:
                    move green from pile to place[2]
                twice:
                    move red from pile to place[2]
                other:
                    move red from stacks[1] to stacks[2]
                again:
                    move red from pile to stacks[2]
                last_one:
                    move green from pile to stacks[2]
                same:
                    place[2] = red
                none_:
                    place[1] = none
            choose stop by ann
            end tie
    """)
    state = game.initial()
    assert held(state.apply("once"), "place") == {"1": "red", "2": "green"}
    assert held(state.apply("none_"), "place") == {"1": "none", "2": "none"}
    assert held(state.apply("other"), "stacks.len") == {"1": 1, "2": 1}
    for move in ("twice", "again", "last_one", "same"):
        with pytest.raises(FaultError, match="not_unique"):
            state.apply(move)


def test_where_it_goes_is_settled_before_anything_moves() -> None:
    game = sound_in("""\
    game "Where"
    players ann, bob
    state:
        row: map[0..3, list[0..3, 3]] = {0: [], 1: [3, 2], 2: [0], 3: []}
    fun first_of(n: 0..3): row[n][0]
    rules:
        move row[1][0] from row[1] to row[row[1][0]]
        move all from row[1] to row[first_of(1)]
        end tie
    """)
    assert game.initial()["row.len"] == {"0": 0, "1": 0, "2": 2, "3": 1}
