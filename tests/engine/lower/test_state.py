"""What the state is made of: variables of every type, what they hold at first, and who sees them."""

from __future__ import annotations

import pytest
from kemu_engine.lower.settings import SettingError
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import held
from tests.rules import sound_in

HEAD = """\
game "State"
players 2..3: ann, bob, cid
enum Hue: red, green, blue
domain Spot = grid(1..2, 1..2)
record Pair(many: 0..9, hue: Hue)
record Deep(pair: Pair, spot: Spot)
"""
REST = "rules:\n    choose stop by ann\n    end tie\n"


def test_initial_values() -> None:
    """What a variable holds if nothing else is written."""
    game = sound_in(f"""{HEAD}
state:
    a: bool
    b: 0..9
    c: 3..9
    d: -5..-2
    e: Hue
    f: Hue?
    g: set[Hue]
    h: bag[Hue]
    i: list[Hue, 2]
    j: map[Hue, -1..1]
    k: Pair
    l: tuple[2..3, Hue?]
    m: -3..3
    n: 2..4?
    o: bool?
    p: Spot
    each x in Hue:
        q: 0..9 = 5 if x == red else 2
        r: set[Hue] = {{x}}
        s: Hue? = x
        t: list[Hue, 2] = [x]
    u: map[1..2, map[Hue, 0..9] = {{h: 0 for h in Hue}}] = {{1: {{red: 1, green: 2, blue: 3}}}}
    v: map[1..2, list[Pair, 2] = []] = {{2: [Pair(4, blue)]}}
    w: map[Player, Pair = Pair(0, red)] = {{bob: Pair(2, green)}}
    x: Deep = Deep(Pair(1, blue), (2, 1))
{REST}""")
    state = game.initial()
    plain = {name: state[name] for name in "abcdefgmnop"}
    assert plain == {
        "a": False,
        "b": 0,
        "c": 3,
        "d": -5,
        "e": "red",
        "f": "none",
        "g": [],
        "m": 0,
        "n": "none",
        "o": "none",
        "p": "(1, 1)",
    }
    assert held(state, "h") == {"red": 0, "green": 0, "blue": 0} and held(state, "i") == []
    assert held(state, "j") == {"red": 0, "green": 0, "blue": 0}
    assert held(state, "k") == {"many": 0, "hue": "red"} and held(state, "l") == {"_0": 2, "_1": "none"}
    assert held(state, "q") == {"red": 5, "green": 2, "blue": 2}
    assert held(state, "r") == {"red": ["red"], "green": ["green"], "blue": ["blue"]}
    assert held(state, "s") == {"red": "red", "green": "green", "blue": "blue"}
    assert held(state, "t.len") == {"red": 1, "green": 1, "blue": 1} and held(state, "t")["blue, 0"] == "blue"
    assert held(state, "u") == {
        "1, red": 1,
        "1, green": 2,
        "1, blue": 3,
        "2, red": 0,
        "2, green": 0,
        "2, blue": 0,
    }
    assert held(state, "v.len") == {"1": 0, "2": 1} and held(state, "v.many")["2, 0"] == 4
    assert held(state, "w.hue") == {"ann": "red", "bob": "green"} and held(state, "w.many") == {
        "ann": 0,
        "bob": 2,
    }
    assert held(state, "x.pair.hue") == "blue" and held(state, "x.spot") == "(2, 1)"


@pytest.mark.parametrize(
    ("variable", "code"),
    [
        ("h: bag[Hue, 2] = {red: 3}", "E0735"),
        ("h: bag[1..2] = {3: 1}", "E0731"),
        ("i: list[Hue, 1] = [red, red]", "E0735"),
        ("j: map[1..2, 0..9] = {3: 1}", "E0730"),
        ("u: map[1..2, 0..9] unique = {1: 3, 2: 3}", "E0758"),
        ("u: map[1..2, list[Hue, 2]] unique = {1: [red], 2: [red]}", "E0758"),
        ("b: 0..9 = 10", "E0709"),
        ("s: map[Hue, 0..9] secret to ann = {h: 10 for h in Hue}", "E0709"),
        ("s: set[1..2] = {3}", "E0709"),
    ],
)
def test_initial_values_that_do_not_fit(variable: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        sound_in(f"{HEAD}state:\n    {variable}\n{REST}")
    assert found.value.diagnostics[0].code == code


def test_the_variables_of_every_type() -> None:
    """A map is an array, its keys the labels; a list a length and an array; a record its fields."""
    game = sound_in(
        f"""{HEAD}
state:
    a: map[Hue, map[1..2, 0..5]]
    b: list[Pair, 2]
    c: map[Player, list[set[Spot], 2]]
    d: bag[Hue, 7]
    e: 2..4?
    f: map[x in 1..2, 0..3 * x]
{REST}"""
    )
    found = {v.name: (str(v.type), v.length, v.labels) for v in game.program.vars}
    assert found["a"] == (
        "Int(low=0, high=5)",
        6,
        ("red, 1", "red, 2", "green, 1", "green, 2", "blue, 1", "blue, 2"),
    )
    assert found["b.len"] == ("Int(low=0, high=2)", None, ()) and found["b.hue"] == (
        "Int(low=0, high=2)",
        2,
        ("0", "1"),
    )
    assert found["c.len"] == ("Int(low=0, high=2)", 2, ("ann", "bob"))
    assert found["c"] == ("Set(size=4)", 4, ("ann, 0", "ann, 1", "bob, 0", "bob, 1"))
    assert found["d"] == ("Int(low=0, high=7)", 3, ("red", "green", "blue"))
    assert found["e"] == ("Int(low=-1, high=2)", None, ()) and found["f"][0] == "Int(low=0, high=6)"
    texts = {v.name: v.texts for v in game.program.vars}
    assert texts["e"] == ("none", "2", "3", "4") and texts["c"] == ("(1, 1)", "(2, 1)", "(1, 2)", "(2, 2)")
    assert texts["a"] == () and texts["b.hue"] == ("red", "green", "blue")


def test_who_sees_what() -> None:
    game = sound_in(f"""{HEAD}
state:
    a: Hue hidden
    b: map[1..2, Hue] hidden
    c: Hue secret to bob
    d: Hue
    each p in Player:
        e: Hue secret to p
        f: bag[Hue, 2] secret to other(p)
{REST}""")
    seen = {v.name: v.seen for v in game.program.vars}
    assert seen["a"] == (0,) and seen["b"] == (0, 0) and seen["c"] == (2,) and seen["d"] is None
    assert seen["e"] == (1, 2) and seen["f"] == (2, 2, 2, 1, 1, 1)
    with pytest.raises(RulesError, match="E0757"):
        sound_in(f"{HEAD}state:\n    a: Hue secret to first({{p for p in Player if p == none}})\n{REST}")


def test_what_is_drawn_from_or_into_a_secret_is_one() -> None:
    game = sound_in(
        f"""{HEAD}
state:
    deck: bag[Hue] hidden = {{red: 1}}
    open_: bag[Hue] = {{red: 2}}
    hand: Hue?
    each p in Player:
        mine: Hue? secret to p
rules:
    mine[ann] = draw from open_
    hand = draw from open_
    draw x from deck
    choose stop by ann
    hand = x
    end tie
""".replace("    y = draw from {red} if false else draw from open_\n", "")
    )
    drawn = [local.secret for local in game.program.locals if local.name == "rules.draw"]
    assert drawn == [True, False, True]


# ----------------------------------------------------------------------------------------------- settings

OPTIONS = """\
game "Options"
players 2..3: ann, bob, cid
option level: beginner | full = full
option ships: 1..9 = 3
option storms: bool = false
edition first | second = second
reading F4 "nobody can move": lose | tie = lose
needs not storms or len(Player) == 2
instance small: players = 2; ships = 1
instance rough: like small; storms = true
state:
    n: 0..99 = ships * 10 + (1 if level == beginner else 0) + (2 if storms else 0)
    tied: bool = F4 == tie
    old: bool = edition == first
rules:
    choose stop by ann
    end tie
"""


@pytest.mark.parametrize(
    ("settings", "n"),
    [
        ({}, 30),
        ({"level": "beginner"}, 31),
        ({"ships": 9}, 90),
        ({"ships": "1"}, 10),
        ({"storms": True}, 32),
        ({"storms": "yes", "level": "full"}, 32),
        ({"storms": "off"}, 30),
        ({"storms": "true", "ships": 2}, 22),
    ],
)
def test_options(settings: dict[str, str | int | bool], n: int) -> None:
    assert sound_in(OPTIONS, **settings).initial()["n"] == n


def test_editions_readings_and_players() -> None:
    game = sound_in(OPTIONS, edition="first", F4="tie", players=3)
    assert (game.initial()["old"], game.initial()["tied"], game.players) == (
        True,
        True,
        ("ann", "bob", "cid"),
    )
    assert game.settings == {
        "level": "full",
        "ships": "3",
        "storms": "false",
        "edition": "first",
        "F4": "tie",
    }
    assert sound_in(OPTIONS).players == ("ann", "bob")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"ships": 0}, "from 1 to 9, not `0`"),
        ({"ships": 10}, "from 1 to 9, not `10`"),
        ({"ships": "two"}, "not `two`"),
        ({"level": "beginer"}, "did you mean `beginner`"),
        ({"level": "x"}, "one of beginner, full, not `x`"),
        ({"storms": "maybe"}, "true or false"),
        ({"ship": 3}, "no option `ship`; did you mean `ships`"),
        ({"zzz": 3}, "no option `zzz`; it has level, ships"),
        ({"players": 1}, "2 to 3 players, not 1"),
        ({"players": 4}, "2 to 3 players, not 4"),
        ({"storms": True, "players": 3}, "needs not storms"),
    ],
)
def test_settings_that_the_game_does_not_have(settings: dict[str, str | int | bool], told: str) -> None:
    with pytest.raises(SettingError, match=told):
        sound_in(OPTIONS, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("low_high", ["0..2", "2..4"])
def test_numbers_of_players_that_cannot_be(low_high: str) -> None:
    with pytest.raises(RulesError, match="E0754"):
        sound_in(OPTIONS.replace("2..3:", f"{low_high}:"))


def test_a_number_of_players_that_is_fixed() -> None:
    with pytest.raises(SettingError, match="for 2 players, not 3"):
        sound_in(OPTIONS.replace("2..3: ann, bob, cid", "ann, bob"), players=3)
