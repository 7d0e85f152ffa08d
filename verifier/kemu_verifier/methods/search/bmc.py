"""Bounded search: the game unrolled stop by stop, all games of a length merged into one symbolic state a
stop.

Bounded model checking (Biere, Cimatti, Clarke, Zhu, 1999) with states merged by control point. What it finds
is a game, decoded choice by choice while the interpreter plays along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import z3
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, ReplayError, replay, text_of
from kemu_engine.play.state import FaultError

from kemu_verifier.goal.goal import Goal
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Interrupted, Substitution, Valuation
from kemu_verifier.symbolic.solve import Answer, Translator, ask, scope
from kemu_verifier.symbolic.terms import FALSE, Lin, Lit
from kemu_verifier.symbolic.transition import Option, Step, Transitions

LATE = 1.0  # seconds that the solver may take beyond its time
Allowed = Callable[[int, int, list[int]], list[int]]
"""Of the options (by index) that are open at a depth and a stop, those that the search may take."""


@dataclass(slots=True)
class Frame:
    """All states at one stop after so many steps: when play is there, and what the symbolic state is then."""

    reach: Lit
    lits: dict[int, Lit]
    lins: dict[int, Lin]
    options: tuple[Option, ...] = ()
    chosen: tuple[Lit, ...] = ()  # one for each option, once the frame has been left
    here: Substitution | None = None


class Unrolling:
    """Games from the initial state on (or from `start`), to any depth. `clauses` hold always; `leaving[d]`
    maps what happens in the step that leaves depth d (-1 is the opening): by block, the substitution for
    literals over state and choice."""

    def __init__(
        self, transitions: Transitions, allowed: Allowed | None = None, start: dict[int, Frame] | None = None
    ) -> None:
        self.transitions = transitions
        self.terms = transitions.terms
        self.allowed = allowed
        self.begins = start is None
        self.until: Deadline | None = None
        self.clauses: list[Lit] = []
        self.frames: list[dict[int, Frame]] = []
        opening = transitions.begin()
        sources = [
            (edge.target, edge.env.live, dict(edge.binding.lits), dict(edge.binding.lins))
            for edge in opening.edges
        ]
        self.frames.append(self._merge(sources) if start is None else start)

    def state(self, depth: int, block: int) -> Substitution:
        """Puts the state at a stop, so many steps into the game, into literals over the symbolic state."""
        frame = self.frames[depth][block]
        if frame.here is None:
            frame.here = Substitution(self.terms, frame.lits, frame.lins)
        frame.here.until = self.until
        return frame.here

    def extend(self, deadline: Deadline) -> bool:
        """One more step. False if out of time."""
        try:
            with self.limited(deadline):
                return self._extend(deadline)
        except Interrupted:
            return False

    @contextmanager
    def limited(self, deadline: Deadline) -> Iterator[None]:
        """What is put into it within is given up at the deadline: Interrupted."""
        before, self.until = self.until, deadline
        try:
            yield
        finally:
            self.until = before

    def _extend(self, deadline: Deadline) -> bool:
        sources = []
        for block, frame in sorted(self.frames[-1].items()):
            if isinstance(self.transitions.program.blocks[block].exit, k.End):
                continue
            step = self.transitions.step(block)
            leave = self._leave(block, frame, step)
            for edge in step.edges:
                live = self.terms.both(frame.reach, leave.lit(edge.env.live))
                if live != FALSE:
                    lits, lins = dict(frame.lits), dict(frame.lins)
                    for node, lit in edge.binding.lits.items():
                        if deadline.passed:
                            return False
                        lits[node] = leave.lit(lit)
                    lins |= {node: leave.lin(lin) for node, lin in edge.binding.lins.items()}
                    sources.append((edge.target, live, lits, lins))
                if deadline.passed:
                    return False
        self.frames.append(self._merge(sources))
        return True

    def _leave(self, block: int, frame: Frame, step: Step) -> Substitution:
        """Chooses anew: fresh variables for the options that are not plainly illegal here."""
        here = self.state(len(self.frames) - 1, block)
        legal = [here.lit(option.legal) for option in step.options]
        open_ = [at for at, lit in enumerate(legal) if lit != FALSE]
        if self.allowed is not None:
            open_ = self.allowed(len(self.frames) - 1, block, open_)
        fresh = self.terms.one_of([f"{len(self.frames)}: {step.options[at].values}" for at in open_], True)
        if len(fresh) > 2:
            self.clauses += self.terms.exactly_one(fresh)
        taken = dict(zip(open_, fresh, strict=True))
        chosen = tuple(taken.get(at, FALSE) for at in range(len(legal)))
        frame.options, frame.chosen = step.options, chosen
        inputs = {variable: lit for variable, lit in zip(step.chosen, chosen, strict=True) if variable > 1}
        frame.here = Substitution(self.terms, frame.lits | inputs, frame.lins)
        frame.here.until = self.until
        return frame.here

    def _merge(self, sources: list[tuple[int, Lit, dict[int, Lit], dict[int, Lin]]]) -> dict[int, Frame]:
        frames: dict[int, Frame] = {}
        for target, live, lits, lins in sources:
            if live == FALSE:
                continue
            known = frames.get(target)
            if known is None:
                frames[target] = Frame(live, lits, lins)
            else:
                self._join(known, live, lits, lins)
        return frames

    def _join(self, frame: Frame, live: Lit, lits: dict[int, Lit], lins: dict[int, Lin]) -> None:
        terms = self.terms
        for node, lit in lits.items():
            known = frame.lits.get(node, lit)
            frame.lits[node] = lit if known == lit else terms.ite(live, lit, known)
        for node, lin in lins.items():
            frame.lins[node] = terms.ite_lin(live, lin, frame.lins.get(node, lin))
        frame.reach = terms.either(frame.reach, live)

    def hits(self, goal: Goal, depth: int) -> Lit:
        """The goal is reached with the state at this depth, or by the step that leaves it (which must have
        been made). The opening counts as depth 0.
        """
        found = [goal.steps.get(-1, FALSE)] if depth == 0 and self.begins else []
        for block, frame in self.frames[depth].items():
            if goal.states.get(block, FALSE) != FALSE:
                found.append(self.terms.both(frame.reach, self.state(depth, block).lit(goal.states[block])))
            if goal.steps.get(block, FALSE) != FALSE and frame.chosen:
                found.append(self.terms.both(frame.reach, self.state(depth, block).lit(goal.steps[block])))
        return self.terms.disj(found)


@dataclass(slots=True)
class Pace:
    """How long the solver takes before it first looks at the clock, at least, and as far as seen: seconds for
    a node."""

    seconds: float = 2e-6

    def allows(self, nodes: int, deadline: Deadline) -> bool:
        """Whether a question about so many nodes may be answered in time."""
        return not deadline.passed and self.seconds * nodes <= deadline.left + LATE

    def saw(self, nodes: int, took: float, given: float) -> None:
        """That a question was given up after so many seconds."""
        if took > given + LATE:
            self.seconds = max(self.seconds, took / nodes)


class BoundedSearch:
    """One unrolling and one solver for all goals; deeper where a goal asks for it."""

    def __init__(
        self,
        game: Game,
        transitions: Transitions,
        allowed: Allowed | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.game = game
        self.transitions = transitions
        self.pace = Pace() if pace is None else pace
        self.unrolling = Unrolling(transitions, allowed)
        self._made = Translator(transitions.terms)
        self._solver = z3.SolverFor("QF_FD")
        self._asserted = 0

    def goal_at(self, goal: Goal, depth: int, deadline: Deadline) -> Answer:
        """Whether the goal is reached at this depth (a step goal: by step depth + 1)."""
        wanted = depth + 1 if goal.steps else depth
        while len(self.unrolling.frames) <= wanted:
            if deadline.passed or not self.unrolling.extend(deadline):
                return Answer("unknown", reason="out of time")
        try:
            with self.unrolling.limited(deadline):
                return self.ask([self.unrolling.hits(goal, depth)], deadline)
        except Interrupted:
            return Answer("unknown", reason="out of time")

    def ask(self, lits: list[Lit], deadline: Deadline) -> Answer:
        """Whether some game that is unrolled so far has all these."""
        if FALSE in lits:
            return Answer("unsat")
        clauses = self.unrolling.clauses
        nodes = self._made.size + len(self._made.cone([*clauses[self._asserted :], *lits]))
        if not self.pace.allows(nodes, deadline):
            return Answer("unknown", reason="out of time")
        self._solver.add(self._made.lits(clauses[self._asserted :]))
        self._asserted = len(clauses)
        asked = self._made.lits(lits)
        if self._made.integers:
            solver = z3.Solver()
            return ask(solver, [*self._made.lits(clauses), *asked, *self._made.bounds], self._made, deadline)
        given = deadline.left
        with scope(self._solver):
            answer = ask(self._solver, asked, self._made, deadline)
        if answer.status == "unknown":
            self.pace.saw(nodes, given - deadline.left, given)
        return answer

    def search(
        self, goal: Goal, start: int, depth: int, deadline: Deadline
    ) -> Iterator[tuple[int, Replay | None]]:
        """Depth by depth: (depth, the shortest game that gets there, or None if none does so). Ends early out
        of time.
        """
        for at in range(start, depth + 1):
            answer = self.goal_at(goal, at, deadline)
            if answer.status == "unknown":
                return
            if answer.status == "sat":
                yield at, self.game_of(answer, goal)
                return
            yield at, None
            if not self.moving(at):
                return

    def moving(self, depth: int) -> bool:
        """Whether there are stops at this depth from which play goes on."""
        blocks = self.transitions.program.blocks
        return any(not isinstance(blocks[block].exit, k.End) for block in self.unrolling.frames[depth])

    def game_of(self, answer: Answer, goal: Goal, most: int | None = None) -> Replay:
        """The game that a model describes, played in the interpreter up to where the goal is reached, or for
        `most` steps: of those beyond what was asked about nothing is known."""
        values = Valuation(self.transitions.terms, answer.values)
        steps: list[str] = []
        try:
            state = self.game.initial()
        except FaultError:
            return self._confirmed(goal, steps)
        if values.lit(goal.steps.get(-1, FALSE)):
            return self._confirmed(goal, steps)
        for depth, frames in enumerate(self.unrolling.frames[:most]):
            if goal.holds is not None and goal.holds(state):
                break
            frame = frames.get(state.block)
            if frame is None or state.is_end or not frame.chosen:
                break
            wanted = next(
                (
                    (o.arm, o.values)
                    for o, lit in zip(frame.options, frame.chosen, strict=True)
                    if values.lit(lit)
                ),
                None,
            )
            index = next((i for i, c in enumerate(state.choices) if (c.arm, c.values) == wanted), None)
            if index is None:
                break
            steps.append(text_of(state, index))
            here = self.unrolling.state(depth, state.block)
            if values.lit(here.lit(goal.steps.get(state.block, FALSE))):
                break
            state = state.follow(index)
        return self._confirmed(goal, steps)

    def _confirmed(self, goal: Goal, steps: list[str]) -> Replay:
        found = replay(self.game, steps)
        if not goal.reached(found):
            raise ReplayError(
                f"{goal.name}: the interpreter does not confirm the game {', '.join(steps) or 'opening'}"
            )
        return found
