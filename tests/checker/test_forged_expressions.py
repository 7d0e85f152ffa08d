"""Proofs whose facts mean one thing where they are assumed and another where they are shown: all refused."""

from pathlib import Path

import pytest

from tests.checker.written import TRUE, Written, number, op, written

HELD = """
game "Held"
players ann
domain Place = 0..2
state:
    x: 0..9 = 5
    on: set[Place] = {1}
    off: set[Place] = {}
    at: map[Place, 0..3 = 0]
rules:
    while true:
        choose by ann:
            keep: pass
            more if any(p in off for p in Place): off = {}
            stop: end win(ann)
property five: never x == 5
"""
STOP, END, FALSE = "rules.choose", "rules.end win", "Const(Bool(),0,),"


@pytest.fixture
def held(tmp_path: Path) -> Written:
    return written(tmp_path, HELD)


def at(game: Written, name: str) -> int:
    return next(i for i, var in enumerate(game.program.vars) if var.name == name)


def binder(game: Written) -> int:
    """A local that is bound by something in the game."""
    return next(i for i, local in enumerate(game.program.locals) if local.name == "p")


def fold(game: Written, kind: str, operator: str, over: str, body: str) -> str:
    return f'Fold({kind}"{operator}",{binder(game):x},{game.load(over)}{TRUE}{body}),'


def local(game: Written) -> str:
    return f"Local(Int(0,2,),{binder(game):x},),"


def judged(game: Written, fact: str, *definitions: str, end: str = FALSE) -> str:
    """By a fact that is true in the opening and, where it is assumed, of no state; so that no play ends."""
    known = f"Known({game.stop(STOP)}[{fact}],),Known({game.stop(END)}[{end}],),"
    game.proofs["fact"] = f'Induction("fact",[],[],[{"".join(definitions)}],[{known}],),'
    return game.judge("five", "proved", kind="excluded", proofs=["fact"])


def test_a_number_said_to_be_a_truth_value(held: Written) -> None:
    five = f"Load(Bool(),{at(held, 'x'):x},),"
    assert judged(held, five, end=five) == "wrong"


def test_a_definition_that_is_no_truth_value(held: Written) -> None:
    assert judged(held, "Def(0,),", held.load("x"), end="Def(0,),") == "wrong"


def test_a_definition_that_reads_what_is_bound_around_it(held: Written) -> None:
    one = op("eq", local(held), number(1))
    assert judged(held, fold(held, "Bool(),", "any", "on", "Def(0,),"), one) == "wrong"


def test_a_local_that_a_fold_has_left(held: Written) -> None:
    some = fold(held, "Bool(),", "any", "on", TRUE)
    assert judged(held, op("and", some, op("eq", local(held), number(1)))) == "wrong"


def test_a_local_that_is_bound_within_itself(held: Written) -> None:
    inner = fold(held, "Bool(),", "any", "on", TRUE)
    one = op("and", inner, op("eq", local(held), number(1)))
    assert judged(held, fold(held, "Bool(),", "any", "on", one)) == "wrong"


def test_the_greatest_of_nothing(held: Written) -> None:
    greatest = fold(held, "Int(7,9,),", "max", "off", number(3))
    assert judged(held, op("eq", greatest, number(7))) == "wrong"


@pytest.mark.parametrize(
    "part",
    [
        pytest.param("At(Int(0,3,),{at}Load(Int(0,2,),{x}),),", id="an index"),
        pytest.param('Op(Int(-9,9,),"div",[{one}Op(Int(1,1,),"sub",[{load}{load}],),],),', id="a divisor"),
        pytest.param('Op(Int(0,3,),"card",[Op(Set(3,),"single",[Load(Int(0,2,),{x}),],),],),', id="a member"),
        pytest.param(
            "Trial(Int(0,3,),[Put({at}Load(Int(0,2,),{x}),{one}),],{one}),", id="a place that is written"
        ),
        pytest.param("Trial(Int(0,9,),[Store({x}{ten}),],{load}),", id="a number that is written"),
    ],
)
def test_a_number_said_to_be_in_a_narrower_range(held: Written, part: str) -> None:
    """It would fault where it is looked at on the way from the opening only, and be true of other states."""
    names = {name: f"{at(held, name):x}," for name in ("x", "at")}
    ten = f'Op(Int(0,9,),"add",[{held.load("x")}{held.load("x")}],),'
    part = part.format(**names, load=held.load("x"), one=number(1), true=TRUE, ten=ten)
    five = op("eq", held.load("x"), number(5))
    fact = op("or", five, op("le", number(0), part))
    assert judged(held, fact, end=fact) == "wrong"


def test_a_part_that_is_never_asked_says_nothing_of_the_rest(tmp_path: Path) -> None:
    """Of `five and (five or ...)` the last is worked out nowhere, so it cannot take the first away."""
    row = HELD.replace("rules:", "    row: list[0..3, 2]\nrules:", 1)
    game = written(tmp_path, row + "property may: possible x == 5 and (x == 5 or row[0] == 1)\n")
    assert game.judge("may", "impossible", kind="excluded", proofs=[]) == "wrong"
