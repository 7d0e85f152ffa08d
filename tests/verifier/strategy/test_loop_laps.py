"""What each lap of a loop keeps, and whether loops end."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from kemu_verifier.evidence.answers import Excluded
from kemu_verifier.evidence.proof import Cut as Looped
from kemu_verifier.evidence.writing import Writing
from kemu_verifier.goal.questions import questions
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.k_induction import proved_facts
from kemu_verifier.strategy import context
from kemu_verifier.strategy.case import Case
from kemu_verifier.strategy.localization import Lapped, Localized, Shown, posed
from kemu_verifier.strategy.loop_laps import kept_by_laps
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.expressions import Expressions
from kemu_verifier.symbolic.laps import Cut
from kemu_verifier.symbolic.values import TooLarge

from tests.rules import game_in

WHILE = """
        hand: 0..12 = pit[x]
        pit[x] = 0
        while hand > 0:
            at += 1
            if WHEN:
                pit[at] += MORE
                hand -= 1
"""
FOR = """
        hand: 0..12 = pit[x]
        pit[x] = 0
        for n in 1..hand:
            at += 1
            pit[at] += MORE
"""
SOWN = """
game "Sown"
players ann, bob
domain Pit = ring(0..3)
state:
    pit: map[Pit, 0..12] = {x: 3 for x in Pit}
rules:
    for p in turns():
        if pit[0] > 5: end tie
        choose sow(x in Pit) by p if pit[x] > 0
        at: Pit = xLAPS
property kept: always sum(pit[x] for x in Pit) == 12
"""


@pytest.mark.parametrize(
    ("laps", "kept", "faultless"),
    [
        (WHILE.replace("MORE", "1").replace("WHEN", "hand > 0"), True, True),
        (WHILE.replace("MORE", "2").replace("WHEN", "hand > 0"), False, False),
        (WHILE.replace("MORE", "1").replace("WHEN", "pit[0] != 11"), True, False),  # it may go on for ever
        (FOR.replace("MORE", "1"), True, True),
        (FOR.replace("MORE", "2"), False, False),
    ],
    ids=["while", "two for one", "for ever", "for", "two for each"],
)
def test_what_each_lap_keeps_holds_after_all_of_them(laps: str, kept: bool, faultless: bool) -> None:
    one = context.ProofContext(game_in(SOWN.replace("LAPS", laps)), 96, lambda words: None)
    asked = questions(one.program, True)
    case = Case(one, asked, True)
    case.goals |= {q.key: q.goal(None) for q in asked if q.goal is not None}
    kept_by_laps(one, asked, case.localized, Deadline(480))
    assert ("kept" in case.localized.proved) == kept
    assert case.shown(next(q for q in asked if q.name == "no_fault")) == faultless


NEAR = """
fun near(): closure({x for x in Pit if x == 0}, x -> {y for y in Pit if 12 // pit[0] > y})
property same: always near() == near()
"""


def test_what_is_claimed_of_closures_that_are_left_unread_may_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def large(*given: object) -> None:
        raise TooLarge("a closure")

    monkeypatch.setattr(Expressions, "_closure", large)
    rules = SOWN.replace("LAPS", FOR.replace("MORE", "1")) + NEAR
    one, found = context.ProofContext(game_in(rules), 96, lambda words: None), Localized()
    kept_by_laps(one, questions(one.program, False), found, Deadline(480))
    assert set(found.proved) == {"kept"}


def test_what_is_shown_on_parts_under_what_laps_keep_rests_on_that() -> None:
    claims = [f"property {name}: always pit[{n}] < 12\n" for n, name in enumerate(("next", "last", "other"))]
    one = context.ProofContext(game_in(SOWN.replace("LAPS", "") + "".join(claims)), 24, lambda words: None)
    asked = {q.key: q for q in questions(one.program, True)}
    one.__dict__["_graph"] = SimpleNamespace(complete=False)
    case = Case(one, list(asked.values()), True)
    proved = Localized(dict.fromkeys(("kept", "other", "next"), ""))
    _, known = posed(one, [asked[key] for key in proved.proved], proved)
    one.knowledge.add(proved_facts(known))

    def part(given: str, proved: str, cut: Cut | None = None) -> Shown:
        some = [{key: asked[key] for key in keys.split()} for keys in (given, proved)]
        return Shown(one, frozenset(), "a part", *some, frozenset(), cut=cut)

    made = Cut(one.program, frozenset(), (), {})
    case.localized.laps = Lapped(made, (part("", "kept", made),), None)
    case.localized.kept = [part("", "other"), part("kept", "next"), part("other next", "last")]
    run: Any = SimpleNamespace(context=one, case=case)
    writing = Writing(run, [])
    shown = Verdict("last", False, asked["last"].form, "proved", "induction")
    assert writing.evidence(asked["last"], shown) == Excluded(("part-1", "laps-1", "part-2", "part-3"))
    assert [proof.name for proof in writing.proofs.values() if isinstance(proof, Looped)] == ["laps-1"]
