"""Lark's parse tree -> the syntax tree, part three: properties, examples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from lark import Token
from lark.tree import Meta

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span
from kemu_grammar.syntax.to_ast_expressions import Condition
from kemu_grammar.syntax.to_ast_statements import StatementBuilder, flat

FormName = Literal[
    "always", "never", "everywhere", "initially", "possible", "always_possible", "at_end", "terminates",
    "ends_almost_surely", "at_most", "at_least", "maximize", "standard", "returns",
    "never_returns", "can_return",
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
    labels: tuple[str, ...]
    form: Form
    start: Expr | None = None
    run: t.Call | None = None


class ClaimBuilder(StatementBuilder):
    """Callbacks named as the rules of kemu.lark."""

    def head(self, meta: Meta) -> dict[str, Any]:
        raise NotImplementedError

    # ---------------------------------------------------------------------------------------- claims

    def property(
        self,
        meta: Meta,
        word: Token,
        name: Token,
        when: Any,
        forgetting: tuple[str, ...] | None,
        expect: str | None,
        claim: Claim,
    ) -> t.Property:
        each, condition = split_condition(when) if isinstance(when, tuple) else ((), when and when.test)
        f = claim.form
        lemma = word.type == "LEMMA"
        own = (claim.start, claim.run, forgetting or ())
        head = self.head(meta)
        return t.Property(
            str(name), lemma, f.form, f.value, f.bound, claim.labels, each, condition, expect, *own, **head
        )

    def standard(
        self,
        meta: Meta,
        _: Token,
        name: Token,
        arm: Token | None,
        condition: Condition | None,
        expect: str,
    ) -> t.Property:
        test = None if condition is None else condition.test
        head = self.head(meta)
        whole = str(name) if arm is None else f"{name}({arm})"
        return t.Property(whole, False, "standard", None, condition=test, expect=expect, **head)

    def property_clauses(self, meta: Meta, *clauses: t.Clause) -> tuple[t.Clause, ...]:
        return clauses

    def property_if(self, meta: Meta, test: Expr) -> Condition:
        return Condition(test)

    def verdict(self, meta: Meta, negation: Token | None, name: Token) -> str:
        return str(name) if negation is None else f"not {name}"

    def claim(self, meta: Meta, labels: tuple[str, ...] | None, form: Form) -> Claim:
        return Claim(labels or (), form)

    def labels(self, meta: Meta, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    def forgetting(self, meta: Meta, *names: Token) -> tuple[str, ...]:
        return tuple(map(str, names))

    def any_state(self, meta: Meta, start: Expr | None, run: tuple[t.Call, Form]) -> Claim:
        return Claim((), run[1], start, run[0])

    def run(self, meta: Meta, call: Expr, form: Form) -> tuple[t.Call, Form]:
        if isinstance(call, t.Name):
            call = t.Call(call, (), span=call.span)
        if not isinstance(call, t.Call):
            raise self.fail(
                "E0219", call.span, "`run` is followed by the call of a rule, as in `run emigrate(p)`"
            )
        return call, form

    def returns(self, meta: Meta, measure: Expr | None) -> Form:
        return Form("returns", measure)

    def never_returns(self, meta: Meta) -> Form:
        return Form("never_returns", None)

    def can_return(self, meta: Meta) -> Form:
        return Form("can_return", None)

    def always(self, meta: Meta, value: Expr) -> Form:
        return Form("always", value)

    def never(self, meta: Meta, value: Expr) -> Form:
        return Form("never", value)

    def everywhere(self, meta: Meta, value: Expr) -> Form:
        return Form("everywhere", value)

    def initially(self, meta: Meta, value: Expr) -> Form:
        return Form("initially", value)

    def possible(self, meta: Meta, value: Expr) -> Form:
        return Form("possible", value)

    def always_possible(self, meta: Meta, value: Expr) -> Form:
        return Form("always_possible", value)

    def at_end(self, meta: Meta, value: Expr) -> Form:
        return Form("at_end", value)

    def terminates(self, meta: Meta, measure: Expr | None) -> Form:
        return Form("terminates", measure)

    def ends_almost_surely(self, meta: Meta, measure: Expr | None) -> Form:
        return Form("ends_almost_surely", measure)

    def at_most(self, meta: Meta, bound: Expr, value: Expr) -> Form:
        return Form("at_most", value, bound)

    def at_least(self, meta: Meta, bound: Expr, value: Expr) -> Form:
        return Form("at_least", value, bound)

    def maximize(self, meta: Meta, value: Expr) -> Form:
        return Form("maximize", value)

    # -------------------------------------------------------------------------------------- examples

    def example(self, meta: Meta, title: Token, condition: Expr | None, *parts: Part) -> t.Example:
        begun = False
        start = Part("", t.NOWHERE, ())
        steps: list[t.Step] = []
        expected: list[t.Expectation] = []
        for part in parts:
            if part.kind == "do":
                steps += part.content
            elif part.kind == "expect":
                expected += [replace(each, after=len(steps)) for each in part.content]
            elif begun:
                message = (
                    "an example begins once, with `at` or with `given`; both come before `do` and `expect`"
                )
                raise self.fail("E0219", part.span, message)
            else:
                start = part
            begun = True
        origin = (start.label, start.locals, start.content)
        return t.Example(
            self.plain(title), condition, *origin, tuple(steps), tuple(expected), **self.head(meta)
        )

    def at_part(self, meta: Meta, label: Token, *rest: Any) -> Part:
        *pairs, given = rest
        return Part("at", self.span(meta), given, str(label), tuple(pairs))

    def local(self, meta: Meta, name: Token, field: Token | None, value: Expr) -> tuple[str, Expr]:
        return str(name) if field is None else f"{name}.{field}", value

    def given_part(self, meta: Meta, given: t.Block) -> Part:
        return Part("given", self.span(meta), given)

    def given(self, meta: Meta, *statements: Any) -> t.Block:
        block = flat(statements)
        for s in block:
            if isinstance(s, t.Do) and isinstance(s.value, t.Call):
                continue  # a rule that neither decides nor rolls
            if isinstance(s, t.Note | t.Forget):
                continue
            if not isinstance(s, t.Assign) or s.type is not None or isinstance(s.value, t.Event):
                raise self.fail(
                    "E0219",
                    s.span,
                    "the state that an example starts from is given by assignments, `x = value`",
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

    def reveal_step(self, meta: Meta, outcome: Expr) -> t.Step:
        return t.Step("chance", "reveal", (outcome,), span=self.span(meta))

    def outcome_step(self, meta: Meta, outcome: Expr) -> t.Step:
        return t.Step("chance", "", (outcome,), span=self.span(meta))

    def holds(self, meta: Meta, value: Expr) -> t.Expectation:
        return t.Expectation("holds", value, span=self.span(meta))

    def legal(self, meta: Meta, step: t.Step) -> t.Expectation:
        return t.Expectation("legal", None, (step,), span=self.span(meta))

    def illegal(self, meta: Meta, step: t.Step) -> t.Expectation:
        return t.Expectation("illegal", None, (step,), span=self.span(meta))

    def exactly(self, meta: Meta, _: Token, *steps: t.Step | None) -> t.Expectation:
        return t.Expectation("exactly", None, tuple(s for s in steps if s is not None), span=self.span(meta))


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
