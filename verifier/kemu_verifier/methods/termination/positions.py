"""Measures of where things stand: the coordinates of the places of all pieces of a kind, added up.

Which places an element stands for is read off how it is written, "(3, 1)" or "black, (3, 1)". That is a guess
like any other: what is said to fall is proved to fall.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.linear_features import FEW, Feature
from kemu_verifier.symbolic.terms import Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import Cases, Value

NUMBER = re.compile(r"-?\d+")
Weighed = dict[str, list[tuple[int, int]]]
"""For each axis the numbers of elements, with their coordinates; by what is said of them."""


def positions(transitions: Transitions) -> Iterator[Feature]:
    """The sums of the coordinates of what lies in the state variables."""
    for _, var, symbol in transitions.layout.shown():
        if not isinstance(var.type, k.History):
            for words, pairs in _held(transitions, var, symbol):
                yield Feature(words, transitions.terms.sum(0, pairs))


def _held(transitions: Transitions, var: k.Var, symbol: Value) -> Iterator[tuple[str, list[tuple[int, Lit]]]]:
    if var.length is None:
        yield from _standing(var.name, var, [symbol])
        return
    values: Sequence[Value] = symbol  # type: ignore[assignment]
    yield from _standing(f"all of {var.name}", var, values)
    for axis, weights in _axes(var.labels).items():
        for what, lits in _lying(transitions, var, values):
            yield f"{axis} of {what}", [(weight, lits[at]) for at, weight in weights if weight]


def _standing(name: str, var: k.Var, values: Iterable[Value]) -> Iterator[tuple[str, list[tuple[int, Lit]]]]:
    """Of variables whose value is a place, or a set of places."""
    low = var.type.low if isinstance(var.type, k.Int) else 0
    for axis, weights in _axes(var.texts).items():
        by_number = dict(weights)
        pairs: list[tuple[int, Lit]] = []
        for value in values:
            if isinstance(value, tuple):
                pairs += [(by_number.get(at, 0), lit) for at, lit in enumerate(value)]
            elif isinstance(value, Cases):
                pairs += [(by_number.get(number - low, 0), lit) for number, lit in value.pairs]
        if any(weight for weight, _ in pairs):
            yield f"{axis} of {name}", [(weight, lit) for weight, lit in pairs if weight]


def _lying(transitions: Transitions, var: k.Var, values: Sequence[Value]) -> Iterator[tuple[str, list[Lit]]]:
    """Of an array by place: what may lie there, and for each place whether it does."""
    if isinstance(var.type, k.Bool):
        yield var.name, list(values)  # type: ignore[arg-type]
    elif isinstance(var.type, k.Int) and var.type.high - var.type.low < FEW:
        equal = transitions.reader.numbers.equal_const
        for number in range(var.type.low, var.type.high + 1):
            text = var.texts[number - var.type.low] if var.texts else str(number)
            if text not in ("none", "0"):
                yield f"{text} in {var.name}", [equal(value, number) for value in values]  # type: ignore[arg-type]


def _axes(texts: Sequence[str]) -> Weighed:
    """The coordinates of elements that are places, from 0 on; nothing if few of them are written so."""
    found: dict[str, list[tuple[int, int]]] = {}
    for at, text in enumerate(texts):
        rest = NUMBER.sub("", text).strip("(), ")
        for nr, number in enumerate(NUMBER.findall(text), 1):
            found.setdefault(f"coordinate {nr}{f' for {rest}' if rest else ''}", []).append((at, int(number)))
    if not found or len(found) > FEW:
        return {}
    low = {axis: min(number for _, number in weights) for axis, weights in found.items()}
    return {axis: [(at, n - low[axis]) for at, n in weights] for axis, weights in found.items()}
