"""Parsing: text -> Module, one declaration at a time, so that a fault spoils only its own declaration."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer as LarkLexer

from kemu_grammar.source import cache
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.keywords import DECLARATIONS
from kemu_grammar.syntax.ast import Declaration, Expr, Module, Span
from kemu_grammar.syntax.faults import Fault
from kemu_grammar.syntax.lexer import Chunk, Lexer
from kemu_grammar.syntax.syntax_hints import Parser, explain_syntax, mended
from kemu_grammar.syntax.to_ast import Builder, BuildError


class _Given(LarkLexer):
    """Lark's lexer: hands on the tokens that lexer.py has cut."""

    def __init__(self, _: object) -> None:
        pass

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override]
        yield from data


class _Machine(Lark):
    """Lark's parser, faster: a rule that only hands on what another one has made needs no work. A name is an
    atom, a postfix, a power and so on up to an expression.
    """

    def _prepare_callbacks(self) -> None:
        super()._prepare_callbacks()
        for rule in self.rules:
            if rule.options.expand1 and not rule.alias and len(rule.expansion) == 1:
                (made,) = rule.expansion
                if not made.is_term and not made.name.startswith("_"):
                    self._callbacks[rule] = itemgetter(0)


@functools.cache
def machine() -> Lark:
    """The LALR parser. Its tables are kept (source/cache.py)."""
    text = (Path(__file__).parent / "kemu.lark").read_text(encoding="utf-8")
    key = hashlib.sha256(f"{lark.__version__} {sys.version} {text}".encode()).hexdigest()[:16]
    name = f"grammar-{key}"
    known = cache.get(name)
    if known is not None:
        with suppress(Exception):
            return _Machine.load(BytesIO(known))
    start = ["declaration", "expression"]
    made = _Machine(
        text, parser="lalr", lexer=_Given, start=start, propagate_positions=True, maybe_placeholders=True
    )
    stream = BytesIO()
    made.save(stream)
    cache.put(name, stream.getvalue())
    return made


def parse(text: str, file: str) -> Module:
    """The syntax tree of a rules file. Raises RulesError with one diagnostic for each faulty declaration."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    scan = Lexer(text, file).scan()
    builder = Builder(text, file, scan.docs, scan.citations, parse_expression)
    declarations: list[Declaration] = []
    faults: list[Diagnostic] = []
    spoilt = False  # the chunk before was faulty: what follows it without a keyword is its rest
    for chunk in scan.chunks:
        found = _chunk(chunk, text, file, builder)
        if isinstance(found, Diagnostic):
            if not (spoilt and chunk.word not in DECLARATIONS):
                faults.append(found)
            spoilt = True
        else:
            declarations.append(found)
            spoilt = False
    if not scan.chunks:
        faults.append(Diagnostic("E0200", Span(file, 1, 1, 1, 1), "the file is empty: it declares nothing"))
    if faults:
        raise RulesError(tuple(sorted(faults, key=lambda d: (d.span.line, d.span.column))))
    lines = text.count("\n") + 1
    whole = Span(file, 1, 1, lines, len(text) - text.rfind("\n"))
    return Module(file, text, tuple(declarations), scan.citations, span=whole)


def _chunk(chunk: Chunk, text: str, file: str, builder: Builder) -> Declaration | Diagnostic:
    if chunk.fault is not None:
        fix = chunk.fault.fix
        if fix is not None and not _parses(mended(fix, chunk, text)):
            return replace(chunk.fault, fix=None)
        return chunk.fault
    try:
        tree = machine().parse(chunk.tokens, start="declaration")
    except UnexpectedToken as error:
        return explain_syntax(
            error.token, chunk, text, file, Parser(_accepts(chunk, error, "declaration"), _parses)
        )
    try:
        built: Declaration = builder.build(tree)
        return built
    except BuildError as error:
        return error.diagnostic


def _accepts(chunk: Chunk, error: UnexpectedToken, start: str) -> frozenset[str]:
    """The terminals that could stand in place of the token in error. Asked before the parser looks at
    that token, since an LALR parser reduces on the strength of it and then knows less."""
    interactive = machine().parse_interactive(start=start)
    for token in chunk.tokens:
        if token is error.token:
            break
        interactive.feed_token(token)
    return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]


def _parses(text: str) -> bool:
    """Whether a text of one or more declarations has no fault of syntax."""
    scan = Lexer(text, "").scan()
    if any(c.fault is not None for c in scan.chunks):
        return False
    builder = Builder(text, "", {}, {}, parse_expression)
    try:
        for chunk in scan.chunks:
            builder.build(machine().parse(chunk.tokens, start="declaration"))
    except (UnexpectedToken, BuildError):
        return False
    return True


def parse_expression(text: str, file: str, start: int, end: int, line: int, line_start: int) -> Expr:
    """The expression in `text[start:end]`, on line `line` which begins at `line_start`. Raises BuildError."""
    builder = Builder(text, file, {}, {}, parse_expression)
    try:
        tokens = Lexer(text, file).expression(start, end, line, line_start)
    except Fault as fault:
        raise BuildError(fault.diagnostic) from None
    here = Span(file, line, start - line_start + 1, line, end - line_start + 1)
    if not tokens:
        raise BuildError(Diagnostic("E0210", here, "the braces in a text must contain an expression"))
    try:
        tree = machine().parse(tokens, start="expression")
    except UnexpectedToken as error:
        chunk = Chunk("", start, tokens, end=end)
        parser = Parser(_accepts(chunk, error, "expression"), lambda _: False)
        raise BuildError(explain_syntax(error.token, chunk, text, file, parser)) from None
    expression: Expr = builder.build(tree)
    return expression
