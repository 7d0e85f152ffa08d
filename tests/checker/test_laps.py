"""What is shown lap by lap: each rule lets a proof through, and stops one that no other rule stops."""

from pathlib import Path
from random import Random

import pytest
from kemu_checker.cuts import Cuts, cut
from kemu_checker.machine import Machine
from kemu_checker.plays import landing
from kemu_checker.shapes import check_program
from kemu_checker.terms import Terms
from kemu_checker.text import read
from kemu_engine.kernel.hash import pieces
from kemu_verifier.symbolic.laps import cut as cut_by_the_prover

from tests.checker.looped import (
    AT,
    DOUBLE,
    END,
    HEAD,
    INNER,
    LONG,
    NESTED,
    SHORT,
    SOUND,
    SWAPPED,
    WAITING,
    looped,
    pour,
)
from tests.checker.written import number, op, whole
from tests.rules import game_in
from tests.verifier.symbolic.test_laps import LOOPS


def test_what_each_lap_keeps_holds_after_all_of_them(tmp_path: Path) -> None:
    game = pour(tmp_path)
    assert game.shown("kept") == game.shown("no_fault", "falls") == game.shown("never_stuck") == "confirmed"
    assert game.shown("action_possible(pour)", verdict="impossible") == "wrong"
    assert game.shown("less") == game.shown("kept", verdict="refuted") == "wrong"


@pytest.mark.parametrize(
    ("lap", "kept"),
    [
        pytest.param(DOUBLE, "wrong", id="two for one"),
        pytest.param(SHORT, "wrong", id="left too early"),
        pytest.param(SWAPPED, "confirmed", id="a fault, and not a lap"),
        pytest.param(WAITING, "confirmed", id="for ever"),
        pytest.param(LONG, "confirmed", id="a fault in the last lap"),
    ],
)
def test_false_claims(tmp_path: Path, lap: list[str], kept: str) -> None:
    """That no step runs into a fault is true of none of them."""
    game = pour(tmp_path, lap)
    assert [game.shown("kept"), game.shown("no_fault", "falls")] == [kept, "wrong"]


def test_a_head_of_which_nothing_is_known(tmp_path: Path) -> None:
    game = pour(tmp_path)
    left, right = game.load("left"), game.load("right")
    full = [op("eq", left, number(40)), op("eq", right, number(0))]
    game.induction("kept", {AT: full, END: full})
    assert game.shown("kept") == game.shown("no_fault", "falls") == "wrong"


def test_a_head_that_is_no_stop(tmp_path: Path) -> None:
    game = pour(tmp_path)
    assert game.shown("kept", cuts=[]) == "wrong"
    assert game.judge("kept", "proved", kind="excluded", proofs=["kept"]) == "wrong"


def test_a_loop_that_may_never_end_is_a_fault(tmp_path: Path) -> None:
    """What is known of all laps says nothing of how many there are."""
    game = pour(tmp_path)
    hand, right = game.local("hand"), game.load("right")
    assert game.shown("no_fault") == game.shown("no_fault", "kept") == game.shown("no_fault", "x") == "wrong"
    for measure, low in ((right, 0), (number(0), 0), (hand, 1), (whole("neg", "Clock(),"), -(2**62))):
        game.ranking("falls", ({HEAD: measure}, low, None))
        assert game.shown("no_fault", "falls") == "wrong"
    game.ranking("falls", ({AT: game.load("left")}, 0, None))
    assert game.shown("no_fault", "falls") == "wrong"
    game.ranking("falls")
    assert game.shown("no_fault", "falls") == "wrong"


@pytest.mark.parametrize(
    ("lap", "below", "verdict"),
    [pytest.param(WAITING, 20, "wrong", id="for ever"), pytest.param(SOUND, 41, "confirmed", id="it ends")],
)
def test_a_measure_that_rests_on_what_laps_keep(
    tmp_path: Path, lap: list[str], below: int, verdict: str
) -> None:
    game = pour(tmp_path, lap)
    game.induction("few", {HEAD: [op("lt", game.load("right"), number(below))]}, ("kept",))
    game.ranking("fewer", ({HEAD: game.local("hand")}, 0, None), uses=("few",))
    assert game.shown("no_fault", "fewer", proofs=["kept", "few"]) == verdict


def test_laps_show_nothing_of_endings_and_lines(tmp_path: Path) -> None:
    """Play may go on for ever by stops that are no heads; lines of a block that is cut are elsewhere."""
    game = pour(tmp_path)
    assert game.shown("terminates", "falls") == "wrong"
    assert game.shown("informed") == game.shown("no_leak") == "wrong"


@pytest.mark.parametrize("cuts", [[0], [99], [-1], [True], ["a"], None, "none", [[1]]])
def test_places_where_no_loop_can_be_cut(tmp_path: Path, cuts: object) -> None:
    game = pour(tmp_path)
    game.proofs = {}
    game.induction("kept", {})
    where = [int(game.stop(AT)[:-1], 16)] if cuts == [0] else cuts
    assert game.shown("never_stuck", cuts=where) == "wrong"
    assert game.shown("never_stuck", cuts=game.cuts * 2) == "wrong"
    assert game.shown("never_stuck") == "confirmed"


def test_locals_that_are_not_set_on_every_way_may_have_any_value(tmp_path: Path) -> None:
    game = pour(tmp_path, SOUND, TWO_WAYS)
    assert game.shown("kept") == "confirmed"
    game.induction("kept", {HEAD: [op("le", game.local("n"), number(3))]})
    assert game.shown("never_stuck") == "confirmed"
    for most in (1, 0):
        game.induction("kept", {HEAD: [op("le", game.local("n"), number(most))]})
        assert game.shown("never_stuck") in ("wrong", "open")


TWO_WAYS = """
game "Two ways"
players ann, bob
state:
    left: 0..40 = 40
    right: 0..40 = 0
rules:
    for p in turns():
        choose:
            pour(n in 1..3): pass
            again: pass
            stop: end win(p)
        hand: 0..40 = left
        left = 0
        while hand > 0:
                    {}
        left = right
        right = 0
property kept: always left == 40
"""


CALLED = """
game "Called"
players ann, bob
state:
    pit: 0..6 = 0
    box: 0..6 = 6
rule feed():
    n: 0..6 = box
    while n > 0 and pit < 6:
        n -= 1
        if box > 0:
            box -= 1
            pit += 1
rules:
    for p in turns():
        choose:
            round:
                more: 0..3 = 3
                while more > 0:
                    more -= 1
                    feed()
                    roll 0..1
                    if pit > 0:
                        pit -= 1
                        box += 1
            feed_: feed()
            stop: end win(p)
property kept: always pit + box == 6
"""


def test_a_rule_with_a_loop_that_is_called_where_other_locals_are_set(tmp_path: Path) -> None:
    game = looped(tmp_path, CALLED)
    total = op("eq", whole("add", game.load("pit"), game.load("box")), number(6))
    game.induction("kept", {stop: [total] for stop in game.blocks})
    assert game.shown("kept") == game.shown("never_stuck") == "confirmed"
    game.induction("kept", {stop: [total, op("lt", game.load("pit"), number(6))] for stop in game.blocks})
    assert game.shown("never_stuck") == "wrong"


def test_loops_within_loops(tmp_path: Path) -> None:
    game = looped(tmp_path, NESTED)
    rows, every, cells = game.load("rows"), game.load("all"), game.local("cells")
    full = {stop: [op("or", *(op("eq", every, number(n)) for n in (0, 81)))] for stop in (AT, END)}
    nine = whole("mul", rows, number(9))
    outer = {HEAD: [op("eq", every, nine)]}
    inner = {INNER: [op("eq", every, whole("add", nine, cells)), op("lt", rows, number(9))]}
    game.induction("kept", full | outer | inner)
    to_go = whole("neg", rows)
    game.ranking("falls", ({HEAD: [to_go, number(1)], INNER: [to_go, whole("neg", cells)]}, -9, None))
    assert game.shown("whole") == game.shown("no_fault", "falls") == "confirmed"
    for only in (HEAD, INNER):
        game.ranking("falls", ({only: number(0)}, 0, None))
        assert game.shown("no_fault", "falls") == "wrong"
    game.ranking("falls", ({HEAD: to_go}, -9, None))
    game.induction("kept", full | outer)
    assert game.shown("no_fault", "falls", cuts=game.cuts[:1]) == "confirmed"  # the others are followed


FILL = """
game "Fill"
players ann, bob
state:
    left: 0..12 = 12
    right: 0..12
rules:
    for p in turns():
        choose:
            pour:
                hand: 0..12 = left
                left = 0
                {}
                left = right
                right = 0
            stop: end win(p)
property kept: always left == 12
"""
EACH = """for n in 1..hand:
                    right += 1"""
TIMES = """repeat at most 13:
                    if right == hand: break
                    right += 1"""


@pytest.mark.parametrize(("loop", "new"), [(EACH, "rest"), (TIMES, "laps")])
def test_loops_in_the_code_of_a_block(tmp_path: Path, loop: str, new: str) -> None:
    game = looped(tmp_path, FILL.replace("{}", loop))
    made = cut_by_the_prover(game.program)
    assert made is not None and len(made.opened) == 1
    game.program, (head,) = made.program, made.heads
    game.blocks[HEAD] = f"{head:x},"
    left, right, hand = game.load("left"), game.load("right"), game.local("hand")
    at = next(i for i, local in enumerate(made.program.locals) if local.name == new)
    kind = made.program.locals[at].type
    if new == "rest":
        kept = f"Local(Set({kind.size:x},),{at:x},),"
        to_go = op("card", kept, kind=f"Int(0,{kind.size:x},)")
        laps = [op("eq", whole("add", to_go, right, number(1)), hand)]
    else:
        to_go = whole("neg", f"Local(Int(0,{kind.high:x},),{at:x},),")
        laps = [op("eq", whole("neg", to_go), right), op("le", right, hand)]
    full = [op("eq", left, number(12)), op("eq", right, number(0))]
    game.induction("kept", {AT: full, END: full, HEAD: [*laps, op("eq", hand, number(12))]})
    game.ranking("falls", ({HEAD: to_go}, -13, None))
    cuts = {"cuts": [head], "opened": [list(each) for each in made.opened]}
    game.program = game.game._playable.program
    assert game.shown("kept", **cuts) == game.shown("no_fault", "falls", **cuts) == "confirmed"
    game.ranking("falls", ({HEAD: number(0)}, 0, None))
    assert game.shown("no_fault", "falls", **cuts) == "wrong"
    for other in ([], [[0, 0]], [[99, 0]], [[*made.opened[0], 1]], [[-1, 0]], made.opened * 2, 7):
        assert game.shown("kept", cuts=[head], opened=other) == "wrong"


@pytest.mark.parametrize("seed", range(4))
def test_a_program_with_its_loops_cut_plays_alike(seed: int) -> None:
    game, random = game_in(LOOPS), Random(seed)
    made = cut_by_the_prover(game.program)
    assert made is not None and len(made.heads) == 3
    program = check_program(read("".join(pieces(game.program))))
    whole_, parts = (
        Machine(each, Terms())
        for each in (program, cut(program, Cuts(made.opened, tuple(sorted(made.heads)))))
    )
    one, other = landing(whole_, whole_.begin()), landing(parts, parts.begin())
    while one.position is not None and other.position is not None:
        assert one.position.key == other.position.key
        if not one.position.ways:
            break
        chosen = random.randrange(len(one.position.ways))
        one, other = (each.position.step(each.position.ways[chosen]) for each in (one, other))
        while other.position is not None and other.position.block in made.heads:
            (way,) = other.position.ways
            other = other.position.step(way)
    assert (one.position is None) == (other.position is None) and one.fault == other.fault


MIXED = """
game "Mixed"
players ann, bob
state:
    left: 0..6 = 6
    seen: 0..6 = 0
rules:
    while left > 0:
        left -= 1
        seen += 1
    while seen > 0:
        d = roll 0..1
        if d == 1 and seen > 1: seen -= 1
        choose by ann:
            on if seen > 2: pass
        else:
            seen -= 1
    end tie
property nothing: at_end seen == 0 and left == 0
property something: always seen + left > 0
"""


def test_loops_before_the_first_stop_and_such_with_stops(tmp_path: Path) -> None:
    game = looped(tmp_path, MIXED)
    assert len(game.cuts) == 1
    left, seen = game.load("left"), game.load("seen")
    all_seen = op("eq", whole("add", left, seen), number(6))
    some = [op("eq", left, number(0)), op("lt", number(0), seen)]
    stops = {stop: some for stop in game.blocks if stop != HEAD}
    end = next(stop for stop in stops if "end" in stop)
    game.induction("kept", stops | {HEAD: [all_seen], end: [some[0], op("eq", seen, number(0))]})
    game.ranking("falls", ({HEAD: left}, 0, None))
    assert game.shown("nothing") == game.shown("no_fault", "falls") == "confirmed"
    assert game.shown("something") == "wrong"
