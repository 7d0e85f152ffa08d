"""Rankings and strategies: measures as expressions, with bounds that hold by the types of what they are made
of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.proof import Height, Preferred, Ranking, Round, Strategy
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.goal.goal import stops
from kemu_verifier.methods.termination.measures import Measure
from kemu_verifier.methods.termination.ranking import Ranking as Falling
from kemu_verifier.symbolic.terms import Lin
from kemu_verifier.symbolic.transition import Transitions


def ranking(name: str, transitions: Transitions, measures: Iterable[Measure], uses: Iterable[str]) -> Ranking:
    """Measures that fall, each a round; `uses` are the inductions that say so."""
    definitions, rounds = _rounds(transitions, list(measures), False)
    return Ranking(name, tuple(dict.fromkeys(uses)), definitions, rounds)


def strategy(
    name: str, transitions: Transitions, found: Falling, uses: Iterable[str], bounded: bool
) -> Strategy:
    """Measures that fall where what is preferred is chosen; `bounded`: from above, too."""
    definitions, rounds = _rounds(transitions, found.rounds, bounded)
    preferred = tuple(_preferred(transitions, found))
    return Strategy(name, tuple(dict.fromkeys(uses)), definitions, rounds, preferred)


def _preferred(transitions: Transitions, found: Falling) -> Iterator[Preferred]:
    """What is preferred: whole arms, where it is all of them that may be legal."""
    for block, preference in sorted(found.preferred.items()):
        options = transitions.step(block).options
        for arm in sorted({options[at].arm for at in preference}):
            every = {at for at, option in enumerate(options) if option.arm == arm}
            if every <= preference:
                yield Preferred(block, arm, None)
            else:
                yield from (Preferred(block, arm, options[at].values) for at in sorted(every & preference))


def _rounds(
    transitions: Transitions, measures: Sequence[Measure], bounded: bool
) -> tuple[tuple[k.Expr, ...], tuple[Round, ...]]:
    """Each measure as a round, and the definitions that these rest on."""
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
        bounds = [terms.range(value) for value in at.values()]
        low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
        heights = (Height(block, (_written(made, each, value),)) for block, value in sorted(at.items()))
        rounds.append(Round(tuple(heights), (low,), (high,) if bounded else ()))
    return tuple(made.definitions), tuple(rounds)


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
