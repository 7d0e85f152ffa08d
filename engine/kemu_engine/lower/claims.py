"""Lowers properties and views, which read the state and never change the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kemu_grammar.check.builtins import ACTOR
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import replaced

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import numbered
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import (
    Bag,
    Const,
    FiniteValue,
    Map,
    Num,
    Rep,
    Seq,
    SetOf,
    Tup,
)
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Domain, iterate, text_of

SHOWN = 50  # steps of a sign or a piece of a line of a view
ASKED = 200  # steps of a claim
MOST_CHARACTERS = 3  # of a glyph
Piece = str | tuple[k.Expr, tuple[str, ...]]


class Claims:
    def __init__(self, control: CfgLowering, endings: Endings) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.coercions = control.coercions
        self.builder = control.builder
        self.evaluator = control.evaluator
        self.players = endings.players
        self.expressions.result_expr = endings.asked

    def applies(self, condition: t.Expr | None) -> bool:
        """Whether an `if` before the colon holds in this instance."""
        return condition is None or self.evaluator.truth(condition, {})

    # ------------------------------------------------------------------------------------------ properties

    def properties(self, declared: tuple[t.Property, ...]) -> tuple[k.Property, ...]:
        made: list[k.Property] = []
        for p in declared:
            if self.applies(p.condition):
                self.builder.context = p.cites
                for scope in self.evaluator.scopes(p.each, {}):
                    self.evaluator.work.spend(ASKED, p.span)
                    names = [text_of(scope[n]) for c in p.each for n in c.targets]
                    name = f"{p.name}({', '.join(names)})" if names else p.name
                    made += self._property(p, name, {n: Const(v) for n, v in scope.items()})
        return tuple(made)

    def _property(self, p: t.Property, name: str, scope: Env) -> Iterator[k.Property]:
        bound = (
            None
            if p.bound is None
            else self.evaluator.number(
                p.bound, {n: b.value for n, b in scope.items() if isinstance(b, Const)}
            )
        )
        origin = self.builder.origin(p.span)
        places = [
            (self._stop(label, block), block, inner)
            for label in p.labels
            for block, inner in self.labelled(label, p.span)
        ] or [("", -1, {})]
        count: dict[str, int] = {}
        for stop, block, inner in places:
            number = count[stop] = count.get(stop, 0) + 1
            label = name if len(places) == 1 else f"{name} at {numbered(stop, number)}"
            exprs = self._measured(p, {**self._actor(block), **inner, **scope})
            blocks: tuple[int, ...] = () if block < 0 else (block,)
            if p.form == "initially":
                blocks += tuple(dict.fromkeys(other for _, other, _ in places if other != block))
            yield k.Property(label, p.form, exprs, bound, blocks, p.expect, p.lemma, origin)

    def _actor(self, block: int) -> Env:
        """Whoever is to act at a decision, by the name that claims have for him."""
        stop = self.builder.blocks[block] if block >= 0 else None
        declared = {*self.evaluator.names, *self.control.analysis.state}
        if stop is None or not isinstance(stop.exit, k.Decide) or ACTOR in declared:
            return {}
        return {ACTOR: FiniteValue(stop.exit.actor, self.players)}

    def _stop(self, label: str, block: int) -> str:
        """What one of several stops is called: by the rule it is in, and by its label or first action."""
        stop = self.builder.blocks[block]
        assert stop is not None, "claims are lowered when the rules are"
        rule = stop.name.rpartition(".")[0]
        if label == rule and isinstance(stop.exit, k.Decide):
            label = stop.exit.arms[0].name
        return label if rule in (label, "rules", "") else f"{rule}.{label}"

    def labelled(self, label: str, span: t.Span) -> list[tuple[int, Env]]:
        found = self.control.labels.get(label)
        if not found:
            refuse("E0745", span, f"this instance has no decision with the action `{label}`")
        return list(found)

    def _measured(self, p: t.Property, scope: Env) -> tuple[k.Expr, ...]:
        if p.value is None:
            return ()
        if p.form in ("terminates", "ends_almost_surely", "at_most", "at_least", "maximize"):
            parts = p.value.items if isinstance(p.value, t.Tuple) else (p.value,)
            return tuple(self.expressions.number(x, scope) for x in parts)
        return (self.expressions.truth(p.value, scope),)

    # ------------------------------------------------------------------------------------------ views

    def views(self, declared: tuple[t.View, ...]) -> tuple[k.View, ...]:
        return tuple(self._view(v) for v in declared)

    def _view(self, v: t.View) -> k.View:
        spots = [s for item in v.items if isinstance(item, t.Spot) for s in self._spots(item)]
        lines = [x for item in v.items if isinstance(item, t.Line) for x in self._lines(item)]
        return k.View(v.name, tuple(spots), tuple(lines))

    def _scopes(
        self, clauses: tuple[t.Clause, ...], scope: Env, when: k.Expr
    ) -> Iterator[tuple[Env, k.Expr]]:
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
                yield from self._scopes(clauses[1:], inner, holds)

    def _spots(self, spot: t.Spot) -> Iterator[k.Spot]:
        source = self.expressions.lower(spot.clauses[0].source, {})
        values = source.value if isinstance(source, Const) else None
        domain = values.name if isinstance(values, Domain) else ""
        for scope, when in self._scopes(spot.clauses, {}, build.TRUE):
            self.evaluator.work.spend(SHOWN, spot.span)
            first = scope[spot.clauses[0].targets[0]]
            element = text_of(first.value) if isinstance(first, Const) else ""
            x, y = self.coercions.parts(self.expressions.lower(spot.position, scope), 2, spot.span)
            column, row = self.coercions.number(x, spot.span), self.coercions.number(y, spot.span)
            for holds, index, texts in self._glyphs(spot.glyph, scope, when):
                yield k.Spot(element, holds, column, row, index, texts, domain)

    def _glyphs(
        self, glyph: t.Expr, scope: Env, when: k.Expr
    ) -> Iterator[tuple[k.Expr, k.Expr, tuple[str, ...]]]:
        """When a glyph is which of some texts. Where one is too long, what an `if` tests is known in its
        branches."""
        index, texts = self._text(self.expressions.lower(glyph, scope), glyph.span)
        long = next((text for text in texts if len(text) > MOST_CHARACTERS), None)
        if long is None:
            yield when, index, texts
            return
        if not isinstance(glyph, t.Choice):
            refuse("E0749", glyph.span, f'the glyph "{long}" has more than three characters')
        test = self.expressions.truth(glyph.test, scope)
        for part, holds, way in ((glyph.then, test, True), (glyph.other, build.no(test), False)):
            both = build.both(when, holds)
            if both != build.FALSE:
                yield from self._glyphs(*self._narrowed(part, _present(glyph.test, way), scope), both)

    def _narrowed(self, part: t.Expr, present: list[t.Expr], scope: Env) -> tuple[t.Expr, Env]:
        """An expression where some options are known not to be none: they have names of their own."""
        for option in present:
            held = self.coercions.as_finite(self.expressions.lower(option, scope))
            if held is not None and None in held.values:
                values = tuple(value for value in held.values if value is not None)
                name = f"present {len(scope)}"
                at = build.extreme("max", self.coercions.remap(held, values), build.integer(0))
                scope = {**scope, name: self.coercions.family(at, values)}
                part = replaced(part, option, t.Name(name, span=option.span))
        return part, scope

    def _text(self, rep: Rep, span: t.Span) -> tuple[k.Expr, tuple[str, ...]]:
        fam = self.coercions.as_finite(rep)
        if fam is None or len(fam.values) > 10_000:
            refuse("E0750", span, "this cannot be written in a view")
        return fam.index, tuple(text_of(v) for v in fam.values)

    def _lines(self, line: t.Line) -> Iterator[k.Line]:
        """What is written; of a line of a decision that the instance does not have, nothing."""
        origin = self.builder.origin(line.span)
        places: Sequence[tuple[int, Env]] = (
            [(-1, {})] if line.label is None else self.control.labels.get(line.label, ())
        )
        for block, known in places:
            for scope, when in self._scopes(line.clauses, known, build.TRUE):
                self.evaluator.work.spend(SHOWN, line.span)
                shown = when if line.condition is None else self.expressions.truth(line.condition, scope)
                for each in self._line(line.text, scope, shown):
                    yield replace(each, block=block, origin=origin)

    def _line(self, text: t.Expr, scope: Env, when: k.Expr) -> Iterator[k.Line]:
        """A line of text; of `a if test else b` one or the other."""
        if isinstance(text, t.Choice):
            test = self.expressions.truth(text.test, scope)
            for part, holds in ((text.then, test), (text.other, build.no(test))):
                if build.both(when, holds) != build.FALSE:
                    yield from self._line(part, scope, build.both(when, holds))
            return
        parts = text.parts if isinstance(text, t.Text) else (text,)
        yield k.Line(when, tuple(x for p in parts for x in self._pieces(p, scope)))

    def _pieces(self, part: str | t.Expr, scope: Env) -> Iterator[Piece]:
        """A piece of a line; of a collection its elements in a row, each with a space behind it."""
        if isinstance(part, str):
            yield part
        elif isinstance(part, t.Comprehension) and part.kind != "map":
            for inner, holds in self._scopes(part.clauses, scope, build.TRUE):
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
                yield _written(*self._text(rep, span))

    def _if(self, holds: k.Expr, rep: Rep, span: t.Span) -> Piece:
        index, texts = self._text(rep, span)
        shown = build.when(holds, build.add(index, build.integer(1)), build.integer(0))
        return _written(shown, ("", *(f"{text} " for text in texts)))


def _present(test: t.Expr, holds: bool) -> list[t.Expr]:
    """The options that are not none if a test holds, or does not."""
    match test:
        case t.Presence(value=value, some=some):
            return [value] if some == holds else []
        case t.Unary(op="not", operand=operand):
            return _present(operand, not holds)
        case t.Logic(op=op, items=items) if op == ("and" if holds else "or"):
            return [option for item in items for option in _present(item, holds)]
    return []


def _written(index: k.Expr, texts: tuple[str, ...]) -> Piece:
    """A piece whose texts begin with that of the lowest value the index may have."""
    return index, texts[build.interval(index)[0] :]
