"""What the types of an instance take in, and what domains and tables are made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, made

HEAD = """\
game "Types"
players 2..3: ann, bob, cid
enum Hue: red, green, blue
domain Spot = grid(1..2, 1..2)
domain Hour = ring(0..3)
record Pair(many: 0..9, hue: Hue)
record Deep(pair: Pair, spot: Spot)
record Switch(on: bool, at: 1..2)
const warm = {red, green}
"""
REST = "rules:\n    choose stop by ann\n    end tie\n"


@pytest.mark.parametrize(
    ("kind", "value", "same"),
    [
        ("bool", "true", "true"),
        ("0..5", "5", "5"),
        ("-3..-1", "-3", "-3"),
        ("Hue", "blue", "blue"),
        ("Spot", "(2, 1)", "grid(1..2, 1..2)[1]"),
        ("Hour", "3", "ring(0..3)[3]"),
        ("Hue?", "none", "none"),
        ("Hue?", "red", "red"),
        ("set[Hue]", "[red, red, blue]", "{blue, red}"),
        ("set[Spot]", "{(1, 2)}", "{(1, 2)}"),
        ("set[2..4]", "{}", "{}"),
        ("list[0..3, 2]", "[3, 0]", "[3, 0]"),
        ("list[Hue, 0]", "[]", "[]"),
        ("map[Hue, 0..9]", "{x: 2 for x in Hue}", "{red: 2, green: 2, blue: 2}"),
        ("bag[Hue, 3]", "{red: 3}", "{red: 3}"),
        ("bag[Hue, 3]", "{red: 3, blue: 0}", "{red: 3}"),
        ("bag[Hue, 3]", "[red, blue, red]", "{red: 2, blue: 1}"),
        ("bag[Hue, 3]", "{red}", "{red: 1}"),
        ("Pair", "(3, blue)", "Pair(3, blue)"),
        ("Deep", "(Pair(1, red), (2, 2))", "Deep(Pair(1, red), (2, 2))"),
        ("tuple[0..3, Hue]", "(2, red)", "(2, red)"),
        ("text", "red.name", "upper(red.name)[:0] + red.name"),
        ("int", "10 ** 15", "1000 * 10 ** 12"),
        ("Player", "bob", "bob"),
        ("map[bool, 0..3]", "{true: 1, false: 2}", "{false: 2, true: 1}"),
        (
            "map[Hue?, 0..3]",
            "{x: 1 for x in [none, red, green, blue]}",
            "{blue: 1, green: 1, red: 1, none: 1}",
        ),
        ("set[Switch]", "{(true, 2)}", "{Switch(true, 2)}"),
        (
            "map[Switch, 0..3]",
            "{(a, b): b for a in [false, true] for b in 1..2}",
            "{Switch(false, 1): 1, Switch(false, 2): 2, Switch(true, 1): 1, Switch(true, 2): 2}",
        ),
        ("warm", "green", "green"),
    ],
)
def test_what_belongs_to_a_type(kind: str, value: str, same: str) -> None:
    game_in(f"{HEAD}const c: {kind} = {value}\ncheck c == {same}\n{REST}")


def test_a_value_of_a_type_is_its_own() -> None:
    """A bare tuple becomes a point, a bare number one on the ring, a tuple a record with names."""
    game_in(f"""{HEAD}
const spot: Spot = (2, 1)
const hour: Hour = 3
const pair: Pair = (3, blue)
const spots: set[Spot] = {{(1, 2)}}
const list_: list[Hour, 2] = [3]
check spot.x == 2 and hour + 1 == 0 and pair.hue == blue and only(spots).y == 2 and list_[0] + 1 == 0
check {{x for x in Hour}} == 0..3 and Pair(1, red).many + 1 == 2 and Deep((1, red), (1, 2)).spot.y == 2
{REST}""")


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("0..5", "6"),
        ("0..5", "-1"),
        ("0..5", "none"),
        ("Hue", "none"),
        ("Spot", "(3, 1)"),
        ("Hour", "4"),
        ("set[2..4]", "{5}"),
        ("list[0..3, 2]", "[1, 2, 3]"),
        ("list[0..3, 2]", "[4]"),
        ("bag[Hue, 3]", "{red: 4}"),
        ("bag[Hue, 3]", "{red: 2, blue: 2}"),
        ("warm", "blue"),
        ("bag[2..4]", "{1: 1}"),
        ("map[Hue, 0..9]", "{x: 10 for x in Hue}"),
        ("Pair", "(10, red)"),
        ("bag[1..2]", "{1: 256}"),
    ],
)
def test_what_does_not_belong_to_a_type(kind: str, value: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(f"{HEAD}const c: {kind} = {value}\n{REST}")
    assert [d.code for d in found.value.diagnostics] == ["E0709"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("const c: 3..2 = 3", "E0713"),
        ("const c: list[Hue, -1] = []", "E0713"),
        ("const c: bag[Hue, 1 - 2] = {}", "E0713"),
        ("const c: set[list[Hue, 2]] = {}", "E0714"),
        ("const c: map[0..300000, bool] = {}", "E0705"),
        ("const c: map[Hue, 0..9] = {red: 2}", "E0730"),
        ("const c: map[Hue, 0..9 = 10] = {}", "E0709"),
        ("fun f(n): n\nconst c: 0..5 = f(red)", "E0710"),
        ("fun f(n): n\nconst c: bool = f(3)", "E0710"),
        ("fun f(n): n\nconst c: Hue = f([red])", "E0709"),
        ("fun f(n): n\nconst c: Pair = f((1, red, 2))", "E0710"),
        ("fun f(n): n\nconst c: bag[Hue] = f({red: true})", "E0710"),
        ("fun f(n): n\nconst c: bag[Hue] = f({red: -1})", "E0710"),
        ("fun f(n): n\nconst c: bag[Hue] = f(3)", "E0731"),
        ("state:\n    m: map[1..1000, map[1..1000, map[1..3, bool]]]", "E0717"),
        ("state:\n    m: list[0..3, 1000001]", "E0717"),
        ("state:\n    m: map[x in 1..1001, list[0..3, 1000]]", "E0717"),
        ("state:\n    m: map[x in 1..1001, bag[1..1000]]", "E0717"),
        ("state:\n    m: map[x in 1..1001, map[1..1000, 0..x]]", "E0717"),
        ("state:\n    m: map[1..1000, set[1..30000]]", "E0717"),
    ],
)
def test_types_that_cannot_be(text: str, code: str) -> None:
    with pytest.raises(RulesError) as found:
        game_in(f"{HEAD}{text}\n{REST}")
    assert found.value.diagnostics[0].code == code


def test_domains() -> None:
    game_in(f"""{HEAD}
domain Card = (hue: Hue, nr: 1..2)
domain Beach = (isle: 1..3, nr: 1..isle)
domain Gap = (n: 0..2, m: 1..n)
domain Warm = {{x for x in [green, red, green]}}
domain Wide = Warm | {{3, 4}}
domain Half = [4, 2]
check [c for c in Card][3] == (green, 2) and len(Card) == 6
check only(c for c in Card if c.nr == 2 and c.hue == red) == (red, 2)
check [b for b in Beach] == [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)] and len(Gap) == 3
check [w for w in Warm] == [red, green] and len(Wide) == 4 and [h for h in Half] == [4, 2]
check len(Player) == 2 and first(Player) == ann
{REST}""")
    game_in(f"{HEAD}check len(Player) == 3 and cid in Player and left(cid) == ann\n{REST}", players=3)


COLUMNS = (
    "count: -5..99; good: bool; hue: Hue; other: Hue?; set_: set[Hue]; big: int; words_: text; size: 1..3?"
)
TABLES = """
game "Tables"
players ann, bob
enum Hue: red, green, blue
table Tile from "tiles.csv": COLUMNS
check [t.count for t in Tile] == [1, -2, 40] and [t.good for t in Tile] == [true, false, true]
check [t.hue for t in Tile] == [red, blue, green] and [t.other for t in Tile] == [none, red, none]
check [len(t.set_) for t in Tile] == [0, 2, 0]
check lake.set_ == {green, red} and sea.big == 100000 and lake.big == -7
check sea.words_ == hill.words_[:0] + lake.name and [t.size for t in Tile] == [none, 2, none]
check sea.name != lake.name and len(Tile) == 3
rules:
    choose stop by ann
    end tie
""".replace("COLUMNS", COLUMNS)
CSV = """\
tile,good,count,hue,other,set_,big,words_,size
sea,yes,1,red,-,-,100000,lake,-
lake,NO,-2,blue,red,green red,-7,,2
hill,1,40,green,,,0,a b,
"""


def test_tables_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "tiles.csv").write_text(CSV)
    made(TABLES, str(tmp_path / "game.kemu"))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("-2", "100", "E0752"),
        ("-2", "x", "E0752"),
        ("-2", "", "E0752"),
        ("NO", "maybe", "E0752"),
        ("blue,red", "pink,red", "E0752"),
        ("green red", "green pink", "E0752"),
        ("sea,yes", "sea,yes,1", "E0760"),
        (",count", ",counts", "E0753"),
        ("tile,good", "tile,count", "E0753"),
        ("size\n", "size,more\n", "E0753"),
        ("100000", "1e5", "E0752"),
    ],
)
def test_tables_that_are_wrong(old: str, new: str, code: str, tmp_path: Path) -> None:
    (tmp_path / "tiles.csv").write_text(CSV.replace(old, new))
    with pytest.raises(RulesError) as found:
        made(TABLES, str(tmp_path / "game.kemu"))
    told = found.value.diagnostics[0]
    assert told.code == code and told.span.file.endswith("tiles.csv")


def test_rows_of_a_table_are_of_its_columns() -> None:
    text = HEAD + "table Isle(points: 0..5, twin: Isle?):\n    a 3, b\n    c 2, none\n    b 1, a\n"
    game_in(
        text + "check a.twin.twin == a and c.twin is none and [x.points for x in Isle] == [3, 2, 1]\n" + REST
    )
    with pytest.raises(RulesError, match="E0752"):
        game_in(text.replace("a 3", "a 6") + REST)


def test_sizes_that_depend_on_the_key() -> None:
    game_in(f"""{HEAD}
state:
    a: map[x in 1..3, list[Hue, x]]
    b: map[x in 1..3, bag[Hue, 4 - x]]
    c: map[x in 1..3, -x..x]
    d: map[x in 1..3, 2..4]
{REST}""")
