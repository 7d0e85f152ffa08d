"""Scenes of one state after another are those of each by itself; what looks the same is the same object."""

import random

import pytest
from kemu.render.scene.data import as_json
from kemu.render.scene.scene import Scenes, begun, scene
from kemu.table.visibility import Sight, has_secrets
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from tests.instances import instance
from tests.rules import play, sound_in

GAMES = [
    ("tongiaki", "pond", 12),
    ("moeraki-kemu", None, 5),
    ("mahe", "pond", 12),
    ("tic-tac-toe", None, 9),  # drawn without words
    ("hanabi", "tiny", 10),  # as each of those who may not know all sees it
]
READING = """
    game "Reading"
    players red, blue
    domain Cell = 1..4
    state:
        stone: map[Cell, Player?]
        history seen of stone
    rules:
        for p in turns():
            note seen
            choose:
                turn(c in Cell):
                    stone[c] = p if stone[c] is none else none
                    require times(seen) < 2
            else:
                end tie
    view board:
        line "{times(seen)} times"
        line "{p}: {len({c for c in Cell if stone[c] == p})}" for p in Player
        draw disc c in Cell if stone[c] is some at (c, 0) fill stone[c]
        draw ring c in Cell at (c, len({d for d in Cell if stone[d] is some}))
"""
NOW_AND_THEN = """
    game "Now and then"  # drawn in words or not at all
    players red, blue
    domain Cell = 5..8
    domain Spot = 1..3
    state:
        stone: map[Spot, Player?]
    rules:
        for p in turns():
            choose turn(c in Spot, q in Cell)
            stone[c] = p if stone[c] is none else none
    view board:
        cell q in Cell at (q, 0): "x"
        draw disc s in Spot if stone[s] is some at (1, 1) fill stone[s]
"""


def plays(game: Game, most: int, rng: random.Random) -> list[State]:
    states = [game.initial()]
    while len(states) <= most and not states[-1].is_end:
        states.append(states[-1].follow(rng.randrange(len(states[-1].choices))))
    return states


def compared(game: Game, most: int, rng: random.Random) -> None:
    for viewer in (None, *game.players) if has_secrets(game) else (None,):
        sight = Sight(game, viewer)
        states = [sight.position(each) for each in plays(game, most, rng)]
        one_by_one = begun(states[0])
        for state in [*states, rng.choice(states)]:  # back, too
            assert one_by_one.as_json(state) == as_json(scene(state))


@pytest.mark.parametrize(("name", "which", "most"), GAMES)
def test_scenes_one_after_another_are_those_of_each_state(name: str, which: str | None, most: int) -> None:
    compared(instance(name, which), most, random.Random(1))


@pytest.mark.parametrize("rules", [READING, NOW_AND_THEN])
def test_histories_and_counts_are_read_anew_and_the_usual_marks_come_and_go(rules: str) -> None:
    compared(sound_in(rules), 30, random.Random(1))


def test_what_looks_the_same_is_the_same_object() -> None:
    game = sound_in(READING)
    scenes = Scenes(game.program)
    first = scenes.of(play(game, "turn(1)", "turn(2)"))
    second = scenes.of(
        play(game, "turn(1)", "turn(3)")
    )  # a disc goes, another comes; there are two as before
    assert [each.element for each in first.boards[0].shapes if each.kind == "disc"] == ["1", "2"]
    assert first.boards[0].shapes[0] is second.boards[0].shapes[0]
    assert first.boards[0].shapes[-1] is second.boards[0].shapes[-1]
