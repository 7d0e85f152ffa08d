"""Pure functions applied to known values: parameters, results that are remembered, how deep calls go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.static.closures import statements
from kemu_engine.static.closures.base import Evaluation, Maker, Run
from kemu_engine.static.problems import StaticFault, called_from, refuse
from kemu_engine.static.types import Admission, Type, admission, exactly_one
from kemu_engine.static.values import Value, exact, text_of
from kemu_engine.static.weights import SMALL

CALL = 3  # steps of a call, besides those of its arguments and of the function's body
REMEMBERED = 1_000_000  # things in results of pure functions that are kept, and in what they were given
ADMITTED = 2  # things in an argument that are brought into a type in the time of a step
DEPTH = 300  # nested calls of functions
DEEPEST = 100  # of one that may call itself during play
UNKNOWN = object()

Parameters = tuple[tuple[str, Type | None, t.Expr | None], ...]
Caller = Callable[[tuple[Value, ...], t.Span], Value]


@dataclass(slots=True)
class _Function:
    """A function made ready to be called. `typed`: whether every parameter has a type, so that all results
    are remembered; `keyed`: how arguments are told apart there."""

    fun: t.Fun
    parameters: Parameters
    admissions: tuple[tuple[str, Admission | None], ...]
    typed: bool
    keyed: Callable[[Iterable[Value]], tuple[Any, ...]]
    body: Run
    steps: int
    span: t.Span
    result: Admission | None = None
    results: dict[Any, Value] = field(default_factory=dict)


class Functions:
    """The functions of one instance. `before`: what an `under` replaced, by the name of the replacement."""

    def __init__(self, evaluation: Evaluation, closures: Maker, before: dict[int, t.Fun | t.Rule]) -> None:
        self.evaluation = evaluation
        self.closures = closures
        self.before = before
        self.levels: dict[int, int] = {}  # how often one is open of those that say how often they may be
        self._depth = 0
        self._remembered = 0  # things in results, and in the arguments
        self._parameters: dict[int, Parameters] = {}
        self._ready: dict[int, _Function] = {}

    def forget(self) -> None:
        """Names have got another meaning."""
        self._parameters.clear()
        self._ready.clear()

    def parameters(self, fun: t.Fun | t.Rule) -> Parameters:
        """Name, type and default of each parameter; made once."""
        known = self._parameters.get(id(fun))
        if known is None:
            make = self.evaluation.types.make
            known = self._parameters[id(fun)] = tuple(
                (p.name, None if p.type is None else make(p.type, {}), p.default) for p in fun.params
            )
        return known

    def caller(self, fun: t.Fun) -> Caller:
        """What applies a function to values for all its parameters, or for the first ones."""
        number = len(fun.params)

        def call(args: tuple[Value, ...], span: t.Span) -> Value:
            if len(args) != number:
                return self.apply(fun, args, {}, span)
            return self._called(self._ready.get(id(fun)) or self._made_ready(fun), args, span)

        return call

    def apply(self, fun: t.Fun, args: tuple[Value, ...], named: dict[str, Value], span: t.Span) -> Value:
        """A function applied to values, those that are not given by default."""
        ready = self._ready.get(id(fun)) or self._made_ready(fun)
        return self._called(ready, self._given(ready, args, named), span)

    def _given(self, ready: _Function, args: tuple[Value, ...], named: dict[str, Value]) -> Iterator[Value]:
        for i, (name, _, default) in enumerate(ready.parameters):
            if i < len(args):
                yield args[i]
            elif name in named:
                yield named[name]
            elif default is not None:
                yield self.evaluation.eval(default, {})
            else:
                raise AssertionError(f"{ready.fun.name} wants {name}")

    def _made_ready(self, fun: t.Fun) -> _Function:
        parameters = self.parameters(fun)
        kinds = [kind for _, kind, _ in parameters]
        typed = all(kind is not None for kind in kinds)
        keyed = tuple if all(kind is not None and exactly_one(kind) for kind in kinds) else _exactly
        if isinstance(fun.body, tuple):
            body, span = statements.body(self.closures, fun), fun.body[0].span
        else:
            body, span = self.closures.of(fun.body), fun.body.span
        admissions = tuple((name, None if kind is None else admission(kind)) for name, kind, _ in parameters)
        ready = _Function(fun, parameters, admissions, typed, keyed, body.run, CALL + body.steps, span)
        self._ready[id(fun)] = ready
        return ready

    def _called(self, ready: _Function, args: Iterable[Value], span: t.Span) -> Value:
        weights = self.evaluation.weights
        scope: dict[str, Value] = {}
        for value, (name, admitted) in zip(args, ready.admissions, strict=True):
            if type(value) not in SMALL:
                weights.used(value, span, ADMITTED)
            scope[name] = value if admitted is None else admitted(value, span)
        if not (ready.typed or all(map(weights.brief, scope.values()))):
            return self._applied(ready, scope, span)
        # equal arguments are the same arguments; how deep one may still go is part of what is asked
        key = ready.keyed(scope.values())
        if self.levels:
            key = (*key, *self.levels.items())
        result = ready.results.get(key, UNKNOWN)
        if result is UNKNOWN:
            weight = sum(map(weights.of, scope.values()))
            result = self._applied(ready, scope, span)
            if self._remembered < REMEMBERED:
                self._remembered += weight + weights.of(result)
                ready.results[key] = result
        return result

    def _applied(self, ready: _Function, scope: dict[str, Value], span: t.Span) -> Value:
        fun, work = ready.fun, self.evaluation.work
        if id(fun) in self.before:
            scope["before"] = self.before[id(fun)]
        if self._depth >= DEPTH:
            refuse("E0706", span, f"`{fun.name}` calls itself more than {DEPTH} deep")
        levels = self.levels
        if fun.recursive is not None:
            self._deeper(fun, span)
        self._depth += 1
        work.enter(fun.name)
        try:
            work.steps += ready.steps
            if work.steps > work.most:
                work.spend(0, ready.span)
            result = ready.body(scope)
            if fun.result is None:
                return result
            if ready.result is None:
                ready.result = admission(self.evaluation.types.make(fun.result, {}))
            return ready.result(result, fun.span)
        except (StaticFault, RulesError) as error:
            called_from(error, span, partial(told, ready, scope))
            raise
        finally:
            self.levels = levels
            self._depth -= 1
            work.leave()

    def _deeper(self, fun: t.Fun, span: t.Span) -> None:
        """One more call of a function inside another, if there may be one."""
        bound = self.bound(fun)
        if bound is not None and self.levels.get(id(fun), 0) == bound:
            raise StaticFault(*too_deep(fun, bound), span)
        self.levels = {**self.levels, id(fun): self.levels.get(id(fun), 0) + 1}

    @contextmanager
    def inside(self, fun: t.Fun) -> Iterator[None]:
        """While a function's body is gone through elsewhere."""
        before = self.levels
        if fun.recursive is not None:
            self.levels = {**before, id(fun): before.get(id(fun), 0) + 1}
        try:
            yield
        finally:
            self.levels = before

    def bound(self, fun: t.Fun) -> int | None:
        """How many calls of a function there may be inside each other, if it says so."""
        if fun.recursive is None:
            return None
        bound = self.evaluation.number(fun.recursive, {})
        if not 1 <= bound <= DEEPEST:
            refuse("E0727", fun.recursive.span, f"a function calls itself 1 to {DEEPEST} deep, not {bound:,}")
        return bound


def told(ready: _Function, scope: dict[str, Value]) -> str:
    """A call, as one might write it."""
    return f"{ready.fun.name}({', '.join(text_of(scope[name]) for name, _, _ in ready.parameters)})"


def too_deep(fun: t.Fun, bound: int) -> tuple[str, str]:
    """The fault of a call beyond the bound: its code, and what it says."""
    return "too_deep", f"`{fun.name}` calls itself more than {bound} deep"


def _exactly(args: Iterable[Value]) -> tuple[Any, ...]:
    return tuple(map(exact, args))
