"""Numbers of things on a large board, and that play ends, shown on the part of the state that they need."""

from __future__ import annotations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.termination.measures import StepSamples
from kemu_verifier.strategy import context, localization, strategy
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import Hiding
from kemu_verifier.symbolic.index_provenance import Pointing

from tests.rules import game_in

pytestmark = pytest.mark.slow

MEADOW = """
game "Meadow"
players ann, bob
domain Spot = 0..11
domain Depth = 0..9
state:
    sheep: map[Spot, Player?]
    fence: map[Spot, Spot?]
    depth: map[Spot, Depth]
rules:
    for p in turns():
        choose graze(s in Spot) by p if sheep[s] is none
        sheep[s] = p
        depth[s] = depth[(s + 1) % 12]
        left: set[Spot] = {t for t in Spot if t < s and t > s - 3}
        while len(left) > 0:
            choose by p:
                build(t in left):
                    fence[t] = s
                    left -= {t}
                rest(t in left) if t > s - 2: left -= REMOVED
        if not any(sheep[t] is none for t in Spot):
            end tie
fun owned(p: Player): len({s for s in Spot if sheep[s] == p})
property half for p in Player: always owned(p) <= HALF
"""


def test_counts_and_the_end_need_little_of_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "STATES", 0)
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(MEADOW.replace("HALF", "6").replace("REMOVED", "{t}"))
    for verdict in verify(game, ["half", "terminates"], seconds=8):
        assert verdict.kind == "proved" and "looking at sheep only" in verdict.by, verdict


@pytest.mark.parametrize(
    ("half", "removed", "proved", "ends"),
    [("6", "{t}", True, True), ("5", "{t}", False, True), ("6", "{}", True, False)],
)
def test_a_sheep_too_many_or_a_choice_that_leaves_all_as_it_was_is_no_proof(
    half: str, removed: str, proved: bool, ends: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random games suggest relations; what else they have shown nobody is told."""
    monkeypatch.setattr(localization, "StepSamples", lambda transitions, _: StepSamples(transitions, []))
    monkeypatch.setattr(strategy, "SMALL", 0)
    monkeypatch.setattr(strategy, "NEARLY", 1_000)
    game = game_in(MEADOW.replace("HALF", half).replace("REMOVED", removed))
    one, found = context.ProofContext(game, 10, lambda words: None), localization.Localized()
    one.shared = 8
    localization.prove_on_parts(one, questions(game.program, True), found, Deadline(20))
    assert ("half(ann)" in found.proved, found.ending != "") == (proved, ends)


def test_what_is_chosen_points_somewhere_only_if_a_place_depends_on_it() -> None:
    program = game_in(MEADOW.replace("HALF", "6").replace("REMOVED", "{t}")).program
    hidden = frozenset(at for at, var in enumerate(program.vars) if var.name in ("fence", "depth"))
    pointing = Pointing(program, Hiding(program, Facts(program), hidden))
    arms = [arm for block in program.blocks if isinstance(block.exit, k.Decide) for arm in block.exit.arms]
    found = {arm.name: pointing.points(arm.target, [param.local for param in arm.params]) for arm in arms}
    assert found == {"graze": True, "build": False, "rest": False}


POT = """
game "Pot"
players ann, bob
domain Card = 1..6
state:
    cards: set[Card] = Card
    top: Card?
    pot: 0..60
rules:
    while cards != {}:
        top = draw from cards
        MORE
    end tie
property kept: always pot + sum(cards) == 21
"""


@pytest.mark.parametrize(("more", "proved"), [("pot += top", True), ("pot += top - 1", False)])
def test_what_is_put_into_a_number_is_looked_at_with_it(more: str, proved: bool) -> None:
    one = context.ProofContext(game_in(POT.replace("MORE", more)), 40, lambda words: None)
    found = localization.Localized()
    localization.prove_on_parts(one, questions(one.program, False), found, Deadline(80))
    assert ("kept" in found.proved) == proved
    assert not proved or "looking at cards, top, pot only" in found.proved["kept"]


TALLY = """
game "Tally"
players ann, bob
domain Spot = 0..99
state:
    n: 0..2
    mark: map[Spot, bool]
rules:
    for p in turns():
        if WHEN: end tie
        n += 1
        choose lay(s in Spot) by p if not mark[s]
        mark[s] = true
"""


@pytest.mark.parametrize(("when", "proved"), [("n == 2", True), ("n == 2 and mark[7]", False)])
def test_faults_that_small_variables_tell_of_are_asked_about_without_a_claim(when: str, proved: bool) -> None:
    one = context.ProofContext(game_in(TALLY.replace("WHEN", when)), 10, lambda words: None)
    one.trouble = "it is not read as a whole"
    found = localization.Localized()
    localization.prove_on_parts(one, questions(one.program, True), found, Deadline(20))
    faults = [at for at, fault in enumerate(one.program.faults) if fault.code == "out_of_range"]
    assert faults and (set(faults) <= found.faultless) == proved
