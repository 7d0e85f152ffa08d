"""Plays that look alike to somebody, compared: every play of a small game, by what is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_engine.kernel.sight import secret
from kemu_engine.kernel.stop import Stop
from kemu_engine.play.game import Game
from kemu_engine.play.information import Glimpse, information
from kemu_engine.play.state import FaultError, State

from kemu.recheck.plays import Wrong

SECRETS = ("informed", "no_leak")

MOST = 50_000
"""Plays, and beginnings of plays, that are compared."""


def compared(game: Game, public: bool) -> bool:
    """Raises Wrong if two plays look alike to somebody and should not go on as they do: `public`, to somebody
    without a seat, who sees different things; else to a player, who may do different things. False if there
    are too many."""
    if not secret(game.program):
        return True
    if any(number == MOST for number, _ in enumerate(plays(game))):
        return False
    players = len(game.players)
    for seer in [players] if public else range(players):
        found: dict[object, object] = {}
        for state in plays(game):
            knows = _knows(state, seer)
            now = knows[-1]
            known = [(g.at, g.actor, g.menu, g.before, g.done) for g in knows[:-1]]
            key = tuple(known), now.heard if public else now.before
            value = (now.at, now.actor, now.menu, now.sees) if public else _may(state, seer)
            if found.setdefault(key, value) != value:
                what = "but see different things" if public else "but allow different actions"
                raise Wrong(f"two plays look alike to {[*game.players, 'all who watch'][seer]}, {what}")
    return True


def plays(game: Game) -> Iterator[State]:
    """The state behind every beginning of a play."""
    waiting = [game.initial()]
    while waiting:
        state = waiting.pop()
        yield state
        for at in range(len(state.choices)):
            try:
                waiting.append(state.follow(at))
            except FaultError:
                continue


def _knows(state: State, seer: int) -> tuple[Glimpse, ...]:
    stop = Stop(state.block, state.vars, state.locals, state.player, state.choices)
    return information(state.machine, state.past, stop, seer)


def _may(state: State, seer: int) -> object:
    return sorted(action.text for action in state.actions()) if state.player == seer else None
