"""Ways to play, by turns: all that one player does until another decides, chance in between included."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_engine.batch.perft import perft
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from tests.engine.games import hidden_coin, nim
from tests.rules import game_in

AGAIN = """\
game "Again"
players ann, ben
state:
    left: 0..5 = 5
rules:
    for p in turns():
        die = roll 1..2
        choose take(n in 1..2) if n <= left
        left -= n
        if left == 0:
            end win(p)
        if n == die:
            again
"""


def one_by_one(state: State, turns: int, player: int | None = None) -> Iterator[bool]:
    """Every way of so many turns by itself: whether it ends the game."""
    for index in range(len(state.choices)):
        after = state.follow(index)
        actor = state.player if state.is_decision else player
        passed = after.is_decision and actor is not None and after.player != actor
        if after.is_end:
            if turns == 1:
                yield True
        elif passed and turns == 1:
            yield False
        else:
            yield from one_by_one(after, turns - passed, None if passed else actor)


def test_turns_are_counted_as_if_one_by_one() -> None:
    for game in (game_in(AGAIN), Game(nim()), Game(hidden_coin())):
        found = {
            each.steps: (each.ways, each.ended) for each in perft(game, 4, turns=True) if each is not None
        }
        for turns in range(1, 5):
            ways = list(one_by_one(game.initial(), turns))
            assert found.get(turns, (0, 0)) == (len(ways), sum(ways))


def test_the_ways_from_the_states_after_one_step_are_those_of_one_step_more() -> None:
    game = Game(nim())
    first = game.initial()
    after = [first.follow(index) for index in range(len(first.choices))]
    parts = [[each.ways for each in perft(game, 2, start=state) if each is not None] for state in after]
    assert [sum(each) for each in zip(*parts, strict=True)] == [
        each.ways for each in perft(game, 3) if each is not None
    ][1:]
