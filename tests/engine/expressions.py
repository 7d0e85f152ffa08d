"""What expressions mean, in a table: how each is written, the type of its value, and the value.

Read before play by the tests of `static`, in play by those of `lower`.
"""

from __future__ import annotations

import re
from typing import Any

from kemu_engine.play.state import State

HEAD = """\
game "Expressions"
players ann, bob, cid
enum Hue: red, green, blue
domain Spot = grid(1..3, 1..2)
domain Four = 1..4
domain Warm = {red, green}
domain Hour = ring(0..5)
domain Card = (hue: Hue, nr: 1..2)
domain Any = Hue | Four
domain Far = grid(0..30, 0..30)
record Pair(many: 0..9, hue: Hue)
record Deep(pair: Pair, spot: Spot?)
table Isle(points: 0..9, twin: Isle?, land: set[Hue], hosts: list[Four, 3]):
    atoll 3, reef, {red, blue}, [4, 2]
    reef  5, none, {}, []
    bank  9, atoll, {green}, [1, 1, 3]
fun around(q: Far): {(q.x, q.y), (q.x + 1, q.y)}
"""

VARIABLES = {
    "a": ("-8..1", "-7"),
    "b": ("0..3", "2"),
    "c": ("1..4", "3"),
    "z": ("0..1", "0"),
    "yes": ("bool", "true"),
    "nay": ("bool", "false"),
    "k": ("Hue", "blue"),
    "h": ("Hue?", "green"),
    "nil": ("Hue?", "none"),
    "digit": ("2..5?", "4"),
    "blank": ("2..5?", "none"),
    "maybe": ("bool?", "false"),
    "w": ("Warm", "green"),
    "any_": ("Any", "3"),
    "hue_": ("Any", "blue"),
    "s": ("set[Hue]", "{blue, red}"),
    "t": ("set[Hue]", "{green, blue}"),
    "e": ("set[Hue]", "{}"),
    "low": ("set[0..5]", "{1, 4}"),
    "high": ("set[3..9]", "{8, 4}"),
    "cells": ("set[Spot]", "{(3, 1), (1, 2)}"),
    "row": ("list[Hue, 4]", "[green, red, green]"),
    "bare": ("list[Hue, 2]", "[]"),
    "nums": ("list[0..9, 5]", "[3, 1, 4]"),
    "spots": ("list[Spot, 3]", "[(2, 1), (1, 2)]"),
    "pile": ("bag[Hue, 9]", "{red: 2, blue: 1}"),
    "dice": ("bag[1..6, 9]", "{2: 2, 5: 1}"),
    "level": ("map[Hue, 0..9]", "{red: 4, green: 0, blue: 7}"),
    "marks": ("map[Hue, 2..5?]", "{red: none, green: 5, blue: 3}"),
    "links": ("map[Four, set[Four]]", "{1: {2}, 2: {3}, 3: {1}, 4: {4}}"),
    "owner": ("map[Spot, Player?]", "{s: bob if s == (2, 1) else none for s in Spot}"),
    "worth": ("map[1..3, map[Hue, 0..9]]", "{i: {x: 3 * i if x == red else i for x in Hue} for i in 1..3}"),
    "at": ("Spot?", "(2, 1)"),
    "spot": ("Spot", "(3, 2)"),
    "lost": ("Spot?", "none"),
    "far": ("Far", "(20, 7)"),
    "near": ("Far", "(2, 1)"),
    "hour": ("Hour", "5"),
    "card": ("Card", "(green, 2)"),
    "two": ("Pair", "Pair(4, blue)"),
    "deep": ("Deep", "Deep(Pair(1, red), (1, 1))"),
    "mix": ("tuple[0..9, Hue]", "(3, red)"),
    "isle": ("Isle", "bank"),
    "cove": ("Isle?", "reef"),
    "who": ("Player", "bob"),
}

Row = tuple[str, str, Any]

NUMBERS: list[Row] = [
    # division rounds down, the remainder has the divisor's sign
    ("a // b", "-9..9", -4),
    ("-a // b", "-9..9", 3),
    ("a // -b", "-9..9", 3),
    ("-a // -b", "-9..9", -4),
    ("a % c", "-9..9", 2),
    ("-a % -c", "-9..9", -2),
    ("-a % c * 10 + a % -c", "-99..99", 9),
    # strength
    ("2 + c * b ** 2 - -a", "-99..99", 7),
    ("-b ** 2", "-9..9", -4),
    ("(a - b) * c + +b", "-99..99", -25),
    ("b ** 0 + c ** 3 + z ** 1", "-99..99", 28),
    ("10 - b - c", "0..9", 5),
    # functions of numbers
    ("abs(a) * 10 + abs(c)", "0..99", 73),
    ("sign(a) * 100 + sign(z) * 10 + sign(c)", "-999..999", -99),
    ("min(a, b) + max(b, c, z)", "-99..99", -4),
    ("min(b, c, a, z) * 10 + max(a, z)", "-99..99", -70),
    ("even(b) and not even(c) and odd(a) and not odd(z)", "bool", True),
    ("int(hour) + int(b)", "0..9", 7),
    ("a * digit - digit % c + b // digit", "-99..99", -29),
    ("c ** digit", "0..999", 81),
    ("c if a < b else b", "0..9", 3),
    ("c if a > b else b", "0..9", 2),
    ("(c if yes else b) * 10 + (c if nay else b)", "0..99", 32),
]
TRUTHS: list[Row] = [
    ("a < z < b < c", "bool", True),
    ("a < c > b != z", "bool", True),
    ("a < c < b", "bool", False),
    ("1 <= c <= 3 == c", "bool", True),
    ("b <= 2 and b >= 2 and not b < 2 and not b > 2", "bool", True),
    ("a == -7 and a != 7 and not a != -7", "bool", True),
    ("b in 2..3 and c in 2..3 and a not in 2..3 and z not in 1..a", "bool", True),
    ("c in b..c and c not in c + 1..9", "bool", True),
    ("b in [2, 5] and b in {2, c} and b not in [c, 5]", "bool", True),
    ("yes and not nay and (nay or yes)", "bool", True),
    ("nay or z == 1 or yes and nay", "bool", False),
    ("(yes implies nay) or not (nay implies yes)", "bool", False),
    ("yes == true and nay != yes and (yes == nay) == nay", "bool", True),
    ("maybe == false and maybe is some and maybe != true", "bool", True),
    # lazy from the left: what would fault is not looked at
    ("b > 0 or c // z == 1", "bool", True),
    ("b < 0 and c // z == 1", "bool", False),
    ("b < 0 implies c // z == 1", "bool", True),
    ("any(c // (4 - x) == 1 for x in 2..9)", "bool", True),
    ("all(x != 2 and 5 // (2 - x) > 0 for x in 1..2)", "bool", False),
    ("c // z if b < 0 else 5", "-9..9", 5),
    # none compares with anything, and lies in nothing
    ("nil == red or nil in s or nil in e", "bool", False),
    ("nil != red and nil == none and nil is none and nil is not some", "bool", True),
    ("h == green and h is some and h is not none and k != h", "bool", True),
    ("nil == nil and h != nil and blank != digit", "bool", True),
    ("digit == 4 and digit != 5 and digit is some and blank is none", "bool", True),
    ("digit > 3 and digit <= 4 and digit + 1 == 5", "bool", True),
    ("at == (2, 1) and at != spot and lost != spot and lost == none", "bool", True),
    ("at == (b, c - 2) and lost != (b, c) and (c, b) != at and not (b, z) == lost", "bool", True),
    ("far in around(far) and near not in around(far) and far in {far, near}", "bool", True),
    ("cove == reef and cove != isle", "bool", True),
    # elements
    ("k == blue and k in s and k not in {red, green}", "bool", True),
    ("w == h and w in Warm and k not in Warm", "bool", True),
    ("any_ == 3 and any_ != blue and any_ in Four and any_ not in Hue", "bool", True),
    ("who == bob and left(who) == cid and right(who) == ann and left(left(who)) == ann", "bool", True),
    ("hour == 5 and hour + 1 == 0 and hour + 3 == 2 and hour - 6 == 5", "bool", True),
    ("hour <= hour and digit >= digit and not hour > hour and hour + 1 <= hour", "bool", True),
    (
        "hour >= 3 and hour <= 5 and hour > 4 and not hour < hour",
        "bool",
        True,
    ),
    ("card == (green, 2) and card.hue == green and card.nr == 2", "bool", True),
    ("spot > (2, 2) and spot <= (3, 2) and (1, 2) < spot and not spot < (3, 1)", "bool", True),
]
SETS: list[Row] = [
    # elements in the order of the domain, whatever the order in the text
    ("s | t", "set[Hue]", ["red", "green", "blue"]),
    ("s & t", "set[Hue]", ["blue"]),
    ("s - t", "set[Hue]", ["red"]),
    ("t - s | e", "set[Hue]", ["green"]),
    ("s | t & e", "set[Hue]", ["red", "blue"]),
    ("{k, red}", "set[Hue]", ["red", "blue"]),
    ("{h, green}", "set[Hue]", ["green"]),
    ("{x for x in Hue if x not in s}", "set[Hue]", ["green"]),
    ("{x for x in s | t if x != k}", "set[Hue]", ["red", "green"]),
    ("{x for x in row}", "set[Hue]", ["red", "green"]),
    ("{x for x in pile}", "set[Hue]", ["red", "blue"]),
    ("{x for x in level if level[x] > c}", "set[Hue]", ["red", "blue"]),
    ("{p.hue for p in Card if p.nr == b and p.hue != k}", "set[Hue]", ["red", "green"]),
    ("{y for x in 1..2 for y in links[x] if y > x}", "set[Four]", [2, 3]),
    ("{x + 1 for x in low}", "set[0..9]", [2, 5]),
    ("{x for x in b..c + 1}", "set[0..9]", [2, 3, 4]),
    ("{c, b, 7}", "set[0..9]", [2, 3, 7]),
    ("set(row) | set(bare)", "set[Hue]", ["red", "green"]),
    ("set(nums) & set(low)", "set[0..9]", [1, 4]),
    ("s if yes else t", "set[Hue]", ["red", "blue"]),
    ("low if nay else high", "set[0..9]", [4, 8]),
    ("low | high", "set[0..9]", [1, 4, 8]),
    ("low & high", "set[0..9]", [4]),
    ("high - low", "set[0..9]", [8]),
    ("low - {1, 9}", "set[0..9]", [4]),
    ("isle.land | {k}", "set[Hue]", ["green", "blue"]),
    ("atoll.land & s - reef.land", "set[Hue]", ["red", "blue"]),
    ("links[c] | links[4]", "set[Four]", [1, 4]),
    ("{q for q in cells if q.x > q.y}", "set[Spot]", ["(3, 1)"]),
    ("{q + (0, 1) for q in cells if q.y == 1}", "set[Spot]", ["(3, 2)"]),
    ("closure({c}, x -> links[x])", "set[Four]", [1, 2, 3]),
    ("closure({4}, x -> links[x])", "set[Four]", [4]),
    ("closure({spot}, q -> {r for r in Spot if r.y == q.y and abs(r.x - q.x) == 1})", "set[Spot]",
     ["(1, 2)", "(2, 2)", "(3, 2)"]),
    ("others(who)", "set[Player]", ["ann", "cid"]),
    ("s & t <= s and not s <= t and e <= e and e <= s", "bool", True),
    ("s >= {red} and not s >= t and s | t >= t", "bool", True),
    ("s == {blue, red} and s != t and e == {}", "bool", True),
    ("low != high and {1, 4} == low and low <= {1, 2, 4} and low & high <= high", "bool", True),
    ("red in s and green not in s and h in t and (k in s) == (k in t)", "bool", True),
    ("4 in low and 8 not in low and c not in low and (3, 1) in cells and spot not in cells", "bool", True),
    ("row == {red, green} and not s == row and {1, 3, 4} == nums", "bool", True),
    ("len(s | t) * 100 + len(e) * 10 + len(cells)", "0..999", 302),
    ("len({x for x in Hue if x in s or x in t})", "0..9", 3),
    ("len({x % 2 for x in low | high})", "0..9", 2),
    ("len({(x, y) for x in s for y in t}) * 10 + len([x for x in s for y in t if x != y])", "0..99", 43),
]  # fmt: skip
FOLDS: list[Row] = [
    ("sum(x for x in Four if x != b)", "0..99", 8),
    ("sum(x for x in Four if x > 4 + z)", "0..99", 0),
    ("sum(1 for x in Hue for y in Hue if x != y)", "0..99", 6),
    ("sum(level[x] for x in s) * 10 + sum(level[x] for x in t)", "0..999", 117),
    ("sum(x * y for x in low for y in high if x < y)", "0..99", 4 + 8 + 32),
    ("sum(nums)", "0..99", 8),
    ("sum(low) * 10 + sum(high & low)", "0..99", 54),
    ("sum([a, b, c])", "-99..99", -2),
    ("sum(x for x in nums if x != c)", "0..99", 5),
    ("sum(x for x in dice)", "0..99", 7),
    ("sum(dice)", "0..99", 9),
    ("sum(dice[x] * x for x in dice)", "0..99", 9),
    ("sum(sum(worth[i][x] for x in Hue) for i in 1..3)", "0..99", 30),
    ("min(x * x - 4 * x for x in Four)", "-9..9", -4),
    ("max(x * x - 4 * x for x in Four if x != 4)", "-9..9", -3),
    ("max(len(links[x]) for x in Four)", "0..9", 1),
    ("min(nums) * 10 + max(nums)", "0..99", 14),
    ("min(low) * 10 + max(low | high)", "0..99", 18),
    ("max(x + y for x in low for y in high if x < y)", "0..99", 12),
    ("min(b, c) * 10 + max([c, 8, b])", "0..99", 28),
    ("min(dice) * 10 + max(dice)", "0..99", 25),
    ("any(x in s for x in t) and not any(x in e for x in Hue)", "bool", True),
    ("all(x in s for x in s & t) and not all(x in s for x in t) and all(x in s for x in e)", "bool", True),
    ("any(x == y for x in low for y in high) and all(x <= y for x in low for y in high)", "bool", True),
    ("all(level[x] > 0 or x == green for x in level)", "bool", True),
    ("len([x for x in Four if x != 2]) * 10 + len([b, c])", "0..99", 32),
    ("first(s)", "Hue?", "red"),
    ("first({k, green})", "Hue?", "green"),
    ("first(e)", "Hue?", "none"),
    ("first(x for x in Hue if x not in s)", "Hue?", "green"),
    ("first(x for x in Hue if level[x] > 9 + z)", "Hue?", "none"),
    ("first(x + y for x in low for y in high if x != y)", "0..9?", 5),
    ("first(row)", "Hue?", "green"),
    ("first(bare)", "Hue?", "none"),
    ("first(pile)", "Hue?", "red"),
    ("first(q.y for q in spots if q.x < b)", "0..9?", 2),
    ("only(s & t)", "Hue", "blue"),
    ("only(x for x in Four if x in links[x])", "0..9", 4),
    ("only(x + 1 for x in low if x > b)", "0..9", 5),
    ("only(high & low)", "0..9", 4),
    ("only(row[1:2])", "Hue", "red"),
]
LISTS: list[Row] = [
    ("len(row) * 10 + len(bare)", "0..99", 30),
    ("row[0] == green and row[b - 1] == red and row[c - 1] == green", "bool", True),
    ("row[-1] == green and row[-2] == red and row[-3] == row[0]", "bool", True),
    ("nums[0] * 100 + nums[-1] * 10 + nums[b - 1]", "0..999", 341),
    ("row.index(red) * 10 + nums.index(4)", "0..99", 12),
    ("row.index(green)", "0..9", 0),
    ("row.count(green) * 100 + row.count(blue) * 10 + bare.count(red)", "0..999", 200),
    ("row[1:] + row[:1]", "list[Hue, 9]", ["red", "green", "green"]),
    ("row[b:]", "list[Hue, 9]", ["green"]),
    ("row[c:]", "list[Hue, 9]", []),
    ("row[:-1]", "list[Hue, 9]", ["green", "red"]),
    ("row[:-b]", "list[Hue, 9]", ["green"]),
    ("row[-b:]", "list[Hue, 9]", ["red", "green"]),
    ("row[:9]", "list[Hue, 9]", ["green", "red", "green"]),
    ("row[-9:1]", "list[Hue, 9]", ["green"]),
    ("row[b:1]", "list[Hue, 9]", []),
    ("nums[1:b] + nums[b:]", "list[0..9, 9]", [1, 4]),
    ("row + bare", "list[Hue, 9]", ["green", "red", "green"]),
    ("bare + [k] + row[1:2]", "list[Hue, 9]", ["blue", "red"]),
    ("[a + 9, b, c * b]", "list[0..9, 9]", [2, 2, 6]),
    ("[level[x] for x in Hue]", "list[0..9, 9]", [4, 0, 7]),
    ("[x for x in Hue if x != red]", "list[Hue, 9]", ["green", "blue"]),
    ("row if yes else bare", "list[Hue, 9]", ["green", "red", "green"]),
    ("[k] if nay else row[1:]", "list[Hue, 9]", ["red", "green"]),
    ("row if yes else []", "list[Hue, 9]", ["green", "red", "green"]),
    ("[b, c] if nay else [c]", "list[0..9, 9]", [3]),
    ("spots + [spot]", "list[Spot, 3]", ["(2, 1)", "(1, 2)", "(3, 2)"]),
    ("isle.hosts + atoll.hosts", "list[Four, 9]", [1, 1, 3, 4, 2]),
    ("[red, green, blue][b]", "Hue", "blue"),
    ("[red, green, blue][b - 1:][0]", "Hue", "green"),
    ("[4, 7, 9][z] * 10 + [b, c][z + 1]", "0..99", 43),
    ("red in row and blue not in row and k not in bare and 4 in nums and a not in nums", "bool", True),
    ("(2, 1) in spots and spot not in spots", "bool", True),
    ("row == [green, red, green] and row != [green, red] and bare == []", "bool", True),
    ("row[:1] == [green] and row[:1] != row[1:2] and row[b:] == row[:1]", "bool", True),
    ("[b, c] == [2, 3] and [b, c] != [c, b] and [b] != [b, c]", "bool", True),
    ("spots[0] == at and spots[1].y == b and spots[0] != spots[1]", "bool", True),
]
BAGS_AND_MAPS: list[Row] = [
    ("len(pile) * 100 + pile[red] * 10 + pile[green]", "0..999", 320),
    ("len(dice) * 10 + dice[2]", "0..99", 32),
    ("blue in pile and green not in pile and 5 in dice and c not in dice", "bool", True),
    ("pile == {blue: 1, red: 2} and pile != {red: 3} and pile != {red: 2, blue: 1, green: 1}", "bool", True),
    ("level[red] * 100 + level[k] * 10 + level[h]", "0..999", 470),
    ("worth[b][red] * 10 + worth[c][k]", "0..99", 63),
    ("level.find(7) == blue and level.find(a + 7) == green and level.find(5) is none", "bool", True),
    ("marks.find(c) == blue and marks.find(b) is none", "bool", True),
    ("owner.find(bob) == (2, 1) and owner.find(ann) is none and owner[at] == who", "bool", True),
    ("owner[spot] is none and len({q for q in Spot if owner[q] is some}) == 1", "bool", True),
    ("len(level) * 10 + len(owner)", "0..99", 36),
    ("level == {red: 4, green: 0, blue: 7} and level != {red: 4, green: 0, blue: 8}", "bool", True),
    ("{x: level[x] + 1 for x in Hue}[k] * 10 + {x: 2 for x in Hue}[h]", "0..99", 82),
    ("{red: 5, green: 1, blue: 8}[k]", "0..9", 8),
    ("{x: level[x] for x in Hue}", "map[Hue, 0..9]", {"red": 4, "green": 0, "blue": 7}),
    ("level", "map[Hue, 0..9]", {"red": 4, "green": 0, "blue": 7}),
    ("pile", "bag[Hue, 9]", {"red": 2, "green": 0, "blue": 1}),
    ("isle.hosts[c - 1] * 100 + isle.points * 10 + len(isle.land)", "0..999", 391),
]
PARTS: list[Row] = [
    ("two.many * 10 + deep.pair.many", "0..99", 41),
    ("two.hue == blue and two.many == 4", "bool", True),
    ("deep.pair == Pair(1, red) and deep.spot == (1, 1)", "bool", True),
    ("Pair(b + c, k).many", "0..9", 5),
    ("Pair(hue=k, many=b).hue", "Hue", "blue"),
    ("two == Pair(4, k) and two != Pair(4, red) and two == (4, blue)", "bool", True),
    ("(Pair(b, red) if yes else two).many * 10 + (Pair(b, red) if nay else two).many", "0..99", 24),
    ("two", "Pair", {"many": 4, "hue": "blue"}),
    ("Deep(Pair(c, h), spot)", "Deep", {"pair.many": 3, "pair.hue": "green", "spot": "(3, 2)"}),
    ("mix[0] * 10 + (c, b)[1]", "0..99", 32),
    ("mix[1] == red and mix == (3, red) and mix != (b, red)", "bool", True),
    ("(b, a) < (c, z) and (b, c) <= (b, c) and (b, c) > (b, b) and not (b, c) >= (c, a)", "bool", True),
    ("(b, c)", "tuple[0..9, 0..9]", {"_0": 2, "_1": 3}),
    ("at + (1, 1) == spot and spot - at == (1, 1) and 2 * at - (1, 0) == (3, 2)", "bool", True),
    ("at.x * 10 + spot.y", "0..99", 22),
    ("-spot == (-3, -2) and spot * b == (6, 4)", "bool", True),
    (
        "far + near == (22, 8) and far - near == (18, 6) and (far + near).x == 22",
        "bool",
        True,
    ),
    (
        "far + (1, 1) == (21, 8) and (far - (b, c)).y * 10 + near.x == 42",
        "bool",
        True,
    ),
    ("2 * far == (40, 14) and -near == (-2, -1) and (far + near) - near == far", "bool", True),
    ("(b, c) + (c, a) == (5, -4) and (b, c) - (1, 1) == (1, b)", "bool", True),
    ("isle.twin == atoll and isle.twin.points == 3 and cove.twin is none", "bool", True),
    ("isle.twin.twin.points", "0..9", 5),
    ("[p for p in Spot][3] == (1, 2) and [p for p in Card][1] == (red, 2)", "bool", True),
]
TEXTS: list[Row] = [
    ('h.name[:2] == "gr" and h.name[-1:] == "n" and k.name[1:3] == "lu"', "bool", True),
    ('upper(h.name)[:c] == "GRE" and upper("{k}!") == "BLUE!"', "bool", True),
    ('text(spot) == "(3, 2)" and text(b) + "!" == "2!" and "{at}{nil}" == "(2, 1)none"', "bool", True),
    ('words("ab cd {k}")[2] == "blue" and "ab" != "cd"', "bool", True),
]
TABULATED: list[Row] = [
    # what is worked out before play for all values of the parameters
    ("sorted([c, b, 9])[0] * 10 + reversed([b, c])[0]", "0..99", 23),
    ("len(subsets(1..c, b))", "0..9", 3),
    ("sum(x * y for x, y in product(1..b, 1..c))", "0..99", 18),
    ("[x for x in 1..9 if x % c == z][b - 1]", "0..9", 6),
    ("union({{x, x + 1} for x in 1..b}) - {c}", "set[0..9]", [1, 2]),
    ("b == 2 if z == 0 else none", "bool?", "true"),
    ("none if z == 0 else b == 2", "bool?", "none"),
    ("h if c > b else none", "Hue?", "green"),
    ("[x for x in Hue if x != h]", "list[Hue, 3]", ["red", "blue"]),
    ("{x: c if x == k else b for x in Hue}[k] + len(words(text(k)))", "0..9", 4),
    ("list({k, h})", "list[Hue, 3]", ["green", "blue"]),
    ("(b, h) if z == 0 else (c, k)", "tuple[0..9, Hue]", {"_0": 2, "_1": "green"}),
]
TABLES = {
    "numbers": NUMBERS, "truths": TRUTHS, "sets": SETS, "folds": FOLDS, "lists": LISTS,
    "bags and maps": BAGS_AND_MAPS, "parts": PARTS, "texts": TEXTS,
}  # fmt: skip

FAULTS: list[Row] = [
    ("a", "0..9", "out_of_range"),
    ("b + c * c", "0..9", "out_of_range"),
    ("k", "Warm", "out_of_range"),
    ("nil", "Warm", "out_of_range"),
    ("low | {9}", "set[0..5]", "out_of_range"),
    ("c // z", "-9..9", "division"),
    ("c % (b - 2)", "-9..9", "division"),
    ("nil", "Hue", "missing_value"),
    ("blank + 1", "0..9", "missing_value"),
    ("a - blank * digit", "-99..99", "missing_value"),
    ("blank + c // z", "-99..99", "division"),
    ("blank < 3", "bool", "missing_value"),
    ("level[nil]", "0..9", "missing_value"),
    ("lost.x", "0..9", "missing_value"),
    ("only(s)", "Hue?", "missing_value"),
    ("only(e)", "Hue?", "missing_value"),
    ("only(x for x in Four if x > b)", "0..9", "missing_value"),
    ("{nil, red}", "set[Hue]", "missing_value"),
    ("cove.twin.points", "0..9", "missing_value"),
    ("min(len(links[x]) for x in Four if x > 4 + z)", "0..9", "empty_min"),
    ("max(x for x in links[b] if x > c)", "0..9", "empty_min"),
    ("max(low & {2})", "0..9", "empty_min"),
    ("min(nums[c:])", "0..9", "empty_min"),
    ("row[c]", "Hue?", "bad_index"),
    ("row[-4 + z]", "Hue?", "bad_index"),
    ("bare[0]", "Hue?", "bad_index"),
    ("bare.index(red)", "0..9", "bad_index"),
    ("nums.index(9)", "0..9", "bad_index"),
    ("worth[b + 2][red]", "0..9", "bad_index"),
    ("[b, c][b]", "0..9", "bad_index"),
    ("nums[b + 3]", "0..9", "bad_index"),
    ("row[c] == row[c]", "bool", "bad_index"),
    ("bare.count(row[c])", "0..9", "bad_index"),
    ("row + row", "list[Hue, 4]", "overfull"),
    ("nums + [a]", "list[0..9, 5]", "out_of_range"),
]


def variables_of(expr: str) -> list[str]:
    """The variables that an expression names."""
    return [name for name in VARIABLES if renamed(expr, name, "") != expr]


def renamed(expr: str, name: str, new: str) -> str:
    """The expression with another variable in the place of one; fields and words of texts stay."""
    return re.sub(rf'(?<![\w)\]]\.)(?<!")\b{name}\b(?!=[^=])', new, expr)


def held(state: State, name: str) -> Any:
    """What a variable holds, in Python: a list of elements or items, a dict of a map, bag or record."""
    names = {var.name for var in state.program.vars}
    if f"{name}.len" in names and not isinstance(length := _plain(state[f"{name}.len"]), dict):
        return list(_plain(state[name]).values())[:length]
    if name in names:
        return _plain(state[name])
    return {n.removeprefix(f"{name}."): _plain(state[n]) for n in sorted(names) if n.startswith(f"{name}.")}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(v) for key, v in value.items()}
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value


def declared(name: str, kind: str) -> str:
    """A state variable of a type, with some first value."""
    low = kind.split("..")[0]
    return f"    {name}: {kind}{f' = {low}' if low.lstrip('-').isdigit() and '?' not in kind else ''}\n"
