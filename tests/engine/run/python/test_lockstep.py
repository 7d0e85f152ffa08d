"""Generated Python against the interpreter: the same stops, the same faults, the same random games."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kemu_engine.batch.playout import playout, stepwise
from kemu_engine.interp.frame import Faulted
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Stop
from kemu_engine.kernel.verify import problems
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.run.python.loader import GeneratedMachine, player
from kemu_grammar.game.game import read, read_text
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.games import hidden_coin, nim, pig
from tests.engine.kernels import Maker
from tests.instances import STAND_INS, instance, instances, together
from tests.oracles.sources import with_histories
from tests.soak import examples

pytestmark = pytest.mark.slow

HERE = Path(__file__).parents[3]
LIBRARY = HERE.parent / "spec"
GALLERY = sorted((HERE / "gallery").glob("*.kemu"))

Came = Stop | tuple[int, k.Fault]


def came(machine: Machine, stop: Stop | None, choice: int) -> Came:
    """Where a machine comes to, from the beginning or by a choice at a stop: a stop or a fault."""
    try:
        return machine.begin() if stop is None else machine.follow(stop, stop.choices[choice])
    except Faulted as faulted:
        return faulted.index, faulted.fault


def compare(program: k.Program, random: Random, games: int, steps: int) -> None:
    """Plays the same games on both machines."""
    reference, generated = Machine(program), GeneratedMachine(program)
    for _ in range(games):
        stop, choice = None, 0
        for _ in range(steps):
            there, here = came(reference, stop, choice), came(generated, stop, choice)
            assert here == there
            if not isinstance(there, Stop) or not there.choices:
                break
            stop, choice = there, random.randrange(len(there.choices))
    assert generated.by_python, "the interpreter stood in"


def compare_playouts(program: k.Program, seed: int, games: int, longest: int) -> None:
    """Plays the same random games in one function and from state to state."""
    assert player(program) is not None
    game, reference = Game(program), Game(program, reader="interpreter")
    for index in range(games):
        assert playout(game, seed, index, longest) == stepwise(reference, seed, index, longest)


@examples(8)
@given(st.integers(0, 1 << 32))
@example(1569)  # a row of a table of sets within a set of fewer elements
def test_random_programs(seed: int) -> None:
    random = Random(seed)
    program = Maker(random).program()
    assert problems(program) == []
    compare(program, random, 2, 6)
    compare_playouts(program, seed, 2, 6)


@examples(8)
@given(st.integers(0, 1 << 32))
def test_random_programs_with_histories(seed: int) -> None:
    random = Random(seed)
    program = Maker(random, histories=True).program()
    assert problems(program) == []
    compare(program, random, 2, 8)
    compare_playouts(program, seed, 2, 8)


@examples(5)
@given(with_histories, st.integers(0, 1 << 32))
def test_random_rules(source: str, seed: int) -> None:
    random = Random(seed)
    try:
        program = instantiate(read_text(source, "generated.kemu", Path("spec")), {}, None)
    except RulesError:
        return
    compare(program, random, 2, 10)
    compare_playouts(program, seed, 1, 10)


@pytest.mark.parametrize(
    ("game", "which"),
    [
        together(game, which or STAND_INS.get(game))
        for game, which in instances()
        if not which or "match" in which
    ],
)
def test_games(game: str, which: str | None) -> None:
    """Every game as it stands; of those with matches, these too: all their levels are in them."""
    program = instance(game, which).program
    compare(program, Random(1), 1, 12)
    compare_playouts(program, 7, 1, 15)


@pytest.mark.parametrize("file", GALLERY, ids=lambda file: file.stem)
def test_gallery(file: Path) -> None:
    program = instantiate(read(file, LIBRARY))
    compare(program, Random(2), 6, 30)
    compare_playouts(program, 3, 6, 30)


@pytest.mark.parametrize("make", [nim, pig, hidden_coin])
def test_programs_by_hand(make: object) -> None:
    assert callable(make)
    compare(make(), Random(3), 10, 40)
    compare_playouts(make(), 0, 20, 100)
