"""The gallery: a tiny game for each verdict and each fault, and what exactly must come out.

A game's own comment says what it shows. Whatever is not in the tables below must be as hoped for: claims and
the questions asked of every game proved, `possible` ones possible.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from kemu.base.opening import load
from kemu_engine.batch.explore import explore
from kemu_engine.batch.perft import perft
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import learning, strategy
from kemu_verifier.strategy.verify import verify

from tests.engine.games import hidden_coin, nim
from tests.instances import grouped
from tests.rules import game_in
from tests.soak import as_far
from tests.verifier.games import ladder, noughts

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
GAMES = sorted(path.stem for path in HERE.glob("*.kemu"))
DEFINITE = ("proved", "refuted", "possible", "impossible")
SECONDS = 20
"""For a question: more than ten times what is enough, so that no verdict tells how fast the machine is."""
SHORT = 2
"""For a question that takes what it is given, be a tenth of it enough."""
GREEDY = {"needs_lemma": SHORT, "not_inductive": SHORT, "relay": 8}
"""Games with such questions: a loop is looked for that is still shorter, a proof or a play where none is."""

VERDICTS: dict[str, dict[str, str]] = {
    "bad_index": {"no_fault": "refuted"},
    "beginning": {"the_lead": "refuted", "one": "refuted"},
    "dead_action": {
        "action_possible(castle)": "impossible",
        "branch_possible(dead_action.kemu 11)": "impossible",
    },
    "dead_branch": {"branch_possible(dead_branch.kemu 11)": "impossible"},
    "empty_draw": {"no_fault": "refuted", "result_determined": "not applicable"},  # it ends in ties only
    "empty_min": {"no_fault": "refuted"},
    "forced_loop": {"terminates": "refuted", "way_out": "refuted"},
    "kuhn": {"result_determined": "not applicable"},  # payoffs
    "leak": {"informed": "refuted"},
    "leaps": {"three_at_most": "refuted"},
    "lost_for_ever": {"finishable": "refuted"},
    "missing_value": {"no_fault": "refuted"},
    "needs_lemma": {"terminates": "refuted"},
    "not_inductive": {"never_three": "not inductive", "terminates": "unknown"},
    "optional_loop": {"terminates": "refuted"},
    "out_of_range": {"no_fault": "refuted"},
    "overfull_bag": {"no_fault": "refuted"},
    "overfull_list": {"no_fault": "refuted"},
    "overrun": {"no_fault": "refuted"},
    "pig": {"terminates": "refuted"},
    "relay": {"terminates": "refuted", "result_determined": "not applicable"},  # nobody to play against
    "silent_loop": {"no_fault": "refuted"},
    "stuck": {"never_stuck": "refuted", "result_determined": "not applicable"},  # it never ends
    "three": {"result_determined": "refuted"},
    "together": {"result_determined": "refuted"},  # the first place is shared
    "true_by_search": {"terminates": "refuted"},
    "two_winners": {"one_winner": "refuted"},
    "undetermined": {"decided": "refuted", "result_determined": "refuted"},
}
"""Every verdict that is not the one hoped for."""

SHORTEST: dict[str, dict[str, int]] = {
    "empty_draw": {"no_fault": 7},
    "leak": {"informed": 1},
    "pig": {"ann_can_win": 5},
    "stuck": {"never_stuck": 2},
    "three": {"result_determined": 3, "cid_out": 5},
    "two_winners": {"one_winner": 4},
    "undetermined": {"decided": 2},
}
"""How many steps the shortest game that shows it has."""

FAULTS: dict[str, tuple[str, int]] = {
    "bad_index": ("bad_index", 1),
    "empty_draw": ("empty_draw", 7),
    "empty_min": ("empty_min", 3),
    "missing_value": ("missing_value", 1),
    "out_of_range": ("out_of_range", 3),
    "overfull_bag": ("overfull", 3),
    "overfull_list": ("overfull", 4),
    "overrun": ("overrun", 1),
    "silent_loop": ("silent_loop", 2),
    "stuck": ("stuck", 2),
}
"""The fault that a game runs into, and after how many steps at the earliest."""

LOOPS = {"forced_loop", "optional_loop", "pig", "true_by_search"}
LARGE = {"needs_lemma", "not_inductive", "relay"}  # too large to be searched whole
SEARCHED = 1_000
"""States of a large game that are searched."""


KERNELS = {"nim": nim, "hidden coin": hidden_coin, "noughts": noughts, "ladder": ladder}
SMALL = [*GAMES, "../kemu/games/coin", "../kemu/games/crosses", "../kemu/games/race", *KERNELS]
"""Small games beyond the gallery too: programs that were not made from a text among them."""


def game_of(name: str) -> Game:
    return Game(KERNELS[name]()) if name in KERNELS else load(HERE / f"{name}.kemu")


@cache
def verdicts(name: str) -> dict[str, Verdict]:
    states = SEARCHED if name in LARGE else strategy.STATES
    with patch.object(strategy, "STATES", states):
        found = verify(game_of(name), seconds=GREEDY.get(name, SECONDS))
        return {v.property: v for v in found}


# what comes out


@pytest.mark.parametrize("name", grouped(GAMES))
def test_each_game_gets_exactly_its_verdicts(name: str) -> None:
    surprising = {q: v.kind for q, v in verdicts(name).items() if v.kind != hoped(v)}
    assert surprising == VERDICTS.get(name, {})


def hoped(v: Verdict) -> str:
    return "possible" if v.form == "possible" else "proved"


@pytest.mark.parametrize("name", grouped(SHORTEST))
def test_the_game_that_shows_it_is_a_shortest_one(name: str) -> None:
    found = {q: len(verdicts(name)[q].steps or ()) for q in SHORTEST[name]}
    assert found == SHORTEST[name]


@pytest.mark.parametrize("name", grouped(GAMES))
def test_traces_lead_where_they_should(name: str) -> None:
    """Every step is possible; where a fault was asked for, the last one faults."""
    for question, verdict in verdicts(name).items():
        if not verdict.steps:
            continue
        state = game_of(name).initial()
        for step in verdict.steps[:-1]:
            state = state.apply(step)
        if question in ("no_fault", "never_stuck"):
            with pytest.raises(FaultError):
                state.apply(verdict.steps[-1])
        elif not question.startswith("branch_possible"):
            state.apply(verdict.steps[-1])


@pytest.mark.parametrize("name", grouped(as_far(5, [*SMALL[::2], *SMALL[1::2]])))
def test_no_engine_contradicts_another(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without random games and exhaustive search less may be found out, but nothing else, and not nothing."""
    complete = verdicts(name)  # found with all that there is, and kept: so before anything is switched off
    monkeypatch.setattr(strategy, "PLAYS", 0)
    monkeypatch.setattr(strategy, "STATES", 0)
    own = [v.property for v in complete.values() if not v.standard]
    asked = [*own, "no_fault", "never_stuck", "result_determined", "action_possible", "informed", "no_leak"]
    found = list(verify(game_of(name), asked, seconds=0.4))
    for verdict in found:
        known = complete[verdict.property]
        assert verdict.kind in (known.kind, "unknown", "not inductive", "holds to depth", "sampled")
    assert any(
        verdict.kind in DEFINITE for verdict in found if verdict.property not in ("informed", "no_leak")
    )


@pytest.mark.parametrize(
    "name", grouped(["dead_branch", "stuck", "three", "tic_tac_toe", "two_winners", "undetermined"])
)
def test_games_end_without_seeing_all_states(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "PLAYS", 0)
    monkeypatch.setattr(strategy, "STATES", 0)
    (verdict,) = verify(game_of(name), ["terminates"], seconds=SECONDS)
    assert verdict.kind == "proved" and "ranking" in verdict.by


def test_a_property_asked_for_by_name_still_has_its_lemmas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", SEARCHED)
    found = verify(game_of("needs_lemma"), ["never_broke"], seconds=SHORT)
    (verdict,) = (v for v in found if v.property == "never_broke")
    assert verdict.kind == "proved"


def test_a_lemma_makes_the_difference_or_spacer_finds_one(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (HERE / "needs_lemma.kemu").read_text()
    without = "\n".join(line for line in text.splitlines() if not line.startswith("lemma"))
    monkeypatch.setattr(strategy, "STATES", SEARCHED)
    kinds = [v.kind for v in verify(game_in(text), ["covered", "never_broke"], seconds=SHORT)]
    assert kinds == ["proved", "proved"]
    (found,) = verify(game_in(without), ["never_broke"], seconds=SHORT)
    assert (found.kind, found.by.split(",")[0]) == ("proved", "property-directed reachability")
    monkeypatch.setattr(learning.Learning, "property_directed", lambda *_: False)
    (alone,) = verify(game_in(without), ["never_broke"], seconds=0.5)
    assert alone.kind in ("not inductive", "holds to depth", "sampled")


def test_mandatory_and_optional_loops_are_told_apart() -> None:
    words = {name: verdicts(name)["terminates"].detail for name in ("forced_loop", "optional_loop", "pig")}
    assert "forced" in words["forced_loop"]
    assert "optional" in words["optional_loop"]
    assert "probability one" in words["pig"]


# against a search of our own


@dataclass
class Graph:
    """All reachable states of a small game; `faults`: code and number of steps, nearest first."""

    after: dict[State, list[State]] = field(default_factory=dict)
    faults: list[tuple[str, int]] = field(default_factory=list)
    actions: set[str] = field(default_factory=set)


@cache
def search(name: str) -> Graph:
    graph, start = Graph(), game_of(name).initial()
    waiting, graph.after[start] = deque([(start, 0)]), []
    while waiting:
        state, steps = waiting.popleft()
        for move in state.moves():
            if state.is_decision:
                graph.actions.add(move.name)
            try:
                after = state.apply(move)
            except FaultError as fault:
                graph.faults.append((fault.code, steps + 1))
                continue
            graph.after[state].append(after)
            if after not in graph.after:
                graph.after[after] = []
                waiting.append((after, steps + 1))
    return graph


def circles(graph: Graph) -> bool:
    """Whether a state can come back: one is left when those without successors are taken away for good."""
    sources: dict[State, list[State]] = {}
    left = {state: len(after) for state, after in graph.after.items()}
    for state, after in graph.after.items():
        for other in after:
            sources.setdefault(other, []).append(state)
    waiting = [state for state, many in left.items() if many == 0]
    while waiting:
        for state in sources.get(waiting.pop(), ()):
            left[state] -= 1
            if left[state] == 0:
                waiting.append(state)
    return any(left.values())


@pytest.mark.parametrize("name", grouped([n for n in GAMES if n not in LARGE]))
def test_verdicts_agree_with_a_search_of_all_states(name: str) -> None:
    graph = search(name)
    assert graph.faults[:1] == ([FAULTS[name]] if name in FAULTS else [])
    assert circles(graph) == (name in LOOPS)
    found = verdicts(name)
    stuck, other = partition(code == "stuck" for code, _ in graph.faults)
    assert (found["never_stuck"].kind, found["no_fault"].kind) == (refuted(stuck), refuted(other))
    assert found["terminates"].kind == refuted(circles(graph))
    dead = {q for q, v in found.items() if q.startswith("action_possible") and v.kind == "impossible"}
    assert dead == {q for q in found if q.startswith("action_possible") and arm(q) not in graph.actions}


def partition(tests: Iterable[bool]) -> tuple[bool, bool]:
    """Whether any holds, and whether any does not."""
    seen = set(tests)
    return True in seen, False in seen


def refuted(bad: bool) -> str:
    return "refuted" if bad else "proved"


def arm(question: str) -> str:
    return question.split("(")[1].rstrip(")").split(": ")[-1]


# numbers that others have counted


def test_tic_tac_toe_has_5478_positions_and_255168_games() -> None:
    *_, found = explore(game_of("tic_tac_toe"))
    assert (found.count, found.depth, found.complete) == (5478, 9, True)
    assert sum(each.ended for each in perft(game_of("tic_tac_toe"), 9) if each) == 255_168


def test_kuhn_poker_has_thirty_ways_to_end() -> None:
    """Six deals, five ways to bet (Kuhn 1950); what a player wins the other loses."""
    assert sum(each.ended for each in perft(game_of("kuhn"), 9) if each) == 30
    for state in search("kuhn").after:
        if state.result is not None:
            assert sorted(abs(s) for (s,) in state.result.scores.values()) in ([1, 1], [2, 2])
            assert sum(s for (s,) in state.result.scores.values()) == 0


def test_kuhn_poker_hides_the_other_card() -> None:
    state = game_of("kuhn").initial().apply("1").apply("3")
    seen: list[Any] = [state.observation(p)["vars"] for p in state.program.players]
    assert [list(v["card"].values()) for v in seen] == [["1", "?"], ["?", "3"]]
    assert all(set(v["deck"].values()) == {"?"} for v in seen)


def test_three_players_take_turns_from_the_one_named() -> None:
    state = game_of("three").initial()
    actors = []
    for _ in range(4):
        actors.append(state.actor)
        state = state.apply("take(1)")
    assert actors == ["bob", "cid", "ann", "bob"]
    end = state.apply("take(2)").apply("take(1)")
    assert end.result is not None and end.result.winners == ("bob", "cid")
    assert end.result.places == {"ann": 3, "bob": 1, "cid": 1}
