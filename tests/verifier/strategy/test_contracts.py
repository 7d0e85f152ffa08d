"""Claims about a rule by itself: `from any if C: run rule(args) returns`, `never returns`, `can return`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from kemu.cli.main import main
from kemu_engine.play.game import Game
from kemu_engine.play.replay import ReplayError
from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.questions import questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.bmc_from_any import Found
from kemu_verifier.methods.termination.measures import StepSamples
from kemu_verifier.strategy import contracts, strategy
from kemu_verifier.strategy.broken_contracts import Bad
from kemu_verifier.strategy.contracts import RuleRun
from kemu_verifier.strategy.portfolio_safety import Asked
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in

pytestmark = pytest.mark.slow

CHAIN = Path(__file__).parents[3] / "spec" / "tongiaki" / "chain" / "chain.kemu"

RING = """
game "Ring"
players ann, bob
state:
    at: 0..5 = 0
    fuel: 0..9 = 3
rules:
    hop(ann)
    end tie
rule hop(p: Player):
    while at != 0:
        choose step(n in 1..2) by p
        at = (at + n) % 6
rule twice(p: Player):
    while at != 0:
        choose step by p
        at = (at + 2) % 6
rule drive(p: Player):
    while at != 0 and fuel > 0:
        choose step(n in 1..2) by p
        at = (at + n) % 6
        fuel -= 1
"""


def verdicts(game: Game, seconds: float = 20, *names: str) -> dict[str, Verdict]:
    """Of the claims about runs of rules that are named; of all without a name."""
    names = names or tuple(p.name for p in game.program.properties if p.run is not None)
    return {v.property: v for v in verify(game, names, seconds=seconds)}


def kinds(text: str, seconds: float = 20) -> dict[str, str]:
    return {name: v.kind for name, v in verdicts(game_in(text), seconds).items()}


@pytest.fixture(params=["exhaustive", "symbolic"])
def method(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """All starts one by one, or the other methods alone."""
    if request.param == "symbolic":
        monkeypatch.setattr(strategy, "ALL_STARTS", 0)
        monkeypatch.setattr(strategy, "SOLVED_STARTS", 0)
    return str(request.param)


# what the three forms say


def test_a_circle_without_decisions_is_no_return_but_another_fault_is_one(method: str) -> None:
    """The first choice is as it should be; the second is what breaks the claim, and is shown."""
    text = (
        RING
        + """
rule either(p: Player):
    choose by p:
        circle:
            while at == 0:
                fuel = 9 - fuel
        fall:
            at = at + fuel
property round: from any if at == 0 and fuel == 9: run either(ann) never returns
"""
    )
    found = verdicts(game_in(text))["round"]
    assert (found.kind, (found.steps or ())[-1:]) == ("refuted", ("fall",))


def test_a_rule_that_depends_on_choices(method: str) -> None:
    """From anywhere one can come home, from nowhere else one must, and nowhere is one kept."""
    text = (
        RING
        + """
property can for p in Player: from any: run hop(p) can return
property must: from any if at > 0: run hop(ann) returns
property kept: from any if at > 0: run hop(ann) never returns
"""
    )
    found = kinds(text, 10)
    assert found == {"can(ann)": "proved", "can(bob)": "proved", "must": "refuted", "kept": "refuted"}


def test_a_rule_that_depends_on_the_start(method: str) -> None:
    text = (
        RING
        + """
property home:    from any if at % 2 == 0: run twice(ann) returns
property astray:  from any if at % 2 == 1: run twice(ann) never returns
property no_home: from any if at % 2 == 0: run twice(ann) never returns
property always_home: from any: run twice(ann) returns
"""
    )
    found = kinds(text, 10)
    assert found == {
        "home": "proved", "astray": "proved", "no_home": "refuted", "always_home": "refuted"
    }  # fmt: skip


def test_a_condition_of_which_only_a_part_matters(method: str) -> None:
    """The optimiser sees that it never holds, so that nothing reads the rest of it."""
    text = RING + "\nproperty no_such: from any if 4 < 3 and at + fuel == 7: run twice(ann) returns\n"
    (found,) = verdicts(game_in(text)).values()
    assert (found.kind, found.detail[:7]) == ("proved", "vacuous")


def test_a_rule_that_always_returns(method: str) -> None:
    text = (
        RING
        + """
property ends:   from any: run drive(bob) returns by fuel
property wrong:  from any: run drive(bob) never returns
property likely: from any: run drive(bob) can return
"""
    )
    assert kinds(text) == {"ends": "proved", "wrong": "refuted", "likely": "proved"}


def test_what_cannot_return_is_shown_by_a_run_that_goes_on_for_ever() -> None:
    text = RING + "property free: from any: run twice(bob) can return"
    (verdict,) = verdicts(game_in(text)).values()
    assert verdict.kind == "refuted" and "whatever is chosen" in verdict.detail
    assert verdict.start is not None and verdict.start["vars"]["at"] % 2 == 1
    assert verdict.steps == ("twice(bob)", "step", "step", "step")


def test_what_nothing_shows_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long way round: too long for bounded search, and no counter falls on it."""
    monkeypatch.setattr(strategy, "ALL_STARTS", 0)
    monkeypatch.setattr(strategy, "SOLVED_STARTS", 0)
    monkeypatch.setattr(strategy, "AFTER_ONE", 10)
    text = """
game "Long"
players ann
state:
    n: 0..9999 = 1
rule collatz():
    while n > 1:
        choose go by ann
        n = n // 2 if n % 2 == 0 else (3 * n + 1) % 10000
rules:
    collatz()
    end tie
property ends:  from any: run collatz() returns
property never_back: from any if n > 1: run collatz() never returns
"""
    found = kinds(text, 4)
    assert found["ends"] == "unknown" and found["never_back"] in ("refuted", "unknown")


@pytest.mark.parametrize("alone", ["bounded", "argued"])
def test_each_engine_says_no_by_itself(alone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """States that are made up suggest invariants; what follows from them is not told."""
    monkeypatch.setattr(strategy, "ALL_STARTS", 0)
    monkeypatch.setattr(strategy, "SOLVED_STARTS", 0)
    monkeypatch.setattr(strategy, "RUN_DEPTH", 8)
    sampled = RuleRun.sampled
    monkeypatch.setattr(RuleRun, "sampled", lambda self, deadline: sampled(self, deadline) and None)
    monkeypatch.setattr(contracts, "StepSamples", lambda transitions, _: StepSamples(transitions, []))
    if alone == "bounded":
        monkeypatch.setattr(RuleRun, "argued", lambda self, *_: self.asked.verdict("unknown", ""))
    else:
        monkeypatch.setattr(RuleRun, "bounded", lambda *_: None)
    text = (
        RING
        + """
property must:  from any if at > 0: run hop(ann) returns
property kept:  from any if at > 0: run hop(ann) never returns
property stray: from any if at % 2 == 1: run twice(ann) can return
property tank:  from any if fuel < 3: run drive(bob) returns
"""
    )
    no = "refuted" if alone == "bounded" else "unknown"
    assert kinds(text, 2) == {"must": no, "kept": no, "stray": "unknown", "tank": "proved"}


# starts, faults, ends


def test_starts_are_values_of_their_types(method: str) -> None:
    text = """
game "Types"
players ann, bob
enum Thing: a, b
state:
    sack: bag[Thing, 2]
    row:  list[0..3, 2]
    seat: map[Player, 0..1] unique = {ann: 0, bob: 1}
rule check():
    while len(sack) > 2 or seat[ann] == seat[bob] or len(row) == 0 and row[0:0] != []:
        choose wait by ann
rules:
    check()
    end tie
property sound: from any: run check() returns
property full:  from any if len(sack) == 2 and len(row) == 2: run check() never returns
"""
    found = verdicts(game_in(text.replace(" or len(row) == 0 and row[0:0] != []", "")))
    assert (found["sound"].kind, found["full"].kind) == ("proved", "refuted")


def test_a_fault_counts_against_both(method: str) -> None:
    text = """
game "Faults"
players ann
state:
    n: 0..3 = 1
rule down():
    while n != 2:
        choose less by ann
        n -= 1
rules:
    down()
    end tie
property back:   from any: run down() returns
property never_: from any if n < 2: run down() never returns
property deep:   from any if n == 3: run down() returns
"""
    found = verdicts(game_in(text))
    assert [v.kind for v in found.values()] == ["refuted", "refuted", "proved"]
    assert "fault" in found["back"].detail


def test_the_end_of_the_game_is_an_end_of_the_run(method: str) -> None:
    text = """
game "Ends"
players ann
state:
    n: 0..3 = 1
rule play():
    while n != 0:
        choose by ann:
            stop:
                end win(ann)
            more:
                pass
rules:
    play()
    end tie
property may:     from any: run play() can return
property kept:    from any if n > 0: run play() never returns
property circles: from any if n > 0: run play() returns
"""
    assert kinds(text, 10) == {"may": "proved", "kept": "refuted", "circles": "refuted"}


def test_no_start_at_all_is_said(method: str) -> None:
    text = RING + "property none_such: from any if at > 2 and at < 2: run hop(ann) never returns"
    (verdict,) = verdicts(game_in(text)).values()
    assert verdict.kind == "proved" and "vacuous" in verdict.detail


def test_a_condition_that_faults_decides_nothing(method: str) -> None:
    text = RING + "property odd_one: from any if 6 // at == 2: run twice(ann) returns"
    (verdict,) = verdicts(game_in(text)).values()
    assert verdict.kind == "unknown" and "worked out" in verdict.detail


# functions that may be any

SIGNS = """
game "Signs"
players ann
domain Town = 1..4
state:
    at: Town = 1
fun post(t: Town) -> Town?: {post}
fun onward(): all(post(t) is none or post(t) > t for t in Town)
rule walk():
    while post(at) is some:
        choose go by ann
        at = post(at)
rules:
    walk()
    end tie
property far forgetting post:    from any if onward(): run walk() returns by 4 - at
property any_way forgetting post: from any: run walk() returns
"""


def test_a_claim_for_every_map(method: str) -> None:
    found = verdicts(game_in(SIGNS.replace("{post}", "none if t == 4 else t + 1")))
    assert (found["far"].kind, found["any_way"].kind) == ("proved", "refuted")
    assert found["any_way"].detail.startswith("abstract: `post` may be any function here; it is true of the")


def test_a_refutation_is_shown_with_the_real_function_if_it_can_be(method: str) -> None:
    found = verdicts(game_in(SIGNS.replace("{post}", "none if t == 4 else 5 - t")))
    assert found["any_way"].kind == "refuted"
    assert "as the rules have it" in found["any_way"].detail
    assert found["any_way"].start is not None and "post()" not in found["any_way"].start["vars"]


def test_a_condition_that_the_real_function_never_meets_is_told(method: str) -> None:
    found = verdicts(game_in(SIGNS.replace("{post}", "1 if t == 4 else t + 1")))
    assert (found["far"].kind, found["far"].vacuous) == ("proved", "vacuous")
    assert "`post` as the rules have it: no state has the condition" in found["far"].detail
    true = verdicts(game_in(SIGNS.replace("{post}", "none if t == 4 else t + 1")))
    assert (true["far"].kind, true["far"].vacuous) == ("proved", "")


# what is told


def test_the_run_is_shown_and_can_be_replayed(tmp_path: Path) -> None:
    path = tmp_path / "ring.kemu"
    path.write_text(RING + "property must: from any if at == 1: run hop(ann) returns\n")
    told = CliRunner().invoke(
        main, ["verify", str(path), "--property", "must", "--save-trace", str(tmp_path)]
    )
    assert told.exit_code == 1 and "not shown to be reachable" in told.output
    assert "1. run: hop(ann)" in told.output
    again = CliRunner().invoke(main, ["replay", str(tmp_path / "must.json")])
    assert again.exit_code == 0 and "ann: step" in again.output
    said = CliRunner().invoke(main, ["verify", str(path), "--property", "must", "--json"])
    assert json.loads(said.output)["start"]["vars"]["at"] == 1


@pytest.mark.parametrize(
    ("form", "step"), [("returns", "step(2)"), ("never returns", "step(2)"), ("can return", "step(1)")]
)
def test_a_run_that_shows_nothing_is_an_error_of_ours(form: str, step: str) -> None:
    """From 5 one step leads home, the other past it."""
    game = game_in(f"{RING}\nproperty odd_one: from any if at == 5: run hop(ann) {form}")
    (question,) = questions(game.program, False)
    assert question.run is not None
    run = RuleRun(question.run, Asked(question, Goal("odd_one", lambda found: False), 0.0))
    start = next(run.starts.all(1_000, Deadline(5)))
    with pytest.raises(ReplayError, match="does not confirm"):
        run.refuted(Bad(Found(start, ("hop(ann)", step)), ""), "")


# emigration chains (spec/tongiaki/chain)


def chain(settings: dict[str, Any], *names: str, text: str | None = None) -> dict[str, Verdict]:
    return verdicts(game_in(CHAIN.read_text() if text is None else text, **settings), 20, *names)


def test_the_count_of_a_closed_island_is_exact() -> None:
    settings = {"isles": 1, "beaches": 2, "strikes": "never"}
    found = chain(settings, "crowded_for_ever", "else_to_rest")
    assert (found["crowded_for_ever"].kind, found["else_to_rest"].kind) == ("proved", "proved")
    wrong = CHAIN.read_text().replace("held(i) > calm(b)", "held(i) >= calm(b)")
    assert chain(settings, "crowded_for_ever", text=wrong)["crowded_for_ever"].kind == "refuted"
    wrong = CHAIN.read_text().replace("held(i) > calm(b)", "held(i) > calm(b) + 1")
    assert chain(settings, "else_to_rest", text=wrong)["else_to_rest"].kind == "refuted"


def test_the_rulebooks_test_catches_every_forced_loop_of_two_islands() -> None:
    settings = {"isles": 2, "places": 2, "alike": True}
    assert chain({**settings, "strikes": "no_way_out"}, "caught_all")["caught_all"].kind == "proved"
    assert chain({**settings, "strikes": "no_way_out", "steered": True}, "caught")["caught"].kind == "proved"
    never = chain({**settings, "strikes": "never"}, "strikes_rightly", "crowded_among_others")
    assert never["strikes_rightly"].kind == "refuted"
    assert never["crowded_among_others"].kind == "proved"


def test_the_count_alone_misses_loops_over_two_islands() -> None:
    settings = {"isles": 2, "places": 3, "alike": True, "strikes": "counted"}
    found = chain(settings, "counted_all")["counted_all"]
    assert found.kind == "refuted" and "whatever is chosen" in found.detail


def test_the_movers_advice_is_proved_by_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on four islands (instance `four`, a minute or two); weights that do not fall prove nothing."""
    monkeypatch.setattr(strategy, "ALL_STARTS", 0)
    monkeypatch.setattr(strategy, "SOLVED_STARTS", 0)
    settings: dict[str, Any] = {
        "isles": 2,
        "places": 2,
        "alike": True,
        "steered": True,
        "strikes": "no_way_out",
    }
    found = chain(settings, "caught")["caught"]
    assert found.kind == "proved" and found.by.startswith("ranking function of the author")
    wrong = CHAIN.read_text().replace("[1, 801, 961, 993]", "[1000, 1000, 1000, 1000]")
    game = game_in(wrong, **settings)
    assert "of the author, component 1" not in verdicts(game, 3, "caught")["caught"].by


def test_a_fault_in_the_condition_is_not_hidden_by_what_stands_behind_it(method: str) -> None:
    text = """
game "Behind"
players ann
state:
    row: list[0..2, 2]
    at: 0..2
rule go(): at = len(row)
rules:
    go()
    end tie
property behind: from any if row[0] > at and len(row) > 0: run go() returns
property before: from any if len(row) > 0 and row[0] > at: run go() returns
"""
    assert kinds(text, 1) == {"behind": "unknown", "before": "proved"}


def test_a_function_within_an_argument_of_itself(method: str) -> None:
    """Its parameters get their values together, when all arguments are worked out."""
    text = """
game "Nested"
players ann
state:
    a: 0..3
    b: 0..3
    c: 0..3
fun f(x: 0..3, y: 0..3): (x < 3 or c == 0) and y == b
rule go():
    choose by ann:
        one: a = 1
    while a == 1:
        choose by ann:
            on: pass
rules:
    go()
    end tie
property never_again: from any if f(2 if f(a, 3 - c) else 1, c): run go() returns
property over: from any if f(2 if f(a, 3 - c) else 1, c) and b > c: run go() returns
"""
    assert kinds(text, 2) == {"never_again": "refuted", "over": "proved"}
