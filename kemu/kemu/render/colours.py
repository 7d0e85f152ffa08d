"""Colours by player, for terminals that have them; nothing is said by colour alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

import click
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError, State

from kemu.render.board import Colour, Place

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
    for spot in view.spots:
        if state.evaluate(spot.when):
            owners = {owner for read in _reads(spot.glyph) if (owner := _owner(state, read)) is not None}
            place = (state.evaluate(spot.x), state.evaluate(spot.y))
            found[place] = colour(owners.pop(), players) if len(owners) == 1 else None
    return {place: each for place, each in found.items() if each is not None}


def _owner(state: State, read: k.Load | k.At) -> str | None:
    """The player whom the value of a variable names, or, if there is something, the name of its place."""
    var = state.program.vars[read.var]
    if not isinstance(read.type, k.Int):
        return None
    try:
        value = state.evaluate(read)
        place = var.labels[state.evaluate(read.index)] if isinstance(read, k.At) and var.labels else ""
    except FaultError:
        return None
    text = var.texts[value - read.type.low] if var.texts else ""
    return _one(text, state) or (_one(place, state) if value and text != "none" else None)


def _one(text: str, state: State) -> str | None:
    found = {word for word in re.findall(r"\w+", text) if word in state.program.players}
    return found.pop() if len(found) == 1 else None


def _reads(node: object) -> Iterator[k.Load | k.At]:
    """The readings of state in an expression that need no local: none inside of functions and loops."""
    if isinstance(node, k.Load) or (isinstance(node, k.At) and not _has_local(node.index)):
        yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from _reads(item)
    elif is_dataclass(node) and not isinstance(node, k.Call):
        for field in fields(node):
            yield from _reads(getattr(node, field.name))


def _has_local(node: object) -> bool:
    if isinstance(node, tuple):
        return any(map(_has_local, node))
    if isinstance(node, k.Local):
        return True
    return is_dataclass(node) and any(_has_local(getattr(node, field.name)) for field in fields(node))
