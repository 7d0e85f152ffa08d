"""Rankings: measures as expressions, with bounds that hold by the types of what they are made of."""

from __future__ import annotations

from collections.abc import Iterable

from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.proof import Height, Ranking, Round
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.methods.termination.measures import Measure
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.terms import Lin


def ranking(name: str, context: ProofContext, measures: Iterable[Measure], uses: Iterable[str]) -> Ranking:
    """Measures that fall, each a round; `uses` are the inductions that say so."""
    measures = list(measures)
    terms, transitions = context.transitions.terms, context.transitions
    values = [_signed(context, each) for each in measures]
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
        heights = (Height(block, _written(made, each, value)) for block, value in sorted(at.items()))
        rounds.append(Round(tuple(heights), low, None))
    return Ranking(name, tuple(dict.fromkeys(uses)), tuple(made.definitions), tuple(rounds))


def _signed(context: ProofContext, measure: Measure) -> dict[int, Lin]:
    """The number that falls, at the stops from which play goes on."""
    plus = context.transitions.terms.plus
    moving = set(context.moving)
    return {block: plus(Lin(0), value, measure.sign) for block, value in measure.at.items() if block in moving}


def _written(made: Translation, measure: Measure, value: Lin) -> k.Expr:
    """The number as the author writes it, if it is his."""
    if measure.expr is None:
        return made.lin(value)
    if measure.sign > 0:
        return measure.expr
    assert isinstance(measure.expr.type, k.Int)
    return k.Op(k.Int(-measure.expr.type.high, -measure.expr.type.low), "neg", (measure.expr,))
