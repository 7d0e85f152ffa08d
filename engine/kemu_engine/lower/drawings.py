"""Lowers what is drawn in views: where it lies, in which colours, what is written on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.source.drawing import COLOURS, SYMBOLS
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import Const, Tup
from kemu_engine.lower.writing import SHOWN, Writing
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Domain, text_of

ZERO = build.integer(0)
LAID = ("row", "heap", "stack")
PLAYER = "@"  # before the name of a player whose colour is meant


def owned(figures: Sequence[k.Figure]) -> tuple[k.Figure, ...]:
    """What one clause draws; what it draws at the same places for all players is nobody's."""
    places: dict[tuple[str, str], dict[str, set[tuple[k.Point, ...]]]] = {}
    for each in figures:
        of_each = places.setdefault((each.domain, each.element), {})
        of_each.setdefault(each.owner, set()).add(each.points)

    def apart(figure: k.Figure) -> bool:
        of_each = places[figure.domain, figure.element]
        return any(
            owner not in ("", figure.owner) and not points & of_each[figure.owner]
            for owner, points in of_each.items()
        )

    return tuple(each if not each.owner or apart(each) else replace(each, owner="") for each in figures)


class Drawings:
    def __init__(self, writing: Writing) -> None:
        self.writing = writing
        self.expressions, self.coercions = writing.expressions, writing.coercions
        self.evaluator = writing.evaluator

    def figures(self, view: t.View) -> tuple[tuple[k.Figure, ...], str]:
        """What a view draws, and what its places are."""
        drawn = [item for item in view.items if isinstance(item, t.Drawn)]
        ground = [item.kind for item in view.items if isinstance(item, t.Ground)]
        figures = tuple(figure for item in drawn for figure in owned([*self._figures(item)]))
        return figures, ground[-1] if ground else ""

    def _figures(self, item: t.Drawn) -> Iterator[k.Figure]:
        if not item.clauses:
            holds = build.both(*(self.expressions.truth(each, {}) for each in item.conditions), build.TRUE)
            if holds != build.FALSE:
                yield from self._figure(item, {}, holds, "", "")
            return
        source = self.expressions.lower(item.clauses[0].source, {})
        values = source.value if isinstance(source, Const) else None
        domain = values.name if isinstance(values, Domain) else ""
        for scope, when in self.writing.scopes(item.clauses, {}, build.TRUE):
            first = scope[item.clauses[0].targets[0]]
            element = text_of(first.value) if isinstance(first, Const) else ""
            owner = self._owner(item, scope)
            for each in self._figure(item, scope, when, element, domain):
                yield replace(each, owner=owner)

    def _owner(self, item: t.Drawn, scope: Env) -> str:
        """The player for whom it is drawn, if it is drawn `for p in Player`."""
        for clause in item.clauses[1:]:
            source = self.expressions.lower(clause.source, scope)
            values = source.value if isinstance(source, Const) else None
            player = scope[clause.targets[0]]
            if isinstance(values, Domain) and values.name == "Player" and isinstance(player, Const):
                return text_of(player.value)
        return ""

    def _figure(
        self, item: t.Drawn, scope: Env, when: k.Expr, element: str, domain: str
    ) -> Iterator[k.Figure]:
        self.evaluator.work.spend(SHOWN, item.span)
        words = {word.word: word for word in item.words}
        laid = next((word for word in LAID if word in words), "")
        turned = words.get("turned")
        figure = k.Figure(
            item.shape,
            element,
            domain,
            when,
            self._points(item, scope),
            self._colour(words.get("fill"), scope),
            self._colour(words.get("edge"), scope),
            self._size(words.get("size"), scope),
            None if turned is None else self._pair(turned, scope),
            laid,
            self.expressions.number(words[laid].values[0], scope) if laid else build.integer(1),
            (),
        )
        if item.text is None:
            yield figure
        elif item.shape == "symbol":
            yield replace(figure, parts=self._symbol(item.text, scope))
        else:
            for text, holds in self.writing.ways(item.text, scope, when):
                yield replace(figure, when=holds, parts=self.writing.line(text, scope))

    def _points(self, item: t.Drawn, scope: Env) -> tuple[k.Point, ...]:
        """The places, each with the steps away from it that are told behind it."""
        found: list[tuple[tuple[k.Expr, k.Expr], list[tuple[k.Expr, ...]]]] = []
        for word in item.words:
            if word.word in ("at", "to"):
                found.append((self._two(word.values[0], scope), []))
            elif word.word == "off":
                found[-1][1].append(self._two(word.values[0], scope))
            elif word.word == "out":
                found[-1][1].append(tuple(self.expressions.number(each, scope) for each in word.values))
        return tuple(k.Point(*place, tuple(steps)) for place, steps in found)

    def _two(self, value: t.Expr, scope: Env) -> tuple[k.Expr, k.Expr]:
        x, y = self.coercions.parts(self.expressions.lower(value, scope), 2, value.span)
        return self.coercions.number(x, value.span), self.coercions.number(y, value.span)

    def _pair(self, word: t.DrawnWord, scope: Env) -> tuple[k.Expr, k.Expr]:
        first, second = (self.expressions.number(each, scope) for each in word.values)
        return first, second

    def _size(self, word: t.DrawnWord | None, scope: Env) -> tuple[k.Expr, ...]:
        """Width and height, or one number for both, in hundredths of a place."""
        if word is None:
            return ()
        value = word.values[0]
        rep = self.expressions.lower(value, scope)
        fam = None if isinstance(rep, Tup) else self.coercions.as_finite(rep)
        if isinstance(rep, Tup) or (fam is not None and isinstance(next(iter(fam.values), None), tuple)):
            return self._two(value, scope)
        return (self.coercions.number(rep, value.span),)

    def _colour(self, word: t.DrawnWord | None, scope: Env) -> k.Named | None:
        """A colour by its name, or by the player whose it is."""
        if word is None:
            return None
        value = word.values[0]
        rep = self.expressions.lower(value, scope)
        index, texts = self.writing.text(rep, value.span)
        fam = self.coercions.as_finite(rep)
        players: Domain = self.evaluator.known["Player"]
        whose = [fam is not None and each in players.index for each in (fam.values if fam else ())]
        known = tuple(text for text, player in zip(texts, whose, strict=True) if not player)
        self._known(known, COLOURS, "colour", value.span)
        named = (PLAYER + text if player else text for text, player in zip(texts, whose, strict=True))
        return k.Named(index, tuple(named))

    def _symbol(self, text: t.Expr, scope: Env) -> tuple[k.Piece, ...]:
        index, texts = self.writing.text(self.expressions.lower(text, scope), text.span)
        self._known(texts, ("none", *SYMBOLS), "symbol", text.span)
        return ((index, texts),)

    def _known(self, texts: tuple[str, ...], known: tuple[str, ...], what: str, span: t.Span) -> None:
        for text in texts:
            if text not in known:
                near = closest(text, known)
                more = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
                refuse("E0784", span, f"there is no {what} called {text!r}; {more}")
