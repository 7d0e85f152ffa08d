"""Lark's parse tree -> the syntax tree, part five: declarations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from lark import Token, Tree
from lark.tree import Meta

from kemu_grammar.source.keywords import MARK
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.to_ast_expressions import BuildError, ParseExpression
from kemu_grammar.syntax.to_ast_statements import flat
from kemu_grammar.syntax.to_ast_views import ViewBuilder

__all__ = ["BuildError", "Builder"]

Sort = Literal["option", "edition", "reading"]


class Builder(ViewBuilder):
    """Callbacks named as the rules of kemu.lark. `docs` and `citations` are those of the lexer."""

    def __init__(
        self,
        text: str,
        file: str,
        docs: dict[int, str],
        citations: dict[int, tuple[str, ...]],
        parse_expression: ParseExpression,
    ) -> None:
        super().__init__(text, file, parse_expression)
        self.docs, self.citations = docs, citations

    def build(self, tree: Tree[Token]) -> Any:
        """The declaration or expression. Raises BuildError."""
        self.pending.clear()
        result = self.transform(tree)
        self.none_pending()
        return result

    def head(self, meta: Meta) -> dict[str, Any]:
        """What every declaration carries: its span, its doc comment, its citations."""
        first = last = meta.line
        lines: list[str] = []
        while first - 1 in self.docs:
            first -= 1
            lines.insert(0, self.docs[first])
        doc = "\n".join(lines)
        cites = (*MARK.findall(doc), *self.citations.get(last, ()))
        return {"span": self.span(meta), "doc": doc, "cites": tuple(dict.fromkeys(cites))}

    # -------------------------------------------------------------------------------------- the game

    def language(self, meta: Meta, number: Token) -> t.Language:
        return t.Language(int(number), **self.head(meta))

    def proves(self, meta: Meta, file: Token) -> t.Proves:
        return t.Proves(self.plain(file), **self.head(meta))

    def title(self, meta: Meta, text: Token) -> t.Title:
        return t.Title(self.plain(text), **self.head(meta))

    def names(self, meta: Meta, *names: Token | None) -> tuple[str, ...]:
        return tuple(str(n) for n in names if n is not None)

    def players(self, meta: Meta, names: tuple[str, ...]) -> t.Players:
        return t.Players(names, **self.head(meta))

    def some_players(self, meta: Meta, low: Expr, high: Expr, names: tuple[str, ...]) -> t.Players:
        return t.Players(names, low, high, **self.head(meta))

    def constant(self, value: Expr) -> str | int | bool:
        """An option's value: a word, a number or a truth value."""
        known = t.plain_value(value)
        if known is None:
            raise self.fail("E0217", value.span, "this must be a word, a number, `true` or `false`")
        return known

    def values(self, node: Expr) -> Any:
        if isinstance(node, t.Range):
            return t.RangeType(node.low, node.high, span=node.span)
        if isinstance(node, t.Name) and node.id == "bool":
            return "bool"
        items: list[Expr] = []
        while isinstance(node, t.Binary) and node.op == "|":
            items.insert(0, node.right)
            node = node.left
        return tuple(self.constant(i) for i in (node, *items))

    def option(self, meta: Meta, name: Token, values: Expr, default: Expr) -> t.Option:
        return self._option("option", str(name), values, default, meta)

    def edition(self, meta: Meta, values: Expr, default: Expr) -> t.Option:
        return self._option("edition", "edition", values, default, meta)

    def reading(self, meta: Meta, name: Token, text: Token | None, values: Expr, default: Expr) -> t.Option:
        option = self._option("reading", str(name), values, default, meta)
        return option if text is None else replace(option, text=self.plain(text))

    def _option(self, kind: Sort, name: str, values: Expr, default: Expr, meta: Meta) -> t.Option:
        """A default that is a value is kept as that, one that depends on other options as an expression."""
        known, given = self.values(values), t.plain_value(default)
        named = isinstance(default, t.Name) and not (isinstance(known, tuple) and given in known)
        kept = default if given is None or named else given
        return t.Option(kind, name, known, kept, **self.head(meta))

    def needs(self, meta: Meta, condition: Expr) -> t.Needs:
        return t.Needs(condition, **self.head(meta))

    def use(self, meta: Meta, module: Token) -> t.Use:
        return t.Use(str(module), **self.head(meta))

    def setting(self, meta: Meta, name: Token, value: Expr) -> tuple[str, str | int | bool]:
        return str(name), self.constant(value)

    def like(self, meta: Meta, name: Token) -> Token:
        return name

    def instance(
        self, meta: Meta, name: Token, *settings: tuple[str, str | int | bool] | Token | None
    ) -> t.Instance:
        first, *rest = (s for s in settings if s is not None)
        for s in rest:
            if isinstance(s, Token):
                message = "`like` comes once, before the settings of an instance"
                raise self.fail("E0225", self.token_span(s), message)
        own = tuple(s for s in (first, *rest) if not isinstance(s, Token))
        like = str(first) if isinstance(first, Token) else ""
        return t.Instance(str(name), own, like, **self.head(meta))

    # ------------------------------------------------------------------------------------------ data

    def domain(self, meta: Meta, name: Token, value: Expr) -> t.Domain:
        return t.Domain(str(name), value, **self.head(meta))

    def fields(self, meta: Meta, *fields: tuple[str, t.Type] | None) -> tuple[tuple[str, t.Type], ...]:
        return tuple(f for f in fields if f is not None)

    def field(self, meta: Meta, name: Token, type_: Any) -> tuple[str, t.Type]:
        return str(name), self.type_of(type_)

    def product(self, meta: Meta, name: Token, fields: tuple[tuple[str, t.Type], ...]) -> t.Domain:
        return t.Domain(str(name), None, fields, **self.head(meta))

    def enum(self, meta: Meta, name: Token, *lines: tuple[str, ...]) -> t.Enum:
        return t.Enum(str(name), tuple(n for line in lines for n in line), **self.head(meta))

    def record(self, meta: Meta, name: Token, fields: tuple[tuple[str, t.Type], ...]) -> t.Record:
        return t.Record(str(name), fields, **self.head(meta))

    def row(self, meta: Meta, name: Token, *values: Expr) -> tuple[str, tuple[Expr, ...], Span]:
        return str(name), values, self.span(meta)

    def table_rows(
        self, meta: Meta, name: Token, columns: tuple[tuple[str, t.Type], ...], *rows: Any
    ) -> t.Table:
        for row_name, values, span in rows:
            if len(values) != len(columns):
                message = (
                    f"the row `{row_name}` has {len(values)} values, but the table has {len(columns)} columns"
                )
                raise self.fail("E0218", span, message)
        return t.Table(str(name), columns, tuple(r[:2] for r in rows), **self.head(meta))

    def table_file(self, meta: Meta, name: Token, file: Token, *columns: tuple[str, t.Type]) -> t.Table:
        return t.Table(str(name), columns, (), self.plain(file), **self.head(meta))

    def const(self, meta: Meta, name: Token, type_: Any, value: Expr) -> t.Const:
        return t.Const(str(name), self.optional_type(type_), value, **self.head(meta))

    def check(self, meta: Meta, condition: Expr) -> t.Check:
        return t.Check(condition, **self.head(meta))

    def under(self, meta: Meta, condition: Expr, *declarations: t.Declaration) -> t.Under:
        return t.Under(condition, declarations, **self.head(meta))

    # -------------------------------------------------------------------------------- funs and rules

    def parameters(self, meta: Meta, *params: t.FunParameter | None) -> tuple[t.FunParameter, ...]:
        return tuple(p for p in params if p is not None)

    def parameter(
        self, meta: Meta, inout: Token | None, name: Token, type_: Any, default: Expr | None
    ) -> t.FunParameter:
        kind = self.optional_type(type_)
        return t.FunParameter(str(name), kind, default, inout is not None, span=self.span(meta))

    def fun(self, meta: Meta, name: Token, params: Any, recursive: Any, result: Any, block: t.Block) -> t.Fun:
        body: Any = block
        if len(block) == 1 and isinstance(block[0], t.Do) and not isinstance(block[0].value, t.Event):
            body = block[0].value
        kind = self.optional_type(result)
        return t.Fun(str(name), params or (), kind, body, recursive, **self.head(meta))

    def rule(self, meta: Meta, name: Token, params: Any, result: Any, block: t.Block) -> t.Rule:
        return t.Rule(str(name), params or (), self.optional_type(result), block, **self.head(meta))

    def rules(self, meta: Meta, block: t.Block) -> t.Rules:
        return t.Rules(block, **self.head(meta))

    def state(self, meta: Meta, *variables: Any) -> t.State:
        return t.State(flat(variables), **self.head(meta))  # type: ignore[arg-type]

    def each(
        self, meta: Meta, name: Token, source: Expr, *variables: t.StateVariable
    ) -> tuple[t.StateVariable, ...]:
        return tuple(replace(v, each=(str(name), source)) for v in variables)

    def variable(
        self,
        meta: Meta,
        name: Token,
        type_: Any,
        unique: Token | None,
        secret: Expr | None,
        initial: Expr | None,
    ) -> t.StateVariable:
        kind = self.type_of(type_)
        return t.StateVariable(str(name), kind, initial, None, secret, unique is not None, **self.head(meta))

    def history(self, meta: Meta, name: Token, *of: Token) -> t.StateVariable:
        names = tuple(t.Name(str(one), span=self.token_span(one)) for one in of)
        return t.StateVariable(str(name), t.HistoryType(names, span=self.span(meta)), **self.head(meta))

    def secret(self, meta: Meta, to: Expr | Token) -> Expr:
        return t.Nothing(span=self.span(meta)) if isinstance(to, Token) else to
