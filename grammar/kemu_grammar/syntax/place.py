"""Where the parser stopped, and a guess at what went wrong there."""

from __future__ import annotations

from dataclasses import dataclass

from lark import Token

from kemu_grammar.source.diagnostics import Edit
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.faults import span_of
from kemu_grammar.syntax.lexer import Chunk

LAYOUT = frozenset({"_NEWLINE", "_INDENT", "_DEDENT", "$END"})
LINE_STARTS = frozenset({"_NEWLINE", "_INDENT", "_DEDENT", "SEMICOLON"})
BRACKETS = frozenset({"LPAR", "LSQB", "LBRACE"})
CLOSING = frozenset({"RPAR", "RSQB", "RBRACE"})
OPERAND = frozenset({"NUMBER", "STRING", "LBRACE"})
Mend = tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Slip:
    """A guess at what went wrong. `mends`: ways to put it right, the likeliest first. `sure`: said even if
    none of them helps. `whole`: a mend helps only if its line is then without fault."""

    code: str
    span: Span
    message: str
    mends: tuple[Mend, ...] = ()
    sure: bool = True
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The token that does not fit, those before it (nearest first), those from it on, and the terminals
    that could have stood there."""

    token: Token
    before: tuple[Token, ...]
    onward: tuple[Token, ...]
    accepts: frozenset[str]
    span: Span
    chunk: Chunk
    text: str
    file: str

    @property
    def after(self) -> Token | None:
        return self.onward[1] if len(self.onward) > 1 else None

    def previous(self, n: int = 1) -> str:
        """The type of the n-th token before."""
        return self.before[n - 1].type if len(self.before) >= n else ""

    def of(self, token: Token) -> Span:
        return span_of(token, self.file)

    def gap(self) -> Span:
        """The place right after the token before."""
        last = self.before[0] if self.before else self.token
        return self.behind(last)

    def behind(self, token: Token) -> Span:
        line, column = token.end_line or 1, token.end_column or 1
        return Span(self.file, line, column, line, column)

    def stretch(self, first: Token, last: Token) -> Span:
        """From the start of a token to the end of another."""
        start, end = self.of(first), self.of(last)
        return Span(self.file, start.line, start.column, end.end_line, end.end_column)

    def upto(self, first: Token, last: Token) -> Span:
        """From the end of a token to the end of another."""
        start, end = self.behind(first), self.of(last)
        return Span(self.file, start.line, start.column, end.end_line, end.end_column)

    def source(self, first: Token, last: Token) -> str:
        """What is written from a token to another."""
        return self.text[first.start_pos or 0 : last.end_pos]

    def line(self) -> list[Token]:
        """The tokens before, from the start of their statement, in order."""
        found: list[Token] = []
        for token in self.before:
            if token.type in LINE_STARTS:
                break
            found.insert(0, token)
        return found

    def rest(self) -> list[Token]:
        """The tokens from here to the end of the statement or of the bracket it stands in, in order."""
        found: list[Token] = []
        depth = 0
        for token in self.onward:
            depth += (token.type in BRACKETS) - (token.type in CLOSING)
            if depth < 0 or (depth == 0 and token.type in LAYOUT | {"SEMICOLON"}):
                break
            found.append(token)
        return found


def place_of(token: Token, chunk: Chunk, text: str, file: str, accepts: frozenset[str]) -> Place:
    at = next((i for i, x in enumerate(chunk.tokens) if x is token), len(chunk.tokens))
    before = tuple(reversed(chunk.tokens[:at]))
    span = span_of(token, file)
    if token.type in LAYOUT and before:
        last = before[0]
        if token.type != "_INDENT" and last.type not in LAYOUT:
            line, column = last.end_line or 1, last.end_column or 1
            span = Span(file, line, column, line, column + 1)
    return Place(token, before, tuple(chunk.tokens[at:]) or (token,), accepts, span, chunk, text, file)
