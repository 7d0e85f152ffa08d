"""Predicate pushdown: what is asked of every element of a set makes the set smaller, as far as masks can say.

So it is for loops whose body is one condition, and for the parameters of actions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import (
    Ids,
    codes,
    overwritten,
    parts,
    rebuilt,
    recoded,
    reexited,
    rewritten,
    statements,
    tried,
    within,
    written,
)
from kemu_engine.opt.analysis.dependence import own_reads, own_writes
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.loop_live_out import loop_live_out
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import Cells
from kemu_engine.opt.optimized import Domain, Optimized
from kemu_engine.opt.sets.vectorize import Vectorizer


def push_predicates(program: k.Program, asked: Sequence[k.Expr] = ()) -> Optimized:
    """The program with predicates pushed down, and expressions asked about beside it in the same terms."""
    draft = Draft(program)
    traits, live_out = ExpressionAnalysis(draft), loop_live_out(program)
    masked = _masked(program, live_out, Vectorizer(draft, traits))
    vectorizer = Vectorizer(draft, traits, masked)
    pushing = _Pushing(live_out, vectorizer)
    made = rewritten(program, pushing.code, lambda exit: reexited(exit, pushing.expr))
    domains = _domains(made, vectorizer)
    others = tuple(map(vectorizer.expr, asked))
    return Optimized(program, draft.done(made), masked, domains, others, draft, traits)


def _masked(program: k.Program, live_out: Ids, vectorizer: Vectorizer) -> Ids:
    """The arrays of which it is asked where they have a value, once predicates are pushed down."""
    found: set[int] = set()
    for block in program.blocks:
        for arm in block.exit.arms if isinstance(block.exit, k.Decide) else ():
            for param in arm.params:
                found |= _asked(vectorizer.select(param.local, param.over, param.where)[0])
    bodies = [*codes(program)]
    for part in parts(program):
        if isinstance(part, Cells):
            found.add(part.var)
        elif isinstance(part, k.Trial):
            bodies.append(part.body)
    for code in bodies:
        for each in statements(code):
            if isinstance(each, k.For) and each.local not in live_out:
                test = _only_test(each.body)
                if test is not None:
                    found |= _asked(vectorizer.select(each.local, each.over, test)[0])
    return frozenset(found)


def _asked(expr: k.Expr) -> Ids:
    return frozenset(part.var for part in within(expr) if isinstance(part, Cells))


def _only_test(body: k.Code) -> k.Expr | None:
    """The condition that is the whole body of a loop."""
    if len(body) == 1 and isinstance(body[0], k.When) and not body[0].other:
        return body[0].test
    return None


def _domains(program: k.Program, vectorizer: Vectorizer) -> dict[tuple[int, int], tuple[Domain, ...]]:
    """The domains of the parameters of all arms, by block and arm."""
    found = {}
    for number, block in enumerate(program.blocks):
        for at, arm in enumerate(block.exit.arms if isinstance(block.exit, k.Decide) else ()):
            if arm.params:
                *others, last = arm.params
                legal = replace(last, where=build.both(last.where, arm.legal))
                found[number, at] = tuple(
                    Domain((), *vectorizer.select(each.local, each.over, each.where))
                    for each in (*others, legal)
                )
    return found


class _Pushing:
    """Rewrites the loops of a program, but for those whose locals are `live_out`."""

    def __init__(self, live_out: Ids, vectorizer: Vectorizer) -> None:
        self.live_out = live_out
        self.vectorizer = vectorizer
        self.traits = vectorizer.traits

    def code(self, code: k.Code) -> k.Code:
        return tuple(map(self._statement, recoded(code, self.expr)))

    def expr(self, expr: k.Expr) -> k.Expr:
        """The expression with the code of its Trials rewritten."""
        if isinstance(expr, k.Trial):
            return replace(expr, body=self.code(expr.body), test=self.expr(expr.test))
        return rebuilt(expr, self.expr) if tried(expr) else expr

    def _statement(self, statement: k.Stmt) -> k.Stmt:
        match statement:
            case k.When(test, then, other):
                return k.When(test, self._all(then), self._all(other))
            case k.Loop():
                return replace(statement, body=self._all(statement.body))
            case k.For(local, over, body):
                over, body = self.narrowed(local, over, body)
                return k.For(local, over, self._all(body))
            case _:
                return statement

    def _all(self, code: k.Code) -> k.Code:
        return tuple(map(self._statement, code))

    def narrowed(self, local: int, over: k.Expr, body: k.Code) -> tuple[k.Expr, k.Code]:
        """A loop whose body is one `When`: its condition, as far as it stays the same while the loop runs,
        narrows down the set."""
        test = _only_test(body)
        if test is None or local in self.live_out:
            return over, body
        (when,) = body
        assert isinstance(when, k.When)
        tests = test.args if isinstance(test, k.Op) and test.op == "and" else (test,)
        number = 0
        while number < len(tests) and self._steady(tests[number], local, body):
            number += 1
        narrower, left = self.vectorizer.select(local, over, build.both(*tests[:number]))
        rest = build.both(left, *tests[number:])
        return narrower, when.then if rest == build.truth(True) else (k.When(rest, when.then),)

    def _steady(self, test: k.Expr, local: int, body: k.Code) -> bool:
        """Whether a test comes out the same before the loop as in its lap."""
        traits, vars = self.traits.of(test), written(body)
        if traits.locals & overwritten(body):
            return False
        return not traits.vars & vars or (all(own_writes(body, local)) and own_reads(test, vars, local))
