"""Bounded search from states that are not the opening: all runs of a rule, of a length at once."""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import text_of
from kemu_engine.play.state import FaultError, State

from kemu_verifier.methods.search.bmc import Frame, Unrolling
from kemu_verifier.methods.search.start_states import Starts
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Answer, solve
from kemu_verifier.symbolic.terms import FALSE, IVAR, TRUE, VAR, Lin, Lit
from kemu_verifier.symbolic.transition import UNCLOSED, Transitions


@dataclass(frozen=True, slots=True)
class Found:
    """A start, and what is done from there."""

    start: State
    steps: tuple[str, ...]


class SearchFromAnyState:
    """Runs from any start, to any length."""

    def __init__(self, starts: Starts, transitions: Transitions) -> None:
        self.starts, self.transitions, self.terms = starts, transitions, transitions.terms
        self.known = starts.known(transitions)
        transitions.env(starts.block)
        kinds = self.terms.kind
        lits = {node: node for node, kind in enumerate(kinds) if kind == VAR}
        lins = {node: Lin(0, ((1, node),)) for node, kind in enumerate(kinds) if kind == IVAR}
        frame = Frame(TRUE, lits, lins)
        self.unrolling = Unrolling(transitions, start={starts.block: frame})

    def extend(self, deadline: Deadline) -> bool:
        """One more step. False if out of time."""
        return not deadline.passed and self.unrolling.extend(deadline)

    @property
    def depth(self) -> int:
        return len(self.unrolling.frames) - 1

    def ends(self) -> Lit:
        """The run is over after the last step."""
        return self.terms.disj(f.reach for b, f in self.unrolling.frames[-1].items() if self._is_end(b))

    def moving(self) -> Lit:
        """The run goes on after the last step."""
        return self.terms.disj(f.reach for b, f in self.unrolling.frames[-1].items() if not self._is_end(b))

    def faults(self, silent: bool) -> Lit:
        """The step that was last made ran into a fault; `silent`: of any kind."""
        program, found = self.transitions.program, []
        for block, frame in self.unrolling.frames[-2].items():
            if not self._is_end(block):
                here = self.unrolling.state(self.depth - 1, block)
                for lit, fault in self.transitions.step(block).faults:
                    if fault != UNCLOSED and (silent or program.faults[fault].code != "silent_loop"):
                        found.append(self.terms.both(frame.reach, here.lit(lit)))
        return self.terms.disj(found)

    def circle(self) -> Lit:
        """After the last step the state is what it was before at some stop."""
        found = []
        for block, frame in self.unrolling.frames[-1].items():
            for earlier in self.unrolling.frames[1:-1]:
                met = block in earlier and not self._is_end(block)
                found += [self._same(block, frame, earlier[block])] if met else []
        return self.terms.disj(found)

    def _same(self, block: int, frame: Frame, other: Frame) -> Lit:
        terms = self.terms
        alike = [frame.reach, other.reach]
        names = set(self._nodes(block))
        for node in names:
            if node in frame.lits or node in other.lits:
                one, two = frame.lits.get(node, node), other.lits.get(node, node)
                alike.append(terms.iff(one, two))
            elif node in frame.lins or node in other.lins:
                own = Lin(0, ((1, node),))
                gap = terms.plus(frame.lins.get(node, own), other.lins.get(node, own), -1)
                alike += [terms.le0(gap), terms.le0(terms.plus(Lin(0), gap, -1))]
            if alike[-1] == FALSE:
                return FALSE
        return terms.conj(alike)

    def _nodes(self, block: int) -> list[int]:
        """The variables of the symbolic state at a stop."""
        layout, program = self.transitions.layout, self.transitions.program
        cells = tuple(
            var.initial
            if var.length is None or isinstance(var.initial, tuple)
            else (var.initial,) * var.length
            for var in program.vars
        )
        live = program.blocks[block].live
        return list(layout.encode(block, cells, [_lowest(program.locals[x].type) for x in live]))

    def _is_end(self, block: int) -> bool:
        return isinstance(self.transitions.program.blocks[block].exit, k.End)

    def ask(self, lit: Lit, deadline: Deadline) -> Answer:
        """Whether a run has this."""
        if lit == FALSE:
            return Answer("unsat")
        return solve(self.terms, [*self.known, *self.unrolling.clauses, lit], deadline)

    def found(self, answer: Answer) -> Found | None:
        """The run that a model describes, up to where it is over, faults, or the model says no more."""
        values = Valuation(self.terms, answer.values)
        state = start = self.starts.decoded(self.transitions, values)
        if state is None or start is None:
            return None
        steps: list[str] = []
        for frames in self.unrolling.frames[:-1]:
            frame = frames.get(state.block)
            if frame is None or not frame.chosen:
                break
            pairs = zip(frame.options, frame.chosen, strict=True)
            wanted = next(((o.arm, o.values) for o, lit in pairs if values.lit(lit)), None)
            index = next((i for i, c in enumerate(state.choices) if (c.arm, c.values) == wanted), None)
            if index is None:
                break
            steps.append(text_of(state, index))
            try:
                state = state.follow(index)
            except FaultError:
                break
        return Found(start, tuple(steps))


def _lowest(type_: k.Type) -> int:
    return type_.low if isinstance(type_, k.Int) else 0
