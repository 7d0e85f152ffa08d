"""Rankings: measures as expressions, with bounds that hold by the types of what they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.proof import Height, Ranking, Round
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.goal.goal import stops
from kemu_verifier.methods.termination.measures import Measure
from kemu_verifier.symbolic.terms import Lin
from kemu_verifier.symbolic.transition import Transitions


def ranking(name: str, transitions: Transitions, measures: Iterable[Measure], uses: Iterable[str]) -> Ranking:
    """Measures that fall, each a round; `uses` are the inductions that say so."""
    measures = list(measures)
    terms = transitions.terms
    values = [_signed(transitions, each) for each in measures]
    roots = [
        term
        for each, at in zip(measures, values, strict=True)
        for value in at.values()
        for _, term in value.terms
        if each.expr is None
    ]
    made = Translation(transitions, Symbols(transitions), roots)
    rounds = []
    for each, at in zip(measures, values, strict=True):
        low = min(terms.range(value)[0] for value in at.values())
        heights = (Height(block, (_written(made, each, value),)) for block, value in sorted(at.items()))
        rounds.append(Round(tuple(heights), (low,)))
    return Ranking(name, tuple(dict.fromkeys(uses)), tuple(made.definitions), tuple(rounds))


def together(name: str, program: k.Program, exprs: Sequence[k.Expr], uses: Iterable[str]) -> Ranking:
    """Numbers of which the first that changes decides: together they fall if chance is kind."""
    bounds = [b.interval(expr) for expr in exprs]
    heights = tuple(Height(block, tuple(exprs)) for block in stops(program, k.Decide, k.Chance))
    measure = Round(heights, tuple(low for low, _ in bounds), tuple(high for _, high in bounds))
    return Ranking(name, tuple(dict.fromkeys(uses)), (), (measure,))


def _signed(transitions: Transitions, measure: Measure) -> dict[int, Lin]:
    """The number that falls, at the stops from which play goes on."""
    plus, moving = transitions.terms.plus, stops(transitions.program, k.Decide, k.Chance)
    return {
        block: plus(Lin(0), value, measure.sign) for block, value in measure.at.items() if block in moving
    }


def _written(made: Translation, measure: Measure, value: Lin) -> k.Expr:
    """The number as the author writes it, if it is his."""
    if measure.expr is None:
        return made.lin(value)
    if measure.sign > 0:
        return measure.expr
    assert isinstance(measure.expr.type, k.Int)
    return k.Op(k.Int(-measure.expr.type.high, -measure.expr.type.low), "neg", (measure.expr,))
