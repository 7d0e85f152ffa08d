"""What a syntax error says: the common slips by name, and else what was expected, in words.

A suggestion is made only if the text can be read further with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import takewhile

from lark import Token

from kemu_grammar.source.diagnostics import Diagnostic, Edit, apply, offsets
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.keywords import DECLARATIONS, FOREIGN_FORMS, FORMS, RESERVED, words
from kemu_grammar.syntax.ast import Span
from kemu_grammar.syntax.foreign_forms import foreign_forms
from kemu_grammar.syntax.foreign_operators import foreign_operators
from kemu_grammar.syntax.foreign_statements import UNNAMED, foreign_statements
from kemu_grammar.syntax.lexer import Chunk
from kemu_grammar.syntax.place import (
    BRACKETS,
    CLOSING,
    LAYOUT,
    LINE_STARTS,
    OPERAND,
    Mend,
    Place,
    Slip,
    place_of,
)

STATEMENTS = tuple(
    sorted(
        words(
            "if elif else for while repeat break continue pass return move end require assert choose may"
            " roll draw reveal note forget"
        )
    )
)
FOREIGN_STARTS = {
    "def": "fun", "function": "fun", "func": "fun", "fn": "fun", "proc": "rule", "procedure": "rule",
    "let": "const", "var": "state", "class": "record", "struct": "record", "type": "domain",
    "import": "use", "include": "use", "turn": "rules", "main": "rules", "play": "rules", "setup": "rules",
    "theorem": "property", "assert": "check", "player": "players",
}  # fmt: skip
OPERATORS = words(
    "AND OR IMPLIES IF EQ NE LT LE GT GE IN NOT_IN PRESENCE DOTS BAR AND_SIGN PLUS MINUS STAR FLOOR_DIV"
    " PERCENT POWER DOT LPAR LSQB QUESTION ASSIGN FOR ARROW AFTER"
)
BEGINNINGS = words("NAME NUMBER STRING LPAR LSQB LBRACE NONE TRUE FALSE NOT PLUS MINUS ROLL DRAW REVEAL CAN")
WORDS = {
    "NAME": "a name", "NUMBER": "a number", "STRING": 'a text `"..."`',
    "_NEWLINE": "the end of the line", "_INDENT": "an indented block", "_DEDENT": "the end of the block",
    "OTHERWISE": "`else`", "IN_ORDER_OF": "`in order of`", "REPEAT_AT_MOST": "`repeat at most`",
    "RECURSIVE_AT_MOST": "`recursive at most`",
    "ALWAYS_POSSIBLE": "`always possible`", "ENDS_ALMOST_SURELY": "`ends almost surely`",
    "AT_MOST": "`at most`", "AT_LEAST": "`at least`",
    "NOT_IN": "`not in`", "PRESENCE": "`is some`", "EQ": "`==`", "NE": "`!=`", "LT": "`<`", "LE": "`<=`",
    "GT": "`>`", "GE": "`>=`", "BAR": "`|`", "AND_SIGN": "`&`", "PLUS": "`+`", "MINUS": "`-`",
    "STAR": "`*`", "FLOOR_DIV": "`//`", "PERCENT": "`%`", "POWER": "`**`", "DOTS": "`..`",
    "ARROW": "`->`", "EQUAL": "`=`", "COLON": "`:`", "QUESTION": "`?`", "LPAR": "`(`", "RPAR": "`)`",
    "LSQB": "`[`", "RSQB": "`]`", "LBRACE": "`{`", "RBRACE": "`}`", "COMMA": "`,`", "SEMICOLON": "`;`",
    "DOT": "`.`", "ASSIGN": "`+=`", "$END": "the end",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a text can be read: `stage` 0 if it cannot be cut into tokens, 1 if these do not parse, 2 if
    what they parse to means nothing, 3 if it is sound; `left` the characters from the first fault on."""

    stage: int
    left: int

    def beyond(self, other: Reach) -> bool:
        return self.stage > other.stage or (self.stage == other.stage and self.left < other.left)


@dataclass(frozen=True, slots=True)
class Parser:
    """What the parser knows: which terminals could have followed, how far it came, and how far it comes
    with another text."""

    accepts: frozenset[str]
    reached: Reach
    reach: Callable[[str], Reach]


def explain_syntax(token: Token, chunk: Chunk, text: str, file: str, parser: Parser) -> Diagnostic:
    """The one diagnostic for a text that does not parse, because of `token`. The first guess with which its
    line can be read is taken, else the first with which the text can be read further."""
    place = place_of(token, chunk, text, file, parser.accepts)
    end = text.find("\n", token.start_pos or 0)
    line_end = Reach(1, len(text) - end if end >= 0 else 0)
    second: Diagnostic | None = None
    for slip in _slips(place):
        best, mend = _best(slip, text, token.start_pos or 0, parser)
        found = Diagnostic(slip.code, slip.span, slip.message, fix=mend[0] if mend else None, also=mend[1:])
        if mend and best.beyond(line_end):
            return found
        if mend and not slip.whole and best.beyond(parser.reached):
            second = second or found
        if slip.sure:
            return second or Diagnostic(slip.code, slip.span, slip.message)
    return second or _plain(place)


def _best(slip: Slip, text: str, place: int, parser: Parser) -> tuple[Reach, Mend]:
    """The mend of a slip with which the parser comes furthest, and how far: what it adds behind the fault
    does not count."""
    best, found = Reach(0, len(text) + 1), Mend()
    for mend in slip.mends:
        stretches = [(*offsets(span, text), new) for span, new in mend]
        grown = sum(len(new) - (end - start) for start, end, new in stretches if start > place)
        reach = parser.reach(apply(mend, text))
        reach = replace(reach, left=reach.left - grown)
        if reach.beyond(best):
            best, found = reach, mend
    return best, found


def _slips(p: Place) -> Iterator[Slip]:
    token = p.token
    if p.chunk.word and p.chunk.word not in DECLARATIONS:
        yield _start(p, p.before[-1] if p.before else token)
        return
    if not p.before:
        return
    yield from foreign_statements(p)
    yield from foreign_operators(p)
    yield from foreign_forms(p)
    yield from _statements(p)
    if token.type == "EQUAL" and "EQ" in p.accepts:
        yield Slip("E0203", p.span, "`=` assigns; to compare, write `==`", (((p.span, "=="),),), sure=False)
    if (
        token.type == "EQUAL"
        and p.previous().lower() in RESERVED
        and p.previous(2) in LINE_STARTS | {"COLON"}
    ):
        yield _reserved(p, p.before[0])
    if token.type.lower() in RESERVED and "NAME" in p.accepts and not OPERAND & p.accepts:
        yield _reserved(p, token)
    yield from _claims(p)
    yield from _misspelt(p)
    yield from _layout(p)


def _start(p: Place, first: Token) -> Slip:
    span, word = p.of(first), str(first)
    near = FOREIGN_STARTS.get(word) or closest(word, sorted(DECLARATIONS))
    second = closest(word, sorted(DECLARATIONS - {near})) if near else None  # `rule` and `rules`
    mends = tuple(((span, each),) for each in (near, second) if each)
    following = p.chunk.tokens[1:4]
    if following and following[0].type == "EQUAL":
        at = Span(p.file, span.line, span.column, span.line, span.column)
        mends = ((at, "const "),), *mends
    if near == "fun" and [str(token) for token in following] == ["main", "(", ")"]:
        mends = (((p.stretch(first, p.chunk.tokens[3]), "rules"),),)
    message = (
        f"`{word}` does not begin a declaration"
        if word[:1].isalpha()
        else f"`{word}` cannot stand in column 1"
    )
    if word in STATEMENTS or not mends:
        message += "; statements are indented under `rules:`, a `rule` or a `fun`"
    return Slip("E0201", span, message, mends)


def _reserved(p: Place, token: Token) -> Slip:
    return Slip("E0209", p.of(token), f"`{token}` is a reserved word and cannot be a name")


def _statements(p: Place) -> Iterator[Slip]:
    token, last = p.token, p.before[0]
    if token.type in ("ELSE", "ELIF") and p.previous() in LINE_STARTS:
        yield Slip("E0213", p.span, f"this `{token}` has no `if` at the same indentation")
    if p.previous() == "ASSERT" or (p.previous(2) == "ASSERT" and token.type != "COLON"):
        yield Slip("E0224", p.span, "an assertion needs a name: `assert never_four: e`")
    unnamed = token.type == "IN" and p.previous() == "NAME" and p.previous(2) == "CHOOSE"
    if unnamed or (token.type == "LPAR" and p.previous() == "CHOOSE"):
        yield Slip("E0223", p.of(last), UNNAMED)
    line = list(takewhile(lambda one: one.type not in LINE_STARTS, p.before))
    if len(line) > 1 and str(line[-2]) == "together" and line[-1].type == "CHOOSE":
        message = "to choose together, write `choose together for p in Player:`, and the actions below it"
        yield Slip("E0223", p.span, message)
    if (
        str(token) in DECLARATIONS
        and last.type in LINE_STARTS
        and p.after is not None
        and p.after.type == "NAME"
    ):
        yield _outdent(p, token, p.span)
    if (
        token.type == "NAME"
        and str(last) in DECLARATIONS
        and last.type == "NAME"
        and p.previous(2) in LINE_STARTS
    ):
        yield _outdent(p, last, p.of(last))


def _outdent(p: Place, token: Token, span: Span) -> Slip:
    margin = Span(p.file, span.line, 1, span.line, span.column)
    message = f"`{token}` begins a declaration and must stand in column 1"
    return Slip("E0207", span, message, (((margin, ""),),))


def _claims(p: Place) -> Iterator[Slip]:
    if p.token.type in ("IF", "FOR", "FORGETTING") and "EXPECT" in (p.previous(2), p.previous(3)):
        yield _late_condition(p)
    if p.previous() == "NAME" and str(p.before[0]) in FORMS and p.previous(2).lower() in FORMS:
        one, two = p.before[1], p.before[0]
        mends = ((p.upto(p.before[2], one), ""),), ((p.upto(one, two), ""),)
        yield Slip("E0221", p.stretch(one, two), f"a property has one form: `{one}` or `{two}`", mends)
    if "ALWAYS" in p.accepts and p.previous() in ("COLON", "_INDENT", "NAME"):
        span = p.span
        forms = "`always`, `never`, `everywhere`, `possible`, `always possible`, `at_end`, `terminates`,"
        others = "`initially`, `ends almost surely`, `at most n`, `at least n`, `maximize` or `from any`"
        message = f"a property needs one of {forms} {others}"
        yield Slip("E0221", span, message, ((_form_meant(p),),))


def _form_meant(p: Place) -> Edit:
    """The form that a word of another language stands for; that one side can win; else `always`."""
    word, after = str(p.token), p.after
    if after is not None and str(after) in ("can", "wins"):
        return p.stretch(p.token, p.rest()[-1]), f"possible winner == {word}"
    used = after is not None and after.type in OPERATORS  # it is a name after all
    near = (None if used else FOREIGN_FORMS.get(word.lower())) or closest(word, sorted(FORMS))
    if p.token.type in ("NAME", "CAN") and near is not None:
        return p.span, near
    return Span(p.file, p.span.line, p.span.column, p.span.line, p.span.column), "always "


def _late_condition(p: Place) -> Slip:
    """`expect refuted if cond:` with its two parts in the other order."""
    expect = next(token for token in p.before if token.type == "EXPECT")
    verdict = p.text[expect.start_pos or 0 : p.before[0].end_pos]
    end, depth = p.token.end_pos or 0, 0
    for token in p.chunk.tokens[len(p.before) :]:
        depth += (token.type in BRACKETS) - (token.type in CLOSING)
        if token.type == "_NEWLINE" or (token.type == "COLON" and depth == 0):
            break
        end, last = token.end_pos or 0, token
    first = p.of(expect)
    both = Span(p.file, first.line, first.column, last.end_line or 1, last.end_column or 1)
    swapped = f"{p.text[p.token.start_pos or 0 : end]} {verdict}"
    message = f"`expect` comes after `{p.token}`"
    return Slip("E0231", both, message, (((both, swapped),),))


def _misspelt(p: Place) -> Iterator[Slip]:
    """A soft word that was written otherwise, here or just before."""
    token, last = p.token, p.before[0]
    soft = sorted(a.lower() for a in p.accepts if a.isalpha() and WORDS.get(a) is None)
    if token.type == "NAME" and (near := closest(str(token), soft)):
        yield Slip("E0222", p.span, f"unexpected `{token}`", (((p.span, near),),), sure=False)
    if last.type == "NAME" and p.previous(2) in LINE_STARTS | {"COLON"}:
        known = [*STATEMENTS, "at", "given", "do", "expect", "cell", "line", "each", "history"]
        if near := closest(str(last), known):
            span = p.of(last)
            yield Slip(
                "E0222",
                span,
                f"unknown word `{last}` at the start of a statement",
                (((span, near),),),
                sure=False,
            )


def _layout(p: Place) -> Iterator[Slip]:
    token, gap = p.token, p.gap()
    if p.accepts == {"_INDENT"} or ("_INDENT" in p.accepts and p.previous() == "_NEWLINE"):
        message = "the line above ends with `:` and needs an indented block"
        yield Slip("E0208", p.span, message)
    if token.type == "_INDENT":
        yield Slip("E0207", p.span, "this line is indented, but no line above opens a block", _level(p))
    if "COLON" in p.accepts and p.previous() not in LINE_STARTS:
        here = Span(p.file, gap.line, gap.column, gap.line, gap.column + 1)
        span = here if token.type in LAYOUT else p.span
        yield Slip("E0206", span, "a `:` is missing here", (((gap, ":"),),), sure=False)
    if "COMMA" in p.accepts and token.type in (
        "NAME",
        "NUMBER",
        "STRING",
        "LPAR",
        "LSQB",
        "LBRACE",
        "NONE",
        "TRUE",
    ):
        yield Slip("E0202", p.span, f"a `,` is missing before `{token}`", (((gap, ","),),), sure=False)


def _level(p: Place) -> tuple[Mend, ...]:
    """The indentation of the line above, for a line that should not be deeper."""
    above = next((x for x in p.before if x.type not in LAYOUT), None)
    if above is None or p.after is None:
        return ()
    lines = p.text.split("\n")
    number = above.line or 1
    width = len(lines[number - 1]) - len(lines[number - 1].lstrip(" "))
    line = p.after.line or 1
    return (((Span(p.file, line, 1, line, p.after.column or 1), " " * width),),)


def _plain(p: Place) -> Diagnostic:
    token = p.token
    if token.type in LAYOUT:
        found = (
            "the line ends too early" if token.type in ("_NEWLINE", "$END") else "the block ends too early"
        )
        if token.type == "$END":
            found = "the expression ends too early"
    else:
        found = f"unexpected `{token}`"
    expected = _expected(p.accepts, token)
    return Diagnostic("E0202", p.span, f"{found}; expected {expected}" if expected else found)


def _expected(accepts: frozenset[str], token: Token) -> str:
    """What could have followed, in words, the likeliest first."""
    out: list[str] = []
    rest = set(accepts)
    if accepts >= OPERAND:
        out.append("an expression")
        rest -= BEGINNINGS
    else:
        rest -= OPERATORS
        if token.type not in LAYOUT and accepts & OPERATORS and not rest - {"_NEWLINE", "SEMICOLON"}:
            out.append("an operator")
    if len(rest) > 12:  # the start of a statement
        return " or ".join(out) or "a statement"
    order = ["NAME", "COLON", "EQUAL", "COMMA", "RPAR", "RSQB", "RBRACE", "_INDENT"]
    rest_in_order = sorted(rest, key=lambda n: (order.index(n) if n in order else 99, n in LAYOUT, n))
    out += [WORDS.get(name) or f"`{name.lower()}`" for name in rest_in_order]
    shown = out[:4]
    return shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1] if shown else ""
