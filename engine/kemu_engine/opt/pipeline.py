"""The optimiser: all passes, in their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import rewritten
from kemu_engine.opt.copy_propagation import propagate_copies
from kemu_engine.opt.cse import eliminate_common_subexpressions
from kemu_engine.opt.inline import inline
from kemu_engine.opt.licm import hoist_invariants
from kemu_engine.opt.loop_fusion import fuse_loops
from kemu_engine.opt.optimized import Optimized
from kemu_engine.opt.predicate_pushdown import push_predicates
from kemu_engine.opt.sets.vectorize import vectorize
from kemu_engine.opt.verify import Validator
from kemu_engine.support.stack import deep

PASSES: tuple[Callable[[k.Program], k.Program], ...] = (
    inline,  # with unrolling and constant folding
    propagate_copies,
    vectorize,  # with fold nesting, static gather, stencil matching, superset tables
    fuse_loops,
)

FOR_WRITERS: tuple[Callable[[Optimized], Optimized], ...] = (
    hoist_invariants,
    eliminate_common_subexpressions,
)
"""Predicate pushdown comes between them, since it also says what sets writers have to keep."""


_recent: list[Optimized] = []
"""The last ones made, for several writers may want the same."""
KEPT = 4


def optimize(program: k.Program, asked: Sequence[k.Expr] = ()) -> Optimized:
    """The program as writers of code take it."""
    found = None if asked else next((each for each in _recent if each.source is program), None)
    if found is None:
        found = _optimized(program, asked)
        if not asked:
            _recent[:] = [found, *_recent[: KEPT - 1]]
    return found


def _optimized(program: k.Program, asked: Sequence[k.Expr]) -> Optimized:
    """Where KEMU_CHECK_PASSES is set, as in tests of the engine, every pass has to leave it well formed."""
    look = Validator(program).look if os.environ.get("KEMU_CHECK_PASSES") else lambda _: None
    made = rewritten(program, lambda code: code, _untold)
    with deep():
        for each in PASSES:
            made = each(made)
            look(made)
        optimized = push_predicates(made, asked)
        for late in FOR_WRITERS:
            look(optimized.program)
            optimized = late(optimized)
        look(optimized.program)
    return replace(optimized, source=program)


def _untold(exit: k.Exit) -> k.Exit:
    """An exit without what is kept to be told, the conditions of a decision and who learns of an outcome:
    passes do not rewrite it."""
    if isinstance(exit, k.Chance):
        return replace(exit, told=None)
    if not isinstance(exit, k.Decide):
        return exit
    return replace(exit, arms=tuple(replace(arm, conditions=()) for arm in exit.arms))
