"""Whether play ends, always or nearly always, and whether something stays possible: on games small enough to
be searched whole, and on the same kind of game too large for it."""

from __future__ import annotations

import time

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.replay import replay
from kemu_engine.play.steps import Steps
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.methods.termination.lasso import find_loop, kept_up, region_of
from kemu_verifier.strategy import context, learning, strategy
from kemu_verifier.strategy.loops import Loops
from kemu_verifier.strategy.portfolio_safety import Asked
from kemu_verifier.strategy.portfolio_termination import Ending
from kemu_verifier.strategy.verify import Effort, verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in

pytestmark = pytest.mark.slow


def verdicts(game: Game, *names: str, seconds: float = 40) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game, names, seconds)}


def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no game is small enough to be searched whole."""
    monkeypatch.setattr(strategy, "STATES", 0)


def comes_back(game: Game, verdict: Verdict) -> bool:
    """Whether the trace of a verdict ends in a state in which it was before."""
    states = replay(game, verdict.steps or ()).states
    return states[-1] in states[:-1]


# ------------------------------------------------------------------------------------------ loops

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


# ------------------------------------------------------------------------------------------ rankings

SETS = """
    game "Sets"
    players ann, bob
    domain Token = 0..3
    state:
        left: map[Player, 0..9] = {p: 9 for p in Player}
    rules:
        for p in turns():
            for x in set(Token) in order of p:
                choose:
                    keep:
                        pass
                    lose if left[p] > 0:
                        left[p] -= 1
            if left[p] > 0:
                left[p] -= PRICE
            if left[p] == 0:
                end win(p)
    property ends: terminates
"""


def test_a_turn_inside_a_loop_over_a_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left of the set falls, and counters with a factor pay for a set that is full again."""
    monkeypatch.setattr(strategy, "STATES", 0)
    ends = verdicts(game_in(SETS.replace("PRICE", "1")), "ends")["ends"]
    assert ends.kind == "proved" and "rest of x" in ends.by and "left[ann]" in ends.by
    free = verdicts(game_in(SETS.replace("PRICE", "0")), "ends")["ends"]
    assert free.kind == "refuted" and "optional" in free.detail


SWAP = """
    game "Swap"
    players ann
    state:
        a: 0..300 = 100
        b: 0..300 = 100
    rules:
        while a + b > 0:
            choose by ann:
                swap if a > 1 and b < 290:
                    a -= 2
                    b += GAIN
                lose if b > 0:
                    b -= 1
                drop if a > 0 and b < 290:
                    a -= 1
                    b += 1
                turn if a < 290 and b > 2:
                    b -= 3
                    a += 1
        end tie
    property ends: terminates
"""


def test_a_sum_of_counters(monkeypatch: pytest.MonkeyPatch) -> None:
    """No counter alone falls on all ways: 4a + 3b does."""
    large(monkeypatch)
    ends = verdicts(game_in(SWAP.replace("GAIN", "1")), "ends")["ends"]
    assert ends.kind == "proved" and "* a" in ends.by, ends


DESCENT = """
    game "Descent"
    players ann, bob
    domain Cell = grid(1..4, 1..4)
    state:
        lone: Cell = (1, 1)
        pack: set[Cell] = {(2, 4), (4, 4)}
    fun free(c: Cell): c != lone and c not in pack
    rules:
        for p in turns():
            if p == ann:
                choose:
                    roam(c in Cell) if free(c):
                        lone = c
                    rest:
                        pass
            else:
                choose:
                    step(a in pack, b in Cell) if b.y < a.y and free(b):
                        pack -= {a}
                        pack |= {b}
                    give_up:
                        end win(ann)
    property ends: terminates
"""


def test_what_falls_is_where_things_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """One roams for ever; the others only go down, so that their second coordinates add up to less."""
    large(monkeypatch)
    ends = verdicts(game_in(DESCENT), "ends")["ends"]
    assert ends.kind == "proved" and "coordinate 2 of pack" in ends.by, ends


# ------------------------------------------------------------------------------------------ almost surely

RACE = """
    game "Race"
    players ann, bob
    state:
        at: map[Player, 0..60] = {p: 0 for p in Player}
    rules:
        for p in turns():
            choose:
                careful:
                    r = roll 1..6
                    if r > 3: at[p] = min(60, at[p] + 1)
                bold:
                    q = roll 1..6
                    at[p] = min(60, at[p] + q) if q > 2 else 0
                sit if IDLE:
                    pass
            if at[p] == 60:
                end win(p)
    property done: ends almost surely
    property over: always possible winner is some
    property anns: always possible winner == ann
"""


def race(idle: bool) -> Game:
    return game_in(RACE.replace("IDLE", str(idle).lower()).replace("60", "20"))


def test_a_race_ends_almost_surely_by_all_states() -> None:
    found = verdicts(race(False), "done", "terminates")
    assert (found["done"].kind, found["terminates"].kind) == ("proved", "refuted")
    assert "play ends with probability one" in found["terminates"].detail
    idle = verdicts(race(True), "done")["done"]
    assert idle.kind == "refuted" and (idle.steps or ())[-2:] == ("sit", "sit")


def test_a_race_ends_almost_surely_by_a_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some outcome of each roll brings somebody forward, whatever is chosen; not so if one may sit still."""
    large(monkeypatch)
    done = verdicts(race(False), "done")["done"]
    assert done.kind == "proved" and "which chance lowers with some outcome" in done.by
    assert " at rules.roll" in done.detail
    idle = verdicts(race(True), "done")["done"]
    assert idle.kind == "refuted" and "optional" in idle.detail


@pytest.mark.parametrize(("idle", "kind"), [("false", "proved"), ("true", "unknown")])
def test_chance_does_not_help_those_who_sit(idle: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for loops."""
    large(monkeypatch)
    monkeypatch.setattr(Loops, "found", lambda *_: None)
    game = game_in(RACE.replace("IDLE", idle).replace("60", "6"))
    done = verdicts(game, "done", seconds=1.5)["done"]
    assert done.kind == kind and done.by.startswith("ranking function"), done


DODGE = """
    game "Dodge"
    players ann
    state:
        at:   0..8
        wall: 1..3
    rules:
        for p in turns():
            choose:
                build(w in 1..3):
                    wall = w
                sit if IDLE:
                    continue
            r = roll 1..FACES
            at = 0 if r == wall else at + 1
            if at == 8:
                end win(p)
    property done: ends almost surely by MEASURE
"""


@pytest.mark.parametrize(
    ("faces", "idle", "measure", "proved"),
    [
        (3, "false", "8 - at", True),
        (2, "false", "(1, 8 - at)", True),
        (1, "false", "8 - at", False),  # the wall stands in the way of the only outcome
        (3, "true", "8 - at", False),  # whoever sits keeps the measure, again and again
        (3, "false", "at", False),
    ],
)
def test_which_outcome_is_kind_may_differ_from_state_to_state(
    faces: int, idle: str, measure: str, proved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is walled up, another outcome leads on; no outcome does so always."""
    large(monkeypatch)
    text = DODGE.replace("FACES", str(faces)).replace("IDLE", idle).replace("MEASURE", measure)
    done = verdicts(game_in(text), "done", seconds=20)["done"]
    assert (done.kind == "proved") == proved and proved == ("some outcome of chance" in done.by), done


TWIN = """
    game "Twin"
    players ann
    state:
        at:   0..9
        twin: 0..9
        luck: 0..9
    lemma same: everywhere at == twin and luck == at
    rules:
        for p in turns():
            choose go
            r = roll 0..1
            at = min(9, twin + r)
            twin = at - LAG
            luck = twin
            if luck == 9:
                end win(p)
    property done: ends almost surely by 9 - at
"""


@pytest.mark.parametrize("lag", [0, 1])
def test_what_is_known_of_a_state_helps_to_see_what_falls(lag: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only as the two go together does the measure fall; where one lags behind, the lemma is not so."""
    large(monkeypatch)
    done = verdicts(game_in(TWIN.replace("LAG", f"min({lag}, at)")), "done", seconds=8)["done"]
    assert (done.kind == "proved") == (lag == 0), done


@pytest.mark.parametrize(("generous", "ending", "guesses"), [(True, 60, 10), (False, 20, 0)])
def test_where_time_is_not_short_a_measure_and_guesses_have_more(
    generous: bool, ending: int, guesses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With twenty seconds for a question, when the lemma has used up what all share."""
    large(monkeypatch)
    left = []

    def together(self: learning.Learning, wanted: object, deadline: Deadline) -> dict[str, str]:
        left.append(deadline.left)
        monkeypatch.setattr(time, "process_time", lambda: now + 20)
        return {}

    def given(self: Ending, asked: Asked, deadline: Deadline) -> Verdict:
        left.append(deadline.left)
        return asked.verdict("unknown", "")

    now = time.process_time()
    monkeypatch.setattr(time, "process_time", lambda: now)
    monkeypatch.setattr(Deadline, "_looked", now + 20)
    monkeypatch.setattr(strategy, "FAIR", 0.1)
    monkeypatch.setattr(learning.Learning, "_together", together)
    monkeypatch.setattr(Ending, "verdict", given)
    list(verify(game_in(TWIN.replace("LAG", "0")), ("done",), 20, effort=Effort(1, generous=generous)))
    assert left[-2:] == pytest.approx([guesses, ending]), left


def test_the_question_is_asked_of_games_with_chance_only() -> None:
    asked = [v.property for v in verify(race(False), seconds=5)]
    assert "ends_almost_surely" in asked
    assert "ends_almost_surely" not in [v.property for v in verify(who(False), seconds=5)]


# ------------------------------------------------------------------------------------------ always possible


def test_what_stays_possible_by_all_states() -> None:
    found = verdicts(game_in(RACE.replace("IDLE", "false").replace("60", "3")), "over", "anns")
    assert found["over"].kind == "proved" and found["over"].by.startswith("exhaustive search")
    assert found["anns"].kind == "refuted" and found["anns"].by.startswith("exhaustive search")


def test_what_stays_possible_in_a_large_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """Together they can always come to an end; but ann cannot win any more once bob has."""
    large(monkeypatch)
    found = verdicts(race(True), "over", "anns")
    assert found["over"].kind == "proved" and "which some choice lowers" in found["over"].by, found["over"]
    assert found["anns"].kind == "refuted" and found["anns"].detail == "the game has ended without it"


@pytest.mark.parametrize(("stays", "lost"), [("true", True), ("false", False)])
def test_no_way_back_in_the_states_explored(stays: str, lost: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first states suffice, if from one of them all ways are known."""
    text = """
        game "Trap"
        players ann
        state:
            steps: 0..900 = 0
            shut: bool
            there: bool
        rules:
            while true:
                choose by ann:
                    go if not shut and steps < 900:
                        steps += 1
                    home if not shut:
                        there = true
                        end win(ann)
                    fall if not shut and steps == 1:
                        shut = true
                    sink if shut:
                        shut = STAYS
        property home: always possible there
    """
    monkeypatch.setattr(strategy, "STATES", 50)
    home = verdicts(game_in(text.replace("STAYS", stays)), "home", seconds=3)["home"]
    assert (home.kind == "refuted") == lost and home.steps == (("go", "fall") if lost else None), home
    assert home.by.startswith("search of the first") == lost
