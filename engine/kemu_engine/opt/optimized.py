"""What the optimiser hands to writers of code: a program, and what they have to know of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, expressions, parts, within
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft


@dataclass(frozen=True, slots=True)
class Domain:
    """The values of a parameter of an action: the elements of `over` that satisfy `where`, after what is
    assigned `before`."""

    before: k.Code
    over: k.Expr
    where: k.Expr


@dataclass(frozen=True, slots=True)
class Optimized:
    """A program for writers of code. Its hash is that of the `source`; blocks, variables and stops are the
    same. `masked`: the arrays of which writers keep, for each value, the set of the elements that have it;
    `domains`: of the parameters of actions, by block and arm, that of the last one as far as the whole action
    is legal; `asked`: the expressions asked about beside the program, in the same terms; `draft`, `traits`:
    where passes take new locals from, and what is known of all expressions.
    """

    source: k.Program
    program: k.Program
    masked: Ids
    domains: Mapping[tuple[int, int], tuple[Domain, ...]]
    asked: tuple[k.Expr, ...]
    draft: Draft
    traits: ExpressionAnalysis

    @property
    def named(self) -> Mapping[int, k.Expr]:
        """The locals that are names, each with an expression that has the same value wherever it is read."""
        return self.traits.named

    def parts(self) -> Iterator[k.Expr]:
        """All expressions of play, the domains of parameters included, and what is in them."""
        yield from parts(self.program)
        for domains in self.domains.values():
            for each in domains:
                for expr in (*expressions(each.before), each.over, each.where):
                    yield from within(expr)
