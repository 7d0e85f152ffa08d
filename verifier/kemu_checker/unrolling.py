"""Several steps in a row: from the opening, or from any state that is known of (docs/evidence.md)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from kemu_checker.bundle import speaks_of_time
from kemu_checker.machine import Way
from kemu_checker.questions import Question
from kemu_checker.rules import Proofs, Verdict, together
from kemu_checker.state import Dead, State, joined
from kemu_checker.terms import SMALL, Symbol, Terms, TooLarge, Truth
from kemu_checker.views import Edge, View

MOST = 100  # steps
Landing = tuple[int, State]  # a stop, and the states with which a step comes there


@dataclass(slots=True, eq=False)
class Frame:
    """A stop, and the states with which play may stand there after so many steps: `state.path` says which;
    `there`: those of them in which play can go on, or is over."""

    block: int
    state: State
    there: Truth


class Unrolling:
    """The steps from some states, all in the terms of one view."""

    def __init__(self, proofs: Proofs, view: View, question: Question, names: Iterable[str]) -> None:
        self.proofs, self.view, self.question, self.names = proofs, view, question, list(names)
        self.terms: Terms = view.terms

    def frame(self, block: int, state: State) -> Frame:
        """The states at a stop; whether play can go on is looked at once."""
        look = state.fork()
        look.faults = []
        going_on = self.view.machine.look(block, look)
        return Frame(block, state, self.terms.every([state.path, look.path, going_on]))

    def bad(self, frames: list[Frame]) -> list[Truth]:
        """That one of these states is the case, and play can go on there: else it has not come there."""
        found = []
        for frame in frames:
            if frame.block in self.question.blocks:
                values = self.view.values(frame.state, self.question.exprs)
                cases = [self.view.machine.values.truth(value) for value, _ in values]
                if not self.question.fault:
                    cases += [path for _, path in values]
                case = self.terms.every(cases)
                if self.question.fault:
                    case = self.terms.some([case, *(self.terms.negate(path) for _, path in values)])
                found.append(self.terms.both(frame.there, case))
        return found

    def known(self, frames: list[Frame]) -> list[Truth]:
        """What the proofs say of these states, where play can go on."""
        found = []
        for name in self.proofs.all_used(self.names):
            proof = self.proofs.named[name]
            for frame in frames:
                held = self.view.hold(
                    frame.state, self.proofs.invariants(proof, frame.block), proof.fields[3]
                )
                found += [self.terms.either(self.terms.negate(frame.there), each) for each in held]
        return found

    def after(self, frames: list[Frame]) -> list[Frame]:
        """The states one step later."""
        return self.merged([each for frame in frames for each in self._steps(frame)])

    def _steps(self, frame: Frame) -> Iterator[Landing]:
        machine, look = self.view.machine, frame.state.fork()
        look.path, look.faults = 1, []
        ways: list[Way] = []
        with suppress(Dead):
            ways.extend(machine.ways(frame.block, look))
        if len(ways) > SMALL:
            raise TooLarge(f"{len(ways)} ways from a stop, several steps in a row")
        for way in ways:
            taken = self.terms.both(frame.there, way.cond)
            if type(taken) is not int or taken:
                yield from self.landed(Edge(taken, machine.take(frame.block, frame.state, way)))

    def landed(self, edge: Edge) -> Iterator[Landing]:
        """Where an edge comes to."""
        for block, state in edge.run.stops.items():
            path = self.terms.both(edge.cond, state.path)
            if type(path) is not int or path:
                there = state.fork()
                there.path = path
                yield block, there

    def merged(self, landings: list[Landing]) -> list[Frame]:
        """One frame for each stop: which of those that come there is meant is one more unknown."""
        found = []
        for block in sorted({block for block, _ in landings}):
            states = [state for at, state in landings if at == block]
            while len(states) > 1:
                states = [self._one(states[i : i + SMALL]) for i in range(0, len(states), SMALL)]
            found.append(self.frame(block, states[0]))
        return found

    def _one(self, states: list[State]) -> State:
        if len(states) == 1:
            return states[0]
        which = Symbol("which", 0, len(states) - 1)
        result: State | None = None
        for i, state in enumerate(states):
            state.path = self.terms.both(self.terms.member(which, 1 << i), state.path)
            result = joined(self.view.machine.values, result, state)
        assert result is not None
        return result


def excluded(proofs: Proofs, question: Question, names: list[str], steps: int) -> Verdict:
    """Whether no state is the case: not in so many steps from the opening, and if play may go on then, not
    after so many steps in which none is, from any state with the invariants of these proofs."""
    if question.kind != "state" or not 0 < steps <= MOST or proofs.begin is not None:
        raise ValueError("several steps in a row are looked at for claims about states, and not too many")
    if any(speaks_of_time(proofs.named[name]) for name in proofs.all_used(names)):
        return None
    over, first = _from_opening(proofs, question, names, steps)
    if over or not first:
        return first
    moving = (view for view in proofs.views() if view.block is not None)
    return together((first, *(_from_anywhere(proofs, question, names, steps, view) for view in moving)))


def _from_opening(proofs: Proofs, question: Question, names: list[str], steps: int) -> tuple[bool, Verdict]:
    """Whether every play is over by then, and whether none of its states was the case."""
    view = proofs.view(None)
    unrolling = Unrolling(proofs, view, question, names)
    frames = unrolling.merged([each for edge in view.edges for each in unrolling.landed(edge)])
    found: list[Verdict] = []
    for _ in range(steps + 1):
        proofs.note(f"{len(found)} steps from the opening: {question.key}")
        found.append(view.impossible([], unrolling.bad(frames)))
        if found[-1] is False:
            return False, False
        frames = unrolling.after(frames)
        if view.impossible([], [frame.state.path for frame in frames]):
            return True, together(found)
    return False, together(found)


def _from_anywhere(proofs: Proofs, question: Question, names: list[str], steps: int, view: View) -> Verdict:
    assert view.block is not None
    unrolling, terms = Unrolling(proofs, view, question, names), view.terms
    start = view.state.fork()
    start.path = 1
    frames = [unrolling.frame(view.block, start)]
    known: list[Truth] = []
    for at in range(steps):
        proofs.note(f"{at} steps from {view.block}: {question.key}")
        known += unrolling.known(frames)
        known += [terms.negate(each) for each in unrolling.bad(frames)]
        frames = unrolling.after(frames)
    return view.impossible([*known, *unrolling.known(frames)], unrolling.bad(frames))
