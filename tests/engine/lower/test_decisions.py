"""Who may choose what, in which order, and what comes after; dice and draws."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import held
from tests.engine.lower.deciding import HEAD, first
from tests.rules import play, sound_in, texts


@pytest.mark.parametrize(
    ("choice", "actions"),
    [
        # parameters: the domain's order, the last fastest, later ones dependent on earlier ones
        ("take(x in Four)", ["take(1)", "take(2)", "take(3)", "take(4)"]),
        ("take(x in s)", ["take(red)", "take(blue)"]),
        ("take(x in {blue, red})", ["take(red)", "take(blue)"]),
        ("take(x in 2..3, y in s)", ["take(2, red)", "take(2, blue)", "take(3, red)", "take(3, blue)"]),
        (
            "take(x in 1..3, y in x..3)",
            ["take(1, 1)", "take(1, 2)", "take(1, 3)", "take(2, 2)", "take(2, 3)", "take(3, 3)"],
        ),
        ("take(q in Spot) if q.x != q.y", ["take((2, 1))", "take((1, 2))"]),
        ("take(x in 1..level[green] + 1)", ["take(1)", "take(2)"]),
        ("take(p in Player) if p != who", ["take(ann)", "take(cid)"]),
        ("take(x in pile)", ["take(red)", "take(blue)"]),
        ("take(x in level)", ["take(red)", "take(green)", "take(blue)"]),
        ("take(b in {true, false})", ["take(false)", "take(true)"]),
        ("take(a in subsets(1..3, 2))", ["take({1, 2})", "take({1, 3})", "take({2, 3})"]),
        # conditions
        ("take(x in Hue) if x in s and level[x] > 4", ["take(blue)"]),
        ("take(x in Four, y in Four) if x > 3 and y < 3 and n == 0", ["take(4, 1)", "take(4, 2)"]),
        ("take(x in Four, y in Four) if x + y == 3", ["take(1, 2)", "take(2, 1)"]),
        ("take(x in Four) if x != 1 and 6 // (x - 1) == 3", ["take(3)"]),
    ],
)
def test_the_actions_in_their_order(choice: str, actions: list[str]) -> None:
    who = choice.replace(") if ", ") by ann if ") if ") if " in choice else f"{choice} by ann"
    assert texts(first(f"choose {who}\nend tie")) == actions


def test_a_parameter_is_known_after_the_choice() -> None:
    state = first("choose take(x in Hue, y in 1..3) by who if x != red\nk = x\nn = y * 10\nend tie")
    assert state.actor == "bob"
    end = play(state, "take(blue, 2)")
    assert (end["k"], end["n"]) == ("blue", 20)


def test_a_menu_leads_on_behind_it() -> None:
    state = first("""
choose by cid:
    one(x in s) if n == 0:
        k = x
    two:
        n = 2
        choose deeper(y in 5..6) by ann
        n += y
    three if n > 0:
        n = 3
n += 50
choose stop by bob
end tie
""")
    assert state.actor == "cid" and texts(state) == ["one(red)", "one(blue)", "two"]
    assert [play(state, "one(blue)")[v] for v in ("k", "n")] == ["blue", 50]
    deeper = play(state, "two")
    assert deeper.actor == "ann" and texts(deeper) == ["deeper(5)", "deeper(6)"]
    assert play(deeper, "deeper(6)")["n"] == 58 and play(deeper, "deeper(6)").actor == "bob"


def test_may_choose_adds_pass_last() -> None:
    menu = first(
        """
may choose by ann:
    one:
        n = 1
    two:
        n = 2
n += 10
choose stop by ann
end tie
"""
    )
    assert texts(menu) == ["one", "two", "pass"]
    assert [play(menu, a)["n"] for a in ("one", "two", "pass")] == [11, 12, 10]
    one = first("may choose take(x in s) by ann\no = x\nchoose stop by ann\nend tie")
    assert texts(one) == ["take(red)", "take(blue)", "pass"]
    assert [play(one, a)["o"] for a in ("take(blue)", "pass")] == ["blue", "none"]
    numbers = first(
        "may choose take(x in 3..4) by ann\nn = x if x is some else 9\nchoose stop by ann\nend tie"
    )
    assert [play(numbers, a)["n"] for a in ("take(3)", "take(4)", "pass")] == [3, 4, 9]


TAKEN = """
rule step():
    n = 1
rules:
    may choose step by ann
    if step is some:
        step()
    choose jump(k in 1..2) by ann if n == 1
    else: n = 3
    if jump is none: n += 5
    if jump is some and k == 2: n += 1
    choose stop by ann
    end tie
"""


def test_whether_an_action_was_chosen_that_play_may_go_on_without() -> None:
    state = sound_in(HEAD.split("rules:")[0] + TAKEN).initial()
    assert play(state, "pass")["n"] == 8
    assert [play(state, "step", jump)["n"] for jump in ("jump(1)", "jump(2)")] == [1, 2]


def test_a_variable_called_like_an_action_is_meant_first() -> None:
    state = first("may choose o by ann\nn = 4 if o is some else 5\nchoose stop by ann\nend tie")
    assert [play(state, each)["n"] for each in ("o", "pass")] == [5, 5]


def test_else_is_for_when_nothing_is_legal() -> None:
    rules = """
choose take(x in Hue) by ann if x in s
else:
    n = 5
o = x
choose stop by bob
end tie
"""
    state = first(rules)
    assert texts(state) == ["take(red)", "take(blue)"]
    assert (play(state, "take(red)")["o"], play(state, "take(red)")["n"]) == ("red", 0)
    none = first("s = {}\n" + rules)
    assert texts(none) == ["stop"] and (none["o"], none["n"]) == ("none", 5)
    ended = first("s = {}\n" + rules.replace("n = 5", "end win(bob)"))
    assert ended.is_end and ended.result is not None and ended.result.winner == "bob"


def test_menus_with_else() -> None:
    rules = """
choose by ann:
    one(x in s):
        k = x
    two if n == 9:
        n = 2
else:
    n = 7
choose stop by bob
end tie
"""
    assert texts(first(rules)) == ["one(red)", "one(blue)"]
    nothing = first("s = {}\n" + rules)
    assert texts(nothing) == ["stop"] and nothing["n"] == 7
    assert texts(first("n = 9\ns = {}\n" + rules)) == ["two"]


def test_nothing_to_choose_is_a_fault() -> None:
    with pytest.raises(FaultError, match="stuck"):
        first("s = {}\nchoose take(x in s) by ann\nend tie")
    with pytest.raises(FaultError, match="missing_value"):
        first("choose take by first({p for p in Player if n > 9})\nend tie")


def test_require_tries_what_stands_above_it() -> None:
    menu = first("""
choose by ann:
    add(x in Four):
        n += x * 2
        m = n + 1
        require m > 5
        n += 1
    also:
        n = 1
        require n == 2
choose stop by ann
end tie
""")
    assert texts(menu) == ["add(3)", "add(4)"] and play(menu, "add(3)")["n"] == 7
    one = first("""
choose take(x in s) by ann
s -= {x}
require red in s
n = 4
choose stop by ann
end tie
""")
    assert texts(one) == ["take(blue)"] and play(one, "take(blue)")["s"] == ["red"]
    later = first(
        """
choose take(x in s) by ann
n = 3
choose give(y in Four) by ann
n += y
require n > 5
end tie
"""
    )
    assert texts(later) == ["take(red)", "take(blue)"]
    assert texts(play(later, "take(red)")) == ["give(3)", "give(4)"]


def test_what_is_only_tried_asserts_nothing() -> None:
    state = first(
        """
choose take(x in Four) by ann
n = x
assert small: n < 3
require n != 2
choose stop by ann
end tie
"""
    )
    assert texts(state) == ["take(1)", "take(3)", "take(4)"]
    with pytest.raises(FaultError, match="small"):
        play(state, "take(3)")


# ----------------------------------------------------------------------------------------------- chance


@pytest.mark.parametrize(
    ("rules", "outcomes"),
    [
        ("x = roll 2..4\nn = x", [("2", 1), ("3", 1), ("4", 1)]),
        ("x = roll Hue\nk = x", [("red", 1), ("green", 1), ("blue", 1)]),
        ("x = roll {blue, red}\nk = x", [("red", 1), ("blue", 1)]),
        ("roll Spot", [("(1, 1)", 1), ("(2, 1)", 1), ("(1, 2)", 1), ("(2, 2)", 1)]),
        ("x = draw from pile\nk = x", [("red", 2), ("blue", 3)]),
        ("draw x from pile if x != red\nk = x", [("blue", 3)]),
        ("draw x from s\nk = x", [("red", 1), ("blue", 1)]),
        ("draw x from s if level[x] < 5\nk = x", [("red", 1)]),
        ("draw from pile", [("red", 2), ("blue", 3)]),
    ],
)
def test_outcomes_and_their_weights(rules: str, outcomes: list[tuple[str, int]]) -> None:
    state = first(f"{rules}\nchoose stop by ann\nend tie")
    assert [(o.text, weight) for o, weight in state.outcomes()] == outcomes


def test_what_is_rolled_and_drawn() -> None:
    dice = first("dice = roll 2 of 3..4\nn = dice[0] * 10 + dice[1]\nchoose stop by ann\nend tie")
    assert play(dice, "4", "3")["n"] == 43
    kept = first("k = roll Hue\nn += roll 1..6\nlevel[k] = roll 0..1\nchoose stop by ann\nend tie")
    after = play(kept, "blue", "5", "1")
    assert (after["k"], after["n"], after["level"]) == ("blue", 5, {"red": 4, "green": 1, "blue": 1})
    drawn = play(first("draw x from pile\no = x\nchoose stop by ann\nend tie"), "blue")
    assert drawn["o"] == "blue" and held(drawn, "pile") == {"red": 2, "green": 0, "blue": 2}
    taken = play(first("o = draw from s\nchoose stop by ann\nend tie"), "red")
    assert taken["o"] == "red" and taken["s"] == ["blue"]
    with pytest.raises(FaultError, match="empty_draw"):
        first("s = {}\ndraw from s\nend tie")
    with pytest.raises(FaultError, match="empty_draw"):
        first("draw x from pile if x == green\nend tie")


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        ("x = roll 1..level[red]\nn = x", "E0742"),
        ("x = roll s\nk = x", "E0742"),
        ("roll 101 of 1..2", "E0742"),
        ("roll 0 of 1..2", "E0742"),
        ("draw x from row\nk = x", "E0743"),
        ("draw x from sets_\nk = first(x)", "E0743"),
        ("choose take(x in row) by ann\nk = x", "E0739"),
        ('choose say(x in ["", "yes"]) by ann', "E0740"),
        ('choose say(x in ["a, b", "a"], y in ["c", "b, c"]) by ann', "E0740"),
        ("repeat at most 1000001:\n    choose go by ann\n    break", "E0727"),
        ("repeat at most n:\n    choose go by ann\n    break", "E0701"),
        ("for x in row in order of ann:\n    k = x", "E0736"),
    ],
)
def test_what_chance_and_choices_refuse(rules: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        first(f"{rules}\nchoose stop by ann\nend tie")
    assert found.value.diagnostics[0].code == code
