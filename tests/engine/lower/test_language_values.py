"""What expressions mean, by example: each at instance time, of constants, and in play, of state variables."""

from __future__ import annotations

from typing import Any

import pytest
from kemu_engine.play.state import FaultError
from kemu_engine.static.values import RingInt, ordered
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play

HEAD = """\
game "Values"
players ann, bob, cid
use boards
enum Hue: red, green, blue
domain Spot = grid(1..3, 1..2)
domain Four = 1..4
record Pair(left_part: 0..9, right_part: Hue)
"""
INTS = {"a": -7, "b": 2, "c": 3, "z": 0}
HUES = {"h": "green", "k": "blue"}
SETS = {"s": "{red, blue}", "t": "{blue, green}", "e": "{}"}


def in_play(expr: str, kind: str) -> Any:
    """The value of an expression of state variables."""
    state = f"    out: {kind}" + (" = 0\n" if ".." in kind else "\n")
    state += "".join(f"    {n}: -9..9 = {v}\n" for n, v in INTS.items())
    state += "".join(f"    {n}: Hue? = {v}\n" for n, v in HUES.items())
    state += "    nil: Hue?\n    nowhere: Spot?\n"
    state += "".join(f"    {n}: set[Hue] = {v}\n" for n, v in SETS.items())
    state += "    row: list[Hue, 4] = [green, red, green]\n    no_row: list[Hue, 2]\n"
    state += "    pile: bag[Hue] = {red: 2, blue: 1}\n    two: Pair = Pair(4, blue)\n"
    state += "    at: Spot? = (2, 1)\n    links: map[Four, set[Four]] = {1: {2}, 2: {3}, 3: {1}, 4: {4}}\n"
    rules = f"rules:\n    choose go by ann\n    out = {expr}\n    choose stop by ann\n"
    return play(game_in(HEAD + "state:\n" + state + rules), "go")["out"]


def beforehand(expr: str, kind: str) -> Any:
    """The value of an expression of constants."""
    consts = "".join(f"const {n} = {v}\n" for n, v in (INTS | HUES | SETS).items())
    consts += "const nil: Hue? = none\nconst row = [green, red, green]\nconst two = Pair(4, blue)\n"
    consts += "const at: Spot = (2, 1)\nconst links = {1: {2}, 2: {3}, 3: {1}, 4: {4}}\n"
    state = f"state:\n    out: {kind} = {expr}\n"
    return game_in(HEAD + consts + state + "rules:\n    choose stop by ann\n").initial()["out"]


@pytest.mark.parametrize(
    ("expr", "kind", "value"),
    [
        # division rounds down; the remainder has the divisor's sign
        ("a // b", "-9..9", -4),
        ("-a // b", "-9..9", 3),
        ("a // -b", "-9..9", 3),
        ("a % c", "-9..9", 2),
        ("-a % -c", "-9..9", -2),
        ("a - b * (a // b) == a % b", "bool", True),
        ("2 + c * b ** 2 - -a", "-99..99", 7),
        ("-b ** 2", "-9..9", -4),
        ("abs(a) + sign(a) + max(a, b) - min(b, c)", "-99..99", 6),
        # chains of comparisons
        ("a < z < b < c", "bool", True),
        ("a < c > b != z", "bool", True),
        ("a < c < b", "bool", False),
        ("1 <= c <= 3 == c", "bool", True),
        # lazy from the left
        ("b > 0 or c // z == 1", "bool", True),
        ("b < 0 and c // z == 1", "bool", False),
        ("b < 0 implies c // z == 1", "bool", True),
        ("any(c // (4 - x) == 1 for x in 2..9)", "bool", True),
        ("c // z if b < 0 else 5", "-9..9", 5),
        ("not b < 0 and c > b", "bool", True),
        # none compares; `is some`, `is none`
        ("nil == red", "bool", False),
        ("nil != red", "bool", True),
        ("nil == none and h is some and nil is none", "bool", True),
        ("nil is not some and h is not none", "bool", True),
        ("h == green and k != h", "bool", True),
        # sets: elements in the order of the domain, whatever the order in the text
        ("s | t", "set[Hue]", ["red", "green", "blue"]),
        ("s & t", "set[Hue]", ["blue"]),
        ("s - t", "set[Hue]", ["red"]),
        ("{k, red}", "set[Hue]", ["red", "blue"]),
        ("{x for x in Hue if x not in s}", "set[Hue]", ["green"]),
        ("first({k, red})", "Hue?", "red"),
        ("first(e)", "Hue?", "none"),
        ("only(s & t)", "Hue?", "blue"),
        ("s & t <= s and not s <= t and e <= e", "bool", True),
        ("s == {blue, red} and s != t", "bool", True),
        ("len(s | t) * 10 + len(e)", "0..99", 30),
        ("closure({c}, x -> links[x])", "set[Four]", ["1", "2", "3"]),
        ("closure({4}, x -> links[x])", "set[Four]", ["4"]),
        # sums and extremes
        ("sum(x for x in Four if x != b)", "0..99", 8),
        ("sum(x for x in Four if x > 4)", "0..99", 0),
        ("sum(1 for x in Hue for y in Hue if x != y)", "0..99", 6),
        ("min(x * x - 4 * x for x in Four)", "-9..9", -4),
        ("max(len(links[x]) for x in Four)", "0..9", 1),
        # lists
        ("len(row)", "0..9", 3),
        ("row[0] == green and row[b - 1] == red", "bool", True),
        ("row[-1] == green and row[-2] == red", "bool", True),
        ("row.index(red)", "0..9", 1),
        ("row.count(green) * 10 + row.count(blue)", "0..99", 20),
        ("len(row[1:]) * 10 + len(row[:1])", "0..99", 21),
        ("row[1:] + row[:1] == [red, green, green]", "bool", True),
        ("row[b:] == [green] and len(row[c:]) == 0", "bool", True),
        ("red in row and blue not in row", "bool", True),
        # texts: known before play, of what is there in play
        ('h.name[:2] == "gr" and h.name[-1:] == "n" and k.name[1:3] == "lu"', "bool", True),
        ('upper(h.name)[:c] == "GRE" and upper("{k}s") == "BLUES"', "bool", True),
        # records and points
        ("two.left_part", "0..9", 4),
        ("two.right_part == blue", "bool", True),
        ("at + (1, 1) == (3, 2)", "bool", True),
        ("at.x * 10 + at.y", "0..99", 21),
        ("[p for p in Spot][3] == (1, 2)", "bool", True),
    ],
)  # fmt: skip
def test_values(expr: str, kind: str, value: Any) -> None:
    value = [int(v) if v.isdigit() else v for v in value] if isinstance(value, list) else value
    for found in (in_play(expr, kind), beforehand(expr, kind)):
        if isinstance(found, list):
            found = [int(v) if str(v).isdigit() else v for v in found]
        assert found == value


@pytest.mark.parametrize(
    ("expr", "kind", "value"),
    [
        ("low & high", "set[0..9]", ["4"]),
        ("low | high", "set[0..9]", ["1", "4", "8"]),
        ("low - high", "set[0..9]", ["1"]),
        ("high - {n}", "set[0..9]", ["4", "8"]),
        ("low | {n + 1}", "set[0..9]", ["1", "2", "4"]),
        ("low & {4, 7}", "set[0..9]", ["4"]),
        ("low if n == 0 else high", "set[0..9]", ["4", "8"]),
        ("low == high", "bool", False),
        ("low != {7}", "bool", True),
        ("{n} <= low and not high <= low", "bool", True),
    ],
)
def test_sets_over_different_domains_go_together(expr: str, kind: str, value: Any) -> None:
    head = 'game "Sets"\nplayers ann, bob\nstate:\n'
    state = (
        f"    low: set[0..5] = {{1, 4}}\n    high: set[3..9] = {{4, 8}}\n    n: 0..5 = 1\n    out: {kind}\n"
    )
    rules = f"rules:\n    choose go by ann\n    out = {expr}\n    choose stop by ann\n"
    assert play(game_in(head + state + rules), "go")["out"] == value


@pytest.mark.parametrize(
    ("expr", "kind", "value"),
    [
        ("len(pile) * 100 + pile[red] * 10 + pile[green]", "0..999", 320),
        ("blue in pile and green not in pile", "bool", True),
        ("nil in s", "bool", False),
        ("{x for x in pile}", "set[Hue]", ["red", "blue"]),
        ("sum(pile[x] for x in Hue)", "0..9", 3),
    ],
)  # fmt: skip
def test_bags_and_none_in_play(expr: str, kind: str, value: Any) -> None:
    assert in_play(expr, kind) == value


@pytest.mark.parametrize(
    ("expr", "kind", "code"),
    [
        ("a", "0..9", "out_of_range"),
        ("b + c * c", "0..9", "out_of_range"),
        ("c // z", "-9..9", "division"),
        ("pile[nil]", "0..9", "missing_value"),
        ("only(s)", "Hue?", "missing_value"),
        ("only(e)", "Hue?", "missing_value"),
        ("min(len(links[x]) for x in Four if x > 4 + z)", "0..9", "empty_min"),
        ("max(x for x in links[b] if x > c)", "0..9", "empty_min"),
        ("row[c]", "Hue?", "bad_index"),
        ("row[-4 + z]", "Hue?", "bad_index"),
        ("no_row[0]", "Hue?", "bad_index"),
        ("no_row.index(red)", "0..9", "bad_index"),
        ("row[c] == row[c]", "bool", "bad_index"),  # although the outcome would be known
        ("0 * pile[nil]", "0..9", "missing_value"),
        ('nil.name == "red"', "bool", "missing_value"),
        ("nowhere.x", "0..9", "missing_value"),
        ("no_row.count(row[c])", "0..9", "bad_index"),
    ],
)  # fmt: skip
def test_faults(expr: str, kind: str, code: str) -> None:
    with pytest.raises(FaultError) as found:
        in_play(expr, kind)
    assert found.value.code == code


def test_a_value_that_never_fits_is_refused_before_play() -> None:
    with pytest.raises(RulesError, match="E0709"):
        in_play("10", "0..9")


def test_narrowing_keeps_the_checked_value() -> None:
    """`is some` in `and`, `if` and in a filter; elsewhere `none` is a fault only when it is met."""
    state = play(
        game_in(
            """\
            game "Narrowing"
            players ann, bob
            enum Hue: red, green
            domain Slot = 1..3
            state:
                worth: map[Hue, 0..9] = {red: 3, green: 5}
                held:  map[Slot, Hue?]
                out:   0..99 = 0
            rules:
                choose go by ann
                held[2] = green
                out = sum(worth[held[i]] for i in Slot if held[i] is some)
                if held[1] is some and worth[held[1]] > 0:
                    out = 99
                choose stop by ann
            """
        ),
        "go",
    )
    assert state["out"] == 5


def test_values_on_their_way_into_play_are_tabulated() -> None:
    """A function of known values may give what no state variable holds, here sets of sets."""
    state = play(
        game_in(
            """\
            game "Tables"
            players ann, bob
            use boards
            domain Cell = grid(1..3, 1..3)
            fun rows_through(c: Cell): [r for r in lines(Cell, (1, 0)) + lines(Cell, (0, 1)) if c in r]
            state:
                mark: set[Cell]
                full: bool
            rules:
                for p in turns():
                    choose put(c in Cell) if c not in mark
                    mark = mark | {c}
                    full = any(all(d in mark for d in r) for r in rows_through(c))
            """
        ),
        "put((2, 1))", "put((2, 3))", "put((2, 2))",
    )  # fmt: skip
    assert state["full"] is True


def test_the_order_of_a_set_is_not_that_of_an_equal_one() -> None:
    """A number on a ring equals the bare number, but goes round; games must not lend each other theirs."""
    assert [type(v) for v in ordered(frozenset({RingInt(1, 0, 3)}))] == [RingInt]
    assert [type(v) for v in ordered(frozenset({1}))] == [int]
