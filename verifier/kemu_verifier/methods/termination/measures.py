"""Measures: numbers that might fall from stop to stop, and what sampled steps do to them.

A measure that a sampled step raises need not be put to the solver. Where no single number falls, a linear
combination of them may: coefficients that suit all changes seen so far, tried on all steps, mended by the
step that breaks them (counterexample-guided, after Podelski and Rybalchenko 2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

from kemu_verifier.goal.goal import stops
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.linear_features import Feature, features, indicators
from kemu_verifier.methods.search.random_search import Play
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import SUM, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions
from kemu_verifier.symbolic.values import Cases

MOST = 80  # sampled steps for each edge
WIDTH = 40  # measures that are combined


@dataclass(frozen=True, slots=True)
class Measure:
    """A number at each of some stops; `words` name it. `sign` -1: it rises instead of falling. `expr`: the
    author's expression for it."""

    words: str
    at: dict[int, Lin]
    sign: int = 1
    expr: k.Expr | None = None

    def covers(self, edges: Iterable[Edge]) -> bool:
        """Whether it is defined at both ends of all edges."""
        return all(edge.source in self.at and edge.target in self.at for edge in edges)


def numbers(transitions: Transitions, more: Sequence[Feature]) -> list[Measure]:
    """The counters of the state, those given, and the numbers that live locals hold: of a set, its size."""
    program = transitions.program
    everywhere = stops(program, k.Decide, k.Chance, k.End)
    counted = [feature for feature in [*features(transitions)[1:], *more] if feature.value.terms]
    moving = stops(program, k.Decide, k.Chance)
    local: dict[str, dict[int, Lin]] = {}
    for block in moving:
        for number in program.blocks[block].live:
            name, value = _local(transitions, number)
            if value.terms:
                local.setdefault(name, {})[block] = value
        for feature in indicators(transitions, block):
            local.setdefault(feature.words, {})[block] = feature.value
    return [
        *(Measure(words, at) for words, at in local.items()),
        *(Measure(feature.words, dict.fromkeys(everywhere, feature.value)) for feature in counted),
    ]


def _local(transitions: Transitions, local: int) -> tuple[str, Lin]:
    """What a local is called, and the number that it is: of a set the size, of a truth value 0 or 1."""
    info, value = transitions.program.locals[local], transitions.layout.local(local)
    name = info.name or f"local {local}"
    if isinstance(value, tuple):
        return f"len({name})", transitions.terms.sum(0, [(1, lit) for lit in value])
    if isinstance(value, int):
        return f"[{name}]", transitions.terms.sum(0, [(1, value)])
    if isinstance(value, Cases) and len(value.pairs) < 2:
        return name, Lin(0)
    return name, transitions.reader.numbers.lin(value)


def both_ways(measures: Iterable[Measure]) -> list[Measure]:
    """Each as one that falls, and as one that rises."""
    return [way for m in measures for way in (m, Measure(rising(m.words), m.at, -1, m.expr))]


def rising(words: str) -> str:
    """What a measure that rises is called, taken as one that falls."""
    return f"minus {words}"


@dataclass(frozen=True, slots=True)
class Sampled:
    """A step that was seen: the state before and after, the option that was chosen."""

    before: Valuation
    after: Valuation
    option: int


class StepSamples:
    """Steps of random games, by edge: (stop, arm, stop)."""

    def __init__(self, transitions: Transitions, plays: Sequence[Play]) -> None:
        self.transitions = transitions
        steps: dict[tuple[int, int, int], list[tuple[State, State, int]]] = {}
        for play in plays:
            for at, choice in enumerate(play.choices):
                if at + 1 >= len(play.states):
                    break
                before, after = play.states[at], play.states[at + 1]
                arm = before.choices[choice].arm if before.is_decision else 0
                steps.setdefault((before.block, arm, after.block), []).append((before, after, choice))
        self._steps = steps
        self._known: dict[tuple[int, int, int], list[Sampled]] = {}

    def of(self, edge: Edge) -> list[Sampled]:
        """The steps sampled of an edge."""
        key = (edge.source, edge.arm, edge.target)
        if key not in self._known:
            self._known[key] = [self._sampled(*step) for step in _spread(self._steps.get(key, []))]
        return self._known[key]

    def _sampled(self, before: State, after: State, choice: int) -> Sampled:
        chosen = before.choices[choice]
        options = self.transitions.arrival(before.block).options
        arm = chosen.arm if before.is_decision else 0
        option = next((i for i, o in enumerate(options) if (o.arm, o.values) == (arm, chosen.values)), -1)
        return Sampled(self._valuation(before), self._valuation(after), option)

    def _valuation(self, state: State) -> Valuation:
        layout = self.transitions.layout
        return Valuation(self.transitions.terms, layout.encode(state.block, state.vars, state.locals))


def _spread(found: list[tuple[State, State, int]]) -> list[tuple[State, State, int]]:
    if len(found) <= MOST:
        return found
    return [found[at * len(found) // MOST] for at in range(MOST)]


def combined(transitions: Transitions, measures: Sequence[Measure], coefs: Sequence[int]) -> Measure:
    """The sum of measures times coefficients, at the stops that all have."""
    used = [(c, m) for c, m in zip(coefs, measures, strict=True) if c]
    at = {}
    for block in set.intersection(*(set(m.at) for _, m in used)):
        total = Lin(0)
        for coef, measure in used:
            total = transitions.terms.plus(total, measure.at[block], coef * measure.sign)
        at[block] = total
    parts = [
        ("-" if c < 0 else "+", "" if abs(c) == 1 else f"{abs(c)} * ", _bracketed(m.words)) for c, m in used
    ]
    words = " ".join(f"{sign} {times}{name}" for sign, times, name in parts)
    return Measure(words.removeprefix("+ "), at)


def _bracketed(words: str) -> str:
    return f"({words})" if " " in words and not words.endswith((")", "]")) else words


def change(knowledge: Knowledge, edge: Edge, measure: Measure) -> Lin:
    """The measure after - before; element by element where they are the same sums."""
    terms, before, target = knowledge.terms, measure.at[edge.source], measure.at[edge.target]
    if before != target:
        return terms.plus(knowledge.after(edge).lin(target), before, -1)
    found = Lin(0)
    for coef, term in before.terms:
        part = knowledge.change(edge, term)
        if terms.kind[term] != SUM:
            part = terms.plus(knowledge.after(edge).lin(Lin(0, ((1, term),))), Lin(0, ((1, term),)), -1)
        found = terms.plus(found, part, coef)
    return found


def legal_of(transitions: Transitions, block: int, options: Iterable[int]) -> Lit:
    """That one of the options is legal."""
    found = transitions.arrival(block).options
    return transitions.terms.disj([found[at].legal for at in options])
