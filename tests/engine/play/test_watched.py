"""Programs that watch themselves: what holds when, as it is worked out from states."""

from __future__ import annotations

import pytest
from kemu_engine.batch.playout import Ends, walk
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.play.watched import Watch, watchable, watched

from tests.engine.build import num, op
from tests.engine.games import hidden_coin, nim, pig
from tests.rules import game_in

GAMES, LONGEST = 20, 200


def stops(program: k.Program) -> frozenset[int]:
    kinds = k.Decide | k.Chance | k.End
    return frozenset(at for at, block in enumerate(program.blocks) if isinstance(block.exit, kinds))


def small(program: k.Program, var: int, most: int) -> k.Expr:
    """That a variable (or its first element) is at most so large."""
    held = program.vars[var]
    value = k.Load(held.type, var) if held.length is None else k.At(held.type, var, num(0))
    return op("le", value, num(most))


@pytest.mark.parametrize("program", [nim(), pig(), hidden_coin()])
def test_of_every_test_the_first_stop_is_told_where_it_holds(program: k.Program) -> None:
    watches = [Watch(stops(program), small(program, 0, most)) for most in (-2, 0, 1, 4)]
    made = watched(program, watches, LONGEST)
    assert problems(made) == []
    told = list(Ends(Game(made)).of(3, range(GAMES), LONGEST))
    for index in range(GAMES):
        states = [state for state, _ in walk(Game(program), 3, index)]
        first = [
            next((at for at, state in enumerate(states, 1) if state.evaluate(watch.test)), 0)
            for watch in watches
        ]
        ends = told[index]
        assert ends is not None and list(ends[: len(watches)]) == first


def test_a_game_is_cut_off_and_what_it_has_shown_is_told() -> None:
    program = nim()
    watches = [Watch(stops(program), small(program, 0, 6)), Watch(stops(program), small(program, 0, 0))]
    (ends,) = Ends(Game(watched(program, watches, 3))).of(1, range(1), LONGEST)
    assert ends is not None and ends[0] in (2, 3) and ends[1] == 0


def test_a_test_that_runs_into_a_fault_does_not_hold() -> None:
    program = nim()
    none = k.Need(k.BOOL, k.Const(k.BOOL, False), k.Const(k.BOOL, True), 0)
    assert watchable(program, none)
    (ends,) = Ends(Game(watched(program, [Watch(stops(program), none)], LONGEST))).of(1, range(1), LONGEST)
    assert ends is not None and ends[0] == 0


DIVIDED = """
game "Divided"
players one
domain Four = 0..3
state:
    x: 0..3
rules:
    for p in turns():
        choose up by p if x < 3
        x += 1
        if x == 3: end tie
property apart: possible any(j > 1 and 3 // x == j for j in Four)
property round: possible len(closure({0}, i -> {j for j in Four if 3 // x == j})) == 2
"""


def test_a_divisor_that_may_be_zero_ends_no_game() -> None:
    """At first x is 0, and nothing is divided by it."""
    game = game_in(DIVIDED)
    watches = [Watch(stops(game.program), asked) for (asked,) in (p.exprs for p in game.program.properties)]
    (ends,) = Ends(Game(watched(game.program, watches, LONGEST))).of(1, range(1), LONGEST)
    assert ends is not None and 0 not in ends[:2]


def test_what_changes_a_copy_of_the_state_is_not_watched() -> None:
    assert not watchable(nim(), k.Trial(k.BOOL, (), k.Const(k.BOOL, True)))
