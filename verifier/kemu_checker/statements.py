"""Statements as functions of a state, which come back with the state, or with None if no way goes on."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kemu_checker.anything import key_of, kind_of, size_of
from kemu_checker.cases import Value
from kemu_checker.expressions import Expressions, snapshot
from kemu_checker.limits import TooLarge
from kemu_checker.looks import Care
from kemu_checker.state import Dead, Forgotten, Malformed, State, all_joined, joined
from kemu_checker.symbols import Truth
from kemu_checker.terms import Terms
from kemu_checker.text import Node
from kemu_checker.values import Values

_LAPS = 5_000


@dataclass(slots=True)
class Ways:
    """The ways that leave a piece of code before its end."""

    breaks: list[State] = field(default_factory=list)
    continues: list[State] = field(default_factory=list)
    returns: list[tuple[State, Value]] = field(default_factory=list)


Step = Callable[[State, Ways], State | None]
Place = tuple[int, ...]


@dataclass(slots=True)
class _Worked:
    """A function's value, and what was read for it (which is kept, so that nothing else takes its place)."""

    read: list[Any]
    value: Value
    look: State

    @property
    def path(self) -> Truth:
        return self.look.path

    @property
    def faults(self) -> list[tuple[Truth, int]]:
        return self.look.faults

    @property
    def hits(self) -> list[tuple[Truth, Place]]:
        return self.look.hits


class Code:
    """Makes functions of a program's code."""

    def __init__(
        self,
        program: Node,
        terms: Terms,
        places: frozenset[Place] = frozenset(),
        forget: frozenset[int] = frozenset(),
        care: Care = Care.EXACT,
    ) -> None:
        self.program, self.values, self.places, self.care = program, Values(terms), places, care
        self.values.loose = care is not Care.EXACT
        self.values.local_sizes = [size_of(each.fields[1]) for each in program.fields[4]]
        self.values.var_sizes = [size_of(each.fields[1]) for each in program.fields[3]]
        self.expressions = Expressions(program, self.values, self, forget, care)
        self._functions: dict[int, Step] = {}
        self.remember = False
        self._values: dict[Any, _Worked] = {}
        self._running: list[int] = []

    # Functions and trials

    def call(self, function: int, state: State) -> Value:
        """What the function returns; if that is to be remembered, worked out once for equal arguments and
        variables."""
        reads = self.expressions.looks.reads(function) if self.remember else None
        if reads is None:
            return self._called(function, state)
        read = [state.locals[each] for each in self.program.fields[7][function].fields[1]]
        read += (state.vars[each] for each in sorted(reads))
        key = function, *map(key_of, read)
        known = self._values.get(key)
        if known is None:
            known = self._values[key] = _Worked(read, *self._worked_out(function, state))
        marks = state.path, len(state.faults), len(state.hits)
        state.path = known.path
        state.faults += known.faults
        state.hits += known.hits
        state.rebase(self.values, *marks)
        if type(state.path) is int and not state.path:
            raise Dead
        return known.value

    def _worked_out(self, function: int, state: State) -> tuple[Value, State]:
        """The value in a state; and where there is one, and what was met."""
        look = state.fork()
        look.path, look.faults, look.hits = 1, [], []
        try:
            return self._called(function, look), look
        except Dead:
            look.path = 0
            return None, look

    def _called(self, function: int, state: State) -> Value:
        step = self._functions.get(function)
        if step is None:
            step = self._functions[function] = self.sequence(self.program.fields[7][function].fields[3])
        path, faults, hits = state.path, len(state.faults), len(state.hits)
        state.path = 1
        ways = Ways()
        try:
            end = step(state, ways)
        except Dead:
            end = None
        if end is not None or ways.breaks or ways.continues:
            raise Malformed("a function ends without a value")
        size = size_of(self.program.fields[7][function].fields[2])
        return self._returned(state, ways, size, path, faults, hits)

    def _returned(
        self, state: State, ways: Ways, size: int | None, path: Truth, faults: int, hits: int
    ) -> Value:
        if not ways.returns:
            state.path = 0
            state.rebase(self.values, path, faults, hits)
            raise Dead
        result: Value = None
        so_far: Truth = 0
        for each, value in ways.returns:
            if result is None:
                result, so_far = value, each.path
                continue
            shared, test, against = self.values.terms.apart(so_far, each.path)
            result = self.values.choose(test, result, value, size)
            so_far = self.values.terms.both(shared, self.values.terms.either(test, against))
        state.path = so_far
        state.rebase(self.values, path, faults, hits)
        return result

    def trial(self, code: tuple[Node, ...]) -> Callable[[State], State]:
        """The code, run on a scratch copy."""
        step = self.sequence(code)

        def attempt(state: State) -> State:
            scratch = state.fork()
            ways = Ways()
            end = step(scratch, ways)
            if end is None or ways.breaks or ways.continues or ways.returns:
                raise Dead if end is None else Malformed("a trial is left on its way")
            return end

        return attempt

    # Statements

    def sequence(self, code: tuple[Node, ...], at: Place | None = None) -> Step:
        """One statement after the other; `at` is the place of the code, if its lines are of interest."""
        steps = [self._marked(each, None if at is None else (*at, i)) for i, each in enumerate(code)]
        if len(steps) == 1:
            return steps[0]

        def run(state: State, ways: Ways) -> State | None:
            now: State | None = state
            for step in steps:
                now = step(now, ways)  # type: ignore[arg-type]
                if now is None:
                    return None
            return now

        return run

    def _marked(self, node: Node, at: Place | None) -> Step:
        made: Step
        if node.kind in ("When", "For", "Loop"):
            made = getattr(self, f"_{node.kind.lower()}")(at, *node.fields)
        else:
            made = getattr(self, f"_{node.kind.lower()}")(*node.fields)
        if at is None or at not in self.places:
            return made

        def run(state: State, ways: Ways) -> State | None:
            after = made(state, ways)
            if after is not None:  # a statement that faults is not carried out
                after.hits.append((after.path, at))
            return after

        return run

    def _assign(self, local: int, value: Node) -> Step:
        get, kind = self.expressions.make(value), kind_of(self.program.fields[4][local].fields[1])

        def run(state: State, ways: Ways) -> State:
            state.locals[local] = self.expressions.fit(state, *kind, get(state))
            return state

        return run

    def _var(self, var: int) -> tuple[str, tuple[Any, ...]]:
        return kind_of(self.program.fields[3][var].fields[1])

    def _skipped(self, var: int, *parts: Node) -> bool:
        """Whether what is written to the variable does not matter: it is forgotten, and so are faults, or
        there are none."""
        loose = self.care is not Care.EXACT
        return var in self.expressions.forget and (loose or not self.expressions.looks.faulty(parts))

    def _store(self, var: int, value: Node) -> Step:
        if self._skipped(var, value):
            return self._anew(var)
        get, kind = self.expressions.make(value), self._var(var)

        def run(state: State, ways: Ways) -> State:
            found = self.expressions.fit(state, *kind, get(state))
            state.vars[var] = Forgotten() if type(state.vars[var]) is Forgotten else found
            return state

        return run

    def _anew(self, var: int) -> Step:
        """From now on the variable has any value."""

        def run(state: State, ways: Ways) -> State:
            state.vars[var] = Forgotten()
            return state

        return run

    def _put(self, var: int, index: Node, value: Node) -> Step:
        if self._skipped(var, index, value):
            return self._anew(var)
        place, get, kind = self.expressions.make(index), self.expressions.make(value), self._var(var)
        size, sets = self.program.fields[3][var].fields[2], self.values.var_sizes[var]

        def run(state: State, ways: Ways) -> State:
            i = self.expressions.index(state, place(state), size)
            found = self.expressions.fit(state, *kind, get(state))
            array = state.vars[var]
            if type(array) is Forgotten:
                state.vars[var] = Forgotten()
                return state
            array = array.copy()
            for n, cond in self.values.listed(i):
                array[n] = self.values.choose(cond, found, array[n], sets)
            state.vars[var] = array
            return state

        return run

    def _fill(self, var: int, binder: int, value: Node) -> Step:
        if self._skipped(var, value):
            return self._anew(var)
        get, kind = self.expressions.make(value), self._var(var)
        size = self.program.fields[3][var].fields[2]

        def run(state: State, ways: Ways) -> State:
            found = []
            for i in range(size):
                state.locals[binder] = i
                found.append(self.expressions.fit(state, *kind, get(state)))
            state.vars[var] = Forgotten() if type(state.vars[var]) is Forgotten else found
            return state

        return run

    def _note(self, var: int) -> Step:
        history = self.program.fields[3][var]

        def run(state: State, ways: Ways) -> State:
            now, known = snapshot(state, history), state.vars[var]
            if now is None or type(known) is not dict:
                state.vars[var] = Forgotten()
            else:
                state.vars[var] = known | {now: known.get(now, 0) + 1}
            return state

        return run

    def _forget(self, var: int) -> Step:
        def run(state: State, ways: Ways) -> State:
            state.vars[var] = {}
            return state

        return run

    def _check(self, test: Node, fault: int) -> Step:
        if self.expressions.looks.loose(test):
            return lambda state, ways: state
        get = self.expressions.make(test)

        def run(state: State, ways: Ways) -> State:
            state.require(self.values, self.values.truth(get(state)), fault)
            return state

        return run

    def _break(self) -> Step:
        return lambda state, ways: ways.breaks.append(state)

    def _continue(self) -> Step:
        return lambda state, ways: ways.continues.append(state)

    def _return(self, value: Node) -> Step:
        get = self.expressions.make(value)
        return lambda state, ways: ways.returns.append((state, get(state)))

    def _when(self, at: Place | None, test: Node, then: tuple[Node, ...], other: tuple[Node, ...]) -> Step:
        get = self.expressions.make(test)
        first = self.sequence(then, None if at is None else (*at, 0))
        second = self.sequence(other, None if at is None else (*at, 1))

        def run(state: State, ways: Ways) -> State | None:
            cond = self.values.truth(get(state))
            if type(cond) is int:
                return first(state, ways) if cond else second(state, ways)
            return self.fork(state, cond, lambda now: first(now, ways), lambda now: second(now, ways))

        return run

    def fork(
        self,
        state: State,
        cond: Truth,
        first: Callable[[State], State | None],
        second: Callable[[State], State | None],
    ) -> State | None:
        """Both ways of an unknown condition, and what comes of them as one."""
        terms, other = self.values.terms, state.fork()
        state.path, other.path = terms.both(state.path, cond), terms.both(state.path, terms.negate(cond))
        return joined(self.values, self._live(state, first), self._live(other, second))

    def _live(self, state: State, step: Callable[[State], State | None]) -> State | None:
        if type(state.path) is int and not state.path:
            return None
        try:
            return step(state)
        except Dead:
            return None

    def _for(self, at: Place | None, local: int, over: Node, code: tuple[Node, ...]) -> Step:
        get, body = self.expressions.make(over), self.sequence(code, at)
        kind = kind_of(self.program.fields[4][local].fields[1])

        def run(state: State, ways: Ways) -> State | None:
            inner = Ways(returns=ways.returns)
            now: State | None = state
            for i, cond in self.expressions.elements(get(state)):
                if now is None:
                    break

                def lap(at_lap: State, i: int = i) -> State | None:
                    at_lap.locals[local] = self.expressions.fit(at_lap, *kind, i)
                    return self._lap(at_lap, body, inner)

                now = lap(now) if type(cond) is int else self.fork(now, cond, lap, lambda skip: skip)
            return self._after(now, inner)

        return run

    def _lap(self, state: State, body: Step, inner: Ways) -> State | None:
        """One lap; what continues goes on with what came to its end."""
        try:
            end = body(state, inner)
        except Dead:
            if type(state.path) is int and not inner.continues and not inner.breaks and not inner.returns:
                raise
            end = None
        if inner.continues:
            end = all_joined(self.values, [*inner.continues, *([end] if end else [])])
            inner.continues.clear()
        return end

    def _after(self, now: State | None, inner: Ways) -> State | None:
        return all_joined(self.values, [*inner.breaks, *([now] if now else [])]) if inner.breaks else now

    def _loop(self, at: Place | None, bound: int, code: tuple[Node, ...], fault: int) -> Step:
        body = self.sequence(code, at)

        def run(state: State, ways: Ways) -> State | None:
            inner = Ways(returns=ways.returns)
            now: State | None = state
            for lap in range(bound):
                if now is None:
                    break
                self.values.terms.tick()
                if lap > _LAPS and type(now.path) is not int:
                    raise TooLarge("a loop of many laps")
                now = self._lap(now, body, inner)
            if now is not None:
                try:
                    now.require(self.values, 0, fault)
                except Dead:
                    now = None
                if not inner.breaks and not inner.returns:
                    raise Dead
            return self._after(now, inner)

        return run
