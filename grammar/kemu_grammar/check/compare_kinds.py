"""Comparisons: what can be equal, less, or inside; options only with their own values."""

from __future__ import annotations

from typing import cast

from kemu_grammar.check.builtins import FUNCTIONS, RESULTS
from kemu_grammar.check.context import Env, Kinds
from kemu_grammar.check.foreign import unquoted
from kemu_grammar.check.scope import Report, Symbols
from kemu_grammar.source.kinds import (
    BOOL,
    COLLECTIONS,
    PLAYER,
    UNKNOWN,
    Kind,
    compatible,
    describe,
    element,
    plain,
    set_of,
)
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span


class Comparing:
    """Part of Inference."""

    symbols: Symbols
    report: Report

    @property
    def _infer(self) -> Kinds:
        return cast(Kinds, self)

    def compare(self, e: t.Compare, env: Env) -> Kind:
        left_e, left = e.first, self.side(e.first, env)
        for op, right_e in e.rest:
            if self.option_of(left_e) or self.option_of(right_e):
                self.option_compared(op, left_e, right_e, env)
                right = UNKNOWN
            elif self.nowhere(left_e, env) and self.nowhere(right_e, env):
                right = UNKNOWN  # `level == basic` without an option `level`: said once
            else:
                right = self.side(right_e, env)
                self.compared(op, left, right, left_e, right_e)
            left_e, left = right_e, right
        return BOOL

    def nowhere(self, e: Expr, env: Env) -> bool:
        if (
            not isinstance(e, t.Name)
            or e.id in env
            or e.id in self.symbols.table
            or e.id in self.symbols.words
        ):
            return False
        return e.id not in FUNCTIONS and e.id not in RESULTS and e.id != "Player"

    def side(self, e: Expr, env: Env) -> Kind:
        if (
            isinstance(e, t.Name)
            and e.id in self.symbols.words
            and e.id not in env
            and e.id not in self.symbols.table
        ):
            return Kind("word", e.id)
        return self._infer.kind(e, env)

    def compared(self, op: str, left: Kind, right: Kind, left_e: Expr, right_e: Expr) -> None:
        for kind, side in ((left, left_e), (right, right_e)):
            if kind.form == "function":
                self._infer.uncalled(side)
                return
        span = Span(
            left_e.span.file,
            left_e.span.line,
            left_e.span.column,
            right_e.span.end_line,
            right_e.span.end_column,
        )
        if op in ("in", "not in"):
            if plain(right).form in ("bool", "int", "element", "word", "text", "point"):
                self.report.add(
                    "E0408", right_e.span, f"`{op}` looks in a collection, but this is {describe(right)}"
                )
            elif not compatible(left, element(right)):
                message = f"{describe(left)} is never in a collection of {plural(element(right))}"
                self.report.add("E0403", span, message)
        elif op in ("<", "<=", ">", ">="):
            for kind, side in ((left, left_e), (right, right_e)):
                if plain(kind).form in ("bool", "element", "word", "text"):
                    self.report.add(
                        "E0403", side.span, f"`{op}` compares numbers, but this is {describe(kind)}"
                    )
                    return
            self.ordered(op, plain(left), plain(right), span)
        elif _apart(left, right) or not compatible(left, right):
            one, two = _told_apart(left, right)
            fix = unquoted(left_e, right, self.symbols) or unquoted(right_e, left, self.symbols)
            self.report.add("E0403", span, f"{one} is never equal to {two}", fix=fix)

    def ordered(self, op: str, left: Kind, right: Kind, span: Span) -> None:
        """`<=` between sets and ranges is "part of"; lists, bags and maps have no order."""
        left, right = (set_of(UNKNOWN) if _empty(k) else k for k in (left, right))
        forms = {left.form, right.form}
        if not compatible(left, right):
            one, two = _told_apart(left, right)
            self.report.add("E0403", span, f"`{op}` cannot compare {one} with {two}")
        elif forms & COLLECTIONS and (op in ("<", ">") or "set" not in forms or forms & {"bag", "map"}):
            what = left if left.form in COLLECTIONS else right
            if "unknown" not in forms:
                message = f'`{op}` cannot compare {describe(what)}; between sets, `<=` means "is part of"'
                self.report.add("E0403", span, message)

    def option_of(self, e: Expr) -> t.Option | None:
        return self.symbols.options.get(e.id) if isinstance(e, t.Name) else None

    def option_compared(self, op: str, left: Expr, right: Expr, env: Env) -> None:
        """`level == basic`, `level in {basic, master}`: the words must be values of the option."""
        chosen, other = (
            (self.option_of(left), right) if self.option_of(left) else (self.option_of(right), left)
        )
        assert chosen is not None
        items = (
            other.items
            if isinstance(other, t.SetOf | t.ListOf | t.Tuple) and op in ("in", "not in")
            else (other,)
        )
        for item in items:
            word = item.id if isinstance(item, t.Name) and item.id not in env else None
            if isinstance(chosen.values, tuple) and word is not None:
                if word not in chosen.values and self.option_of(item) is None:
                    words = [v for v in chosen.values if isinstance(v, str)]
                    values = ", ".join(str(v) for v in chosen.values)
                    what = f"`{chosen.name}` is one of {values}; it has no value"
                    self.report.unknown("E0308", what, word, item.span, words)
                elif word in chosen.values:
                    self._other_meaning(chosen, word, item.span)
            elif isinstance(item, t.Number) and isinstance(chosen.values, tuple):
                if item.value not in chosen.values and op in ("==", "!=", "in", "not in"):
                    values = ", ".join(str(v) for v in chosen.values)
                    message = f"`{chosen.name}` is one of {values}; it is never {item.value}"
                    self.report.add("E0308", item.span, message)
            elif chosen.values == "bool" or not isinstance(chosen.values, tuple):
                self.compared(
                    "==" if op == "in" else op,
                    self._infer.kind(item, env),
                    self._infer.symbol_kind(chosen.name),
                    item,
                    item,
                )
            else:
                self._infer.kind(item, env)

    def _other_meaning(self, option: t.Option, word: str, span: Span) -> None:
        """A value of an option that is also the name of a state variable would be compared as that."""
        other = self.symbols.table.get(word)
        if other is not None and other.role == "state variable":
            where = self.report.locate(other.declaration.span, word)
            message = (
                f"`{word}` is a value of `{option.name}` and also a state variable: rename one of the two"
            )
            self.report.add("E0302", span, message, ((where, "the state variable is declared here"),))


def _apart(a: Kind, b: Kind) -> bool:
    """Whether one is a set or list and the other a map or bag; `{}` is any of them."""
    forms = {plain(a).form, plain(b).form}
    return bool(forms & {"set", "list"}) and bool(forms & {"map", "bag"}) and not _empty(a) and not _empty(b)


def _told_apart(a: Kind, b: Kind) -> tuple[str, str]:
    """Two kinds in words; collections that sound alike with what is in them."""
    one, two = describe(a), describe(b)
    if one == two and plain(a).form in ("set", "list", "bag"):
        return f"{one} of {_in_full(element(a))}", f"{two} of {_in_full(element(b))}"
    return one, two


def _in_full(kind: Kind) -> str:
    """Several of a kind, with what is in them."""
    nested = plain(kind).form in ("set", "list", "bag")
    return f"{plural(kind)} of {_in_full(element(kind))}" if nested else plural(kind)


def _empty(kind: Kind) -> bool:
    """`{}`, the empty collection of whatever sort is wanted."""
    return plain(kind).form == "map" and plain(kind).inner.form == "unknown"


def plural(kind: Kind) -> str:
    words = {
        "int": "numbers",
        "bool": "truth values",
        "text": "texts",
        "point": "points",
        "set": "sets",
        "list": "lists",
    }
    if kind == PLAYER:
        return "players"
    return words.get(kind.form) or (f"`{kind.name}`" if kind.name else f"{kind.form}s")
