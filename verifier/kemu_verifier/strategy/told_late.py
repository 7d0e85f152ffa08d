"""Choices that are made together: whether something of them shows before they are told.

They are told when play goes on with something else than the same decision by somebody who sits further on.
Until then nothing that everybody sees may change on the way: what the flow of information takes as told is
told by then.
"""

from __future__ import annotations

from collections.abc import Iterator

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import onward, reached, targets
from kemu_engine.kernel.walk import statements

from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.terms import VAR, Lin, Lit
from kemu_verifier.symbolic.transition import Edge
from kemu_verifier.symbolic.values import TooLarge


def told_late(context: ProofContext, deadline: Deadline) -> list[str]:
    """What may show too early, in words; nothing if it is shown that nothing does."""
    program, found = context.program, list[str]()
    for number, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Decide) and block.exit.told == "together" and _writes(program, number):
            words = f"what is chosen together at `{block.exit.label}` may show before it is told"
            try:
                if context.trouble or context.transitions.unclosed or _shows(context, number, deadline):
                    found.append(words)
            except TooLarge:
                found.append(words)
    return found


def _writes(program: k.Program, decision: int) -> bool:
    """Whether something visible is written on a way from a decision to itself, without another stop."""

    def behind(number: int) -> list[int]:
        exit = program.blocks[number].exit
        return targets(exit) if number == decision else onward(exit)

    way = [each for each in reached(behind(decision), behind) if decision in reached([each], behind)]
    written = (
        s.var for each in way for s in statements(program.blocks[each].code) if isinstance(s, k.Writing)
    )
    return any(_visible(program, var) for var in written)


def _visible(program: k.Program, var: int) -> bool:
    known = program.vars[var]
    return known.seen is None and not known.local and var != program.result


def _shows(context: ProofContext, decision: int, deadline: Deadline) -> bool:
    """Whether a step from the decision to itself, made by somebody who sits further on, may change what
    everybody sees."""
    edges = context.transitions.step(decision).edges
    return any(_changes(context, edge, deadline) for edge in edges if edge.target == decision)


def _changes(context: ProofContext, edge: Edge, deadline: Deadline) -> bool:
    terms, transitions = context.transitions.terms, context.transitions
    after = context.knowledge.after(edge)
    actor = transitions.arrival(edge.source).actor
    assert actor is not None
    acts = [transitions.reader.numbers.equal_const(actor, p) for p in range(len(context.program.players))]
    further = [terms.both(acts[p], after.lit(acts[q])) for q in range(len(acts)) for p in range(q)]
    changed: list[Lit] = []
    for node in _shown(context):
        if terms.kind[node] == VAR:
            changed.append(-terms.iff(node, after.lit(node)))
        else:
            one = Lin(0, ((1, node),))
            gap = terms.plus(after.lin(one), one, -1)
            changed += [terms.le0(terms.plus(each, Lin(1))) for each in (gap, terms.plus(Lin(0), gap, -1))]
    lits = [*context.knowledge.at(edge.source), edge.env.live, terms.disj(further), terms.disj(changed)]
    lits += transitions.step(edge.source).clauses
    return context.knowledge.ask(edge, lits, deadline)[0].status != "unsat"


def _shown(context: ProofContext) -> Iterator[int]:
    """What the variables are made of that everybody sees."""
    terms, layout = context.transitions.terms, context.transitions.layout
    for number, symbol in enumerate(layout.vars):
        if _visible(context.program, number):
            yield from variables(terms, symbol)
