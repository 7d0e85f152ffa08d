"""A fault says, besides what was wrong, which value was: however play came to it."""

from __future__ import annotations

import pickle

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError

from tests.rules import game_in

RULES = """
game "Slip"
players ann
enum Good: wood, salt
state:
    n:     0..5 = 2
    low:   map[k in 0..2, 0..k]
    quay:  bag[Good] = {{wood: 4}}
    boat:  bag[Good, 2]
    boats: map[k in 0..2, bag[Good, k]]
    row:   list[0..9, 3] = [7, 8]
rules:
    choose go(i in -9..9) by ann
    {statement}
    end tie
"""


@pytest.mark.parametrize(
    ("statement", "action", "message"),
    [
        ("n += i", "go(9)", "the number is not in 0..5: it is 11"),
        ("n += i", "go(-3)", "the number is not in 0..5: it is -1"),
        ("low[1] = abs(i)", "go(2)", "the number is not in the range for this key: it is 2"),
        ("n = row[abs(i)]", "go(2)", "the list has no such element: it has 2, and [2] is asked for"),
        ("n = row[i]", "go(-3)", "the list has no such element: it has 2, and [-3] is asked for"),
        ("for k in 0..2: move wood from quay to boat", "go(1)", "the bag may hold 2: there would be 3"),
        ("boats[1] = {salt: i}", "go(2)", "more than the bag may hold: there would be 2, with room for 1"),
        ("row = row + row[:2]", "go(0)", "the list may hold 3: there would be 4"),
        ("n = 7 // i", "go(0)", "division by zero"),
    ],
)  # fmt: skip
def test_a_fault_tells_the_value(statement: str, action: str, message: str) -> None:
    state = Game(game_in(RULES.format(statement=statement)).program).initial()
    with pytest.raises(FaultError) as played:
        state.apply(action)
    with pytest.raises(FaultError) as traced:
        state.follow(state.index(action), [])
    assert played.value.message == traced.value.message == message
    assert str(pickle.loads(pickle.dumps(played.value))) == f"{played.value.code}: {message}"
