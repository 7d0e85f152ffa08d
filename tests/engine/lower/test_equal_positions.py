"""Positions that play alike are equal states: nothing of how they came about is left in locals."""

from __future__ import annotations

from kemu_engine.play.state import State

from tests.rules import made, play

TWO_CALLERS = """
game "Two callers"
players white, black
state:
    n: 0..3 = 0
rule ask(p: Player) -> 0..2:
    choose say(x in 0..2) by p
    return x
rules:
    choose first(x in 0..3) by white
    n = x
    u = ask(black)
    n = (n + u) % 4
    while true:
        w = ask(white)
        n = w
"""

A_LIST_OF_A_RULE = """
game "A list of a rule"
players white, black
state:
    n: 0..9 = 0
rule collect:
    seen: list[1..3, 3] = []
    choose one(x in 1..3) by white
    seen += [x]
    choose two(x in 1..3) by white
    seen += [x]
    n = len({x for x in seen})
rules:
    while true:
        collect()
        choose go by black
"""


def after(text: str, *actions: str) -> State:
    return play(made(text), *actions)


def test_what_only_another_caller_needs_is_forgotten() -> None:
    assert after(TWO_CALLERS, "first(1)", "say(2)", "say(1)") == after(
        TWO_CALLERS, "first(3)", "say(0)", "say(1)"
    )


def test_a_list_of_a_rule_is_empty_outside_it() -> None:
    assert after(A_LIST_OF_A_RULE, "one(1)", "two(2)") == after(A_LIST_OF_A_RULE, "one(3)", "two(1)")
    assert after(A_LIST_OF_A_RULE, "one(1)", "two(2)", "go") == after(
        A_LIST_OF_A_RULE, "one(3)", "two(1)", "go"
    )
    assert after(A_LIST_OF_A_RULE, "one(1)") != after(A_LIST_OF_A_RULE, "one(2)")
