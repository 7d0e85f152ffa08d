"""Answers to questions that compare two plays: what stands behind them."""

from __future__ import annotations

from collections.abc import Callable

from kemu_verifier.evidence import answers as a
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.noninterference import BY_ALL_PLAYS, BY_FLOW, BY_TWO_STATES, nothing_hidden


def compared(
    context: ProofContext, key: str, verdict: Verdict, known: Callable[[], tuple[str, ...]]
) -> a.Evidence:
    """What shows a verdict on two plays; `known`: the inductions about the whole state."""
    if nothing_hidden(context.program):
        return a.NothingHidden()
    if verdict.kind == "refuted":
        twins = context.twins[key]
        return a.TwoPlays(twins.plays, twins.seer)
    if verdict.by.startswith(BY_ALL_PLAYS):
        return a.AllPlays()
    if verdict.by == BY_FLOW:
        return a.Flow()
    if verdict.by == BY_TWO_STATES:
        return a.TwoStates(known())
    return a.Nothing(f"this kind of proof is not written down: {verdict.by}")
