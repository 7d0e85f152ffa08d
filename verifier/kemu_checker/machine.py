"""From stop to stop: what is legal, and what a step does."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kemu_checker.anything import kind_of
from kemu_checker.cases import Value
from kemu_checker.expressions import Expressions
from kemu_checker.limits import TooLarge
from kemu_checker.looks import Care
from kemu_checker.state import SILENT, Dead, Forgotten, Malformed, State, joined
from kemu_checker.statements import Code, Place, Ways
from kemu_checker.symbols import Symbol, Truth
from kemu_checker.terms import Terms
from kemu_checker.text import Node

_VISITS = 400
_SILENT = 50
_OFTEN = 3  # visits of a block from which on it is asked whether the way there can be taken at all
STOPS = ("Decide", "Chance", "End")


@dataclass(frozen=True, slots=True)
class Way:
    """One action, or one outcome: the arm, the arguments, and when it is there."""

    arm: int
    arguments: tuple[int, ...]
    cond: Truth


@dataclass(slots=True)
class Run:
    """Where a run from a stop comes to, and what it meets on the way."""

    stops: dict[int, State] = field(default_factory=dict)
    faults: list[tuple[Truth, int]] = field(default_factory=list)
    hits: list[tuple[Truth, Place]] = field(default_factory=list)


class Machine:
    """Runs a program on values that are known, or not."""

    def __init__(
        self,
        program: Node,
        terms: Terms,
        places: frozenset[Place] = frozenset(),
        forget: frozenset[int] = frozenset(),
        care: Care = Care.EXACT,
    ) -> None:
        self.program, self.terms, self.places, self.forget = program, terms, places, forget
        self.code = Code(program, terms, places, forget, care)
        self.values = self.code.values
        self._exact = self.code if care is Care.EXACT else Code(program, terms, places, forget)
        self.blocks = program.fields[9]
        self._steps: dict[int, Any] = {}
        self._rank = _ranks(program)
        self.stops = [b for b, block in enumerate(self.blocks) if block.fields[1].kind in STOPS]
        self.counting = True  # whether a decision is one more
        self.filling = False  # whether kept locals that are not set have any value
        self.arriving = True  # whether guards are looked at on arrival, for the faults in them
        self.possible: Callable[[Truth], bool | None] = lambda path: None  # whether a way can be taken

    @property
    def claims(self) -> Expressions:
        """What is said of states: always worked out exactly, as it must not fault."""
        self._exact.values.few, self._exact.remember = self.values.few, self.code.remember
        return self._exact.expressions

    def opening(self) -> State:
        """The state in which the program begins."""
        variables = []
        for var in self.program.fields[3]:
            _, kind, length, initial = var.fields[:4]
            if kind.kind == "History":
                initial = {}
            elif length is not None:
                if type(initial) is not tuple or len(initial) != length:
                    raise Malformed("an array begins with as many elements as it has")
                initial = list(initial)
            elif type(initial) is not int:
                raise Malformed("a scalar begins with a number")
            for each in initial if length is not None else () if kind.kind == "History" else (initial,):
                self._typed(var, each)
            variables.append(initial)
        return State([None] * len(self.program.fields[4]), variables)

    def anything(self, block: int) -> State:
        """Any state at a stop."""
        local: list[Value] = [None] * len(self.program.fields[4])
        for at in self.blocks[block].fields[2]:
            info = self.program.fields[4][at]
            kind, named = kind_of(info.fields[1]), bool(info.fields[2])
            local[at] = self.values.unknown(*kind, f"local {info.fields[0]} {at}", named)
        variables: list[Value] = []
        for at, var in enumerate(self.program.fields[3]):
            name, kind, length = var.fields[:3]
            if at in self.forget or kind.kind == "History":
                variables.append(Forgotten())
            else:
                some, named = kind_of(kind), bool(var.fields[5])
                names = [f"{name} {at}"] if length is None else [f"{name} {at} {i}" for i in range(length)]
                each = [self.values.unknown(*some, text, named) for text in names]
                variables.append(each[0] if length is None else each)
        return State(local, variables)

    def check_value(self, var: Node, value: Any) -> None:
        """Raises Malformed unless a variable can have this value."""
        _, kind, length = var.fields[:3]
        if kind.kind == "History":
            each: list[Any] = []
        elif length is None:
            each = [value]
        else:
            each = value if type(value) is list and len(value) == length else [None]
        for one in each:
            if type(one) is not int:
                raise Malformed(f"{var.fields[0]} is given what is not of its type")
            self._typed(var, one)

    def _typed(self, declared: Node, value: int) -> None:
        """Raises Malformed unless the value is one of the type of a variable or a local."""
        kind = declared.fields[1]
        low, high = {"Int": kind.fields, "Bool": (0, 1)}.get(kind.kind) or (0, (1 << kind.fields[0]) - 1)
        if not low <= value <= high:
            raise Malformed(f"{declared.fields[0]} is given what is not of its type")

    def exit(self, block: int) -> Node:
        """How a block ends."""
        return self.blocks[block].fields[1]  # type: ignore[no-any-return]

    def at_stop(self, block: int, state: State) -> State:
        """The state as it is kept at a stop: only its live locals are set."""
        live = self.blocks[block].fields[2]
        kept = state.fork()
        kept.locals = [None] * len(state.locals)
        for local in live:
            kept.locals[local] = state.locals[local]
        return kept

    # Actions and outcomes

    def ways(self, block: int, state: State) -> Iterator[Way]:
        """The actions or outcomes at a stop, in order; what faults on the way is recorded in the state."""
        node = self.exit(block)
        if node.kind == "Chance":
            yield from self._outcomes(state, node)
        elif node.kind == "Decide":
            kept = state.locals
            for i, arm in enumerate(node.fields[2]):
                _, params, guard, legal, _ = arm.fields
                state.locals = kept.copy()
                cond = self._under(state, 1, guard)
                yield from self._arguments(state, i, params, legal, cond, ())

    def _under(self, state: State, cond: Truth, expr: Node) -> Truth:
        value = self._value(state, cond, expr)
        return 0 if value is None else self.terms.both(cond, self.values.truth(value))

    def _value(self, state: State, cond: Truth, expr: Node) -> Value:
        expressions = self.code.expressions
        return expressions.under(state, cond, expressions.make(expr), expressions.looks.faulty(expr))

    def _arguments(
        self,
        state: State,
        arm: int,
        params: tuple[Node, ...],
        legal: Node,
        cond: Truth,
        chosen: tuple[int, ...],
    ) -> Iterator[Way]:
        if type(cond) is int and not cond:
            return
        if len(chosen) == len(params):
            for param, argument in zip(params, chosen, strict=True):
                state.locals[param.fields[1]] = argument
            cond = self._under(state, cond, legal)
            if type(cond) is not int or cond:
                yield Way(arm, chosen, cond)
            return
        _, local, over, where, _ = params[len(chosen)].fields
        members = self._value(state, cond, over)
        if members is None:
            return
        for i, inside in self.code.expressions.elements(members):
            for param, argument in zip(params, chosen, strict=False):
                state.locals[param.fields[1]] = argument
            state.locals[local] = i
            taken = self._under(state, self.terms.both(cond, inside), where)
            yield from self._arguments(state, arm, params, legal, taken, (*chosen, i))

    def _outcomes(self, state: State, node: Node) -> Iterator[Way]:
        _, local, weight, _, _, _ = node.fields
        least, most = self.program.fields[4][local].fields[1].fields
        get = self.code.expressions.make(weight)
        for i in range(least, most + 1):
            state.locals[local] = i
            cond = self.values.less(0, get(state))
            if type(cond) is not int or cond:
                yield Way(0, (i,), cond)

    def take(self, block: int, state: State, way: Way) -> Run:
        """The step that this action, or this outcome, is."""
        return self._step(block, state, way.arm, [(argument,) for argument in way.arguments], (1,))

    def take_any(self, block: int, state: State, ways: list[Way]) -> tuple[Truth, Run]:
        """The steps that these actions of one arm are, or these outcomes, at once: which of them is taken is
        unknown. Under which condition that is one that is there, and the step."""
        terms = self.terms
        which = Symbol("way", 0, len(ways) - 1)
        taken = [terms.member(which, 1 << i) for i in range(len(ways))]
        there = terms.every(
            terms.either(terms.negate(each), way.cond) for each, way in zip(taken, ways, strict=True)
        )
        arguments = list(zip(*(way.arguments for way in ways), strict=True))
        return there, self._step(block, state, ways[0].arm, arguments, tuple(taken))

    def _step(
        self, block: int, state: State, at: int, arguments: list[tuple[int, ...]], taken: tuple[Truth, ...]
    ) -> Run:
        """An action, or an outcome; `arguments`: each with a value for each way that may be `taken`."""
        node = self.exit(block)
        now = state.fork()
        now.faults, now.hits, now.path = [], [], 1
        arm = None if node.kind == "Chance" else node.fields[2][at]
        params = [node.fields[1]] if arm is None else [param.fields[1] for param in arm.fields[1]]
        for local, given in zip(params, arguments, strict=True):
            table: dict[int, list[Truth]] = {}
            for argument, cond in zip(given, taken, strict=True):
                if arm is not None:
                    self._typed(self.program.fields[4][local], argument)
                table.setdefault(argument, []).append(cond)
            now.locals[local] = self.values.cases({n: self.terms.some(conds) for n, conds in table.items()})
        if arm is None:
            return self.run(node.fields[4], now)
        if self.counting:
            now.clock = now.clock + 1 if type(now.clock) is int else self.values.add(now.clock, 1)
        return self.run(arm.fields[4], now)

    # Blocks

    def begin(self) -> Run:
        """The run from the opening to the first stop."""
        return self.run(self.program.fields[10], self.opening())

    def run(self, block: int, state: State) -> Run:
        """From a block on to every stop."""
        result = Run(faults=state.faults, hits=state.hits)
        pending: dict[int, State] = {block: state}
        visits: dict[int, int] = {}
        seen: set[Any] = set()
        while pending:
            at = min(pending, key=self._rank.__getitem__)
            visits[at] = visits.get(at, 0) + 1
            now = pending.pop(at)
            if visits[at] > _SILENT and not pending and type(now.path) is int:
                self._silent(at, now, seen)
                if not now.path:
                    continue
            if visits[at] > _OFTEN and type(now.path) is not int and self.possible(now.path) is False:
                continue
            if visits[at] > _VISITS and (type(now.path) is not int or visits[at] > 100_000):
                raise TooLarge("a loop between two stops")
            try:
                self._block(at, now, pending, result)
            except Dead:
                continue
        if self.filling:
            for at, kept in result.stops.items():
                self._fill(at, kept)
        return result

    def _fill(self, at: int, state: State) -> None:
        """Gives any value to what is kept at the stop and was not set: nobody reads it before it is."""
        for local in self.blocks[at].fields[2]:
            if state.locals[local] is None:
                self.terms.guessed = True
                info = self.program.fields[4][local]
                state.locals[local] = self.values.unknown(*kind_of(info.fields[1]), f"{info.fields[0]} unset")

    def _silent(self, at: int, state: State, seen: set[Any]) -> None:
        """Records the fault of a run that comes back to where it was, all values known."""
        key = at, _same(state.locals), _same(state.vars)
        if key in seen:
            state.faults.append((1, SILENT))
            state.path = 0
        seen.add(key)

    def _block(self, at: int, state: State, pending: dict[int, State], result: Run) -> None:
        code, node = self.blocks[at].fields[:2]
        if code:
            step = self._steps.get(at)
            if step is None:
                step = self._steps[at] = self.code.sequence(code, (at,))
            ways = Ways()
            now = step(state, ways)
            if ways.breaks or ways.continues or ways.returns:
                raise Malformed("a block is left on its way")
            if now is None:
                return
            state = now
        if (at,) in self.places:
            state.hits.append((state.path, (at,)))
        match node.kind:
            case "Goto":
                self._go(pending, node.fields[0], state)
            case "Split":
                test, then, other = node.fields
                cond = self.values.truth(self.code.expressions.make(test)(state))
                self._branch(state, cond, pending, then, other)
            case "Switch":
                self._switch(state, pending, *node.fields)
            case "Fail":
                state.require(self.values, 0, node.fields[0])
            case _:
                self._arrive(at, node, state, pending, result)

    def _go(self, pending: dict[int, State], block: int, state: State) -> None:
        found = joined(self.values, pending.get(block), state)
        if found is not None:
            pending[block] = found

    def _branch(self, state: State, cond: Truth, pending: dict[int, State], then: int, other: int) -> None:
        for block, test in ((then, cond), (other, self.terms.negate(cond))):
            path = self.terms.both(state.path, test)
            if type(path) is not int or path:
                way = state if type(cond) is int else state.fork()
                way.path = path
                self._go(pending, block, way)

    def _switch(self, state: State, pending: dict[int, State], local: int, blocks: tuple[int, ...]) -> None:
        for n, cond in self.values.listed(
            self.code.expressions.index(state, state.locals[local], len(blocks))
        ):
            way = state.fork()
            way.path = self.terms.both(state.path, cond)
            if type(way.path) is not int or way.path:
                self._go(pending, blocks[n], way)

    def _arrive(self, at: int, node: Node, state: State, pending: dict[int, State], result: Run) -> None:
        kept = self.at_stop(at, state)
        if node.kind == "End" or not (self.arriving or (node.kind == "Decide" and node.fields[3] >= 0)):
            self._stop(result, at, kept)
            return
        path, faults, hits = state.path, len(state.faults), len(state.hits)
        look = kept.fork()
        there = self.look(at, look)
        look.rebase(self.values, path, faults, hits)
        kept.path = look.path
        if node.kind == "Decide" and node.fields[3] >= 0:
            on = kept.fork()
            on.path = self.terms.both(kept.path, self.terms.negate(there))
            if type(on.path) is not int or on.path:
                self._go(pending, node.fields[3], on)
            kept.path = self.terms.both(kept.path, there)
            if type(kept.path) is int and not kept.path:
                return
        else:
            kept.require(self.values, there, node.fields[4] if node.kind == "Decide" else node.fields[5])
        self._stop(result, at, kept)

    def look(self, at: int, state: State) -> Truth:
        """Whether there is a way on; what faults when that is looked at is recorded in the state."""
        node = self.exit(at)
        state.path = 1
        if node.kind == "End":
            return 1
        try:
            if node.kind == "Decide":
                self.code.expressions.make(node.fields[1])(state)
            return self.terms.some([way.cond for way in self.ways(at, state)])
        except Dead:
            return 0

    def _stop(self, result: Run, at: int, state: State) -> None:
        found = joined(self.values, result.stops.get(at), state)
        if found is not None:
            result.stops[at] = found


def _same(values: list[Any]) -> tuple[Any, ...]:
    """Equal for the same values; what is not known is the same if it is one object, which is kept here."""
    return tuple(
        tuple(each) if type(each) is list else frozenset(each.items()) if type(each) is dict else each
        for each in values
    )


def _ranks(program: Node) -> list[int]:
    """Blocks in an order in which ways meet before they go on (reverse postorder, from all entries)."""
    blocks, order, seen = program.fields[9], list[int](), set[int]()
    roots = [program.fields[10]]
    for block in blocks:
        roots += targets(block.fields[1])
    for root in roots:
        stack: list[tuple[int, Iterator[int]]] = []
        if root not in seen:
            seen.add(root)
            stack.append((root, iter(following(blocks[root].fields[1]))))
        while stack:
            at, rest = stack[-1]
            for after in rest:
                if after not in seen:
                    seen.add(after)
                    stack.append((after, iter(following(blocks[after].fields[1]))))
                    break
            else:
                stack.pop()
                order.append(at)
    rank = [0] * len(blocks)
    for place, block in enumerate(reversed(order)):
        rank[block] = place
    return rank


def following(node: Node) -> list[int]:
    """The blocks to which play goes on without a stop."""
    match node.kind:
        case "Goto":
            return [node.fields[0]]
        case "Split":
            return list(node.fields[1:])
        case "Switch":
            return list(node.fields[1])
        case "Decide":
            return [node.fields[3]] if node.fields[3] >= 0 else []
        case _:
            return []


def targets(node: Node) -> list[int]:
    """The blocks to which a step from a stop leads."""
    if node.kind == "Decide":
        return [arm.fields[4] for arm in node.fields[2]]
    return [node.fields[4]] if node.kind == "Chance" else []
