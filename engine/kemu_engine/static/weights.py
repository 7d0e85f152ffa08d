"""How much is in a value, counted through to the bottom: what it costs to make it, compare it, hash it."""

from __future__ import annotations

from kemu_grammar.syntax.ast import Span

from kemu_engine.static.operators import SIMPLE
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Domain, FrozenBag, FrozenMap, RingInt, Row, Seq, Value
from kemu_engine.static.work import Work

HEAVIEST = 5_000_000  # things in a collection and in the collections within
PER_STEP = 8  # things that are copied, compared or hashed in the time of a step
REMEMBERED = 1_000_000  # things in all values whose weight is remembered, which stay alive as long as it is
KEPT = 32  # things in a collection whose weight is remembered; of others the first level may do
MAPS = frozenset({FrozenMap, FrozenBag})
COLLECTIONS = MAPS | {tuple, Row, Seq, frozenset}
SMALL = (SIMPLE - {str}) | {RingInt, type(None)}
SINGLE = SMALL | {str, Domain}  # kinds of what is one thing within a collection


class Weights:
    """Weighs values, and counts the steps that whole values take."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self._known: dict[int, tuple[Value, int]] = {}
        self._held = 0  # things in them
        self._light = KEPT  # nobody looks into collections of fewer things, unless their weight is known

    def made(self, value: Value, span: Span, per_step: int = PER_STEP) -> Value:
        """The value, which has just been made, so many things in a step; refused if it holds more than may
        be held."""
        if type(value) in COLLECTIONS:
            weight = self.of(value)
            if weight > HEAVIEST:
                refuse("E0705", span, f"a collection of more than {HEAVIEST:,} things in all")
            if weight >= per_step:
                self.work.spend(weight // per_step, span)
        return value

    def used(self, value: Value, span: Span, per_step: int = PER_STEP) -> None:
        """The whole value is gone through, so many things in a step."""
        kind = type(value)
        if kind in SMALL:
            return
        weight = len(value)
        if kind in COLLECTIONS and (weight >= self._light or id(value) in self._known):
            weight = self.of(value)
        if weight >= per_step:
            self.work.spend(weight // per_step, span)

    def brief(self, value: Value) -> bool:
        """Whether a value is compared in no time."""
        kind = type(value)
        if kind in SMALL or kind is Domain:
            return True
        return isinstance(value, tuple) and len(value) < PER_STEP and SMALL.issuperset(map(type, value))

    def of(self, value: Value) -> int:
        kind = type(value)
        if kind not in COLLECTIONS:
            return 1
        known = self._known.get(id(value))
        if known is not None and known[0] is value:
            return known[1]
        parts = (*value, *value.values()) if kind in MAPS else value
        total = 1 + len(parts)
        for part in parts:
            kind = type(part)
            if kind in SINGLE:
                continue
            if (kind is Row or kind is tuple) and len(part) == 2:  # most are points
                x, y = part
                if type(x) in SINGLE and type(y) in SINGLE:
                    total += 2
                    continue
            total += self.of(part) - 1
        if total > KEPT:
            self._remember(value, total)
        return total

    def _remember(self, value: Value, weight: int) -> None:
        self._held += weight
        if self._held > REMEMBERED:
            self._known.clear()
            self._light = 0
            self._held = weight
        self._known[id(value)] = (value, weight)
