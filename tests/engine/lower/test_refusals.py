"""What cannot be worked out in play: each an error with a code, before the game begins."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in

HEAD = """\
game "Refusals"
players ann, bob
enum Hue: red, green, blue
enum Pet: cat, dog
domain Four = 1..4
domain Spot = grid(1..3, 1..2)
domain Far = grid(0..30, 0..30)
record Pair(many: 0..9, hue: Hue)
record Heap(things: list[Hue, 3], height: 0..9)
state:
    n: 0..9
    big: 0..999999999999
    k: Hue
    o: Hue?
    pet: Pet
    s: set[Hue] = {red}
    row: list[Hue, 3] = [red]
    nums: list[0..9, 3]
    pile: bag[Hue, 9] = {red: 1}
    level: map[Hue, 0..9]
    hands: map[Player, bag[Hue, 3]]
    lists: map[Player, list[Hue, 3]]
    tables: map[Player, map[Hue, 0..9]]
    spot: Spot
    far: Far
    two: Pair
    heap: Heap
    yes: bool
fun same(x): x
fun minus(x, y): x - y
fun below(x, y): x < y
fun equal(x, y): x == y
fun within(x, y): x in y
fun many(x): len(x)
fun all_of(x): [y for y in x]
fun length_of(x): sum(x)
fun part(x, y): x[y]
fun field_(x): x.many
fun negative(x): not x
fun plus(x): x + 1
fun least(x): min(x)
fun sum_(x, y): x + y
"""
RULES = """\
rules:
    choose go by ann
    STATEMENT
    choose stop by ann
    end tie
"""


def codes(statement: str, more: str = "") -> list[str]:
    lines = "\n    ".join(statement.split("\n"))
    with pytest.raises(RulesError) as found:
        game_in(HEAD + more + RULES.replace("STATEMENT", lines))
    return [d.code for d in found.value.diagnostics]


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        # kinds that do not go together, found where a function without types is applied
        ("n = minus(n, s)", "E0722"),
        ("s = minus(s, n)", "E0722"),
        ("yes = below(s, n)", "E0722"),
        ("yes = below(k, k)", "E0719"),
        ("yes = equal(pile, s)", "E0719"),
        ("yes = equal(level, row)", "E0719"),
        ("yes = equal(level, n)", "E0719"),
        ("yes = within(n, k)", "E0719"),
        ("yes = within(pile, s)", "E0723"),
        ("n = many(n)", "E0710"),
        ("n = many(all_of(n))", "E0710"),
        ("n = length_of(level)", "E0762"),
        ("n = length_of(s)", "E0710"),
        ("k = part(n, n)", "E0763"),
        ("n = field_(k)", "E0712"),
        ("yes = negative(n)", "E0719"),
        ("n = plus(k)", "E0719"),
        ("n = least(s)", "E0710"),
        ("far = sum_(far, n)", "E0719"),
        ("far = sum_(n, far)", "E0719"),
        ("n = same(k)", "E0710"),
        ("yes = same(n)", "E0710"),
        ("s = same(n)", "E0710"),
        ("row = same(n)", "E0710"),
        ("pile = same(s)", "E0731"),
        ("level = same(s)", "E0730"),
        ("level = same(3)", "E0730"),
        ("two = same(n)", "E0710"),
        # values that range too widely
        ("big = big * big", "E0711"),
        ("big = sum(big * 9999 * 9999 for x in 1..9999)", "E0711"),
        ("n = 2 ** n", "E0708"),
        ("n = n ** 64", "E0708"),
        ("s = {k for x in 1..big if k == red}", "E0705"),
        ("n = first(x for x in 1..999 for y in 1..999 if x + y == n)", "E0705"),
        ("n = first(x * big for x in Four)", "E0722"),
        ("n = only(x * big for x in Four)", "E0722"),
        ("yes = {x * big for x in Four} == {}", "E0723"),
        ("yes = n in {big}", "E0723"),
        # collections that play does not have
        ("level = {k: n}", "E0751"),
        ("level = {same(x): n for x in Hue}", "E0751"),
        ("level = {x: n for x in s}", "E0751"),
        ("level = {x: n for x in Hue if x == k}", "E0751"),
        ("level = {x: n for x in Hue for y in Four}", "E0751"),
        ("row = [x for x in s]", "E0761"),
        ("row = [x for x in Hue if x == k]", "E0761"),
        ("row = [x for x in Hue for y in s]", "E0761"),
        ("row = [k for x in row]", "E0761"),
        ("level = {red: n}", "E0730"),
        ("level |= {x: n for x in s}", "E0751"),
        ("level |= {k: n}", "E0751"),
        ("level = {x: n for x in {red}}", "E0730"),
        # statements
        ("repeat at most -1:\n    break", "E0727"),
        ("repeat at most 1000001:\n    break", "E0727"),
        ("x = n\nx += 1\nn = x", "E0729"),
        ("x = nums[0]\nx = 3\nn = x", "E0729"),
    ],
)
def test_it_is_refused(statement: str, code: str) -> None:
    assert codes(statement)[:1] == [code]


@pytest.mark.parametrize(
    ("more", "statement", "code"),
    [
        ("fun f(x: 0..9) -> 0..9: f(x - 1) + n", "n = f(n)", "E0724"),
        ("fun f(x):\n    if n > 3:\n        return red\n    return x", "k = f(k)", "E0732"),
        (
            "fun f(x) -> list[Hue, 3]:\n    for y in row:\n        return [y]",
            "row = f(k)",
            "E0733",
        ),
        ("fun f(x) -> list[Hue, 3]:\n    if x == red:\n        return row", "row = f(k)", "E0707"),
        ("fun f() -> 0..9:\n    y: list[Hue, 3] = row\n    return len(y)", "n = f()", "E0733"),
        (
            "fun f() -> 0..9:\n    x: 0..9 = n\n    while x > 3:\n        x = 0",
            "n = f()",
            "E0726",
        ),
        ("rule r(inout x: 0..9):\n    n += x", "r(n)", "E0765"),
        ("rule r(x: 0..9):\n    n = x", "n = r(3)", "E0738"),
    ],
)
def test_functions_and_rules_that_are_refused(more: str, statement: str, code: str) -> None:
    assert codes(statement, more + "\n")[:1] == [code]
