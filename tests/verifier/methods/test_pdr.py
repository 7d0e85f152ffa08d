"""Property-directed reachability: what Spacer finds is read back, and proved before it is believed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants import pdr
from kemu_verifier.methods.invariants.pdr import Reader, Unread, invariant
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.strategy import learning, strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Terms
from kemu_verifier.symbolic.wording import Wording

from tests.rules import game_in
from tests.verifier.games import goal

RELAY = (Path(__file__).parents[2] / "gallery" / "relay.kemu").read_text("utf-8")
LEAKY = RELAY.replace("g - 1 in open", "g == 8")
UNSEEN = """    if 8 not in open:
        end tie
    end win(ann)"""
MEASURE = """            measure:
                gap = east - north
            go:"""
WALK = """game "Walk"
players ann
state:
    east: 0..999 = 0
    north: 0..999 = 0
rules:
    while east < 999:
        choose by ann:
            go:
                east += 1
            turn if north < east:
                north += 1
    end tie
property under: never north > east
property level: never north == 3 and east == 3
"""


def context_of(text: str) -> ProofContext:
    return ProofContext(game_in(text), 10, lambda words: None)


@pytest.mark.slow
def test_a_chain_that_is_longer_than_any_window_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)  # there are too many to search them
    (verdict,) = verify(game_in(RELAY), ["in_order"], seconds=8)
    assert verdict.kind == "proved"
    assert verdict.by == "property-directed reachability, its invariant proved by 1-induction"
    assert re.search(r"\d in open or \d not in open", verdict.detail)


def test_it_looks_at_what_the_claim_depends_on_and_nothing_else() -> None:
    context = context_of(RELAY)
    found = invariant(context.knowledge, context.edges, goal(context, "in_order"), Deadline(60))
    assert found is not None
    terms = context.transitions.terms
    names = [terms.names.get(node, "") for node in terms.cone(found.lits.values())]
    assert any("open" in name for name in names)
    assert not any("burning" in name for name in names)


def test_numbers_are_compared_too() -> None:
    context = context_of(WALK)
    assert context.learning.property_directed(goal(context, "under"), Deadline(60))
    assert "east + 1 > north" in context.knowledge.told()


@pytest.mark.parametrize(("text", "name"), [(WALK, "level"), (LEAKY, "in_order")])
def test_what_can_be_reached_has_no_invariant(text: str, name: str) -> None:
    context = context_of(text)
    assert not context.learning.property_directed(goal(context, name), Deadline(10))


def test_a_stop_that_no_step_leads_to_may_be_anything() -> None:
    context = context_of(RELAY.replace("    end win(ann)", UNSEEN))
    assert context.learning.property_directed(goal(context, "in_order"), Deadline(60))


@pytest.mark.parametrize(("guard", "safe"), [("north < east", True), ("north < 999", False)])
def test_what_a_step_does_is_a_goal_too(guard: str, safe: bool) -> None:
    """That a distance is measured that is none is a fault."""
    text = WALK.replace("    north: 0", "    gap: 0..999 = 0\n    north: 0").replace("north < east", guard)
    context = context_of(text.replace("            go:", MEASURE))
    reading = next(q.goal for q in questions(context.program, True) if q.name == "no_fault")
    assert reading is not None
    faults = reading(context.transitions)
    assert any(lit != FALSE for lit in faults.steps.values())
    assert context.learning.property_directed(faults, Deadline(60)) is safe


HOUSE = """game "House"
players ann, bob
enum Room: cellar, hall, attic
domain Place = grid(1..12, 1..12)
state:
    room: Room = hall
    lamp: bool = false
    key: map[Player, Room?]
    steps: 0..999 = 0
    place: Place = (1, 1)
rules:
    while steps < 999:
        choose by ann:
            go(r in Room):
                room = r
                steps += 1
            run(q in Place):
                place = q
                lamp = not lamp
                key[bob] = room
    end tie
"""


def test_a_clause_is_told_as_its_author_would_write_it() -> None:
    context = context_of(HOUSE)
    layout, terms = context.transitions.layout, context.transitions.terms
    words = Wording(context.transitions, context.moving[0])
    room, lamp, key, steps, place = layout.vars[:5]
    rooms, keys = dict(room.pairs), dict(key[1].pairs)
    assert words.said(rooms[1]) == "room == hall" and words.said(-rooms[1]) == "room != hall"
    assert words.said(terms.either(-rooms[2], lamp)) in ("room != attic or lamp", "lamp or room != attic")
    dark = terms.both(rooms[0], -lamp)
    assert words.said(dark) in ("room == cellar and not lamp", "not lamp and room == cellar")
    assert words.said(keys[-1]) == "key[bob] == none"
    beyond = terms.le0(Lin(300, ((-2, steps.terms[0][1]),)))
    assert words.said(beyond) == "2 * steps > 299" and words.said(-beyond) == "2 * steps <= 299"
    assert words.said(terms.either(terms.both(lamp, rooms[0]), beyond)).count("(") == 1
    assert words.said(terms.le0(Lin(-7, ((1, place.terms[0][1]),)))) == ""  # numbers of places say nothing


def test_what_spacer_says_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(RELAY.replace("g - 1 in open", "g == 8"))
    bad = goal(context, "in_order").states
    monkeypatch.setattr(
        learning, "invariant", lambda *_: Candidate("", {b: -lit for b, lit in bad.items()}, True)
    )
    assert not context.learning.property_directed(goal(context, "in_order"), Deadline(10))


def test_large_programs_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdr, "MOST", 10)
    context = context_of(RELAY)
    assert invariant(context.knowledge, context.edges, goal(context, "in_order"), Deadline(10)) is None


# reading back

P, Q, X, Y = z3.Bool("p"), z3.Bool("q"), z3.Int("x"), z3.Int("y")
NUMBERS = st.recursive(
    st.sampled_from([X, Y]) | st.integers(-3, 3).map(z3.IntVal),
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a - b, inner, inner),
        st.builds(lambda n, a: z3.IntVal(n) * a, st.integers(-2, 2), inner),
        st.builds(lambda a: -a, inner),
        st.builds(lambda a, b: z3.If(P, a, b), inner, inner),
    ),
    max_leaves=6,
)
COMPARED = st.sampled_from(
    [
        lambda a, b: a <= b,
        lambda a, b: a < b,
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a >= b,
        lambda a, b: a > b,
    ]
)
TRUTHS = st.recursive(
    st.sampled_from([P, Q, z3.BoolVal(True), z3.BoolVal(False)])
    | st.builds(lambda how, a, b: how(a, b), COMPARED, NUMBERS, NUMBERS),
    lambda inner: st.one_of(
        st.builds(z3.And, inner, inner),
        st.builds(z3.Or, inner, inner),
        st.builds(z3.Not, inner),
        st.builds(z3.Implies, inner, inner),
        st.builds(z3.Xor, inner, inner),
        st.builds(lambda a, b: a == b, inner, inner),
        st.builds(z3.If, inner, inner, inner),
    ),
    max_leaves=8,
)


@given(TRUTHS, st.booleans(), st.booleans(), st.integers(0, 4), st.integers(0, 4))
def test_an_expression_means_the_same_when_it_is_read_back(
    made: z3.BoolRef, p: bool, q: bool, x: int, y: int
) -> None:
    terms = Terms()
    nodes = [terms.var("p"), terms.var("q"), terms.ivar("x", 0, 4), terms.ivar("y", 0, 4)]
    reader = Reader(terms, {each.get_id(): node for each, node in zip((P, Q, X, Y), nodes, strict=True)})
    values = Valuation(terms, dict(zip(nodes, (p, q, x, y), strict=True)))
    put = z3.substitute(made, *zip((P, Q, X, Y), map(value, (p, q, x, y)), strict=True))
    assert values.lit(reader.lit(made)) == z3.is_true(z3.simplify(put))


def value(plain: int) -> z3.ExprRef:
    return z3.BoolVal(plain) if isinstance(plain, bool) else z3.IntVal(plain)


def test_what_has_no_counterpart_is_no_invariant() -> None:
    terms = Terms()
    reader = Reader(terms, {X.get_id(): terms.ivar("x", 0, 4)})
    for made in (X % 2 == 0, Y == 1, z3.ForAll([X], X > 0)):
        with pytest.raises(Unread):
            reader.lit(made)
    assert reader.lit(z3.BoolVal(True)) == TRUE
