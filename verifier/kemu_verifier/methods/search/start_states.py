"""The states in which the run of a rule may begin: all if they are few, else a sample from the solver."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product

import z3
from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import Cells
from kemu_engine.kernel.walk import nodes_with_calls
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts, nested
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Translator, ask
from kemu_verifier.symbolic.terms import FALSE, TRUE, VAR, Lin, Lit
from kemu_verifier.symbolic.transition import Transitions

OFTEN = 64  # values, after which the time is looked at
QUERY = 3.0  # seconds for one sampled state
MISSES = 10  # states in a row that were known already, after which there may be no others
HINTS = 24  # literals that make a sampled state unlike the others


class Undefined(Exception):
    """The condition of the claim cannot be worked out in some state; the message says why."""


class TooMany(Exception):
    """There are too many states to go through them."""


class Starts:
    """The states of one program in which its first stop has something to offer (kernel.Run)."""

    def __init__(self, run: k.Run) -> None:
        self.game, self.program = Game(run.program), run.program
        self.parts = [part for guard in run.guards for part in conjuncts(self.program, guard)]
        entry = self.program.blocks[self.program.entry].exit
        assert isinstance(entry, k.Goto), "a run begins at a stop"
        self.block = entry.block
        stop = self.program.blocks[self.block].exit
        assert isinstance(stop, k.Chance)
        self._none = stop.empty
        self.fixed = frozenset(
            at for at, var in enumerate(self.program.vars) if var.local or at == self.program.result
        )

    def state(self, cells: tuple[Cells, ...]) -> State | None:
        """The state with these values, if the claim speaks of it. Raises Undefined."""
        machine = self.game.machine
        try:
            return State.at(machine, machine.advance(machine.frame(self.block, cells, ()), self.block))
        except Faulted as fault:
            if fault.index != self._none:
                raise Undefined(fault.fault.message) from None
            return None

    # ------------------------------------------------------------------------------------------ all of them

    def all(self, most: int, deadline: Deadline) -> Iterator[State]:
        """Every state of which the claim speaks, the variables that are never read at their initial values.
        Raises Undefined; TooMany if it comes to more than `most` combinations of values, or out of time."""
        cells: list[Cells] = [_initial(var) for var in self.program.vars]
        read = read_by(self.program, self.program.blocks) - self.fixed
        parts = [(part, read_by(self.program, part) - self.fixed) for part in self._telling()]
        spaces: dict[int, list[Cells]] = {}
        for at in read:
            alone = [part for part, needs in parts if needs == {at}]
            spaces[at] = self._fitting(at, cells, alone, most, deadline)
        order = sorted(read, key=lambda at: (len(spaces[at]), at))
        if math.prod(len(space) for space in spaces.values()) > most:
            raise TooMany
        due: list[list[k.Expr]] = [[] for _ in order]
        for part, needs in parts:
            if len(needs) > 1 and needs <= read:  # not one of which the optimiser saw that it does not matter
                due[max(order.index(at) for at in needs)].append(part)
        yield from self._filled(0, order, spaces, due, cells, deadline)

    def _telling(self) -> Iterator[k.Expr]:
        """The parts of the condition that exclude a state where they are false: none behind one that may meet
        a fault, which would be met first."""
        facts = Facts(self.program)
        for part in self.parts:
            yield part
            if facts.can_fault(part):
                return

    def _fitting(
        self, at: int, cells: list[Cells], parts: list[k.Expr], most: int, deadline: Deadline
    ) -> list[Cells]:
        """The values of one variable that the parts of the condition admit which speak of nothing else."""
        var = self.program.vars[at]
        if _size(var.type) ** (1 if var.length is None else var.length) > most:
            raise TooMany
        values = _values(var.type)
        every: Iterable[Cells] = values if var.length is None else product(values, repeat=var.length)
        found: list[Cells] = []
        initial = cells[at]
        for number, value in enumerate(every):
            if not number % OFTEN and deadline.passed:
                raise TooMany
            cells[at] = value
            if self._may_hold(parts, cells):
                found.append(value)
        cells[at] = initial
        return found

    def _may_hold(self, parts: Sequence[k.Expr], cells: list[Cells]) -> bool:
        """Whether none of the parts is plainly false."""
        frame = self.game.machine.frame(self.block, tuple(cells), ())
        try:
            return all(self.game.machine.evaluate(part, frame) for part in parts)
        except Faulted:
            return True  # what stands before it in the condition may be false

    def _filled(
        self,
        depth: int,
        order: list[int],
        spaces: dict[int, list[Cells]],
        due: list[list[k.Expr]],
        cells: list[Cells],
        deadline: Deadline,
    ) -> Iterator[State]:
        """The states with the variables from `depth` on filled in every way."""
        if depth == len(order):
            state = self.state(tuple(cells))
            if state is not None:
                yield state
            return
        for number, value in enumerate(spaces[order[depth]]):
            if not number % OFTEN and deadline.passed:
                raise TooMany
            cells[order[depth]] = value
            if not due[depth] or self._may_hold(due[depth], cells):
                yield from self._filled(depth + 1, order, spaces, due, cells, deadline)

    # ------------------------------------------------------------------------------------------ symbolically

    def known(self, transitions: Transitions) -> list[Lit]:
        """What holds of every start: types, the condition, and that nothing of the rule has happened."""
        terms, layout = transitions.terms, transitions.layout
        lits = [*layout.typing, transitions.arrival(self.block).stands]
        cells = tuple(_initial(var) for var in self.program.vars)
        values = layout.encode(self.block, cells, ())
        fixed = tuple(symbol for at, symbol in enumerate(layout.vars) if at in self.fixed)
        for node in variables(terms, fixed):
            if node in values and terms.kind[node] == VAR:
                lits.append(node if values[node] else -node)
            elif node in values:
                lits += [terms.le0(Lin(-s * values[node], ((s, node),))) for s in (1, -1)]
        return [lit for lit in lits if lit != TRUE]

    def decoded(
        self, transitions: Transitions, values: Valuation, among: Collection[int] | None = None
    ) -> State | None:
        """The state that a valuation describes, or as much of it as these variables say. Raises Undefined."""
        cells, _ = transitions.layout.decode(self.block, values)
        kept = (set(range(len(cells))) if among is None else set(among)) - self.fixed
        initial = [_initial(var) for var in self.program.vars]
        return self.state(tuple(cells[at] if at in kept else initial[at] for at in range(len(cells))))

    def undefined(self, transitions: Transitions) -> Lit:
        """That the condition meets a fault."""
        faults = [lit for lit, _ in transitions.arrival(self.block).faults]
        return transitions.terms.disj(faults)

    def solved(self, transitions: Transitions, most: int, deadline: Deadline) -> Iterator[State]:
        """As `all`, each start a model that the solver finds; the variables that are never read at their
        initial values. Raises Undefined, TooMany."""
        lits, terms = self.known(transitions), transitions.terms
        read = read_by(self.program, self.program.blocks) - self.fixed
        if FALSE in lits:
            return
        made = Translator(terms)
        asserted = made.lits(lits)
        symbols = tuple(s for at, s in enumerate(transitions.layout.vars) if at in read)
        nodes = dict.fromkeys(variables(terms, symbols))
        truths = [node for node in nodes if terms.kind[node] == VAR]
        whole = [Lin(0, ((1, node),)) for node in nodes if terms.kind[node] != VAR]
        shown = made.lits(truths)
        numbers = [made.equation(value).arg(0) for value in whole]
        solver = z3.Solver() if made.integers else z3.SolverFor("QF_FD")
        solver.add([*asserted, *made.bounds])
        for _ in range(most):
            answer = ask(solver, [], made, deadline.part(QUERY))
            if answer.status == "unsat":
                return
            if answer.status != "sat" or deadline.passed:
                raise TooMany
            values = Valuation(terms, answer.values)
            state = self.decoded(transitions, values, read)
            if state is None:
                raise TooMany  # the two readings of the condition disagree
            yield state
            other = [z3.Not(v) if values.lit(n) else v for n, v in zip(truths, shown, strict=True)]
            other += [v != values.lin(lin) for v, lin in zip(numbers, whole, strict=True)]
            solver.add(z3.Or(other) if other else z3.BoolVal(False))
        raise TooMany

    def sampled(self, transitions: Transitions, deadline: Deadline) -> Iterator[State]:
        """Different states of which the claim speaks, as long as there is time. Raises Undefined."""
        lits = self.known(transitions)
        if FALSE in lits:
            return
        made = Translator(transitions.terms)
        asserted = made.lits(lits)
        names = [node for node in made.variables if transitions.terms.kind[node] == VAR]
        draw, seen, again = random.Random(1), set[State](), 0
        while again < MISSES and not deadline.passed:
            solver = z3.Solver() if made.integers else z3.SolverFor("QF_FD")
            solver.add([*asserted, *made.bounds])
            hints = [made.variables[n] for n in draw.sample(names, min(HINTS, len(names)))]
            wanted = [hint if draw.random() < 0.5 else z3.Not(hint) for hint in hints]
            answer = ask(solver, [], made, deadline.part(QUERY), wanted)
            while answer.status != "sat" and wanted and not deadline.passed:
                wanted = wanted[: len(wanted) // 2]
                answer = ask(solver, [], made, deadline.part(QUERY), wanted)
            if answer.status != "sat":
                return
            state = self.decoded(transitions, Valuation(transitions.terms, answer.values))
            again += 1
            if state is not None and state not in seen:
                again = 0
                seen.add(state)
                yield state


def conjuncts(program: k.Program, expr: k.Expr) -> list[k.Expr]:
    """The parts of a condition joined by `and`, also within the functions that it calls."""
    if isinstance(expr, k.Op) and expr.op == "and":
        return [part for arg in expr.args for part in conjuncts(program, arg)]
    if isinstance(expr, k.Call) and not nested(program, expr):
        function = program.functions[expr.function]
        if len(function.body) == 1 and isinstance(value := function.body[0], k.Return):
            parts = conjuncts(program, value.value)
            return [_let(function.params, expr.args, part) for part in parts]
    return [expr]


def _let(params: Sequence[int], args: Sequence[k.Expr], body: k.Expr) -> k.Expr:
    for local, value in zip(params, args, strict=True):
        body = k.Let(k.BOOL, local, value, body)
    return body


def read_by(program: k.Program, root: object) -> frozenset[int]:
    """The variables that a piece of the program ever looks at."""
    reached = nodes_with_calls(program, root)
    return frozenset(node.var for node in reached if isinstance(node, k.Load | k.At))


def _size(type_: k.Type) -> int:
    match type_:
        case k.Int(low=low, high=high):
            return high - low + 1
        case k.Set(size=size):
            return int(1 << size)
    return 2


def _values(type_: k.Type) -> range:
    low = type_.low if isinstance(type_, k.Int) else 0
    return range(low, low + _size(type_))


def _initial(var: k.Var) -> Cells:
    if var.length is not None and isinstance(var.initial, int):
        return (var.initial,) * var.length
    return var.initial
