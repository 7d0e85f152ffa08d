"""The declarations in a piece of text, or the first thing that is wrong with it."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import Any

import lark
from lark import Lark, Token, UnexpectedToken
from lark.lexer import Lexer as LarkLexer

from kemu_grammar.source import cache
from kemu_grammar.source.diagnostics import Diagnostic, apply, offset
from kemu_grammar.syntax.ast import Declaration, Expr, Span
from kemu_grammar.syntax.faults import Fault
from kemu_grammar.syntax.lexer import Chunk, Lexer, Scan
from kemu_grammar.syntax.syntax_hints import Parser, Reach, explain_syntax
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

    @classmethod
    def of_tables(cls, data: bytes) -> Lark:
        """From what `save` wrote, where names are plain texts. A node of a tree is looked up by its rule: not
        by Lark's, which Python hashes and compares, but by another one that is itself only."""
        made = cls.load(BytesIO(data))
        parser = made.parser.parser.parser
        swift = {id(rule): _Rule(rule.expansion, rule.origin) for rule in made.rules}
        for actions in parser.parse_table.states.values():
            for name, (action, rule) in actions.items():
                if id(rule) in swift:
                    actions[name] = action, swift[id(rule)]
        parser.callbacks |= {swift[id(rule)]: parser.callbacks[rule] for rule in made.rules}
        return made


@dataclass(frozen=True, slots=True, eq=False)
class _Rule:
    """What a parser asks of a rule."""

    expansion: Any
    origin: Any


@functools.cache
def machine() -> Lark:
    """The LALR parser. Its tables are kept (source/cache.py)."""
    text = (Path(__file__).parent / "kemu.lark").read_text(encoding="utf-8")
    key = hashlib.sha256(f"{lark.__version__} {sys.version} {text}".encode()).hexdigest()[:16]
    name = f"grammar-{key}"
    known = cache.get(name)
    if known is not None:
        with suppress(Exception):
            return _Machine.of_tables(known)
    start = ["declaration", "expression"]
    made = _Machine(
        text, parser="lalr", lexer=_Given, start=start, propagate_positions=True, maybe_placeholders=True
    )
    stream = BytesIO()
    made.save(stream)
    cache.put(name, stream.getvalue())
    return _Machine.of_tables(stream.getvalue())


def declarations(scan: Scan, text: str, file: str) -> tuple[Declaration, ...] | None:
    """The declarations of a text that was cut into tokens, if there is no fault in it."""
    builder = Builder(text, file, scan.docs, scan.citations, parse_expression)
    if any(chunk.fault is not None for chunk in scan.chunks):
        return None
    try:
        trees = [machine().parse(chunk.tokens, start="declaration") for chunk in scan.chunks]
        return tuple(builder.build(tree) for tree in trees)
    except (UnexpectedToken, BuildError):
        return None


def first_fault(text: str, file: str) -> Diagnostic | None:
    """What is wrong with a text, of several things the one that hides the others, with what mends it."""
    found = _fault(text, file)
    if found is None:
        return None
    reach, fault = found
    if isinstance(fault, _Unparsed):
        parser = Parser(fault.accepts(), reach, reach_of)
        return explain_syntax(fault.error.token, fault.chunk, text, file, parser)
    if fault.mend and not reach_of(apply(fault.mend, text)).beyond(reach):
        return replace(fault, fix=None, also=())
    return fault


def reach_of(text: str) -> Reach:
    """How far a text of one or more declarations can be read."""
    found = _fault(text, "")
    return Reach(3, 0) if found is None else found[0]


@dataclass(frozen=True, slots=True)
class _Unparsed:
    """A token that does not fit, and where."""

    error: UnexpectedToken
    chunk: Chunk
    start: str = "declaration"

    def accepts(self) -> frozenset[str]:
        """The terminals that could stand in place of the token in error. Asked before the parser looks at
        that token, since an LALR parser reduces on the strength of it and then knows less."""
        interactive = machine().parse_interactive(start=self.start)
        for token in self.chunk.tokens:
            if token is self.error.token:
                break
            interactive.feed_token(token)
        return frozenset(interactive.accepts())  # type: ignore[no-untyped-call]


def _fault(text: str, file: str) -> tuple[Reach, Diagnostic | _Unparsed] | None:
    """The first fault of the first stage that has one: cutting into tokens, parsing, making the tree."""
    scan = Lexer(text, file).scan()
    for chunk in scan.chunks:
        if chunk.fault is not None:
            return _reach(0, text, chunk.fault), chunk.fault
    trees = []
    for chunk in scan.chunks:
        try:
            trees.append(machine().parse(chunk.tokens, start="declaration"))
        except UnexpectedToken as error:
            place = error.token.start_pos
            return Reach(1, len(text) - (chunk.end if place is None else place)), _Unparsed(error, chunk)
    builder = Builder(text, file, {}, {}, parse_expression)
    for tree in trees:
        try:
            builder.build(tree)
        except BuildError as error:
            return _reach(2, text, error.diagnostic), error.diagnostic
    return None


def _reach(stage: int, text: str, fault: Diagnostic) -> Reach:
    return Reach(stage, len(text) - offset(text, fault.span.line, fault.span.column))


def parse_expression(text: str, file: str, start: int, end: int, line: int, line_start: int) -> Expr:
    """The expression in `text[start:end]`, on line `line` which begins at `line_start`. Raises BuildError."""
    builder = Builder(text, file, {}, {}, parse_expression)
    try:
        tokens = Lexer(text, file).expression(start, end, line, line_start)
    except Fault as uncut:
        raise BuildError(uncut.diagnostic) from None
    here = Span(file, line, start - line_start + 1, line, end - line_start + 1)
    if not tokens:
        raise BuildError(Diagnostic("E0210", here, "the braces in a text must contain an expression"))
    try:
        tree = machine().parse(tokens, start="expression")
    except UnexpectedToken as error:
        fault = _Unparsed(error, Chunk("", start, tokens, end=end), "expression")
        parser = Parser(fault.accepts(), Reach(2, 0), lambda _: Reach(0, 0))
        raise BuildError(explain_syntax(error.token, fault.chunk, text, file, parser)) from None
    expression: Expr = builder.build(tree)
    return expression
