"""What each action keeps by itself, in games too large to be read as a whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from kemu_verifier.goal.questions import questions
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.actions import kept_by_actions
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import Localized
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in
from tests.soak import as_far

COURT = """
game "Court"
players one, two
use boards
enum Kind: pawn, guard, king
domain Man = (side: Player, kind: Kind)
domain Cell = grid(1..3, 1..4)
const up = {one: (0, 1), two: (0, -1)}
const last = {one: 4, two: 1}
state:
    man:   map[Cell, Man? = none] = {(1, 1): (one, king), (2, 2): (one, pawn), (3, 1): (one, guard),
                                     (3, 4): (two, king), (3, 3): (two, pawn), (2, 4): (two, guard)}
    quiet: 0..40
fun owned(p: Player): {c for c in Cell if man[c] is some and man[c].side == p}
fun open(a: Cell, b: Cell): all(man[x] is none for x in between(a, b))
fun along(a: Cell): {b for d in straight_steps for b in ray(Cell, a, d)}
fun reach(p: Player, a: Cell):
    ({a + up[p]} & Cell if man[a].kind == pawn else {b for b in along(a) if open(a, b)}) - owned(p)
fun checked(p: Player):
    any(man[b] == (other(p), guard) and open(b, man.find((p, king))) for b in along(man.find((p, king))))
rules:
    for p in turns():
        if quiet == 40: end tie
        choose:
            go(a in owned(p), b in reach(p, a)) if man[b] is none or man[b].kind != king:
                quiet = 0 if man[a].kind == pawn or man[b] is some else quiet + 1
                man[b] = man[a]
                man[a] = none
                if man[b].kind == pawn and b.y == last[p]: man[b] = (p, guard)
                require not checked(p)
        else:
            if checked(p): end win(other(p))
            end tie
fun men(): len(owned(one) | owned(two))
fun way_left(): sum(abs(last[p] - c.y) for p in Player for c in Cell if man[c] == (p, pawn))
"""
"""Men of several kinds; whoever moves may not leave his king in check."""
COUNTED = "property most for p in Player: always len(owned(p)) <= 3"
SAFE = "property safe: at go always not checked(other(p))"
INSIDE = "property inside for p in Player: always all(c.y != last[p] for c in Cell if man[c] == (p, pawn))"
ENDS = "property ends: terminates by (men(), way_left(), 40 - quiet)"


def shown(text: str, *claims: str, standard: bool = False) -> Localized:
    """What actions are found to keep, of a game with these claims, and of what is always asked."""
    game = game_in("\n".join((text, *claims)))
    asked, found = questions(game.program, standard), Localized()
    kept_by_actions(ProofContext(game, 60, lambda words: None), asked, found, Deadline(120))
    return found


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "PATIENT", (60.0,))
    monkeypatch.setattr(strategy, "PLAYS", 5)


def test_what_actions_keep_is_proved_of_every_play() -> None:
    found = shown(COURT, COUNTED, SAFE, INSIDE, ENDS)
    assert set(found.proved) == {"most(one)", "most(two)", "safe", "inside(one)", "inside(two)"}
    assert all(by.endswith("each action by itself") for by in found.proved.values())
    assert found.ending.startswith("ranking function of the author")


CHANGES: Sequence[tuple[str, str, str, str]] = (
    ("                require not checked(p)\n", "", SAFE, "safe"),
    ("require not checked(p)", "require not checked(other(p))", SAFE, "safe"),
    ("man[b] = (p, guard)", "man[b] = (other(p), guard)", COUNTED, "most(two)"),
    ("                man[a] = none\n", "", COUNTED, "most(one)"),
    (
        "            end tie\nfun",
        "            man[(1, 1)] = (p, guard)\n            end tie\nfun",
        COUNTED,
        "most(one)",
    ),
    ("b.y == last[p]: man[b]", "b.y == last[p] and b.x != 2: man[b]", INSIDE, "inside(one)"),
    ("else quiet + 1", "else quiet", ENDS, ""),
    ("fun men(): len(owned(one) | owned(two))", "fun men(): len(owned(one))", ENDS, ""),
)


@pytest.mark.parametrize(("old", "new", "claim", "broken"), as_far(4, [*CHANGES[::2], *CHANGES[1::2]]))
def test_what_an_action_breaks_is_not_proved(old: str, new: str, claim: str, broken: str) -> None:
    assert old in COURT
    found = shown(COURT.replace(old, new), claim)
    assert broken not in found.proved
    assert not found.ending


TRYING = """
game "Trying"
players ann, ben
domain Four = 1..4
state:
    n: 0..9
fun could(f: Four): can take(f) by ann
fun some_could(): any(could(f) for f in Four)
rules:
    for p in turns():
        if n <= 5:
            choose by ann:
                take(f in Four):
                    if n > 2:
                        n += f
                    n += 1
                    require n <= 9
        else:
            choose by ann:
                back:
                    n = 0
                stop:
                    end win(ann)
property few: always some_could() or not some_could()
property small: always n <= 9
"""


def test_a_claim_that_tries_something_out_may_fault_and_is_left_to_others() -> None:
    assert set(shown(TRYING).proved) == {"small"}


EITHER = """
game "Either"
players ann, ben
domain Four = 1..4
state:
    men: set[Four] = Four
fun alike(p: Player): 0
rules:
    for p in turns():
        if men == {}: end win(p)
        may choose:
            take(f in men):
                men -= {f}
                require len(men) < 4
"""
"""Somebody may pass; the end has one winner."""


def stuck(text: str) -> bool:
    """Whether something can be found to be always possible, of a game like the one above."""
    game = game_in(text)
    at = next(at for at, fault in enumerate(game.program.faults) if fault.code == "stuck")
    return at not in shown(text).faultless


def test_something_plainly_can_be_done() -> None:
    assert not stuck(EITHER)
    assert stuck(EITHER.replace("may choose:", "choose:"))


def test_who_wins_is_asked_of_the_ends() -> None:
    assert set(shown(EITHER, standard=True).proved) == {"result_determined"}
    assert not shown(EITHER.replace("end win(p)", "end rank(alike)"), standard=True).proved


UNREAD = """
game "Unread"
players ann
domain Cell = 0..3
state:
    tick: 0..9
    lit:  map[Cell, bool]
fun reached(): closure({c for c in Cell if c == 0}, c -> {d for d in Cell if lit[d]})
fun broken(): closure({c for c in Cell if c == 0}, c -> {d for d in Cell if 12 // tick > d})
rules:
    for p in turns():
        choose step by p if (tick > 0 if len(reached()) > 2 else tick < 9)
        tick += -1 if len(reached()) > 2 else 1
        for c in Cell: lit[c] = tick == 9 or lit[c] and tick > 0
property swings: terminates by (tick if len(reached()) > 2 else 9 - tick)
property some:   always len(broken()) >= 0
property same:   always broken() == broken()
property either: always len(broken()) >= 1 or len(broken()) < 1
property within: always tick <= 9
"""
"""It goes on for ever: up, and down again. What closures work out is left unread."""


def test_what_is_unread_is_no_measure_and_its_faults_are_left_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(strategy, "FLOWING", 0.0)
    monkeypatch.setattr(ProofContext, "plays", [])  # none that would show the measure rise
    found = shown(UNREAD)
    assert set(found.proved) == {"within"}
    assert not found.ending


REMEMBERED = """
game "Remembered"
players one, two
domain Four = 0..3
state:
    x: 0..400
    history seen of x
rules:
    for p in turns():
        choose by p:
            up if x < 400: x += 1
            down if x > 0: x -= 1
            leave: end tie
        if x < 1: note seen
fun next(j: Four): 1 // times(seen) if x == 300 else j
property some: always len(closure({0}, i -> {j for j in Four if j == next(j)})) >= 0
property low:  always x <= 400
"""
"""After three hundred times `up` there is nothing to divide by."""


def test_a_claim_may_fault_in_a_closure_that_is_left_unread() -> None:
    assert set(shown(REMEMBERED).proved) == {"low"}
