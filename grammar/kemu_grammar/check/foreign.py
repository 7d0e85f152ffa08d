"""What was meant by types, names and operators that other languages and rulebooks have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kemu_grammar.check.builtins import ADVICE, NUMBERS
from kemu_grammar.check.scope import Report, Symbols
from kemu_grammar.source.kinds import Kind, plain
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.unparse import expression

DIE = re.compile(r"d([1-9]\d*)")
SETS = re.compile(r"[^-+*/%|&=!<>]=[ ]*$")


def ranges(kind: t.Type | None, symbols: Symbols, report: Report) -> None:
    """Reports `int` where a value is kept in play."""
    for name in _named(kind):
        if name.name in NUMBERS and name.name not in symbols.table:
            message = "a range is wanted here: the least and the greatest number, such as `0..99`"
            report.add("E0211", name.span, message, fix=(name.span, "0..99"))


def _named(kind: t.Type | None) -> Iterator[t.NamedType]:
    match kind:
        case t.NamedType():
            yield kind
        case t.OptionType(inner=inner):
            yield from _named(inner)
        case t.GenericType(args=args):
            for arg in args:
                yield from _named(arg)


def die(e: t.Call, report: Report) -> bool:
    """Whether a call is `random.randint(1, 6)`; reports it."""
    match e:
        case t.Call(value=t.Field(value=t.Name(id="random"), name="randint"), args=(low, high), named=()):
            own = f"roll {expression(low)}..{expression(high)}"
            if _set_to(e, report):
                report.add("E0205", e.span, f"`{expression(e)}` is written `{own}`", fix=(e.span, own))
            else:
                report.add("E0205", e.span, f"there is no `random.randint`; {ADVICE['randint']}")
            return True
    return False


def foreign_call(e: t.Call, report: Report) -> bool:
    """Whether a call of a name that nobody knows is `randint(1, 6)` or `dict((k, v) for ...)`; reports it."""
    match e:
        case t.Call(value=t.Name(id="random" | "randint"), args=(low, high), named=()) if _set_to(e, report):
            own = f"roll {expression(low)}..{expression(high)}"
        case t.Call(
            value=t.Name(id="dict"),
            args=(t.Comprehension(element=t.Tuple(items=(key, value)), clauses=clauses),),
        ):
            own = expression(t.Comprehension("map", value, clauses, key))
        case _:
            return False
    report.add("E0205", e.span, f"`{expression(e)}` is written `{own}`", fix=(e.span, own))
    return True


def _set_to(e: Expr, report: Report) -> bool:
    """Whether something is set to this, as it is: `x = e`."""
    before, after = _around(e.span, report)
    return SETS.search(before) is not None and (not after.strip() or after.lstrip()[0] in ";#")


def _around(span: Span, report: Report) -> tuple[str, str]:
    """What stands before and behind a stretch of a line."""
    lines = report.sources.get(span.file, "").split("\n")
    line = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
    return line[: span.column - 1], line[span.end_column - 1 :]


def no_name(e: t.Name, report: Report) -> bool:
    """Whether a name that nobody knows is a die, or what a comment begins with; reports it."""
    die = DIE.fullmatch(e.id)
    if die is not None:
        own = f"1..{die[1]}"
        report.add("E0205", e.span, f"`{e.id}` is written `{own}`", fix=(e.span, own))
        return True
    before, after = _around(e.span, report)
    if not before.rstrip(" ").endswith("//") or after.strip():
        return False
    at = before.rindex("//") + 1
    span = Span(e.span.file, e.span.line, at, e.span.line, at + 2)
    report.add("E0234", span, "a comment begins with `#`, not `//`", fix=(span, "#"))
    return True


def optional(kind: t.Type | None, wanted: Kind, value: t.Node, report: Report) -> bool:
    """Whether `none` is given to what has a type without `?`; reports it."""
    single = wanted.form in ("bool", "int", "element", "row", "point")
    if kind is None or not isinstance(value, t.Nothing) or isinstance(kind, t.OptionType) or not single:
        return False
    own = f"{report.written(kind.span)}?"
    report.add("E0405", value.span, "`none` is a value only of a type with `?`", fix=(kind.span, own))
    return True


def unquoted(value: t.Node, wanted: Kind, symbols: Symbols) -> tuple[Span, str] | None:
    """The name that was meant by a text: `white` by `"white"`, where something of its kind is wanted."""
    match value:
        case t.Text(parts=(str() as name,)):
            symbol = symbols.table.get(name)
            if symbol is not None and plain(wanted) == Kind("element", symbol.owner):
                return value.span, name
    return None


def truths(e: t.Binary, report: Report) -> None:
    """Reports `&` and `|` between truth values."""
    own = "and" if e.op == "&" else "or"
    sign = report.between(e.left.span, e.right.span, e.op)
    message = f"`{e.op}` takes sets, but this is a truth value; to join truth values, write `{own}`"
    report.add("E0402", e.left.span, message, fix=(sign, own))
