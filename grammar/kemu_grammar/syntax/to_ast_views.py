"""Lark's parse tree -> the syntax tree, part four: views."""

from __future__ import annotations

from typing import Any

from lark import Token
from lark.tree import Meta

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr
from kemu_grammar.syntax.to_ast_claims import ClaimBuilder
from kemu_grammar.syntax.to_ast_expressions import Condition

Gone = tuple[tuple[t.Clause, ...], tuple[Expr, ...]]  # what a drawing goes through; its conditions if nothing


class ViewBuilder(ClaimBuilder):
    """Callbacks named as the rules of kemu.lark."""

    def view(self, meta: Meta, name: Token, *items: t.Spot | t.Line | t.Ground | t.Drawn) -> t.View:
        return t.View(str(name), items, **self.head(meta))

    def spot(self, meta: Meta, targets: tuple[str, ...], source: Expr, *rest: Any) -> t.Spot:
        *conditions, clauses, position, glyph = rest
        tests = tuple(c.test for c in conditions)
        first = t.Clause(targets, source, tests, span=source.span)
        return t.Spot((first, *clauses), position, glyph, span=self.span(meta))

    def picture_line(
        self, meta: Meta, text: Expr, clauses: tuple[t.Clause, ...], label: Token | None
    ) -> t.Line:
        return t.Line(text, clauses, None, label and str(label), span=self.span(meta))

    def line_if(self, meta: Meta, text: Expr, condition: Condition, label: Token | None) -> t.Line:
        return t.Line(text, (), condition.test, label and str(label), span=self.span(meta))

    def clauses(self, meta: Meta, *clauses: t.Clause) -> tuple[t.Clause, ...]:
        return clauses

    # --------------------------------------------------------------------------------------- drawings

    def ground(self, meta: Meta, kind: Token) -> t.Ground:
        return t.Ground(str(kind), span=self.span(meta))

    def drawing(self, meta: Meta, shape: Token, gone: Gone, *rest: Any) -> t.Drawn:
        *words, text = rest
        return t.Drawn(str(shape), *gone, tuple(words), text, span=self.span(meta))

    def drawn_of(self, meta: Meta, *parts: Any) -> Gone:
        if not parts or isinstance(parts[0], Condition):
            return (), tuple(c.test for c in parts)
        targets, source, *conditions, clauses = parts
        first = t.Clause(targets, source, tuple(c.test for c in conditions), span=source.span)
        return (first, *clauses), ()

    def drawn_text(self, meta: Meta, *text: Expr) -> Expr | None:
        return text[0] if text else None

    def drawn_word(self, meta: Meta, word: Token, *values: Expr) -> t.DrawnWord:
        return t.DrawnWord(str(word), values, span=self.span(meta))
