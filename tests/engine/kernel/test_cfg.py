"""Where blocks lead, what flows along the ways, and how the graph is cut into regions."""

from __future__ import annotations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import chosen, edges, onward, reached, retargeted, stops_from, targets
from kemu_engine.kernel.dataflow import backward, forward
from kemu_engine.kernel.liveness import needed, perhaps_set
from kemu_engine.kernel.regions import Regions

from tests.engine.build import Builder, num, op


def program() -> tuple[k.Program, int, int]:
    """0 sets x and comes to the decision 1, that sets y; 2 reads both, and ends (3) or goes back (0). If
    nothing can be done at 1, the game ends."""
    b = Builder()
    score = b.var("score", k.Int(0, 9), (0, 0))
    x, y = b.local("x", k.Int(0, 2)), b.local("y", k.Int(0, 2))
    b.block([k.Assign(x, num(1))], k.Goto(1))
    take = b.arm("take", 2, b.param("y", y, b.domain("a", "b", "c")))
    b.block([], b.decide("go", num(0), take, other=3), name="go", live=(x,))
    more = op("lt", op("add", b.get(x), b.get(y)), num(3))
    b.block([k.Put(score, num(0), b.get(y))], k.Split(more, 0, 3))
    b.block([], k.End("win"), name="end")
    return b.program(0, score), x, y


def test_a_decision_leads_on_by_its_arms_and_where_nothing_can_be_done() -> None:
    made, _, y = program()
    exit = made.blocks[1].exit
    assert targets(exit) == [2, 3] and chosen(exit) == [2] and onward(exit) == [3]
    assert [edge.sets for edge in edges(exit)] == [{y}, frozenset()]


def test_an_end_leads_nowhere() -> None:
    made, _, _ = program()
    assert targets(made.blocks[3].exit) == []


def test_all_that_a_decision_leads_to_may_be_renumbered() -> None:
    made, _, _ = program()
    assert targets(retargeted(made.blocks[1].exit, {2: 7, 3: 8})) == [7, 8]


@pytest.mark.parametrize(("start", "stops"), [(0, {1, 3}), (1, {1, 3}), (2, {1, 3}), (3, {3})])
def test_the_stops_that_a_block_may_lead_to(start: int, stops: set[int]) -> None:
    made, _, _ = program()
    assert stops_from(made, start) == stops


def test_what_is_reached_comes_once_the_starts_first() -> None:
    ways = {0: [2, 1], 1: [0], 2: [1, 3], 3: []}
    assert reached([1, 0], ways.__getitem__) == [1, 0, 2, 3]


def test_needed_locals_flow_back_but_not_past_what_sets_them() -> None:
    made, x, y = program()
    assert needed(made) == [frozenset(), {x}, {x, y}, frozenset()]


def test_set_locals_flow_on_as_far_as_a_stop_keeps_them() -> None:
    made, x, y = program()
    assert perhaps_set(made) == [{x, y}, {x, y}, {x, y}, {x, y}]


def test_dataflow_comes_to_rest_on_circles() -> None:
    made, _, _ = program()
    there = [frozenset({number}) for number in range(4)]
    assert backward(made, lambda number, onward: onward | there[number])[0] == {0, 1, 2, 3}
    found = forward(made, lambda number, entry: entry | there[number], lambda edge: frozenset())
    assert found[3] == {0, 1, 2} and found[0] == {0, 1, 2}


def test_regions_begin_behind_stops_and_where_ways_meet() -> None:
    made, _, _ = program()
    assert Regions(made.blocks, made.entry, fused=False).heads == {0, 2, 3}


def test_ways_that_part_and_meet_again_are_one_region() -> None:
    made, _, _ = program()
    found = Regions(made.blocks, made.entry, fused=True)
    assert found.heads == {0} and found.merge(1) == 3 and found.jumps == {(2, 0)}


def test_empty_blocks_that_only_lead_on_are_passed() -> None:
    b = Builder()
    score = b.var("score", k.Int(0, 9), (0, 0))
    for number in range(3):
        b.block([], k.Goto(number + 1))
    b.block([], k.End("tie"), name="end")
    made = b.program(0, score)
    assert Regions(made.blocks, made.entry, fused=False).entry == 3
