"""Kernel statements on symbolic environments: every path is followed at once and merged where paths meet.

`break`, `continue` and `return` set an environment aside together with the condition under which play left
that way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.expressions import Env, Expressions, default
from kemu_verifier.symbolic.havoc import faults
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit, Terms
from kemu_verifier.symbolic.values import Cases, Number, TooLarge, Value, constant, fixed

LAPS = 3000  # how often a loop is unrolled at most


@dataclass(slots=True)
class Exits:
    """Environments that left the code under way early."""

    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    returns: list[tuple[Env, Value]] = field(default_factory=list)


class Reader(Expressions):
    """Runs code of one program. `covered`: (condition, origin) of each statement carried out that has an
    origin; not of those in functions and trials, which are read under conditions of their own."""

    def __init__(self, program: k.Program, terms: Terms, hidden: frozenset[int] = frozenset()) -> None:
        super().__init__(program, terms, hidden)
        self._version = 0
        self.covered: list[tuple[Lit, int]] = []

    def run(self, code: k.Code, env: Env) -> Env:
        return self._code(code, env, Exits())

    def tried(self, code: k.Code, env: Env) -> Env:
        outer, self.covered = self.covered, []
        after = self.run(code, env)
        self.covered = outer
        return after

    def returned(self, function: k.Function, env: Env) -> Value:
        exits = Exits()
        outer, self.covered = self.covered, []
        self._code(function.body, env, exits)
        self.covered = outer
        if not exits.returns:
            return default(function.type)
        result = exits.returns[-1][1]
        for other, value in reversed(exits.returns[:-1]):
            result = self.numbers.merge(other.live, value, result)
        return result

    def fresh_version(self) -> int:
        self._version += 1
        return self._version

    # ------------------------------------------------------------------------------------------ statements

    def _code(self, code: k.Code, env: Env, exits: Exits) -> Env:
        self.check_size()
        for statement in code:
            if env.live == FALSE:
                break
            env = self._statement(statement, env, exits)
        return env

    def _evaluate(self, expr: k.Expr, env: Env) -> Value:
        """The value; from here on play goes on only where no fault was met."""
        before = len(self.faults)
        value = self.expr(expr, env, env.live)
        if len(self.faults) > before:
            env.live = self.terms.conj([env.live, *(-lit for lit, _ in self.faults[before:])])
        return value

    def _statement(self, statement: k.Stmt, env: Env, exits: Exits) -> Env:
        match statement:
            case k.Assign(local, value):
                env.locals[local] = self._evaluate(value, env)
                self._cover(statement.origin, env)
            case k.Store() | k.Put() | k.Fill() if statement.var in self.hiding.hidden:
                self._overwrite(statement, env)
            case k.Store(var, value):
                self._write(env, var, self._evaluate(value, env))
                self._cover(statement.origin, env)
            case k.Note() | k.Forget():
                env.vars[statement.var] = TRUE if isinstance(statement, k.Forget) else FALSE
                env.versions[statement.var] = self.fresh_version()
                self._cover(statement.origin, env)
            case k.Put():
                self._put(statement, env)
                self._cover(statement.origin, env)
            case k.Fill():
                self._fill(statement, env)
                self._cover(statement.origin, env)
            case k.When():
                return self._when(statement, env, exits)
            case k.For():
                return self._for(statement, env, exits)
            case k.Loop():
                return self._loop(statement, env, exits)
            case k.Break():
                return self._leave(env, exits.breaks)
            case k.Continue():
                return self._leave(env, exits.continues)
            case k.Return(value):
                result = self._evaluate(value, env)
                exits.returns.append((env, result))
                return env.copy(FALSE)
            case k.Check(test, fault):
                holds = self._evaluate(test, env)
                assert isinstance(holds, int)
                self.fault(self.terms.both(env.live, -holds), fault)
                env.live = self.terms.both(env.live, holds)
        return env

    def _cover(self, origin: int, env: Env) -> None:
        if origin >= 0:
            self.covered.append((env.live, origin))

    def _leave(self, env: Env, way: list[Env]) -> Env:
        way.append(env)
        return env.copy(FALSE)

    def _write(self, env: Env, var: int, value: Any) -> None:
        if env.vars[var] != value:
            env.vars[var] = value
            env.versions[var] = self.fresh_version()

    def _overwrite(self, statement: k.Store | k.Put | k.Fill, env: Env) -> None:
        """Writes to a hidden variable: something else stands there now, or nothing."""
        held = env.vars[statement.var]
        if isinstance(statement, k.Fill):
            self.unknowns.missed |= faults(self.program, statement)
            held = tuple(self.unknowns.loose(f"filled {at}") for at in range(len(held)))
        else:
            index = None
            if isinstance(statement, k.Put) and (held or self.facts.can_fault(statement.index)):
                index = self._evaluate(statement.index, env)
            if self.facts.can_fault(statement.value):
                self._evaluate(statement.value, env)
            there = self.has_value(statement.value, env) if held != () else TRUE
            if isinstance(index, Cases | Lin):
                held = self._placed(held, index, there)
            elif isinstance(statement, k.Store) and held != ():
                held = there
        env.vars[statement.var] = held
        env.versions[statement.var] = self.fresh_version()
        self._cover(statement.origin, env)

    def _placed(self, cells: tuple[Value, ...], index: Number, value: Value) -> tuple[Value, ...]:
        """The elements of an array, one of them replaced."""
        at, cells_ = fixed(index), list(cells)
        if at is not None:
            if 0 <= at < len(cells_):
                cells_[at] = value
        elif cells:
            pairs = self.numbers.cases(index).pairs
            self.terms.distinct([lit for _, lit in pairs])
            for i, lit in pairs:
                if 0 <= i < len(cells_):
                    cells_[i] = self.numbers.merge(lit, value, cells_[i])
        return tuple(cells_)

    def _put(self, put: k.Put, env: Env) -> None:
        index = self._evaluate(put.index, env)
        value = self._evaluate(put.value, env)
        assert isinstance(index, Cases | Lin)
        self._write(env, put.var, self._placed(env.vars[put.var], index, value))

    def _fill(self, fill: k.Fill, env: Env) -> None:
        cells = []
        for element in range(self.program.vars[fill.var].length or 0):
            env.locals[fill.binder] = constant(element)
            cells.append(self._evaluate(fill.value, env))
        self._write(env, fill.var, tuple(cells))

    def _when(self, when: k.When, env: Env, exits: Exits) -> Env:
        test = self._evaluate(when.test, env)
        assert isinstance(test, int)
        if test in (TRUE, FALSE):
            return self._code(when.then if test == TRUE else when.other, env, exits)
        yes, no = self.terms.both(env.live, test), self.terms.both(env.live, -test)
        then = self._code(when.then, env.copy(yes), exits)
        other = self._code(when.other, env.copy(no), exits)
        return self.meet(test, then, other, env.live if (then.live, other.live) == (yes, no) else None)

    # ------------------------------------------------------------------------------------------ loops

    def _for(self, loop: k.For, env: Env, exits: Exits) -> Env:
        members = self._evaluate(loop.over, env)
        assert isinstance(members, tuple)
        inner = Exits(returns=exits.returns)
        for element, member in enumerate(members):
            if member == FALSE or env.live == FALSE:
                continue
            yes, no = self.terms.both(env.live, member), self.terms.both(env.live, -member)
            if yes == FALSE:
                continue
            lap = env.copy(yes)
            lap.locals[loop.local] = constant(element)
            lap = self._lap(loop.body, lap, inner)
            if member != TRUE:
                lap = self.meet(member, lap, env.copy(no), env.live if lap.live == yes else None)
            env = lap
        return self._gather(env, inner.breaks)

    def _loop(self, loop: k.Loop, env: Env, exits: Exits) -> Env:
        inner = Exits(returns=exits.returns)
        for lap in range(loop.bound):
            if env.live == FALSE:
                break
            if lap >= LAPS:
                raise TooLarge(f"a loop of up to {loop.bound} laps")
            env = self._lap(loop.body, env.copy(env.live), inner)
        self.fault(env.live, loop.fault)
        return self._gather(env.copy(FALSE), inner.breaks)

    def _lap(self, body: k.Code, env: Env, exits: Exits) -> Env:
        exits.continues = []
        return self._gather(self._code(body, env, exits), exits.continues)

    def _gather(self, env: Env, left: list[Env]) -> Env:
        """Where paths that left early meet the one that did not; at most one of them is live."""
        for other in reversed(left):
            if other.live != FALSE:
                env = other if env.live == FALSE else self.meet(other.live, other, env)
        return env

    # ------------------------------------------------------------------------------------------ merging

    def meet(self, test: Lit, then: Env, other: Env, whole: Lit | None = None) -> Env:
        """One environment from two; `test` tells them apart wherever either is live; `whole`: when one is, if
        known.
        """
        if then.live == FALSE:
            return other
        if other.live == FALSE:
            return then
        live = self._join(then.live, other.live, test) if whole is None else whole
        merged = Env(list(other.vars), list(other.versions), dict(other.locals), live)
        for var, version in enumerate(then.versions):
            if version != other.versions[var]:
                merged.vars[var] = self._meet_var(test, then.vars[var], other.vars[var], var)
                merged.versions[var] = self.fresh_version()
        for local, value in then.locals.items():
            known = other.locals.get(local)
            merged.locals[local] = value if known is None else self._meet_local(test, value, known)
        return merged

    def _join(self, a: Lit, b: Lit, test: Lit) -> Lit:
        """a or b, as their common part where they are (common and test), (common and not test)."""
        terms = self.terms
        left, right = terms.parts(a), terms.parts(b)
        if left - right == {test} and right - left == {-test}:
            return terms.conj(left & right)
        return terms.either(a, b)

    def _meet_var(self, test: Lit, then: Any, other: Any, var: int) -> Any:
        if self.program.vars[var].length is None:
            return self.numbers.merge(test, then, other)
        merge = self.numbers.merge
        return tuple(a if a is b else merge(test, a, b) for a, b in zip(then, other, strict=True))

    def _meet_local(self, test: Lit, then: Value, other: Value) -> Value:
        return self.numbers.merge(test, then, other)
