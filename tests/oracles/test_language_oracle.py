"""The program against the naive evaluator of the syntax tree, in lockstep on generated rules files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.parser import parse

from tests.oracles.naive import Bag, Fault, Member, Naive, Point, Stop, text
from tests.oracles.sources import with_histories
from tests.soak import examples

pytestmark = pytest.mark.slow

LONGEST = 10  # actions and outcomes of one game
WIDEST = 6  # choices that are followed at one stop


@examples(100)
@given(with_histories, st.lists(st.integers(0, 99), min_size=LONGEST, max_size=LONGEST))
def test_program_and_naive_evaluator_agree(source: str, choices: list[int]) -> None:
    note(source)
    try:
        game = Game(instantiate(read_text(source, "generated.kemu", Path("spec")), {}, None), checked=True)
    except RulesError as error:
        if [d.code for d in error.diagnostics] == ["E0709"]:
            return  # a number that never fits is refused before play
        raise
    naive = Naive(parse(source, "generated.kemu"))
    history: list[str] = []
    state, stop = begin(game), ahead(naive, history)
    compare(state, stop, history)
    for choice in choices:
        if state is None or stop is None or not stop.choices:
            return
        after: dict[int, tuple[State | None, Stop | None]] = {}
        first = choice % len(stop.choices)
        for number in range(first, first + min(WIDEST, len(stop.choices))):
            at = number % len(stop.choices)
            longer = [*history, stop.choices[at][0]]
            after[at] = follow(state, longer[-1]), ahead(naive, longer)
            compare(*after[at], longer)
        at = next((at for at, (found, _) in after.items() if found is not None), first)
        history.append(stop.choices[at][0])
        state, stop = after[at]


def begin(game: Game) -> State | None:
    try:
        return game.initial()
    except FaultError:
        return None


def follow(state: State, choice: str) -> State | None:
    try:
        return state.apply(choice)
    except FaultError:
        return None


def ahead(naive: Naive, history: list[str]) -> Stop | None:
    try:
        return naive.play(history)
    except Fault:
        return None


def compare(state: State | None, stop: Stop | None, history: list[str]) -> None:
    """Both fault, or both wait at the same kind of stop for the same choices with the same values about."""
    assert (state is None) == (stop is None), f"only one faults after {history}: {state} {stop}"
    if state is None or stop is None:
        return
    kind = "end" if state.is_end else "chance" if state.is_chance else "decision"
    assert (kind, state.actor) == (stop.kind, stop.actor), history
    found = [(a.text, w) for a, w in state.outcomes()] or [(a.text, 1) for a in state.actions()]
    assert found == list(stop.choices), history
    for name, value in stop.vars.items():
        assert same(state, name, value), f"{name} after {history}"
    if state.result is not None:
        assert state.result.places == stop.places, history


def same(state: State, name: str, value: Any) -> bool:
    if isinstance(value, list):  # a history
        return sum(each["times"] for each in state[name]) == len(value)  # type: ignore[union-attr,call-overload,index,misc]
    if isinstance(value, tuple) and not isinstance(value, Member | Point):
        held = list(state[name].values())  # type: ignore[union-attr]
        return held[: len(value)] == [text(x) for x in value] and state[name + ".len"] == len(value)
    if isinstance(value, Bag):
        held = {thing: many for thing, many in state[name].items() if many}  # type: ignore[union-attr]
        return held == {text(thing): many for thing, many in value.items() if many}
    return bool(state[name] == readable(value))


def readable(value: Any) -> Any:
    """A value as `State.value` words it."""
    match value:
        case bool() | int():
            return value
        case dict():
            return {text(k): readable(v) for k, v in value.items()}
        case frozenset():
            return [text(x) for x in sorted(value)]
    return text(value)
