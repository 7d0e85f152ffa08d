"""What views show: glyphs and lines, and what is drawn."""

from __future__ import annotations

from collections import Counter

from kemu_grammar.check.assignments import Scope
from kemu_grammar.check.claims import Claims
from kemu_grammar.check.scope import article
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.drawing import GROUNDS, OF_A_PLACE, SHAPES
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Span


class Views:
    """Checks against the decisions that the claims know."""

    def __init__(self, claims: Claims) -> None:
        self.claims, self.infer, self.report = claims, claims.infer, claims.report

    def view(self, d: t.View) -> None:
        self.infer.place = "claim"
        for item in d.items:
            match item:
                case t.Spot():
                    scope = self.infer.clauses(item.clauses, {})
                    self.infer.kind(item.position, scope)
                    self.infer.kind(item.glyph, scope)
                case t.Line():
                    self.line(item)
                case t.Ground():
                    self.named(item.kind, GROUNDS, "the places of a view are", item.span)
                case t.Drawn():
                    self.drawn(item)

    def line(self, item: t.Line) -> None:
        known = {} if item.label is None else self.claims.label(item.label, item.span)
        scope = self.infer.clauses(item.clauses, known)
        if item.condition is not None:
            self.infer.truth(item.condition, scope, "`if` takes a truth value")
        self.infer.kind(item.text, scope)

    def drawn(self, item: t.Drawn) -> None:
        if self.named(item.shape, tuple(SHAPES), "what can be drawn is", item.span):
            self.places(item)
        scope: Scope = self.infer.clauses(item.clauses, {})
        for condition in item.conditions:
            self.infer.truth(condition, scope, "`if` takes a truth value")
        for word in item.words:
            for value in word.values:
                self.infer.kind(value, scope)
        if item.text is not None:
            self.infer.kind(item.text, scope)

    def named(self, name: str, known: tuple[str, ...], what: str, span: Span) -> bool:
        """Whether the word is one of those known; reports it if not."""
        if name in known:
            return True
        near = closest(name, known)
        more = f"did you mean `{near}`?" if near else f"{what} {', '.join(known)}"
        self.report.add("E0610", self.report.locate(span, name), f"there is no `{name}` here; {more}")
        return False

    def places(self, item: t.Drawn) -> None:
        """Whether as many places are told as the shape needs, each word where it can stand, and once."""
        least, most = SHAPES[item.shape]
        told = [word.word for word in item.words]
        places = [word for word in told if word in ("at", "to")]
        named = f"{article(item.shape)} `{item.shape}`"
        most = max(most, 2) if "row" in told and most else most  # where the row goes
        if "at" in places[1:] or places[:1] == ["to"]:
            self.wrong(item, f"{named} begins with one place, `at (x, y)`; more of them follow `to`")
        elif any(word in OF_A_PLACE and "at" not in told[:at] for at, word in enumerate(told)):
            self.wrong(item, "`off` and `out` lead away from a place: say `at (x, y)` before them")
        elif len(places) < least:
            needs = "a place: `at (x, y)`" if least == 1 else f"{least} places: `at (x, y) to (x, y)`"
            self.wrong(item, f"{named} needs {needs}")
        elif len(places) > most:
            allowed = "no place" if most == 0 else "one place" if most == 1 else f"{most} places at most"
            self.wrong(item, f"{named} takes {allowed}")
        for word, number in Counter(told).items():
            if number > 1 and word not in ("at", "to", *OF_A_PLACE):
                self.wrong(item, f"`{word}` is said twice")
        if sum(word in told for word in ("row", "heap", "stack")) > 1:
            self.wrong(item, "things lie in a row, in a heap or in a stack: say one of them")
        if item.shape in ("seat", "note") and item.text is None:
            self.wrong(item, f"{named} is a text, behind a colon")
        if item.shape == "symbol" and item.text is None:
            self.wrong(item, 'a `symbol` is named behind a colon: `draw symbol at (1, 1): "crown"`')
        if item.shape == "seat" and not item.clauses:
            self.wrong(item, "a `seat` is a player's: `draw seat p in Player: ...`")

    def wrong(self, item: t.Drawn, message: str) -> None:
        self.report.add("E0611", self.report.locate(item.span, "draw"), message)
