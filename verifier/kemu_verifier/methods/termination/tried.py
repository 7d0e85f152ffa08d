"""A measure tried on random games: a play that comes back to a stop with a measure that is no less shows that
it does not fall, whatever might be proved."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import text_of
from kemu_engine.play.state import FaultError, State

from kemu_verifier.methods.search.random_search import Play
from kemu_verifier.symbolic.deadline import Deadline

Value = tuple[int, ...]


def step_that_breaks(plays: Iterable[Play], measure: Sequence[k.Expr], deadline: Deadline) -> str:
    """In words, a step of one of the games that does not lower the measure, the first number that changes
    deciding; nothing if every way back to a stop lowers it."""
    for play in plays:
        if deadline.passed:
            break
        found = _way_round(play, measure)
        if found is not None:
            first, values = found
            return _told(play, first, values)
    return ""


def _way_round(play: Play, measure: Sequence[k.Expr]) -> tuple[int, list[Value]] | None:
    """A way from a stop back to it that does not lower the measure: where it begins, the values on it."""
    values: list[Value] = []
    last: dict[int, int] = {}  # by stop, the state that was there last
    for at, state in enumerate(play.states):
        value = None if state.is_end else _value(state, measure)
        if value is None:
            return None
        values.append(value)
        before = last.get(state.block)
        if before is not None and value >= values[before]:
            return before, values[before:]
        last[state.block] = at
    return None


def _value(state: State, measure: Sequence[k.Expr]) -> Value | None:
    try:
        return tuple(int(state.evaluate(expr)) for expr in measure)
    except FaultError:
        return None


def _told(play: Play, first: int, values: Sequence[Value]) -> str:
    steps = list(pairwise(values))
    rising = next((at for at, (before, after) in enumerate(steps) if after > before), 0)
    before, after = steps[rising]
    text = text_of(play.states[first + rising], play.choices[first + rising])
    change = (
        f"leaves it {_shown(before)}"
        if before == after
        else f"takes it from {_shown(before)} to {_shown(after)}"
    )
    return (
        f"the author's measure does not fall: in a random game step {first + rising + 1}, `{text}`, {change}"
    )


def _shown(value: Value) -> str:
    return str(value[0]) if len(value) == 1 else f"({', '.join(map(str, value))})"
