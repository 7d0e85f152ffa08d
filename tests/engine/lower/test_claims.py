"""Properties at their stops, views, and who has won."""

from __future__ import annotations

from typing import Any

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.play.view import view
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import play, sound_in

HEAD = """\
game "Claims"
players ann, bob, cid
enum Hue: red, green, blue
domain Spot = grid(1..2, 1..2)
state:
    n: 0..9 = 3
    k: Hue = green
    o: Hue?
    s: set[Hue] = {red, blue}
    row: list[Hue, 3] = [blue, red]
    pile: bag[Hue, 4] = {red: 2, blue: 1}
    stone: map[Spot, Player?] = {q: bob if q == (2, 1) else none for q in Spot}
    score: map[Player, 0..9] = {ann: 2, bob: 5, cid: 5}
    debt: map[Player, 0..9] = {ann: 1, bob: 4, cid: 2}
rule ask(p: Player):
    choose answer(x in 1..3) by p
    n += x
"""
RULES = """\
rules:
    for p in turns():
        choose take(x in s) if k != x
        k = x
        ask(left(p))
        die = roll 1..2
        n = die
        if p == bob:
            end rank((score, debt))
"""


def claims(text: str, *moves: str) -> dict[str, Any]:
    """What every property of a game comes to in the state after these moves."""
    game = sound_in(HEAD + text + RULES)
    state = play(game, *moves)
    return {p.name: value(state, p) for p in game.program.properties}


def value(state: State, p: k.Property) -> Any:
    found = [state.evaluate(e) for e in p.exprs if not p.blocks or state.block in p.blocks]
    if p.exprs and isinstance(p.exprs[0].type, k.Bool):
        found = [bool(x) for x in found]
    return found[0] if len(found) == 1 else found


def test_the_forms_of_claims() -> None:
    text = """\
property a: always n <= 3
property b: never n > 3 or k == green
property c: possible n == 9
property d: terminates by (9 - n, len(s))
property e: at most 7 n + 1
property f: at least 2 n
property g: maximize len(pile) * 2
property h: terminates
property i: ends almost surely by n
lemma    j: everywhere n >= 0
property l for x in Hue if x != red: always x == k
"""
    found = claims(text)
    assert found == {
        "a": True, "b": True, "c": False, "d": [6, 2], "e": 4, "f": 3, "g": 6, "h": [], "i": 3, "j": True,
        "l(green)": True, "l(blue)": False,
    }  # fmt: skip
    told = {
        p.name: (p.form, p.bound, p.lemma, p.expect) for p in sound_in(HEAD + text + RULES).program.properties
    }
    assert told["e"] == ("at_most", 7, False, None) and told["f"][:2] == ("at_least", 2)
    assert told["j"] == ("everywhere", None, True, None)


def test_claims_of_several_names_and_of_some_instances() -> None:
    text = """\
property both for x in Hue for y in 1..2: possible k == x and n == y
property some if len(Player) == 3: possible k == red
property other if len(Player) == 2: possible k == red
property unlikely expect refuted: possible n == 9
"""
    game = sound_in(HEAD + text + RULES)
    names = [p.name for p in game.program.properties]
    assert names == [f"both({x}, {y})" for x in ("red", "green", "blue") for y in (1, 2)] + [
        "some",
        "unlikely",
    ]
    assert game.program.properties[-1].expect == "refuted"


def test_claims_at_a_stop_know_its_names() -> None:
    text = """\
property a: at take always p == ann
property b: at ask, take always n < 9
property c: at answer always p != cid
property d: at roll always n > 3
property e: at die always n > 5
"""
    game = sound_in(HEAD + text + RULES)
    take = game.initial()
    asked = take.apply("take(red)")
    rolled = asked.apply("answer(2)")
    second = rolled.apply("1")
    places = [take, asked, rolled, second]
    found = {p.name: [value(s, p) for s in places] for p in game.program.properties}
    assert found["a"] == [True, [], [], False]
    assert found["c"] == [[], True, [], []]
    assert found["d"] == [[], [], True, []] and found["e"] == [[], [], False, []]
    assert {name: at for name, at in found.items() if name.startswith("b")} == {
        "b at ask.answer": [[], True, [], []], "b at take": [True, [], [], True],
    }  # fmt: skip


def test_the_actor_is_whoever_decides() -> None:
    told = "property take: at take always actor == {}\nproperty answer: at answer always actor == {}\n"
    assert claims(told.format("ann", "bob")) == {"take": True, "answer": []}
    assert claims(told.format("bob", "p"), "take(red)") == {"take": [], "answer": True}
    assert claims(told.format("bob", "ann"), "take(red)", "answer(1)", "roll 1") == {
        "take": True,
        "answer": [],
    }


def test_a_variable_may_be_called_actor() -> None:
    text = "state:\n    actor: Hue = blue\nproperty take: at take always actor == blue\n"
    assert claims(text) == {"take": True}


@pytest.mark.parametrize(
    ("claim", "code"),
    [
        ("property a: at lonely always n < 9", "E0745"),
        ("property a: at roll always x == red", "E0746"),
        ('view v:\n    line "{x}" at roll', "E0746"),
    ],
)
def test_claims_that_speak_of_what_is_not_there(claim: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        sound_in(f"{HEAD}rule never(p: Player):\n    choose lonely by p\n{claim}\n{RULES}")
    assert found.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("end", "winner", "winners"),
    [
        ("end win(cid)", "cid", {"cid"}),
        ("end tie", None, {"ann", "bob", "cid"}),
        ("end rank(score)", None, {"bob", "cid"}),
        ("end rank((score, debt))", "bob", {"bob"}),
        ("end rank((debt, score))", "bob", {"bob"}),
        ("end rank({p: (score[p], -debt[p]) for p in Player})", "cid", {"cid"}),
        ("end rank({ann: 5, bob: 1, cid: 5})", None, {"ann", "cid"}),
        ("end pays({ann: 3, bob: -1, cid: n})", None, {"ann", "cid"}),
        ("end pays({ann: n + 1, bob: -1, cid: n})", "ann", {"ann"}),
        ("end rank(lowest)", "ann", {"ann"}),
        ("end rank((even_, lowest))", "ann", {"ann"}),
        ("end win(first({p for p in Player if score[p] < n}))", "ann", {"ann"}),
    ],
)
def test_winner_and_winners_at_the_end(end: str, winner: str | None, winners: set[str]) -> None:
    text = "fun lowest(p: Player): 9 - score[p]\nfun even_(p: Player): 0\n"
    text += """
property one for p in Player: at_end winner == p
property of for p in Player: at_end p in winners
"""
    text += "property nobody: at_end winner is none\nproperty many: at most 3 len(winners)\n"
    game = sound_in(f"""
{HEAD}{text}rules:
    choose stop by ann
    if n == 4:
        end rank((score, debt))
    {end}
""")
    state = play(game, "stop")
    assert state.result is not None and state.result.winner == winner
    found = {p.name: value(state, p) for p in game.program.properties}
    assert {p for p in game.players if found[f"one({p})"]} == ({winner} if winner else set())
    assert {p for p in game.players if found[f"of({p})"]} == winners
    assert found["nobody"] == (winner is None) and found["many"] == len(winners)


def test_before_the_end_all_share_the_first_place() -> None:
    found = claims("property one: never winner is some\nproperty many: at least 1 len(winners)\n")
    assert found == {"one": False, "many": 3}


# ----------------------------------------------------------------------------------------------- views


def seen(lines: str, *moves: str) -> Any:
    text = "view v:\n" + "".join(f"    {line}\n" for line in lines.strip().splitlines())
    (picture,) = view(play(sound_in(HEAD + text + RULES), *moves))
    return picture


def test_cells_show_glyphs_where_they_belong() -> None:
    picture = seen("""
cell q in Spot at (q.x, 3 - q.y): "." if stone[q] is none else upper(stone[q].name[:1])
cell q in Spot if q.x == 1 and stone[q] is none at (q.y + n, 0): "{n}"
cell x in Hue if x in s at (1 if x == blue else 0, 7): x.name[:3]
cell i, x in enumerate([red, green]) at (i, 9): x.name[:1]
cell x in {green} for i in 1..2 at (i, 8): "{i}"
""")
    marks = [(m.element, m.x, m.y, m.glyph) for m in picture.marks]
    assert marks[:4] == [
        ("(1, 1)", 1, 2, "."),
        ("(2, 1)", 2, 2, "B"),
        ("(1, 2)", 1, 1, "."),
        ("(2, 2)", 2, 1, "."),
    ]
    assert marks[4:6] == [("(1, 1)", 4, 0, "3"), ("(1, 2)", 5, 0, "3")]
    assert marks[6:8] == [("red", 0, 7, "red"), ("blue", 1, 7, "blu")]
    assert marks[8:10] == [("0", 0, 9, "r"), ("1", 1, 9, "g")]
    assert marks[10:] == [("green", 1, 8, "1"), ("green", 2, 8, "2")]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ('line "n is {n}, k is {k}, o is {o}"', ["n is 3, k is green, o is none"]),
        ('line "{n + 4}{len(s)}{n > 2}{k == red}"', ["72truefalse"]),
        ('line "{s}|{row}|{pile}|{s - s}"', ["red blue |blue red |redx2 blue |"]),
        (
            'line "{[score[p] for p in Player]}and {[p for p in Player if score[p] > 2]}"',
            ["2 5 5 and bob cid "],
        ),
        ('line "{p} has {score[p]}" for p in Player if p != ann', ["bob has 5", "cid has 5"]),
        ('line "{p} has {score[p]}" for p in Player if score[p] > 2', ["bob has 5", "cid has 5"]),
        ('line "few" if n < 3 else "many"', ["many"]),
        ('line "few" if n < 4 else "many"', ["few"]),
        ('line ("a" if n == 3 else "b") if k == green else "c"', ["a"]),
        ('line "{x}{y}" for x in Hue for y in 1..2 if x in s and y < n - 1', ["red1", "blue1"]),
        ("line k.name", ["green"]),
        ('line "{first(q for q in Spot if stone[q] is some)}"', ["(2, 1)"]),
    ],
)
def test_lines_are_written(line: str, lines: list[str]) -> None:
    assert list(seen(line).lines) == lines


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('cell q in Spot at (1, 1): "abcd"', "E0749"),
        ('cell x in s at (1, 1): "a"', "E0748"),
        ('line "{score}"', "E0750"),
        ('line "{(n, k)}"', "E0750"),
    ],
)
def test_what_cannot_be_shown(line: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        seen(line)
    assert found.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("glyph", "told"),
    [
        ("stone[q]", 'the glyph may be `none`; write `stone[q] if stone[q] is some else "."`'),
        ("o", 'the glyph may be `none`; write `o.name[:1] if o is some else "."`'),
        ('"{o}z"', 'the glyph "nonez" has more than three characters'),
    ],
)
def test_a_glyph_that_may_be_none(glyph: str, told: str) -> None:
    with pytest.raises(RulesError) as found:
        seen(f"cell q in Spot at (1, 1): {glyph}")
    assert found.value.diagnostics[0].message == told


@pytest.mark.parametrize(
    "glyph",
    [
        '"." if wide[q] is none else "{wide[q]}"',
        '"{wide[q]}" if n > 2 and wide[q] is some else "."',
        '"." if not wide[q] is some else "!{wide[q]}"',
    ],
)
def test_a_glyph_knows_what_was_tested(glyph: str) -> None:
    head = HEAD.replace("state:\n", "state:\n    wide: map[Spot, 0..12?]\n")
    game = sound_in(f"{head}view v:\n    cell q in Spot at (q.x, q.y): {glyph}\n{RULES}")
    assert [mark.glyph for mark in view(game.initial())[0].marks] == ["."] * 4


def test_a_text_takes_words_that_begin_declarations() -> None:
    text = HEAD.replace("    n: 0..9 = 3\n", "    n: 0..9 = 3\n    table: 0..9 = 4\n")
    picture = view(sound_in(f'{text}view v:\n    line "{{table}} and {{table + 1}}"\n{RULES}').initial())[0]
    assert picture.lines == ("4 and 5",)


def test_a_pair_of_numbers_is_a_point() -> None:
    sound_in(f"""{HEAD}domain Step = {{(1, 0), (0, 2)}}
fun reach(d: Step): d.x + d.y
fun far(m: 0..9): (m, m + 1).y
check (3, 1).y == 1 and {{(2 * d).x for d in Step}} == {{0, 2}} and reach((0, 2)) == 2
property near: never far(n) < n
{RULES}""")


def test_a_loop_through_a_map_is_told_to_go_through_keys() -> None:
    with pytest.raises(RulesError) as found:
        sound_in(f"{HEAD}rules:\n    for p, m in score:\n        n = m\n    end tie\n")
    (problem,) = found.value.diagnostics
    assert problem.code == "E0710" and "a loop through a map goes through its keys" in problem.notes[0][1]


def test_a_program_without_claims() -> None:
    program = sound_in(HEAD + RULES).program
    assert (program.properties, program.examples, program.views) == ((), (), ())
    assert isinstance(Game(program), Game)


HELD = """\
game "Held"
players ann, bob
state:
    pile: bag[Player, 6] = {p: 3 for p in Player}
rules:
    for p in turns():
        choose take(q in Player) by p if pile[q] > 0
        group: bag[Player, 6] = {}
        move all q from pile to group
        choose keep by p
"""
LAST = "        if len(pile) == 0: end tie\n"
NEEDED = "        if len(pile) < len(group): end tie\n"
SHOWN = 'view v:\n    line "{p} holds {[q for q in Player if group[q] > 0]}" at keep\n'


def test_a_line_of_a_view_at_a_decision_uses_its_names() -> None:
    game = sound_in(HELD + NEEDED + SHOWN)
    shown = [view(state)[0].lines for state in (play(game), play(game, "take(bob)"))]
    assert shown == [(), ("ann holds bob ",)]


@pytest.mark.parametrize("said", [SHOWN, "property held: at keep always len(group) > 0\n"])
def test_a_bag_that_nothing_needs_any_more_is_forgotten(said: str) -> None:
    """It is empty there, so that equal positions are equal: what would be said of it is not true."""
    with pytest.raises(RulesError) as found:
        sound_in(HELD + LAST + said)
    assert found.value.diagnostics[0].code == "E0746"
