"""Claims that nothing is lost, however many places things are moved between."""

from __future__ import annotations

import signal
from typing import Any

import pytest
from kemu_engine.play.game import Game
from kemu_engine.support.time_limit import OutOfTime, within
from kemu_verifier.goal.questions import questions
from kemu_verifier.methods.invariants.equal_locals import copies
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.actions import kept_by_actions
from kemu_verifier.strategy.conservation import conserved, lap_by_lap
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import Localized, prove_on_parts
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in

HARBOUR = """
game "Harbour"
players one, two
domain Quay = 1..40
domain Isle = 1..8
state:
    stock: bag[Player, 40] = {p: 15 for p in Player}
    boats: map[Quay, bag[Player, 5]]
    king:  map[Isle, Player?]
    drawn: 0..30
fun isle(q: Quay) -> Isle: (q - 1) // 5 + 1
fun quays(i: Isle):        {q for q in Quay if isle(q) == i}
fun owned(p: Player):      stock[p] + sum(boats[q][p] for q in Quay) + len({i for i in Isle if king[i] == p})
rules:
    for p in turns():
        turn(p)
rule turn(p: Player):
    choose by p:
        set_out(q in Quay) if stock[p] > 0 and len(boats[q]) < 5:
            move p from stock to boats[q]
        sail(q in Quay) if q < 40 and len(boats[q]) + len(boats[q + 1]) <= 5:
            move all from boats[q] to boats[q + 1]
        crown(i in Isle) if king[i] is none and any(boats[q][p] > 0 for q in quays(i)):
            for q in quays(i):
                move all p from boats[q] to stock
            move p from stock to king[i]
        flood(s in some_isles()) if drawn < 30:
            drawn += 1
            for i in s:
                for q in quays(i):
                    move all from boats[q] to stock
        leave:
            end tie
fun some_isles(): {s for n in 1..2 for s in subsets(Isle, n)}
lemma    kept for p in Player:  always owned(p) == 15
property fewer for p in Player: always owned(p) <= 14 or stock[p] < 9
"""


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """How soon z3 answers depends on what it was asked before, in other tests."""
    monkeypatch.setattr(strategy, "PATIENCE", 30.0)


def proved(text: str) -> dict[str, str]:
    """The claims about sums that are proved, and how."""
    return conserving(of(text)).proved


def of(text: str) -> ProofContext:
    return ProofContext(game_in(text), 20, lambda words: None)


def conserving(context: ProofContext) -> Localized:
    """What is found of the claims about sums."""
    found = Localized(kept=[])
    conserved(context, questions(context.program, False), found, Deadline(200))
    return found


def test_what_is_moved_between_many_places_is_not_lost() -> None:
    found = proved(HARBOUR)
    assert found.keys() == {"kept(one)", "kept(two)"}
    assert all("what cancels" in by for by in found.values())


@pytest.mark.parametrize(
    ("kept", "lost"),
    [
        ("move all from boats[q] to boats[q + 1]", "boats[q] = {}"),
        ("move p from stock to king[i]", "king[i] = p"),
        ("move all p from boats[q] to stock", "boats[q] = {}"),
    ],
)
def test_where_something_is_lost_that_is_not_proved(kept: str, lost: str) -> None:
    assert proved(HARBOUR.replace(kept, lost)) == {}


STORM = (
    HARBOUR.replace("1..40\n", "1..45\n").replace("1..8\n", "1..9\n").replace("q < 40", "q < 45")
    .replace("    drawn: 0..30\n", "    reefs: set[Isle]\n")
    .replace("flood(s in some_isles()) if drawn < 30:", "reef(r in Isle): reefs |= {r}\n        storm:")
    .replace("            drawn += 1\n", "")
    .replace("for i in s:", "for i in reefs:")
    .replace("fun some_isles(): {s for n in 1..2 for s in subsets(Isle, n)}\n", "")
)  # fmt: skip
BACK = "    for q in quays(i):\n                    move all from boats[q] to stock"


def test_what_is_moved_lap_by_lap_is_not_lost() -> None:
    """The loop over islands is cut, that over the few quays of an island is not."""
    context = of(STORM)
    (whole,) = conserving(context).kept or ()
    (part,) = lap_by_lap(context, questions(context.program, False), whole, Deadline(100))
    assert whole.cut is None
    assert whole.proved.keys() == part.proved.keys() == {"kept(one)", "kept(two)"}
    assert part.cut is not None and len(part.cut.opened) == len(part.cut.heads) == 1


def test_what_is_lost_in_a_lap_is_lost() -> None:
    assert STORM.count(BACK) == 1
    context = of(STORM.replace(BACK, BACK.replace("move all from boats[q] to stock", "boats[q] = {}")))
    assert conserving(context).proved == {}
    (whole,) = conserving(of(STORM)).kept or ()
    assert lap_by_lap(context, questions(context.program, False), whole, Deadline(100)) == [whole]


def test_what_a_rule_is_given_is_what_its_caller_had() -> None:
    game: Game = game_in(HARBOUR)
    block = next(at for at, one in enumerate(game.program.blocks) if one.name.startswith("turn."))
    (first,) = set(copies(game.program, Deadline(10))[block].values())
    assert game.program.locals[first].name == "rules.p"


@pytest.mark.parametrize("method", [conserved, prove_on_parts, kept_by_actions])
def test_what_is_proved_when_time_is_up_has_its_part(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told = Knowledge.told

    def ring(knowledge: Knowledge) -> str:
        signal.raise_signal(signal.SIGPROF)
        return told(knowledge)

    monkeypatch.setattr(Knowledge, "told", ring)
    monkeypatch.setattr(strategy, "SMALL", 0)
    game, found = game_in(RAIN), Localized(kept=[])
    context = ProofContext(game, 20, lambda words: None)
    with pytest.raises(OutOfTime), within(100.0):
        method(context, questions(game.program, True), found, Deadline(60))
    assert "kept" in found.proved
    shown = {key for part in found.kept or () for key in part.proved}
    assert found.proved.keys() <= shown


RAIN = """
game "Rain"
players one, two
domain Field = 1..6
state:
    water: map[Field, 0..9] = {f: 3 for f in Field}
    days: 0..40
rules:
    for p in turns():
        choose by p:
            flow(f in Field) if f < 6 and water[f] > 0 and water[f + 1] < 9:
                water[f] -= 1
                water[f + 1] += 1
            end_:
                end tie
        days = min(days + 1, 40)
property kept: always sum(water[f] for f in Field) == 18
"""
