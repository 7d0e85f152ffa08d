"""Lowers the laps of a path whose parts are chosen: a loop over the parameters that hold them."""

from __future__ import annotations

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.iterables import Iterables
from kemu_engine.lower.values.context import Scope, StatementLowering
from kemu_engine.lower.values.reps import Num, Tup

PARTS = "parts of the path"  # under this name a scope keeps them; no name of a rules file has a space


def laps(s: StatementLowering, iterables: Iterables, path: t.Path, scope: Scope) -> k.Local | None:
    """A lap for each part, up to the first that says that the path is over, as the greatest value does.
    Gives the local that says whether `break` has left the path, if there is one in it.
    """
    held = scope[PARTS]
    assert isinstance(held, Tup)
    parts = [part.expr for part in held.items if isinstance(part, Num)]
    if not parts:
        return None
    source = iterables.source(path.source, scope, known=True)
    if source.size == 0:
        return None
    lap = s.builder.local(f"{s.frame}.lap", k.Int(0, len(parts) - 1))
    part = s.builder.local(f"{s.frame}.part", k.Int(0, source.size))
    at = s.builder.local(f"{s.frame}.{path.name}", k.Int(0, source.size - 1))
    body = s.block(path.body, {**scope, path.name: source.item(at)})
    left = s.builder.local(f"{s.frame}.left", k.BOOL)
    noted = _noting(body, left)
    begin = (
        k.Assign(part.id, _chosen(lap, parts)),
        k.When(build.eq(part, build.integer(source.size)), (k.Break(),)),
        k.Assign(at.id, build.clamped(part, 0, source.size - 1)),
    )
    if noted != body:
        s.out.append(k.Assign(left.id, build.FALSE))
    s.out.append(k.For(lap.id, build.full(len(parts)), (*begin, *noted)))
    return left if noted != body else None


def _chosen(lap: k.Local, parts: list[k.Expr]) -> k.Expr:
    """The part of a lap."""
    *others, chosen = parts
    for number, part in reversed(list(enumerate(others))):
        chosen = build.when(build.eq(lap, build.integer(number)), part, chosen)
    return chosen


def _noting(code: k.Code, left: k.Local) -> k.Code:
    """The code of a lap, with a note wherever it leaves the loop."""
    made: list[k.Stmt] = []
    for s in code:
        if isinstance(s, k.Break):
            made.append(k.Assign(left.id, build.TRUE))
        if isinstance(s, k.When):
            s = k.When(s.test, _noting(s.then, left), _noting(s.other, left))
        made.append(s)
    return tuple(made)
