"""A game played in step with a model of it in plain Python; ways to play counted; values found by search."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import reduce
from typing import Protocol

from kemu_engine.batch.perft import perft
from kemu_engine.play.game import Game
from kemu_engine.play.state import State


class Model(Protocol):
    """The rules of a game for players 0 and 1 once more."""

    turn: int
    over: bool
    winner: int | None

    def actions(self) -> list[str]: ...
    def play(self, action: str) -> None: ...


def in_step(
    game: Game, model: Callable[[], Model], games: int = 5, decisions: int = 1_000, dealt: Sequence[str] = ()
) -> None:
    """Random games go as in the model: who decides, what is legal and in which order, the end, the winner.
    The model begins behind what was dealt.
    """
    chance = random.Random(0)
    for _ in range(games):
        state, other = reduce(State.apply, dealt, game.initial()), model()
        for _ in range(decisions):
            if state.is_end or other.over:
                break
            texts = list(map(str, state.actions()))
            assert (state.actor, texts) == (game.players[other.turn], other.actions())
            chosen = chance.randrange(len(texts))
            other.play(texts[chosen])
            state = state.apply(state.actions()[chosen])
        assert state.is_end == other.over
        won = state.result.winner if state.result else None
        assert won == (None if other.winner is None else game.players[other.winner])


def ways(model: Model, plies: int) -> int:
    """How many sequences of so many actions the model has."""
    if plies == 1:
        return 0 if model.over else len(model.actions())
    found = 0
    for action in [] if model.over else model.actions():
        after = deepcopy(model)
        after.play(action)
        found += ways(after, plies - 1)
    return found


def value(start: State) -> int:
    """By how much the player who begins wins if both play as well as can be."""
    known: dict[State, int] = {}
    first = start.actor
    assert first is not None

    def lead(end: State) -> int:
        assert end.result is not None
        scores = (
            end.result.scores
            if end.result.form == "rank"
            else {p: (n,) for p, n in end.result.payoffs.items()}
        )
        return sum(score if player == first else -score for player, (score, *_) in scores.items())

    def of(state: State) -> int:
        if state not in known:
            after = [of(state.apply(action)) for action in state.actions()]
            known[state] = (max if state.actor == first else min)(after) if after else lead(state)
        return known[state]

    return of(start)


def counted(game: Game, steps: int) -> list[int]:
    """The ways to play 1, 2, ... steps, counted in WebAssembly."""
    return [each.ways for each in perft(game, steps) if each][1:]
