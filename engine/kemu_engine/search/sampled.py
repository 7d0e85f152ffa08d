"""From which positions a search of what a player knows began."""

from __future__ import annotations

from kemu_engine.play.state import State
from kemu_engine.search.mcts import Search
from kemu_engine.search.sample import Sample


def sampled(search: Search, state: State) -> Sample | None:
    """Those of the last search for the player who is to choose; None if nothing is secret. Just after
    `search.think(state)`."""
    found = search._worlds.get(state.player)
    return None if found is None else found[1].sample
