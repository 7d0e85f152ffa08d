"""Does anything hidden leak into who acts and what is legal?

The proof is a self-composition (Terauchi and Aiken, 2005): two states at a decision that agree on all that
the actor sees have the same actor and the same legal actions. A refutation is two reachable states that look
the same to the actor and differ.
"""

from __future__ import annotations

import json
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import ReplayError, replay, text_of
from kemu_engine.play.state import State

from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.mapping import Substitution
from kemu_verifier.symbolic.terms import VAR, Lin, Lit
from kemu_verifier.symbolic.values import TooLarge


def settle_leak(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on `legal_from_view`."""
    program = context.program
    if nothing_hidden(program):
        return asked.unreachable("nothing is hidden")
    reason = "no proof, and no two games that show a leak"
    if context.trouble:
        reason = context.trouble
    elif not context.graph.complete:
        try:
            if not context.transitions.unclosed and all(
                _closed(context, block, player, deadline) for block, player in _pairs(program)
            ):
                return asked.unreachable(
                    "self-composition: states that look alike to the actor allow the same actions"
                )
        except TooLarge as error:
            reason = str(error)
    twins, all_seen = _twins(context, deadline)
    if twins is not None:
        first, second = twins
        if any(replay(context.game, steps).last != state for steps, state in twins):
            raise ReplayError(f"{asked.question.name}: a play does not lead where the search says")
        detail = f"this game looks the same to {first[1].actor}: {', '.join(second[0]) or 'the opening'}"
        by = "two games that look alike to the actor, with different legal actions"
        return asked.verdict("refuted", by, depth=len(first[0]), steps=tuple(first[0]), detail=detail)
    if context.graph.complete and all_seen:
        return asked.unreachable(f"exhaustive search of {len(context.graph.states)} states")
    return asked.verdict("unknown", "self-composition and search", detail=reason)


def nothing_hidden(program: k.Program) -> bool:
    """Whether everybody sees everything."""
    seen = all(var.seen is None for var in program.vars)
    return seen and not any(local.secret for local in program.locals)


def _pairs(program: k.Program) -> list[tuple[int, int]]:
    return [(block, player) for block in stops(program, k.Decide) for player in range(len(program.players))]


def _closed(context: ProofContext, block: int, player: int, deadline: Deadline) -> bool:
    """Whether what is legal for this actor at the decision follows from what he sees."""
    terms, transitions = context.transitions.terms, context.transitions
    arrival = transitions.arrival(block)
    assert arrival.actor is not None
    acts = transitions.reader.numbers.equal_const(arrival.actor, player)
    other = _other_world(context, block, player)
    known = context.knowledge.at(block)
    differs = [-other.lit(acts), *(-terms.iff(o.legal, other.lit(o.legal)) for o in arrival.options)]
    lits = [*known, *(other.lit(lit) for lit in known), acts, terms.disj(differs)]
    answer, _ = context.knowledge.ask(None, lits, deadline.part(strategy.ALIKE))
    return answer.status == "unsat"


def _other_world(context: ProofContext, block: int, player: int) -> Substitution:
    """Fresh variables in place of all that the player does not see."""
    terms, layout = context.transitions.terms, context.transitions.layout
    hidden: list[Any] = []
    for var, symbol in zip(context.program.vars, layout.vars, strict=True):
        if var.seen is not None:
            elements = [symbol] if var.length is None else list(symbol)
            hidden += [e for e, seen in zip(elements, var.seen, strict=True) if not seen >> player & 1]
    for local in context.program.blocks[block].live:
        if context.program.locals[local].secret:
            hidden.append(layout.local(local))
    hidden.append(Lin(0, ((1, context.transitions.clock),)))  # how many decisions there were is nowhere shown
    lits: dict[int, Lit] = {}
    lins: dict[int, Lin] = {}
    for node in sorted({node for value in hidden for node in variables(terms, value)}):
        if terms.kind[node] == VAR:
            lits[node] = terms.var(f"other {terms.names[node]}")
        else:
            lins[node] = Lin(0, ((1, terms.ivar(f"other {terms.names[node]}", *terms.bounds[node])),))
    return Substitution(terms, lits, lins)


Way = tuple[list[str], State]


def _twins(context: ProofContext, deadline: Deadline) -> tuple[tuple[Way, Way] | None, bool]:
    """Two reachable decisions of one actor that look alike to him, and where he may do different things;
    whether there was time for all."""
    known: dict[str, tuple[int, frozenset[str]]] = {}
    graph = context.graph
    for number, state in enumerate(graph.states):
        if state.is_decision and state.actor is not None:
            view = json.dumps([state.block, state.observation(state.actor)], sort_keys=True)
            legal = frozenset(text_of(state, at) for at in range(len(state.choices)))
            other = known.setdefault(view, (number, legal))
            if other[1] != legal:
                one, two = (graph.path(other[0]), graph.states[other[0]]), (graph.path(number), state)
                return (one, two), True
        if deadline.passed:
            return None, False
    return None, True
