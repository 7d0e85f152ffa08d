"""Does every play end? Ranking functions for a proof; a way back to the same state for a refutation."""

from __future__ import annotations

from collections.abc import Sequence

from engine import kernel as k
from engine.state import State
from verifier.bench import Bench
from verifier.engines.counters import Feature, features, indicators, sums_in
from verifier.engines.explicit import can_be_kept_up, shortest_cycle
from verifier.engines.ranking import Measure, Ranker, Ranking, everywhere
from verifier.goal import stops
from verifier.questions import Question
from verifier.reach import SHORTEN, Asked
from verifier.symbolic.deadline import Deadline
from verifier.symbolic.terms import TRUE, Lit
from verifier.symbolic.values import TooLarge
from verifier.trace import ReplayError, replay, text_of
from verifier.verdict import Verdict


def settle_termination(bench: Bench, asked: Asked, lits: Sequence[Lit], deadline: Deadline) -> Verdict:
    """The verdict on `terminates`; `lits` are those of the claims, whose sums may serve as measures."""
    whole = bench.graph.complete
    circling = shortest_cycle(bench.graph, deadline.part(SHORTEN)) if whole else _seen(bench)
    if circling is not None:
        return _endless(bench, asked, *circling)
    if whole:
        return asked.unreachable(
            f"exhaustive search of {len(bench.graph.states)} states: no way leads back to a state"
        )
    if bench.trouble:
        return asked.verdict("unknown", "", detail=bench.trouble)
    if bench.transitions.unclosed:
        return asked.verdict("unknown", "", detail="the rules go round and round between two stops")
    try:
        ranking, given = _rank(bench, asked.question, lits, deadline)
    except TooLarge as error:
        return asked.verdict("unknown", "", detail=str(error))
    if ranking.proved:
        return asked.unreachable(
            "ranking function " + _words(ranking), _told(bench, ranking, given, deadline)
        )
    names = sorted({bench.program.blocks[edge.source].name for edge in ranking.left})
    return asked.verdict(
        "unknown",
        "ranking functions",
        detail=f"no counter is known to fall on every way round through {', '.join(names)}",
    )


# ---------------------------------------------------------------------------------------------- endless


def _seen(bench: Bench) -> tuple[list[str], list[str]] | None:
    """A random game that came back to a state: (the way there, the way round); the shortest way round."""
    best = None
    for play in bench.plays:
        if play.circle is not None and (best is None or _size(play.circle) < _size(best.circle)):
            best = play
    if best is None or best.circle is None:
        return None
    first, second = best.circle
    texts = [text_of(s, c) for s, c in zip(best.states[:second], best.choices, strict=False)]
    return texts[:first], texts[first:]


def _size(circle: tuple[int, int] | None) -> tuple[int, int]:
    return (circle[1] - circle[0], circle[0]) if circle else (0, 0)


def _endless(bench: Bench, asked: Asked, way: list[str], around: list[str]) -> Verdict:
    """Refuted by a reachable circle, which the replay confirms."""
    found = replay(bench.game, [*way, *around])
    if found.fault is not None or found.states[len(way)] != found.last:
        raise ReplayError(
            f"{asked.question.name}: the play does not come back to the state after {len(way)} steps"
        )
    detail = f"after step {len(found.steps)} the state is again what it was after step {len(way)}"
    by = "a play that comes back to a state, replayed"
    return asked.reached(found, by, f"{detail}; {_whose(bench)}")


def _whose(bench: Bench) -> str:
    """Whether the circle is forced, or for whose choices play goes on for ever."""
    if not bench.graph.complete:
        return "for some choices of the players (and of chance); whether they can be left was not examined"
    graph = bench.graph
    if can_be_kept_up(graph, lambda state: True):
        return "forced: from some reachable state on no choice leads to an end"
    if can_be_kept_up(graph, _is_chance):
        return "optional: players can keep it up whatever chance brings, and could leave it"
    return "only if chance brings the same again and again: play ends with probability one"


def _is_chance(state: State) -> bool:
    return state.is_chance


# ---------------------------------------------------------------------------------------------- ranking


def _rank(
    bench: Bench, question: Question, lits: Sequence[Lit], deadline: Deadline
) -> tuple[Ranking, list[Measure]]:
    given = _given(bench, question)
    ranker = Ranker(bench.knowledge, deadline)
    if given:
        ranking = ranker.rank(bench.edges, given)
        if ranking.proved:
            return ranking, given
    blocks = stops(bench.program, k.Decide, k.Chance, k.End)
    counted: list[Feature] = [*features(bench.transitions)[1:], *sums_in(bench.transitions, lits)]
    measures = [measure for feature in counted for measure in everywhere(feature, blocks)]
    for block in bench.moving:
        for feature in indicators(bench.transitions, block):
            measures += everywhere(feature, [block])
    return ranker.rank(bench.edges, [*given, *measures]), given


def _given(bench: Bench, question: Question) -> list[Measure]:
    """The author's measure, component by component."""
    reader, found = bench.transitions.reader, []
    for number, expr in enumerate(question.exprs, 1):
        at = {}
        for block in stops(bench.program, k.Decide, k.Chance, k.End):
            at[block] = reader.numbers.lin(reader.number(expr, bench.transitions.env(block), TRUE))
        found.append(Measure("as given" if len(question.exprs) == 1 else f"as given, component {number}", at))
    return found


def _bound(bench: Bench, ranking: Ranking, deadline: Deadline) -> int | None:
    """How many decisions a game has at most: the first measure, if every decision lowers it from the first
    on."""
    known = bench.longest if bench.bound is None else bench.bound
    if not ranking.measures:
        return known
    measure, terms = ranking.measures[0], bench.transitions.terms
    ranker = Ranker(bench.knowledge, deadline)
    for edge in bench.edges:
        decides = edge.source >= 0 and isinstance(bench.program.blocks[edge.source].exit, k.Decide)
        if edge.target not in measure.at:
            return known
        if edge.source >= 0 and (
            edge.source not in measure.at or not ranker.falls(edge, measure, int(decides))
        ):
            return known
    ends = [terms.range(value) for value in measure.at.values()]
    lowest = min(low if measure.sign > 0 else -high for low, high in ends)
    starts = []
    for edge in bench.transitions.begin().edges:
        low, high = terms.range(bench.knowledge.after(edge).lin(measure.at[edge.target]))
        starts.append(high if measure.sign > 0 else -low)
    bench.bound = min([max(starts) - lowest, *(n for n in (known, bench.bound) if n is not None)])
    return bench.bound


def _words(ranking: Ranking) -> str:
    return (
        ", then ".join(measure.words for measure in ranking.measures)
        or "not needed: no stop leads back to itself"
    )


def _told(bench: Bench, ranking: Ranking, given: list[Measure], deadline: Deadline) -> str:
    parts = []
    if given and not any(measure in given for measure in ranking.measures):
        parts.append("the measure as given does not fall on every way round, others do")
    bound = _bound(bench, ranking, deadline)
    if bound is not None:
        parts.append(f"no game has more than {bound} decisions")
    return "; ".join(parts)
