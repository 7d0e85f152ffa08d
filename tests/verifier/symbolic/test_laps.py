"""Loops that are cut: the same plays, with a stop at each lap."""

from __future__ import annotations

from random import Random

import pytest
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_verifier.symbolic.laps import cut

from tests.rules import game_in

LOOPS = """
game "Loops"
players ann, bob
domain Pit = ring(0..3)
state:
    pit: map[Pit, 0..30] = {x: 5 for x in Pit}
    sum_: 0..90
rules:
    for p in turns():
        if pit[0] > 9 or pit[1] > 9: end tie
        choose sow(x in Pit) by p if pit[x] > 0
        hand: 0..30 = pit[x]
        at: Pit = x
        pit[x] = 0
        while hand > 0:
            at += 1
            if at == x and odd(hand): continue
            pit[at] += 1
            hand -= 1
            if pit[at] == 9: break
        for n in 1..pit[x]:
            if n == 7: continue
            if n > 8: break
            sum_ += n
        repeat at most 12:
            sum_ -= 1
            if sum_ < 5: break
"""


def followed(state: State, action: str, loops: frozenset[int]) -> State | str:
    """The first stop after an action that is none of these, or the fault on the way there."""
    try:
        state = state.apply(action)
        while state.block in loops:
            state = state.apply("on")
    except FaultError as fault:
        return fault.code
    return state


@pytest.mark.parametrize("seed", range(12))
def test_a_program_with_its_loops_cut_plays_alike(seed: int) -> None:
    game, chosen = game_in(LOOPS), Random(seed)
    made = cut(game.program)
    assert made is not None
    program, loops = made.program, made.heads
    assert not problems(program) and len(loops) == 3
    one, other = game.initial(), Game(program).initial()
    while isinstance(one, State) and isinstance(other, State):
        assert (one.block, one.vars, one.locals) == (other.block, other.vars, other.locals)
        if one.is_end:
            break
        action = chosen.choice(one.actions())
        one, other = followed(one, action, frozenset()), followed(other, action, loops)
    assert isinstance(one, State) == isinstance(other, State) and (isinstance(one, State) or one == other)
