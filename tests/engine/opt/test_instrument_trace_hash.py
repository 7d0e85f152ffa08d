"""Programs that sum up the game they play: the sum as it is defined, worked out from states."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.playout import stepwise, walk
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import Cells, elements
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.play.state import result_of
from kemu_engine.run.python.loader import player

from tests.engine.games import hidden_coin, nim, pig
from tests.tools.instrument_trace_hash import CUT, FACTOR, PRIME, followed

SMALL = sorted((Path(__file__).parents[2] / "kemu" / "games").glob("*.kemu"))


def values(type_: k.Type, cells: Cells) -> list[int]:
    """Of a variable all that is added: of a set its elements and their number."""
    found: list[int] = []
    for cell in cells if isinstance(cells, tuple) else (cells,):
        items = elements(cell) if isinstance(type_, k.Set) else ()
        found += [*items, len(items)] if isinstance(type_, k.Set) else [int(cell)]
    return found


def summed(game: Game, seed: int, most: int) -> int:
    """The sum of a random game, cut off after so many decisions."""
    added: list[int] = []
    made = 0
    for state, chosen in walk(game, seed, 0):
        vars = state.vars
        if chosen < 0:
            break
        choice = state.choices[chosen]
        added += [*([choice.arm] if state.is_decision else []), *choice.values]
        made += state.is_decision
        if made == most:
            break
    for var, cells in zip(game.program.vars, vars, strict=True):
        added += values(var.type, cells)
    total = 0
    for value in added:
        total = (FACTOR * total + value) % PRIME
    return total


@pytest.mark.parametrize("program", [load(file).program for file in SMALL] + [nim(), pig(), hidden_coin()])
@pytest.mark.parametrize("most", [3, 500])
def test_every_choice_and_the_last_state_are_in_the_sum(program: k.Program, most: int) -> None:
    game, summing = Game(program), followed(program, most)
    assert problems(summing) == []
    play = player(summing)
    assert play is not None
    for seed in range(12):
        as_it_is = stepwise(game, seed, 0, most)
        decisions, _, outcomes, ending, told = play(seed, 0, most + 1)
        assert ending == "end"
        result = result_of(summing, *told)
        assert {keys[-1] for keys in result.scores.values()} == {summed(game, seed, most)}
        if summing.blocks[told[0]].name == CUT:
            assert decisions == most
        else:
            assert as_it_is.result is not None and result.places == as_it_is.result.places
            assert (decisions, outcomes) == (as_it_is.decisions, as_it_is.outcomes)
