"""Lark's parse tree -> the syntax tree, part two: statements and blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lark import Token
from lark.tree import Meta

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.endings import FORMS, advice, meant
from kemu_grammar.syntax.to_ast_expressions import Condition, ExpressionBuilder, Order


class StatementBuilder(ExpressionBuilder):
    """Callbacks named as the rules of kemu.lark."""

    def block(self, meta: Meta, *statements: Any) -> t.Block:
        return flat(statements)

    def line(self, meta: Meta, *statements: Any) -> t.Block:
        other = statements[-1] if statements and isinstance(statements[-1], Otherwise) else None
        smalls = tuple(s for s in statements if s is not None and not isinstance(s, Otherwise))
        if other is None:
            return smalls
        last = smalls[-1]
        if not isinstance(last, t.Choose) or last.other is not None:
            raise self.fail("E0213", other.span, "this `else:` belongs to neither an `if` nor a `choose`")
        return (*smalls[:-1], replace(last, other=other.block))

    def otherwise(self, meta: Meta, _: Token, block: t.Block) -> Otherwise:
        return Otherwise(block, self.span(meta))

    def assign(self, meta: Meta, target: Expr, op: Token, value: t.Value) -> t.Statement:
        root: Expr = target
        while isinstance(root, t.Index | t.Field):
            root = root.value
        if not isinstance(root, t.Name):
            raise self.fail("E0214", target.span, "only a variable, or a part of one, can be assigned to")
        return t.Assign(target, str(op), value, span=self.span(meta))  # type: ignore[arg-type]

    def declare(self, meta: Meta, name: Token, type_: Any, value: t.Value) -> t.Statement:
        target = t.Name(str(name), span=self.token_span(name))
        return t.Assign(target, "=", value, self.type_of(type_), span=self.span(meta))

    def token_span(self, token: Token) -> Span:
        line, column = token.line or 1, token.column or 1
        return Span(self.file, line, column, token.end_line or line, token.end_column or column)

    def do(self, meta: Meta, value: t.Value) -> t.Statement:
        return t.Do(value, span=self.span(meta))

    def draw_name(
        self, meta: Meta, drawn: Expr, source: Expr, target: Expr | None, condition: Expr | None
    ) -> t.Statement:
        span = self.span(meta)
        if target is not None:
            if condition is not None:
                told = "what is drawn straight into a zone has no name for a condition; draw one by one"
                raise self.fail("E0227", condition.span, told)
            return t.Deal(drawn, source, target, span=span)
        if not isinstance(drawn, t.Name):
            told = (
                "`draw c from deck` gives what is drawn a name, `draw 5 from deck to hand` puts it somewhere"
            )
            raise self.fail("E0227", drawn.span, told)
        return t.Assign(drawn, "=", t.Draw(source, condition, span=span), span=span)

    def roll(self, meta: Meta, first: Expr, second: Expr | None) -> t.Roll:
        span = self.span(meta)
        return t.Roll(first, span=span) if second is None else t.Roll(second, first, span=span)

    def draw(self, meta: Meta, source: Expr, condition: Expr | None) -> t.Draw:
        return t.Draw(source, condition, span=self.span(meta))

    def again(self, meta: Meta) -> t.Statement:
        return t.Again(span=self.span(meta))

    def break_(self, meta: Meta) -> t.Statement:
        return t.Break(span=self.span(meta))

    def continue_(self, meta: Meta) -> t.Statement:
        return t.Continue(span=self.span(meta))

    def pass_(self, meta: Meta) -> t.Statement:
        return t.Pass(span=self.span(meta))

    def return_(self, meta: Meta, value: Expr | None) -> t.Statement:
        return t.Return(value, span=self.span(meta))

    def move(self, meta: Meta, what: Expr, source: Expr, target: Expr) -> t.Statement:
        return t.Move(what, False, source, target, span=self.span(meta))

    def move_all(self, meta: Meta, *parts: Expr) -> t.Statement:
        what = parts[0] if len(parts) == 3 else None
        return t.Move(what, True, parts[-2], parts[-1], span=self.span(meta))

    def end(self, meta: Meta, result: Expr) -> t.Statement:
        span = self.span(meta)
        match result:
            case t.Name(id="tie"):
                return t.End("tie", None, span=span)
            case t.Call(value=t.Name(id="win" | "rank" | "pays" as kind), args=(value,), named=()):
                return t.End(kind, value, span=span)
        guess = meant(result)
        if guess is not None:
            raise self.fail("E0215", result.span, advice(guess), (result.span, guess))
        raise self.fail("E0215", result.span, FORMS, (result.span, "tie"))

    def require(self, meta: Meta, most: Token | None, condition: Expr) -> t.Statement:
        return t.Require(condition, most is not None, span=self.span(meta))

    def assertion(self, meta: Meta, name: Token, condition: Expr) -> t.Statement:
        return t.Assert(str(name), condition, span=self.span(meta))

    def note(self, meta: Meta, name: Token) -> t.Statement:
        return t.Note(t.Name(str(name), span=self.token_span(name)), span=self.span(meta))

    def forget(self, meta: Meta, name: Token) -> t.Statement:
        return t.Forget(t.Name(str(name), span=self.token_span(name)), span=self.span(meta))

    def if_(self, meta: Meta, *parts: Any) -> t.Statement:
        other: t.Block = ()
        if isinstance(parts[-1], Otherwise):
            other = parts[-1].block
        parts = tuple(p for p in parts if p is not None and not isinstance(p, Otherwise))
        branches = tuple(zip(parts[::2], parts[1::2], strict=True))
        return t.If(branches, other, span=self.span(meta))

    def else_(self, meta: Meta, block: t.Block) -> Otherwise:
        return Otherwise(block, self.span(meta))

    def for_(self, meta: Meta, targets: tuple[str, ...], source: Expr, *rest: Any) -> t.Statement:
        *clauses, body = rest
        conditions = tuple(c.test for c in clauses if isinstance(c, Condition))
        orders = [c.chooser for c in clauses if isinstance(c, Order)]
        if len(orders) > 1:
            raise self.fail("E0216", orders[1].span, "a loop can have only one `in order of`")
        order = orders[0] if orders else None
        return t.For(targets, source, conditions, body, order, span=self.span(meta))

    def order(self, meta: Meta, chooser: Expr) -> Order:
        return Order(chooser)

    def while_(self, meta: Meta, test: Expr, body: t.Block) -> t.Statement:
        return t.While(test, body, span=self.span(meta))

    def repeat(self, meta: Meta, bound: Expr, body: t.Block) -> t.Statement:
        return t.Repeat(bound, body, span=self.span(meta))

    def path(self, meta: Meta, name: Token, source: Expr, *rest: Any) -> t.Statement:
        *clauses, bound, may, body = rest
        conditions = tuple(c.test for c in clauses if isinstance(c, Condition))
        return t.Path(str(name), source, conditions, bound, may is not None, body, span=self.span(meta))

    def choose(
        self,
        meta: Meta,
        sealed: Token | None,
        may: Token | None,
        name: Token,
        params: tuple[t.Parameter, ...] | None,
        actor: Expr | None,
        condition: Expr | None,
    ) -> t.Statement:
        span = self.span(meta)
        arm = t.Arm(str(name), params or (), condition, None, span=self.token_span(name))
        return t.Choose(actor, (arm,), may is not None, sealed=sealed is not None, span=span)

    def menu(
        self, meta: Meta, sealed: Token | None, may: Token | None, actor: Expr | None, *parts: Any
    ) -> t.Statement:
        return replace(self._menu(may, actor, parts, self.span(meta)), sealed=sealed is not None)

    def _menu(self, may: Token | None, actor: Expr | None, parts: tuple[Any, ...], span: Span) -> t.Choose:
        arms = tuple(p for p in parts if isinstance(p, t.Arm))
        others = [p for p in parts if isinstance(p, Otherwise)]
        if len(others) > 1:
            raise self.fail("E0213", others[1].span, "this `choose` already has an `else:`")
        other = others[0].block if others else None
        return t.Choose(actor, arms, may is not None, other, span=span)

    def together(self, meta: Meta, may: Token | None, name: Token, source: Expr, *parts: Any) -> t.Statement:
        conditions = tuple(p.test for p in parts if isinstance(p, Condition))
        clause = t.Clause((str(name),), source, conditions, span=self.token_span(name))
        menu = self._menu(may, t.Name(str(name), span=self.token_span(name)), parts, self.span(meta))
        return replace(menu, together=clause)

    def arm(
        self,
        meta: Meta,
        name: Token,
        params: tuple[t.Parameter, ...] | None,
        condition: Expr | None,
        body: t.Block,
    ) -> t.Arm:
        return t.Arm(str(name), params or (), condition, body, span=self.span(meta))

    def arm_parameters(self, meta: Meta, *params: t.Parameter | None) -> tuple[t.Parameter, ...]:
        return tuple(p for p in params if p is not None)

    def arm_parameter(self, meta: Meta, name: Token, source: Expr) -> t.Parameter:
        return t.Parameter(str(name), source, span=self.span(meta))


class Otherwise:
    """An `else:` and its block, on the way to the statement that it belongs to."""

    __slots__ = ("block", "span")

    def __init__(self, block: t.Block, span: Span) -> None:
        self.block, self.span = block, span


def flat(statements: tuple[Any, ...]) -> t.Block:
    """One block of statements and lines of several."""
    out: list[t.Statement] = []
    for s in statements:
        if isinstance(s, tuple):
            out += s
        elif s is not None:
            out.append(s)
    return tuple(out)
