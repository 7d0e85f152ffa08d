"""The line at which play breaks down: what the names in it held before, state and locals alike."""

from __future__ import annotations

import re

from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import TraceStep

from kemu.render.words import worded

NAME = re.compile(r"[^\W\d]\w*")


def named(fault: FaultError | None, state: State | None) -> frozenset[str]:
    """The names in the line of the fault; none where nothing broke down."""
    if fault is None or fault.origin is None or state is None:
        return frozenset()
    span = fault.origin.span
    lines = state.program.sources.get(span.file, "").splitlines()[span.line - 1 : span.end_line]
    return frozenset(name for line in lines for name in NAME.findall(line.partition("#")[0]))


def moved(step: TraceStep, names: frozenset[str]) -> list[str]:
    """What a step did to the locals of these names: `pot: 0 -> 6`."""
    if not names or step.after is None:
        return []
    before, after = _locals(step.before, names), _locals(step.after, names)
    return [
        f"{name}: {before[name]} -> {text}" for name, text in after.items() if before.get(name, text) != text
    ]


def held(state: State, names: frozenset[str]) -> str:
    """What the names held before the step that breaks down: `pot = 6`; of state only what is one value."""
    data = state.to_json()["vars"]
    assert isinstance(data, dict)
    plain = {name: worded(value) for name, value in data.items() if not isinstance(value, dict | list)}
    found = {name: text for name, text in plain.items() if name in names} | _locals(state, names)
    return ", ".join(f"{name} = {text}" for name, text in found.items())


def _locals(state: State, names: frozenset[str]) -> dict[str, str]:
    data = state.to_json()["locals"]
    assert isinstance(data, dict)
    last = {full.rpartition(".")[2]: value for full, value in data.items()}
    return {name: worded(value) for name, value in last.items() if name in names and value is not None}
