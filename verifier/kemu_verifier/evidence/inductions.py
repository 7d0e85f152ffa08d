"""Inductions: what is known on one reading of the program, written as one proof."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kemu_engine.kernel import build as b
from kemu_engine.kernel import nodes as k

from kemu_verifier.evidence.proof import Induction, Known
from kemu_verifier.evidence.translate import Symbols, Translation
from kemu_verifier.goal.questions import EXTREMES, Question
from kemu_verifier.methods.invariants.invariants import Fact
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.localization import Shown
from kemu_verifier.symbolic.terms import TRUE


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that holds at a stop: a fact of a reading, or the author's expression for it."""

    block: int
    fact: Fact | None
    expr: k.Expr | None
    words: str


def induction(name: str, shown: Shown, uses: Iterable[str], claims: Mapping[str, Question]) -> Induction:
    """What is known on a reading, but for what was `given` to it."""
    context = shown.context
    statements = [*_stated(shown, claims), *_copies(shown)]
    symbols = Symbols(context.transitions)
    roots = [each.fact.lit for each in statements if each.fact is not None and each.expr is None]
    made = Translation(context.transitions, symbols, roots)
    known: dict[int, dict[k.Expr, None]] = {}
    for each in statements:
        expr = each.expr
        if expr is None and each.fact is not None and made.writable(each.fact.lit):
            expr = made.lit(each.fact.lit)
        if expr is not None and expr != b.TRUE:
            known.setdefault(each.block, {})[expr] = None
    return Induction(
        name,
        _forgotten(shown, symbols),
        tuple(dict.fromkeys(uses)),
        tuple(made.definitions),
        tuple(Known(block, tuple(exprs)) for block, exprs in sorted(known.items())),
    )


def _stated(shown: Shown, claims: Mapping[str, Question]) -> list[Statement]:
    """The facts, a claim of the author's in his own words."""
    found = []
    for facts in shown.context.knowledge.facts.values():
        for fact in facts:
            if fact.words not in shown.given and fact.lit != TRUE:
                question = claims.get(fact.words)
                own = None if question is None else claimed(shown.context.program, question)
                found.append(Statement(fact.block, fact, own, fact.words))
    return found


def claimed(program: k.Program, question: Question) -> k.Expr | None:
    """What holds at its stops if the question is answered as it should be, as the author writes it."""
    if question.kind != "reach" or not question.exprs:
        return None
    expr = question.exprs[0]
    if question.form == "possible":
        return None if b.faults(expr) else b.no(expr)
    if question.form in EXTREMES:
        bound = next(p.bound for p in program.properties if (p.name, p.form) == (question.name, question.form))
        limit = b.integer(bound or 0)
        return k.Op(k.BOOL, "le", (expr, limit) if question.form == "at_most" else (limit, expr))
    return b.no(expr) if question.form == "never" else expr


def _copies(shown: Shown) -> list[Statement]:
    """That locals hold the same, as far as the reading rests on it."""
    program = shown.context.program
    found = []
    for block, same in shown.copies.items():
        for local, first in same.items():
            if local != first:
                pair = [k.Local(program.locals[each].type, each) for each in (local, first)]
                found.append(Statement(block, None, k.Op(k.BOOL, "eq", tuple(pair)), "the same"))
    return found


def _forgotten(shown: Shown, symbols: Symbols) -> tuple[int, ...]:
    """The variables that the reading does not look at, not even whether they have a value."""
    looked = {symbols.presence[node] for node in _read(shown.context) & symbols.presence.keys()}
    return tuple(at for at in range(len(shown.context.program.vars)) if at not in shown.seen | looked)


def _read(context: ProofContext) -> set[int]:
    """What steps are taken by, and what becomes of what is known."""
    lits = []
    for edge in context.edges:
        after = context.knowledge.after(edge)
        lits += [edge.env.live, *(after.lit(lit) for lit in context.knowledge.facts_at(edge.target))]
    return set(context.transitions.terms.cone(lits))
