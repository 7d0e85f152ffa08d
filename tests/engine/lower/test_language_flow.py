"""What statements mean, by example: order, loops, decisions, rules, variants."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError, State

from tests.rules import game_in, play, texts

HEAD = 'game "Flow"\nplayers ann, bob, cid\nenum Hue: red, green, blue\ndomain Spot = grid(1..3, 1..2)\n'


def start(state: str, rules: str) -> State:
    """The first stop of a game with these state variables and this flow."""
    return game_in(HEAD + "state:\n" + lines(state) + "rules:\n" + lines(rules)).initial()


def lines(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.strip("\n").splitlines())


# order


def test_actions_come_as_written_grids_row_by_row_the_last_parameter_fastest() -> None:
    first = start("n: 0..9 = 0", """
choose by bob:
    late(s in Spot) if s.x != 2:
        pass
    early(h in {blue, red}, n in 1..2):
        pass
    last:
        pass
""")  # fmt: skip
    assert (first.actor, texts(first)) == ("bob", [
        "late((1, 1))", "late((3, 1))", "late((1, 2))", "late((3, 2))",
        "early(red, 1)", "early(red, 2)", "early(blue, 1)", "early(blue, 2)", "last",
    ])  # fmt: skip


def test_later_parameters_depend_on_earlier_ones() -> None:
    first = start("n: 0..9 = 0", "choose go(a in 1..3, b in a + 1..3) by ann if a + b != 4")
    assert texts(first) == ["go(1, 2)", "go(2, 3)"]


def test_a_condition_is_tested_as_soon_as_its_parameters_are_known() -> None:
    """So what would fault for the values it excludes is never looked at."""
    state = "row: list[Hue, 3] = [red, blue]"
    first = start(state, "choose go(i in 0..2, h in Hue) by ann if i < len(row) and row[i] == h")
    assert texts(first) == ["go(0, red)", "go(1, blue)"]


def test_sets_are_run_through_in_the_order_of_their_domain() -> None:
    first = start("row: list[Hue, 3]", """
for h in {blue, red, green} if h != green:
    row = row + [h]
choose stop by ann
""")  # fmt: skip
    assert first["row"] == {"0": "red", "1": "blue", "2": "red"} and first["row.len"] == 2


# assignments and loops


def test_a_for_runs_through_what_was_there_on_entry() -> None:
    """Its conditions are tested as each turn comes."""
    first = start("left: set[Hue] = {red, green}\nseen: set[Hue]", """
for h in left if len(seen) < 2:
    seen = seen | {h}
    left = left | {blue} if h == red else left - {h}
choose stop by ann
""")  # fmt: skip
    assert (first["seen"], first["left"]) == (["red", "green"], ["red", "blue"])


def test_a_map_is_given_its_values_all_at_once() -> None:
    state = "level: map[Hue, 0..9] = {red: 1, green: 2, blue: 3}\n"
    state += "next: map[Hue, Hue] = {red: green, green: blue, blue: red}"
    assert start(state, """
level = {h: level[next[h]] for h in Hue}
choose stop by ann
""")["level"] == {"red": 2, "green": 3, "blue": 1}  # fmt: skip
    assert start(state, """
for h in Hue:
    level[h] = level[next[h]]
choose stop by ann
""")["level"] == {"red": 2, "green": 3, "blue": 2}  # fmt: skip


def test_a_list_may_be_made_of_itself() -> None:
    first = start("row: list[Hue, 4] = [red, green, blue]", """
row = row[1:] + [row[0]]
row = row + [red]
choose stop by ann
""")  # fmt: skip
    assert list(first["row"].values()) == ["green", "blue", "red", "red"]  # type: ignore[union-attr]


def test_break_continue_and_repeat() -> None:
    first = start("n: 0..99 = 0", """
for i in 1..9:
    if even(i): continue
    if i > 6: break
    n += i
repeat at most 4:
    n += 10
    if n > 40: break
choose stop by ann
""")  # fmt: skip
    assert first["n"] == 49


def test_move_takes_from_one_zone_and_adds_to_another() -> None:
    first = start(
        "pile: bag[Hue] = {red: 2, blue: 1}\nbox_of: bag[Hue]\nbank: 0..9 = 7\npurse: 0..9 = 0\n"
        "hand: Hue? = green\ntray: Hue?",
        """
move red from pile to box_of
move 3 from bank to purse
move all from hand to tray
choose stop by ann
move all from pile to box_of
move blue from box_of to box
choose stop by ann
""",
    )  # fmt: skip
    assert first["pile"] == {"red": 1, "green": 0, "blue": 1} and first["box_of"] == {
        "red": 1,
        "green": 0,
        "blue": 0,
    }
    assert (first["bank"], first["purse"], first["hand"], first["tray"]) == (4, 3, "none", "green")
    after = play(first, "stop")
    assert after["pile"] == {"red": 0, "green": 0, "blue": 0}
    assert after["box_of"] == {"red": 2, "green": 0, "blue": 0}


@pytest.mark.parametrize(
    ("bag", "held"),
    [
        ("{red: 2, blue: 1}", (2, 0, 1)), ("{red, blue}", (1, 0, 1)), ("[red, blue, red]", (2, 0, 1)),
        ("bag(Hue, 2)", (2, 2, 2)), ("bag([red, red])", (2, 0, 0)), ("{h: 3 for h in {blue}}", (0, 0, 3)),
    ],
)  # fmt: skip
def test_what_a_bag_holds_at_first(bag: str, held: tuple[int, ...]) -> None:
    first = start(f"pile: bag[Hue] = {bag}", "choose stop by ann")
    assert first["pile"] == dict(zip(("red", "green", "blue"), held, strict=True))


@pytest.mark.parametrize(
    ("move", "code"),
    [("move red from pile to full", "overfull"), ("move 8 from bank to purse", "out_of_range"),
     ("move green from pile to bag_of", None)],
)  # fmt: skip
def test_move_of_what_is_not_there_or_has_no_room_is_a_fault(move: str, code: str | None) -> None:
    state = "pile: bag[Hue] = {red: 2}\nfull: bag[Hue, 2] = {blue: 2}\nbag_of: bag[Hue]\n"
    state += "bank: 0..9 = 7\npurse: 0..9 = 0"
    first = start(state, f"choose go by ann\n{move}\nend tie")
    with pytest.raises(FaultError) as found:
        first.apply("go")
    assert code is None or found.value.code == code


# turns


def test_turns_go_round_from_the_one_named_and_pass_over_who_is_out() -> None:
    state = start("out: set[Player]", """
for p in turns(from=cid) if p not in out:
    choose:
        stay:
            pass
        leave if len(out) < 2:
            out = out | {p}
""")  # fmt: skip
    actors = []
    for action in ("stay", "leave", "stay", "stay", "leave", "stay", "stay"):
        actors.append(state.actor)
        state = state.apply(action)
    assert actors == ["cid", "ann", "bob", "cid", "bob", "cid", "cid"]


def test_others_and_neighbours_follow_the_seats() -> None:
    first = start("row: list[Player, 4]", """
for q in others(bob):
    row = row + [q]
row = row + [left(cid), right(ann)]
choose stop by ann
""")  # fmt: skip
    assert list(first["row"].values()) == ["cid", "ann", "ann", "cid"]  # type: ignore[union-attr]


def test_in_order_of_lets_a_player_choose_the_order() -> None:
    state = start("row: list[Hue, 3]", """
for h in {red, blue, green} in order of bob:
    row = row + [h]
choose stop by ann
""")  # fmt: skip
    orders = set()
    for first in state.actions():
        for second in state.apply(first).moves():
            end = state.apply(first).apply(second)
            while end.actor == "bob":
                end = end.apply(end.actions()[0])
            orders.add(tuple(end["row"].values()))  # type: ignore[union-attr]
    assert state.actor == "bob" and len(state.actions()) == 3 and len(orders) == 6


# decisions


def test_may_choose_adds_pass_and_goes_on() -> None:
    first = start("n: 0..9 = 0", "may choose take(k in 1..2) by ann if n == 0\nchoose stop by bob")
    assert texts(first) == ["take(1)", "take(2)", "pass"]
    assert play(first, "pass").actor == play(first, "take(2)").actor == "bob"


def test_else_is_what_happens_when_nothing_is_legal() -> None:
    first = start("n: 0..9 = 0", """
choose go(k in 1..2) by ann if k <= n
else:
    n = 5
choose go(k in 1..2) by ann if k <= n
else:
    n = 9
choose stop by bob
""")  # fmt: skip
    assert (texts(first), first["n"]) == (["go(1)", "go(2)"], 5)
    assert play(first, "go(1)")["n"] == 5


def test_require_forbids_what_would_break_a_condition() -> None:
    """The action is tried on a copy: nothing of it stays."""
    first = start("level: map[Hue, 0..3] = {red: 1, green: 2, blue: 3}\ntries: 0..3 = 0", """
choose by ann:
    lower(h in Hue):
        level[h] -= 1
        tries += 1
        require sum(level[k] for k in Hue if k != h) > level[h] and level[red] > 0
choose stop by bob
""")  # fmt: skip
    assert texts(first) == ["lower(green)", "lower(blue)"]
    assert (first["tries"], first["level"]) == (0, {"red": 1, "green": 2, "blue": 3})


def test_nothing_to_choose_is_a_fault_of_the_step_that_leads_there() -> None:
    first = start(
        "n: 0..9 = 0", "choose go(k in 1..2) by ann\nn = k\nchoose on(k in 2..2) by ann if k <= n\nend tie"
    )
    assert play(first, "go(2)").label == "on"
    with pytest.raises(FaultError, match="stuck"):
        first.apply("go(1)")


# chance


def test_outcomes_are_weighted_by_what_is_in_the_bag() -> None:
    state = start("pile: bag[Hue] = {red: 3, blue: 1}\ngot: Hue?", "got = draw from pile\nchoose stop by ann")
    assert [(o.text, w) for o, w in state.outcomes()] == [("red", 3), ("blue", 1)]
    after = state.apply("red")
    assert (after["got"], after["pile"]) == ("red", {"red": 2, "green": 0, "blue": 1})


def test_a_condition_leaves_out_what_may_not_be_drawn() -> None:
    state = start(
        "pile: bag[Hue] = {red: 3, blue: 1}\ngot: Hue?", "draw x from pile if x != red\ngot = x\nend tie"
    )
    assert [o.text for o, _ in state.outcomes()] == ["blue"]


def test_several_dice_fall_one_after_another_and_are_a_tuple() -> None:
    state = start("n: 2..6 = 2", "a = roll 2 of 1..3\nn = 2 * a[0] - a[1]\nchoose stop by ann")
    assert (
        [o.text for o, _ in state.outcomes()]
        == [o.text for o, _ in state.apply("3").outcomes()]
        == ["1", "2", "3"]
    )
    assert play(state, "3", "2")["n"] == 4


# rules and functions


def test_a_rule_with_stops_returns_to_where_it_was_called() -> None:
    game = game_in(HEAD + """\
state:
    total: 0..99 = 0
rule ask(q: Player, factor: 1..9) -> 0..99:
    choose say(n in 1..3) by q
    if n == 3: return 0
    return n * factor
rules:
    a = ask(ann, 1)
    choose between by cid
    b = ask(bob, 5)
    total = 10 * a + b
    choose stop by ann
""")  # fmt: skip
    state = play(game, "say(2)", "between")
    assert state.actor == "bob"
    assert state.apply("say(1)")["total"] == 25
    assert state.apply("say(3)")["total"] == 20


def test_inout_parameters_are_changed_in_place() -> None:
    game = game_in(HEAD + """\
state:
    level: map[Hue, 0..9] = {red: 1, green: 2, blue: 3}
rule double(inout n: 0..9):
    n = n * 2
rules:
    double(level[blue])
    choose stop by ann
""")  # fmt: skip
    assert game.initial()["level"] == {"red": 1, "green": 2, "blue": 6}


VARIANT = HEAD + """\
option level: basic | hard = basic
state:
    n: 0..99 = 0
fun price(h: Hue): 2 if h == red else 1
rule pay(h: Hue):
    n += price(h)
under level == hard:
    fun price(h: Hue): before(h) * 10
    rule pay(h: Hue):
        before(h)
        n += 1
rules:
    pay(red)
    choose stop by ann
"""  # fmt: skip


def test_under_replaces_and_before_is_what_it_replaced() -> None:
    assert game_in(VARIANT).initial()["n"] == 2
    assert game_in(VARIANT, level="hard").initial()["n"] == 21


# equality of states


def test_what_can_no_longer_matter_is_forgotten() -> None:
    """Equal positions are equal states: locals, dice and lists of rules that are over leave nothing."""
    game = game_in(HEAD + """\
state:
    n: 0..9 = 0
rule ask(q: Player):
    row: list[Hue, 3] = []
    choose by q:
        say(h in Hue):
            row = [h, h]
            x = len(row)
            n = x
rules:
    ask(ann)
    die = roll 1..2
    choose stop by bob
    ask(cid)
    choose stop by bob
""")  # fmt: skip
    reds = [play(game, "say(red)", die) for die in ("1", "2")]
    assert reds[0] == reds[1] == play(game, "say(blue)", "1") and hash(reds[0]) == hash(reds[1])
    assert play(reds[0], "stop", "say(red)") == play(reds[0], "stop", "say(green)") != reds[0]


def test_whose_turn_it_is_is_part_of_the_state() -> None:
    state = start("n: 0..9 = 0", "for p in turns():\n    choose wait")
    assert len({state, play(state, "wait"), play(state, "wait", "wait")}) == 3
    assert play(state, "wait", "wait", "wait") == state
