"""What programs are spared: what is known is not asked in play, what cannot go wrong is not tested."""

from __future__ import annotations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash

from tests.rules import play, sound_in

HEAD = """\
game "Programs"
players ann, bob
option level: low | full = full
enum Hue: red, green, blue
domain Four = 1..4
domain Spot = grid(1..2, 1..2)
const few = 2
fun twice(x: int): 2 * x
state:
    n: 0..99
    m: 0..9 = 3
    yes: bool
    k: Hue
    o: Hue? = blue
    s: set[Hue] = {red, blue}
    row: list[Hue, 3] = [red]
    level_: map[Hue, 0..9]
"""


def program(rules: str) -> k.Program:
    lines = "".join(f"    {line}\n" for line in rules.splitlines())
    return sound_in(
        f"{HEAD}rules:\n{lines}    choose stop by ann\n    n = m\n    k = red\n    end tie\n"
    ).program


@pytest.mark.parametrize(
    ("rules", "same"),
    [
        ("if level == full:\n    n = 1\nelse:\n    n = 2", "n = 1"),
        ("if level == low:\n    n = 1\nelif yes:\n    n = 2", "if yes:\n    n = 2"),
        ("n = 1 if level == full else m", "n = 1"),
        ("n = m if level == low and yes else 4", "n = 4"),
        ("yes = yes and level == full", "yes = yes"),
        ("yes = level == low or yes", "yes = yes"),
        ("yes = level == full implies yes", "yes = yes"),
        ("yes = not not yes", "yes = yes"),
        ("n = twice(few) + 1", "n = 5"),
        ("n = m + 0", "n = m"),
        ("n = m * 1", "n = m"),
        ("n = 0 * 3 + m", "n = m"),
        ("for x in Four if x > 0:\n    n = x", "for x in Four:\n    n = x"),
        ("for x in Four if level == full:\n    n = x", "for x in Four:\n    n = x"),
        ("for x in {}:\n    n = x", "pass"),
        ("repeat at most 3:\n    n = 1\n    break", "repeat at most few + 1:\n    n = 1\n    break"),
        ("choose go(x in Four) by ann if x > 0", "choose go(x in Four) by ann"),
        ("choose go(x in Four) by ann if level == full", "choose go(x in Four) by ann"),
        ("n = len({x for x in Four})", "n = 4"),
        ("n = sum(x for x in Four if level == low)", "n = 0"),
        ("n = len([k, k])", "n = 2"),
        ("n = len(level_)", "n = 3"),
        ("s = {x for x in Hue if x in s}", "s = {x for x in Hue if x in s and level == full}"),
        ("k = k if level == full else blue", "k = k"),
    ],
)
def test_what_is_known_costs_nothing(rules: str, same: str) -> None:
    assert program_hash(program(rules)) == program_hash(program(same))


@pytest.mark.parametrize(
    ("rules", "faults"),
    [
        ("n = m", set()),
        ("n = m * 11", set()),
        ("k = red", set()),
        ("o = k", set()),
        ("n = m + 90", set()),
        ("n = m * 12", {"out_of_range"}),
        ("n = m - 1", {"out_of_range"}),
        ("m = m % 10", set()),
        ("m = min(n, 9)", set()),
        ("m = n // 10", set()),
        ("m = n // 9", {"out_of_range"}),
        ("n = 7 // (m + 1)", set()),
        ("n = 7 // m", {"division"}),
        ("k = o", {"missing_value"}),
        ("k = first(s)", {"missing_value"}),
        ("o = first(s)", set()),
        ("n = max(x for x in Four)", set()),
        ("n = max(x for x in Four if x < m)", {"empty_min"}),
        ("level_[k] = m", set()),
        ("level_[o] = m", {"missing_value"}),
        ("k = row[0]", {"bad_index"}),
        ("k = [k, red, k][m % 2]", set()),
        ("row = [k]", set()),
        ("row = [k, red, k]", set()),
        ("row = row[1:]", set()),
        ("s = s | {k}", set()),
        ("s = {o}", {"missing_value"}),
        ("n = len(row) + len(s)", set()),
        ("for x in row:\n    n = level_[x]", set()),
        ("repeat at most 3:\n    break", {"overrun"}),
    ],
)
def test_what_cannot_go_wrong_is_not_tested(rules: str, faults: set[str]) -> None:
    always = {f.code for f in program("pass").faults}
    assert {f.code for f in program(rules).faults} - always == faults


def test_locals_hold_what_they_run_through_and_no_more() -> None:
    made = program(
        """\
for p in turns(from=bob):
    choose take(x in s, y in 2..4) by ann
    die = roll 5..8
    for q in Spot:
        choose go by bob
        n = q.x
    for z in row:
        choose on by bob
        k = z
    for w in s in order of ann:
        k = w
    repeat at most 7:
        choose out by ann
        break
    draw thing from s
    a = m + 1
    b: -3..5 = a
    c = thing
    d: 2..4? = y
    choose end_ by ann
    n = die + b if d is some else 0
    k = c
    if m == (1 if p == ann else 2):
        break"""
    )
    found = {i.name.removeprefix("rules."): (i.type, i.texts) for i in made.locals}
    hues = ("red", "green", "blue")
    assert found["p"] == (k.Int(0, 1), ("ann", "bob"))
    assert found["take.x"] == (k.Int(0, 2), hues) and found["take.y"] == (k.Int(0, 2), ("2", "3", "4"))
    assert found["roll"] == (k.Int(0, 3), ("5", "6", "7", "8")) and found["draw"] == (k.Int(0, 2), hues)
    spots = ("(1, 1)", "(2, 1)", "(1, 2)", "(2, 2)")
    assert found["q"] == (k.Int(0, 3), spots) and found["rest of q"] == (k.Set(4), spots)
    assert found["z"] == (k.Int(0, 2), ("0", "1", "2")) and found["rest of z"] == (k.Set(3), ("0", "1", "2"))
    assert found["w"] == (k.Int(0, 2), hues) and found["rest of w"] == (k.Set(3), hues)
    assert found["lap"][0] == k.Int(0, 7) and found["a"][0] == k.Int(1, 10) and found["b"][0] == k.Int(-3, 5)
    assert found["c"] == (k.Int(0, 2), hues) and found["d"] == (k.Int(-1, 2), ("none", "2", "3", "4"))
    below = {
        i.name.removeprefix("rules.") for i in made.locals if isinstance(i.type, k.Int) and i.type.low != 0
    }
    assert below == {"a", "b", "d", "die"}, "all others count from 0"
    assert {i.type for i in made.locals if i.name == "element"} == {k.Int(0, 2), k.Int(0, 3)}


def test_arguments_are_copied_only_if_the_rule_may_change_them() -> None:
    rules = """\
        game "Copies"
        players ann, bob
        state:
            n: 0..99
            row: list[0..9, 3] = [1, 2]
            other_: list[0..9, 3] = [4]
        rule look(xs: list[0..9, 3]):
            other_ = []
            n += sum(xs)
        rules:
            look(ROW)
            choose stop by ann
            end tie
    """
    for argument, copies, n in (("row", 0, 3), ("other_", 1, 4), ("row + other_", 1, 7)):
        game = sound_in(rules.replace("ROW", argument))
        assert len({v.name.split(".")[1] for v in game.program.vars if v.local}) == copies
        assert play(game)["n"] == n


def test_a_value_narrowed_keeps_all_its_values() -> None:
    game = sound_in("""\
        game "Narrow"
        players ann, bob
        enum Hue: red, green, blue
        state:
            o: Hue? = blue
            n: 0..99 = 9
            found: map[1..4, bool]
            worth: map[Hue, 0..9]
        fun last(x: Hue): x == blue and worth[x] == 0
        fun high(x: 0..9): x >= 9 and worth[red] == 0
        rules:
            found[1] = last(o)
            found[2] = high(n)
            found[3] = last(o) and o == blue
            k: Hue = o
            m: 0..9 = n
            choose go by ann
            found[4] = k == blue and m == 9
            choose stop by ann
            end tie
    """)
    assert list(play(game, "go")["found"].values()) == [True, True, True, True]  # type: ignore[union-attr]


def test_positions_that_play_alike_are_equal() -> None:
    """A caller's locals are zero, or the nearest to it in their type, where only another call needs them."""
    game = sound_in("""\
        game "Equal"
        players ann, bob
        state:
            n: 0..9
        rule pause:
            choose on by ann
        rules:
            choose by ann:
                one(x in 3..4):
                    a: 3..5 = x
                    b: -5..-2 = -x
                    c: -2..2 = 4 - x
                    pause()
                    n = a + b + c + 2
                two:
                    pause()
                    n = 1
                three:
                    pause()
                    n = 1
            choose stop by ann
            end tie
    """)
    state = game.initial()
    assert len({play(state, move) for move in ("one(3)", "one(4)")}) == 2
    assert [play(state, move, "on")["n"] for move in ("one(3)", "one(4)", "two")] == [3, 2, 1]
    after = [play(state, *moves, "on") for moves in (("one(4)",), ("two",), ("three",))]
    assert after[1] == after[2] and after[0] != after[1]


def test_a_number_that_may_be_missing_is_added_without_a_table_of_sums() -> None:
    made = sound_in("""
game "Sums"
players ann, bob
domain Card = 1..9
state:
    card: Card? = 3
    n: 0..99
rules:
    choose add by ann
    n += card
    choose take by bob
    n -= card
    card = none
    end tie
""").program
    assert max(len(table.values) for table in made.tables) == 10
