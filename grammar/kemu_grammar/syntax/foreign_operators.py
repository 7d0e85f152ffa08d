"""Slips from other languages within expressions: `&&`, `===`, `a ? b : c`, `if a then b else c`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lark import Token

from kemu_grammar.source.keywords import words
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.place import BRACKETS, CLOSING, LAYOUT, LINE_STARTS, OPERAND, Place, Slip

DOUBLED = {  # two tokens side by side, what they are taken for, and what is meant
    ("AND_SIGN", "AND_SIGN"): ("&&", "and"), ("BAR", "BAR"): ("||", "or"), ("LT", "GT"): ("<>", "!="),
    ("EQ", "EQUAL"): ("===", "=="), ("NE", "EQUAL"): ("!==", "!="), ("EQUAL", "LT"): ("=<", "<="),
    ("EQUAL", "GT"): ("=>", ">="), ("COLON", "EQUAL"): (":=", "="),
}  # fmt: skip
NAMED = {"AND": "and", "OR": "or", "NOT": "not", "mod": "%", "div": "//", "xor": "!=", "where": "if"}
TERMINALS = {"and": "AND", "or": "OR", "%": "PERCENT", "//": "FLOOR_DIV", "!=": "NE", "if": "IF"}
BEFORE_A_VALUE = words("EQUAL ASSIGN COMMA COLON RETURN REQUIRE ELSE IMPLIES ARROW")
DIE = re.compile(r"d([1-9]\d*)")


def foreign_operators(p: Place) -> Iterator[Slip]:
    yield from _doubled(p)
    yield from _named(p)
    yield from _conditional(p)
    yield from _questioned(p)
    yield from _numbers(p)
    yield from _others(p)


def _doubled(p: Place) -> Iterator[Slip]:
    """Two signs that make one elsewhere."""
    for first, second in ((p.before[0], p.token), (p.token, p.after)):
        if second is None or first.end_pos != second.start_pos:
            continue
        found = DOUBLED.get((first.type, second.type))
        if found is not None:
            foreign, own = found
            own = ":" if foreign == "=>" and first is p.token and _ends_a_head(p) else own
            start, end = first.start_pos or 0, second.end_pos or 0
            before = " " if own.isalpha() and p.text[start - 1] != " " else ""
            behind = " " if own.isalpha() and p.text[end : end + 1] != " " else ""
            both = p.stretch(first, second)
            mend = ((p.upto(p.before[0], second) if own == ":" else both, before + own + behind),)
            yield Slip("E0205", both, f"`{foreign}` is written `{own}`", (mend,))


def _ends_a_head(p: Place) -> bool:
    """Whether a `:` could stand here, and no comparison."""
    return "COLON" in p.accepts and "GE" not in p.accepts


def _named(p: Place) -> Iterator[Slip]:
    for token in (p.token, p.before[0]):
        own = NAMED.get(str(token), "")
        fits = token is not p.token if own == "not" else TERMINALS.get(own) in p.accepts and token is p.token
        if token.type == "NAME" and own and fits:
            mend = ((p.of(token), own),)
            yield Slip("E0205", p.of(token), f"`{token}` is written `{own}`", (mend,))


def _conditional(p: Place) -> Iterator[Slip]:
    """`if a then b else c` where a value is wanted."""
    if p.token.type != "IF" or not p.accepts >= OPERAND:
        return
    rest, depth = p.rest(), 0
    then = other = None
    for token in rest[1:]:
        depth += (token.type in BRACKETS | {"IF"}) - (token.type in CLOSING)
        if str(token) == "then" and depth == 0:
            then = then or token
        if token.type == "ELSE":
            if depth == 0:
                other = token
                break
            depth -= 1
    message = "`if a then b else c` is written `b if a else c`"
    if then is None or other is None:
        yield Slip("E0233", p.span, message, sure=then is not None)
        return
    at, to = rest.index(then), rest.index(other)
    if to - at > 1:
        value = p.source(rest[at + 1], rest[to - 1])
        start = Span(p.file, p.span.line, p.span.column, p.span.line, p.span.column)
        mend = ((start, f"{value} "), (p.upto(rest[at - 1], rest[to - 1]), ""))
        yield Slip("E0233", p.stretch(p.token, other), message, (mend,))


def _questioned(p: Place) -> Iterator[Slip]:
    """`a ? b : c`."""
    mark = _question(p)
    if mark is None:
        return
    asked = p.before[mark + 1 :]
    first = asked[0]
    for token in _back(asked):
        first = token
    middle = [*reversed(p.before[: max(mark, 0)]), *p.rest()[mark < 0 :]]
    colon = next((n for n, token in enumerate(middle) if token.type == "COLON" and _level(middle[:n])), 0)
    if colon and colon + 1 < len(middle):
        start = p.of(first)
        here = Span(p.file, start.line, start.column, start.line, start.column)
        value = p.source(middle[0], middle[colon - 1])
        mend = ((here, f"{value} if "), (p.upto(asked[0], middle[colon]), " else"))
        span = p.stretch(first, middle[colon])
        yield Slip("E0233", span, "`a ? b : c` is written `b if a else c`", (mend,))


def _question(p: Place) -> int | None:
    """Where, among the tokens before, the nearest `?` of this bracket stands with a value behind it; -1 if it
    is the token that does not fit."""
    if p.token.type == "QUESTION":
        return -1 if p.previous() not in LINE_STARTS else None
    if p.token.type != "COLON" and p.previous() != "QUESTION":
        return None
    depth = 0
    for n, token in enumerate(p.before[:-1]):
        if token.type in LINE_STARTS or (token.type in BRACKETS and depth == 0):
            return None
        depth += (token.type in CLOSING) - (token.type in BRACKETS)
        if token.type == "QUESTION" and depth == 0:
            return n
    return None


def _back(tokens: tuple[Token, ...]) -> Iterator[Token]:
    """The tokens back to where the value begins that they end."""
    depth = 0
    for token in tokens:
        opens = token.type in BRACKETS and depth == 0
        if opens or token.type in LINE_STARTS or (token.type in BEFORE_A_VALUE and depth == 0):
            return
        depth += (token.type in CLOSING) - (token.type in BRACKETS)
        yield token


def _level(tokens: list[Token]) -> bool:
    """Whether all brackets among them are closed again."""
    return sum((token.type in BRACKETS) - (token.type in CLOSING) for token in tokens) == 0


def _numbers(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if str(token) == "to" and "DOTS" in p.accepts and p.after is not None and p.after.type not in LAYOUT:
        own = f"{last}..{p.after}"
        mend = ((p.upto(last, token), ".."), (_space(p, token, p.after), ""))
        message = f"`{last} to {p.after}` is written `{own}`"
        yield Slip("E0205", p.stretch(last, p.after), message, (mend,), sure=False, whole=True)
    die = DIE.fullmatch(str(token))
    if die and last.type == "NUMBER" and last.end_pos == token.start_pos and p.previous(2) == "ROLL":
        both, own = p.stretch(last, token), f"{last} of 1..{die[1]}"
        yield Slip("E0205", both, f"`{last}{token}` is written `{own}`", (((both, own),),))
    if token.type == "DOT" and last.type == "DOTS":
        yield Slip("E0205", p.span, "a range is written `a..b`; both ends belong to it", (((p.span, ""),),))
    if token.type == "NUMBER" and last.type == "DOT" and p.previous(2) == "NUMBER":
        yield Slip("E0205", p.stretch(p.before[1], token), "numbers are whole: there is no decimal point")


def _space(p: Place, first: Token, second: Token) -> Span:
    start, end = p.behind(first), p.of(second)
    return Span(p.file, start.line, start.column, end.line, end.column)


def _others(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if token.type in LAYOUT and p.previous() == p.previous(2) and p.previous() in ("PLUS", "MINUS"):
        start = p.of(p.before[1])
        both = Span(p.file, start.line, start.column, start.line, start.column + 2)
        sign = "+" if p.previous() == "PLUS" else "-"
        yield Slip(
            "E0205", both, f"there is no `{sign}{sign}`; write `{sign}= 1`", (((both, f" {sign}= 1"),),)
        )
    if token.type == "IS" and "EQ" in p.accepts:
        message = "after `is` comes `some` or `none`; to compare, write `==`"
        yield Slip("E0203", p.span, message, (((p.span, "=="),),))
    if token.type == "STRING" and str(last) in ("f", "F") and last.end_pos == token.start_pos:
        message = "a text holds expressions in braces without an `f` before it"
        yield Slip("E0205", p.of(last), message, (((p.of(last), ""),),))
    if token.type == "NAME" and str(last) == "lambda" and last.type == "NAME":
        yield Slip("E0205", p.of(last), "a function without a name is written `x -> e`")
