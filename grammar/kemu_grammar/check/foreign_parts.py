"""What was meant by fields and methods that other languages have: `p.score`, `s.size()`, `l.append(x)`."""

from __future__ import annotations

from kemu_grammar.check.builtins import FOREIGN, FUNCTIONS, Builtin
from kemu_grammar.check.context import Env, Kinds
from kemu_grammar.check.scope import Symbol
from kemu_grammar.source.diagnostics import Edit
from kemu_grammar.source.kinds import COLLECTIONS, VECTORS, Kind, compatible, tuple_of
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.unparse import expression

TAKEN = {"player": ("element", "Player"), "number": ("int", ""), "text": ("text", "")}
CHANGES = {
    ("list", "append"): "{} += [{}]", ("set", "add"): "{} |= {{{}}}", ("set", "remove"): "{} -= {{{}}}",
    ("bag", "add"): "{}[{}] += 1", ("bag", "remove"): "{}[{}] -= 1",
}  # fmt: skip
SAME = {"append": ("append", "add"), "push": ("append", "add"), "add": ("add", "append"),
    "insert": ("add", "append"), "remove": ("remove",), "discard": ("remove",),
}  # fmt: skip


def apart(e: t.Field, args: tuple[Expr, ...] | None, kind: Kind, symbol: Symbol | None, of: Kind) -> str:
    """How a part of something of this kind is written if its name is that of a map or a function: `score[p]`
    for `p.score`, `len(s)` for `s.size()`. `symbol`: what the name stands for, a thing of the kind `of`.
    `args`: of a method. Empty if nothing of the kind is meant."""
    if kind.form == "unknown":
        return ""
    value, d = expression(e.value), None if symbol is None else symbol.declaration
    if symbol is not None and symbol.role == "state variable":
        keyed = of.form == "map" and of.inner == kind
        return f"{e.name}[{value}]" if keyed and args is None else ""
    given = (value, *(expression(arg) for arg in args or ()))
    if isinstance(d, t.Fun | t.Rule):
        return f"{e.name}({', '.join(given)})" if len(d.params) == len(given) else ""
    own = FOREIGN.get(e.name, e.name)
    if symbol is not None or own not in FUNCTIONS or not _takes(FUNCTIONS[own], len(given), kind):
        return ""
    return f"{own}({', '.join(given)})"


def _takes(b: Builtin, count: int, kind: Kind) -> bool:
    """Whether a function takes as many arguments, and something of this kind as the first."""
    if count < b.least or (b.most is not None and count > b.most) or not b.wants:
        return False
    wanted = TAKEN.get(b.wants[0])
    return kind.form in COLLECTIONS if wanted is None else wanted == (kind.form, kind.name)


def as_point(args: tuple[Expr, ...], arms: list[t.Arm], scope: Env, infer: Kinds) -> Edit | None:
    """`place((1, 2))` for `place(1, 2)`, if the one action that is called so takes a point."""
    if len(arms) > 1 or len(arms[0].params) != 1 or len(args) < 2:
        return None
    (taken,) = arms[0].params
    place = infer.silently(lambda: infer.collection(taken.source, scope))
    if place.form not in VECTORS or not compatible(place, tuple_of(*(infer.kind(arg, {}) for arg in args))):
        return None
    first, last = args[0].span, args[-1].span
    inside = Span(first.file, first.line, first.column, last.end_line, last.end_column)
    return inside, f"({', '.join(expression(arg) for arg in args)})"


def same(method: str, own: str) -> bool:
    """Whether a method of another language does what is called so here."""
    return own in SAME.get(method, ())


def change(e: Expr, method: str, part: Expr, kind: Kind) -> str | None:
    """How something is put into a variable of this kind, or taken out, by a method of another language. Empty
    for a map; None for what has no such method anywhere."""
    if method not in SAME:
        return None
    if kind.form == "map":
        return ""
    sorts = ("list", "set") if kind.form == "unknown" else (kind.form,)
    forms = (CHANGES.get((sort, same)) for same in SAME[method] for sort in sorts)
    found = next((form for form in forms if form is not None), None)
    return None if found is None else found.format(expression(e), expression(part))
