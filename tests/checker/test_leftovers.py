"""What an expression has left in a local depends on how it was worked out, on known values or not: nobody
reads it. Programs that no compiler writes."""

from pathlib import Path

import pytest
from kemu_checker.text import BadText

from tests.checker.written import Written, number, op, written

SEARCH = """
game "Search"
players ann
domain Place = 0..2
state:
    x: 0..2 = 2
    f: bool
    on: set[Place] = {0, 1, 2}
rules:
    while true:
        choose by ann:
            go:
                f = any(q in on for q in Place)
                x = 1
            look if any(q in on for q in Place):
                x = 1
            stop: end win(ann)
property two: always x == 2
"""


def kept(folder: Path, text: str) -> Written:
    """A game, and a proof that `x` stays 2."""
    game = written(folder, text)
    two = op("eq", game.load("x"), number(2))
    game.induction("kept", {stop: [two] for stop in game.blocks})
    return game


@pytest.fixture
def search(tmp_path: Path) -> Written:
    return kept(tmp_path, SEARCH)


def judged(game: Written, **edited: str) -> str:
    game.edited = dict(each.split(" to ") for each in edited.values())
    return game.judge("two", "proved", kind="excluded", proofs=["kept"])


ONE, TWO, STORE, YES = number(1), number(2), "Store(0,", "Const(Bool(),1,),"
LEFT = "Local(Int(0,2,),1,),"
"""Of the search in `go`: looked at on unknown values, it comes to the last element."""


def test_code_that_reads_it(search: Written) -> None:
    assert judged(search) == "wrong"
    with pytest.raises(BadText, match="local 1 is read where it is not set"):
        judged(search, code=f"{STORE}{ONE} to {STORE}{LEFT}")


def test_what_is_assigned_again_may_be_read(search: Written) -> None:
    assert judged(search, code=f"{STORE}{ONE} to Assign(1,{TWO}),{STORE}{LEFT}") == "confirmed"


def test_a_condition_that_reads_what_the_one_before_has_left(search: Written) -> None:
    first = op("le", "Local(Int(0,2,),0,),", number(0))
    with pytest.raises(BadText, match="local 0 is read where it is not set"):
        judged(search, legal=f"),),{YES}6, to ),),{first}6,")


def test_a_stop_that_keeps_it(search: Written) -> None:
    with pytest.raises(BadText, match="keeps what an expression has left"):
        judged(search, live='[],"rules.choose", to [1,],"rules.choose",')


BRANCH = """
game "Branch"
players ann
domain Place = 0..2
state:
    x: 0..2 = 2
    on: set[Place] = {0, 1, 2}
rules:
    while true:
        choose by ann:
            go:
                if any(q in on for q in Place):
                    x = 1
                    choose by ann:
                        hop: x = 2
                x = 2
            stop: end win(ann)
property two: always x == 2
"""


@pytest.fixture
def branch(tmp_path: Path) -> Written:
    return kept(tmp_path, BRANCH)


def test_code_that_reads_what_the_condition_of_a_branch_has_left(branch: Written) -> None:
    assert judged(branch) == "wrong"
    with pytest.raises(BadText, match="local 0 is read where it is not set"):
        judged(branch, code=f"{STORE}{ONE} to {STORE}Local(Int(0,2,),0,),")


def test_a_branch_by_what_an_expression_has_left(branch: Written) -> None:
    with pytest.raises(BadText, match="goes on by what an expression has left"):
        judged(branch, exit=f"{STORE}{ONE}),],Goto(6,), to {STORE}{ONE}),],Switch(0,[6,6,6,],),")


ARGUMENTS = """
game "Arguments"
players ann
domain Place = 0..2
state:
    x: 0..2 = 2
    on: set[Place] = {0, 1, 2}
rules:
    while true:
        choose by ann:
            go(c in Place) if any(q in on and q > c for q in Place): x = 2
            stop: end win(ann)
property two: always x == 2
"""


def test_a_condition_that_reads_what_it_has_left_for_the_argument_before(tmp_path: Path) -> None:
    game = kept(tmp_path, ARGUMENTS)
    assert judged(game) == "confirmed"
    any_ = game.text().split(f"Const(Set(3,),7,),{YES}Op(")[0].rsplit("Fold(", 1)[1]  # until what it is of
    assert any_ == 'Bool(),"any",1,'
    whole = game.text().split(f"Fold({any_}")[1].split("],),),0,),],")[0] + "],),),"
    both = op("and", op("le", LEFT, number(0)), f"Fold({any_}{whole}")
    with pytest.raises(BadText, match="local 1 is read where it is not set"):
        judged(game, where=f"Fold({any_}{whole} to {both}")
