"""Sequences of moves, as chess and draughts programs count them."""

from __future__ import annotations

from collections import Counter

from kemu_engine.batch.perft import perft
from kemu_engine.play.game import Game
from kemu_engine.play.state import State


def counted(game: Game, steps: int) -> list[int]:
    """The sequences of 1, 2, ... steps from the beginning."""
    return [depth.ways for depth in perft(game, steps) if depth is not None and depth.steps > 0]


def paths(state: State, plies: int) -> int:
    """The sequences of so many actions."""
    if plies == 1:
        return len(state.choices)
    return sum(paths(state.follow(index), plies - 1) for index in range(len(state.choices)))


def begun(game: Game, title: str) -> State:
    """Where an example of the rules file begins."""
    return game.start_at(next(e for e in game.program.examples if e.title == title))


def by_turns(game: Game, turns: int) -> list[int]:
    """The sequences of 1, 2, ... turns: what one player does before the other is one move."""
    level, found = Counter({game.initial(): 1}), []
    for _ in range(turns):
        ended: Counter[State] = Counter()
        while level:
            following: Counter[State] = Counter()
            for state, count in level.items():
                for index in range(len(state.choices)):
                    after = state.follow(index)
                    (following if after.actor == state.actor else ended)[after] += count
            level = following
        level = ended
        found.append(ended.total())
    return found
