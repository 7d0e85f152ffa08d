"""The prover's terms, written as expressions of the kernel, have the values that they had."""

from pathlib import Path

import pytest
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.linear_features import features, sums_in
from kemu_verifier.methods.invariants.templates import Samples, candidates
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.transition import Transitions

from tests.kemu.conftest import CELLS
from tests.rules import game_in
from tests.verifier.evidence.written import value

MIXED = """
    game "Mixed"
    domain Cell = 0..3
    enum Piece: man, king
    players ann, bob
    state:
        board: map[Cell, Piece?]
        free:  set[Cell] = Cell
        purse: map[Player, 0..900] = {p: 7 for p in Player}
        due:   bool
    rules:
        for p in turns():
            for n in 1..2:
                choose:
                    put(c in free, m in Piece):
                        board[c] = m
                        free -= {c}
                        purse[p] += 3 * n
                    pay if purse[p] > 9:
                        purse[p] -= 4
                        due = not due
                    stop: end win(p)
    property some: always len(free) + sum(1 for c in Cell if board[c] != none) == 4
    property rich: always purse[ann] + 2 * purse[bob] <= 700 or due
"""


@pytest.mark.parametrize("text", [Path(CELLS).read_text("utf-8"), MIXED], ids=["cells", "mixed"])
@pytest.mark.parametrize("integers", [False, True])
def test_guesses_and_counters_have_the_same_values_in_random_plays(text: str, integers: bool) -> None:
    game = game_in(text)
    context = ProofContext(game, 3, lambda words: None)
    transitions = context.transitions = Transitions(game.program, integers=integers)
    goals = [q.goal(transitions) for q in questions(game.program, False) if q.goal is not None]
    sums = sums_in(transitions, [lit for goal in goals for lit in goal.states.values()])
    guesses = candidates(transitions, Samples(transitions, []), sums, Deadline(5)) or []
    guesses = [*guesses, *candidates(transitions, context.samples, sums, Deadline(5))]
    lits = {(block, lit) for guess in guesses for block, lit in guess.lits.items()}
    lits |= {(block, lit) for goal in goals for block, lit in goal.states.items()}
    numbers = [feature.value for feature in [*features(transitions), *sums]]
    roots = [lit for _, lit in lits] + [term for number in numbers for _, term in number.terms]
    made = Translation(transitions, Symbols(transitions), roots)
    assert len(lits) > 10
    for block, samples in context.samples.by_block.items():
        pairs = zip(samples[:6], context.samples.values[block], strict=False)
        for sample, values in pairs:
            for at, lit in lits:
                if at == block:
                    found = value(sample.state, made.lit(lit), made.definitions, sample.decisions)
                    assert found == values.lit(lit)
            for number in numbers:
                found = value(sample.state, made.lin(number), made.definitions, sample.decisions)
                assert found == values.lin(number)
