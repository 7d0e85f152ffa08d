"""Claims about a rule by itself: programs of their own, begun in any state of which the claim speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.verify import problems
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_grammar.source.diagnostics import RulesError

from tests.engine.expressions import held
from tests.rules import play, sound_in, texts

HEAD = """\
game "Runs"
players ann, bob
enum Hue: red, green, blue
record Pair(many: 0..3, hue: Hue)
"""
RULES = """\
rules:
    choose stop by ann
    end tie
"""
GO = "rule go:\n    choose step by ann\nproperty p: from any: run go() returns\n"


def run_of(text: str) -> k.Run:
    """The run of the one claim in a text."""
    (claim,) = sound_in(HEAD + text + RULES).program.properties
    assert claim.run is not None and problems(claim.run.program) == []
    return claim.run


def begun(run: k.Run, cells: Mapping[str, Any]) -> State | None:
    """Where the run begins if its variables hold this; None if the claim does not speak of such a state."""
    vars_ = tuple(replace(v, initial=cells.get(v.name, v.initial)) for v in run.program.vars)
    try:
        return Game(replace(run.program, vars=vars_), checked=True).initial()
    except FaultError as fault:
        if fault.code != "empty_draw":
            raise
        return None


@pytest.mark.parametrize(
    ("declaration", "right", "wrong"),
    [
        ("pile: bag[Hue, 3]", {"pile": (1, 1, 1)}, {"pile": (2, 1, 1)}),
        ("pile: bag[Hue, 3]", {"pile": (0, 0, 0)}, {"pile": (3, 0, 1)}),
        ("hands: map[Player, bag[Hue, 2]]", {"hands": (1, 1, 0, 0, 0, 2)}, {"hands": (0, 0, 0, 1, 1, 1)}),
        ("row: list[1..3, 2]", {"row.len": 1, "row": (3, 1)}, {"row.len": 1, "row": (3, 2)}),
        ("row: list[0..3, 2]", {"row.len": 2, "row": (3, 2)}, {"row.len": 0, "row": (1, 0)}),
        ("row: list[-3..-1, 2]", {"row.len": 1, "row": (-1, -3)}, {"row.len": 1, "row": (-1, -2)}),
        ("row: list[set[Hue], 2]", {"row.len": 1, "row": (5, 0)}, {"row.len": 1, "row": (5, 1)}),
        (
            "row: list[Pair, 2]",
            {"row.len": 1, "row.many": (2, 0), "row.hue": (1, 0)},
            {"row.len": 1, "row.many": (2, 0), "row.hue": (1, 2)},
        ),
        ("seat: map[1..3, Hue?] unique", {"seat": (-1, -1, 2)}, {"seat": (2, -1, 2)}),
        ("seat: map[1..3, Hue] unique", {"seat": (0, 1, 2)}, {"seat": (0, 1, 0)}),
        ("room: map[x in 1..3, 0..x]", {"room": (1, 2, 3)}, {"room": (2, 2, 3)}),
        (
            "sized: map[x in 1..2, list[Hue, x]]",
            {"sized.len": (1, 2), "sized": (1, 0, 1, 1)},
            {"sized.len": (2, 2), "sized": (1, 1, 1, 1)},
        ),
        ("sized: map[x in 1..2, bag[Hue, x]]", {"sized": (1, 0, 0, 1, 1, 0)}, {"sized": (1, 1, 0, 1, 1, 0)}),
        (
            "two: tuple[bag[Hue, 1], bag[Hue, 1]]",
            {"two._0": (1, 0, 0), "two._1": (0, 0, 1)},
            {"two._0": (1, 0, 0), "two._1": (1, 0, 1)},
        ),
        (
            "rows: list[list[Hue?, 2], 2]",
            {"rows.len": 1, "rows.len.len": (1, 0), "rows": (-1, -1, -1, -1)},
            {"rows.len": 1, "rows.len.len": (1, 0), "rows": (-1, -1, -1, 0)},
        ),
        (
            "rows: list[bag[Hue, 2], 2]",
            {"rows.len": 1, "rows": (1, 0, 1, 0, 0, 0)},
            {"rows.len": 2, "rows": (1, 0, 1, 2, 0, 1)},
        ),
        (
            "rows: list[map[Hue, 0..1], 2]",
            {"rows.len": 1, "rows": (1, 0, 1, 0, 0, 0)},
            {"rows.len": 1, "rows": (1, 0, 1, 0, 0, 1)},
        ),
    ],
)
def test_states_of_the_types(declaration: str, right: Any, wrong: Any) -> None:
    run = run_of(f"state:\n    {declaration}\n{GO}")
    assert begun(run, right) is not None and begun(run, wrong) is None


@pytest.mark.parametrize(
    "declaration",
    ["stacks: map[1..2, list[Hue, 2]] unique"],
)
def test_types_of_which_not_any_state_can_be_had(declaration: str) -> None:
    with pytest.raises(RulesError, match="E0767"):
        run_of(f"state:\n    {declaration}\n{GO}")


FILL = """\
state:
    n: 0..9
    m: 0..9 = 5
rule fill(p: Player, most: 0..9):
    while n < most:
        choose add(x in 1..2) by p
        n = min(n + x, 9)
    m = 0
"""


def test_a_run_begins_where_the_condition_holds_and_ends_where_the_rule_returns() -> None:
    condition = "n < 3 and (m > 4 and n != 1)"
    run = run_of(f"{FILL}property p: from any if {condition}: run fill(bob, 3) returns by (3 - n, m)\n")
    assert len(run.guards) == 4, "the types, and the parts of the condition"
    state = begun(run, {})
    assert state is not None and state.starts_run and texts(state) == ["fill(bob, 3)"]
    inside = play(state, "fill(bob, 3)")
    assert inside.actor == "bob" and texts(inside) == ["add(1)", "add(2)"]
    over = play(inside, "add(2)", "add(1)")
    assert over.is_end and over["m"] == 0
    assert [begun(run, {"n": n}) is not None for n in range(5)] == [True, False, True, False, False]
    assert begun(run, {"m": 4}) is None


def test_the_claims_of_several_runs() -> None:
    text = """\
property a: from any: run fill(ann, 2) returns by (3 - n, m)
property b: from any: run fill(ann, 2) never returns
property c for p in Player for x in 1..2: from any if n == x: run fill(p, x) can return
property d if len(Player) == 3: from any: run fill(ann, 2) returns
property e expect refuted: from any: run fill(ann, 2) returns
lemma    f: always n <= 9
"""
    program = sound_in(HEAD + FILL + text + RULES).program
    claims = {p.name: p for p in program.properties}
    assert list(claims) == ["f", "a", "b", *(f"c({p}, {x})" for p in ("ann", "bob") for x in (1, 2)), "e"]
    assert [p.form for p in program.properties[1:4]] == ["returns", "never_returns", "can_return"]
    assert claims["e"].expect == "refuted" and claims["b"].exprs == ()
    a, c = claims["a"].run, claims["c(bob, 2)"].run
    assert a is not None and c is not None
    state = begun(a, {"n": 1})
    assert state is not None and [state.evaluate(e) for e in claims["a"].exprs] == [2, 5]
    state = begun(c, {"n": 2})
    assert state is not None and texts(state) == ["fill(bob, 2)"] and begun(c, {"n": 1}) is None
    assert play(state, "fill(bob, 2)").is_end


def test_a_run_may_end_the_game() -> None:
    text = """\
state:
    n: 0..9
rule win_(p: Player):
    if n > 0:
        end win(p)
    choose go by p
property a: from any: run win_(bob) returns
"""
    run = run_of(text)
    assert play(Game(run.program).initial(), "win_(bob)", "go").is_end


FORGETTING = """\
domain Town = 1..3
state:
    at: Town
    n: 0..9
fun post(t: Town) -> Town?: none if t == 3 else t + 1
fun cost(t: Town, p: Player) -> 0..4: 1 if p == ann else 2
rule walk():
    while post(at) is some:
        choose go by ann
        n += cost(at, bob)
        at = post(at)
property p forgetting post, cost:
    from any if all(post(t) is none or post(t) > t for t in Town): run walk() returns by 4 - at
"""


def test_what_is_forgotten_is_a_variable_that_nothing_changes() -> None:
    run = run_of(FORGETTING)
    assert run.forgotten == ("post", "cost") and run.real is not None and run.real.forgotten == ()
    names = {v.name: v for v in run.program.vars}
    assert names["post()"].length == 3 and names["cost()"].length == 6
    assert not {"post()", "cost()"} & {v.name for v in run.real.program.vars}

    cost = (0, 4, 0, 3, 0, 0)
    spoken = [
        begun(run, {"post()": post, "cost()": cost})
        for post in ((1, 2, -1), (2, -1, -1), (1, 0, -1), (0, 1, 2))
    ]
    assert [state is not None for state in spoken] == [True, True, False, False]
    assert spoken[1] is not None
    over = play(spoken[1], "walk", "go")
    assert over.is_end and held(over, "at") == 3 and held(over, "n") == 4
    real = play(Game(run.real.program).initial(), "walk", "go", "go")
    assert real.is_end and held(real, "n") == 4


@pytest.mark.parametrize("change", [("-> 0..4", ""), ("p: Player)", "p)")])
def test_what_is_forgotten_says_its_types(change: tuple[str, str]) -> None:
    with pytest.raises(RulesError) as found:
        run_of(
            FORGETTING.replace(
                "cost(t: Town, p: Player) -> 0..4", "cost(t: Town, p: Player) -> 0..4".replace(*change)
            )
        )
    assert found.value.diagnostics[0].code in ("E0768", "E0651", "E0640")


@pytest.mark.parametrize(
    ("fun", "told"),
    [
        ("0 if t == 1 else n", "depends on its arguments alone; `cost` reads `n`"),
        ("4 // (3 - t)", "division by zero"),
        ("3 * t", "the value is not in its range"),
    ],
)
def test_what_is_forgotten_reads_no_state_and_meets_no_fault(fun: str, told: str) -> None:
    with pytest.raises(RulesError, match="E0768") as found:
        run_of(FORGETTING.replace("1 if p == ann else 2", fun))
    assert told in found.value.diagnostics[0].message


def test_what_another_option_puts_in_its_place_reads_no_state_either() -> None:
    other = "under odd:\n    fun cost(t: Town, p: Player) -> 0..4: min(n, 4)\n"
    with pytest.raises(RulesError, match="E0768"):
        run_of(f"option odd: bool = true\n{FORGETTING}{other}")
