"""How values are written in views and examples: by their texts, or piece by piece."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    Map,
    Num,
    Rep,
    Seq,
    SetOf,
    Tup,
)
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import iterate, text_of

SHOWN = 50  # steps of a sign or a piece of a line of a view
Piece = str | tuple[k.Expr, tuple[str, ...]]


class Writing:
    """What views and examples share."""

    def __init__(self, control: CfgLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.coercions = control.coercions
        self.builder = control.builder
        self.evaluator = control.evaluator

    def scopes(self, clauses: tuple[t.Clause, ...], scope: Env, when: k.Expr) -> Iterator[tuple[Env, k.Expr]]:
        if not clauses:
            yield scope, when
            return
        clause = clauses[0]
        source = self.expressions.lower(clause.source, scope)
        if not isinstance(source, Const):
            refuse(
                "E0748",
                clause.source.span,
                "a view runs through a domain and says `if` for what depends on play",
            )
        for value in iterate(source.value):
            inner = self.statements.iterables.bind(clause.targets, Const(value), scope, clause.span)
            tests = [self.expressions.truth(c, inner) for c in clause.conditions]
            holds = build.both(when, *tests)
            if holds != build.FALSE:
                yield from self.scopes(clauses[1:], inner, holds)

    def text(self, rep: Rep, span: t.Span) -> tuple[k.Expr, tuple[str, ...]]:
        fam = self.coercions.as_finite(rep)
        if fam is None or len(fam.values) > 10_000:
            refuse("E0750", span, "this cannot be written in a view")
        return fam.index, tuple(text_of(v) for v in fam.values)

    def ways(self, text: t.Expr, scope: Env, when: k.Expr) -> Iterator[tuple[t.Expr, k.Expr]]:
        """Of `a if test else b` one and the other, each with when it is meant."""
        if not isinstance(text, t.Choice):
            yield text, when
            return
        test = self.expressions.truth(text.test, scope)
        for part, holds in ((text.then, test), (text.other, build.no(test))):
            if build.both(when, holds) != build.FALSE:
                yield from self.ways(part, scope, build.both(when, holds))

    def line(self, text: t.Expr, scope: Env) -> tuple[Piece, ...]:
        """The pieces of a text, with the values in it."""
        parts = text.parts if isinstance(text, t.Text) else (text,)
        return tuple(x for p in parts for x in self._pieces(p, scope))

    def _pieces(self, part: str | t.Expr, scope: Env) -> Iterator[Piece]:
        """A piece of a line; of a collection its elements in a row, each with a space behind it."""
        if isinstance(part, str):
            yield part
        elif isinstance(part, t.Comprehension) and part.kind != "map":
            for inner, holds in self.scopes(part.clauses, scope, build.TRUE):
                yield self._if(holds, self.expressions.lower(part.element, inner), part.element.span)
        else:
            yield from self.pieces(self.expressions.lower(part, scope), part.span)

    def pieces(self, rep: Rep, span: t.Span) -> Iterator[Piece]:
        """How a value is written."""
        match rep:
            case Const(value=value):
                yield text_of(value)
            case Num(expr=expr):
                yield (expr, ())
            case SetOf(expr=expr, values=values):
                self.evaluator.work.spend(SHOWN * len(values), span)
                for i, value in enumerate(values):
                    yield self._if(build.member(build.integer(i), expr), Const(value), span)
            case Seq(length=length, size=size, get=get):
                self.evaluator.work.spend(SHOWN * size, span)
                for i in range(size):
                    yield self._if(build.lt(build.integer(i), length), get(build.integer(i)), span)
            case Bag(values=values, count=count, size=size):
                self.evaluator.work.spend(SHOWN * len(values) + len(values) * size, span)
                for i, value in enumerate(values):
                    many = tuple(f"{text_of(value)}x{n} " for n in range(2, size + 1))
                    yield _written(count(build.integer(i)), ("", f"{text_of(value)} ", *many))
            case Tup() | Map():
                refuse("E0750", span, "write the parts of this one by one")
            case _:
                yield _written(*self.text(rep, span))

    def _if(self, holds: k.Expr, rep: Rep, span: t.Span) -> Piece:
        index, texts = self.text(rep, span)
        shown = build.when(holds, build.add(index, build.integer(1)), build.integer(0))
        return _written(shown, ("", *(f"{text} " for text in texts)))


def _written(index: k.Expr, texts: tuple[str, ...]) -> Piece:
    """A piece whose texts begin with that of the lowest value the index may have."""
    return index, texts[build.interval(index)[0] :]
