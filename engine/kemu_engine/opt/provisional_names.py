"""Provisional names: whatever is worked out gets one, and when it is known which are read, the others go."""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import rebuilt, recoded, reexited, rewritten
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import Named
from kemu_engine.opt.optimized import Domain, Optimized


class ProvisionalNames:
    """Names with numbers beyond those of all locals. `settled` gives locals to those that are wanted."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis) -> None:
        self.draft, self.traits = draft, traits
        self._first = len(draft.locals)
        self._made: list[k.Expr] = []
        self._wanted: set[int] = set()
        self._locals: dict[int, int] = {}
        self._values: dict[int, k.Expr] = {}  # of the wanted names, by the identity of what they were made of

    def __contains__(self, local: int) -> bool:
        return local >= self._first

    def named(self, value: k.Expr) -> Named:
        """A value with a new name."""
        self._made.append(value)
        return Named(value.type, (value,), self._first + len(self._made) - 1)

    def want(self, name: int) -> None:
        """The name will be read."""
        self._wanted.add(name)

    def settled(self, optimized: Optimized) -> Optimized:
        """The program with locals for the names that are wanted, and without the others."""
        wanted = [(name, value) for name, value in enumerate(self._made, self._first) if name in self._wanted]
        for name, value in wanted:
            called = self.draft.functions[value.function].name if isinstance(value, k.Call) else "t"
            self._locals[name] = self.draft.local(k.LocalInfo(called, value.type))
        for name, value in wanted:
            self.traits.named[self._locals[name]] = self._values[id(value)] = self._expr(value)
        program = rewritten(optimized.program, self._code, lambda exit: reexited(exit, self._expr))
        domains = {at: tuple(map(self._domain, each)) for at, each in optimized.domains.items()}
        asked = tuple(map(self._expr, optimized.asked))
        return replace(optimized, program=self.draft.done(program), domains=domains, asked=asked)

    def _domain(self, domain: Domain) -> Domain:
        return Domain(self._code(domain.before), self._expr(domain.over), self._expr(domain.where))

    def _code(self, code: k.Code) -> k.Code:
        return recoded(code, self._expr)

    def _expr(self, expr: k.Expr) -> k.Expr:
        match expr:
            case Named(type_, (value,), name) if name in self:
                value = self._values.get(id(value)) or self._expr(value)
                return Named(type_, (value,), self._locals[name]) if name in self._locals else value
            case k.Local(type_, name) if name in self:
                return k.Local(type_, self._locals[name])
            case _:
                return rebuilt(expr, self._expr)
