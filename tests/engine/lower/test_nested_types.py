"""Lists, bags, maps, sets, options, records and tuples in each other: each does what each does by itself."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, sound_in

HEAD = """\
game "Nested"
players ann, ben
enum Hue: red, blue
domain Four = 1..4
record Pair(many: 0..3, hue: Hue?)
record Hand(row: list[Hue, 2], seen: set[Hue])
state:
    n: 0..99
    yes: bool
    at: map[Hue, 0..9] = {h: 1 for h in Hue}
    maps: list[map[Hue, 0..9], 3]
    rows: list[list[Hue?, 2], 3]
    heaps: list[bag[Hue, 3], 2]
    hands: list[Hand, 3]
    held: Hand
    by: map[Hue, Hand]
    deep: map[Hue, map[1..2, list[Hue, 2]]]
    two: tuple[map[Hue, 0..9], list[Hue, 2]]
    pair: Pair?
    pairs: list[Pair?, 2]
    sets: map[Hue, set[Pair]]
"""
RULES = """\
rules:
    STATEMENTS
    choose go by ann
    end tie
"""


def after(statements: str, more: str = "") -> dict[str, object]:
    lines = "\n    ".join(statements.strip().split("\n"))
    game = sound_in(HEAD + more + RULES.replace("STATEMENTS", lines))
    state = game.initial()
    return {var.name: state[var.name] for var in game.program.vars}


@pytest.mark.parametrize(
    ("statements", "truth"),
    [
        # maps in a list
        ("maps = maps + [at]", "maps[0] == at and len(maps) == 1"),
        ("maps += [at]; maps += [{h: 2 for h in Hue}]", "maps == [at, {red: 2, blue: 2}]"),
        ("maps += [at]; at[red] = 5; maps += [at]", "maps[0][red] == 1 and maps[1][red] == 5"),
        ("maps += [at]; maps[0][blue] = 7", "maps[0] == {red: 1, blue: 7} and at[blue] == 1"),
        ("maps += [at, at]", "at in maps and maps.count(at) == 2 and maps.index(at) == 0"),
        (
            "maps += [at]; maps = [{h: maps[0][h] + 1 for h in Hue}, maps[0]]",
            "maps[0][red] == 2 and maps[1] == at",
        ),
        ("maps += [at, at]; maps[1] = {red: 3, blue: 4}; maps = maps[1:]", "maps == [{red: 3, blue: 4}]"),
        ("maps += [at, at]", "sum(m[red] for m in maps) == 2 and all(m == at for m in maps)"),
        ("maps += [at, at]\nfor m in maps:\n    n += m[blue] + 1", "n == 4"),
        ("maps += [at]\nfor m in maps:\n    maps = [m, m, m]\n    n += 1", "n == 1 and len(maps) == 3"),
        ("maps += [at]; at[red] = 4; move maps[0] from maps to maps", "maps[0][red] == 1 and len(maps) == 1"),
        ("n = 3", "none != (n, true) and (n, red) != none and none != at"),
        # lists in a list
        ("rows = [[red], [none, blue]]; rows += [[]]", "rows == [[red], [none, blue], []]"),
        ("rows = [[red], [none, blue]]; rows = [rows[1], rows[0]]", "rows == [[none, blue], [red]]"),
        (
            "rows = [[red]]; rows[0] += [none]; rows[0][0] = blue",
            "rows == [[blue, none]] and len(rows[0]) == 2",
        ),
        # bags in a list
        ("heaps += [{red: 2}]; heaps[0][blue] += 1", "heaps[0] == {red: 2, blue: 1}"),
        (
            "heaps = [{h: 1 for h in Hue}, {red: 3}]; heaps = [heaps[1], heaps[0]]",
            "heaps == [{red: 3}, {h: 1 for h in Hue}]",
        ),
        # records that hold collections
        (
            "held = Hand([red], {blue}); held = Hand(held.row + [blue], held.seen | {red})",
            "held == Hand([red, blue], {red, blue})",
        ),
        (
            "hands += [Hand([red], {})]; hands = hands + [Hand(hands[0].row, {red})]",
            "hands[1] == Hand([red], {red}) and hands[0].seen == {}",
        ),
        (
            "by[red] = Hand([blue], {red})\nby = {h: by[red] for h in Hue}; by[blue].row += [red]",
            "by[blue] == Hand([blue, red], {red}) and by[red].row == [blue]",
        ),
        (
            "two = (at, [red]); two = ({h: two[0][h] + 1 for h in Hue}, two[1] + [blue]); two[0][red] = 0",
            "two == ({red: 0, blue: 2}, [red, blue])",
        ),
        # maps of maps of lists
        (
            "deep = {h: {k: [h] for k in 1..2} for h in Hue}; deep[red] = deep[blue]; deep[red][1] += [red]",
            "deep[red] == {1: [blue, red], 2: [blue]}",
        ),
        # tuples that may be missing, sets of tuples
        (
            "pair = Pair(1, none); pairs = [none, pair]",
            "pairs[1] == Pair(1, none) and pairs[0] is none and pair.many == 1",
        ),
        (
            "sets[red] = {Pair(1, red)}; sets[blue] = sets[red] | {Pair(0, none)}",
            "Pair(1, red) in sets[blue] and len(sets[blue]) == 2",
        ),
        # locals
        (
            "mine: list[map[Hue, 0..9], 2] = [at]; mine += [{h: 0 for h in Hue}]; at = mine[1]",
            "at[red] == 0 and at[blue] == 0",
        ),
        ("copy = at; at[red] = 8; at = {h: copy[h] + at[h] for h in Hue}", "at == {red: 9, blue: 2}"),
        ("maps += [at]; copy = maps[0]; maps[0][red] = 9; at = copy", "at[red] == 1"),
        # what stands at a place that depends on what is stored
        (
            "maps = [{red: 1, blue: 0}, at]; maps[maps[0][red]] = {red: 0, blue: 5}",
            "maps[1] == {red: 0, blue: 5} and maps[0][red] == 1",
        ),
        (
            "heaps = [{red: 1}, {}]; heaps[heaps[1][red]] = {red: 1, blue: 1}\n"
            "heaps[heaps[0][red]] = {blue: 2}",
            "heaps == [{red: 1, blue: 1}, {blue: 2}]",
        ),
        # either way
        ("maps += [at]; maps += [maps[0] if n == 0 else {h: 9 for h in Hue}]", "maps == [at, at]"),
        ("heaps = [{red: 1} if n == 0 else {blue: 2}]", "heaps == [{red: 1}]"),
    ],
)
def test_what_is_put_into_a_collection_is_there(statements: str, truth: str) -> None:
    assert after(f"{statements}\nyes = {truth}")["yes"] is True


def test_functions_and_rules_take_and_give_them() -> None:
    more = """\
fun more(m: map[Hue, 0..9]): {h: m[h] + 1 for h in Hue}
fun longer(h: Hand) -> Hand:
    if len(h.row) == 0:
        return Hand([red], h.seen)
    return Hand(h.row + [blue], {})
rule added(m: map[Hue, 0..9], inout all_: list[map[Hue, 0..9], 3]) -> list[map[Hue, 0..9], 3]:
    all_ += [m]
    return all_
rule asked(m: map[Hue, 0..9]) -> list[map[Hue, 0..9], 2]:
    if m[red] > 0:
        return [m, m]
    choose other_ by ann
    return []
"""
    statements = """
at = more(more(at))
held = longer(longer(held))
maps = added(at, maps)
maps = asked(maps[0])
yes = maps == [{h: 3 for h in Hue}, at] and held == Hand([red, blue], {})
"""
    assert after(statements, more)["yes"] is True


@pytest.mark.parametrize(
    "statement", ["heaps[0] = {red: 2, blue: 2}", "heaps = [{red: 4}]", "rows[0] += [red, red]"]
)
def test_what_does_not_fit_is_a_fault(statement: str) -> None:
    game = game_in(HEAD + RULES.replace("STATEMENTS", f"heaps = [{{}}]; rows = [[red]]\n    {statement}"))
    with pytest.raises(Exception, match="overfull"):
        game.initial()


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("set[Hue]?", "E0716"), ("list[Hue, 2]?", "E0716"), ("Hand?", "E0716"), ("map[Hue, bool]?", "E0716"),
        ("set[set[Hue]]", "E0714"), ("map[list[Hue, 2], bool]", "E0714"), ("bag[Hand, 2]", "E0714"),
    ],
)  # fmt: skip
def test_what_play_does_not_have_is_refused_where_it_is_declared(kind: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(HEAD + f"    odd: {kind}\n" + RULES.replace("STATEMENTS", "pass"))
    (told,) = found.value.diagnostics
    assert told.code == code and "odd" in (HEAD + f"    odd: {kind}\n").splitlines()[told.span.line - 1]


def test_variables_of_one_name_in_different_blocks() -> None:
    """Whose parts may be called alike: `mine._0` of a tuple and of a map of tuples."""
    game = sound_in(
        HEAD
        + """\
rules:
    if not yes:
        mine: tuple[bag[Hue, 2], bool] = ({red: 1}, true)
        choose go by ann
        n = mine[0][red]
    mine: map[Hue, tuple[1..2, Hue]] = {h: (2, h) for h in Hue}
    choose on by ann
    n += mine[blue][0]
    end tie
"""
    )
    assert game.initial().apply("go").apply("on")["n"] == 3
