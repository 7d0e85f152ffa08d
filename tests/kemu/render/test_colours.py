"""Colours by player: of glyphs that show something of one player's, and of the players' names."""

import click
from kemu.base.opening import load
from kemu.render.colours import colour, colours, names
from kemu.render.trace import boards

from tests.kemu.conftest import CROSSES
from tests.rules import game_in

PIECES = """
    game "Pieces"
    players red, orange
    domain Piece = (owner: Player, nr: 1..2)
    domain Field = 1..3
    state:
        at:    map[Field, Piece? = none] = {1: (red, 1), 2: (orange, 2)}
        coins: map[Player, 0..9] = {red: 0, orange: 2}
        here:  Field = 2
    rules:
        choose stay by red
        end tie
    view board:
        cell f in Field at (f, 0): "." if at[f] is none else "P"
        cell f in Field if f == here and at[f] is none at (f, 0): "*"
        cell p in Player if p == orange at (1, 1): "{coins[p]}"
"""


def test_what_names_a_player_has_the_players_colour() -> None:
    state = game_in(PIECES).initial()
    red, orange = (colour(player, ("red", "orange")) for player in ("red", "orange"))
    assert colours(state) == {"board": {(1, 0): red, (2, 0): orange, (1, 1): orange}}


def test_players_without_names_of_colours_go_by_their_seats() -> None:
    state = load(CROSSES).initial().apply("place((1, 1))").apply("place((2, 1))")
    assert colours(state) == {
        "board": {(1, 1): colour("cross", ("cross", "nought")), (2, 1): colour("nought", ("cross", "nought"))}
    }


def test_colours_take_no_place_and_say_nothing_of_their_own() -> None:
    state = load(CROSSES).initial().apply("place((1, 1))")
    plain, coloured = boards(state), boards(state, colours=colours)
    assert [line.text for line in coloured] != [line.text for line in plain]
    assert [click.unstyle(line.text) for line in coloured] == [line.text for line in plain]


def test_names_are_coloured_where_they_stand_alone() -> None:
    assert names("red: 3 redder", ("red", "blue")) == "\x1b[91mred\x1b[0m: 3 redder"
