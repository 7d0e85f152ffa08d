"""A state of a run on its way from stop to stop, and how two ways become one."""

from typing import Any

from kemu_checker.cases import Known, Value
from kemu_checker.symbols import Truth


class Dead(Exception):
    """This way is over: it ran into a fault, which is recorded."""


class Malformed(ValueError):
    """The program does what no well-formed program does; the message says what."""


MALFORMED = -1  # the fault of such a program: a value or an index out of its type
SILENT = -2  # the fault of a run that never comes to a stop


class Forgotten:
    """A variable of which nothing is known; what was read once is read again until it is written."""

    __slots__ = ("read",)

    def __init__(self) -> None:
        self.read: dict[int, Value] = {}


class State:
    """Locals and variables, under the condition `path`; faults and places met, each with its own."""

    __slots__ = ("clock", "faults", "hits", "locals", "path", "vars")

    def __init__(self, local: list[Value], variables: list[Value], clock: Value = 0) -> None:
        self.path: Truth = 1
        self.locals, self.vars, self.clock = local, variables, clock
        self.faults: list[tuple[Truth, int]] = []
        self.hits: list[tuple[Truth, tuple[int, ...]]] = []

    def fork(self) -> "State":
        """Another way from here; it records into the same lists."""
        other = State.__new__(State)
        other.path, other.clock = self.path, self.clock
        other.locals, other.vars = self.locals.copy(), self.vars.copy()
        other.faults, other.hits = self.faults, self.hits
        return other

    def require(self, values: Known, test: Truth, fault: int) -> None:
        """Records the fault where the test fails, and goes on where it holds."""
        if type(test) is int:
            if test:
                return
            self.faults.append((self.path, fault))
            self.path = 0
            raise Dead
        terms = values.terms
        bad = terms.both(self.path, terms.negate(test))
        if type(bad) is not int or bad:
            self.faults.append((bad, fault))
        self.path = terms.both(self.path, test)
        if type(self.path) is int and not self.path:
            raise Dead

    def rebase(self, values: Known, path: Truth, faults: int, hits: int) -> None:
        """All that was recorded since then, and the way itself, were under this condition."""
        if type(path) is int and path == 1:
            return
        both = values.terms.both
        self.path = both(path, self.path)
        self.faults[faults:] = [(both(path, cond), fault) for cond, fault in self.faults[faults:]]
        self.hits[hits:] = [(both(path, cond), place) for cond, place in self.hits[hits:]]


def joined(values: Known, one: State | None, other: State | None) -> State | None:
    """Two ways that exclude each other as one."""
    if one is None or other is None:
        return one or other
    shared, test, against = values.terms.apart(one.path, other.path)
    one.path = values.terms.both(shared, values.terms.either(test, against))
    one.locals = [
        _merged(values, test, *each)
        for each in zip(one.locals, other.locals, values.local_sizes, strict=True)
    ]
    one.vars = [
        _merged(values, test, *each) for each in zip(one.vars, other.vars, values.var_sizes, strict=True)
    ]
    one.clock = values.choose(test, one.clock, other.clock)
    return one


def all_joined(values: Known, states: list[State]) -> State | None:
    """All of these ways as one."""
    result: State | None = None
    for each in states:
        result = joined(values, result, each)
    return result


def _merged(values: Known, test: Truth, one: Any, other: Any, size: int | None) -> Any:
    if one is other or one is None or other is None:
        return other if one is None else one
    if type(one) is Forgotten or type(other) is Forgotten or isinstance(one, dict):
        return one if type(one) is dict and one == other else Forgotten()
    if type(one) is list:
        return [a if a is b else values.choose(test, a, b, size) for a, b in zip(one, other, strict=True)]
    return values.choose(test, one, other, size)
