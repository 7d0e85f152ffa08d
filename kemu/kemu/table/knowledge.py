"""What a player knows of what others have done unseen: what alone agrees with what the player has seen."""

from __future__ import annotations

from collections.abc import Sequence

from kemu_engine.play.state import FaultError, State

MOST = 500
"""Positions that are thought of at once; if more are possible, nothing more is found out."""
Ways = dict[int, frozenset[str]]


def known(states: Sequence[State], texts: Sequence[str], viewer: str) -> dict[int, str]:
    """By their numbers the steps that were not told in full, but can only have been what they were. `states`:
    those before the steps, and the last; what the first holds is known to everybody.
    """
    worlds: dict[State, Ways] = {states[0]: {}}
    for at, (before, text, after) in enumerate(zip(states, texts, states[1:], strict=False)):
        if sum(len(world.choices) for world in worlds) > MOST:
            break
        heard, seen = before.told(before.index(text), viewer), after.observation(viewer)
        worlds = _following(worlds, at, heard, viewer)
        worlds = {world: ways for world, ways in worlds.items() if world.observation(viewer) == seen}
    unseen = {at: set[str]().union(*(ways[at] for ways in worlds.values())) for at in _steps(worlds)}
    return {at: text for at, (text, *more) in unseen.items() if not more}


def _following(worlds: dict[State, Ways], at: int, heard: str, viewer: str) -> dict[State, Ways]:
    """What each position may have become, by something that is told so; what it was, if that is not said."""
    found: dict[State, Ways] = {}
    for world, ways in worlds.items():
        for number, move in enumerate(world.moves()):
            if world.told(number, viewer) != heard:
                continue
            try:
                then = world.follow(number)
            except FaultError:
                continue
            done = ways if move.text == heard else {**ways, at: frozenset({move.text})}
            other = found.get(then, {})
            found[then] = {step: done.get(step, frozenset()) | other.get(step, frozenset()) for step in done}
    return found


def _steps(worlds: dict[State, Ways]) -> set[int]:
    return {at for ways in worlds.values() for at in ways}
