"""Slips from logic, set notation and other languages in larger forms: `exists x in S: e`, `players 2-4:`,
`count(x in S if e)`, `fun won(Player p):`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from lark import Token

from kemu_grammar.source.keywords import words
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.place import BRACKETS, CLOSING, LAYOUT, Place, Slip

QUANTIFIERS = {
    **dict.fromkeys(words("exists exist any some"), "any"),
    **dict.fromkeys(words("forall all every each"), "all"),
}
COUNTING = words("count len size length number")


def foreign_forms(p: Place) -> Iterator[Slip]:
    yield from _quantified(p)
    yield from _called(p)
    yield from _legal(p)
    yield from _counted(p)
    yield from _players(p)
    yield from _typed(p)
    yield from _listed(p)


def _quantified(p: Place) -> Iterator[Slip]:
    """`exists x in S: e`."""
    word = str(p.before[0])
    if p.token.type != "NAME" or p.after is None or p.after.type != "IN" or p.previous() != "NAME":
        return
    if word not in QUANTIFIERS or p.previous(2) == "FOR":
        return
    rest = list(_to_a_loop(p.rest()))
    own = QUANTIFIERS[word]
    message = f"`{word} {p.token} in ...: e` is written `{own}(e for {p.token} in ...)`"
    colon = next((n for n, token in _outside(rest) if token.type == "COLON"), None)
    if colon is None or colon + 1 == len(rest):
        yield Slip("E0205", p.stretch(p.before[0], p.after), message)
        return
    body, last = p.of(rest[colon + 1]), rest[_end_of_body(rest, colon)]
    head = p.of(p.before[0])
    opened = Span(p.file, head.line, head.column, body.line, body.column)
    loop = f" for {p.source(p.token, rest[colon - 1])})"
    mend = ((opened, f"{own}("), (p.behind(last), loop))
    yield Slip("E0205", p.stretch(p.before[0], rest[colon]), message, (mend,))


def _end_of_body(rest: Sequence[Token], colon: int) -> int:
    """Where what is said behind this colon ends: before the one that opens a block, as those of quantifiers
    within do not."""
    within = 0
    for n, token in _outside(rest):
        if n <= colon:
            continue
        names = [each.type for each in rest[n : n + 3]] == ["NAME", "NAME", "IN"]
        within += names and str(token) in QUANTIFIERS
        if token.type == "COLON":
            if not within:
                return n - 1
            within -= 1
    return len(rest) - 1


def _called(p: Place) -> Iterator[Slip]:
    """`exists(x in S: e)`."""
    inside = _inside(p)
    head = p.before[len(inside) : len(inside) + 2]
    rest = p.rest()[1:]
    if p.token.type != "COLON" or [token.type for token in head] != ["LPAR", "NAME"]:
        return
    closed = 0 < len(rest) < len(p.onward) - 1
    word, loop = str(head[1]), f"for {p.source(inside[0], inside[-1])}" if inside else ""
    if closed and word in QUANTIFIERS and [token.type for token in inside[:2]] == ["NAME", "IN"]:
        own = QUANTIFIERS[word]
        both = p.stretch(head[1], p.onward[len(rest) + 1])
        message = f"`{word}({inside[0]} in ...: e)` is written `{own}(e for {inside[0]} in ...)`"
        mend = f"{own}({p.source(rest[0], rest[-1])} {loop})"
        yield Slip("E0205", both, message, (((both, mend),),))


def _inside(p: Place) -> list[Token]:
    """The tokens before, from the start of the bracket that is open here."""
    depth, inside = 0, list[Token]()
    for token in p.before:
        depth += (token.type in CLOSING) - (token.type in BRACKETS)
        if depth < 0:
            break
        inside.insert(0, token)
    return inside


def _legal(p: Place) -> Iterator[Slip]:
    """`expect: legal == take(2)`."""
    if p.token.type == "NAME" and p.accepts == {"LBRACE"} and p.previous(2) == "LEGAL":
        rest = p.rest()
        own = f"{{{p.source(rest[0], rest[-1])}}}"
        both = p.stretch(rest[0], rest[-1])
        yield Slip("E0202", both, f"the actions are listed in braces: `{own}`", (((both, own),),))


def _to_a_loop(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens before a `for` that is in no bracket among them, or before a comma."""
    stop = next((n for n, token in _outside(tokens) if token.type in ("FOR", "COMMA")), len(tokens))
    yield from tokens[:stop]


def _outside(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """The tokens that are in no bracket among them, with their places."""
    depth = 0
    for n, token in enumerate(tokens):
        depth += (token.type in BRACKETS) - (token.type in CLOSING)
        if depth == 0:
            yield n, token


def _counted(p: Place) -> Iterator[Slip]:
    """`count(x in S if e)`."""
    if p.token.type != "RPAR" or "ELSE" not in p.accepts:
        return
    inside = _inside(p)
    head = p.before[len(inside) : len(inside) + 2]
    if [token.type for token in head] != ["LPAR", "NAME"] or str(head[1]) not in COUNTING:
        return
    if [token.type for token in inside[:2]] == ["NAME", "IN"]:
        own = f"len({{{inside[0]} for {p.source(inside[0], inside[-1])}}})"
        both = p.stretch(head[1], p.token)
        message = f"`{head[1]}({inside[0]} in ...)` is written `len({{{inside[0]} for {inside[0]} in ...}})`"
        yield Slip("E0205", both, message, (((both, own),),))


def _players(p: Place) -> Iterator[Slip]:
    """`players 2-4: red, blue, ...`, `players "white", "black"`."""
    if p.chunk.word not in ("players", "enum"):
        return
    line = [*p.line(), *p.rest()]
    sign = next((token for token in line if token.type == "MINUS"), None)
    if p.token.type == "COLON" and p.accepts.isdisjoint({"COLON"}) and sign is not None:
        message = "a range is written `a..b`; both ends belong to it"
        yield Slip("E0205", p.of(sign), message, (((p.of(sign), ".."),),))
    texts = [token for token in line if token.type == "STRING"]
    if texts and all(str(token)[1:-1].isidentifier() for token in texts):
        mend = tuple((p.of(token), str(token)[1:-1]) for token in texts)
        yield Slip("E0202", p.of(texts[0]), "names are written without quotes", (mend,))


def _typed(p: Place) -> Iterator[Slip]:
    """`fun won(Player p):`."""
    ends = p.after is not None and p.after.type in ("COMMA", "RPAR")
    in_a_head = (
        p.chunk.word in ("fun", "rule", "record", "table", "domain") and p.token.line == _first(p).line
    )
    if p.token.type != "NAME" or p.previous() != "NAME" or "COLON" not in p.accepts or not ends:
        return
    if in_a_head and p.previous(2) in ("LPAR", "COMMA"):
        both, own = p.stretch(p.before[0], p.token), f"{p.token}: {p.before[0]}"
        yield Slip("E0206", both, f"a type follows its name: `{own}`", (((both, own),),))


def _first(p: Place) -> Token:
    return p.chunk.tokens[0]


def _listed(p: Place) -> Iterator[Slip]:
    """`if a, b`."""
    if p.token.type != "COMMA" or "AND" not in p.accepts or p.after is None:
        return
    if p.after.type in LAYOUT or str(p.after) in ("else", "end", "then"):
        return
    line = list(takewhile(lambda token: token.type not in ("ELSE", "COLON"), reversed(p.line())))
    at = next((n for n, token in _outside(line) if token.type in ("IF", "WHILE", "ELIF")), None)
    if at is not None:
        yield Slip("E0205", p.span, "conditions are joined by `and`", (((p.span, " and"),),), sure=False)
