"""Lark's parse tree -> the syntax tree, part three: declarations, claims, examples, views."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from lark import Token, Tree, v_args
from lark.tree import Meta

from grammar import tree as t
from grammar.build_expressions import BuildError, Condition, ParseExpression
from grammar.build_statements import StatementBuilder, flat
from grammar.tree import Expr, Span
from grammar.words import MARK

__all__ = ["BuildError", "Builder"]

FormName = Literal[
    "always", "never", "everywhere", "possible", "always_possible", "at_end", "terminates", "at_most",
    "at_least", "maximize",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an example."""

    kind: str
    span: Span
    content: tuple[Any, ...]
    label: str | None = None
    locals: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    form: FormName
    value: Expr | None
    bound: Expr | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    label: str | None
    form: Form


@v_args(inline=True, meta=True)
class Builder(StatementBuilder):
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
        self.maybes.clear()
        try:
            result = self.transform(tree)
        except Exception as error:  # Lark wraps what a callback raises
            inner = getattr(error, "orig_exc", error)
            raise inner from None
        self.no_maybes()
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
        match value:
            case t.Name(id=word):
                return word
            case t.Number(value=number):
                return number
            case t.Unary(op="-", operand=t.Number(value=number)):
                return -number
            case t.Truth(value=truth):
                return truth
        raise self.fail("E0217", value.span, "here stands a word, a number, `true` or `false`")

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
        return t.Option("option", str(name), self.values(values), self.constant(default), **self.head(meta))

    def edition(self, meta: Meta, values: Expr, default: Expr) -> t.Option:
        return t.Option("edition", "edition", self.values(values), self.constant(default), **self.head(meta))

    def reading(self, meta: Meta, name: Token, text: Token | None, values: Expr, default: Expr) -> t.Option:
        plain = "" if text is None else self.plain(text)
        return t.Option(
            "reading", str(name), self.values(values), self.constant(default), plain, **self.head(meta)
        )

    def needs(self, meta: Meta, condition: Expr) -> t.Needs:
        return t.Needs(condition, **self.head(meta))

    def use(self, meta: Meta, module: Token) -> t.Use:
        return t.Use(str(module), **self.head(meta))

    def setting(self, meta: Meta, name: Token, value: Expr) -> tuple[str, str | int | bool]:
        return str(name), self.constant(value)

    def instance(self, meta: Meta, name: Token, *settings: tuple[str, str | int | bool]) -> t.Instance:
        return t.Instance(str(name), settings, **self.head(meta))

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
                message = f"the row `{row_name}` has {len(values)} values, the table {len(columns)} columns"
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

    def fun(self, meta: Meta, name: Token, params: Any, result: Any, block: t.Block) -> t.Fun:
        body: Any = block
        if len(block) == 1 and isinstance(block[0], t.Do) and not isinstance(block[0].value, t.Roll | t.Draw):
            body = block[0].value
        return t.Fun(str(name), params or (), self.optional_type(result), body, **self.head(meta))

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

    def secret(self, meta: Meta, to: Expr | Token) -> Expr:
        return t.Nothing(span=self.span(meta)) if isinstance(to, Token) else to

    # ---------------------------------------------------------------------------------------- claims

    def property(
        self, meta: Meta, word: Token, name: Token, when: Any, expect: str | None, claim: Claim
    ) -> t.Property:
        each, condition = split_condition(when) if isinstance(when, tuple) else ((), when and when.test)
        f = claim.form
        lemma = word.type == "LEMMA"
        head = self.head(meta)
        return t.Property(
            str(name), lemma, f.form, f.value, f.bound, claim.label, each, condition, expect, **head
        )

    def property_clauses(self, meta: Meta, *clauses: t.Clause) -> tuple[t.Clause, ...]:
        return clauses

    def property_if(self, meta: Meta, test: Expr) -> Condition:
        return Condition(test)

    def verdict(self, meta: Meta, negation: Token | None, name: Token) -> str:
        return str(name) if negation is None else f"not {name}"

    def claim(self, meta: Meta, label: Token | None, form: Form) -> Claim:
        return Claim(None if label is None else str(label), form)

    def always(self, meta: Meta, value: Expr) -> Form:
        return Form("always", value)

    def never(self, meta: Meta, value: Expr) -> Form:
        return Form("never", value)

    def everywhere(self, meta: Meta, value: Expr) -> Form:
        return Form("everywhere", value)

    def possible(self, meta: Meta, value: Expr) -> Form:
        return Form("possible", value)

    def always_possible(self, meta: Meta, value: Expr) -> Form:
        return Form("always_possible", value)

    def at_end(self, meta: Meta, value: Expr) -> Form:
        return Form("at_end", value)

    def terminates(self, meta: Meta, measure: Expr | None) -> Form:
        return Form("terminates", measure)

    def at_most(self, meta: Meta, bound: Expr, value: Expr) -> Form:
        return Form("at_most", value, bound)

    def at_least(self, meta: Meta, bound: Expr, value: Expr) -> Form:
        return Form("at_least", value, bound)

    def maximize(self, meta: Meta, value: Expr) -> Form:
        return Form("maximize", value)

    # -------------------------------------------------------------------------------------- examples

    def example(self, meta: Meta, title: Token, condition: Expr | None, *parts: Part) -> t.Example:
        by_kind: dict[str, Part] = {}
        for part in parts:
            kind = "at" if part.kind == "given" else part.kind
            if kind in by_kind:
                raise self.fail(
                    "E0219",
                    part.span,
                    f"an example has one `{part.kind}:` part, and `at` or `given`, not both",
                )
            by_kind[kind] = part
        empty = Part("", t.NOWHERE, ())
        start, do, expect = (by_kind.get(k, empty) for k in ("at", "do", "expect"))
        origin = (start.label, start.locals, start.content)
        return t.Example(self.plain(title), condition, *origin, do.content, expect.content, **self.head(meta))

    def at_part(self, meta: Meta, label: Token, *rest: Any) -> Part:
        *pairs, given = rest
        return Part("at", self.span(meta), given, str(label), tuple(pairs))

    def local(self, meta: Meta, name: Token, value: Expr) -> tuple[str, Expr]:
        return str(name), value

    def given_part(self, meta: Meta, given: t.Block) -> Part:
        return Part("given", self.span(meta), given)

    def given(self, meta: Meta, *statements: Any) -> t.Block:
        block = flat(statements)
        for s in block:
            if isinstance(s, t.Do) and isinstance(s.value, t.Call):
                continue  # a rule that neither decides nor rolls
            if not isinstance(s, t.Assign) or s.type is not None or isinstance(s.value, t.Roll | t.Draw):
                raise self.fail(
                    "E0219", s.span, "what an example starts from is told by assignments, `x = value`"
                )
        return block

    def do_part(self, meta: Meta, *steps: t.Step) -> Part:
        return Part("do", self.span(meta), steps)

    def expect_part(self, meta: Meta, *expectations: t.Expectation) -> Part:
        return Part("expect", self.span(meta), expectations)

    def action_step(self, meta: Meta, name: Token, args: tuple[Expr, ...] | None) -> t.Step:
        return t.Step("action", str(name), args or (), span=self.span(meta))

    def actor_step(self, meta: Meta, actor: Token, name: Token, args: tuple[Expr, ...] | None) -> t.Step:
        return t.Step("action", str(name), args or (), str(actor), span=self.span(meta))

    def step_arguments(self, meta: Meta, *args: Expr | None) -> tuple[Expr, ...]:
        return tuple(a for a in args if a is not None)

    def pass_step(self, meta: Meta, actor: Token | None, _: Token) -> t.Step:
        return t.Step("action", "pass", (), None if actor is None else str(actor), span=self.span(meta))

    def roll_step(self, meta: Meta, outcome: Expr) -> t.Step:
        return t.Step("chance", "roll", (outcome,), span=self.span(meta))

    def draw_step(self, meta: Meta, outcome: Expr) -> t.Step:
        return t.Step("chance", "draw", (outcome,), span=self.span(meta))

    def holds(self, meta: Meta, value: Expr) -> t.Expectation:
        return t.Expectation("holds", value, span=self.span(meta))

    def legal(self, meta: Meta, step: t.Step) -> t.Expectation:
        return t.Expectation("legal", None, (step,), span=self.span(meta))

    def illegal(self, meta: Meta, step: t.Step) -> t.Expectation:
        return t.Expectation("illegal", None, (step,), span=self.span(meta))

    def exactly(self, meta: Meta, _: Token, *steps: t.Step | None) -> t.Expectation:
        return t.Expectation("exactly", None, tuple(s for s in steps if s is not None), span=self.span(meta))

    # ----------------------------------------------------------------------------------------- views

    def view(self, meta: Meta, name: Token, *items: t.Spot | t.Line) -> t.View:
        return t.View(str(name), items, **self.head(meta))

    def spot(self, meta: Meta, targets: tuple[str, ...], source: Expr, *rest: Any) -> t.Spot:
        *conditions, clauses, position, glyph = rest
        tests = tuple(c.test for c in conditions)
        first = t.Clause(targets, source, tests, span=source.span)
        return t.Spot((first, *clauses), position, glyph, span=self.span(meta))

    def picture_line(self, meta: Meta, text: Expr, clauses: tuple[t.Clause, ...]) -> t.Line:
        return t.Line(text, clauses, span=self.span(meta))

    def clauses(self, meta: Meta, *clauses: t.Clause) -> tuple[t.Clause, ...]:
        return clauses


def split_condition(clauses: tuple[t.Clause, ...]) -> tuple[tuple[t.Clause, ...], Expr | None]:
    """The clauses of a property and its condition: the last `if`s that mention no loop variable are the
    property's."""
    targets = {name for c in clauses for name in c.targets}
    last = clauses[-1]
    kept = list(last.conditions)
    own: list[Expr] = []
    while kept and not (targets & set(names_in(kept[-1]))):
        own.insert(0, kept.pop())
    condition = None if not own else own[0] if len(own) == 1 else t.Logic("and", tuple(own), span=own[0].span)
    return (*clauses[:-1], t.Clause(last.targets, last.source, tuple(kept), span=last.span)), condition


def names_in(node: Any) -> list[str]:
    """Every name in an expression."""
    out: list[str] = []
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, t.Name):
            out.append(here.id)
        elif isinstance(here, tuple):
            stack += here
        elif isinstance(here, t.Node):
            stack += [getattr(here, f) for f in here.__dataclass_fields__ if f != "span"]
    return out
