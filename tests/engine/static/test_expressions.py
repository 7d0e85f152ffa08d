"""What expressions come to before play, of constants: the same as in play."""

from __future__ import annotations

import pytest
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import FAULTS, HEAD, TABLES, TABULATED, VARIABLES, declared, held, variables_of
from tests.rules import game_in

REST = "rules:\n    choose stop by ann\n    end tie\n"


@pytest.mark.parametrize("table", [*TABLES, "tabulated"])
def test_values(table: str) -> None:
    rows = TABLES.get(table, TABULATED)
    known = "".join(f"const {n}: {kind} = {value}\n" for n, (kind, value) in VARIABLES.items())
    state = "".join(f"    out{i}: {kind} = {expr}\n" for i, (expr, kind, _) in enumerate(rows))
    start = game_in(f"{HEAD}{known}state:\n{state}{REST}").initial()
    found = {expr: held(start, f"out{i}") for i, (expr, _, _) in enumerate(rows)}
    assert found == {expr: value for expr, _, value in rows}


@pytest.mark.parametrize(("expr", "kind", "code"), FAULTS)
def test_what_is_a_fault_in_play_is_an_error(expr: str, kind: str, code: str) -> None:
    known = "".join(f"const {n}: {VARIABLES[n][0]} = {VARIABLES[n][1]}\n" for n in variables_of(expr))
    with pytest.raises(RulesError) as found:
        game_in(f"{HEAD}{known}const out: {kind} = {expr}\nstate:\n{declared('n', '0..9')}{REST}")
    told = found.value.diagnostics[0]
    assert told.code == "E0709" and told.span.line >= HEAD.count("\n")
