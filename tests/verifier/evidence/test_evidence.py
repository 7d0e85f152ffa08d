"""Evidence: proof conditions in plain SMT-LIB, each of which says what cannot be."""

import re
from functools import cache
from pathlib import Path

import pytest
import z3
from kemu_verifier.evidence.conditions import Conditions
from kemu_verifier.evidence.examine import Examination, Proofs, confirms
from kemu_verifier.evidence.sections import localized_section, needed
from kemu_verifier.goal.questions import questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import localization, strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline

from tests.kemu.conftest import CELLS
from tests.rules import game_in

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("evidence")]  # its bundles are made once

SUMS = Path(CELLS).read_text("utf-8")
PURSE = """
    game "Purse"
    players ann, bob
    state:
        purse: 0..90000 = 7
    rules:
        for p in turns():
            choose:
                earn(n in 1..3) if purse < 80000: purse += 2 * n
                stop: end win(p)
    property odd: always purse % 2 == 1
"""
TOLLS = """
    game "Tolls"
    players ann, bob
    state:
        till:  0..60 = 20
        purse: map[Player, 0..60] = {p: 10 for p in Player}
        fee:   1..4
        moods: map[Player, 0..99]
    rules:
        for p in turns():
            choose:
                pay(n in 1..3) if purse[p] >= n: move n from purse[p] to till
                hum if moods[p] < 99: moods[p] += 1
                increase if fee < 4 and moods[p] > 5: fee += 1
                leave: end tie
    lemma kept: always till + sum(purse[p] for p in Player) == 40
    property fees: always till + fee <= 44
"""


@cache
def examined(text: str) -> tuple[dict[str, Verdict], Proofs]:
    examination = Examination(game_in(text), None, 4.0, lambda words: None, True)
    verdicts = {verdict.property: verdict for verdict in examination.verdicts()}
    assert all(question.name == verdict.property for question, verdict in examination.found)
    return verdicts, examination.proofs()


@pytest.mark.parametrize("text", [SUMS, PURSE], ids=["sums", "numbers"])
def test_every_condition_is_confirmed_by_z3_from_its_text_alone(text: str) -> None:
    _, proofs = examined(text)
    assert proofs.conditions
    for condition in proofs.conditions:
        assert condition.confirmed, condition.name
        solver = z3.Solver()
        solver.set("timeout", 20_000)
        solver.from_string(condition.text)
        assert str(solver.check()) == "unsat", condition.name


def test_conditions_use_standard_operators_only_and_say_what_they_claim() -> None:
    known = {"set-info", "set-logic", "declare-const", "define-fun", "assert", "check-sat"}
    known |= {"and", "or", "not", "=>", "=", "ite", "+", "-", "*", "<=", ">", "div"}
    for condition in (*examined(SUMS)[1].conditions, *examined(PURSE)[1].conditions):
        plain = re.sub(r"\|[^|]*\|", "x", "\n".join(re.findall(r"^[^;].*", condition.text, re.M)))
        assert set(re.findall(r"\(([^\s()]+)", plain)) <= known, condition.name
        assert condition.text.startswith(f"; {condition.words}") and "; expect: unsat" in condition.text


def test_a_proof_by_induction_has_a_condition_for_every_step_and_claim() -> None:
    verdicts, proofs = examined(SUMS)
    assert verdicts["fair"].kind == "proved"
    about = {each.verdict.property: each.about for each in proofs.evidence}
    assert about["fair"]["method"] == "invariants" and about["ends"]["method"] == "ranking"
    steps = [condition.role for condition in proofs.conditions if condition.role["shows"] == "keeps"]
    assert {(role["source"], role["target"]) for role in steps} == {(-1, 3), (3, 3), (3, 7)}
    assert any(condition.role["shows"] == "falls" for condition in proofs.conditions)


def test_what_is_not_proved_has_no_condition_that_says_so() -> None:
    verdicts, proofs = examined(SUMS)
    assert verdicts["most"].kind == "refuted"
    assert next(each.about for each in proofs.evidence if each.verdict.property == "most")["method"] == "play"


def test_a_claim_that_does_not_follow_is_not_confirmed() -> None:
    examination = Examination(game_in(SUMS), ["most", "fair"], 3.0, lambda words: None, True)
    assert sorted(verdict.kind for verdict in examination.verdicts()) == ["proved", "refuted"]
    made = Conditions(examination.context, lambda text: confirms(text, 2.0))
    (block,) = (b for b in examination.context.moving)
    assert not made.excludes(
        block, examination.run.case.goals["most"].states[block], "most", "most"
    ).confirmed


def test_a_part_of_the_state_is_written_only_with_what_it_rests_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """How much lies in the till follows from that no money is lost, which is shown in another section."""
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    context, found = ProofContext(game_in(TOLLS), 5, lambda words: None), localization.Localized(kept=[])
    context.shared, context.plays = 10, []
    localization.prove_on_parts(
        context, questions(context.program, False), found, Deadline(2 * context.shared)
    )
    first, second = needed(found.kept or (), ["fees"], ())
    assert (first.claims, second.claims) == ({"kept"}, {"fees"})
    kept = localized_section("one", first, [], confirms, Deadline(60))
    assert kept is not None and [claim.verdict for claim in kept.shows] == ["kept"]
    assert all(each.confirmed for each in kept.conditions)
    fees = localized_section("two", second, [kept], confirms, Deadline(60))
    assert fees is not None and [claim.verdict for claim in fees.shows] == ["fees"]
    assert localized_section("alone", second, [], confirms, Deadline(60)) is None
