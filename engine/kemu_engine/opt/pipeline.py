"""The optimiser: all passes, in their order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, parts, within
from kemu_engine.opt.copy_propagation import propagate_copies
from kemu_engine.opt.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.inline import inline
from kemu_engine.opt.loop_fusion import fuse_loops
from kemu_engine.opt.predicate_pushdown import Domains, push_predicates
from kemu_engine.opt.vectorize import vectorize
from kemu_engine.opt.verify import verified
from kemu_engine.support.stack import deep


@dataclass(frozen=True, slots=True)
class Optimized:
    """A program for writers of code. Its hash is that of the `source`; blocks, variables and stops are the
    same. `masked`: the arrays of which writers keep, for each value, the set of the elements that have it;
    `domains`: of the parameters of actions, by block and arm; `asked`: the expressions asked about beside the
    program, in the same terms; `traits`: what is known of all expressions.
    """

    source: k.Program
    program: k.Program
    masked: Ids
    domains: Mapping[tuple[int, int], Domains]
    asked: tuple[k.Expr, ...]
    traits: ExpressionAnalysis

    def parts(self) -> Iterator[k.Expr]:
        """All expressions of play, the domains of parameters included, and what is in them."""
        yield from parts(self.program)
        for arm in self.domains.values():
            for each in (*arm.params, arm.legal):
                yield from within(each.over)
                yield from within(each.where)


PASSES: tuple[Callable[[k.Program], k.Program], ...] = (
    inline,  # with unrolling and constant folding
    propagate_copies,
    vectorize,  # with fold nesting, static gather, stencil matching, superset tables
    fuse_loops,
)
"""Predicate pushdown comes last, since it also says what sets writers have to keep."""


def optimize(program: k.Program, asked: Sequence[k.Expr] = ()) -> Optimized:
    """The program as writers of code take it."""
    made = program
    with deep():
        for each in PASSES:
            made = _checked(each(made), program)
        pushed = push_predicates(made, asked)
        made = _checked(pushed.program, program)
    return Optimized(program, made, pushed.masked, pushed.domains, pushed.asked, pushed.traits)


def _checked(program: k.Program, source: k.Program) -> k.Program:
    """The program; where KEMU_CHECK_PASSES is set, as in tests, only if it is well formed."""
    return verified(program, source) if os.environ.get("KEMU_CHECK_PASSES") else program
