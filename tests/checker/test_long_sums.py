"""Sums over many symbols, and variables that a proof forgets: what is decided, and what is left open."""

from pathlib import Path

import pytest
from kemu_engine.kernel.hash import pieces

from tests.checker.written import TRUE, Written, number, op, written

FILLING = """
game "Filling"
players ann, bob
state:
    stone: map[1..24, Player? = none]
    seen: 0..9 = 0
rules:
    for p in turns():
        choose place(c in 1..24) if stone[c] is none
        stone[c] = p
        seen = 9 - seen
        if all(stone[d] is some for d in 1..24): end tie
fun laid(p: Player): len({c for c in 1..24 if stone[c] == p})
property in_turn: at place always laid(ann) == laid(bob) + (1 if p == bob else 0)
property enough:  at place always laid(p) < 12
property fewer:   at place always laid(p) < 11
property ends:    terminates
property small:   always seen < 10
property odd:     never seen == 5
"""
AT = "rules.place"


@pytest.fixture
def filling(tmp_path: Path) -> Written:
    return written(tmp_path, FILLING)


def claimed(game: Written, name: str) -> str:
    """The expression of a property."""
    (expr,) = next(each.exprs for each in game.program.properties if each.name == name)
    return "".join(pieces(expr))


def test_sums_that_a_step_changes_by_so_much_and_a_free_field_that_bounds_them(filling: Written) -> None:
    filling.induction("turns", {AT: [claimed(filling, "in_turn")]})
    assert filling.judge("in_turn", "proved", kind="excluded", proofs=["turns"]) == "confirmed"
    assert filling.judge("enough", "proved", kind="excluded", proofs=["turns"]) == "confirmed"
    assert "glucose" in filling.why


def test_sums_that_are_one_greater(filling: Written) -> None:
    filling.induction("turns", {AT: [claimed(filling, "in_turn")]})
    assert filling.judge("fewer", "proved", kind="excluded", proofs=["turns"]) == "wrong"


def forgetting(game: Written, name: str, *, variable: str, fact: str) -> None:
    """An induction that forgets a variable."""
    game.induction(name, {AT: [fact], "rules.end tie": [fact]})
    at = next(i for i, var in enumerate(game.program.vars) if var.name == variable)
    game.proofs[name] = game.proofs[name].replace(f'"{name}",[],', f'"{name}",[{at:x},],', 1)


def test_what_a_proof_forgets_is_looked_at_if_it_is_needed_after_all(filling: Written) -> None:
    fact = op("or", *(op("eq", filling.load("seen"), number(n)) for n in (0, 9)))
    forgetting(filling, "ends", variable="seen", fact=fact)
    assert filling.judge("odd", "proved", kind="excluded", proofs=["ends"]) == "confirmed"


def test_what_is_forgotten_shows_nothing_wrong_by_itself(filling: Written) -> None:
    forgetting(filling, "nothing", variable="stone", fact=TRUE)
    assert (
        filling.judge("odd", "proved", kind="excluded", proofs=["nothing"]) == "wrong"
    )  # seen alone says so
    forgetting(filling, "nothing", variable="seen", fact=TRUE)
    assert filling.judge("no_fault", "proved", kind="excluded", proofs=["nothing"]) == "confirmed"
