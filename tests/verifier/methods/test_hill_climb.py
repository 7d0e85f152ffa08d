"""Games that climb: they find what random games would not, and never what is not there."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_verifier.goal.branch_distance import distance
from kemu_verifier.goal.questions import Question, questions
from kemu_verifier.methods.search.random_search import plays
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in

WHEELS = """
game "Wheels"
players ann, ben
domain Wheel = 0..7
enum Mark: sun, moon, star
state:
    on:   map[Wheel, 0..9]
    mark: map[Wheel, Mark?]
    left: 0..60 = 60
rules:
    while left > 0:
        choose by ann:
            turn(w in Wheel): on[w] = (on[w] + 1) % 10
            draw(w in Wheel, m in Mark): mark[w] = m
        left -= 1
    end tie
fun shown(w: Wheel): 10 * on[w]
fun marked(): {w for w in Wheel if mark[w] == star}
property all_four:  possible all(shown(w) == 40 for w in Wheel if w < 4) and on[7] == 0
property stars:     possible len(marked()) == 8 or any(on[w] > 9 for w in Wheel)
property never_two: never any(on[w] >= 7 for w in Wheel) and marked() <= {0, 1} and len(marked()) > 1
property in_wheels: at turn always on[0] < 9 or left > 3
property hopeless:  possible sum(on[w] for w in Wheel) > 60 - left
"""


@pytest.fixture(scope="module")
def wheels() -> Game:
    return game_in(WHEELS)


def asked(game: Game, name: str) -> Question:
    return next(q for q in questions(game.program, False) if q.name == name)


@pytest.mark.parametrize("name", ["all_four", "stars", "never_two", "in_wheels"])
def test_what_random_games_would_hardly_show_is_found_and_replayed(wheels: Game, name: str) -> None:
    goal = asked(wheels, name).goal
    assert goal is not None
    context = ProofContext(wheels, 60, lambda words: None)
    assert not any(goal(None).looking()(state) for play in context.plays[:30] for state in play.states)
    found = context.climbed(goal(None), Deadline(60))
    assert found is not None and goal(None).reached(replay(wheels, found.steps))


def test_random_games_go_on_from_one_that_was_found(wheels: Game) -> None:
    goal = asked(wheels, "stars").goal
    assert goal is not None
    context = ProofContext(wheels, 60, lambda words: None)
    assert context.games.seen_further(goal(None), Deadline(60)) is None
    found = context.climbed(goal(None), Deadline(60))
    assert context.games.seen_further(goal(None), Deadline(60)) == found


def test_what_is_not_there_is_not_found(wheels: Game) -> None:
    goal = asked(wheels, "hopeless").goal
    assert goal is not None
    assert ProofContext(wheels, 60, lambda words: None).climbed(goal(None), Deadline(0.5)) is None


@pytest.mark.parametrize("wanted", [True, False])
def test_the_distance_is_nought_just_where_the_expression_is_as_wanted(wheels: Game, wanted: bool) -> None:
    exprs = [q.exprs[0] for q in questions(wheels.program, False)]
    near = [(expr, distance(wheels.program, expr, wanted)) for expr in exprs]
    context, seen = ProofContext(wheels, 60, lambda words: None), set()
    for play in plays(context.steps, 3, Deadline(60)):
        for state in play.states:
            for expr, far in near:
                value = state.evaluate(far)
                assert value >= 0 and (value == 0) == (bool(state.evaluate(expr)) == wanted)
                seen.add(min(value, 2))
    assert {0, 2} <= seen
