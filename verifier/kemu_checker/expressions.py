"""Expressions as functions of a state: numbers where all is known, terms where it is not."""

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Protocol

from kemu_checker.anything import Anything, Expr, kind_of, size_of
from kemu_checker.cases import Cases, Value, bits, high, low
from kemu_checker.closures import closed
from kemu_checker.folds import Folding
from kemu_checker.forms import form_of, formed
from kemu_checker.looks import Care, Looks
from kemu_checker.state import MALFORMED, Dead, Forgotten, Malformed, State
from kemu_checker.sums import Sum
from kemu_checker.symbols import SMALL, Truth
from kemu_checker.text import Node
from kemu_checker.values import Values


class Runner(Protocol):
    """Who runs code: functions and trials."""

    def call(self, function: int, state: State) -> Value:
        """What the function returns."""

    def trial(self, code: tuple[Node, ...]) -> Callable[[State], State]:
        """The code, run on a scratch copy."""


class Expressions:
    """Makes functions of expressions; each expression once."""

    def __init__(
        self,
        program: Node,
        values: Values,
        runner: Runner,
        forget: frozenset[int] = frozenset(),
        care: Care = Care.EXACT,
    ) -> None:
        self.values, self.runner, self.forget = values, runner, forget
        self._vars, self._tables, self._functions = program.fields[3], program.fields[5], program.fields[7]
        self._made: dict[int, tuple[Node, Expr]] = {}
        self.looks = Looks(program, forget, care)
        self.anything = Anything(values, self.looks)
        self.definitions: tuple[Node, ...] = ()
        self._defined: dict[int, tuple[Value, Truth]] = {}
        self._base: State | None = None

    def make(self, node: Node) -> Expr:
        """The expression as a function."""
        found = self._made.get(id(node))
        if found is None:
            made = self.anything.instead(node) or getattr(self, f"_{node.kind.lower()}")(*node.fields)
            found = self._made[id(node)] = node, made
        return found[1]

    def under(self, state: State, test: Truth, evaluate: Expr, faulty: bool) -> Value:
        """The value where the test holds (it does not matter elsewhere); faults elsewhere are none."""
        if type(test) is int:
            return evaluate(state) if test else None
        if not faulty:
            return evaluate(state)
        terms, path = self.values.terms, state.path
        inside = state.path = terms.both(path, test)
        try:
            value = None if type(inside) is int and not inside else evaluate(state)
        except Dead:
            value = None
        if state.path is inside:
            state.path = path
        else:
            state.path = terms.both(path, terms.either(terms.negate(test), state.path))
            if type(state.path) is int and not state.path:
                raise Dead
        return value

    def fit(self, state: State, kind: str, args: tuple[Any, ...], value: Value) -> Value:
        """The value, which has to be of the type."""
        if kind == "Int":
            least, most = args
            if type(value) is int:
                if least <= value <= most:
                    return value
                state.require(self.values, 0, MALFORMED)
            if value is None:
                raise Malformed("a local is read that was not set")
            if low(value) < least or high(value) > most:
                inside = self.values.terms.both(
                    self.values.at_most(least, value), self.values.at_most(value, most)
                )
                state.require(self.values, inside, MALFORMED)
                if type(value) is Cases:
                    kept = self.values.cases({n: cond for n, cond in value.table if least <= n <= most})
                    return formed(kept, lambda: form_of(value))
            if type(value) is Sum and value.cases is not None and most - least < SMALL:
                found = self.values.listed(value)
                return self.values.cases({n: cond for n, cond in found if least <= n <= most})
        elif kind == "Set" and type(value) is int and value >> args[0]:
            state.require(self.values, 0, MALFORMED)
        elif value is None:
            raise Malformed("a local is read that was not set")
        return value

    # Leaves

    def _const(self, _: Node, value: int) -> Expr:
        return lambda state: value

    def _local(self, _: Node, local: int) -> Expr:
        def evaluate(state: State) -> Value:
            value = state.locals[local]
            if value is None:
                raise Malformed("a local is read that was not set")
            return value

        return evaluate

    def _load(self, _: Node, var: int) -> Expr:
        def evaluate(state: State) -> Value:
            value = state.vars[var]
            return self.remembered(value, var, 0) if type(value) is Forgotten else value

        return evaluate

    def remembered(self, value: Forgotten, var: int, index: int) -> Value:
        """What is read of a variable that is forgotten."""
        if index not in value.read:
            self.values.terms.guessed = True
            name, kind, *_, names = self._vars[var].fields[:6]
            text = f"{name}[{index}] forgotten"
            value.read[index] = self.values.unknown(*kind_of(kind), text, bool(names))
        return value.read[index]

    def _at(self, kind: Node, var: int, index: Node) -> Expr:
        get, size, set_size = self.make(index), self._vars[var].fields[2], size_of(kind)

        def evaluate(state: State) -> Value:
            i, array = get(state), state.vars[var]
            i = self.index(state, i, size)
            if type(array) is Forgotten:
                return self.values.pick(i, lambda n: self.remembered(array, var, n), set_size)
            return array[i] if type(i) is int else self.values.pick(i, array.__getitem__, set_size)

        return evaluate

    def index(self, state: State, value: Value, size: int) -> Value:
        """The index, which has to be below the size."""
        if type(value) is int and 0 <= value < size:
            return value
        value = self.fit(state, "Int", (0, size - 1), value)
        return self.values.within(value, 0, size - 1)

    def _lookup(self, kind: Node, table: int, index: Node) -> Expr:
        get, entries, set_size = self.make(index), self._tables[table].fields[1], size_of(kind)

        def evaluate(state: State) -> Value:
            value = get(state)
            if self.values.loose and self.values.many(value, len(entries)):
                self.values.terms.guessed = True
                return self.values.unknown(*kind_of(kind), "an entry of a long table")
            i = self.index(state, value, len(entries))
            return entries[i] if type(i) is int else self.values.pick(i, entries.__getitem__, set_size)

        return evaluate

    def _times(self, kind: Node, var: int) -> Expr:
        args = kind_of(kind)

        def evaluate(state: State) -> Value:
            history = state.vars[var]
            if type(history) is dict:
                if not history:
                    return 0
                now = snapshot(state, self._vars[var])
                if now is not None:
                    return min(history.get(now, 0), 255)
            self.values.terms.guessed = True
            return self.values.unknown(args[0], args[1], "times")

        return evaluate

    def _clock(self) -> Expr:
        return lambda state: state.clock

    def define(self, definitions: tuple[Node, ...], state: State | None = None) -> None:
        """From now on `Def` speaks of these, and of this state."""
        self.definitions, self._base = definitions, state
        self._defined.clear()

    def _def(self, number: int) -> Expr:
        get = self.make(self.definitions[number])

        def evaluate(state: State) -> Value:
            if number not in self._defined:
                assert self._base is not None
                look = self._base.fork()
                look.path, look.faults = 1, []
                try:
                    self._defined[number] = get(look), look.path
                except Dead:
                    self._defined[number] = 0, 0
            value, held = self._defined[number]
            state.require(self.values, held, MALFORMED)
            return value

        return evaluate

    # Operators

    def _op(self, kind: Node, operator: str, arguments: tuple[Node, ...]) -> Expr:
        parts = [self.make(each) for each in arguments]
        if operator in ("and", "or"):
            return self._lazy(operator == "and", parts, [self.looks.faulty(each) for each in arguments])
        if operator == "single":
            size = kind.fields[0]
            return lambda state: self.values.single(self.index(state, parts[0](state), size), size)
        if operator in ("not", "neg", "abs", "card"):
            return self._unary(operator, parts[0])
        if operator in ("add", "mul", "min", "max", "union", "inter", "eq") and len(parts) > 2:
            return self._several(operator, parts)
        return self._binary(operator, *parts)

    def _several(self, operator: str, parts: list[Expr]) -> Expr:
        if operator == "eq":
            raise Malformed("`eq` compares two values")
        return reduce(lambda one, other: self._binary(operator, one, other), parts)

    def _lazy(self, conjunction: bool, parts: list[Expr], faulty: list[bool]) -> Expr:
        values = self.values
        end = 0 if conjunction else 1

        def evaluate(state: State) -> Truth:
            terms, result = values.terms, 1 - end
            for part, risky in zip(parts, faulty, strict=True):
                if type(result) is int:
                    if result == end:
                        return end
                    result = values.truth(part(state))
                    continue
                test = result if conjunction else terms.negate(result)
                value = self.under(state, test, part, risky)
                if value is None:
                    continue
                value = values.truth(value)
                result = terms.both(result, value) if conjunction else terms.either(result, value)
            return result

        return evaluate

    def _unary(self, operator: str, part: Expr) -> Expr:
        known, unknown = self.values.unary[operator]

        def evaluate(state: State) -> Value:
            a = part(state)
            return known(a) if type(a) is int else unknown(a)

        return evaluate

    def _binary(self, operator: str, first: Expr, second: Expr) -> Expr:
        known, unknown = self.values.binary[operator]
        if operator in ("div", "mod"):
            second = self._no_zero(second)

        def evaluate(state: State) -> Value:
            a, b = first(state), second(state)
            if type(a) is int and type(b) is int:
                return known(a, b)
            return unknown(a, b)

        return evaluate

    def _no_zero(self, divisor: Expr) -> Expr:
        def evaluate(state: State) -> Value:
            value = divisor(state)
            if type(value) is not int or not value:
                state.require(self.values, self.values.terms.negate(self.values.equal(value, 0)), MALFORMED)
            return value

        return evaluate

    # Nodes with parts that are evaluated only if needed

    def _if(self, kind: Node, test: Node, then: Node, other: Node) -> Expr:
        decide, first, second = self.make(test), self.make(then), self.make(other)
        risky = self.looks.faulty(then), self.looks.faulty(other)

        def evaluate(state: State) -> Value:
            cond = self.values.truth(decide(state))
            if type(cond) is int:
                return first(state) if cond else second(state)
            a = self.under(state, cond, first, risky[0])
            b = self.under(state, self.values.terms.negate(cond), second, risky[1])
            if a is None or b is None:
                if a is None and b is None:
                    raise Dead
                return b if a is None else a
            return self.values.choose(cond, a, b, size_of(kind))

        return evaluate

    def _let(self, _: Node, local: int, value: Node, body: Node) -> Expr:
        get, rest = self.make(value), self.make(body)

        def evaluate(state: State) -> Value:
            state.locals[local] = get(state)
            return rest(state)

        return evaluate

    def _need(self, kind: Node, test: Node, value: Node, fault: int) -> Expr:
        decide, get, args = self.make(test), self.make(value), kind_of(kind)

        def evaluate(state: State) -> Value:
            held = decide(state)
            if type(held) is not int or not held:
                state.require(self.values, self.values.truth(held), fault)
            return self.fit(state, *args, get(state))

        return evaluate

    def _call(self, _: Node, function: int, arguments: tuple[Node, ...]) -> Expr:
        params = self._functions[function].fields[1]
        parts = [self.make(each) for each in arguments]
        if len(params) != len(parts):
            raise Malformed("a function is called with a wrong number of arguments")

        def evaluate(state: State) -> Value:
            given = [part(state) for part in parts]
            for local, value in zip(params, given, strict=True):
                state.locals[local] = value
            return self.runner.call(function, state)

        return evaluate

    def _trial(self, _: Node, code: tuple[Node, ...], test: Node) -> Expr:
        attempt, get = self.runner.trial(code), self.make(test)

        def evaluate(state: State) -> Value:
            try:
                scratch = attempt(state)
                value = get(scratch)
            except Dead:
                state.path = 0
                raise
            state.path = scratch.path
            return value

        return evaluate

    # Sets

    def elements(self, members: Value) -> Iterator[tuple[int, Truth]]:
        """The elements that may be in the set, ascending, each with its condition."""
        self.values.terms.tick()
        if type(members) is int:
            while members:
                bit = members & -members
                yield bit.bit_length() - 1, 1
                members ^= bit
        else:
            yield from ((i, each) for i, each in enumerate(members) if type(each) is not int or each)

    def _fold(self, kind: Node, operator: str, binder: int, over: Node, where: Node, body: Node) -> Expr:
        members, accept, get = self.make(over), self.make(where), self.make(body)
        risky = self.looks.faulty(where), self.looks.faulty(body)
        terms = self.values.terms

        def items(state: State, going_on: Callable[[], Truth]) -> Iterator[tuple[int, Truth, Value]]:
            for i, cond in self.elements(members(state)):
                state.locals[binder] = i
                base = terms.both(cond, going_on()) if any(risky) else cond
                if type(base) is int and not base:
                    continue
                taken = self.under(state, base, accept, risky[0])
                if taken is None:
                    continue
                cond = terms.both(cond, self.values.truth(taken))
                if type(cond) is int and not cond:
                    continue
                state.locals[binder] = i
                base = terms.both(base, cond) if risky[1] else cond
                value = self.under(state, base, get, risky[1])
                if value is not None:
                    yield i, cond, value

        return Folding(self.values, kind, items).make(operator)

    def _closure(self, kind: Node, seed: Node, binder: int, step: Node) -> Expr:
        begin, grow, size = self.make(seed), self.make(step), kind.fields[0]

        def known(state: State, found: int) -> Value:
            """By a stack, while what is found is known; None if it is not."""
            stack, seen = _members(found), found
            while stack:
                state.locals[binder] = stack.pop()
                more = grow(state)
                if type(more) is not int:
                    return None
                stack += _members(more & ~seen)
                seen |= more
            return seen

        def evaluate(state: State) -> Value:
            found = begin(state)
            if type(found) is int:
                marks = len(state.faults), state.path
                result = known(state, found)
                if result is not None:
                    return result
                del state.faults[marks[0] :]
                state.path = marks[1]
            return closed(self.values, state, bits(found, size), grow, binder)

        return evaluate


def snapshot(state: State, history: Node) -> tuple[Any, ...] | None:
    """The present values of the variables of a history; None if they are not known."""
    found: list[Any] = []
    for var in history.fields[1].fields[0]:
        value = state.vars[var]
        parts = value if type(value) is list else [value]
        if not all(type(each) is int for each in parts):
            return None
        found += parts
    return tuple(found)


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
