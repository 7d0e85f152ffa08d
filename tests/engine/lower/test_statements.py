"""What statements do, whether or not they stop on the way, in the rules and in a rule of their own."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

from tests.engine.expressions import held
from tests.rules import sound_in

HEAD = """\
game "Statements"
players ann, bob
enum Hue: red, green, blue
domain Four = 1..4
domain Hour = ring(0..5)
domain Spot = grid(1..3, 1..2)
record Pair(many: 0..9, hue: Hue)
record Heap(things: list[Hue, 3], bag_: bag[Hue, 4], height: 0..9)
fun next(x: Four) -> 0..9: x + 1
fun shown(x: Hue): x != green
state:
    n: -99..99
    m: 0..9 = 2
    k: Hue = green
    flag: bool
    o: Hue? = blue
    p: Hue?
    d: 2..5?
    hour: Hour = 4
    s: set[Hue] = {red, blue}
    t: set[Hue] = {green}
    row: list[0..9, 5] = [3, 1, 4]
    line_: list[Hue, 3] = [red, green]
    other_line: list[Hue, 3] = [blue]
    pairs_: list[Pair, 3] = [Pair(1, red), Pair(2, blue)]
    pile: bag[Hue, 6] = {red: 2, blue: 1}
    pool: bag[Hue, 6] = {green: 1}
    level: map[Hue, 0..9] = {red: 4, green: 0, blue: 7}
    lists: map[Four, list[Hue, 3] = []] = {1: [red, blue], 2: [green]}
    hands: map[Player, bag[Hue, 4] = {}] = {ann: {red: 1}}
    table_: map[1..2, map[Hue, 0..9]]
    two: Pair = Pair(4, blue)
    heap: Heap = Heap([red], {blue: 2}, 3)
    room: map[x in Four, 0..x = 0] = {2: 1}
    sized: map[x in Four, list[Hue, x]]
"""

DOES: dict[str, tuple[str, dict[str, Any]]] = {
    # assignments
    "a number": ("n = m * 3 - 7", {"n": -1}),
    "what is added and taken away": ("n += 5; n -= 7; m += 1", {"n": -2, "m": 3}),
    "sets": ("s |= t; t &= {green, red}; s -= {blue}", {"s": ["red", "green"], "t": ["green"]}),
    "elements, options, truths": (
        "k = blue; o = none; p = k; d = m + 1; flag = not flag",
        {"k": "blue", "o": "none", "p": "blue", "d": 3, "flag": True},
    ),
    "a ring goes round": ("hour += 3; n = int(hour)", {"hour": 1, "n": 1}),
    "the right side comes first": ("m = m + 1; n = m; m = n * m", {"m": 9, "n": 3}),
    "an element of a list": ("row[1] = 9; row[0] += 2; row[-1] = 0", {"row": [5, 9, 0]}),
    "the place comes after the right side": ("row[m] = m - 2; m = row[2]", {"row": [3, 1, 0], "m": 0}),
    "a list grows and shrinks": (
        "row += [m, 9]; row = row[1:]; line_ = []",
        {"row": [1, 4, 2, 9], "line_": []},
    ),
    "a list of itself": (
        "row = row[1:] + row[:1]; line_ = line_[1:] + [k]",
        {"row": [1, 4, 3], "line_": ["green", "green"]},
    ),
    "one list to another": (
        "line_ = other_line; other_line = line_ + [red]",
        {"line_": ["blue"], "other_line": ["blue", "red"]},
    ),
    "lists in a map": (
        "lists[1] += [green]; lists[m] = lists[1][1:]; lists[3] = [k]; lists[1][0] = blue",
        {
            "lists": {
                "1, 0": "blue",
                "1, 1": "blue",
                "1, 2": "green",
                "2, 0": "blue",
                "2, 1": "green",
                "2, 2": "red",
                "3, 0": "green",
                "3, 1": "red",
                "3, 2": "red",
                "4, 0": "red",
                "4, 1": "red",
                "4, 2": "red",
            },
            "lists.len": {"1": 3, "2": 2, "3": 1, "4": 0},
        },
    ),
    "records in a list": (
        "pairs_[1].many = 7; pairs_ += [two]; pairs_[0] = Pair(m, k)",
        {"pairs_.many": {"0": 2, "1": 7, "2": 4}, "pairs_.hue": {"0": "green", "1": "blue", "2": "blue"}},
    ),
    "what lies in a bag": (
        "pile[green] += 2; pile[red] = 1; pile[k] -= 1",
        {"pile": {"red": 1, "green": 1, "blue": 1}},
    ),
    "a bag": (
        "pool = pile; pile = {green: 2}; hands[bob] = hands[ann]",
        {
            "pool": {"red": 2, "green": 0, "blue": 1},
            "pile": {"red": 0, "green": 2, "blue": 0},
            "hands": {
                "ann, red": 1,
                "ann, green": 0,
                "ann, blue": 0,
                "bob, red": 1,
                "bob, green": 0,
                "bob, blue": 0,
            },
        },
    ),
    "a map by its keys": (
        "level[k] = 3; level[red] += level[blue] - 2; table_[m][blue] = 5; table_[1][k] += 1",
        {
            "level": {"red": 9, "green": 3, "blue": 7},
            "table_": {"1, red": 0, "1, green": 1, "1, blue": 0, "2, red": 0, "2, green": 0, "2, blue": 5},
        },
    ),
    "a map at once": (
        "level = {x: level[red] + (1 if x == k else 0) for x in Hue}",
        {"level": {"red": 4, "green": 5, "blue": 4}},
    ),
    "a map of maps": (
        "table_[2] = level; table_[1] = {x: level[x] // 2 for x in Hue}",
        {"table_": {"1, red": 2, "1, green": 0, "1, blue": 3, "2, red": 4, "2, green": 0, "2, blue": 7}},
    ),
    "a record": ("two.many -= 1; two.hue = k", {"two.many": 3, "two.hue": "green"}),
    "a record at once": (
        "two = Pair(two.many + 1, red if two.hue == blue else k)",
        {"two.many": 5, "two.hue": "red"},
    ),
    "a record with a list and a bag": (
        "heap.things += [blue]; heap.bag_[red] = 1; heap.height = len(heap.things) + len(heap.bag_)",
        {"heap.things": ["red", "blue"], "heap.bag_": {"red": 1, "green": 0, "blue": 2}, "heap.height": 5},
    ),
    "sizes of their own": (
        "room[3] = 3; room[2] += 1; sized[2] = [red, k]; sized[m] = sized[2][:1]; sized[1] += [blue]",
        {"room": {"1": 0, "2": 2, "3": 3, "4": 0}, "sized.len": {"1": 1, "2": 1, "3": 0, "4": 0}},
    ),
    # locals
    "a local that changes": ("x: 0..9 = m; x += 3; x = x * 1; n = x", {"n": 5}),
    "locals of every kind": (
        "a = m + 1; b = s - {red}; c = (m, k); f = k == green; g = line_[0]; h = two\n"
        "n = a; t = b; k = c[1]; flag = f; o = g; two = Pair(h.many - 1, g)",
        {"n": 3, "t": ["blue"], "flag": True, "o": "red", "two.many": 3, "two.hue": "red"},
    ),
    "a local is what was then": (
        "then = m; m = 9; n = then; was = o; o = none; p = was",
        {"m": 9, "n": 2, "o": "none", "p": "blue"},
    ),
    "locals that change, of every kind": (
        "a1: set[Hue] = s; a1 |= {k}; b1: list[0..9, 4] = row; b1 += [a_()]; b1[0] = 8; "
        "c1: bag[Hue, 9] = pile; "
        "c1[red] += 3; d1: Pair = two; d1.many = 0; e1: map[Hue, 0..9] = level; e1[red] = 1; "
        "f1: Hue? = none; "
        "f1 = k; t = a1; row = b1; n = len(c1) * 10 + d1.many + e1[red] + e1[blue]; o = f1",
        {"t": ["red", "green", "blue"], "row": [8, 1, 4, 6], "n": 68, "o": "green"},
    ),
    "kinds found out": (
        "yes = false; yes = k == green; it = red; it = blue; its = s - t; its |= {green}; now = hour\n"
        "now += 1; flag = yes; k = it; s = its; hour = now",
        {"flag": True, "k": "blue", "s": ["red", "green", "blue"], "hour": 5},
    ),
    "locals are kept over stops": (
        "e2: map[Hue, 0..9] = level; b2: list[0..9, 4] = row; d2: Pair = two\nSTOP\ne2[red] = 1; b2[0] = 5\n"
        "STOP\nn = e2[red] + e2[blue] * 2 + b2[0] + b2[2]; two = Pair(d2.many - 1, d2.hue)",
        {"n": 1 + 14 + 5 + 4, "two.many": 3, "two.hue": "blue"},
    ),
    "a list cut in one way or another": ("row = row[:1] if flag else row[1:]", {"row": [1, 4]}),
    "a range is a list": ("row = m..m + 2; n = sum(row)", {"row": [2, 3, 4], "n": 9}),
    "a list chosen that changes": (
        "chosen = row if flag else row[1:]\nchosen += [9]; n = chosen[2] + len(chosen)",
        {"n": 12},
    ),
    "a list chosen": ("both_ = row if flag else row[1:]; n = both_[0] * 10 + len(both_)", {"n": 12}),
    "a ring that changes": ("noon = ring(0..5)[5]; noon += 2; n = int(noon)", {"n": 1}),
    "parts of a tuple": ("ab = (m, k); n = ab[0]; o = ab[1]", {"n": 2, "o": "green"}),
    # conditions
    "if": ("if m == 2:\n    STOP\n    n = 1\nelif m == 3:\n    n = 2\nelse:\n    n = 3", {"n": 1}),
    "elif": ("if m == 3:\n    n = 1\nelif m == 2:\n    STOP\n    n = 2\nelse:\n    n = 3", {"n": 2}),
    "else": ("if m == 3:\n    STOP\n    n = 1\nelif m > 2:\n    n = 2\nelse:\n    n = 3", {"n": 3}),
    "if without else": ("if m == 3:\n    STOP\n    n = 1\nm = 5", {"n": 0, "m": 5}),
    "known conditions": (
        "if 1 > 2:\n    n = 1\nelif red == red:\n    STOP\n    n = 2\nelse:\n    n = 3",
        {"n": 2},
    ),
    "known to fail": ("if false:\n    n = 1\nelif m == 2:\n    STOP\n    n = 2\nelse:\n    n = 3", {"n": 2}),
    # loops
    "for a set": ("for x in s:\n    STOP\n    n = n * 10 + level[x]", {"n": 47}),
    "for a domain": ("for x in Four:\n    STOP\n    n = n * 10 % 90 + x", {"n": 64}),
    "for with a condition": ("for x in Four if x != m:\n    STOP\n    n += x * x", {"n": 26}),
    "for with conditions": ("for x in Four if x > 1 and x != m:\n    STOP\n    n += x", {"n": 7}),
    "for a list": ("for x in row:\n    STOP\n    n = n * 4 - x", {"n": -56}),
    "for a bag": ("for x in pile:\n    STOP\n    n = n * 10 + pile[x]", {"n": 21}),
    "for a map": ("for x in level if level[x] > 0:\n    STOP\n    n = n * 10 + level[x]", {"n": 47}),
    "for a range": ("for x in m..m + 2:\n    STOP\n    n = n * 3 + x", {"n": 18 + 9 + 4}),
    "for a range of one": ("for x in m..2:\n    STOP\n    n += x", {"n": 2}),
    "for pairs of points": (
        "for q in Spot if q.x > q.y:\n    STOP\n    n = n * 4 + q.x",
        {"n": 2 * 16 + 3 * 4 + 3},
    ),
    "a map set again in each lap": (
        "own: map[Hue, 0..9] = level\nfor x in s:\n    STOP\n"
        "    own = {y: 9 - own[y] for y in Hue}; n = n * 10 + own[red]",
        {"n": 54},
    ),
    "for parts": ("for u, v in [(1, red), (3, blue)]:\n    STOP\n    n += u + level[v]", {"n": 15}),
    "for what was there on entry": (
        "for x in s:\n    STOP\n    s -= {blue}; s |= {green}; n += 1",
        {"n": 2, "s": ["red", "green"]},
    ),
    "for part of a list": ("for x in row[:2]:\n    STOP\n    n += x", {"n": 4}),
    "for a list made here": ("for x in [k, blue]:\n    STOP\n    n = n * 10 + level[x] + 1", {"n": 18}),
    "for nothing": ("for x in {}:\n    STOP\n    n = 1\nfor x in s & t:\n    n = 2", {"n": 0}),
    "for known things": ("for x in [4, 7]:\n    STOP\n    n = n * 10 + x", {"n": 47}),
    "for in for": (
        "for x in s:\n    for y in 1..2:\n        STOP\n        n = n * 2 + level[x] * y % 5",
        {"n": ((4 * 2 + 3) * 2 + 2) * 2 + 4},
    ),
    "break": ("for x in Four:\n    STOP\n    if x == 3:\n        break\n    n += x", {"n": 3}),
    "continue": ("for x in Four:\n    STOP\n    if x == 3:\n        continue\n    n += x", {"n": 7}),
    "break leaves the inner loop": (
        "for x in 1..2:\n    for y in Four:\n        STOP\n        if y > m:\n            break\n"
        "        n += x",
        {"n": 6},
    ),
    "repeat": ("repeat at most 5:\n    STOP\n    n += m\n    if n > 5:\n        break", {"n": 6}),
    "repeat as often as it may": (
        "repeat at most 3:\n    STOP\n    n += 1\n    if n == 3:\n        break",
        {"n": 3},
    ),
    "repeat and continue": (
        "repeat at most 4:\n    STOP\n    n += 1\n    if n < 3:\n        continue\n    break",
        {"n": 3},
    ),
    "a name in a loop is new each lap": ("for x in Four:\n    z = x * m\n    STOP\n    n += z", {"n": 20}),
    # rules
    "a rule": ("add(3); add(x=2)", {"n": 5}),
    "a rule with a default": ("more(); more(4)", {"n": 5}),
    "a rule that returns": ("n = doubled(m + 1)", {"n": 6}),
    "a rule that returns early": ("n = early(m); m = early(7)", {"n": 20, "m": 7}),
    "a rule that changes what it is given": (
        "grow(m, 3); grow(row[1], 2); grow(level[k], 1)",
        {"m": 5, "row": [3, 3, 4], "level": {"red": 4, "green": 1, "blue": 7}},
    ),
    "a rule with a local of its own": ("n = count_down(4)", {"n": 10}),
    "a rule that is given a list": ("row += [9]; n = summed(row[1:])", {"n": 14, "row": [3, 1, 4, 9]}),
    "a rule within a rule": ("n = both(m)", {"n": 2 * 3 + 3}),
    "pass": ("pass; n = 1", {"n": 1}),
}
RULES = """
fun a_(): m * 3
rule add(x: 0..9):
    STOP
    n += x
rule more(x: 0..9 = 1):
    STOP
    n += x
rule doubled(x: 0..9) -> 0..99:
    y = x * 2
    STOP
    return y
rule early(x: 0..9) -> 0..99:
    if x > 5:
        return x
    STOP
    for y in Four:
        if y == x:
            return y * 10
    return 0
rule grow(inout x: 0..9, by: 0..9):
    STOP
    x += by
rule count_down(first_: 0..9) -> 0..99:
    all_: 0..99 = 0
    x: 0..9 = first_
    repeat at most 9:
        STOP
        if x == 0:
            break
        all_ += x
        x -= 1
    return all_
rule summed(xs: list[0..9, 5]) -> 0..99:
    STOP
    row = row
    return sum(xs)
rule both(x: 0..9) -> 0..99:
    STOP
    y = doubled(x + 1)
    return y + x + 1
"""
WAYS = ("plain", "stopping", "in a rule", "in a rule, stopping")
FIRST = "rules:\n    choose by ann:\n"


def game_of(bodies: list[str], way: str) -> Game:
    """A game in which the action r3 carries out the third of the bodies."""
    stop = "roll {1}" if way.endswith("stopping") else "pass"
    arms, rules = "", RULES
    for i, body in enumerate(bodies):
        if way.startswith("in a rule"):
            rules += f"rule body{i}:\n{indent(body, '    ')}\n"
            body = f"body{i}()"
        arms += f"        r{i}:\n{indent(body, '            ')}\n"
    return sound_in(f"{HEAD}{rules}{FIRST}{arms}    choose stop by ann\n    end tie\n".replace("STOP", stop))


def after(state: State, action: str) -> State:
    """The state at the next decision."""
    state = state.apply(action)
    while state.is_chance:
        state = state.apply("1")
    return state


@pytest.mark.parametrize("way", WAYS)
def test_what_is_done(way: str) -> None:
    bodies = [body for body, _ in DOES.values()]
    start = game_of(bodies, way).initial()
    found = {}
    for i, (what, (_, changed)) in enumerate(DOES.items()):
        state = after(start, f"r{i}")
        found[what] = {name: held(state, name) for name in changed}
    assert found == {what: changed for what, (_, changed) in DOES.items()}


FAULTS = {
    "n = 100 * m": "out_of_range",
    "m -= 3": "out_of_range",
    "m = row[1] - 2": "out_of_range",
    "k = p": "missing_value",
    "level[k] -= 1": "out_of_range",
    "row[3] = 1": "bad_index",
    "row[-4] = 1": "bad_index",
    "row[1] = row[0] * 4": "out_of_range",
    "row += [1, 2, 3]": "overfull",
    "line_ += other_line + [red]": "overfull",
    "lists[m + 3] = []": "bad_index",
    "level[p] = 1": "missing_value",
    "pile[green] = 4": "overfull",
    "pile[blue] -= 2": "out_of_range",
    "pile[green] = 3; hands[bob] = pile": "overfull",
    "hands[ann] = {red: 3, blue: 2}": "overfull",
    "two.many += 6": "out_of_range",
    "room[2] += 2": "out_of_range",
    "room[m - 1] = 2": "out_of_range",
    "sized[1] = [red, blue]": "overfull",
    "sized[m - 1] += line_": "overfull",
    "d = m - 1": "out_of_range",
    "x: 0..3 = m; x += 2": "out_of_range",
    "add(m * 5)": "out_of_range",
    "n = doubled(m + 8)": "out_of_range",
    "grow(m, 8)": "out_of_range",
    "repeat at most 3:\n    STOP\n    n += 1": "overrun",
    "assert never: m == 3": "assertion",
    "for x in row:\n    STOP\n    m = 9 // (x - 1)": "division",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_goes_wrong(way: str) -> None:
    start = game_of(list(FAULTS), way).initial()
    found = {}
    for i, body in enumerate(FAULTS):
        with pytest.raises(FaultError) as fault:
            after(start, f"r{i}")
        found[body] = fault.value.code
    assert found == FAULTS
