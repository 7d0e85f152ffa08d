"""A map is given whole: after `m = e`, `m == e`. `|=` changes what is given; a type may have a default."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, sound_in

GAME = """\
game "Maps"
players ann, ben
state:
    m: map[1..3, 0..9 = 4]
    k: map[1..3, 0..9] = {1: 1, 2: 2, 3: 3}
    deep: map[1..2, map[1..3, 0..9 = 2]]
    many: list[map[1..3, 0..9 = 1], 3]
    heaps: map[1..2, list[map[1..3, bag[0..2, 2] = {}], 2]]
    n: 0..9 = 7
    i: 1..3 = 2
    yes: bool
fun lowest(m: map[1..3, 0..9 = 5]): m[3]
const some: map[1..3, 0..9 = 8] = {2: 0}
rules:
    STATEMENTS
    yes = TRUTH
    choose go by ann
    end tie
"""


@pytest.mark.parametrize(
    ("statements", "truth"),
    [
        ("pass", "m == {} and m[2] == 4 and deep == {1: {}, 2: {}} and deep[1][1] == 2"),
        ("m = {1: 7}", "m == {1: 7} and m == {1: 7, 2: 4, 3: 4}"),
        ("m = {2: n}", "m == {2: n} and m[1] == 4"),
        ("m = {1: 7}; m = {}", "m == {}"),
        ("m = k", "m == k"),
        ("k = {x: k[4 - x] for x in 1..3}", "k == {1: 3, 2: 2, 3: 1}"),
        ("k = {1: k[2], 2: k[1], 3: n}", "k == {1: 2, 2: 1, 3: 7}"),
        ("m = {1: 7} if n == 7 else {2: 7}", "m == {1: 7}"),
        ("deep[i] = {1: 9}", "deep == {1: {}, 2: {1: 9}}"),
        ("deep = {1: {3: 0}, 2: {2: 0}}", "deep[1] == {3: 0} and deep[2] == {2: 0}"),
        ("many = [{}, {2: 5}]; many += [{3: n}]", "many == [{}, {2: 5}, {3: 7}] and many[0][1] == 1"),
        ("heaps[i] = [{}]; heaps[i][0] = {3: {1: 2}}", "heaps == {1: [], 2: [{3: {1: 2}}]}"),
        # overlaying
        ("k |= {2: 9}", "k == {1: 1, 2: 9, 3: 3}"),
        ("k |= {1: k[3], 3: k[1]}", "k == {1: 3, 2: 2, 3: 1}"),
        ("k |= {x: n for x in 2..3}", "k == {1: 1, 2: 7, 3: 7}"),
        ("k |= {}", "k == {1: 1, 2: 2, 3: 3}"),
        ("deep[i] |= {1: 9}; deep[i] |= {2: 8}", "deep[2] == {1: 9, 2: 8}"),
        ("deep |= {2: {1: 0}}", "deep == {1: {}, 2: {1: 0}}"),
        ("many = [{}]; many[0] |= {1: 0}", "many == [{1: 0}]"),
        ("k = k | {2: 0} | {3: n}", "k == {1: 1, 2: 0, 3: 7}"),
        ("k = {1: 5} | {2: 6, 1: 4} | {3: 0}", "k == {1: 4, 2: 6, 3: 0}"),
        # before play, and through functions
        ("k = some", "k == {1: 8, 2: 0, 3: 8}"),
        ("n = lowest({1: 1}); i = lowest({3: 2})", "n == 5 and i == 2"),
        ("k |= some", "k == some"),
    ],
)
def test_what_a_map_holds(statements: str, truth: str) -> None:
    game = sound_in(GAME.replace("STATEMENTS", statements).replace("TRUTH", truth))
    assert game.initial()["yes"] is True


MENDS = "a default, `map[K, V = 0]`, is for such keys; `|=` changes only what is given"


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("k = {1: 7}", f"this map says nothing of `2` and `3`; {MENDS}"),
        ("k = {}", f"this map says nothing of `1`, `2` and `3`; {MENDS}"),
        ("k = {2: n}", f"this map says nothing of `1` and `3`; {MENDS}"),
        ("k |= {4: 1}", "`4` is not among its keys"),
        ("m = {0: 1, 4: 1}", "`0` and `4` are not among its keys"),
        ("k |= {i: 1}", "this key is not known before play; write `m[key] = value`"),
    ],
)
def test_what_a_map_is_not_given(statement: str, told: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(GAME.replace("STATEMENTS", statement).replace("TRUTH", "true"))
    assert [d.message for d in found.value.diagnostics] == [told]


def test_a_default_is_in_the_range_of_every_key() -> None:
    with pytest.raises(RulesError) as found:
        game_in(GAME.replace("0..9 = 4", "2..9 = 1").replace("STATEMENTS", "pass").replace("TRUTH", "true"))
    assert "1 is not in 2..9" in found.value.diagnostics[0].message
