"""What a loop does not change, worked out before it.

An expression goes before a loop if it depends on nothing that the loop sets, and either is cheap and sure to
give a value, or is sure to be evaluated in the first lap before anything else that may fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine import kernel as k
from engine.generated.inline import tried
from engine.generated.nodes import Mask, children, within
from engine.generated.work import NONE, Ids
from engine.wasm.binary import I32, I64
from engine.wasm.layout import words
from engine.wasm.operations import Operations

CHEAP = 40
"""Nodes of an expression that may be worked out in vain."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value that is in locals, and what it depends on."""

    words: list[int]
    locals: Ids
    vars: Ids


@dataclass(frozen=True, slots=True)
class Laps:
    """What is done in a loop: the expressions evaluated in it, of which `first` come first in every lap, and
    what it sets."""

    exprs: tuple[k.Expr, ...] = ()
    first: tuple[k.Expr, ...] = ()
    locals: Ids = NONE
    vars: Ids = NONE


class Ahead(Operations):
    """Keeps values over the laps of loops."""

    @contextmanager
    def kept_over(self, laps: Laps, entered: bool) -> Iterator[None]:
        """Around a loop; `entered`: it is sure to have a lap."""
        with self.without(laps.locals, laps.vars):
            if entered:
                for expr in laps.first:
                    if not self._first(expr, laps):
                        break
            for expr in laps.exprs:
                self._ahead(expr, laps, laps.locals)
            yield

    @contextmanager
    def without(self, locals: Iterable[int], vars: Iterable[int] = NONE) -> Iterator[None]:
        """Where these are set: what depends on them is not known."""
        around = self.known
        self.known = {
            key: each
            for key, each in around.items()
            if each.locals.isdisjoint(locals) and each.vars.isdisjoint(vars)
        }
        yield
        self.known = around

    def recalled(self, expr: k.Expr) -> bool:
        """Puts a value on the stack, if it is known."""
        if not self.known or isinstance(expr, k.Const | k.Local):
            return False
        known = self.known.get(self._key(expr))
        if known is None:
            return False
        self.push(known.words)
        self.fit(len(known.words), words(expr.type))
        return True

    def _key(self, expr: k.Expr) -> tuple[int, type]:
        return self.unit.traits.of(expr).number, type(expr.type)

    def _note(self, expr: k.Expr) -> None:
        """Works out an expression now."""
        key = self._key(expr)
        if key in self.known:
            return
        traits = self.unit.traits.of(expr)
        self.expr(expr)
        kind = I32 if isinstance(expr.type, k.Bool) else I64
        found = [self.f.new(kind) for _ in range(words(expr.type))]
        self.pop(found)
        self.known[key] = Known(found, traits.locals, traits.vars)

    def _ahead(self, expr: k.Expr, laps: Laps, locals: Ids) -> None:
        if isinstance(expr, k.Const | k.Local):
            return
        traits = self.unit.traits.of(expr)
        if not traits.locals & locals and not traits.vars & laps.vars and traits.total and cheap(expr):
            self._note(expr)
            return
        if isinstance(expr, k.Fold | k.Closure):
            locals |= {expr.binder}
        if isinstance(expr, k.Let):
            locals |= {expr.local}
        if not isinstance(expr, k.Trial):
            for part in children(expr):
                self._ahead(part, laps, locals)

    def _first(self, expr: k.Expr, laps: Laps) -> bool:
        """Whether nothing that is left of the expression can fault."""
        if isinstance(expr, k.Const | k.Local | k.Load):
            return True
        traits = self.unit.traits.of(expr)
        if not traits.locals & laps.locals and not traits.vars & laps.vars and not tried(expr):
            self._note(expr)
            return True
        match expr:
            case k.Op(_, "and" | "or", (first, *rest)):
                return self._first(first, laps) and all(self.unit.traits.of(each).total for each in rest)
            case k.If(_, test, then, other):
                sound = all(self.unit.traits.of(each).total for each in (then, other))
                return self._first(test, laps) and sound
            case k.Need(_, test):
                self._first(test, laps)
                return False
            case k.Op() | k.At() | k.Lookup() | Mask():
                return all(self._first(part, laps) for part in children(expr))
        return traits.total


def cheap(expr: k.Expr) -> bool:
    for number, part in enumerate(within(expr)):
        if number >= CHEAP or isinstance(part, k.Fold | k.Closure | k.Let) or type(part) is k.Call:
            return False
    return True
