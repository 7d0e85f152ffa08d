"""Proofs that are short, and would be looked at for ever: they are open, or refused, and that soon."""

from pathlib import Path

import pytest
from kemu_checker import views

from tests.checker.forge import checked
from tests.checker.written import TRUE, Written, number, op, written

HELD = """
game "Held"
players ann
domain Place = 0..2
state:
    x: 0..9 = 5
    on: set[Place] = {1}
rules:
    for p in turns():
        choose:
            on if any(q in on for q in Place): on = {}
            stop: end win(p)
property five: always x == 5
"""
AT = "rules.choose"


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Written:
    monkeypatch.setattr(views, "_STEPS", 0.01)  # of twenty seconds
    return written(tmp_path, HELD)


def judged(game: Written, fact: str, definitions: str = "") -> str:
    game.proofs["fact"] = f'Induction("fact",[],[],[{definitions}],[Known({game.stop(AT)}[{fact}],),],),'
    return game.judge("five", "proved", kind="excluded", proofs=["fact"])


def test_a_loop_that_makes_no_terms(held: Written) -> None:
    assert judged(held, f"Trial(Bool(),[Loop(3fffffffffffffff,[],0,),],{TRUE}),") == "open"


def test_loops_in_loops(held: Written) -> None:
    place = next(i for i, local in enumerate(held.program.locals) if local.name == "q")
    begin = f"For({place:x},Const(Set(3,),7,),["
    assert judged(held, f"Trial(Bool(),[{begin * 40}{'],),' * 40}],{TRUE}),") == "open"


def test_definitions_that_each_speak_twice_of_the_one_before(held: Written) -> None:
    parts = [f'Op(Set(3,),"inter",[Def({i:x},),Def({i:x},),],),' for i in range(60)]
    some = op("card", "Def(3c,),", kind="Int(0,3,)")
    assert judged(held, op("le", number(0), some), "".join(["Const(Set(3,),7,),", *parts])) == "wrong"


def test_a_long_chain_of_definitions(held: Written) -> None:
    parts = [op("not", f"Def({i:x},),") for i in range(3_000)]
    with pytest.raises(RecursionError):
        judged(held, "Def(bb8,),", "".join([TRUE, *parts]))
    assert checked(held.folder).startswith("open: too large")
