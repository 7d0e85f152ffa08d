"""What was meant by statements that other languages and rulebooks have."""

from __future__ import annotations

from kemu_grammar.check.assignments import Scope
from kemu_grammar.check.foreign_parts import change, same
from kemu_grammar.check.infer import Inference
from kemu_grammar.check.scope import Local, Report
from kemu_grammar.source.kinds import PLAYER, plain
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.endings import FORMS, advice, meant
from kemu_grammar.syntax.foreign_statements import UNNAMED
from kemu_grammar.syntax.unparse import expression

CLOSERS = frozenset({"end", "endif", "endfor", "endwhile", "end_if", "end_for", "end_while", "fi", "done"})
BLOCKS = (t.If, t.For, t.While, t.Repeat, t.Choose)


def no_statement(s: t.Do, before: t.Statement | None, scope: Scope, infer: Inference) -> bool:
    """Whether a statement is one of another language, `win(p)` or an `end` below a block; reports it."""
    value = s.value
    match value:
        case t.Call(value=t.Field(value=whole, name=method), args=(part,), named=()):
            kind = plain(infer.silently(lambda: infer.kind(whole, scope)))
            own = change(whole, method, part, kind)
            if own is not None:
                infer.kind(whole, scope)
                owner, key = expression(whole), "key" if kind.inner != PLAYER else "p"
                message = f"`{expression(value)}` is written `{own}`"
                if not own:
                    message = f"`{owner}` is a map; a value is given to a key: `{owner}[{key}] = ...`"
                    if same(method, "remove"):
                        message = (
                            f"`{owner}` is a map and keeps its keys; `{owner}[{key}] = none` empties one"
                        )
                infer.report.add("E0205", s.span, message, fix=(s.span, own) if own else None)
                return True
    name = value.value if isinstance(value, t.Call) else value
    if not isinstance(name, t.Name) or name.id in scope or name.id in infer.symbols.table:
        return False
    if name is value and name.id in CLOSERS:
        if isinstance(before, BLOCKS):
            message = f"a block ends with its indentation; it has no `{name.id}`"
            line = Span(s.span.file, s.span.line, 1, s.span.line + 1, 1)
            infer.report.add("E0213", s.span, message, fix=(line, ""))
        elif name.id == "end":
            infer.report.add("E0215", s.span, FORMS, fix=(s.span, "end tie"))
        return isinstance(before, BLOCKS) or name.id == "end"
    if name.id == "choose":
        return _unnamed(value, name, scope, infer)
    ending = meant(value)
    if ending is not None:
        infer.report.add("E0215", s.span, advice(ending), fix=(s.span, f"end {ending}"))
    return ending is not None


def _unnamed(value: t.Node, name: t.Name, scope: Scope, infer: Inference) -> bool:
    """Whether a call is `choose(c in Cell)`, an action without a name; reports it."""
    match value:
        case t.Call(args=(t.Compare(first=t.Name(id=chosen), rest=(("in", source),)),), named=()):
            infer.report.add("E0223", name.span, UNNAMED)
            scope |= infer.bind((chosen,), infer.collection(source, scope), "arm")
            return True
    return False


def left_rules(s: t.Return, loop: bool, scope: Scope, infer: Inference) -> bool:
    """Reports a `return` in `rules:`, with what it was meant to do; whether no more is to be said of it."""
    value = s.value
    ending = None if value is None else meant(value)
    if ending is not None:
        infer.report.add("E0215", s.span, advice(ending), fix=(s.span, f"end {ending}"))
        return True
    fix = "continue" if loop else "end tie"
    if value is not None:
        kind = infer.silently(lambda: infer.kind(value, scope))
        fix = f"end win({expression(value)})" if plain(kind) == PLAYER else ""
    here = "`continue` goes on with the loop, `end ...` ends the game" if loop else "`end ...` ends the game"
    message = f"`return` belongs in a rule or a fun; here {here}"
    infer.report.add("E0507", s.span, message, fix=(s.span, fix) if fix else None)
    return False


def compares(d: t.Fun, scope: Scope, infer: Inference) -> bool:
    """Whether a fun is nothing but `a = b`, meant to compare; reports it."""
    match d.body:
        case (t.Assign(target=target, op="=", value=value, type=None),) if isinstance(value, Expr):
            sign = infer.report.between(target.span, value.span, "=")
            infer.report.add("E0203", sign, "`=` assigns; to compare, write `==`", fix=(sign, "=="))
            infer.kind(target, scope)
            infer.kind(value, scope)
            return True
    return False


def winners(found: list[tuple[t.Assign, Local]], report: Report) -> None:
    """Reports locals called `winner` that are never read: they were meant to end the game."""
    for s, local in found:
        ending = meant(t.Call(s.target, (s.value,), ())) if isinstance(s.value, Expr) else None
        if ending is not None and not local.read:
            report.add("E0215", s.span, advice(ending), fix=(s.span, f"end {ending}"))
