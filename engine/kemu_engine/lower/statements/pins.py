"""Places settled before what their indices read has changed."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.syntax import ast as t

from kemu_engine.lower.values.context import Scope, StatementLowering


def settled(s: StatementLowering, target: t.Expr, changed: str | None, scope: Scope) -> tuple[t.Expr, Scope]:
    """A place settled now, if which one it is depends on a variable that changes before it is used."""
    analysis, here = s.expressions.analysis, target
    while isinstance(here, t.Index | t.Field):
        read = (
            analysis.state_read(here.index) | analysis.free(here.index) if isinstance(here, t.Index) else ()
        )
        if changed in read:
            inner = dict(scope)
            return pin(s, target, inner), inner
        here = here.value
    return target, scope


def pin(s: StatementLowering, target: t.Expr, scope: Scope) -> t.Expr:
    """A place whose indices are names of values worked out now."""
    if isinstance(target, t.Index):
        name = f"index {len(scope)}"
        scope[name] = s.keep("index", s.expressions.lower(target.index, scope))
        index = t.Name(name, span=target.index.span)
        return replace(target, value=pin(s, target.value, scope), index=index)
    if isinstance(target, t.Field):
        return replace(target, value=pin(s, target.value, scope))
    return target
