"""Backgammon in step with a model in plain Python that lists every way to play a throw."""

from __future__ import annotations

import random

import pytest
from kemu_engine.play.state import State

from tests.instances import instance
from tests.soak import as_far

pytestmark = pytest.mark.slow

Men = tuple[tuple[int, ...], tuple[int, ...]]
Step = tuple[int, int]
BAR = 25


def opening() -> Men:
    first = {24: 2, 13: 5, 8: 3, 6: 5}
    row = tuple(first.get(point, 0) for point in range(BAR + 1))
    return row, row


def stepped(men: Men, p: int, step: Step) -> Men | None:
    """The board after p's man has gone from a point by a die; None if it may not."""
    own, others = list(men[p]), list(men[1 - p])
    start, die = step
    if not own[start] or (own[BAR] and start != BAR):
        return None
    if start <= die:
        highest = max(point for point in range(BAR + 1) if own[point])
        if highest > 6 or (start < die and start != highest):
            return None
    elif others[BAR - (start - die)] > 1:
        return None
    goal = max(start - die, 0)
    own[start] -= 1
    own[goal] += 1
    if goal and others[BAR - goal]:
        others[BAR - goal] -= 1
        others[BAR] += 1
    both = tuple(own), tuple(others)
    return both if p == 0 else both[::-1]


def ways(men: Men, p: int, dice: tuple[int, ...]) -> list[tuple[tuple[Step, ...], Men]]:
    """All ways to play on until nothing fits, and where they lead."""
    found: list[tuple[tuple[Step, ...], Men]] = []
    for die in sorted(set(dice)):
        rest = list(dice)
        rest.remove(die)
        for start in range(1, BAR + 1):
            if after := stepped(men, p, (start, die)):
                found += [(((start, die), *more), end) for more, end in ways(after, p, tuple(rest))]
    return found or [((), men)]


def lawful(men: Men, p: int, throw: tuple[int, int]) -> list[tuple[tuple[Step, ...], Men]]:
    """The ways that play as many dice as can be, and the higher one if only one can be."""
    found = ways(men, p, throw * 2 if throw[0] == throw[1] else throw)
    most = max(len(steps) for steps, _ in found)
    found = [way for way in found if len(way[0]) == most]
    highest = max((steps[0][1] for steps, _ in found), default=0) if most == 1 else 0
    return [way for way in found if most != 1 or way[0][0][1] == highest]


def thrown(state: State, chance: random.Random) -> tuple[State, tuple[int, int]]:
    """A throw of two dice, and where it leads."""
    dice = chance.randint(1, 6), chance.randint(1, 6)
    return state.apply(str(dice[0])).apply(str(dice[1])), dice


@pytest.mark.parametrize("seed", range(3))
def test_random_games_go_as_in_the_model(seed: int) -> None:
    game, chance = instance("backgammon"), random.Random(seed)
    state, men, p = game.initial(), opening(), None
    while not state.is_end:
        state, dice = thrown(state, chance)
        if p is None:
            if dice[0] == dice[1]:
                continue
            p = 0 if dice[0] > dice[1] else 1
        left, at = lawful(men, p, dice), 0
        while at < len(left[0][0]):
            assert state.actor == game.players[p]
            steps = sorted({way[0][at] for way in left})
            assert [str(action) for action in state.actions()] == [f"go({a}, {d})" for a, d in steps]
            chosen = chance.randrange(len(steps))
            state = state.apply(state.actions()[chosen])
            left, at = [way for way in left if way[0][at] == steps[chosen]], at + 1
        ((_, men),) = left
        assert state.is_end == (men[p][0] == 15)
        p = 1 - p
    assert state.result and state.result.winner == game.players[1 - p]


def test_an_opening_throw_leads_to_as_many_positions_as_in_the_model() -> None:
    """All fifteen throws together lead to 190."""
    throws = [(high, low) for high in range(2, 7) for low in range(1, high)]
    found = {}
    for high, low in as_far(3, sorted(throws, key=lambda throw: throw not in [(3, 1), (6, 5)])):
        start = instance("backgammon").initial().apply(str(high)).apply(str(low))
        level, ends = {start}, set()
        while level:
            after = {state.apply(action) for state in level for action in state.actions()}
            ends |= {state for state in after if state.is_chance}
            level = {state for state in after if not state.is_chance}
        assert len(ends) == len({men for _, men in lawful(opening(), 0, (high, low))})
        found[high, low] = len(ends)
    assert found[3, 1] == 16 and (len(found) < len(throws) or sum(found.values()) == 190)
