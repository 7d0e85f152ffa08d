"""Choices that are made together: whether something of them shows before they are told.

They are told when play goes on with something else than the same decision by somebody who sits further on.
Until then nothing that everybody sees may change on the way: what the flow of information takes as told is
told by then.
"""

from __future__ import annotations

from collections.abc import Iterator

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import onward, reached, targets
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_engine.kernel.walk import asked, statements

from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import free
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.terms import VAR, Lin, Lit
from kemu_verifier.symbolic.transition import Edge
from kemu_verifier.symbolic.values import TooLarge


def told_late(context: ProofContext, deadline: Deadline) -> list[str]:
    """What may show too early, in words; nothing if it is shown that nothing does."""
    program, found = context.program, list[str]()
    for number, block in enumerate(program.blocks):
        if not isinstance(block.exit, k.Decide) or block.exit.told != "together":
            continue
        untold = Untold(program, number)
        if untold.decides or _writes(program, number):
            words = f"what is chosen together at `{block.exit.label}` may show before it is told"
            try:
                if context.trouble or context.transitions.unclosed or _shows(context, untold, deadline):
                    found.append(words)
            except TooLarge:
                found.append(words)
    return found


class Untold(InformationFlow):
    """What a choice flows into on the ways from a decision to itself, without another stop: of that, what who
    decides there, or what he may do, is worked out of (`vars`, `locals`)."""

    def __init__(self, program: k.Program, decision: int) -> None:
        self.decision = decision
        way = _way(program, decision)
        exit, live = program.blocks[decision].exit, program.blocks[decision].live
        assert isinstance(exit, k.Decide)
        self._begin(program)
        self.locals = {param.local for arm in exit.arms for param in arm.params}
        if len({arm.target for arm in exit.arms}) > 1:
            self._parts_at(decision)
        size = -1
        while size != (size := len(self.vars) + len(self.locals) + len(self.blocks)):
            self._look_at_functions()
            for number in way:
                block = program.blocks[number]
                self._code(block.code, number in self.blocks)
                if isinstance(block.exit, k.Split | k.Switch):
                    self._exit(number, block.exit)
        facts, exprs = Facts(program), asked(exit)
        self.locals &= set(live) & set[int]().union(*map(free, exprs))
        self.vars &= set[int]().union(*map(facts.reads, exprs))

    @property
    def decides(self) -> bool:
        """Whether it decides who is asked next, or what for."""
        return bool(self.vars or self.locals)

    def _write(self, var: int, secretly: bool) -> None:
        if secretly:
            self.vars.add(var)


def _way(program: k.Program, decision: int) -> list[int]:
    """The blocks on the ways from a decision to itself, without another stop."""

    def behind(number: int) -> list[int]:
        exit = program.blocks[number].exit
        return targets(exit) if number == decision else onward(exit)

    return [each for each in reached(behind(decision), behind) if decision in reached([each], behind)]


def _writes(program: k.Program, decision: int) -> bool:
    """Whether something visible is written on a way from a decision to itself, without another stop."""
    code = (
        statement for each in _way(program, decision) for statement in statements(program.blocks[each].code)
    )
    return any(_visible(program, s.var) for s in code if isinstance(s, k.Writing))


def _visible(program: k.Program, var: int) -> bool:
    known = program.vars[var]
    return known.seen is None and not known.local and var != program.result


def _shows(context: ProofContext, untold: Untold, deadline: Deadline) -> bool:
    """Whether a step from the decision to itself, made by somebody who sits further on, may change what
    everybody sees."""
    edges = context.transitions.step(untold.decision).edges
    mine = (edge for edge in edges if edge.target == untold.decision)
    return any(_changes(context, edge, untold, deadline) for edge in mine)


def _changes(context: ProofContext, edge: Edge, untold: Untold, deadline: Deadline) -> bool:
    terms, transitions = context.transitions.terms, context.transitions
    after = context.knowledge.after(edge)
    actor = transitions.arrival(edge.source).actor
    assert actor is not None
    acts = [transitions.reader.numbers.equal_const(actor, p) for p in range(len(context.program.players))]
    further = [terms.both(acts[p], after.lit(acts[q])) for q in range(len(acts)) for p in range(q)]
    changed: list[Lit] = []
    for node in _shown(context, untold):
        if terms.kind[node] == VAR:
            changed.append(-terms.iff(node, after.lit(node)))
        else:
            one = Lin(0, ((1, node),))
            gap = terms.plus(after.lin(one), one, -1)
            changed += [terms.le0(terms.plus(each, Lin(1))) for each in (gap, terms.plus(Lin(0), gap, -1))]
    lits = [*context.knowledge.at(edge.source), edge.env.live, terms.disj(further), terms.disj(changed)]
    lits += transitions.step(edge.source).clauses
    return context.knowledge.ask(edge, lits, deadline)[0].status != "unsat"


def _shown(context: ProofContext, untold: Untold) -> Iterator[int]:
    """What the variables are made of that everybody sees, or that tell who decides and what he may do."""
    terms, layout = context.transitions.terms, context.transitions.layout
    for number, symbol in enumerate(layout.vars):
        if _visible(context.program, number) or number in untold.vars:
            yield from variables(terms, symbol)
    for local in untold.locals:
        yield from variables(terms, layout.local(local))
