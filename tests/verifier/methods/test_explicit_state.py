"""The graph of all states by WebAssembly is that of exhaustive search: moves, lines, faults, arms, claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu.base.opening import load
from kemu_engine.batch.state_graph import Reached
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_engine.run.wasm.emit.predicates import Condition
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.symbolic.deadline import Deadline

pytest.importorskip("wasmtime")

WITH_HISTORY = ("repetition.kemu",)  # these are explored by Python alone
GALLERY = sorted((Path(__file__).parents[2] / "gallery").glob("*.kemu"))
GALLERY = [file for file in GALLERY if file.name not in WITH_HISTORY]
MOST = 5_000


def both(game: Game) -> None:
    claims = [each for each in game.program.properties if each.form in ("always", "never", "possible")]
    conditions = [
        Condition(each.exprs[0], each.form != "always", frozenset(each.blocks) or None) for each in claims
    ]
    steps = Steps(game)
    fast = Reached(game, conditions, noting=steps._machine.program)
    slow = explore(steps, MOST, Deadline(30.0))
    for _ in fast.grow(MOST):
        pass
    if fast.lost or not slow.complete:
        return
    assert fast.complete and fast.count == len(slow.states)
    faults = {(state, choice): fault for state, choice, fault in slow.faults}
    targets = []
    for state, edges in enumerate(slow.edges):
        targets += [to if to >= 0 else -1 - faults[state, choice] for choice, to in edges]
    assert fast.targets.tolist() == targets
    assert [len(fast.successors(number)) for number in range(fast.count)] == list(map(len, slow.edges))
    ends = steps.mask(each.exit.origin for each in game.program.blocks if isinstance(each.exit, k.End))
    noted, lines = (
        [(state, choice, met & ~ends) for state, choice, met in found if met & ~ends]
        for found in (fast.notes(), slow.lines)
    )
    assert noted == lines
    arms: dict[tuple[int, int], int] = {}
    for number, each in enumerate(slow.states):
        assert number > 100 or fast.state(number) == each
        for choice in each.choices:
            arms.setdefault((each.block, choice.arm), number)
    assert fast.arms() == arms
    for number, condition in enumerate(conditions):
        found = slow.first(
            lambda state, c=condition: c.here(state.block) and state.evaluate(c.expr) == c.wanted,  # type: ignore[misc]
            Deadline(30.0),
        )
        assert fast.first(number) == found


@pytest.mark.parametrize("file", GALLERY, ids=lambda file: file.stem)
def test_the_gallery(file: Path) -> None:
    both(load(file))


def test_a_reduced_game() -> None:
    both(load("mahe", lagoon="pond"))
