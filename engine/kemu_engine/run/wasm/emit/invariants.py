"""What a loop does not change, worked out before it, by the rule of opt/licm.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import NONE, Ids
from kemu_engine.opt.licm import certain_first, cheap, maximal_candidates
from kemu_engine.run.wasm.asm.binary import I32, I64
from kemu_engine.run.wasm.emit.layout import words
from kemu_engine.run.wasm.emit.values import Values


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


class LoopInvariants:
    """Keeps values over the laps of loops."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values
        self.known: dict[tuple[int, type], Known] = {}

    @contextmanager
    def hoisting(self, laps: Laps, entered: bool) -> Iterator[None]:
        """Around a loop; `entered`: it is sure to have a lap."""
        with self.without(laps.locals, laps.vars):
            if entered:
                for expr in laps.first:
                    if not self._first(expr, laps):
                        break
            for expr in laps.exprs:
                self._ahead(expr, laps)
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

    def available(self, expr: k.Expr) -> bool:
        """Puts a value on the stack, if it is known."""
        if not self.known or isinstance(expr, k.Const | k.Local):
            return False
        known = self.known.get(self._key(expr))
        if known is None:
            return False
        self.values.push(known.words)
        self.values.fit(len(known.words), words(expr.type))
        return True

    def _key(self, expr: k.Expr) -> tuple[int, type]:
        return self.unit.traits.of(expr).number, type(expr.type)

    def _note(self, expr: k.Expr) -> None:
        """Works out an expression now."""
        key = self._key(expr)
        if key in self.known:
            return
        traits = self.unit.traits.of(expr)
        self.values.expr(expr)
        kind = I32 if isinstance(expr.type, k.Bool) else I64
        found = [self.f.new(kind) for _ in range(words(expr.type))]
        self.values.pop(found)
        self.known[key] = Known(found, traits.locals, traits.vars)

    def _ahead(self, expr: k.Expr, laps: Laps) -> None:
        def taken(part: k.Expr, locals: Ids) -> bool:
            if self._unchanged(part, locals, laps.vars) and self._total(part) and cheap(part):
                self._note(part)
                return True
            return False

        maximal_candidates(expr, laps.locals, taken)

    def _first(self, expr: k.Expr, laps: Laps) -> bool:
        """Whether nothing that is left of the expression can fault."""

        def taken(part: k.Expr) -> bool:
            if self._unchanged(part, laps.locals, laps.vars):
                self._note(part)
                return True
            return False

        return certain_first(expr, self._total, taken)

    def _total(self, expr: k.Expr) -> bool:
        return self.unit.traits.of(expr).total

    def _unchanged(self, expr: k.Expr, locals: Ids, vars: Ids) -> bool:
        traits = self.unit.traits.of(expr)
        return not traits.locals & locals and not traits.vars & vars
