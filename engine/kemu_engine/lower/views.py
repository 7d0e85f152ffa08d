"""Lowers views, which read the state and never change the game: glyphs, lines, and what is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.unparse import expression
from kemu_grammar.syntax.walk import replaced

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.drawings import Drawings
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import Const
from kemu_engine.lower.writing import SHOWN, Writing
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Atom, Domain, text_of

MOST_CHARACTERS = 3  # of a glyph


class Views:
    def __init__(self, control: CfgLowering, endings: Endings) -> None:
        self.control = control
        self.writing = Writing(control)
        self.drawings = Drawings(self.writing)
        self.expressions = control.expressions
        self.coercions = control.coercions
        self.builder = control.builder
        self.evaluator = control.evaluator
        self.expressions.result_expr = endings.asked

    def views(self, declared: tuple[t.View, ...], drawn: bool = True) -> tuple[k.View, ...]:
        """The views; without what is `drawn` they are for text only."""
        return tuple(self._view(v, drawn) for v in declared)

    def _view(self, v: t.View, drawn: bool) -> k.View:
        spots = [s for item in v.items if isinstance(item, t.Spot) for s in self._spots(item)]
        lines = [x for item in v.items if isinstance(item, t.Line) for x in self._lines(item)]
        figures, ground = self.drawings.figures(v) if drawn else ((), "")
        return k.View(v.name, tuple(spots), tuple(lines), figures, ground)

    def _spots(self, spot: t.Spot) -> Iterator[k.Spot]:
        source = self.expressions.lower(spot.clauses[0].source, {})
        values = source.value if isinstance(source, Const) else None
        domain = values.name if isinstance(values, Domain) else ""
        for scope, when in self.writing.scopes(spot.clauses, {}, build.TRUE):
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
        index, texts = self.writing.text(self.expressions.lower(glyph, scope), glyph.span)
        long = next((text for text in texts if len(text) > MOST_CHARACTERS), None)
        if long is None:
            yield when, index, texts
            return
        if not isinstance(glyph, t.Choice):
            refuse("E0749", glyph.span, self._told(glyph, long, scope))
        test = self.expressions.truth(glyph.test, scope)
        for part, holds, way in ((glyph.then, test, True), (glyph.other, build.no(test), False)):
            both = build.both(when, holds)
            if both != build.FALSE:
                yield from self._glyphs(*self._narrowed(part, _present(glyph.test, way), scope), both)

    def _told(self, glyph: t.Expr, long: str, scope: Env) -> str:
        """What is wrong with a glyph that is too long, most often that nothing may be there to be shown."""
        held = self.coercions.as_finite(self.expressions.lower(glyph, scope))
        if held is not None and None in held.values:
            option = expression(glyph)
            wide = any(len(text_of(v)) > MOST_CHARACTERS for v in held.values if isinstance(v, Atom))
            shown = f"{option}.name[:1]" if wide else option
            return f'the glyph may be `none`; write `{shown} if {option} is some else "."`'
        return f'the glyph "{long}" has more than three characters'

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

    def _lines(self, line: t.Line) -> Iterator[k.Line]:
        """What is written; of a line of a decision that the instance does not have, nothing."""
        origin = self.builder.origin(line.span)
        places: Sequence[tuple[int, Env]] = (
            [(-1, {})] if line.label is None else self.control.labels.get(line.label, ())
        )
        for block, known in places:
            for scope, when in self.writing.scopes(line.clauses, known, build.TRUE):
                self.evaluator.work.spend(SHOWN, line.span)
                shown = when if line.condition is None else self.expressions.truth(line.condition, scope)
                for text, holds in self.writing.ways(line.text, scope, shown):
                    yield k.Line(holds, self.writing.line(text, scope), block, origin)


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
