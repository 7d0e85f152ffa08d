"""Two questions about secrets: does everybody know what he may do (`informed`), and does nothing come out
that is not told (`no_leak`)?

Both are about two plays that look alike to somebody. Small games are searched whole, as sets of states that
look alike. Large ones are proved: that nothing public depends on a secret, by the flow of information; then
that what the actor sees decides what is legal, by self-composition (Terauchi and Aiken, 2005): two states
at a decision that agree on all that the actor sees, and on what follows from what everybody knows.
"""

from __future__ import annotations

from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_engine.kernel.sight import secret
from kemu_engine.play.replay import ReplayError, replay

from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.look_alikes import LookAlikes, Twins
from kemu_verifier.strategy.told_late import told_late
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.mapping import Substitution
from kemu_verifier.symbolic.terms import VAR, Lin, Lit
from kemu_verifier.symbolic.values import TooLarge

BY_FLOW = "information flow: nothing that everybody sees depends on a secret"
BY_TWO_STATES = "self-composition: states that look alike to the actor allow the same actions"
BY_ALL_PLAYS = "all plays that look alike"


def settle_leak(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on `no_leak`."""
    flow = InformationFlow(context.program)
    leaks = flow.leaks or told_late(context, deadline.part(strategy.ALIKE))
    if not leaks:
        return asked.unreachable(BY_FLOW)
    look = LookAlikes(context.steps)
    seatless = len(context.program.players)
    twins, whole = look.search(seatless, True, strategy.LOOK_ALIKES, deadline)
    if twins is not None:
        return _refuted(context, asked, twins)
    if whole:
        return asked.unreachable(_all(look))
    return asked.verdict("unknown", "information flow and search", detail="; ".join(leaks))


def settle_informed(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on `informed`."""
    players = range(len(context.program.players))
    look, whole = LookAlikes(context.steps), True
    search = deadline.part(strategy.SEARCHING)
    for player in players:
        twins, all_seen = look.search(player, False, strategy.LOOK_ALIKES, search)
        if twins is not None:
            return _refuted(context, asked, twins)
        whole &= all_seen
    if whole:
        return asked.unreachable(_all(look))
    reason = context.trouble or "no proof, and no two games that look alike"
    flow = InformationFlow(context.program)
    if leaks := flow.leaks or told_late(context, deadline.part(strategy.ALIKE)):
        reason = f"what everybody knows may depend on a secret: {'; '.join(leaks)}"
    elif not context.trouble:
        try:
            pairs = ((block, player) for block in stops(context.program, k.Decide) for player in players)
            if not context.transitions.unclosed and all(
                _closed(context, flow, block, player, deadline) for block, player in pairs
            ):
                return asked.unreachable(BY_TWO_STATES)
        except TooLarge as error:
            reason = str(error)
    return asked.verdict("unknown", "self-composition and search", detail=reason)


def nothing_hidden(program: k.Program) -> bool:
    """Whether everybody sees everything."""
    return not secret(program)


def _all(look: LookAlikes) -> str:
    return f"{BY_ALL_PLAYS}: {len(look.states)} states, {look.sets} sets of them"


def _refuted(context: ProofContext, asked: Asked, twins: Twins) -> Verdict:
    players = context.program.players
    who = players[twins.seer] if twins.seer < len(players) else "somebody who watches"
    for steps, state in zip(twins.plays, twins.states, strict=True):
        if replay(context.game, steps).last != state:
            raise ReplayError(f"{asked.question.name}: a play does not lead where the search says")
    context.twins[asked.question.key] = twins
    first, second = twins.plays
    detail = f"this game looks the same to {who}: {', '.join(second) or 'the opening'}; {twins.differ}"
    by = f"two games that look alike to {who}"
    return asked.verdict("refuted", by, depth=len(first), steps=first, detail=detail)


def _closed(
    context: ProofContext, flow: InformationFlow, block: int, player: int, deadline: Deadline
) -> bool:
    """Whether what is legal for this actor at the decision follows from what he sees."""
    terms, transitions = context.transitions.terms, context.transitions
    arrival = transitions.arrival(block)
    assert arrival.actor is not None
    acts = transitions.reader.numbers.equal_const(arrival.actor, player)
    other = _other_world(context, flow, block, player)
    known = context.knowledge.at(block)
    differs = [-other.lit(acts), *(-terms.iff(o.legal, other.lit(o.legal)) for o in arrival.options)]
    lits = [*known, *(other.lit(lit) for lit in known), acts, terms.disj(differs)]
    answer, _ = context.knowledge.ask(None, lits, deadline.part(strategy.ALIKE))
    return answer.status == "unsat"


def _other_world(context: ProofContext, flow: InformationFlow, block: int, player: int) -> Substitution:
    """Fresh variables in place of all that the player does not see, and that does not follow from what
    everybody knows."""
    terms, layout = context.transitions.terms, context.transitions.layout
    hidden: list[Any] = []
    for number, (var, symbol) in enumerate(zip(context.program.vars, layout.vars, strict=True)):
        elements = [symbol] if var.length is None else list(symbol)
        if var.seen is not None:
            hidden += [e for e, seen in zip(elements, var.seen, strict=True) if not seen >> player & 1]
        elif number in flow.vars:
            hidden += elements
    hidden += [layout.local(local) for local in context.program.blocks[block].live if local in flow.locals]
    hidden.append(Lin(0, ((1, context.transitions.clock),)))  # how many decisions there were is nowhere shown
    lits: dict[int, Lit] = {}
    lins: dict[int, Lin] = {}
    for node in sorted({node for value in hidden for node in variables(terms, value)}):
        if terms.kind[node] == VAR:
            lits[node] = terms.var(f"other {terms.names[node]}")
        else:
            lins[node] = Lin(0, ((1, terms.ivar(f"other {terms.names[node]}", *terms.bounds[node])),))
    return Substitution(terms, lits, lins)
