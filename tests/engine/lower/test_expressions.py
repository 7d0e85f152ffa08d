"""What expressions come to in play: of state, of locals, of parameters of functions and rules."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError

from tests.engine.expressions import (
    FAULTS,
    HEAD,
    TABLES,
    VARIABLES,
    Row,
    declared,
    held,
    renamed,
    variables_of,
)
from tests.rules import game_in

WAYS = ("state", "locals", "typed", "untyped", "rule")


def game_of(rows: list[Row], way: str) -> Game:
    """A game in which the action r3 gives the value of the third row to the variable out3."""
    arms, before, outs = "", "", ""
    for i, (expr, kind, _) in enumerate(rows):
        used = variables_of(expr)
        typed = ", ".join(f"{n}: {VARIABLES[n][0]}" for n in used)
        bare = ", ".join(used)
        lines = [f"out{i} = {expr}"]
        match way:
            case "locals":
                lines = [*(f"{n}_: {VARIABLES[n][0]} = {n}" for n in used), f"out{i} = {_local(expr, used)}"]
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
    state = "".join(f"    {n}: {kind} = {value}\n" for n, (kind, value) in VARIABLES.items())
    return game_in(
        f"{HEAD}{before}state:\n{outs}{state}"
        f"rules:\n    choose by ann:\n{arms}    choose stop by ann\n    end tie\n"
    )


def _local(expr: str, used: list[str]) -> str:
    for name in used:
        expr = renamed(expr, name, f"{name}_")
    return expr


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("table", TABLES)
def test_values(table: str, way: str) -> None:
    rows = TABLES[table]
    start = game_of(rows, way).initial()
    found = {expr: held(start.apply(f"r{i}"), f"out{i}") for i, (expr, _, _) in enumerate(rows)}
    assert found == {expr: value for expr, _, value in rows}


@pytest.mark.parametrize("way", WAYS)
def test_faults(way: str) -> None:
    start = game_of(FAULTS, way).initial()
    found = {}
    for i, (expr, _, _) in enumerate(FAULTS):
        with pytest.raises(FaultError) as fault:
            start.apply(f"r{i}")
        found[expr] = fault.value.code
    assert found == {expr: code for expr, _, code in FAULTS}
