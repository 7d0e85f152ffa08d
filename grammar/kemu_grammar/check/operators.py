"""What an operator makes of the kinds of its two sides, and what was meant where it makes nothing of them."""

from __future__ import annotations

from kemu_grammar.check.compare_kinds import plural
from kemu_grammar.check.scope import Report
from kemu_grammar.source.diagnostics import Edit
from kemu_grammar.source.kinds import (
    COLLECTIONS,
    INT,
    TEXT,
    UNKNOWN,
    VECTORS,
    Kind,
    compatible,
    describe,
    join,
)
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.unparse import expression

SINGLE = frozenset({"bool", "element", "word", "none"})


def refuses(op: str, kind: Kind) -> bool:
    """Whether the operator takes nothing of this kind, whatever the other side is."""
    return kind.form in SINGLE or (kind.form == "text" and op != "+")


def takes(op: str) -> str:
    return "takes sets" if op in ("|", "&") else "takes numbers"


def combined(op: str, left: Kind, right: Kind) -> Kind | None:
    """The kind of what the operator makes of two sides that it does not refuse one by one; None if they do
    not go together."""
    forms = {left.form, right.form}
    if "unknown" in forms:
        return UNKNOWN
    if forms == {"int"} and op not in ("|", "&"):
        return INT
    if _collections(op, left, right):
        return join(left, right) if op in ("|", "+") else left
    if op in ("+", "-") and forms <= VECTORS:
        return left if left.form == "point" else right if right.form == "point" else UNKNOWN
    if op == "*" and "int" in forms and forms & VECTORS:
        return left if right.form == "int" else right
    return TEXT if op == "+" and forms == {"text"} else None


def _collections(op: str, left: Kind, right: Kind) -> bool:
    forms = {left.form, right.form}
    if not forms <= COLLECTIONS:
        return False
    if op == "+":
        return forms == {"list"} or forms <= {"bag", "map"}
    return op in ("|", "&", "-") and bool(forms & {"set", "map", "bag"})


def unlike(left: Kind, right: Kind) -> str:
    """What is said of two collections of things that are never the same; empty if they may be."""
    if not {left.form, right.form} <= COLLECTIONS or compatible(left, right):
        return ""
    one, two = (f"a {kind.form} of {plural(kind.inner)}" for kind in (left, right))
    return f"{one} and {two} cannot be combined"


def cannot(op: str, left: Kind, right: Kind) -> str:
    """What is said of two sides that do not go together."""
    if left.form == right.form == "int":
        return f"`{op}` takes sets, but this is a number"
    sets = "; sets are joined by `|`" if op.startswith("+") and left.form == right.form == "set" else ""
    return f"`{op}` cannot combine {describe(left)} and {describe(right)}{sets}"


def joined_sets(e: t.Binary, left: Kind, right: Kind, report: Report) -> Edit | None:
    """For `+` between two sets: `|`."""
    if e.op != "+" or left.form != "set" or right.form != "set":
        return None
    return report.between(e.left.span, e.right.span, "+"), "|"


def changed_as_meant(s: t.Assign, value: t.Expr, left: Kind, right: Kind, report: Report) -> Edit | None:
    """What was meant by `s += c` of a set, `l += c` of a list, `g += c` of a bag, `n |= 1` of a number."""
    sign = report.between(s.target.span, value.span, s.op)
    forms = left.form, right.form
    single = right.form not in COLLECTIONS and compatible(left.inner, right)
    own = ""
    if s.op == "+=" and forms == ("set", "set"):
        own = "|="
    elif forms == ("int", "int") or (s.op == "|=" and forms == ("list", "list")):
        own = "+="
    if own:
        return sign, own
    if left.form == "set" and single:
        return s.span, f"{expression(s.target)} {s.op.replace('+', '|')} {{{expression(value)}}}"
    if left.form == "list" and single and s.op in ("+=", "|="):
        return s.span, f"{expression(s.target)} += [{expression(value)}]"
    if left.form == "bag" and single and s.op in ("+=", "-="):
        return s.span, f"{expression(s.target)}[{expression(value)}] {s.op} 1"
    return None
