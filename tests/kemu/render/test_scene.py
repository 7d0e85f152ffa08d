"""Pictures of positions: the scene as data, and as SVG."""

import xml.etree.ElementTree as ElementTree
from itertools import islice

import pytest
from kemu.base.library import games
from kemu.render.scene.data import as_json
from kemu.render.scene.drawing import KINDS
from kemu.render.scene.drawn import BESIDE
from kemu.render.scene.palette import NAMES
from kemu.render.scene.scene import scene
from kemu.render.scene.svg import svg
from kemu.render.scene.symbols import SYMBOLS
from kemu.table.visibility import Sight
from kemu_engine.batch.playout import walk
from kemu_grammar.source import drawing

from tests.instances import grouped, instance
from tests.rules import play, sound_in

BARE = """
    game "Bare"
    players red, blue
    domain Cell = grid(1..2, 1..1)
    state:
        stone: map[Cell, Player?]
    rules:
        for p in turns():
            choose place(c in Cell) if stone[c] is none
            else:
                end win(red)
            stone[c] = p
    view board:
        cell c in Cell at (c.x, c.y): "." if stone[c] is none else "R" if stone[c] == red else "B"
        line "{p}: {len({c for c in Cell if stone[c] == p})} laid" for p in Player
        line "two cells"
"""
DRAWN = """
    game "Drawn"
    players ann, ben
    domain Cell = hexes(1)
    state:
        n: 0..5 = 3
        card: 1..6 secret to ann
    rules:
        choose go(c in Cell) by ann
        end tie
    view board:
        draw on hexes
        draw hexagon c in Cell at c fill "water"
        draw disc if n > 2 at (1, 0) out 50 towards 3 of 6 size 20 fill ann
        draw disc at (0, 0) size 50 row n fill "red"
        draw disc at (0, 1) size 50 heap n
        draw line at (0, 0) off (-50, 0) to (0, 0) off (50, 25)
        draw symbol at (0, 0) turned 1 of 4: "king" if n == 3 else "none"
        draw die at (0, 0): "{card}"
        draw text at (0, 2): "a_name"
        draw seat p in Player fill ("black" if p == ann else "white"): "has {n}; and more"
        draw note if n == 3: "three" if n == 3 else "more"
        line "for text only"
"""


def test_a_view_without_drawing_words_is_squares_with_pieces_and_the_players_beside() -> None:
    found = as_json(scene(play(sound_in(BARE), "place((1, 1))")))
    board = found["boards"][0]["shapes"]
    assert [(each["kind"], each["at"], each.get("element")) for each in board[:3]] == [
        ("square", [[1, 1]], "(1, 1)"),
        ("square", [[2, 1]], "(2, 1)"),
        ("disc", [[1, 1]], "(1, 1)"),
    ]
    assert board[2]["fill"] == "red" and "text" not in board[2]
    assert found["status"] == "blue: place"
    assert found["seats"] == [
        {"player": "red", "colour": "red", "notes": ["1 laid"]},
        {"player": "blue", "colour": "blue", "to_move": True, "notes": ["0 laid"]},
    ]
    assert found["notes"] == ["two cells"]
    assert found["picks"] == [{"action": "place", "parameter": "c", "domains": ["Cell"]}]


def test_what_a_view_draws_lies_where_it_says() -> None:
    found = as_json(scene(sound_in(DRAWN).initial()))
    shapes = found["boards"][0]["shapes"]
    middles = {each["element"]: each["at"][0] for each in shapes if each["kind"] == "hexagon"}
    assert middles["(0, 1)"] == [0, 1] and middles["(1, 0)"] == [0.866, 0.5]
    small, *discs = [each for each in shapes if each["kind"] == "disc"]
    assert (small["at"], small["fill"], small["size"]) == ([[0.866, 1.0]], "black", [0.2, 0.2])
    assert [each["at"][0] for each in discs[:3]] == [[0, 0], [0.54, 0], [1.08, 0]]
    assert len(discs) == 6 and sum(each["at"][0][0] for each in discs[3:]) == 0
    assert next(each["at"] for each in shapes if each["kind"] == "line") == [[-0.5, 0], [0.5, 0.25]]
    assert [(each["text"], each["turn"]) for each in shapes if each["kind"] == "symbol"] == [("king", 90)]
    assert [seat["colour"] for seat in found["seats"]] == ["black", "white"]
    assert found["seats"][0]["notes"] == ["has 3", "and more"]
    assert found["notes"] == ["three"]
    assert "a name" in [each.get("text") for each in shapes]  # as people write it


def test_what_is_drawn_apart_for_each_player_is_his() -> None:
    """But not what is drawn for both at the same place."""
    game = sound_in(
        """
        game "Boards"
        players ann, ben
        domain Cell = 1..2
        rules:
            choose go(c in Cell) by ann
            end tie
        view board:
            draw square c in Cell for p in Player at (c, 0 if p == ann else 3)
            draw disc c in Cell for p in Player at (c, 6) size 50 fill p
        """
    )
    shapes = as_json(scene(game.initial()))["boards"][0]["shapes"]
    assert [each.get("owner") for each in shapes] == ["ann", "ben", "ann", "ben", None, None, None, None]


def test_what_a_player_does_not_see_is_not_in_his_scene() -> None:
    game = sound_in(DRAWN)
    for viewer, text in (("ann", "1"), ("ben", "?")):
        mine = Sight(game, viewer).position(game.initial())
        dice = [each for each in scene(mine).boards[0].shapes if each.kind == "die"]
        assert [each.text for each in dice] == [text]


def test_the_renderer_knows_all_words() -> None:
    assert {*drawing.SHAPES} == {*KINDS, *BESIDE}
    assert {*drawing.SYMBOLS} == {*SYMBOLS}
    assert {*drawing.COLOURS} == {*NAMES}


@pytest.mark.parametrize("name", grouped(games()))
def test_every_game_is_drawn(name: str) -> None:
    played = [state for state, _ in islice(walk(instance(name), 0, 0), 40)]
    for state in (played[0], played[-1]):
        root = ElementTree.fromstring(svg(scene(state)))
        assert root.tag.endswith("svg") and "nan" not in ElementTree.tostring(root, "unicode")
        assert root.findtext("{*}title") and root.findtext("{*}desc")


DICE = """
game "Dice"
players ann, ben
domain Die = 1..3
domain Place = 0..9
state:
    at_: Place = 0
rules:
    for p in turns():
        choose go(a in Place, d in Die) if a == at_
        at_ = min(9, a + d)
        if at_ == 9: end win(p)

view road:
    draw die d in Die at (d, 0): "{d}"
"""


def test_a_die_is_no_place_though_both_are_numbers() -> None:
    found = scene(sound_in(DICE).initial())
    assert [(each.parameter, each.domains) for each in found.picks] == [("d", ("Die",))]
