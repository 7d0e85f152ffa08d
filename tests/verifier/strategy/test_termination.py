"""Whether play ends, always or nearly always, and whether something stays possible: on games small enough to
be searched whole, and on the same kind of game too large for it."""

from __future__ import annotations

import time

import pytest
from kemu_engine.play.game import Game
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import learning, strategy
from kemu_verifier.strategy.loops import Loops
from kemu_verifier.strategy.portfolio_safety import Asked
from kemu_verifier.strategy.portfolio_termination import Ending
from kemu_verifier.strategy.verify import Effort, verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in
from tests.verifier.strategy.asking import large, verdicts

pytestmark = pytest.mark.slow


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
    without = verify(game_in(SETS.replace("PRICE", "0")), seconds=5)
    assert "ends_almost_surely" not in [v.property for v in without]


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
