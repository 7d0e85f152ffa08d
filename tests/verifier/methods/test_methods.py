"""Engines by themselves: each finds what is there, and no more."""

from __future__ import annotations

import re
from typing import Any

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.methods.invariants.solvers import Reading, StopSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.methods.search.random_search import confidence
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer

from tests.engine.build import num, op
from tests.rules import game_in
from tests.verifier.games import FILL, claim, goal, ring, with_claims


def context_of(program: k.Program) -> ProofContext:
    return ProofContext(Game(program), 10, lambda words: None)


@pytest.mark.parametrize(("name", "steps"), [("ladder", 8), ("greedy", None)])
def test_windowed_search_finds_only_what_is_there(name: str, steps: int | None) -> None:
    context = ProofContext(game_in(FILL.replace("0..23", "0..7").replace("12", "4")), 5, lambda words: None)
    found = context.windowed_search.search(goal(context, name), [8], Deadline(0.5))
    assert (found and len(found.steps)) == steps


def test_what_follows_from_counters_has_to_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random games would show at once which is wrong; they are not asked."""
    text = FILL.replace("0..23", "0..9").replace("12", "5")
    text += "    property loose: always len({c for c in Cell if mark[c] == ann}) <= 6\n"
    context = ProofContext(game_in(text), 4, lambda words: None)

    def candidate(name: str) -> Candidate:
        return Candidate(name, {block: -lit for block, lit in goal(context, name).states.items()}, True)

    even, fewer, loose = map(candidate, ("even", "fewer", "loose"))
    assert context.learning.learn([even, fewer]).keys() == {"even"}
    assert context.learning.follow([fewer, loose], Deadline(4)) == [loose]


def test_what_need_not_be_exact_has_its_time_where_sums_are_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exact answer keeps half of it for the exact reading; otherwise free sums have it all."""
    given: dict[bool, list[float]] = {True: [], False: []}
    context = ProofContext(game_in(FILL), 5, lambda words: None)
    lit = next(iter(goal(context, "even").states.values()))

    def ask(self: Reading, *args: Any) -> tuple[Answer, set[Candidate]]:
        given[exactly].append(round(args[3].left, -1))
        return Answer("unknown"), set()

    monkeypatch.setattr(Reading, "ask", ask)
    for exactly in (True, False):
        StopSolver(context.knowledge, context.moving[0]).excludes(lit, Deadline(400), exactly)
    assert given == {True: [200, 400], False: [400]}


@pytest.mark.parametrize("games", [5, 100, 3000])
def test_what_random_games_say_is_exact_and_no_more(games: int) -> None:
    """If one game in so many has a hit, 1 time in 100 at most none is seen; not so of one in more."""
    rarity = int(re.findall(r"1 in (\d+)", confidence(games))[0])
    assert (1 - 1 / rarity) ** games <= 0.01 < (1 - 1 / (rarity + 1)) ** games


def test_induction_over_several_steps() -> None:
    context = context_of(ring())
    never = goal(context, "never_seven")
    outcomes = [context.induct(never, length, Deadline(10)) for length in (1, 2, 3, 4)]
    assert [status for status, _ in outcomes] == ["sat", "sat", "sat", "unsat"]
    window = outcomes[0][1]
    assert window is not None
    assert len(window) == 2


def test_what_is_known_is_kept_for_the_evidence_of_several_steps() -> None:
    context = context_of(ring())
    knowledge, (go,) = context.knowledge, context.moving
    knowledge.add([Fact(go, context.transitions.terms.var("known"), "known")])
    never = goal(context, "never_seven")
    for length, rests in ((1, False), (4, True)):
        context.induct(never, length, Deadline(10))
        assert bool(knowledge.rested.get(go)) == rests


def test_bounded_search_finds_the_shortest_game_or_none() -> None:
    number = k.Load(ring().vars[0].type, 0)
    claims = [claim(f"at{n}", "possible", op("eq", number, num(n))) for n in (2, 7)]
    context = context_of(with_claims(ring(), claims))
    two, seven = (
        [(depth, game and game.steps) for depth, game in context.bounded.search(wanted, 0, 5, Deadline(10))]
        for wanted in (goal(context, "at2"), goal(context, "at7"))
    )
    assert two == [(0, None), (1, None), (2, ("go", "go"))]
    assert seven == [(depth, None) for depth in range(6)]


TWICE = """
    game "Twice"
    players ann
    state:
        x: 0..9 = 0
    rules:
        choose first(n in 0..2) by ann
        x += n
        choose second(n in 0..2) by ann
        x += n
        MORE
        end win(ann)
    property met: never x == SUM
"""


@pytest.mark.parametrize(
    ("total", "more", "steps", "whole"),
    [
        ("5", "pass", None, True),
        ("4", "pass", ("first(2)", "second(2)"), False),
        ("5", "while x < 9: choose wait by ann", None, False),  # for ever
    ],
)
def test_bounded_search_is_a_proof_only_where_every_game_ends(
    total: str, more: str, steps: tuple[str, ...] | None, whole: bool
) -> None:
    context = ProofContext(game_in(TWICE.replace("SUM", total).replace("MORE", more)), 5, lambda words: None)
    found, _, complete = context.deepen(goal(context, "met"), Deadline(0.5))
    assert (found and found.steps, complete) == (steps, whole)
