"""Goals of a search: states, faults or statements to be reached, read symbolically and checked in the
interpreter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import Replay
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.steps import Steps

from kemu_verifier.goal.branch_distance import FAR, distance
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import free
from kemu_verifier.symbolic.terms import TRUE, Lit
from kemu_verifier.symbolic.transition import Transitions


@dataclass(frozen=True, slots=True)
class Goal:
    """`states`: by block, a literal over the symbolic state there. `steps`: by block (-1: the opening), a
    literal over the state there and the choice made. `reached` decides in the interpreter whether a replayed
    trace gets there."""

    name: str
    reached: Callable[[Replay], bool]
    states: dict[int, Lit] = field(default_factory=dict)
    steps: dict[int, Lit] = field(default_factory=dict)
    holds: Callable[[State], bool] | None = None  # for goals that are states
    reads: tuple[int, ...] = ()  # the state variables that `holds` looks at
    faults: Callable[[int], bool] | None = None  # for goals that are faults
    lines: int = 0  # for goals that are statements: their lines, as a mask (play/steps.py of the engine)
    far: Callable[[State], int] | None = None  # how far a state is from one that is wanted

    def looking(self) -> Callable[[State], bool]:
        """`holds` (never, for other goals), worked out once for states in which it reads the same."""
        known: dict[object, bool] = {}

        def test(state: State) -> bool:
            key = (state.block, state.locals, *[state.vars[var] for var in self.reads])
            found = known.get(key)
            if found is None:
                found = known[key] = self.holds is not None and self.holds(state)
            return found

        return test


def stops(program: k.Program, *kinds: type) -> list[int]:
    """The blocks that stop in one of these ways."""
    return [number for number, block in enumerate(program.blocks) if isinstance(block.exit, kinds)]


def reading(transitions: Transitions, expr: k.Expr, block: int) -> tuple[Lit, Lit]:
    """(the expression holds, it meets no fault) at a stop."""
    reader = transitions.reader
    outer, reader.faults = reader.faults, []
    lit = reader.truth(expr, transitions.env(block), TRUE)
    faults, reader.faults = reader.faults, outer
    return lit, transitions.terms.conj([-fault for fault, _ in faults])


def state_goal(
    transitions: Transitions | None,
    facts: Facts,
    name: str,
    expr: k.Expr,
    blocks: list[int],
    wanted: bool,
) -> Goal:
    """States at these stops in which the expression is as wanted. A fault in it counts as false."""
    lits = {}
    for block in blocks if transitions is not None else ():
        assert transitions is not None
        lit, sound = reading(transitions, expr, block)
        holds = transitions.terms.both(lit, sound)
        lits[block] = holds if wanted else -holds
    here = frozenset(blocks)

    def is_there(state: State) -> bool:
        if state.block not in here:
            return False
        try:
            return bool(state.evaluate(expr)) == wanted
        except FaultError:
            return not wanted

    @cache
    def near() -> tuple[k.Expr, bool]:
        return distance(facts.program, expr, wanted), not free(expr)

    def far(state: State) -> int:
        apart, anywhere = near()
        if state.block not in here and not anywhere:
            return FAR
        try:
            return state.evaluate(apart) + (state.block not in here)
        except FaultError:
            return FAR

    reads = tuple(sorted(facts.reads(expr)))
    return Goal(
        name, lambda found: found.fault is None and is_there(found.last), lits, {}, is_there, reads, far=far
    )


def fault_goal(
    transitions: Transitions | None, name: str, blocks: list[int], wanted: Callable[[int], bool]
) -> Goal:
    """Faults of a kind, by their index in the program."""
    steps = {}
    for block in (-1, *blocks) if transitions is not None else ():
        assert transitions is not None
        step = transitions.begin() if block < 0 else transitions.step(block)
        steps[block] = transitions.terms.disj([lit for lit, fault in step.faults if wanted(fault)])
    return Goal(name, lambda found: found.fault is not None and wanted(found.fault), {}, steps, faults=wanted)


def arm_goal(transitions: Transitions | None, program: k.Program, name: str, block: int, arm: int) -> Goal:
    """A decision at which an action of an arm is legal."""
    lits = {}
    if transitions is not None:
        options = transitions.arrival(block).options
        lits[block] = transitions.terms.disj([option.legal for option in options if option.arm == arm])

    def is_there(state: State) -> bool:
        return state.block == block and any(choice.arm == arm for choice in state.choices)

    reads = tuple(range(len(program.vars)))
    return Goal(name, lambda found: found.fault is None and is_there(found.last), lits, {}, is_there, reads)


def covering_goal(
    transitions: Transitions | None,
    interpreted: Steps,
    name: str,
    blocks: list[int],
    origins: frozenset[int],
) -> Goal:
    """A step that runs a statement with one of these origins, or ends there."""
    program, lines, steps = interpreted.game.program, interpreted.mask(origins), {}
    for block in (-1, *blocks) if transitions is not None else ():
        assert transitions is not None
        step = transitions.begin() if block < 0 else transitions.step(block)
        lits = [lit for lit, origin in step.covered if origin in origins]
        for edge in step.edges:
            exit = program.blocks[edge.target].exit
            if isinstance(exit, k.End) and exit.origin in origins:
                lits.append(edge.env.live)
        steps[block] = transitions.terms.disj(lits)

    def reached(found: Replay) -> bool:
        if not found.steps:
            return bool(interpreted.begin()[2] & lines)
        before = found.states[len(found.steps) - 1]
        return bool(interpreted.follow(before, before.index(found.steps[-1]))[2] & lines)

    return Goal(name, reached, {}, steps, lines=lines)
