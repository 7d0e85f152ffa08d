"""What is put together is worked out as a whole, and what is found in it is what was put there: finds of the
random rules files (`python -m tests.oracles`).
"""

from __future__ import annotations

import pytest
from kemu_engine.kernel.verify import problems
from kemu_engine.play.state import FaultError

from tests.rules import game_in, sound_in, texts

HEAD = """\
game "Wholes"
players ann, ben
enum Hue: red, blue
record Pair(many: 0..3, hue: Hue)
fun one(m: map[Hue, 0..9]): 1
fun tight(m: map[Hue, 0..3]): 1
fun short(l: list[Hue, 1]): 1
fun light(b: bag[Hue, 1]): 1
fun contrary(b: bool?): not b
fun same(b: bool?): true if b else false
state:
    n: 0..99
    yes: bool
    lost: Hue?
    mine: Hue? = red
    perhaps: bool?
    nobody: Player?
    row: list[Hue, 3] = [red, blue]
    at: map[Hue, 0..9] = {h: 5 for h in Hue}
    heap: bag[Hue, 4] = {red: 2}
    maps: list[map[Hue, 0..9], 2]
    heaps: list[bag[Hue, 4], 2]
    sets: list[set[Hue], 2]
    lists: list[list[map[Hue, 0..9], 1], 2]
    twos: list[tuple[tuple[0..1, 0..1], Hue], 2] = [((0, 1), red), ((1, 1), red)]
"""


def rules(*statements: str) -> str:
    lines = [line for statement in statements for line in statement.split("\n")]
    return HEAD + "rules:\n" + "".join(f"    {x}\n" for x in (*lines, "choose go by ann", "end tie"))


@pytest.mark.parametrize(
    "statement",
    [
        # a part is asked for, another part is not there
        "n = [1, at[lost]][0]",
        "yes = (true, at[lost])[0]",
        "n = Pair(1, lost).many",
        "n = len([at[lost], 1])",
        "n = len({h: at[lost] for h in Hue})",
        "yes = 1 in [1, at[lost]]",
        "yes = [1, at[lost]] == [2, 3]",
        "yes = any([true, at[lost] == 1])",
        "n = [1, at[lost]].count(1)",
        "n = ([1, at[lost]])[:1][0]",
        # a later value for the same key stands before it
        "at = {red: at[lost], red: 1, blue: 1}",
        "at = {red: at[lost], blue: 1} | {red: 1}",
        "at = {red: 1, blue: at[lost]} | {h: 0 for h in Hue}",
        "at |= {red: at[lost], red: 1}",
        "n = one({h: at[lost] for h in Hue})",
        "n = 1 if row[2] is some else 1",
        "yes = not perhaps",
        "yes = contrary(perhaps)",
        "at |= {red: only([1, 2][n:])}",
        "at = (at | {red: 1}) | {red: at[lost]}",
        "at = {h: only(Hue) for h in Hue} | {red: at[red]}",
        "maps[len(maps)] |= {}",
        "yes = can go by only([ann, ben])",
        "yes = can go by nobody",
        "n = 1 if same(perhaps) else 0",
        # what does not fit into the type of a parameter
        "n = tight(at)",
        "n = short(row)",
        "n = light(heap)",
        # an action that can never be, but its condition is asked
        "choose act(h in {x for x in row[2:2]}) by ann if at[lost] > 1\nelse:\n    pass",
        "choose act(h in Hue) by ann if at[lost] > 1 and n > 99\nelse:\n    pass",
    ],
)
def test_every_part_is_worked_out(statement: str) -> None:
    with pytest.raises(FaultError):
        game_in(rules(statement)).initial()


@pytest.mark.parametrize(
    ("statements", "truth"),
    [
        ("n = 1; lost = row[-n]", "lost == blue"),
        ("n = 2; row[-n] = blue; n = row.count(blue)", "n == 2"),
        ("for x in row[n:0]:\n    n += 1", "n == 0"),
        ("row = row[1:]\nfor h in {blue: 1, red: 2}:\n    row += [h]", "row == [blue, red, blue]"),
        ("n = first({3: 0, 1: 0, 2: 0})", "n == 1"),
        ("n = max({k: 9 for k in 1..3})", "n == 3"),
        ("yes = 9 in set({k: at[red] for k in 1..3})", "not yes"),
        ("maps = [at] + [at]; n = ([at, {h: 1 for h in Hue}] + [maps[0]]).count(at)", "n == 2"),
        ("sets = [{red}]; n = [{}, {red}].index(sets[0])", "n == 1"),
        (
            "heaps = [heap]; move {h: 2 if h == red else 0 for h in Hue} from heaps to heaps",
            "heaps == [heap]",
        ),
        ("row = []; move all from heap to row", "row == [red, red] and len(heap) == 0"),
        ("row = []; move all blue from heap to row", "row == []"),
        ("move all blue from heap to mine", "mine == red"),
        ("yes = only([true])", "yes"),
        ("n = first({0: false for k in 1..3})", "n == 0"),
        ("n = 1; n = twos.count(twos[n])", "n == 1"),
        ("sets = [{red}]; n = [(1, {red}), (1, {})].count((len(row) - 1, sets[0]))", "n == 1"),
        ("sets = [{red}]; move only(sets[0]) from sets[0] to row; n = len(sets[0])", "n == 0"),
        ("n = 1; yes = (none if 3 // n > 0 else none) == none", "yes"),
        ("n = 1; yes = (none if 3 // n > 0 else none) == lost", "yes"),
        ("n = 1; yes = (none if 3 // n > 0 else none) == mine", "not yes"),
        ("n = ({none: 4, red: 1})[lost]; n += ({none: 4, red: 1})[none]", "n == 8"),
        ("for b in ([yes, yes] if n == only([2]) else []):\n    n = 1 if not b else n", "n == 0"),
        ("n = 9\nfor h in ([{}])[n - 9] in order of ann:\n    n = 0", "n == 9"),
    ],
)
def test_what_is_found_is_what_was_put_there(statements: str, truth: str) -> None:
    state = sound_in(rules(statements, f"yes = {truth}")).initial()
    assert state["yes"] is True


@pytest.mark.parametrize(
    "statement",
    [
        "lost = row[3:][5]",
        "at = [{h: 1 for h in Hue}][3]",
        "heap = ([])[n]",
        "sets = [([])[n]]",
        "yes = lost in {([])[n]}",
        "n = ([])[n:][n - 1]",
        "n = [5][n + 1]",
        "n = {k: 1 for k in [red]}[row[n + 2]]",
        "n = maps.count(maps[0])",
        "move ([])[n] from lists to lists",
        "yes = 1 in {only([2][2:]) if n != 1 else 0}",
    ],
)
def test_what_is_never_there_is_a_fault_of_play(statement: str) -> None:
    game = game_in(rules(f"if n == 0:\n    {statement}"))
    assert problems(game.program) == []
    with pytest.raises(FaultError):
        game.initial()


@pytest.mark.parametrize("zone", ["heaps[0]", "sets[0]", "rows[0]", "maybe[0]"])
def test_a_zone_has_to_be_there_though_nothing_moves(zone: str) -> None:
    head = HEAD.replace("state:", "state:\n    rows: list[list[Hue, 4], 2]\n    maybe: list[Hue?, 2]", 1)
    game = game_in(rules("heap = {}", f"move all from heap to {zone}").replace(HEAD, head))
    with pytest.raises(FaultError, match="no such element"):
        game.initial()


@pytest.mark.parametrize(
    ("part", "more", "n"),
    [
        ("none", "0 if a is none else 9", 9),
        ("{1: 4, 2: 5}", "a[2]", 14),
        ("[[1], []]", "len(a[0])", 10),
        ("[]", "len(a)", 9),
        ("{red}", "len(a)", 10),
        ("(1, [none, 3])", "a[1][1] if a[1][1] is some else 0", 12),
    ],
)
def test_what_is_known_beside_what_holds_a_map_is_gone_through(part: str, more: str, n: int) -> None:
    whole = "whole: tuple[map[Hue, 0..9], 0..9] = (at, 4)"
    body = f"for a, b in [({part}, whole)]:\n    n += b[0][red] + b[1] + ({more})"
    assert game_in(rules(whole, body)).initial()["n"] == n


def test_each_place_of_a_product_has_things_of_its_own() -> None:
    body = "found: list[Player?, 2] = [a[1] for a in product([red], [none])]\nn = len(found)"
    assert game_in(rules(body)).initial()["n"] == 1


def test_two_things_at_most_lie_in_an_option() -> None:
    with pytest.raises(FaultError, match="overfull"):
        game_in(rules("mine = none", "move all from heap to mine")).initial()


def test_a_map_that_chance_looks_at_is_kept() -> None:
    """Its number is that of a parameter of the action before it."""
    text = """\
game "Kept"
players ann
enum Hue: red, blue
state:
    n: 0..2 = 2
    deck: bag[Hue] = {red: 1, blue: 1}
    full: map[Hue, 0..2] = {h: 2 for h in Hue}
rule asked(m: map[Hue, 0..2]):
    choose one(a in Hue, b in Hue, c in Hue, d in Hue, e in Hue) by ann
    draw card from deck if m[a] + m[b] + m[c] + m[d] + m[e] == 10
rules:
    asked(full)
    end tie
"""
    state = sound_in(text).initial().apply("one(red, red, red, red, red)")
    assert texts(state) == ["red", "blue"]


def test_a_secret_is_drawn_into_a_whole_variable() -> None:
    text = (
        HEAD.replace("lost: Hue?", "lost: Hue? hidden") + "rules:\n    lost = draw from heap\n    end tie\n"
    )
    assert any(local.secret for local in game_in(text).program.locals)


def test_collections_are_equal_before_play_as_in_play() -> None:
    text = HEAD.replace(
        "state:", "const none_: set[Hue] = {}\ncheck [{}] == [none_] and {} in [none_]\nstate:"
    )
    sound_in(text + "rules:\n    end tie\n")


def test_a_known_bag_has_none_of_what_may_lie_in_it_and_nothing_else() -> None:
    text = HEAD.replace("state:", "const few: bag[Hue?, 3] = {blue: 1}\nconst no: bag[2..3] = {2: 1}\nstate:")
    state = sound_in(
        text + "rules:\n    n = few[lost] + few[none] + few[blue]\n    choose go by ann\n    end tie\n"
    )
    assert state.initial()["n"] == 1
    with pytest.raises(FaultError):
        game_in(text + "rules:\n    n = no[n]\n    choose go by ann\n    end tie\n").initial()


def test_places_that_look_at_each_other_are_stored_at_once() -> None:
    text = """\
game "Each other"
players ann
record R(a: 0..5, b: 0..5)
state:
    rows: list[list[R, 1], 2] = [[R(1, 2)], [R(0, 3)]]
    yes: bool
rules:
    rows[rows[1][0].a] = [R(rows[0][0].b, rows[0][0].a)]
    yes = rows == [[R(2, 1)], [R(0, 3)]]
    choose go by ann
    end tie
"""
    assert sound_in(text).initial()["yes"] is True
