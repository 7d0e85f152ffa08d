"""Loops in which play can go on for ever: whose choices they need, and which is shown."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.methods.termination.lasso import find_loop, kept_up, region_of
from kemu_verifier.strategy import context
from kemu_verifier.strategy.loops import Loops
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in
from tests.verifier.strategy.asking import comes_back, large, verdicts

pytestmark = pytest.mark.slow


WHO = """
    game "Who"
    players ann, bob
    state:
        turned: 0..3 = 0
        shut: bool
    rules:
        for p in turns():
            choose:
                turn if not shut:
                    turned = (turned + 1) % 4
                leave if p == bob:
                    end win(p)
                quit if p == ann and turned == 2:
                    end win(p)
                lock if turned == 3 and LOCK:
                    shut = true
                wait if shut:
                    pass
    property ends: terminates
"""


def who(lock: bool) -> Game:
    text = WHO.replace("LOCK", str(lock).lower())
    return game_in(text.replace("leave if p == bob:", "leave if p == bob and not shut:"))


def test_a_forced_loop_is_told_from_one_that_can_be_left() -> None:
    forced, optional = (verdicts(who(lock), "ends")["ends"] for lock in (True, False))
    assert "forced: from some reachable state on no choice leads to an end" in forced.detail
    assert set((forced.steps or ())[-2:]) <= {"lock", "wait"}
    assert "optional: ann and bob together can keep play going" in optional.detail
    assert comes_back(who(True), forced) and comes_back(who(False), optional)


ALONE = """
    game "Alone"
    players ann, bob, cid
    state:
        at: 0..1 = 0
    rules:
        for p in turns():
            choose:
                give if p == ann:
                    at = 1 - at
                take if p != ann and at == 1:
                    end win(p)
                sit if p != ann:
                    pass
    property ends: terminates
"""


def test_it_is_said_whose_choices_are_needed() -> None:
    """Ann plays first: without her `give` nobody can take. Bob and cid cannot end it before."""
    ends = verdicts(game_in(ALONE), "ends")["ends"]
    assert "bob and cid together can keep play going whatever the others do" in ends.detail


EITHER = """
    game "Either"
    players ann, bob
    state:
        at: 1..4 = 1
    rules:
        choose by ann:
            mine:
                pass
            yours:
                at = 4
        while true:
            choose by ann if at < 4 else bob:
                on:
                    at = at if at == 4 else at % 3 + 1
                leave:
                    end tie
    property ends: terminates
"""


def test_of_several_who_can_keep_play_going_the_shortest_loop_is_shown() -> None:
    """Ann's loop has three steps, bob's one."""
    ends = verdicts(game_in(EITHER), "ends")["ends"]
    assert "ann alone or bob alone can keep play going" in ends.detail
    assert ends.steps == ("yours", "on") and "no loop of the kind is shorter" in ends.by


def test_the_shortest_loop_of_the_graph() -> None:
    game = who(False)
    graph = explore(Steps(game), 1000, Deadline(5))
    loop = find_loop(region_of(graph), game.program.players, Deadline(5))
    assert loop is not None and loop.shortest
    assert (len(loop.way), len(loop.round)) == (0, 4)
    assert kept_up(region_of(graph), ()) == set()


def test_nothing_is_forced_where_not_all_ways_are_known() -> None:
    game = who(True)
    part = region_of(explore(Steps(game), 2, Deadline(5)))
    assert not part.whole and kept_up(part, (0, 1)) == set()


@pytest.mark.parametrize(("games", "by"), [(100, "simulation"), (0, "bounded model checking")])
def test_a_loop_in_a_large_game(games: int, by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By random games that come back to a state, else by all plays of a length at once."""
    large(monkeypatch)
    if not games:
        monkeypatch.setattr("kemu_verifier.strategy.context.plays", lambda *_: [])
    ends = verdicts(who(True), "ends")["ends"]
    assert ends.kind == "refuted" and ends.by.startswith(by) and comes_back(who(True), ends)
    assert "forced" in ends.detail


@pytest.mark.parametrize(("more", "depth", "loop"), [("laps += 1", 4, False), ("pass", 2, True)])
def test_bounded_search_takes_no_other_state_for_the_same(
    more: str, depth: int, loop: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    large(monkeypatch)
    text = """
        game "Laps"
        players ann, bob
        state:
            at:   0..1 = 0
            laps: 0..4 = 0
        rules:
            for p in turns():
                choose turn
                at = 1 - at
                MORE
                if laps == 4:
                    end tie
    """
    one = context.ProofContext(game_in(text.replace("MORE", more)), 5, lambda words: None)
    one.plays = []
    loops = Loops(one)
    assert loops.found(Deadline(1)) is None
    assert loops.search(Deadline(3)) == depth
    assert (loops.found(Deadline(1)) is not None) == loop


def test_states_with_other_histories_are_not_taken_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    large(monkeypatch)
    monkeypatch.setattr("kemu_verifier.strategy.context.plays", lambda *_: [])
    game = game_in("""
        game "Noted"
        players ann, bob
        state:
            x: 0..2
            history seen of x
        rules:
            for p in turns():
                note seen
                choose:
                    up if x < 2:
                        x += 1
                    down if x > 0:
                        x -= 1
                    stop:
                        end win(p)
    """)
    assert verdicts(game, "terminates", seconds=4)["terminates"].kind in ("unknown", "refuted")
