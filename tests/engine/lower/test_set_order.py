"""A set has one order, whatever it was made from: that of its elements in their domain."""

from __future__ import annotations

import pytest
from kemu_engine.play.view import view

from tests.rules import sound_in, texts

HEAD = """\
game "Order"
players ann, ben
enum Hue: red, green, blue
domain Cell = grid(1..3, 1..3)
domain Odd = [3, 1, 2]
domain Cool = [blue, green]
domain Low = 1..2
domain Any = Hue | Low
fun same(x): x
state:
    k: Hue = blue
    n: 1..3 = 3
    c: Cell = (1, 2)
    o: Odd
    h: Cool
    s: set[Hue] = {red, blue}
    hues: list[Hue, 3] = [blue, green]
    cool: set[Cool] = {blue, green}
    odd: set[Odd] = {3, 1, 2}
    any_: set[Any] = {red, 2, 1}
"""

SETS = [
    ("{k, red}", ["red", "blue"]),
    ("{red, k}", ["red", "blue"]),
    ("{blue, same(k), red}", ["red", "blue"]),
    ("{blue} | {x for x in s if x != k}", ["red", "blue"]),
    ("set(hues)", ["green", "blue"]),
    ("{h, green}", ["green", "blue"]),
    ("{x for x in [blue, k, red]}", ["red", "blue"]),
    ("{x for x in Cool if x != red}", ["green", "blue"]),
    ("cool", ["green", "blue"]),
    ("odd", ["1", "2", "3"]),
    ("{x for x in Odd}", ["1", "2", "3"]),
    ("{n, 1}", ["1", "3"]),
    ("{o, 2}", ["2", "3"]),
    ("any_", ["1", "2", "red"]),
    ("{c, (2, 1)}", ["(2, 1)", "(1, 2)"]),
    ("{blue: n, red: n}", ["red", "blue"]),
    ("{blue: 1, red: 2}", ["red", "blue"]),
    ("{(2, 1), c}", ["(2, 1)", "(1, 2)"]),
    ("({red, k} if n > 1 else {blue, red})", ["red", "blue"]),
    ("closure({k}, x -> {y for y in [green, red] if x == blue})", ["red", "green", "blue"]),
]


@pytest.mark.parametrize(("written", "order"), SETS)
def test_actions_and_loops_go_by_it(written: str, order: list[str]) -> None:
    rules = f"""\
    one: 0..99
rules:
    choose pick(x in {written}) by ann
    for y in {written}:
        choose on(z in {{y}}) by ben
    for y in {written} in order of ann:
        choose go by ben
    end tie
"""
    state = sound_in(HEAD + rules).initial()
    assert texts(state) == [f"pick({x})" for x in order]
    state = state.apply(f"pick({order[-1]})")
    for x in order:
        assert texts(state) == [f"on({x})"]
        state = state.apply(f"on({x})")
    assert texts(state) == [f"next_y({x})" for x in order]


@pytest.mark.parametrize(("written", "order"), SETS)
def test_first_is_its_first(written: str, order: list[str]) -> None:
    rules = f"""\
    yes: bool
rules:
    yes = first({written}) == {order[0]} and first(x for x in {written}) == {order[0]}
    choose go by ann
    end tie
"""
    assert sound_in(HEAD + rules).initial()["yes"] is True


def test_a_set_holds_nothing_twice() -> None:
    rules = """\
    yes: bool
rules:
    yes = only({x // 2 for x in 2..n}) == 1 and first({4 - x for x in 1..n}) == 1
    choose go by ann
    end tie
"""
    assert sound_in(HEAD + rules).initial()["yes"] is True


def test_texts_and_known_sets_are_in_it_too() -> None:
    rules = """\
const known = {blue, red}
check list(known) == [red, blue] and list({x for x in Odd}) == [1, 2, 3]
rules:
    choose go by ann
    end tie
view v:
    line "{s}"
"""
    state = sound_in(HEAD + rules).initial()
    assert state["cool"] == ["green", "blue"] and view(state)[0].lines == ("red blue ",)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("{x for x in hues}", 2),
        ("{x for x in [red, red, green] if x in s}", 1),
        ("{false for x in Cool if n > 1}", 1),
        ("{v for v in [false for i in Cool] if n > 1}", 1),
        ("{(x, y) for x in hues for y in [1, 1]}", 2),
        ("{(x, y) for x in Cool for y in hues if x != y}", 2),
    ],
)
def test_what_is_written_twice_is_in_a_set_once(written: str, number: int) -> None:
    rules = f"""\
rules:
    hues = [blue, green, blue]
    n = len({written})
    if n == 1: cool = {{c for c in Cool if {{c}} == {{only({{x for x in [blue, blue]}})}}}}
    choose go by ann
    end tie
"""
    assert sound_in(HEAD + rules).initial()["n"] == number
