"""Built-in functions of values that are known before play, and what they refuse."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import pytest
from kemu_engine.static.builtins import BUILTINS
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import HEAD
from tests.rules import game_in

REST = """\
state:
    n: 0..9
rules:
    choose stop by ann
    end tie
"""
HOLDS = {
    "numbers": """
        sum([4, 5]) == 9 and sum([]) == 0 and sum({2, 3}) == 5 and sum([(1, 2), (3, 4)]) == (4, 6)
        abs(-3) == 3 and abs(3) == 3 and sign(-9) == -1 and sign(0) == 0 and sign(4) == 1
        even(0) and even(-2) and not even(3) and odd(-1) and odd(3) and not odd(4)
        min([3, 1, 2]) == 1 and max([3, 1, 2]) == 3 and min(4, 2, 9) == 2 and max(4, 2, 9) == 9
        min({blue, green}) == green and max(Hue) == blue and min([(2, 1), (1, 9)]) == (1, 9)
        max(Spot) == (3, 2) and min(Spot) == (1, 1)
        min([none, 3][1:]) == 3
    """,
    "lists": """
        sorted([3, 1, 2]) == [1, 2, 3] and sorted({blue, red}) == [red, blue] and sorted([]) == []
        sorted([true, false]) == [false, true] and sorted(["b", "a"]) == ["a", "b"]
        sorted([{2}, {1, 2}, {1}]) == [{1}, {2}, {1, 2}] and sorted([(2, 1), (1, 2)]) == [(1, 2), (2, 1)]
        sorted([(3, 1), (1, 2)]) == [(1, 2), (3, 1)] and sorted(grid(1..2, 1..2))[1] == (2, 1)
        reversed([1, 2, 3]) == [3, 2, 1] and reversed(Hue) == [blue, green, red]
        list({green, red}) == [red, green] and list(Hue)[2] == blue and list(2..4) == [2, 3, 4]
        list({red: 1, blue: 2}) == [red, blue] and tuple([1, 2]) == (1, 2)
        set([2, 2, 1]) == {1, 2} and len(set([2, 2, 1])) == 2
        enumerate([red, blue]) == [(0, red), (1, blue)]
        zip([1, 2, 3], [red, blue]) == [(1, red), (2, blue)] and len(zip([1], [2], [3])[0]) == 3
        pairs([1, 2, 3]) == [(1, 2), (2, 3)] and pairs([1]) == []
        range(3) == [0, 1, 2] and range(2, 5) == [2, 3, 4] and range(5, 0, -2) == [5, 3, 1] and range(0) == []
        [1, 2, 3].with(1, 9) == [1, 9, 3] and [1, 2].with(0, 7) == [7, 2] and (1, 2).with(1, 5) == (1, 5)
        [1, 2, 3].with(-1, 9) == [1, 2, 9] and [1, 2, 3].with(-3, 9) == [9, 2, 3]
        first([4, 5]) == 4 and first([]) is none and first(Hue) == red and only([8]) == 8
        len([1, 1]) == 2 and len({1: 2}) == 1 and len(Hue) == 3
        any([false, true]) and not any([]) and all([]) and not all([true, false])
        [1, 2] + [3] == [1, 2, 3] and "ab" + "c" == "abc" and [4, 5, 6][-1] == 5 + 1
        [1, 2, 3][1:] == [2, 3]
    """,
    "collections": """
        subsets([1, 2, 3], 2) == [{1, 2}, {1, 3}, {2, 3}] and subsets([1], 2) == [] and subsets([1], -1) == []
        len(subsets([7], 0)[0]) == 0 and len(subsets([7], 0)) == 1 and len(subsets(1..6, 3)) == 20
        subsets([1, 1, 2], 2) == [{1, 2}] and len(bag([red, red])) == 2
        product([1, 2], [red]) == [[1, red], [2, red]] and len(product([1, 2], [3, 4], [5, 6])) == 8
        union([{1}, {2, 3}, {1}]) == {1, 2, 3} and union([]) == {} and union([[1], 2..3]) == {1, 2, 3}
        bag([red, red, blue]) == {red: 2, blue: 1} and bag([red, blue], 3) == {red: 3, blue: 3}
        bag([red, blue], {red: 4}) == {red: 4, blue: 0}
        closure({1}, x -> {y for y in 1..9 if y == x + 2 or y == x}) == {1, 3, 5, 7, 9}
        closure([5], x -> [x % 3]) == {5, 2} and closure({}, x -> {x}) == {}
        {red: 1}[red] == 1 and {red: 3, blue: 5}.find(5) == blue and {red: 3}.find(4) is none
        {x: 1 for x in Hue if x != red} == {green: 1, blue: 1} and {1: 2, 3: 4} == {3: 4, 1: 2}
    """,
    "places": """
        grid(1..2, 3..4) == [(1, 3), (2, 3), (1, 4), (2, 4)] and grid([5], [6])[0].x == 5
        len(hexes(0)) == 1 and len(hexes(1)) == 7 and len(hexes(2)) == 19 and hexes(1)[0] == (0, -1)
        hexes(1)[1] == (1, -1) and hexes(1)[6].q == 0 and hexes(1)[6].r == 1 and (1, 1) not in hexes(1)
        ring(3)[2] + 1 == 0 and ring(2..5)[3] + 1 == 2 and ring(2..5)[0] - 1 == 5 and len(ring(4)) == 4
        1 + ring(3)[2] == 0 and int(ring(4..6)[1]) + 9 == 14 and ring(3)[1] * 5 == 5 and 4 - ring(3)[1] == 3
        len([c for c in Card]) == 6 and [c for c in Card][2] == (green, 1)
    """,
    "seats": """
        left(ann) == bob and left(cid) == ann and right(ann) == cid and right(cid) == bob
        others(bob) == [cid, ann] and others(ann) == [bob, cid] and len(others(cid)) == 2
    """,
    "texts": """
        text(12) == "12" and text(true) == "true" and text(false) == "false" and text(none) == "none"
        text(red) == "red" and text((1, red)) == "(1, red)" and text([1, 2]) == "[1, 2]" and text([]) == "[]"
        len(words(text({blue, red}))) == 2 and words(text({blue, red}))[0][1:] == "red,"
        words(text({red: 1, blue: 2}))[1:] == ["1,", "blue:", "2" + words(text({red: 1}))[1][1:]]
        text(ring(3)[2]) == "2" and text("a") == "a" and text(Hue) == "Hue"
        text(atoll.twin) == "reef"
        upper("aB") == "AB" and words(" a b  c ") == ["a", "b", "c"] and words("") == []
        "{1 + 1} of {red}" == "2 of red" and "abcd"[1:3] == "bc" and "abcd"[:-1] == "abc"
        red.name == "red"
    """,
    "values": """
        none == none and red != none and true != false
        (1, 2) + (3, 4) == (4, 6) and (5, 5) - (1, 2) == (4, 3) and 2 * (1, 2) == (2, 4)
        (1, 2) * 3 == (3, 6)
        -(1, 2) == (-1, -2) and -grid([1], [2])[0] == (-1, -2) and (-grid([1], [2])[0]).y == -2
        (grid([1], [2])[0] + (1, 1)).x == 2 and ((1, 1) - grid([1], [2])[0]).y == -1
        (2 * grid([1], [2])[0]).y == 4 and (grid([1], [2])[0] * 2).x == 2
        +3 == 3 and -(-3) == 3 and 7 // -2 == -4 and 7 % -2 == -1 and 2 ** 10 == 1024 and (-1) ** 65 == -1
        {1, 2} | {3} == {1, 2, 3} and {1, 2} & {2, 3} == {2} and {1, 2} - {2} == {1}
        Hue - {red} == {green, blue}
        [1, 2] | {3} == {1, 2, 3} and {} | {1} == {1} and {1} & [1, 2] == {1} and {1} - {} == {1}
        {1} <= {1, 2} and {1, 2} >= {2} and not {3} <= {1} and [1] <= {1, 2} and {1, 2} >= [1]
        1..2 <= 1..3
        {1, 2} == [2, 1] and {1} != [2] and [1, 2] != [2, 1] and {} == [] and 1..2 == {1, 2}
        (1, 2) < (1, 3) and (1, 2) <= (1, 2) and (2, 0) > (1, 9) and not (1, 2) >= (2, 0)
        1 in {1} and 2 not in [1] and red in Hue and red in {red: 1} and (1, 2) in [(1, 2)] and 3 not in 1..2
        atoll.points == 3 and reef.twin is none and bank.land == {green} and Pair(2, red).many == 2
        [c.points for c in Isle] == [3, 5, 9] and Pair(hue=blue, many=1) == Pair(1, blue)
        [x + y for x in 1..2 for y in [x, 5]] == [2, 6, 4, 7]
        [x for x in 1..9 if x > 3 if even(x)] == [4, 6, 8]
        [a + b for a, b in [(1, 2), (3, 4)]] == [3, 7] and {(a, b) for a, b in [(1, 2)]} == {(1, 2)}
        (1 if true else 2) == 1 and (1 if false else 2) == 2 and (false implies false)
        not (true implies false)
        any(x > 3 for x in 1..4) and not any(x > 4 for x in 1..4) and all(x > 0 for x in 1..4)
        first(x for x in 1..9 if x % 4 == 0) == 4 and first(x for x in 1..3 if x > 3) is none
        any(10 // (3 - x) > 0 for x in 2..3) and not all(10 // (3 - x) < 0 for x in 2..3) and 1 < 2 < 3 != 4
        first(6 // (3 - x) for x in 2..3) == 6
    """,
}


@pytest.mark.parametrize("table", HOLDS)
def test_it_holds(table: str) -> None:
    """Each line a check; the first that does not hold is named by its line."""
    lines = [line.strip() for line in HOLDS[table].splitlines() if line.strip()]
    try:
        game_in(HEAD + "".join(f"check {line}\n" for line in lines) + REST)
    except RulesError as error:
        told = error.diagnostics[0]
        at = told.span.line - HEAD.count("\n") - 1
        raise AssertionError(
            f"{told.code} {told.message}: {lines[at] if 0 <= at < len(lines) else ''}"
        ) from None


@pytest.mark.parametrize(
    ("expr", "code"),
    [
        ("max([]) == 0", "E0709"),
        ("min({}) == 0", "E0709"),
        ("max([1, none]) == 0", "E0709"),
        ("only([1, 2]) == 1", "E0709"),
        ("only([]) == 1", "E0709"),
        ("5 % 0 == 0", "E0709"),
        ("[1, 2][2] == 0", "E0709"),
        ("[1, 2][-3] == 0", "E0709"),
        ("{red: 1}[blue] == 0", "E0709"),
        ("[1].index(2) == 0", "E0709"),
        ("upper(reef.twin.name) == upper(red.name)", "E0709"),
        ("reef.twin.points == 1", "E0709"),
        ("left(first([p for p in Player if p == none])) == ann", "E0709"),
        ("other(ann) == bob", "E0715"),
        ("2 ** -1 == 0", "E0708"),
        ("2 ** 63 == 0", "E0711"),
        ("2 ** 64 == 0", "E0711"),
        ("2 ** 62 + 2 ** 62 == 0", "E0711"),
        ("-(2 ** 62) * 2 - 1 == 0", "E0711"),
        ("len(subsets(1..40, 20)) == 0", "E0705"),
        ("len(product(1..999, 1..999)) == 0", "E0705"),
        ("len(hexes(501)) == 0", "E0705"),
        ("len(range(200001)) == 0", "E0705"),
        ("len(1..200001) == 0", "E0705"),
        ("len(grid(1..999, 1..999)) == 0", "E0705"),
        ("len(ring(200001)) == 0", "E0705"),
        ("len([x for x in 1..500 for y in 1..500]) == 0", "E0705"),
        ("len({(x, y): 1 for x in 1..500 for y in 1..500}) == 0", "E0705"),
        ("sum({3: 1}) == 1", "E0762"),
        ("{none, red} == {}", "E0709"),
    ],
)
def test_it_is_refused(expr: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(f"{HEAD}check {expr}\n{REST}")
    assert [d.code for d in found.value.diagnostics] == [code]


def test_as_much_as_is_allowed() -> None:
    checks = (
        "len(1..200000) == 200000",
        "len(range(200000)) == 200000",
        "2 ** 62 + (2 ** 62 - 1) > 0 and -(2 ** 62) - (2 ** 62 - 1) < 0",
        "len(hexes(30)) == 2791",
        "(-1) ** 64 == 1 and 2 ** 0 == 1 and 0 ** 64 == 0",
        "len(ring(2000)) == 2000",
    )
    game_in(HEAD + "".join(f"check {c}\n" for c in checks) + REST)


def test_the_other_of_two() -> None:
    game_in(HEAD.replace(", cid", "") + "check other(ann) == bob and other(bob) == ann\n" + REST)


def test_what_lies_in_a_bag_counts_as_often_as_it_does() -> None:
    bag = "const dice: bag[1..6, 9] = {2: 3, 5: 1}\nconst none_: bag[1..6] = {}\n"
    game_in(
        HEAD
        + bag
        + "check sum(dice) == 11 and len(dice) == 4 and sum(none_) == 0 and dice[4] == 0 and dice[2] == 3\n"
        + "check min(dice) == 2 and [d for d in dice] == [2, 5] and 5 in dice and 4 not in dice\n"
        + REST
    )


ODD = ["none", "true", "0", "red", "[]", "{}", "(1,2)", "[1,none]", "[[Hue],1]", "{red:1}", "Hue"]
WITH = """\
game "With"
players ann, bob
enum Hue: red, green
check CALL == 1
rules:
    end tie
"""


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_whatever_it_is_given_the_answer_is_a_value_or_one_clear_error(name: str) -> None:
    for number in (0, 1, 2):
        for given in product(ODD, repeat=number):
            with suppress(RulesError):
                game_in(WITH.replace("CALL", f"{name}({', '.join(given)})"))
