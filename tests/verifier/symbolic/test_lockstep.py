"""The symbolic transition relation agrees with the interpreter: on games, on any states, on faults, on
reachable sets."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu.base.opening import load
from kemu_engine.batch.playout import walk
from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_engine.play.steps import Steps
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge

from tests.engine.games import hidden_coin, nim, pig
from tests.engine.kernels import Maker
from tests.instances import grouped
from tests.soak import examples
from tests.verifier.games import ladder, noughts
from tests.verifier.lockstep import Lockstep, any_state

pytestmark = pytest.mark.slow

GALLERY = Path(__file__).parents[2] / "gallery"
SMALL = {"nim": nim, "pig": pig, "hidden coin": hidden_coin, "noughts": noughts, "ladder": ladder}
TEXTS = (
    "nested",
    "out_of_range",
    "overfull_list",
    "empty_min",
    "kuhn",
    "three",
    "missing_value",
    "overrun",
    "stuck",
)
NAMES = [*SMALL, *TEXTS]


@cache
def both(name: str) -> Lockstep:
    return Lockstep(SMALL[name]() if name in SMALL else load(GALLERY / f"{name}.kemu").program)


@pytest.mark.parametrize("name", grouped(NAMES))
@given(index=st.integers(0, 10_000))
@examples(12)
def test_on_states_of_random_games(name: str, index: int) -> None:
    side = both(name)
    game = Game(side.program)
    try:
        for count, (state, chosen) in enumerate(walk(game, 3, index)):
            stop = side.check_arrival((state.block, state.vars, state.locals))
            assert stop is not None
            for choice in stop.choices:
                side.check_step(stop, choice)
            if chosen < 0 or count > 60:
                break
    except FaultError:
        pass  # what the last step ran into has been compared


@given(st.integers(0, 1 << 32))
@examples(15)
def test_on_programs_made_at_random(seed: int) -> None:
    compared(seed)


def test_of_programs_made_at_random_most_are_compared() -> None:
    """A program that breaks down at once, or is too large to be read, compares nothing."""
    assert sum(compared(seed) > 0 for seed in range(20)) > 15


def compared(seed: int) -> int:
    """How many steps of a program made at random were compared."""
    program = Maker(Random(seed)).program(unset=False)
    side, machine = Lockstep(program), Game(program).machine
    count = 0
    with suppress(Faulted, TooLarge):
        stop = machine.begin()
        for _ in range(6):
            met = side.check_arrival((stop.block, stop.vars, stop.locals))
            if met is None or not met.choices:
                break
            for choice in met.choices[:6]:
                side.check_step(met, choice)
                count += 1
            stop = machine.follow(met, Random(seed).choice(met.choices))
    return count


@pytest.mark.parametrize("name", grouped(NAMES))
@given(data=st.data())
@examples(15)
def test_on_any_states(name: str, data: st.DataObject) -> None:
    """Most of these are unreachable, and many run into faults."""
    side = both(name)
    stop = side.check_arrival(data.draw(any_state(side.program)))
    for choice in stop.choices[:8] if stop else ():
        side.check_step(stop, choice)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", grouped(["nim", "noughts", "three"]))
@given(data=st.data())
@examples(30)
def test_a_wrong_successor_is_none(name: str, data: st.DataObject) -> None:
    """What the interpreter would not make of a choice, the symbolic reading does not make of it either."""
    side = both(name)
    stop = side.check_arrival(data.draw(any_state(side.program)))
    if stop is None or not stop.choices:
        return
    choice = data.draw(st.sampled_from(stop.choices))
    wrong = data.draw(any_state(side.program))
    step = side.transitions.step(stop.block)
    values = side.chosen(step, stop, choice)
    made = [side.after(edge, values) for edge in step.edges if values.lit(edge.env.live)]
    try:
        after = side.machine.follow(stop, choice)
    except Faulted:
        assert made == []
        return
    assert (wrong in made) == (wrong == (after.block, after.vars, after.locals))


@pytest.mark.parametrize("name", ["nim", "hidden coin", "ladder", "kuhn", "overfull_list"])
def test_reachable_sets_are_equal(name: str) -> None:
    side = both(name)
    graph = explore(Steps(Game(side.program)), 10_000, Deadline(60))
    assert graph.complete
    assert side.reachable() == {(state.block, state.vars, state.locals) for state in graph.states}


def test_wide_integers_are_read_too() -> None:
    """Beyond the one-hot form: sums, products, divisions with floor, remainders."""
    side = both("ladder")
    wide = [var for var in side.program.vars if isinstance(var.type, k.Int) and var.type.high > 200]
    assert wide
