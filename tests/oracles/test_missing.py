"""What cannot be worked out is a fault wherever it stands, even if what is made of it does not need it."""

from __future__ import annotations

import pytest

from tests.oracles.agreement import agree
from tests.soak import as_far

TYPES = {
    "0..2": ("1", "2"),
    "Hue?": ("red", "none"),
    "set[Hue]": ("{red}", "{}"),
    "bag[Hue, 2]": ("{red: 1}", "{}"),
    "list[Hue, 2]": ("[red]", "[]"),
    "map[Hue, 0..2]": ("{red: 1, green: 2, blue: 0}", "{red: 1, green: 1, blue: 0}"),
    "tuple[0..2, list[Hue, 2]]": ("(1, [red])", "(2, [])"),
    "map[bool, set[Hue]]": ("{true: {red}, false: {}}", "{true: {}, false: {red}}"),
    "list[bag[Hue, 2], 2]": ("[{red: 1}]", "[]"),
    "bag[tuple[0..2, bool], 2]": ("{(1, true): 1}", "{}"),
    "map[bool, bag[Hue, 2]]": ("{true: {red: 1}, false: {}}", "{true: {}, false: {red: 1}}"),
    "Rec": ("Rec(1, {red})", "Rec(2, {})"),
    "list[list[Hue, 2], 2]": ("[[red]]", "[[], [red]]"),
}
"""Types, each with two values."""

USES = [
    "b = {1: row[n]} == {2: s}",
    "b = {1: row[n]} == {}",
    "b = {} == {1: row[n]}",
    "b = any(x == s for x in [s, row[n]])",
    "i = len({1: row[n], 2: s})",
    "b = 2 in {1: row[n]}",
    "b = (row[n], s) == (s, row[0])",
    "b = row[n] != none",
    "row[0] = [W][n]",
    "row = [[W][n]]",
    "s = [W, W][n]",
    "s = [W][n] if b else s",
    "row += [[W][n]]",
    "b = [[W][n]] == []",
    "b = [W][n] == [W][n]",
    "b = [W][n] in [W]",
    "b = [W][n] in [W, V]",
    "i = [W].count([W][n])",
    "b = ([W][n], 1) == (W, 2)",
    "b = {1: [W][n]} == {1: W}",
    "b = [W][n] == [V, V][n]",
    "i = len([[W][n]])",
    "b = [s, [W][n]][0] == s",
    "b = s == [W][n]",
    "b = [W][n] != s",
    "b = s == [W, V][n]",
    "b = s == row[n]",
    "b = row[n] == row[0]",
    "b = [row[n]] == [s]",
    "b = [row[n]] == []",
    "b = (1, row[n]) == (2, s)",
    "b = (row[n], 1) == (s, 2)",
    "b = {1: row[n], 2: s} == {1: s, 2: s}",
    "b = s in [row[n]]",
    "b = row[n] in [s]",
    "b = row[n] in []",
    "b = row[n] in row",
    "i = [row[n]].count(s) % 3",
    "i = [s].count(row[n])",
    "i = [s].index(row[n])",
    "i = [s].index(s)",
    "i = row.count(row[n]) % 3",
    "b = [s, row[n]] == [s]",
    "b = (s if b else row[n]) == s",
    "i = len([row[n]]) % 3",
    "i = len((s, row[n])) % 3",
    "b = (s, row[n])[0] == s",
    "b = [s, row[n]][0] == s",
    "b = {1: s, 2: row[n]}[1] == s",
    "row = [row[n]][:0]",
    "row = [row[n]][0:n - 2]",
    "b = [row[n] for x in []] == []",
    "b = [row[n] for x in 0..1] == []",
    "b = {x: row[n] for x in 0..1} == {x: s for x in 0..1}",
    "b = row[n] == W",
    "b = W != [s][n]",
    "b = [W][n] == none",
    "b = [W][n] is some",
    "b = (row[n] after idle(ann)) == s",
    "b = [s] + [row[n]] == [s]",
    "b = ([s] + [row[n]])[0] == s",
    "b = folded(row[n]) != blue",
    "b = folded([W][n]) == red",
    "if folded(row[n]) != blue: i = 1",
    "i = plain([W][n])",
    "b = listed(row[n]) == []",
    "i = told(row[n]) * 0",
    "b = told([W][n]) in {}",
    "b = told(row[n]) is some",
    "i = ran(row[n])",
    "b = (1 after ran(row[n])) == 1",
    "for x in [row[n]]: pass",
    "i = sum(told([W][n]) for x in 0..1)",
    "rows = [told(row[n])][1:]",
    "b = min(told([W][n]), 1) >= 0",
]
"""Statements with an element that is not there: `row` has one, lists of one or two are asked for a third."""

GATHERED = [
    f"{place} = {function}({before}row[{at}]{test} for x in [2, 0, 1]{where}{after})"
    for place, function, test in (
        ("n", "len", ""),
        ("n", "sum", " + 0"),
        ("n", "min", ""),
        ("n", "only", ""),
        ("b", "any", " == V"),
        ("b", "all", " == V"),
        ("b", "none == first", ""),
        ("b", "{2} == set", ""),
    )
    for before, after in (("", ""), ("[", "]"), ("{", "}"))
    for at in ("x", "n + 1")
    for where in ("", " if b", " if x == 0", " if row[x] == V")
]

RULES = """game "Generated"
players ann, bob
enum Hue: red, green, blue
record Rec(many: 0..2, tints: set[Hue])
state:
    n: 0..9 = 2
    i: 0..2
    b: bool
    s: TYPE = V
    row: list[TYPE, 3] = [V]
    rows: list[0..2, 2]
rule idle(p: Player):
    pass
fun folded(x: TYPE) -> Hue: blue if i != i else red
fun plain(x: TYPE) -> 0..2: 1
fun listed(x: TYPE) -> list[0..2, 2]: [i]
fun told(x: TYPE) -> 0..2:
    if i != i: return 2
    return 1
rule ran(x: TYPE) -> 0..2:
    return 1
rules:
    STATEMENT
    choose by ann:
        act:
            pass
"""


SETTLED = [
    "m = sum(score[ann] for h in {only({red, blue} & hues), blue} if (blue == red and m >= 2))",
    "m = sum(1 for h in {only({red, blue} & hues), blue} if false)",
    "m = 1 if any(true for h in {only({red, blue} & hues), blue} if blue == red) else 2",
    "m = min(1 for h in {only({red, blue} & hues), blue} if blue == red)",
    "m = len(1 for h in {only({red, blue} & hues), blue} if blue == red)",
    "m = 1 if first(1 for h in {only({red, blue} & hues), blue} if blue == red) is some else 2",
    "m = len({h for h in {only({red, blue} & hues), blue} if blue == red})",
    "for h in {x for x in {only({red, blue} & hues), blue} if blue == red}: pass",
    "m = len([h for h in {only({red, blue} & hues), blue} if blue == red])",
    "m = 1 if all(true for h in {only({red, blue} & hues), blue} if blue == red) else 2",
    "m = len([h for j in Hue for h in {only({red, blue} & hues), j} if blue == red])",
    "m = sum(1 for j in Hue for h in {only({red, blue} & hues), j} if blue == red)",
    "m = sum(1 for h in {only({red, blue} & hues), blue} if only(hues) == red and blue == red)",
    "m = sum(1 for h in Hue if only(hues) == red and blue == red)",
    "m = sum(1 for h in Hue if blue == red if only(hues) == red)",
    "m = sum(1 for h in Hue if h == h if only(hues) == red if blue == red)",
    "hues = {h for h in {only({red, blue} & hues), blue} if blue == red}",
    "m = max(1 for h in {only({red, blue} & hues), blue} if blue == red)",
    "hues = set(h for h in {only({red, blue} & hues), blue} if blue == red)",
    "choose x(c in {h for h in {only({red, blue} & hues), blue} if blue == red}) by ann",
    "if false and only(hues) == red: pass",
    "if only(hues) == red and false: pass",
    "m = 1 if only(hues) == red and false else 2",
    "m = 1 if not (only(hues) == red and false) else 2",
    "m = 1 if only(hues) in {} else 2",
    "m = 1 if only(hues) in hues & {} else 2",
    "hues = {only(hues)} & {}",
    "hues = {} - {only(hues)}",
    "hues = {only(hues)} | set(Hue)",
    "m = len({only(hues)} & {})",
    "m = len({only(hues)} | set(Hue))",
    "m = 1 if {only(hues)} <= set(Hue) else 2",
    "m = 1 if {} <= {only(hues)} else 2",
    "m = 1 if {only(hues)} & {} == {} else 2",
    "m = 0 * m if only(hues) == red else m",
    "while only(hues) == red and false: pass",
    "for x in {only(hues)} & {}: pass",
    "m = {h: 1 for h in Hue}[only(hues)]",
    "m = {h: 1 for h in Hue}[red] if only(hues) == only(hues) else 2",
    "m = 1 if only(hues) == only(hues) else 2",
    "m = 1 if only(hues) in Hue else 2",
    "m = 1 if only(hues) is some else 2",
]
"""Statements whose outcome is known whatever is missing: `hues` is empty."""

KNOWN = """game "Generated"
players ann, bob
enum Hue: red, green, blue
state:
    m: 0..9 = 2
    hues: set[Hue] = {}
    score: map[Player, 0..0] = {p: 0 for p in Player}
rules:
    STATEMENT
    choose by ann:
        act:
            pass
"""


def written(statement: str, kind: str, value: str, other: str) -> str:
    rules = RULES.replace("STATEMENT", statement).replace("TYPE", kind)
    return rules.replace("W", other).replace("V", value)


@pytest.mark.parametrize("number", as_far(len(USES) // 2, [*range(0, len(USES), 2), *range(1, len(USES), 2)]))
def test_a_missing_element_is_a_fault_whatever_is_made_of_it(number: int) -> None:
    kinds = list(TYPES.items())
    for at in range(number, number + 3):
        kind, (value, other) = kinds[at % len(kinds)]
        if "idle" in USES[number] and kind.startswith(("list", "bag", "tuple", "map[bool")):
            continue
        agree(written(USES[number], kind, value, other), 4)
        agree(written(USES[number], kind, other, value), 4)


def test_an_element_of_a_comprehension_that_is_missing_is_a_fault_but_where_none_is_looked_at() -> None:
    for statement in as_far(len(GATHERED) // 3, [each for at in range(3) for each in GATHERED[at::3]]):
        agree(written(statement, "0..2", "2", "1"), 4)


def test_what_is_missing_is_a_fault_where_the_outcome_is_known_without_it() -> None:
    for statement in SETTLED:
        agree(KNOWN.replace("STATEMENT", statement), 4)
