"""What was proved, written down: invariants that hold, each proof after those that it uses."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import canonical
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps
from kemu_verifier.evidence import answers as a
from kemu_verifier.evidence.examine import Examination, Found
from kemu_verifier.evidence.proof import Induction, Ranking
from kemu_verifier.methods.search.random_search import plays
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.contracts import RuleRun
from kemu_verifier.symbolic.deadline import Deadline

from tests.kemu.conftest import CELLS
from tests.rules import game_in
from tests.verifier.evidence.written import broken, plain, value, visited

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("inductions")]  # games are examined once

SHOP = """
game "Shop"
players one, two
domain Good = 0..30
state:
    till:  0..40 = 20
    fund:  0..40
    fee:   1..4 = 1
    each p in Player:
        purse: 0..40 = 10
        sour:  bool
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            buy(n in 1..3) if purse[p] >= n and till + n <= 40 and not sour[p]: move n from purse[p] to till
            pay(n in 1..3) if till >= n and purse[p] + n <= 40 and shelf[n] is some:
                move n from till to purse[p]
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            sulk if not sour[p]: sour[p] = true
            cheer if sour[p]:
                if till >= 2 and purse[p] + 2 <= 40 and shelf[2] != 4:
                    move 2 from till to purse[p]
                sour[p] = shelf[2] == 1
            found if fund + fee <= 20 and till >= fee:
                move fee from till to fund
                if fee < 4: fee += 1
            leave if sour[p]: end tie
lemma kept: always fund + till + sum(purse[p] for p in Player) == 40
property enough: always till + purse[one] <= 40
property fees: always fund >= fee - 1
"""
PURSES = """
game "Purses"
players one, two
domain Good = 0..30
state:
    till:  0..2000 = 1000
    purse: map[Player, 0..2000] = {p: 500 for p in Player}
    shelf: map[Good, Good?]
rules:
    for p in turns():
        choose by p:
            buy(n in 1..5) if purse[p] >= n and till + n <= 2000: move n from purse[p] to till
            sort(g in Good, h in Good) if g < 3 and h < 3: shelf[g] = h
            leave: end tie
lemma kept: always till + sum(purse[p] for p in Player) == 2000
property broke expect impossible: possible till + purse[one] > 2000
"""
SIXTEEN = Path(CELLS).read_text("utf-8")
GAMES = [(SIXTEEN, False), (SHOP, True), (PURSES, True)]


@cache
def examined(text: str, parts: bool) -> tuple[Game, Found]:
    """A game and what is written of it; `parts`: parts of it are looked at, however small the whole is."""
    game = game_in(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(strategy, "STATES", 1)
        if parts:
            patch.setattr(strategy, "SMALL", 0)
            patch.setattr(strategy, "NEARLY", 1_000)
        examination = Examination(game, None, 8.0, lambda words: None, True)
        assert list(examination.verdicts())
        return game, examination.proofs()


def evidence(found: Found) -> dict[str, a.Evidence]:
    return {each.key: each.evidence for each in found.answers}


@pytest.mark.parametrize(("text", "parts"), GAMES, ids=["cells", "shop", "purses"])
def test_what_is_written_is_well_formed_and_holds_in_random_plays(text: str, parts: bool) -> None:
    game, found = examined(text, parts)
    played = plays(Steps(game), 10, Deadline(5))
    inductions = [proof for proof in found.proofs if isinstance(proof, Induction)]
    assert any(proof.known for proof in inductions)
    for proof in inductions:
        assert broken(proof, played) == []
        for known in proof.known:
            exprs = plain(known.exprs, proof.definitions, 3)
            claimed = (
                k.Property(str(e), "always", (e,), None, (known.block,), None, False, -1) for e in exprs
            )
            assert problems(replace(game.program, properties=tuple(claimed))) == []


def test_every_proved_claim_has_evidence() -> None:
    _, found = examined(SIXTEEN, False)
    about = evidence(found)
    assert about["fair"] == a.Excluded(("whole",))
    assert isinstance(about["ends"], a.Ranked) and about["ends"].ranking == "ending"
    assert not any("Clock()" in canonical(p) for p in found.proofs if p.name in about["ends"].proofs)
    assert isinstance(about["most"], a.Play)
    assert {key for key, each in about.items() if isinstance(each, a.Nothing)} == {"result_determined"}


def test_a_ranking_keeps_above_its_bound_and_falls() -> None:
    game, found = examined(SIXTEEN, False)
    (ranking,) = (proof for proof in found.proofs if isinstance(proof, Ranking))
    for one in plays(Steps(game), 20, Deadline(5)):
        seen: list[tuple[int, ...]] = []
        for state, decisions in visited([one]):
            heights = [
                (low, value(state, expr, ranking.definitions, decisions))
                for round_ in ranking.rounds
                for each in round_.expressions
                if each.block == state.block
                for low, expr in zip(round_.lows, each.exprs, strict=True)
            ]
            assert all(number is not None and low <= number for low, number in heights)
            seen += [tuple(number for _, number in heights if number is not None)] if heights else []
        assert seen == sorted(set(seen), reverse=True)


def test_a_part_of_the_state_forgets_what_it_does_not_look_at() -> None:
    game, found = examined(SHOP, True)
    names = [var.name for var in game.program.vars]
    proofs = {proof.name: proof for proof in found.proofs}
    about = evidence(found)["fees"]
    assert isinstance(about, a.Excluded)
    (fees,) = (proofs[name] for name in about.proofs)
    assert isinstance(fees, Induction)
    hidden = {names[at] for at in fees.forget}
    assert {"till", "purse"} <= hidden <= {"till", "purse", "sour", "shelf", "result"}


@pytest.mark.parametrize("text", [SHOP, PURSES], ids=["shop", "purses"])
def test_proofs_rest_on_those_before_them(text: str) -> None:
    _, found = examined(text, True)
    done: set[str] = set()
    for proof in found.proofs:
        assert set(proof.uses) <= done
        done.add(proof.name)
    for about in evidence(found).values():
        assert set(getattr(about, "proofs", ())) <= done


def test_the_whole_state_takes_over_what_was_proved_on_a_part() -> None:
    _, found = examined(PURSES, True)
    assert evidence(found)["broke"] == a.Excluded(("part-1", "whole"))


def test_claims_about_a_rule_by_itself_are_written_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "ALL_STARTS", 0)
    monkeypatch.setattr(strategy, "SOLVED_STARTS", 0)
    monkeypatch.setattr(RuleRun, "bounded", lambda *_: None)
    game = game_in(
        """
        game "Ring"
        players ann, bob
        state:
            at: 0..5 = 0
            fuel: 0..9 = 3
        rules:
            drive(ann)
            end tie
        rule drive(p: Player):
            while at != 0 and fuel > 0:
                choose step(n in 1..2) by p
                at = (at + n) % 6
                fuel -= 1
        property ends:  from any: run drive(bob) returns by fuel
        property wrong: from any: run drive(bob) never returns
        """
    )
    examination = Examination(game, ["ends", "wrong"], 5.0, lambda words: None, False)
    assert {v.property: v.kind for v in examination.verdicts()} == {"ends": "proved", "wrong": "refuted"}
    found = examination.proofs()
    about = evidence(found)
    assert isinstance(about["ends"], a.Ranked) and isinstance(about["wrong"], a.Play)
    (ranking,) = (proof for proof in found.proofs if proof.name == about["ends"].ranking)
    assert isinstance(ranking, Ranking) and ranking.rounds
