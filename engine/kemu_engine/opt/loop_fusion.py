"""Loop fusion: loops over the same set, one after the other, as one; and tests that are the same as one.

"For every field around it: mine, if ...", and then the same for the other player: what a lap of the second
loop does must not depend on the laps of the first that would now come after it, and the other way round.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import NONE, Ids, expressions, overwritten, recoded, rewritten, written
from kemu_engine.opt.analysis.dependence import own_reads, own_writes
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.loop_live_out import loop_live_out
from kemu_engine.opt.constant_folding import substituted


def fuse_loops(program: k.Program) -> k.Program:
    """The program with such loops as one."""
    return rewritten(program, _Fuser(program).code)


class _Fuser:
    """Rewrites the code of a program."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.traits = ExpressionAnalysis(program)
        self.live_out = loop_live_out(program)

    def code(self, code: k.Code) -> k.Code:
        found: list[k.Stmt] = []
        for each in code:
            match each:
                case k.When(test, then, other):
                    each = k.When(test, self.code(then), self.code(other))
                case k.For() | k.Loop():
                    each = replace(each, body=self.code(each.body))
            found.append(each)
            if isinstance(each, k.For):
                self._fuse(found)
        return tuple(found)

    def _fuse(self, code: list[k.Stmt]) -> None:
        """Makes one of the last loop and the one before it, if nothing but names stands between them."""
        second = code[-1]
        at = len(code) - 2
        while at >= 0 and isinstance(code[at], k.Assign):
            at -= 1
        if at < 0:
            return
        first, between = code[at], tuple(code[at + 1 : -1])
        if not isinstance(first, k.For) or not isinstance(second, k.For) or second.local in self.live_out:
            return
        if not self._apart(first, between) or not self._alike(first, second):
            return
        there = k.Local(self.program.locals[first.local].type, first.local)
        moved = recoded(second.body, lambda expr: substituted(expr, second.local, there))
        code[at:] = [*between, k.For(first.local, first.over, self._whens(first.body + moved))]

    def _apart(self, loop: k.For, between: k.Code) -> bool:
        """Whether names may as well be given before the loop."""
        set_there = overwritten((loop,))
        given = overwritten(between)
        locals, _ = self._reads((loop,))
        reads = self._reads(between)
        if given & (set_there | locals) or reads[0] & set_there or reads[1] & written((loop,)):
            return False
        return self._total(between)

    def _alike(self, first: k.For, second: k.For) -> bool:
        """Whether two loops may be one."""
        over = self.traits.of(first.over)
        if self.traits.of(second.over).number != over.number or not over.total:
            return False
        one, two = first.body, second.body
        if over.vars & written(one) or over.locals & (overwritten(one) | {first.local}):
            return False
        if not (plain(one) and plain(two) and self._total(one) and self._total(two)):
            return False
        (locals, vars), (other_locals, other_vars) = self._reads(one), self._reads(two)
        if overwritten(one) & (other_locals | overwritten(two)) or overwritten(two) & (
            locals | {first.local}
        ):
            return False
        shared = (written(one) & (other_vars | written(two))) | (written(two) & vars)
        if not shared:
            return True
        if not all(own_writes(one, first.local)) or not all(own_writes(two, second.local)):
            return False
        return all(
            own_reads(expr, shared, loop.local) for loop in (first, second) for expr in expressions(loop.body)
        )

    def _reads(self, code: k.Code) -> tuple[Ids, Ids]:
        """The locals and the variables that code reads."""
        traits = [self.traits.of(expr) for expr in expressions(code)]
        locals, vars = ([each.locals for each in traits], [each.vars for each in traits])
        return NONE.union(*locals), NONE.union(*vars)

    def _total(self, code: k.Code) -> bool:
        return all(self.traits.of(expr).total for expr in expressions(code))

    def _whens(self, code: k.Code) -> k.Code:
        """Tests one after the other that begin with the same conditions as tests within a test of these."""
        found: list[k.Stmt] = []
        for each in code:
            joint = self._joint(found[-1], each) if found else None
            if joint is None:
                found.append(each)
            else:
                found[-1] = joint
        return tuple(found)

    def _joint(self, one: k.Stmt, two: k.Stmt) -> k.When | None:
        if not isinstance(one, k.When) or not isinstance(two, k.When) or one.other or two.other:
            return None
        first, second = conjuncts(one.test), conjuncts(two.test)
        number = 0
        for a, b in zip(first, second, strict=False):
            traits = self.traits.of(a)
            same = (
                self.traits.of(build.no(build.no(a))).number == self.traits.of(build.no(build.no(b))).number
            )
            if not same or traits.vars & written(one.then):
                break
            if traits.locals & overwritten(one.then):
                break
            number += 1
        if not number:
            return None
        inner: list[k.Stmt] = []
        for tests, then in ((first[number:], one.then), (second[number:], two.then)):
            inner += [k.When(build.both(*tests), then)] if tests else then
        return k.When(build.both(*first[:number]), self._whens(tuple(inner)))


def conjuncts(test: k.Expr) -> tuple[k.Expr, ...]:
    return test.args if isinstance(test, k.Op) and test.op == "and" else (test,)


def plain(code: k.Code) -> bool:
    """Whether code only writes, and tests."""
    for each in code:
        match each:
            case k.When():
                if not plain(each.then + each.other):
                    return False
            case k.Assign() | k.Put() | k.Store():
                continue
            case _:
                return False
    return True
