"""What is written of proofs, read by the interpreter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError, State
from kemu_verifier.evidence.proof import Clock, Def, Induction
from kemu_verifier.methods.search.random_search import Play


def plain(node: Any, definitions: Sequence[k.Expr], decisions: int, type_: k.Type = k.BOOL) -> Any:
    """A written expression with its definitions put in, after so many decisions."""
    if isinstance(node, Def):
        return plain(definitions[node.number], definitions, decisions)
    if isinstance(node, Clock):
        return k.Const(k.Int(decisions, decisions), decisions)
    if isinstance(node, tuple):
        return tuple(plain(each, definitions, decisions) for each in node)
    if not is_dataclass(node) or isinstance(node, type):
        return node
    made: Any = node
    return replace(
        made, **{each.name: plain(getattr(node, each.name), definitions, decisions) for each in fields(made)}
    )


def value(state: State, expr: k.Expr, definitions: Sequence[k.Expr], decisions: int) -> int | None:
    """What a written expression is in a state; None if it runs into a fault."""
    return evaluated(state, plain(expr, definitions, decisions))


def evaluated(state: State, expr: k.Expr) -> int | None:
    """What an expression is in a state; None if it runs into a fault."""
    try:
        return state.evaluate(expr)
    except FaultError:
        return None


def visited(plays: Sequence[Play]) -> Iterator[tuple[State, int]]:
    """The states of plays, and how many decisions were made before."""
    for play in plays:
        decisions = 0
        for state in play.states:
            yield state, decisions
            decisions += state.is_decision


def broken(proof: Induction, plays: Sequence[Play]) -> list[tuple[State, k.Expr]]:
    """The states in which an invariant of the proof does not hold."""
    known = {each.block: each.exprs for each in proof.known}
    written = cache(lambda block, at, decisions: plain(known[block][at], proof.definitions, decisions))
    return [
        (state, expr)
        for state, decisions in visited(plays)
        for at, expr in enumerate(known.get(state.block, ()))
        if evaluated(state, written(state.block, at, decisions)) != 1
    ]
