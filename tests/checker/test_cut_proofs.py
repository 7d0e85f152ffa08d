"""Proofs about a program with loops cut: what they say of the whole program, and what they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_checker.bundle import read_proof
from kemu_checker.cuts import Cuts
from kemu_checker.rules import Proofs
from kemu_checker.shapes import check_program
from kemu_checker.text import BadText, read
from kemu_checker.views import Limits
from kemu_verifier.symbolic.laps import cut as cut_by_the_prover

from tests.checker.looped import (
    AT,
    DOUBLE,
    END,
    HEAD,
    INNER,
    NESTED,
    NEVER,
    SOUND,
    WAITING,
    looped,
    pour,
    proved_where_cut,
)
from tests.checker.written import number, op, whole


@pytest.mark.parametrize(("lap", "kept"), [(SOUND, "confirmed"), (WAITING, "confirmed"), (DOUBLE, "wrong")])
def test_what_is_proved_where_loops_are_cut_holds_where_they_are_not(
    tmp_path: Path, lap: list[str], kept: str
) -> None:
    game = pour(tmp_path, lap)
    proved_where_cut(game, "kept")
    assert game.judge("kept", "proved", kind="excluded", proofs=["kept"]) == kept
    assert game.judge("less", "proved", kind="excluded", proofs=["kept"]) == "wrong"


def test_proofs_where_loops_are_cut_and_others_rest_on_each_other(tmp_path: Path) -> None:
    game = pour(tmp_path)
    left, right, game.proofs = game.load("left"), game.load("right"), {}
    game.induction("next", {AT: [op("le", right, number(0))]})
    game.induction("kept", {AT: [op("eq", right, number(0))], HEAD: [op("eq", left, number(0))]}, ("next",))
    game.induction("last", {AT: [op("lt", right, number(1))]}, ("kept",))
    proved_where_cut(game, "kept")
    evidence = {"kind": "excluded", "proofs": ["next", "kept", "last"]}
    assert game.judge("never_stuck", "proved", **evidence) == "confirmed"


def test_what_is_said_of_blocks_that_are_stops_elsewhere_only(tmp_path: Path) -> None:
    """Where no loop is cut, or another, nobody comes to the block: so anything can be said of it there."""
    game = looped(tmp_path, NESTED.replace("81", "80"))
    game.induction("said", {HEAD: [NEVER], INNER: [NEVER]})
    claimed = op("or", *(op("eq", game.load("all"), number(n)) for n in (0, 80)))
    game.induction("kept", {AT: [claimed], END: [claimed]}, ("said",))
    proved_where_cut(game, "kept")
    evidence = {"kind": "excluded", "proofs": ["said", "kept"]}
    assert game.judge("whole", "proved", **evidence) == "wrong"
    outer, inner = game.cuts
    game.proofs["kept"] = game.proofs["kept"].replace(f"{outer:x},{inner:x},", f"{inner:x},", 1)
    proved_where_cut(game, "said", cuts=[outer])
    assert game.judge("whole", "proved", **evidence) == "wrong"


def test_a_measure_of_laps_is_none_of_play(tmp_path: Path) -> None:
    game = pour(tmp_path)
    proved_where_cut(game, "kept", "falls")
    for key in ("terminates", "no_fault"):
        assert game.judge(key, "proved", kind="ranking", proofs=["kept"], ranking="falls") == "wrong"


def test_a_measure_of_play_is_none_of_laps(tmp_path: Path) -> None:
    game = pour(tmp_path)
    game.ranking("falls", ({HEAD: whole("neg", game.load("right"))}, -40, None))
    proved_where_cut(game, "kept")
    evidence = {"kind": "laps", "cuts": game.cuts, "proofs": ["kept"], "ranking": "falls"}
    assert game.judge("no_fault", "proved", **evidence) == "wrong"
    proved_where_cut(game, "falls")
    assert game.judge("no_fault", "proved", **evidence) == "confirmed"


def test_no_loop_of_a_rule_by_itself_is_cut(tmp_path: Path) -> None:
    """It begins in any state: what is said of a head may be of where it begins."""
    game = pour(tmp_path)
    program, (begin,) = check_program(read(game.text())), game.cuts
    proof = read_proof(game.cut('Induction("kept",[],[],[],[],),', Cuts((), (begin,))), program)
    with pytest.raises(ValueError, match="cuts loops"):
        Proofs(program, Limits("glucose"), begin=begin).add(proof.node, proof.cuts)


@pytest.mark.parametrize("blocks", ["99,", "0,0,", "-1,", '"a",', "[],"])
def test_proofs_about_loops_that_cannot_be_cut(tmp_path: Path, blocks: str) -> None:
    game = pour(tmp_path)
    game.induction("kept", {})
    plain = game.proofs["kept"]
    for text in (f"Cut([],[{blocks}],{plain}),", f"Cut([],[],Cut([],[],{plain}),),", "Cut([],[],3,),"):
        game.proofs["kept"] = text
        assert game.judge("never_stuck", "proved", kind="excluded", proofs=["kept"]) == "wrong"


TRYING = """
game "Trying"
players ann, bob
state:
    a: 0..12 = 12
    b: 0..12
rules:
    for p in turns():
        for n in 1..a:
            b = n
        roll 0..1
        choose:
            go: a = 5
            stop: end win(p)
property kept: always a == 3
"""


@pytest.mark.parametrize("form", ["Known({},[{}],),|", "Known({},[Def(0,),],),|{}"])
def test_locals_of_one_program_with_loops_cut_are_others_in_another(tmp_path: Path, form: str) -> None:
    """Elsewhere the bit that is tried is a number that is 0: all would follow from what is known."""
    game = looped(tmp_path, TRYING)
    made = cut_by_the_prover(game.program)
    assert made is not None
    known, definition = form.split("|")
    (roll,) = (stop for name, stop in game.blocks.items() if "roll" in name)
    lap = f"{min(made.heads):x},"

    def said(local: int, stop: str) -> None:
        trial = f"Trial(Bool(),[Assign({local:x},{number(1)}),],Const(Bool(),1,),),"
        facts, definitions = known.replace("{},", stop).replace("{}", trial), definition.replace("{}", trial)
        proof = f'Induction("said",[],[],[{definitions}],[{facts}],),'
        cuts = Cuts(made.opened, tuple(made.heads))
        read_proof(game.cut(proof, cuts), check_program(read(game.text())))

    bit = len(game.program.locals)
    with pytest.raises(BadText, match="index of locals"):
        said(bit, roll)
    said(bit, lap)
    said(next(i for i, each in enumerate(game.program.locals) if each.name.endswith(".n")), roll)
