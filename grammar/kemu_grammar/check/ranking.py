"""What `end rank` and `end pays` rank the players by: a number for every player."""

from __future__ import annotations

from kemu_grammar.check.assignments import Scope
from kemu_grammar.check.infer import Inference
from kemu_grammar.source.kinds import PLAYER, Kind, compatible, describe, plain
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span


def ranking(end: t.End, scope: Scope, infer: Inference) -> None:
    """Checks the parts: functions of a player, named and not called, or maps of players."""
    value = end.value
    assert value is not None
    several = isinstance(value, t.Tuple) and end.kind == "rank"
    found = [_odd(part, scope, infer) for part in (value.items if several else (value,))]  # type: ignore[union-attr]
    odd = next((word for word in found if word), None)
    if odd is None:
        return
    message = f"`end {end.kind}` takes a number for every player, but {odd}"
    note = "write a function of a player, or a map: `{p: ... for p in Player}`"
    infer.report.add("E0405", value.span, message, ((None, note),), _map(value, scope, infer))


def _odd(part: Expr, scope: Scope, infer: Inference) -> str:
    """What is wrong with a part, nothing if it is sound."""
    if isinstance(part, t.Name) and part.id not in scope:
        symbol = infer.symbols.table.get(part.id)
        if symbol is not None and isinstance(symbol.declaration, t.Fun):
            return _function(symbol.declaration)
    kind = infer.kind(part, scope)
    if kind.form == "unknown":
        return ""
    if kind.form != "map" or not compatible(kind.inner, PLAYER):
        return f"this is {describe(kind)}"
    tuples = isinstance(part, t.Comprehension) and isinstance(part.element, t.Tuple)
    values = kind.parts[1].parts if tuples else kind.parts[1:]
    wrong = [v for v in map(plain, values) if not _number(v)]
    return f"each of these is {describe(wrong[0])}" if wrong else ""


def _function(d: t.Fun) -> str:
    wanted = [p for p in d.params if p.default is None]
    if not d.params or len(wanted) > 1:
        return f"`{d.name}` is not a function of one player"
    if isinstance(d.body, t.Tuple):
        return f"`{d.name}` gives a tuple"
    return ""


def _number(kind: Kind) -> bool:
    return kind.form in ("int", "unknown", "none")


def _map(value: Expr, scope: Scope, infer: Inference) -> tuple[Span, str] | None:
    """The map that is meant by an expression of the one player who has a name here."""
    names = sorted({x.id for x in _names(value) if x.id in scope and scope[x.id].kind == PLAYER})
    span = value.span
    lines = infer.report.sources.get(span.file, "").split("\n")
    if len(names) != 1 or span.line != span.end_line or span.line > len(lines):
        return None
    line = lines[span.line - 1]
    text = line[span.column - 1 : span.end_column - 1]
    if isinstance(value, t.Tuple) and not text.startswith("("):
        text = f"({text})"
    return span, f"{{{names[0]}: {text} for {names[0]} in Player}}"


def _names(e: Expr) -> list[t.Name]:
    match e:
        case t.Name():
            return [e]
        case t.Tuple(items=items):
            return [n for x in items for n in _names(x)]
        case t.Index(value=value, index=index):
            return [*_names(value), *_names(index)]
        case t.Binary(left=left, right=right):
            return [*_names(left), *_names(right)]
        case t.Call(args=args):
            return [n for x in args for n in _names(x)]
    return []
