"""Lark's parse tree -> the syntax tree, part one: expressions, types, statements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from lark import Token, Tree
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span

BLOCK = '"""'  # around a text of several lines
ParseExpression = Callable[[str, str, int, int, int, int], Expr]


class BuildError(Exception):
    """A declaration that parses but means nothing; carries its one diagnostic."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class Maybe(t.Node):
    """`T?` until it is known to stand in a type."""

    inner: Expr
    told = "`?` marks the type of a value that may be missing; this is not a type"


@dataclass(frozen=True, slots=True)
class Defaulted(t.Node):
    """`map[D, T = v]` until it is known to stand for a type."""

    keys: Expr
    values: Expr
    default: Expr
    told = "`map[D, T = v]` is the type of a map with a default; this is not a type"


@dataclass(frozen=True, slots=True)
class Pair:
    key: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Named:
    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Condition:
    test: Expr


@dataclass(frozen=True, slots=True)
class Order:
    chooser: Expr


GENERICS = {"set": 1, "map": 2, "list": 1, "bag": 1, "tuple": 1}  # and how many types each takes at least


class ExpressionBuilder(Transformer_NonRecursive[Token, Any]):
    """Callbacks named as the rules of kemu.lark."""

    def __init__(self, text: str, file: str, parse_expression: ParseExpression) -> None:
        super().__init__(visit_tokens=False)
        self.text_, self.file, self.parse_expression = text, file, parse_expression
        self.pending: dict[int, Maybe | Defaulted] = {}  # what only a type has

    def _call_userfunc(self, tree: Tree[Token], new_children: list[Any] | None = None) -> Any:
        """Instead of Lark's: a callback takes the place and the parts, and raises what it raises."""
        return getattr(self, tree.data)(tree.meta, *(new_children or ()))

    # --------------------------------------------------------------------------------------- helpers

    def span(self, meta: Meta) -> Span:
        if meta.empty:
            return t.NOWHERE
        return Span(self.file, meta.line, meta.column, meta.end_line, meta.end_column)

    def fail(self, code: str, span: Span, message: str, fix: tuple[Span, str] | None = None) -> BuildError:
        return BuildError(Diagnostic(code, span, message, fix=fix))

    def none_pending(self) -> None:
        """Every `?` and every default must have been part of a type by now."""
        for node in self.pending.values():
            raise self.fail("E0211", node.span, node.told)

    # ----------------------------------------------------------------------------------------- types

    def type_of(self, node: Any) -> t.Type:
        """An expression read as a type. Raises BuildError if it is none."""
        span = node.span
        match node:
            case t.Name(id=name):
                return t.NamedType(name, span=span)
            case Maybe(inner=inner):
                self.pending.pop(id(node), None)
                return t.OptionType(self.type_of(inner), span=span)
            case t.Range(low=low, high=Maybe(inner=high) as maybe):
                self.pending.pop(id(maybe), None)
                return t.OptionType(
                    t.RangeType(low, high, span=t.Range(low, high, span=span).span), span=span
                )
            case t.Range(low=low, high=high):
                return t.RangeType(low, high, span=span)
            case t.Index(value=t.Name(id=head), index=index) if head in GENERICS:
                return self.generic(head, index, span)
            case Defaulted(keys=keys, values=values, default=default):
                self.pending.pop(id(node), None)
                return replace(self.generic("map", t.Tuple((keys, values), span=span), span), default=default)
        raise self.fail(
            "E0211",
            span,
            "this is not a type; a type is `bool`, `1..6`, a domain, `T?`, `set[D]`, `map[D, T]`, ...",
        )

    def generic(self, head: Any, index: Expr, span: Span) -> t.GenericType:
        items: tuple[Any, ...] = index.items if isinstance(index, t.Tuple) else (index,)
        least, most = GENERICS[head], {"list": 2, "bag": 2, "tuple": 99}.get(head, GENERICS[head])
        if not least <= len(items) <= most:
            raise self.fail(
                "E0211", span, f"`{head}[...]` takes {least if least == most else f'{least} or {most}'} parts"
            )
        binder, size = None, None
        match head, items[0]:
            case "map", t.Compare(first=t.Name(id=name), rest=(("in", domain),)):
                binder, items = name, (domain, items[1])
        if head in ("list", "bag") and len(items) == 2:
            size, items = items[1], items[:1]
        return t.GenericType(head, tuple(self.type_of(i) for i in items), size, binder, span=span)

    def optional_type(self, node: Any) -> t.Type | None:
        return None if node is None else self.type_of(node)

    # ----------------------------------------------------------------------------------- expressions

    def number(self, meta: Meta, token: Token) -> Expr:
        return t.Number(int(token), span=self.span(meta))

    def name(self, meta: Meta, token: Token) -> Expr:
        return t.Name(str(token), span=self.span(meta))

    def nothing(self, meta: Meta) -> Expr:
        return t.Nothing(span=self.span(meta))

    def true_(self, meta: Meta) -> Expr:
        return t.Truth(True, span=self.span(meta))

    def false_(self, meta: Meta) -> Expr:
        return t.Truth(False, span=self.span(meta))

    def group(self, meta: Meta, inner: Expr) -> Expr:
        return inner

    def text(self, meta: Meta, token: Token) -> Expr:
        return t.Text(self.parts(token), span=self.span(meta))

    def plain(self, token: Token) -> str:
        """The text of a string without interpolation."""
        return token[len(BLOCK) : -len(BLOCK)] if token.startswith(BLOCK) else unescape(token[1:-1])

    def parts(self, token: Token) -> tuple[str | Expr, ...]:
        """The pieces of `"stock {n}"`; a text of several lines is taken as it stands."""
        if token.startswith(BLOCK):
            return (self.plain(token),) if len(token) > 2 * len(BLOCK) else ()
        start = token.start_pos or 0
        line_start = start - (token.column or 1) + 1
        body, out, piece, at = str(token), list[str | Expr](), "", 1
        while at < len(body) - 1:
            char = body[at]
            if char == "\\":
                piece += unescape(body[at : at + 2])
                at += 2
            elif char in "{}" and body[at + 1] == char:
                piece += char
                at += 2
            elif char == "{":
                end = closing_brace(body, at)
                if end < 0:
                    raise self.brace(token, at, "this `{` has no `}`; a brace itself is written `{{`")
                if piece:
                    out.append(piece)
                piece = ""
                line = token.line or 1
                inner = self.parse_expression(
                    self.text_, self.file, start + at + 1, start + end, line, line_start
                )
                out.append(inner)
                at = end + 1
            elif char == "}":
                raise self.brace(token, at, "this `}` has no `{`; a brace itself is written `}}`")
            else:
                piece += char
                at += 1
        if piece:
            out.append(piece)
        return tuple(out)

    def brace(self, token: Token, at: int, message: str) -> BuildError:
        line, column = token.line or 1, (token.column or 1) + at
        return self.fail("E0210", Span(self.file, line, column, line, column + 1), message)

    def implies(self, meta: Meta, left: Expr, right: Expr) -> Expr:
        return t.Binary("implies", left, right, span=self.span(meta))

    def choice(self, meta: Meta, then: Expr, test: Expr, other: Expr) -> Expr:
        return t.Choice(test, then, other, span=self.span(meta))

    def or_(self, meta: Meta, *items: Expr) -> Expr:
        return t.Logic("or", items, span=self.span(meta))

    def and_(self, meta: Meta, *items: Expr) -> Expr:
        return t.Logic("and", items, span=self.span(meta))

    def not_(self, meta: Meta, operand: Expr) -> Expr:
        return t.Unary("not", operand, span=self.span(meta))

    def compare(self, meta: Meta, first: Expr, *rest: Any) -> Expr:
        pairs = tuple((str(op), right) for op, right in zip(rest[::2], rest[1::2], strict=True))
        return t.Compare(first, pairs, span=self.span(meta))  # type: ignore[arg-type]

    def presence(self, meta: Meta, value: Expr, token: Token) -> Expr:
        return t.Presence(value, ("some" in token) != ("not" in token), span=self.span(meta))

    def range(self, meta: Meta, low: Expr, high: Expr) -> Expr:
        return t.Range(low, high, span=self.span(meta))

    def binary(self, meta: Meta, left: Expr, op: Any, right: Expr) -> Expr:
        return t.Binary(str(op), left, right, span=self.span(meta))  # type: ignore[arg-type]

    def unary(self, meta: Meta, op: Any, operand: Expr) -> Expr:
        return t.Unary(str(op), operand, span=self.span(meta))  # type: ignore[arg-type]

    def get(self, meta: Meta, value: Expr, name: Token) -> Expr:
        return t.Field(value, str(name), span=self.span(meta))

    def index(self, meta: Meta, value: Expr, *items: Expr) -> Expr:
        items = tuple(i for i in items if i is not None)
        if len(items) == 1:
            return t.Index(value, items[0], span=self.span(meta))
        first, last = items[0].span, items[-1].span
        inner = Span(self.file, first.line, first.column, last.end_line, last.end_column)
        return t.Index(value, t.Tuple(items, span=inner), span=self.span(meta))

    def slice(self, meta: Meta, value: Expr, low: Expr | None, _: Token, high: Expr | None) -> Expr:
        return t.Slice(value, low, high, span=self.span(meta))

    def after(self, meta: Meta, value: Expr, action: Expr) -> Expr:
        if not isinstance(action, t.Call) or not isinstance(action.value, t.Name):
            raise self.fail("E0229", action.span, "behind `after` a rule is called: `safe(p) after step(a)`")
        return t.After(value, action, span=self.span(meta))

    def can(self, meta: Meta, action: Expr, actor: Expr | None) -> Expr:
        span = self.span(meta)
        match action:
            case t.Name(id=name):
                return t.Can(name, None, actor, span=span)
            case t.Call(value=t.Name(id=name), args=args, named=()):
                return t.Can(name, args, actor, span=span)
        raise self.fail("E0229", action.span, "behind `can` an action is named: `can take(c)`, `can take`")

    def maybe(self, meta: Meta, inner: Expr) -> Any:
        node = Maybe(inner, span=self.span(meta))
        self.pending[id(node)] = node
        return node

    def with_default(self, meta: Meta, head: Expr, keys: Expr, values: Expr, default: Expr) -> Any:
        if not isinstance(head, t.Name) or head.id != "map":
            raise self.fail("E0211", head.span, "only the type of a map has a default: `map[D, T = v]`")
        node = Defaulted(keys, values, default, span=self.span(meta))
        self.pending[id(node)] = node
        return node

    def call(self, meta: Meta, value: Expr, *args: Any) -> Expr:
        if isinstance(value, t.Tuple | t.SetOf | t.MapOf | t.ListOf | t.Number | t.Text):
            whole, last = self.span(meta), value.span
            at = Span(self.file, last.end_line, last.end_column, last.end_line, last.end_column)
            rest = Span(self.file, at.line, at.column, whole.end_line, whole.end_column)
            raise self.fail("E0202", rest, "a `,` is missing before this", (at, ","))
        named = tuple((a.name, a.value) for a in args if isinstance(a, Named))
        plain = tuple(a for a in args if a is not None and not isinstance(a, Named))
        seen_named = False
        for a in args:
            if isinstance(a, Named):
                seen_named = True
            elif a is not None and seen_named:
                raise self.fail("E0212", a.span, "arguments without a name come before those with one")
        return t.Call(value, plain, named, span=self.span(meta))

    def argument(self, meta: Meta, value: Expr) -> Any:
        return value

    def named(self, meta: Meta, name: Token, value: Expr) -> Any:
        return Named(str(name), value)

    def arrow(self, meta: Meta, left: Expr, body: Expr) -> Expr:
        params = left.items if isinstance(left, t.Tuple) else (left,)
        names = tuple(p.id for p in params if isinstance(p, t.Name))
        if len(names) != len(params):
            raise self.fail("E0212", left.span, "before `->` there must be a name, or names in parentheses")
        return t.Arrow(names, body, span=self.span(meta))

    def each_(self, meta: Meta, element: Expr, *clauses: t.Clause) -> Expr:
        return t.Comprehension("each", element, clauses, span=self.span(meta))

    def list_comprehension(self, meta: Meta, element: Expr, *clauses: t.Clause) -> Expr:
        return t.Comprehension("list", element, clauses, span=self.span(meta))

    def set_comprehension(self, meta: Meta, element: Expr, *clauses: t.Clause) -> Expr:
        return t.Comprehension("set", element, clauses, span=self.span(meta))

    def map_comprehension(self, meta: Meta, pair: Pair, *clauses: t.Clause) -> Expr:
        return t.Comprehension("map", pair.value, clauses, pair.key, span=self.span(meta))

    def tuple_(self, meta: Meta, *items: Expr | None) -> Expr:
        return t.Tuple(tuple(i for i in items if i is not None), span=self.span(meta))

    def list_(self, meta: Meta, *items: Expr | None) -> Expr:
        return t.ListOf(tuple(i for i in items if i is not None), span=self.span(meta))

    def set_(self, meta: Meta, *items: Expr | None) -> Expr:
        given = tuple(i for i in items if i is not None)
        return t.SetOf(given, span=self.span(meta)) if given else t.MapOf((), span=self.span(meta))

    def map_(self, meta: Meta, *pairs: Pair | None) -> Expr:
        given = tuple((p.key, p.value) for p in pairs if p is not None)
        return t.MapOf(given, span=self.span(meta))

    def pair(self, meta: Meta, key: Expr, value: Expr) -> Pair:
        return Pair(key, value)

    def targets(self, meta: Meta, *names: Token) -> tuple[str, ...]:
        return tuple(str(n) for n in names)

    def condition(self, meta: Meta, test: Expr) -> Condition:
        return Condition(test)

    def clause(self, meta: Meta, targets: tuple[str, ...], source: Expr, *conditions: Condition) -> t.Clause:
        return t.Clause(targets, source, tuple(c.test for c in conditions), span=self.span(meta))


def unescape(text: str) -> str:
    r"""`\"`, `\\` and `\n` as the characters they stand for."""
    out, at = "", 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text):
            out += {"n": "\n"}.get(text[at + 1], text[at + 1])
            at += 2
        else:
            out += text[at]
            at += 1
    return out


def closing_brace(body: str, at: int) -> int:
    """Where the brace that opens at `at` closes, or -1."""
    depth = 0
    for here in range(at, len(body) - 1):
        depth += {"{": 1, "}": -1}.get(body[here], 0)
        if depth == 0:
            return here
    return -1
