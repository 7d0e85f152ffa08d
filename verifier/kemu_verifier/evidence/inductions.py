"""Inductions: what is known on one reading of the program, written as one proof."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.proof import Induction, Known
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.goal.goal import reading
from kemu_verifier.goal.questions import Question, claimed
from kemu_verifier.methods.invariants.equal_locals import Copies
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.invariants.templates import predicates
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that holds at a stop: a fact of a reading, or the author's expression for it."""

    block: int
    fact: Fact | None
    expr: k.Expr | None


@dataclass(frozen=True, slots=True)
class Base:
    """A reading of the program, its edges, and what is known; but for the claims that were `given` to it.
    `seen`: the variables that it looks at; `copies`: locals that hold the same; `needed`: the facts that are
    to be written, if not all are."""

    knowledge: Knowledge
    edges: Sequence[Edge]
    seen: frozenset[int]
    given: Collection[str] = ()
    copies: Copies = field(default_factory=dict)
    needed: Collection[tuple[int, Lit]] | None = None

    @property
    def transitions(self) -> Transitions:
        return self.knowledge.transitions

    @property
    def program(self) -> k.Program:
        return self.knowledge.transitions.program

    def has(self, fact: Fact) -> bool:
        """Whether the fact is written."""
        return self.own(fact) and (self.needed is None or (fact.block, fact.lit) in self.needed)

    def own(self, fact: Fact) -> bool:
        """Whether the fact was shown on this reading, by induction."""
        return fact.words not in self.given and not fact.follows and fact.lit != TRUE


def induction(name: str, base: Base, uses: Iterable[str], claims: Mapping[str, Question]) -> Induction:
    """What is known on a reading; `claims`: those that may be written as their author did."""
    statements = [*_stated(base, claims), *_copies(base)]
    symbols = Symbols(base.transitions)
    roots = [each.fact.lit for each in statements if each.fact is not None and each.expr is None]
    made = Translation(base.transitions, symbols, roots)
    known: dict[int, dict[k.Expr, None]] = {}
    for each in statements:
        expr = each.expr
        live = base.program.blocks[each.block].live
        if expr is None and each.fact is not None and made.writable(each.fact.lit, live):
            expr = made.lit(each.fact.lit)
        if expr is not None and expr != b.TRUE:
            known.setdefault(each.block, {})[expr] = None
    return Induction(
        name,
        _forgotten(base, symbols),
        tuple(dict.fromkeys(uses)),
        tuple(made.definitions),
        tuple(Known(block, tuple(exprs)) for block, exprs in sorted(known.items())),
    )


def _stated(base: Base, claims: Mapping[str, Question]) -> list[Statement]:
    """The facts, in the author's own words where he has some."""
    facts = [fact for each in base.knowledge.facts.values() for fact in each]
    wanted = [fact for fact in facts if base.has(fact)]
    written = _by_the_author(base, wanted, claims)
    return [Statement(fact.block, fact, written.get((fact.block, fact.lit))) for fact in wanted]


def _by_the_author(
    base: Base, facts: Sequence[Fact], claims: Mapping[str, Question]
) -> dict[tuple[int, Lit], k.Expr]:
    """What the author's claims say at stops, and his functions that are true of some values."""
    transitions, written = base.transitions, dict[tuple[int, Lit], k.Expr]()
    transitions.reader.deadline = None  # what there is to be read was read before
    named = {fact.words for fact in facts}
    for key in named & claims.keys():
        question = claims[key]
        own = claimed(transitions.program, question)
        if own is not None and question.goal is not None:
            states = question.goal(transitions).states
            written |= {(block, -lit): own for block, lit in states.items()}
            for block in {fact.block for fact in facts if fact.words == key} - states.keys():
                written[block, transitions.terms.both(*reading(transitions, own, block))] = own
    calls = [each for each in predicates(transitions) if not named.isdisjoint((each[0], f"not {each[0]}"))]
    for block in {fact.block for fact in facts}:
        for _, call in calls:
            lit, sound = reading(transitions, call, block)
            written[block, transitions.terms.both(lit, sound)] = call
            written[block, transitions.terms.both(-lit, sound)] = b.no(call)
    return written


def _copies(base: Base) -> list[Statement]:
    """That locals hold the same, as far as the reading rests on it."""
    found = []
    for block, same in base.copies.items():
        for local, first in same.items():
            if local != first:
                pair = [k.Local(base.program.locals[each].type, each) for each in (local, first)]
                found.append(Statement(block, None, k.Op(k.BOOL, "eq", tuple(pair))))
    return found


def _forgotten(base: Base, symbols: Symbols) -> tuple[int, ...]:
    """The variables that the reading does not look at, not even whether they have a value."""
    looked = {symbols.presence[node] for node in _read(base) & symbols.presence.keys()}
    return tuple(at for at in range(len(base.program.vars)) if at not in base.seen | looked)


def _read(base: Base) -> set[int]:
    """What steps are taken by, and what becomes of what is known."""
    lits = []
    for edge in base.edges:
        after = base.knowledge.after(edge)
        lits += [edge.env.live, *(after.lit(lit) for lit in base.knowledge.facts_at(edge.target))]
    return set(base.transitions.terms.cone(lits))
