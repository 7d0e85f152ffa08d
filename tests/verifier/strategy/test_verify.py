"""`verify` as a whole: each verdict for its reason, on games that are right and on the same games with a
fault planted."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterable
from dataclasses import replace
from threading import Timer
from typing import Any

import pytest
import z3
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.replay import ReplayError, replay
from kemu_engine.support.time_limit import OutOfTime
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.bmc import Pace
from kemu_verifier.methods.search.explicit_state import Graph
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy import verify as entry
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.learning import Guesses, Learning
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.solve import Answer, Translator, ask
from kemu_verifier.symbolic.terms import Terms

from tests.engine.build import Builder, num, op
from tests.rules import game_in
from tests.verifier.games import FILL, claim, goal, noughts, ring, with_claims


def verdicts(game: Game | k.Program, *names: str, seconds: float = 10) -> dict[str, Verdict]:
    game = Game(game) if isinstance(game, k.Program) else game
    return {v.property: v for v in verify(game, names or None, seconds)}


def kinds(found: Iterable[Verdict]) -> dict[str, str]:
    return {v.property: v.kind for v in found}


def test_a_right_game() -> None:
    found = verdicts(noughts())
    wanted = dict.fromkeys(
        (
            "one_winner",
            "supply",
            "ends",
            "no_fault",
            "never_stuck",
            "terminates",
            "result_determined",
            "informed",
            "no_leak",
        ),
        "proved",
    )
    wanted |= {"short": "refuted", "nought_wins": "possible", "six": "impossible", "draw": "possible"}
    assert {name: found[name].kind for name in wanted} == wanted
    assert not any(v.surprise for v in found.values())
    assert {name: len(found[name].steps or ()) for name in ("short", "nought_wins", "draw")} == {
        "short": 9,
        "nought_wins": 6,
        "draw": 9,
    }


def test_nobody_looks_at_the_lines() -> None:
    found = verdicts(noughts(checked=False), "one_winner", "supply", "branch_possible")
    assert kinds(found.values()) == {
        "one_winner": "refuted",
        "supply": "proved",
        "branch_possible(rules.kemu 3)": "possible",
        "branch_possible(rules.kemu 5)": "impossible",
    }


def test_traces_are_replayed() -> None:
    program = noughts()
    for verdict in verdicts(program).values():
        if verdict.steps is not None:
            assert replay(Game(program), verdict.steps).fault is None


def test_a_wrong_trace_is_an_error_of_ours() -> None:
    with pytest.raises(ReplayError):
        replay(Game(noughts()), ["put(a)", "put(a)"])


def test_a_game_that_breaks_nothing_is_an_error_of_ours() -> None:
    context = ProofContext(Game(noughts()), 10, lambda words: None)
    two_winners = goal(context, "one_winner")
    with pytest.raises(ReplayError, match="does not confirm"):
        context.confirmed(two_winners, ["put(a)"])
    with pytest.raises(ReplayError, match="does not confirm"):
        context.bounded.game_of(Answer("sat"), two_winners)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("low", "does not confirm"),
        ("home", "does not lead where"),
        ("terminates", "does not come back"),
    ],
)
def test_a_way_that_leads_elsewhere_is_an_error_of_ours(
    name: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
        game "Steps"
        players ann, bob
        state:
            n: 0..2 secret to ann = 0
        rules:
            while true:
                choose by bob:
                    go: n = min(n + 1, 2)
                    leave if n == 1: end win(bob)
        property low:  never n == 2
        property home: always possible n == 0
    """
    assert verdicts(game_in(text), name)[name].kind == "refuted"
    monkeypatch.setattr(Graph, "path", lambda *_: [])
    with pytest.raises(ReplayError, match=words):
        verdicts(game_in(text), name)


def test_names_choose_and_unknown_ones_are_refused() -> None:
    assert set(verdicts(noughts(), "supply", "terminates")) == {"supply", "terminates"}
    with pytest.raises(ValueError, match="no property is called nonsense"):
        verdicts(noughts(), "nonsense")


def test_without_standard_questions() -> None:
    assert not any(v.standard for v in verify(Game(noughts()), standard=False))


@pytest.mark.slow
def test_counters_and_deep_witnesses() -> None:
    """Too many states to be searched; the ladder is one final position in 2,704,156."""
    found = verdicts(game_in(FILL), "even", "fewer", "ends", "ladder", "greedy", seconds=5)
    assert kinds(found.values()) == {
        "even": "proved",
        "fewer": "refuted",
        "ends": "proved",
        "ladder": "possible",
        "greedy": "impossible",
    }
    assert "24 decisions" in found["ends"].detail
    assert len(found["ladder"].steps or ()) == 24


def test_a_measure_that_does_not_fall() -> None:
    text = FILL.replace("mark[c] is none})", "mark[c] == ann})")
    found = verdicts(game_in(text), "ends", seconds=20)["ends"]
    assert found.kind == "proved"
    assert "measure does not fall: in a random game step " in found.detail


# -------------------------------------------------------------------------------- kinds seldom seen


def test_induction_is_no_proof_if_the_beginning_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    """From 6 the way leads to 7 at once; the step of induction holds all the same."""
    at, *others = ring().vars
    program = replace(ring(), vars=(replace(at, initial=6), *others))
    context = ProofContext(Game(program), 10, lambda words: None)
    assert context.induct(goal(context, "never_seven"), 4, Deadline(10))[0] == "unsat"
    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    monkeypatch.setattr("kemu_verifier.strategy.strategy.PLAYS", 0)
    monkeypatch.setattr(strategy, "LENGTHS", (4, 4))
    monkeypatch.setattr(strategy, "LONGER", 4)
    for learning in ("learn_plainly", "learn_by_guesses"):
        monkeypatch.setattr(Learning, learning, lambda *_: None)
    monkeypatch.setattr(ProofContext, "deepen", lambda *_: (None, -1, False))
    for engine in ("climbed", "windowed"):
        monkeypatch.setattr(ProofContext, engine, lambda *_: None)
    found = verdicts(program, "never_seven", seconds=1)["never_seven"]
    assert (found.kind, found.steps) == ("refuted", ("go",))


@pytest.mark.slow
def test_gives_up_honestly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With engines taken away, less and less is said, and never more than is known."""
    program = ring()
    for learning in ("learn_plainly", "learn_by_guesses"):
        monkeypatch.setattr(Learning, learning, lambda *_: None)
    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    monkeypatch.setattr(ProofContext, "induct", lambda *_: ("unknown", None))
    monkeypatch.setattr(Learning, "property_directed", lambda *_: False)
    monkeypatch.setattr(ProofContext, "deepen", lambda *_: (None, 5, False))
    monkeypatch.setattr(ProofContext, "windowed", lambda *_: None)
    found = verdicts(program, "never_seven", seconds=1)["never_seven"]
    assert (found.kind, found.depth, found.exit_code) == ("holds to depth", 5, 3)
    monkeypatch.setattr(ProofContext, "deepen", lambda *_: (None, -1, False))
    found = verdicts(program, "never_seven", seconds=1)["never_seven"]
    assert (found.kind, found.exit_code) == ("sampled", 5)
    assert "99% confidence" in found.detail
    monkeypatch.setattr(ProofContext, "plays", [])
    monkeypatch.setattr("kemu_verifier.strategy.strategy.GAMES", 0)
    monkeypatch.setattr("kemu_verifier.strategy.strategy.MOST_GAMES", 0)
    found = verdicts(program, "never_seven", seconds=1)["never_seven"]
    assert (found.kind, found.exit_code) == ("unknown", 4)


def test_not_inductive_shows_states(monkeypatch: pytest.MonkeyPatch) -> None:
    program = ring()
    for learning in ("learn_plainly", "learn_by_guesses"):
        monkeypatch.setattr(Learning, learning, lambda *_: None)
    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    monkeypatch.setattr(strategy, "LENGTHS", (1, 2))
    monkeypatch.setattr(strategy, "LONGER", 2)
    monkeypatch.setattr(Learning, "property_directed", lambda *_: False)
    monkeypatch.setattr(ProofContext, "deepen", lambda *_: (None, 5, False))
    found = verdicts(program, "never_seven", seconds=1)["never_seven"]
    assert found.kind == "not inductive"
    assert found.steps is None
    assert [state["vars"]["at"] for state in found.state_json or ()][-1] == 7


def test_a_result_is_asked_for_only_where_somebody_wins() -> None:
    assert verdicts(ring(), "result_determined")["result_determined"].kind == "not applicable"


@pytest.mark.parametrize(
    ("form", "bound", "kind"),
    [
        ("at_most", 2, "proved"),
        ("at_most", 1, "refuted"),
        ("at_least", 0, "proved"),
        ("at_least", 1, "refuted"),
    ],
)
def test_bounds(form: str, bound: int, kind: str) -> None:
    program = ring()
    number = k.Load(program.vars[0].type, 0)
    one = verdicts(with_claims(program, [claim("bound", form, number, bound=bound)]), "bound")["bound"]
    assert one.kind == kind


def test_what_is_always_possible_and_what_is_greatest() -> None:
    program = ring()
    number = k.Load(program.vars[0].type, 0)
    claims = [
        claim("home", "always_possible", op("eq", number, num(0))),
        claim("away", "always_possible", op("eq", number, num(9))),
        claim("top", "maximize", number),
    ]
    found = verdicts(with_claims(program, claims), "home", "away", "top")
    assert kinds(found.values()) == {"home": "refuted", "away": "refuted", "top": "proved"}
    assert "greatest value is 2" in found["top"].detail
    assert found["home"].steps == ("go", "stop")  # after the end nothing comes


def test_an_interrupt_keeps_what_is_known() -> None:
    stream = verify(Game(noughts()))
    first = next(stream)
    stream.close()
    assert first.kind == "proved"
    assert entry is not None


def test_an_alarm_keeps_what_games_have_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> None:
        raise OutOfTime

    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    monkeypatch.setattr(Learning, "learn_plainly", late)
    stream = verify(Game(noughts()), ["short", "draw", "one_winner"])
    assert kinds([next(stream), next(stream)]) == {"short": "refuted", "draw": "possible"}
    with pytest.raises(OutOfTime):
        next(stream)


def test_an_alarm_keeps_what_was_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    learn = Learning.learn_by_guesses

    def late(self: Learning, kind: Guesses, *given: Any) -> None:
        learn(self, kind, *given)
        if kind == "telling":
            raise OutOfTime

    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    monkeypatch.setattr("kemu_verifier.strategy.work.prove_on_parts", lambda *_: None)
    monkeypatch.setattr(Learning, "learn_by_guesses", late)
    stream = verify(Game(noughts()), ["draw", "one_winner"])
    assert kinds([next(stream), next(stream)]) == {"draw": "possible", "one_winner": "proved"}
    with pytest.raises(OutOfTime):
        next(stream)


@pytest.mark.parametrize("logic", ["QF_FD", None])
def test_an_interrupt_is_heard_while_the_solver_works(logic: str | None) -> None:
    solver = z3.SolverFor(logic) if logic else z3.Solver()
    solver.push()  # from then on z3 says "canceled" of an interrupt, as of a query out of time
    holes = [[z3.Bool(f"{pigeon} in {hole}") for hole in range(12)] for pigeon in range(13)]
    crowded = [z3.AtMost(*column, 1) for column in zip(*holes, strict=True)]
    asserted = [*map(z3.Or, holes), *crowded]
    Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        ask(solver, asserted, Translator(Terms()), Deadline(30))
    assert ask(solver, [z3.Bool("more")], Translator(Terms()), Deadline(0.2)).status == "unknown"


def test_a_fault_in_a_claim_refutes_it() -> None:
    b = Builder("Faulty", ("one",))
    at = b.var("at", k.Int(0, 3), 0)
    result = b.var("result", k.Int(0, 1), (0,))
    go, act, done = b.hole(), b.hole(), b.hole()
    b.block([], b.decide("go", num(0), b.arm("go", act)), go, name="go")
    b.block(
        [k.Store(at, op("add", b.load(at), num(1)))], k.Split(op("lt", b.load(at), num(3)), go, done), act
    )
    b.block([], k.End("tie"), done, name="end")
    small = b.fit(b.load(at), 0, 2)
    claims = [
        claim("never", "never", op("eq", small, num(5))),
        claim("always", "always", op("le", small, num(9))),
        claim("possible", "possible", op("le", num(3), small)),
    ]
    program = with_claims(b.program(go, result), claims)
    found = verdicts(replace(program), "never", "always", "possible")
    assert kinds(found.values()) == {"never": "refuted", "always": "refuted", "possible": "impossible"}


def test_a_small_program_is_not_read_but_searched_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemu_verifier.strategy.context.Transitions", None)
    found = verdicts(noughts())
    ways = {v.by for v in found.values()} - {"nothing is hidden"}
    assert all(by.startswith("exhaustive search of ") for by in ways)
    assert not any(v.surprise or v.open for v in found.values())


@pytest.mark.slow
def test_a_program_too_large_to_read_is_still_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """What random games show is said; that they show nothing is no proof; nor is a game called shortest."""
    monkeypatch.setattr("kemu_verifier.symbolic.expressions.MOST_NODES", 10)
    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 5)
    found = verdicts(noughts(), seconds=1)
    assert (found["short"].kind, found["nought_wins"].kind) == ("refuted", "possible")
    assert found["short"].by == "simulation"
    assert {found[name].kind for name in ("one_winner", "supply")} == {"sampled"}
    assert found["six"].kind == "unknown"
    assert found["terminates"].kind == "unknown"


RARE = """
game "Coins"
players one
state:
    heads: 0..13
    seen:  set[1..13]
rules:
    for t in 1..13:
        choose by one:
            heads:
                heads += 1
                seen |= {t}
            tails:
                pass
    end win(one)
property rare: never heads == 13
property kept: always heads == len(seen)
"""


def test_what_is_open_is_sampled_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One game in 8,192 breaks a claim; of what no game breaks it is said in how many decisions."""
    monkeypatch.setattr(strategy, "STATES", 5)
    monkeypatch.setattr(strategy, "GAMES", 10)
    found = {v.property: v for v in verify(game_in(RARE), seconds=3, standard=False, symbolic=False)}
    assert (found["rare"].kind, found["rare"].by) == ("refuted", "simulation")
    assert found["rare"].steps == ("heads",) * 13
    games, decisions = map(
        int, re.findall(r"in (\d+) random games with (\d+) decisions", found["kept"].detail)[0]
    )
    assert found["kept"].kind == "sampled"
    assert games > 8192
    assert decisions == 13 * games


def test_a_loop_between_stops_beyond_what_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long walk without a stop is neither taken for a fault nor cut off silently."""
    b = Builder("Walk", ("one",))
    left = b.var("left", k.Int(0, 200), 200)
    result = b.var("result", k.Int(0, 1), (0,))
    go, act, look, done = b.hole(), b.hole(), b.hole(), b.hole()
    b.block([], b.decide("go", num(0), b.arm("go", look)), go, name="go")
    b.block([k.Store(left, b.fit(op("sub", b.load(left), num(1)), 0, 200))], k.Goto(look), act)
    b.block([], k.Split(op("eq", b.load(left), num(0)), done, act), look)
    b.block([], k.End("tie"), done, name="end")
    program = with_claims(b.program(go, result), [claim("walked", "at_end", op("eq", b.load(left), num(0)))])
    assert verdicts(program, "walked", "no_fault")["walked"].by == "exhaustive search of 2 states"
    monkeypatch.setattr("kemu_verifier.strategy.strategy.STATES", 0)
    found = verdicts(program, "walked", "no_fault", "terminates", seconds=1)
    walked = found.pop("walked")
    assert walked.kind == "sampled" or walked.by.endswith("lap by lap")  # where time is short
    assert kinds(found.values()) == {"no_fault": "sampled", "terminates": "unknown"}


def test_too_much_memory_ends_the_search_and_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kemu_verifier.symbolic.deadline.memory", lambda: 1 << 60)
    monkeypatch.setattr(Deadline, "_looked", 0.0)
    monkeypatch.setattr(Deadline, "crowded", False)
    found = verdicts(noughts(), "supply", "six", "ends", seconds=2)
    assert set(kinds(found.values()).values()) == {"unknown"}
    assert "too much memory" in found["supply"].detail


def test_a_question_for_which_the_solver_takes_too_long_is_not_put() -> None:
    """What was seen to take ten seconds for a thousand nodes is not begun with one second left, and nothing
    so large that reading it alone takes longer."""
    pace = Pace()
    assert pace.allows(200_000, Deadline(1)) and not pace.allows(2_000_000, Deadline(1))
    pace.saw(1_000, took=1.2, given=1.0)
    assert pace.allows(200_000, Deadline(1))
    pace.saw(1_000, took=10.0, given=1.0)
    assert not pace.allows(1_000, Deadline(1))
    assert pace.allows(100, Deadline(1)) and pace.allows(1_000, Deadline(10))
    assert not pace.allows(1, Deadline(0))


def test_what_random_games_break_is_told_before_all_states_are_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(strategy, "FEW_STATES", 10)
    game = game_in("""
        game "Walk"
        players ann
        state:
            x: 0..20
            y: 0..20
        rules:
            while x + y < 30:
                choose by ann:
                    right if x < 20:
                        x += 1
                    up if y < 20:
                        y += 1
            end tie
        property low: always x + y < 9
        property far: possible x == 20
    """)
    found = [(v.property, v.kind, v.by) for v in verify(game, ("far", "low"))]
    assert [name for name, _, _ in found] == ["low", "far"]
    assert "exhaustive" not in found[0][2] and "exhaustive" in found[1][2]
