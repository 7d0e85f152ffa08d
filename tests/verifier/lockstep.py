"""The symbolic reading and the interpreter side by side, on one state at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st
from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Choice, Stop
from kemu_engine.play.game import Game
from kemu_verifier.symbolic.layout import decode
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.transition import Edge, Step, Transitions

Plain = tuple[int, tuple[Any, ...], tuple[int, ...]]
"""A state at a stop: block, variables, live locals."""


class Lockstep:
    """One program in both readings."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.machine = Game(program).machine
        self.transitions = Transitions(program)

    def values(self, state: Plain) -> Valuation:
        """The symbolic state with these values."""
        return Valuation(self.transitions.terms, self.transitions.layout.encode(*state))

    def arrive(self, state: Plain) -> Stop | int | None:
        """The interpreter: where play stands, or the fault, or None if it passes on to another stop."""
        block, vars, locals = state
        try:
            stop = self.machine.advance(self.machine.frame(block, vars, locals), block)
        except Faulted as faulted:
            return faulted.index
        return stop if stop.block == block else None

    def check_arrival(self, state: Plain) -> Stop | None:
        """Both readings agree on faults, on whether play stands there, who acts and what is possible; the
        stop if it stands."""
        arrival, values = self.transitions.arrival(state[0]), self.values(state)
        faults = [fault for lit, fault in arrival.faults if values.lit(lit)]
        met = self.arrive(state)
        if isinstance(met, int):
            exit = self.program.blocks[state[0]].exit
            stuck = (
                exit.stuck if isinstance(exit, k.Decide) else exit.empty if isinstance(exit, k.Chance) else -1
            )
            if not faults:  # else the fault of having no choice, or one met further on
                assert not values.lit(arrival.stands)
                assert met == stuck or (isinstance(exit, k.Decide) and exit.other >= 0)
            else:
                assert faults[0] == met
            return None
        assert not faults
        assert values.lit(arrival.stands) == (met is not None)
        if met is None:
            return None
        legal = [(option.arm, option.values) for option in arrival.options if values.lit(option.legal)]
        assert legal == [(choice.arm, choice.values) for choice in met.choices]
        if arrival.actor is not None:
            assert decode(arrival.actor, values) == met.actor
        return met

    def check_step(self, stop: Stop, choice: Choice) -> Plain | None:
        """Both readings agree on what the choice leads to; the state it leads to, or None for a fault."""
        step = self.transitions.step(stop.block)
        values = self.chosen(step, stop, choice)
        taken = [edge for edge in step.edges if values.lit(edge.env.live)]
        faults = [fault for lit, fault in step.faults if values.lit(lit)]
        after = self._follow(stop, choice)
        if isinstance(after, int):
            assert not taken
            assert faults[0] == after
            return None
        assert len(taken) == 1
        assert not faults
        assert self.after(taken[0], values) == (after.block, after.vars, after.locals)
        return after.block, after.vars, after.locals

    def _follow(self, stop: Stop, choice: Choice) -> Stop | int:
        """The interpreter: the next stop, or the fault."""
        try:
            return self.machine.follow(stop, choice)
        except Faulted as faulted:
            return faulted.index

    def chosen(self, step: Step, stop: Stop, choice: Choice) -> Valuation:
        """The state at the stop, and this choice."""
        values = self.transitions.layout.encode(stop.block, stop.vars, stop.locals)
        for option, lit in zip(step.options, step.chosen, strict=True):
            if (option.arm, option.values) == (choice.arm, choice.values):
                values[abs(lit)] = int(lit > 0)
        return Valuation(self.transitions.terms, values)

    def after(self, edge: Edge, values: Valuation) -> Plain:
        """The state that the edge leads to."""
        vars: list[Any] = []
        for var, value in zip(self.program.vars, edge.env.vars, strict=True):
            vars.append(
                decode(value, values) if var.length is None else tuple(decode(v, values) for v in value)
            )
        live = self.program.blocks[edge.target].live
        return edge.target, tuple(vars), tuple(decode(edge.env.locals[local], values) for local in live)

    def reachable(self) -> set[Plain]:
        """All states that the symbolic reading reaches, by trying every choice."""
        (opening,) = [
            self.after(edge, values)
            for edge in self.transitions.begin().edges
            if (values := Valuation(self.transitions.terms, {})).lit(edge.env.live)
        ]
        found, waiting = {opening}, [opening]
        while waiting:
            state = waiting.pop()
            for after in self._successors(state):
                if after not in found:
                    found.add(after)
                    waiting.append(after)
        return found

    def _successors(self, state: Plain) -> Iterator[Plain]:
        block, vars, locals = state
        arrival, values = self.transitions.arrival(block), self.values(state)
        for option in arrival.options:
            if values.lit(option.legal):
                stop = Stop(block, vars, locals, -1, ())
                step = self.transitions.step(block)
                here = self.chosen(step, stop, Choice(option.arm, option.values))
                yield from (self.after(edge, here) for edge in step.edges if here.lit(edge.env.live))


def value_of(type_: k.Type) -> st.SearchStrategy[int]:
    """Any value of the type."""
    if isinstance(type_, k.Bool):
        return st.integers(0, 1)
    if isinstance(type_, k.Set):
        return st.integers(0, (1 << type_.size) - 1)
    return st.integers(type_.low, type_.high)


def any_state(program: k.Program) -> st.SearchStrategy[Plain]:
    """Any assignment of values at any stop, reachable or not."""
    stops = [n for n, b in enumerate(program.blocks) if isinstance(b.exit, k.Decide | k.Chance)]
    vars = [
        value_of(var.type) if var.length is None else st.tuples(*[value_of(var.type)] * var.length)
        for var in program.vars
    ]

    def at(block: int) -> st.SearchStrategy[Plain]:
        locals = [value_of(program.locals[local].type) for local in program.blocks[block].live]
        return st.tuples(st.just(block), st.tuples(*vars), st.tuples(*locals))

    return st.sampled_from(stops).flatmap(at)
