"""Games on which a proof once went wrong: the false must not come out proved, nor what happens impossible."""

from __future__ import annotations

from textwrap import dedent

import pytest
import z3
from kemu_engine.kernel.nodes import Decide, End
from kemu_verifier.goal.goal import Goal, state_goal, stops
from kemu_verifier.goal.questions import questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.methods.search.bmc import BoundedSearch, Unrolling
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.portfolio_safety import follows_for_steps
from kemu_verifier.strategy.random_games import RandomGames
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Answer, Translator, ask
from kemu_verifier.symbolic.terms import FALSE
from kemu_verifier.symbolic.transition import Transitions

from tests.rules import game_in

pytestmark = pytest.mark.slow


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither random games nor exhaustive search."""
    monkeypatch.setattr(strategy, "PLAYS", 0)
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(RandomGames, "lucky", lambda *_: None)


def verdicts(text: str, *names: str, seconds: float = 3) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game_in(text), names or None, seconds)}


def kinds(text: str, *names: str) -> dict[str, str]:
    return {name: v.kind for name, v in verdicts(text, *names).items()}


@pytest.mark.usefixtures("blind")
def test_k_induction_keeps_wide_numbers_apart_that_only_some_ways_change() -> None:
    """`skip` leaves x as it is; merged with `add` it once seemed to raise x too."""
    text = """\
        game "Apart"
        players ann, bob
        state:
            x: 0..9999 = 0
            y: 0..9999 = 0
        rules:
            for p in turns():
                choose:
                    add if x < 9000:
                        x += 1
                        y += 1
                    skip if x > 3000 and y < 9000:
                        y += 1
                    reset:
                        x = 0
                        y = 0
                    stop:
                        end win(p)
        property same: always x == y
        """
    assert kinds(text, "same")["same"] in ("not inductive", "holds to depth", "unknown")


def test_a_claim_that_asks_what_is_asked_of_every_game_is_told_apart_from_it() -> None:
    text = """\
        game "Names"
        players ann, bob
        state:
            x: 0..9 = 0
        rules:
            for p in turns():
                choose:
                    add if x < 9:
                        x += 1
                    stop:
                        end win(p)
        property terminates: terminates by 9 - x
        """
    found = [(v.property, v.standard, v.kind) for v in verify(game_in(text), ["terminates"], 3)]
    assert found == [("terminates", False, "proved"), ("terminates", True, "proved")]


OPENING = """\
    game "Opening"
    players ann, bob
    state:
        x: 0..9 = 0
    rules:
        k = x + 2
        x = k
        for p in turns():
            choose:
                add if x < 9:
                    x += 1
                stop:
                    end win(p)
    """


@pytest.mark.parametrize("games", [0, 100])
def test_what_happens_before_the_first_decision_is_possible(
    games: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strategy, "PLAYS", games)
    monkeypatch.setattr(strategy, "STATES", 0)
    found = verdicts(OPENING, "branch_possible")
    line = found["branch_possible(test.kemu 7)"]
    assert (line.kind, line.steps) == ("possible", ())


@pytest.mark.usefixtures("blind")
def test_a_fault_before_the_first_decision_is_found() -> None:
    found = verdicts(OPENING.replace("x = k", "x = k * 5"), "no_fault")
    assert (found["no_fault"].kind, found["no_fault"].steps) == ("refuted", ())


@pytest.mark.usefixtures("blind")
def test_a_statement_that_only_faults_is_never_carried_out() -> None:
    text = """\
        game "Missing"
        players ann, bob
        domain Place = 1..3
        state:
            goal: Place?
            hits: map[Place, 0..1] = {x: 0 for x in Place}
        rules:
            choose by ann:
                wait:
                    pass
                give_up:
                    end win(bob)
            hits[goal] = 1
            end win(ann)
        """
    found = kinds(text, "branch_possible", "no_fault")
    assert (found["branch_possible(test.kemu 13)"], found["no_fault"]) == ("impossible", "refuted")


@pytest.mark.usefixtures("blind")
def test_a_closure_faults_only_at_elements_that_it_reaches() -> None:
    text = """\
        game "Closure"
        players ann, bob
        domain Place = 1..4
        state:
            link: map[Place, Place?]
            x: 0..9 = 0
        rules:
            link[1] = 2
            link[2] = 1
            choose by ann:
                three:
                    link[3] = 1
                none_:
                    pass
            x = len(closure({1}, p -> {link[p]}))
            end win(bob)
        property two: never x == 2
        """
    found = kinds(text, "two", "no_fault")
    assert found == {"two": "refuted", "no_fault": "proved"}


@pytest.mark.parametrize(("sets", "kind"), [(0, "unknown"), (1000, "proved")])
def test_how_many_decisions_there_were_is_known_from_the_past_alone(
    sets: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That n is one less than the decisions made tells bob nothing by what he sees; but he has counted."""
    monkeypatch.setattr(strategy, "LOOK_ALIKES", sets)
    text = """\
        game "Count"
        players ann, bob
        state:
            n: 0..200 secret to ann = 0
        rules:
            repeat at most 20:
                choose by ann:
                    more if n < 12:
                        n += 1
                    enough:
                        break
            choose by bob:
                challenge if n > 1:
                    end win(bob)
                fold:
                    end win(ann)
        """
    assert kinds(text, "informed") == {"informed": kind}


def test_a_claim_about_nothing_says_so() -> None:
    text = """\
        game "Endless"
        players ann, bob
        state:
            x: 0..4 = 0
        rules:
            for p in turns():
                choose go
                x = (x + 1) % 4
                if x == 4:
                    choose:
                        never_here: pass
        property ended: at_end x == 9
        property there: at never_here always x == 9
        property first_there: at never_here initially x == 9
        property seen:  always x < 9
        property first_seen: at go initially x < 9
        """
    found = verdicts(text, "ended", "there", "first_there", "seen", "first_seen")
    assert {v.kind for v in found.values()} == {"proved"}
    for name in ("ended", "there", "first_there"):
        assert found[name].detail.startswith("vacuous: no state that it speaks of is reachable"), name
    assert [name for name, v in found.items() if v.vacuous] == ["ended", "there", "first_there"]


BEFORE = """\
    game "Before"
    players ann
    state:
        x: 0..400 = 0
    rules:
        START
        while x < 400:
            choose by ann:
                go:
                    x += 1
                MORE
        end win(ann)
    property there: always possible x > 300
    """


@pytest.mark.usefixtures("blind")
@pytest.mark.parametrize(
    ("start", "more", "kind"),
    [
        ("pass", "wait if x == 0: pass", "proved"),
        ("pass", "quit: end tie", "refuted"),  # some choice leads to the aim, another one ends play before
        ("pass", "quit if x == 350: x = 0; end tie", "refuted"),  # play has been there, and ends elsewhere
        ("d = roll 1..3\n        if d == 2: end tie", "", "refuted"),  # in the opening
    ],
)
def test_an_end_that_nobody_need_choose_is_an_end_without_it(start: str, more: str, kind: str) -> None:
    text = BEFORE.replace("START", start).replace("MORE", more)
    found = verdicts(text, "there", seconds=6)["there"]
    assert found.kind == kind or (kind == "refuted" and found.kind == "unknown"), found


FAR = """\
    game "Far"
    players ann
    state:
        x: -900000000000000000..900000000000000000 = 0
    rules:
        while true:
            choose by ann:
                up:
                    x = 900000000000000000
                turn:
                    x = -x
                leave:
                    end win(ann)
    property most:  maximize x
    property least: at least 0 x + 900000000000000000
    """


@pytest.mark.usefixtures("blind")
def test_numbers_of_few_values_far_apart() -> None:
    """Too large for a weight of a truth value."""
    found = verdicts(FAR, "most", "least", seconds=4)
    assert {name: v.kind for name, v in found.items()} == {"most": "proved", "least": "proved"}


def test_what_the_solver_says_after_it_has_once_given_up() -> None:
    """z3, just asked again, calls this unsatisfiable at times, or has a model of it that is none."""
    program = game_in(dedent(FAR) + "property below: possible x < 0\n").program
    transitions, expr = Transitions(program), program.properties[-1].exprs[0]
    unrolling = Unrolling(transitions)
    for _ in range(8):
        assert unrolling.extend(Deadline(9))
    goal = state_goal(transitions, Facts(program), "below", expr, stops(program, Decide, End), True)
    hit = transitions.terms.disj([unrolling.hits(goal, depth) for depth in range(9)])
    for milliseconds in range(5, 100, 5):
        made = Translator(transitions.terms)
        lits = [*made.lits([*unrolling.clauses, hit]), *made.bounds]
        solver = z3.Solver()
        for seconds in (milliseconds / 1000, 20):
            answer = ask(solver, lits, made, Deadline(seconds))
            values = Valuation(transitions.terms, answer.values)
            assert answer.status == "unknown" or all(map(values.lit, [*unrolling.clauses, hit]))
        assert answer.status == "sat"


def test_a_play_ends_where_the_question_ended() -> None:
    """The search may have looked further for another question; of that the answer says nothing."""
    text = """\
        game "Further"
        players ann
        state:
            x: 0..3 = 0
        rules:
            while true:
                choose go by ann
                x += 1
        """
    game = game_in(text)
    search = BoundedSearch(game, Transitions(game.program))
    while len(search.unrolling.frames) < 4:
        assert search.unrolling.extend(Deadline(9))
    anything = Goal("anything", lambda found: True)
    assert search.game_of(Answer("sat"), anything, 2).steps == ("go", "go")


@pytest.mark.usefixtures("blind")
def test_a_program_without_faults_may_go_on_between_two_stops() -> None:
    """With all lamps lit the game never comes to its next decision."""
    text = """\
        game "Lamps"
        players ann, bob
        domain Lamp = 1..20
        state:
            lit: map[Lamp, bool]
            x: bool
        rules:
            for p in turns():
                choose by p:
                    flip(l in Lamp): lit[l] = not lit[l]
                    leave: end tie
                while all(lit[l] for l in Lamp):
                    x = not x
        """
    assert kinds(text, "no_fault") == {"no_fault": "unknown"}


TWICE = """
game "Twice"
players ann, bob
state:
    n: 0..5 = 3
rules:
    choose low by ann
    n += 1
    choose high by ann
    n += 1
    end tie
"""


def test_what_is_excluded_at_one_stop_is_asked_at_another() -> None:
    one = ProofContext(game_in(TWICE), 5, lambda words: None)
    low, high = stops(one.program, Decide)
    goal = next(q.goal for q in questions(one.program, True) if q.name == "no_fault" and q.goal)
    read = goal(one.transitions)
    at = one.transitions.env(low).vars[next(i for i, v in enumerate(one.program.vars) if v.name == "n")]
    one.knowledge.add([Fact(low, -one.transitions.reader.numbers.equal_const(at, 5), "n != 5")])
    assert not follows_for_steps(one, read, Deadline(5))
    assert one.excluded[low] > {FALSE} and one.excluded[high] == {FALSE}
    faults = {fault for _, fault in one.transitions.step(high).faults}
    assert follows_for_steps(one, read, Deadline(5), faults)
