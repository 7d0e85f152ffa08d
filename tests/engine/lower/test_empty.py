"""What is empty, whatever play brings, in every place where something can be run through or chosen from."""

from __future__ import annotations

from pathlib import Path

import pytest
from kemu_engine.kernel.verify import validate
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError

FRAME = """\
game "Empty"
players ann, bob
enum Hue: red, green
domain Spot = grid(1..2, 1..2)
const gone = {red} - {red}
state:
    n: 0..5 = 2
    m: 0..5 = 5
    flag: bool
    hues: set[Hue] = {green}
    level: map[Hue, 0..3]
    row: list[Hue, 2]
    who: Player?
    seat: Player?
fun never(p: Player): {h for h in gone if flag and p == ann}
fun faulty(): {h for h in ({} if level[only(hues - {green})] == 0 else gone)}
rules:
    choose go by ann
"""
EMPTY = ["gone", "never(ann)", "({} if flag else gone)"]


def run(lines: str, kind: str = "Player?") -> tuple[object, ...] | str:
    """The values of flag, m, hues after the lines, or the code of the fault; both readers give the same."""
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    rules = FRAME.replace("seat: Player?", f"seat: {kind}") + body + "    end tie\n"
    program = instantiate(read_text(rules, "empty.kemu", Path()), {}, None)
    validate(program)
    found: list[tuple[object, ...] | str] = []
    for game in (Game(program, checked=True), Game(program)):
        try:
            state = game.initial().apply("go")
            found.append((state["flag"], state["m"], state["hues"]))
        except FaultError as error:
            found.append(error.fault.code)
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("nothing", EMPTY)
@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ("flag = any(x in hues for x in NOTHING)", (False, 5, ["green"])),
        ("flag = all(x in hues for x in NOTHING)", (True, 5, ["green"])),
        ("m = len({x for x in NOTHING if x in hues})", (False, 0, ["green"])),
        ("m = sum(level[y] for y in hues for x in NOTHING)", (False, 0, ["green"])),
        ("m = min(len(hues) for x in NOTHING for y in hues)", "empty_min"),
        ("flag = first(x for x in NOTHING if flag) is none", (True, 5, ["green"])),
        ("flag = only(x for x in NOTHING if n > 0) is some", "missing_value"),
        ("hues = {y for y in hues for x in NOTHING}", (False, 5, [])),
        ("hues = closure(hues, y -> NOTHING)", (False, 5, ["green"])),
        ("flag = NOTHING <= hues", (True, 5, ["green"])),
        ("for x in NOTHING:\n    level[x] = 1", (False, 5, ["green"])),
        ("for x in NOTHING:\n    choose ha(y in hues) by ann", (False, 5, ["green"])),
        ("for x in NOTHING in order of ann:\n    m = 3", (False, 5, ["green"])),
        ("choose ha(x in NOTHING) by ann\nelse:\n    m = 4", (False, 4, ["green"])),
        ("choose ha(x in NOTHING) by ann", "stuck"),
    ],
)
def test_nothing_in_every_place(nothing: str, lines: str, after: tuple[object, ...] | str) -> None:
    assert run(lines.replace("NOTHING", nothing)) == after


@pytest.mark.parametrize(
    ("lines", "after"),
    [
        ("m = len({x for x in 5..n - 5})", (False, 0, ["green"])),
        ("y = 3..n - 3\nm = len(y)", (False, 0, ["green"])),
        ("y: list[Hue, 0] = []\nm = len(y)", (False, 0, ["green"])),
        ("y: bag[Hue, 0] = {}\nflag = y == {}", (True, 5, ["green"])),
        ("flag = first(row[0:0]) is none", (True, 5, ["green"])),
        ("m = len({(x, y) for x in Hue for y in gone})", (False, 0, ["green"])),
        ("seat = first(p for p in Player for x in hues & gone)\nflag = seat is none", (True, 5, ["green"])),
        ("move red from row to hues", "missing_value"),
    ],
)
def test_empty_ranges_lists_and_products(lines: str, after: tuple[object, ...] | str) -> None:
    assert run(lines) == after


@pytest.mark.parametrize("lines", ["m = len(faulty())", "flag = any(x == red for x in faulty())"])
def test_what_faults_does_so_though_it_can_only_be_empty(lines: str) -> None:
    assert run(lines) == "missing_value"


@pytest.mark.parametrize("kind", ["map[gone, 0..3]", "set[gone]", "gone?", "bag[gone]"])
def test_nothing_is_of_an_empty_type(kind: str) -> None:
    with pytest.raises(RulesError) as caught:
        run("pass", kind)
    assert [d.code for d in caught.value.diagnostics] == ["E0704"]
