"""Inlining: small functions put where they are called, small static folds and loops written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import (
    asked,
    expressions,
    nodes_with_calls,
    rebuilt,
    recoded,
    reexited,
    rewritten,
    size,
    tried,
)
from kemu_engine.opt.constant_folding import folded, narrower, replace_type
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.unroll import FEW, WRITTEN_OUT, reached, unrolled

SMALL = 80
"""Nodes of a function that is put in its callers' place."""
ALONE = 400
"""Nodes of one that has only one caller."""


def inline(program: k.Program) -> k.Program:
    """The program with its small functions inlined."""
    draft = Draft(program)
    inliner = _Inliner(draft)
    for number in range(len(draft.functions)):
        inliner.function(number)
    changed = rewritten(
        replace(program, functions=()), inliner.code, lambda exit: reexited(exit, inliner.top)
    )
    return draft.done(replace(changed, functions=tuple(draft.functions)))


class _Inliner:
    """Rewrites a function after those that it calls."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._done: set[int] = set()
        self._called = calls(draft.program)

    def code(self, code: k.Code) -> k.Code:
        """Code with its expressions rewritten, and small static loops lap by lap."""
        return unrolled(recoded(code, self.top))

    def top(self, expr: k.Expr) -> k.Expr:
        return self.expr(expr, {}, False)

    def function(self, number: int) -> k.Function:
        """The function as rewritten."""
        functions = self.draft.functions
        if number not in self._done:
            self._done.add(number)
            functions[number] = replace(functions[number], body=self.code(reached(functions[number].body)))
        return functions[number]

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr, given: Mapping[int, k.Expr], copied: bool) -> k.Expr:
        """The expression with locals replaced as `given`; `copied`: its binders get new locals."""
        match expr:
            case k.Local(type_, local):
                value = given.get(local, expr)
                if value is not expr and isinstance(value, k.Local) and narrower(type_, value.type):
                    return replace(value, type=type_)
                return value
            case k.Call(_, number, args):
                return self._call(expr, tuple(self.expr(arg, given, copied) for arg in args), number)
            case k.Fold():
                binder, inner = self._binder(expr.binder, given, copied)
                fold = replace(
                    expr,
                    binder=binder,
                    over=self.expr(expr.over, given, copied),
                    where=self.expr(expr.where, inner, copied),
                    body=self.expr(expr.body, inner, copied),
                )
                return self._written_out(fold)
            case k.Closure():
                binder, inner = self._binder(expr.binder, given, copied)
                seed, step = self.expr(expr.seed, given, copied), self.expr(expr.step, inner, copied)
                return replace(expr, binder=binder, seed=seed, step=step)
            case k.Let(_, local, value, body):
                value = self.expr(value, given, copied)
                if simple(value) and not tried(body):
                    return self.expr(body, {**given, local: value}, copied)
                binder, inner = self._binder(local, given, copied)
                return replace(expr, local=binder, value=value, body=self.expr(body, inner, copied))
            case k.Trial() if copied:
                raise AssertionError("a Trial is not copied")
        return folded(rebuilt(expr, lambda part: self.expr(part, given, copied)))

    def _binder(
        self, binder: int, given: Mapping[int, k.Expr], copied: bool
    ) -> tuple[int, Mapping[int, k.Expr]]:
        if not copied:
            return binder, {local: value for local, value in given.items() if local != binder}
        fresh = self.draft.fresh(binder)
        return fresh, {**given, binder: k.Local(self.draft.locals[binder].type, fresh)}

    def _call(self, call: k.Call, args: tuple[k.Expr, ...], number: int) -> k.Expr:
        function = self.function(number)
        body = inlined(function, ALONE if self._called[number] == 1 else SMALL)
        if body is None:
            return replace(call, args=args)
        given: dict[int, k.Expr] = {}
        kept: list[tuple[int, k.Expr]] = []
        for param, arg in zip(function.params, args, strict=True):
            if simple(arg):
                given[param] = arg
            else:
                local = self.draft.fresh(param)
                given[param] = k.Local(arg.type, local)
                kept.append((local, arg))
        value = self.expr(body, given, True)
        for local, arg in reversed(kept):
            value = k.Let(value.type, local, arg, value)
        return value

    def _written_out(self, fold: k.Fold) -> k.Expr:
        """A fold over few elements known from the start, element by element."""
        if not isinstance(fold.over, k.Const) or fold.op in ("set", "min", "max") or tried(fold):
            return fold
        elements = [i for i in range(fold.over.value.bit_length()) if fold.over.value >> i & 1]
        if len(elements) > FEW or len(elements) * size(fold) > WRITTEN_OUT:
            return fold
        found = []
        for element in elements:
            given = {fold.binder: build.integer(element)}
            found.append((element, self.expr(fold.where, given, True), self.expr(fold.body, given, True)))
        match fold.op:
            case "any":
                return build.either(*(build.both(where, body) for _, where, body in found))
            case "all":
                return build.both(*(build.either(build.no(where), body) for _, where, body in found))
            case "count" | "sum":
                value: k.Expr = build.integer(0)
                for _, where, body in found:
                    one = body if fold.op == "sum" else build.when(body, build.integer(1), build.integer(0))
                    value = build.add(value, build.when(where, one, build.integer(0)))
                return value if isinstance(value, k.Const) else replace_type(value, fold.type)
            case "first":
                value = build.integer(-1)
                for element, where, body in reversed(found):
                    value = build.when(build.both(where, body), build.integer(element), value)
                return value
        return fold


def simple(value: k.Expr) -> bool:
    """Whether a value can be worked out where it is used as well as before."""
    return isinstance(value, k.Const | k.Local | k.Load) or (size(value, 9) < 9 and not build.faults(value))


def calls(program: k.Program) -> Counter[int]:
    """How many places there are at which play calls each of the functions."""
    exprs = [expr for block in program.blocks for expr in (*asked(block.exit), *expressions(block.code))]
    nodes = nodes_with_calls(program, tuple(exprs))
    return Counter(node.function for node in nodes if isinstance(node, k.Call))


def inlined(function: k.Function, most: int) -> k.Expr | None:
    """The value of a function that is put in its callers' place, if it has so many nodes at most."""
    if len(function.body) == 1 and isinstance(function.body[0], k.Return):
        value = function.body[0].value
        if size(value) <= most and not tried(value):
            return value
    return None
