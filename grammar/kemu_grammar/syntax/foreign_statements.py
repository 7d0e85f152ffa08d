"""Slips from other languages in the form of statements: `let x = 1`, `if a then`, braces, comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lark import Token

from kemu_grammar.source.keywords import words
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.place import BRACKETS, CLOSING, LAYOUT, LINE_STARTS, Place, Slip

INTRODUCING = words("let var val const local auto my int integer number float bool boolean")
KNOWN_ANYWAY = frozenset({"global", "nonlocal"})
WORDS = {
    "elseif": "elif", "elsif": "elif", "elseIf": "elif", "otherwise": "else", "when": "if",
    "foreach": "for", "until": "while", "loop": "while",
}  # fmt: skip
UNNAMED = "an action needs a name: `choose place(c in Cell)`"
CASES = words("match switch")
PASSING = {word: words("player turn") for word in ("next", "pass", "end", "finish", "skip")}
HEADINGS = words("LANGUAGE PROVES GAME PLAYERS OPTION USE NEEDS DOMAIN ENUM RECORD CONST FUN RULE CHECK")


def foreign_statements(p: Place) -> Iterator[Slip]:
    yield from _comments(p)
    yield from _braces(p)
    yield from _introduced(p)
    yield from _words(p)
    yield from _conditions(p)
    yield from _loops(p)
    yield from _endings(p)
    yield from _punctuation(p)


def _comments(p: Place) -> Iterator[Slip]:
    here = p.token.line if p.token.type not in LAYOUT else p.span.line
    for token in [*p.line(), p.token]:
        if token.type == "FLOOR_DIV" and token.line == here:
            mend = ((p.of(token), "#"),)
            message = "a comment begins with `#`, not `//`"
            yield Slip("E0234", p.of(token), message, (mend,), sure=token is p.token, whole=True)
            return


def _braces(p: Place) -> Iterator[Slip]:
    """A block in braces, which may begin on the next line."""
    opens = next((token for token in p.onward if token.type not in LAYOUT), p.token)
    if (
        "COLON" not in p.accepts
        or opens.type != "LBRACE"
        or (opens is not p.token and p.token.type == "$END")
    ):
        return
    closes = closing(p.onward[p.onward.index(opens) :])
    message = "a block is indented below a `:`; it has no braces"
    if closes is None:
        yield Slip("E0235", p.of(opens), message)
        return
    mend = ((p.upto(p.before[0], opens), ":"), (_whole(p, closes), ""))
    yield Slip("E0235", p.of(opens), message, (mend,))


def closing(tokens: Sequence[Token]) -> Token | None:
    """The bracket that closes the one with which the tokens begin."""
    depth = 0
    for token in tokens:
        depth += (token.type in BRACKETS) - (token.type in CLOSING)
        if depth == 0:
            return token
    return None


def _whole(p: Place, brace: Token) -> Span:
    """A closing brace with the spaces that go with it: its line, if it stands there alone."""
    span = p.of(brace)
    line = p.text.split("\n")[span.line - 1]
    before, behind = line[: span.column - 1], line[span.end_column - 1 :]
    if not before.strip() and not behind.strip():
        return Span(p.file, span.line, 1, span.line + 1, 1)
    if before.strip():
        return Span(p.file, span.line, len(before.rstrip()) + 1, span.line, span.end_column)
    spaces = len(behind) - len(behind.lstrip())
    return Span(p.file, span.line, span.column, span.line, span.end_column + spaces)


def _introduced(p: Place) -> Iterator[Slip]:
    """`let x = 1`, `int x = 1`, `set x to 1`, `global x`."""
    if p.token.type != "NAME" or p.previous() != "NAME" or p.previous(2) not in LINE_STARTS | {"COLON"}:
        return
    first, word = p.before[0], str(p.before[0])
    start, end = p.of(first), p.span
    without = (Span(p.file, start.line, start.column, end.line, end.column), "")
    rest = p.rest()
    given = next((one for one in rest if str(one) in ("to", "be")), None)
    if word in ("let", "set", "make", "put") and given is not None and given is not rest[-1]:
        at = rest.index(given)
        target, value = p.source(rest[0], rest[at - 1]), p.source(rest[at + 1], rest[-1])
        message = f"to give a value, write `{target} = {value}`"
        yield Slip("E0203", p.stretch(first, rest[-1]), message, ((without, (p.of(given), "=")),))
    elif word in KNOWN_ANYWAY:
        line = Span(p.file, start.line, 1, start.line + 1, 1)
        message = f"a state variable is known everywhere, without `{word}`"
        yield Slip("E0232", start, message, (((line, ""),),))
    elif word in INTRODUCING or (p.after is not None and p.after.type == "EQUAL"):
        message, known = f"a name is introduced without `{word}`", word in INTRODUCING
        yield Slip("E0232", start, message, ((without,),), sure=known, whole=not known)


def _words(p: Place) -> Iterator[Slip]:
    """A word that another language has at the start of a statement."""
    line = p.line()
    if line and line[0].type == "NAME" and len(line) <= 3 and str(line[0]) in WORDS:
        span, own = p.of(line[0]), WORDS[str(line[0])]
        own += " true" if own == "while" and line[1:2] and line[1].type == "COLON" else ""
        yield Slip("E0222", span, f"there is no `{line[0]}`", (((span, own),),))
    last = p.before[0]
    if p.token.type != "NAME" or p.previous(2) not in LINE_STARTS | {"COLON"}:
        return
    if last.type == "NAME" and str(last) in CASES:
        cases = f"write `if {p.token} == ...:`, `elif {p.token} == ...:`"
        yield Slip("E0222", p.of(last), f"there is no `{last}`; {cases}")
    if str(p.token) in PASSING.get(str(last), ()):
        both = p.stretch(last, p.token)
        message = "the next turn begins where the block below `turns()` ends; `continue` goes there"
        yield Slip("E0222", both, message, (((both, "continue"),),))


def _conditions(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if token.type == "IF" and last.type in ("ELSE", "OTHERWISE") and p.previous(2) in LINE_STARTS:
        both = p.stretch(last, token)
        yield Slip("E0204", both, "`else if` is written `elif`", (((both, "elif"),),))
    if str(token) in ("then", "do") and "COLON" in p.accepts:
        end = p.after if p.after is not None and p.after.type == "COLON" else token
        what = "after a condition" if str(token) == "then" else "before a block"
        message = f"{what} comes `:`, not `{token}`"
        yield Slip("E0233", p.span, message, (((p.upto(last, end), ":"),),))
    if str(last) == "unless" and last.type == "NAME" and p.previous(2) in LINE_STARTS:
        colon = next((one for one in reversed(p.rest()) if one.type == "COLON"), None)
        first = p.of(last)
        opened = (Span(p.file, first.line, first.column, p.span.line, p.span.column), "if not (")
        mends = () if colon is None else ((opened, (p.of(colon), "):")),)
        yield Slip("E0233", first, "`unless a` is written `if not a`", mends)


def _loops(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if token.type == "NAME" and str(last) in ("each", "every", "all") and p.previous(2) == "FOR":
        both = p.stretch(p.before[1], last)
        yield Slip("E0222", both, f"`for {last}` is written `for`", (((both, "for"),),))
    if str(token) == "of" and last.type == "NAME" and p.previous(2) == "FOR":
        yield Slip("E0222", p.span, f"`for {last} of` is written `for {last} in`", (((p.span, "in"),),))
    yield from _bracketed(p)


def _bracketed(p: Place) -> Iterator[Slip]:
    """`for (let p of S)`, `for (i = 0; i < n; i++)`."""
    head = [*p.line(), *p.onward]
    if [token.type for token in head[:2]] != ["FOR", "LPAR"]:
        return
    at = 3 if str(head[2]) in INTRODUCING else 2
    name, word = head[at], head[at + 1]
    closes = closing(head[1:])
    if closes is None:
        return
    if str(word) in ("of", "in") and p.token in (name, word):
        said = f"`for ({name} {word} S)` is written `for {name} in S`"
        start = p.of(head[1])
        opened = Span(p.file, start.line, start.column, p.of(name).line, p.of(name).column)
        mend = ((opened, ""), (p.of(word), "in"), (p.of(closes), ""))
        yield Slip("E0222", p.stretch(head[0], closes), said, (mend,))
    elif word.type == "EQUAL":
        said = f"a loop that counts is written `for {name} in 1..3`"
        yield Slip("E0222", p.stretch(head[0], closes), said)


def _endings(p: Place) -> Iterator[Slip]:
    """`end win p`, `p wins`."""
    token, last = p.token, p.before[0]
    if p.previous(2) == "END" and str(last) in ("win", "rank", "pays"):
        rest = p.rest()
        if rest:
            wanted = f"end {last}({p.source(token, rest[-1])})"
            before = (Span(p.file, p.gap().line, p.gap().column, p.span.line, p.span.column), "(")
            mend = (before, (p.behind(rest[-1]), ")"))
            yield Slip("E0215", p.stretch(last, rest[-1]), f"to end the game, write `{wanted}`", (mend,))
    if str(token) in ("wins", "won") and last.type == "NAME" and p.previous(2) in LINE_STARTS | {"COLON"}:
        both, wanted = p.stretch(last, token), f"end win({last})"
        yield Slip("E0215", both, f"to end the game, write `{wanted}`", (((both, wanted),),))


def _punctuation(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if token.type in ("COLON", "EQUAL") and len(p.before) == 1 and last.type in HEADINGS:
        mend = [(p.upto(last, token), "")]
        bracket = p.after if p.after is not None and p.after.type == "LSQB" else None
        closes = closing(p.onward[1:]) if bracket and last.type == "PLAYERS" else None
        if bracket and closes:
            mend += [(p.of(bracket), ""), (p.of(closes), "")]
        yield Slip("E0202", p.span, f"no `{token}` comes after `{last}`", (tuple(mend),))
    if token.type == "SEMICOLON" and p.after is not None and p.after.type in LAYOUT | {"FLOOR_DIV"}:
        yield Slip("E0202", p.span, "no `;` comes at the end of this line", (((p.span, ""),),))
    if token.type == "COLON" and p.accepts == {"IN"} and p.previous(2) in ("LPAR", "COMMA"):
        domain = list(_item(p))
        written = p.source(domain[0], domain[-1]) if domain else "..."
        message = f"a parameter of an action is written `{last} in {written}`"
        yield Slip("E0223", p.span, message, (((p.upto(last, token), " in"),),))


def _item(p: Place) -> Iterator[Token]:
    """The tokens from the next one on to a comma, or to the end of the bracket."""
    depth = 0
    for token in p.onward[1:]:
        depth += (token.type in BRACKETS) - (token.type in CLOSING)
        if depth < 0 or (depth == 0 and token.type == "COMMA"):
            return
        yield token
