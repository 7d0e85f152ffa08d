"""A rule call means the same whether or not the rule stops on its way."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import made, play

STOP = "    choose halt by a\n"


def game_of(rule: str, rules: str, stops: bool) -> Game:
    body = rule.replace("    stop\n", STOP if stops else "")
    return made(f"""game "Calls"
players a, b
state:
    s: list[0..3, 3] = [1]
    l: map[1..2, 0..9] = {{1: 5, 2: 0}}
    i: 1..2 = 1
    m: 0..9 = 0
{body}
rules:
{rules}
    choose over by a
    end tie
""")


def values(rule: str, rules: str, stops: bool) -> dict[str, object]:
    state = play(game_of(rule, rules, stops), *(["halt"] if stops else []))
    return {name: state[name] for name in ("l", "m")}


@pytest.mark.parametrize("stops", [False, True])
def test_a_list_is_passed_as_it_is_at_the_call(stops: bool) -> None:
    rule = "rule f(x: list[0..3, 3]):\n    s = [2, 3]\n    stop\n    m = len(x)"
    assert values(rule, "    f(s)", stops)["m"] == 1


@pytest.mark.parametrize("stops", [False, True])
def test_a_list_keeps_its_type_where_a_parameter_has_none(stops: bool) -> None:
    rule = "rule f(x):\n    s = [2, 3]\n    stop\n    m = len(x)"
    assert values(rule, "    f(s)", stops)["m"] == 1


@pytest.mark.parametrize("stops", [False, True])
def test_the_place_of_an_inout_argument_is_settled_at_the_call(stops: bool) -> None:
    rule = "rule f(inout u: 0..9):\n    i = 2\n    stop\n    u += 1"
    assert values(rule, "    f(l[i])", stops)["l"] == {"1": 6, "2": 0}


@pytest.mark.parametrize("stops", [False, True])
def test_an_inout_variable_is_not_used_by_its_own_name(stops: bool) -> None:
    rule = "rule f(inout u: 0..9):\n    u = 5\n    stop\n    m = u + l[1]"
    with pytest.raises(RulesError, match="E0765"):
        values(rule, "    f(l[1])", stops)


@pytest.mark.parametrize("stops", [False, True])
def test_what_a_rule_does_cites_what_the_rule_cites(stops: bool) -> None:
    rule = "## [R2] Seven.\nrule f():\n    stop\n    m = 7"
    origins = game_of(rule, "    f()", stops).program.origins
    within = [origin.cites for origin in origins if 10 <= origin.span.line <= 11]
    assert within and set(within) == {("R2",)}
