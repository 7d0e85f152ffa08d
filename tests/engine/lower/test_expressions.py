"""What expressions come to in play: of state, of locals, of parameters of functions and rules."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import (
    FAULTS,
    HEAD,
    TABLES,
    TABULATED,
    VARIABLES,
    Row,
    declared,
    held,
    renamed,
    variables_of,
)
from tests.rules import sound_in

WAYS = ("state", "locals", "typed", "untyped", "rule", "wide")
NUMBERS = ("a", "b", "c", "z")
WIDE = "-99999..99999"  # the type of numbers with too many values for a table


def game_of(rows: list[Row], way: str) -> Game:
    """A game in which the action r3 gives the value of the third row to the variable out3."""
    arms, before, outs = "", "", ""
    kinds = {n: WIDE if way == "wide" and n in NUMBERS else kind for n, (kind, _) in VARIABLES.items()}
    for i, (expr, kind, _) in enumerate(rows):
        used = variables_of(expr)
        typed = ", ".join(f"{n}: {kinds[n]}" for n in used)
        bare = ", ".join(used)
        lines = [f"out{i} = {expr}"]
        match way:
            case "locals":
                lines = [*(f"{n}_{i}: {kinds[n]} = {n}" for n in used), f"out{i} = {_local(expr, used, i)}"]
            case "typed":
                before += f"fun of{i}({typed}): {expr}\n"
                lines = [f"out{i} = of{i}({bare})"]
            case "untyped":
                before += f"fun of{i}({bare}): {expr}\n"
                lines = [f"out{i} = of{i}({bare})"]
            case "rule":
                before += f"rule act{i}({typed}):\n    out{i} = {expr}\n"
                lines = [f"act{i}({bare})"]
        arms += f"        r{i}:\n" + "".join(f"            {line}\n" for line in lines)
        outs += declared(f"out{i}", kind)
    state = "".join(f"    {n}: {kinds[n]} = {value}\n" for n, (_, value) in VARIABLES.items())
    return sound_in(
        f"{HEAD}{before}state:\n{outs}{state}"
        f"rules:\n    choose by ann:\n{arms}    choose stop by ann\n    end tie\n"
    )


def _local(expr: str, used: list[str], number: int) -> str:
    for name in used:
        expr = renamed(expr, name, f"{name}_{number}")
    return expr


@pytest.mark.parametrize("way", ["typed", "untyped"])
def test_values_that_are_tabulated(way: str) -> None:
    start = game_of(TABULATED, way).initial()
    found = {expr: held(start.apply(f"r{i}"), f"out{i}") for i, (expr, _, _) in enumerate(TABULATED)}
    assert found == {expr: value for expr, _, value in TABULATED}


TOO_WIDE = {
    "sign(a) * 100 + sign(z) * 10 + sign(c)": "E0722",
    "blank + c // z": "E0722",
    "c ** digit": "E0722",
    "b in [2, 5] and b in {2, c} and b not in [c, 5]": "E0723",
    "{x for x in b..c + 1}": "E0723",
    "{c, b, 7}": "E0723",
    "links[c] | links[4]": "E0763",
    "max(x for x in links[b] if x > c)": "E0763",
    "closure({c}, x -> links[x])": "E0723",
    "4 in low and 8 not in low and c not in low and (3, 1) in cells and spot not in cells": "E0723",
    "marks.find(c) == blue and marks.find(b) is none": "E0722",
    "blue in pile and green not in pile and 5 in dice and c not in dice": "E0710",
    "worth[b][red] * 10 + worth[c][k]": "E0763",
    "worth[b + 2][red]": "E0763",
    "-spot == (-3, -2) and spot * b == (6, 4)": "E0722",
    "far + (1, 1) == (21, 8) and (far - (b, c)).y * 10 + near.x == 42": "E0722",
    "(b, c) + (c, a) == (5, -4) and (b, c) - (1, 1) == (1, b)": "E0722",
    'upper(h.name)[:c] == "GRE" and upper("{k}!") == "BLUE!"': "E0722",
    'text(spot) == "(3, 2)" and text(b) + "!" == "2!" and "{at}{nil}" == "(2, 1)none"': "E0722",
}


def rows_of(table: list[Row], way: str) -> list[Row]:
    return [row for row in table if way != "wide" or row[0] not in TOO_WIDE]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_values(table: str, way: str) -> None:
    rows = rows_of(TABLES[table], way)
    start = game_of(rows, way).initial()
    found = {expr: held(start.apply(f"r{i}"), f"out{i}") for i, (expr, _, _) in enumerate(rows)}
    assert found == {expr: value for expr, _, value in rows}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("expr", "kind"), [("hue_", "1..4"), ("k if yes else nay", "bool")])
def test_what_is_of_another_kind_is_a_fault(expr: str, kind: str, way: str) -> None:
    start = game_of([(expr, kind, None)], way).initial()
    with pytest.raises(FaultError, match="the value is of another kind") as fault:
        start.apply("r0")
    assert fault.value.code == "out_of_range"


@pytest.mark.parametrize("way", WAYS)
def test_faults(way: str) -> None:
    rows = rows_of(FAULTS, way)
    start = game_of(rows, way).initial()
    found = {}
    for i, (expr, kind, _) in enumerate(rows):
        with pytest.raises(FaultError) as fault:
            start.apply(f"r{i}")
        found[expr, kind] = fault.value.code
    assert found == {(expr, kind): code for expr, kind, code in rows}


@pytest.mark.parametrize("expr", TOO_WIDE)
def test_what_numbers_of_many_values_cannot_be_used_for(expr: str) -> None:
    (row,) = (row for rows in (*TABLES.values(), FAULTS) for row in rows if row[0] == expr)
    with pytest.raises(RulesError) as found:
        game_of([row], "wide")
    assert found.value.diagnostics[0].code == TOO_WIDE[expr]
