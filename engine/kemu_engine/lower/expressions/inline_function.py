"""Lowers the statements of a function as one expression: for what a kernel function cannot give or take,
lists, bags and maps.
"""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import Env, ExpressionLowering
from kemu_engine.lower.values.reps import Rep
from kemu_engine.static.problems import refuse


def value(expressions: ExpressionLowering, fun: t.Fun, block: t.Block, scope: Env) -> Rep:
    """What the statements return: names stand for their values, `if` joins what its branches and all that
    follows give.
    """
    for i, s in enumerate(block):
        match s:
            case t.Pass():
                pass
            case t.Assign(target=t.Name(id=name), op=op, value=given, type=kind) if not isinstance(
                given, t.Event
            ):
                rep = expressions.lower(given, scope)
                if op != "=":
                    rep = expressions.operations.binary(op[0], expressions.read(scope[name]), rep, s.span)
                if kind is not None:
                    rep = expressions.coercions.coerce(
                        rep, expressions.evaluator.types.make(kind, {}), s.span
                    )
                scope = {**scope, name: rep}
            case t.If(branches=branches, other=other):
                return _branches(expressions, fun, branches, other, block[i + 1 :], scope)
            case t.Return(value=given) if given is not None:
                return expressions.lower(given, scope)
            case _:
                refuse(
                    "E0733",
                    s.span,
                    f"`{fun.name}` takes or gives a list, bag or map: it has names, `if` and `return` only",
                )
    refuse("E0707", fun.span, f"`{fun.name}` can end without `return`")


def _branches(
    expressions: ExpressionLowering,
    fun: t.Fun,
    branches: tuple[tuple[t.Expr, t.Block], ...],
    other: t.Block,
    after: t.Block,
    scope: Env,
) -> Rep:
    if not branches:
        return value(expressions, fun, (*other, *after), scope)
    (condition, body), *rest = branches
    test = expressions.truth(condition, scope)
    if isinstance(test, k.Const):
        if test.value:
            return value(expressions, fun, (*body, *after), scope)
        return _branches(expressions, fun, tuple(rest), other, after, scope)
    then = value(expressions, fun, (*body, *after), scope)
    otherwise = _branches(expressions, fun, tuple(rest), other, after, scope)
    return expressions.coercions.join(test, then, otherwise, condition.span)
