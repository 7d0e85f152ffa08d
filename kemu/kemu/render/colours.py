"""Colours by player, for terminals that have them; nothing is said by colour alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

from kemu.render.board import Colour, Place
from kemu.render.owners import owner, reads

NAMED: dict[str, Colour] = {
    "black": "bright_black", "blue": "bright_blue", "brown": 130, "cyan": "cyan", "green": "green",
    "grey": 245, "magenta": "magenta", "orange": 208, "pink": 205, "purple": 135, "red": "bright_red",
    "violet": 177, "white": "bright_white", "yellow": "yellow",
}  # fmt: skip
SEATS: tuple[Colour, ...] = ("bright_red", "bright_blue", "green", "yellow", "magenta", "cyan", 208, 130)


def colour(player: str, players: Sequence[str]) -> Colour:
    """A player named after a colour has that colour, if all are; otherwise it goes by the seat."""
    if all(each in NAMED for each in players):
        return NAMED[player]
    return SEATS[players.index(player) % len(SEATS)]


def names(line: str, players: Sequence[str]) -> str:
    """A line of text in which every player's name has its colour."""
    words = "|".join(re.escape(player) for player in players)
    return re.sub(
        rf"\b(?:{words})\b", lambda found: click.style(found[0], fg=colour(found[0], players)), line
    )


def colours(state: State) -> dict[str, dict[Place, Colour]]:
    """For each view the places whose glyph shows something of one player's. Raises FaultError."""
    return {view.name: _coloured(state, view) for view in state.program.views}


def _coloured(state: State, view: k.View) -> dict[Place, Colour]:
    players = state.program.players
    found: dict[Place, Colour | None] = {}  # a later glyph covers an earlier one
    with state.reading() as value:
        for spot in view.spots:
            if value(spot.when):
                whose = owner(state.program, value, reads(spot.glyph))
                found[value(spot.x), value(spot.y)] = None if whose is None else colour(whose, players)
    return {place: each for place, each in found.items() if each is not None}
