"""The steps from one stop, or from the opening, on unknown values: what can be asked of them."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby, product
from math import prod

from kemu_checker.arithmetic import Arithmetic
from kemu_checker.cases import FEW, Value
from kemu_checker.cnf import Clauses
from kemu_checker.counting import (
    MANY,
    Impossible,
    at_least,
    at_most,
    conjuncts_of,
    counted,
    is_long,
    light,
    long_sums,
    shared,
    split,
)
from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.looks import Care
from kemu_checker.machine import Machine, Run, Way
from kemu_checker.pure import purified
from kemu_checker.shortening import differences, gathered
from kemu_checker.solvers import SOLVERS
from kemu_checker.state import Dead, State
from kemu_checker.statements import Place
from kemu_checker.sums import Sum
from kemu_checker.symbols import SMALL, Symbol, Truth
from kemu_checker.terms import Terms
from kemu_checker.text import Node

_STEPS = 6  # times the time of a query are for the steps of a stop
_FIRST, _SHARE = 0.02, 0.1  # of the time of a query are for clauses, where sums can be looked at, too
_PART, _HARD = 0.02, 4  # of it are for a part of a sum; so many may stay undecided
_AT_FIRST = 0.25  # of it are for counting, before other ways are tried
_MUCH = 60_000  # terms of the edges of a stop
_MORE = 5  # times that many where it is said who is on turn
_PARTED = 16  # states of locals at a stop that are looked at one by one
CLOCK = Symbol("clock", 0, 1 << 62)


@dataclass(slots=True)
class Limits:
    """How long a query and all together may take, and with which solver; `used`: those that excluded
    something since this was emptied."""

    solver: str
    seconds: float = 20.0
    sums: Callable[[], Arithmetic] | None = None
    until: float = float("inf")  # of time.monotonic
    used: set[str] = field(default_factory=set)

    def left(self) -> float:
        """For one more query; raises OutOfTime if there is nothing left."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise OutOfTime
        return min(self.seconds, left)


Fixed = tuple[tuple[int, int], ...]


@dataclass(slots=True, eq=False)
class Edge:
    """An action or an outcome, or some of one arm (none: the opening): when one is there, and its run."""

    cond: Truth
    run: Run
    ways: tuple[Way, ...] = ()


@dataclass(eq=False)
class View:
    """A stop with any state, the edges from it, and a solver that knows what is asserted of them."""

    program: Node
    block: int | None
    places: frozenset[Place]
    limits: Limits
    forget: frozenset[int] = frozenset()
    late: bool = False
    arriving: bool = False  # whether steps to a stop look whether play can go on there
    care: Care = Care.EXACT
    fixed: Fixed = ()  # locals that are kept there, with the value that is looked at
    machine: Machine = field(init=False)
    state: State = field(init=False)
    _edges: list[Edge] | None = None
    _outcomes: list[Edge] | None = None
    _told: int = 0
    _looked: tuple[State, Truth] | None = None

    def __post_init__(self) -> None:
        self.terms = Terms(seconds=self.limits.seconds * _STEPS, until=self.limits.until)
        self.machine = Machine(self.program, self.terms, self.places, self.forget, self.care)
        self.machine.arriving, self.machine.code.remember, self.machine.filling = self.arriving, True, True
        self.machine.possible = self._passable
        self.machine.values.few = FEW
        self._relied: set[str] = set()  # the solvers by which the steps became fewer
        self._solver = SOLVERS[self.limits.solver]()
        self._clauses = Clauses(self.terms, self._solver.add)
        self._assumed = 0
        if self.block is None:
            self.state = self.machine.opening()
        else:
            self.state = self.machine.anything(self.block)
            self.state.clock = CLOCK.high if self.late else Sum(0, {(None, CLOCK): 1})
            self.machine.counting = not self.late
            for local, value in self.fixed:
                self.state.locals[local] = value

    @property
    def edges(self) -> list[Edge]:
        """All edges: each action and outcome by itself, or if that is much, all of an arm at once."""
        if self._edges is None:
            if self.block is None:
                self._edges = [Edge(1, self.machine.begin())]
            else:
                try:
                    with self.terms.within(_MUCH * (_MORE if self.fixed else 1)):
                        self._edges = self.outcomes
                except OutOfTime:
                    raise
                except TooLarge:
                    take_any = self.machine.take_any
                    self._edges = [
                        Edge(*take_any(self.block, self.state, some), tuple(some))
                        for some in _arms(self.all_ways)
                    ]
        self.limits.used |= self._relied
        return self._edges

    @property
    def outcomes(self) -> list[Edge]:
        """The edges one by one."""
        if self._outcomes is None:
            assert self.block is not None
            take = self.machine.take
            self._outcomes = [
                Edge(way.cond, take(self.block, self.state, way), (way,)) for way in self.all_ways
            ]
        self.limits.used |= self._relied
        return self._outcomes

    @cached_property
    def all_ways(self) -> list[Way]:
        """The actions, or the outcomes, of the view's state."""
        return list(self.ways(self.state))

    def conds(self, arm: int) -> list[Truth]:
        """When the actions of an arm are there."""
        return [way.cond for way in self.all_ways if way.arm == arm]

    def ways(self, state: State) -> Iterator[Way]:
        """All ways in a state at the stop; none after one that cannot be looked at without a fault."""
        assert self.block is not None
        with suppress(Dead):
            yield from self.machine.ways(self.block, state.fork())

    def looked(self) -> tuple[Truth, Truth, list[tuple[Truth, int]]]:
        """Whether looking at what can be done does not fault, whether there is something, and the faults."""
        if self._looked is None:
            assert self.block is not None
            look = self.state.fork()
            look.faults = []
            there = self.machine.look(self.block, look)
            self._looked = look, there
        look, there = self._looked
        return look.path, there, look.faults

    def hold(self, state: State, exprs: Iterable[Node], definitions: tuple[Node, ...] = ()) -> list[Truth]:
        """Whether each of these is true; it is not where it faults."""
        found = self.values(state, exprs, definitions)
        return [self.terms.both(path, self.machine.values.truth(value)) for value, path in found]

    def values(
        self, state: State, exprs: Iterable[Node], definitions: tuple[Node, ...] = ()
    ) -> list[tuple[Value, Truth]]:
        """The values of expressions, each with where it does not fault."""
        expressions = self.machine.claims
        expressions.define(definitions, state)
        return [self._value(state.fork(), expressions.make(expr)) for expr in exprs]

    def _value(self, look: State, expr: Callable[[State], Value]) -> tuple[Value, Truth]:
        look.path, look.faults = 1, []
        try:
            return expr(look), look.path
        except Dead:
            return 0, 0

    def _passable(self, path: Truth) -> bool | None:
        """Whether a way that goes round can be taken."""
        found = self._by_clauses([path], self.limits.left() * _SHARE)
        if found is False:
            self._relied.add(self.limits.solver)
        return found

    def possible(self, *parts: Truth) -> bool | None:
        """Whether all of this can hold together: None if that was not decided."""
        found = self._possible(parts)
        return None if found and self.terms.guessed else found

    def _possible(self, parts: tuple[Truth, ...], at_once: bool = False) -> bool | None:
        """By ways that take longer and longer; `at_once`: cases that can be looked at one by one, too."""
        together = self.terms.every(parts)
        if type(together) is int and not together:
            return False
        begun, whole = time.process_time(), self.limits.left()
        try:
            more = (*parts, *differences(self.terms, parts))
            if 0 in more:
                return False
            if self.limits.sums is None:
                return self._by_clauses(more, whole)
            found = self._by_clauses(more, whole * (_SHARE if at_once else _FIRST))
            if found is not None or at_once:
                return found
            if self._by_counting(more, time.process_time() + whole * _AT_FIRST):
                return False
            pure = purified(self.terms, parts)
            more = (*pure, *differences(self.terms, pure))
            if 0 in more or self._gathered(more, time.process_time() + whole):
                return False
            found = self._by_clauses(more, whole * _SHARE)
            if found is not None:
                return found
            for last in (self._case_by_case, self._by_counting):
                if last(more, time.process_time() + whole):
                    return False
            return self._by_sums(more)
        finally:
            self.terms.wait(time.process_time() - begun)

    def _by_clauses(self, parts: Iterable[Truth], seconds: float) -> bool | None:
        literals = [self._clauses.literal(part) for part in parts if type(part) is not int]
        while self._assumed < len(self.terms.assumed):
            self._solver.add([self._clauses.literal(self.terms.assumed[self._assumed])])
            self._assumed += 1  # only now: to write it down may be too much
        return self._noted(self.limits.solver, self._solver.possible(literals, seconds))

    def _noted(self, solver: str, found: bool | None) -> bool | None:
        if found is False:
            self.limits.used.add(solver)
        return found

    @cached_property
    def _arithmetic(self) -> Arithmetic:
        assert self.limits.sums is not None
        return self.limits.sums()

    def _by_sums(self, parts: tuple[Truth, ...]) -> bool | None:
        """By all of it as linear arithmetic."""
        for each in self.terms.assumed[self._told :]:
            self._arithmetic.add(each)
        self._told = len(self.terms.assumed)
        return self._noted("cvc5", self._arithmetic.possible(list(parts), self.limits.left()))

    def _gathered(self, parts: tuple[Truth, ...], until: float) -> bool:
        """Whether it cannot hold, as parts of long sums cannot hold, or not two of them; looked for until
        then, or until it turns out to be hard to say of the parts."""
        limit, undecided, conjuncts = self.limits.seconds * _PART, 0, conjuncts_of(parts)
        short = [each for each in conjuncts if not is_long(each)]

        def impossible(more: list[Truth]) -> bool:
            nonlocal undecided
            left = min(limit, until - time.process_time())
            if left <= 0 or undecided > _HARD:
                return False
            found = self._by_clauses([*short, *more], left)
            undecided += found is None
            return found is False

        more = gathered(self.terms, conjuncts, impossible)
        if not more or 0 in more:
            return bool(more)
        return self._by_clauses([*conjuncts, *more], self.limits.seconds * _SHARE) is False

    def _case_by_case(self, parts: tuple[Truth, ...], until: float) -> bool:
        """Whether it cannot hold for any value of one or two symbols that long sums depend on; looked for
        until then."""
        every = conjuncts_of(parts)
        if shared(every, MANY) is None:
            return False
        for case in split(self.terms, every, MANY):
            left = min(self.limits.seconds * _SHARE, until - time.process_time())
            if left <= 0 or self._by_clauses(case, left * _SHARE) is not False:
                more = [*case, *differences(self.terms, case)]
                if 0 in more:
                    continue
                if left <= 0 or self._noted("cvc5", self._arithmetic.possible(more, left)) is not False:
                    return False
        return True

    def _by_counting(self, parts: tuple[Truth, ...], until: float) -> bool:
        """Whether it cannot hold, by what little speaks of long sums; looked for until then."""
        short, limit = light(parts), self.limits.seconds * _SHARE
        if not any(long_sums(short)):
            return False
        for case in split(self.terms, short):

            def impossible(more: list[Truth], case: list[Truth] = case) -> bool:
                left = min(limit, until - time.process_time())
                return left > 0 and self._by_clauses([*parts, *case, *more], left) is False

            if not self._excluded_by_counts(case, impossible, limit):
                return False
        return True

    def _excluded_by_counts(self, case: list[Truth], impossible: Impossible, limit: float) -> bool:
        known: list[Truth] = []
        every = counted(self.terms, light(case))
        for bounds in (at_least, at_most):
            known += (each for many in every for each in bounds(self.terms, many, impossible))
            if self._noted("cvc5", self._arithmetic.possible([*case, *known], limit)) is False:
                return True
        return False

    def impossible(self, known: Iterable[Truth], cases: list[Truth]) -> bool | None:
        """Whether none of the cases can hold: asked of all at once, then of each."""
        known, cases = list(known), [case for case in cases if type(case) is not int or case]
        if not cases:
            return True
        if len(cases) > 1:
            found = self._possible((*known, self.terms.some(cases)), at_once=True)
            if found is not None and not (found and self.terms.guessed):
                return not found
        result: bool | None = True
        for case in cases:
            found = self.possible(*known, case)
            if found:
                return False
            result = None if found is None else result
        return result


def parted(program: Node, block: int) -> Iterator[Fixed]:
    """The values that locals kept at a stop have together, of those that are one of few things with names:
    who is on turn."""
    few: list[tuple[int, range]] = []
    for local in program.fields[9][block].fields[2]:
        _, kind, names = program.fields[4][local].fields[:3]
        if kind.kind == "Int" and names:
            values = range(kind.fields[0], kind.fields[1] + 1)
            if prod(len(each) for _, each in few) * len(values) <= _PARTED:
                few.append((local, values))
    for some in product(*(values for _, values in few)):
        yield tuple(zip((local for local, _ in few), some, strict=True))


def _arms(ways: Iterable[Way]) -> Iterator[list[Way]]:
    """The ways of one arm, as many as one small symbol tells apart."""
    for _, group in groupby(ways, key=lambda way: way.arm):
        some = list(group)
        yield from (some[i : i + SMALL] for i in range(0, len(some), SMALL))
