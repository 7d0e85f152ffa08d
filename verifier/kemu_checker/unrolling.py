"""Several steps in a row: from the opening, from any state that is known of, or from where a rule by itself
begins (docs/evidence.md)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from kemu_checker.bundle import speaks_of_time
from kemu_checker.limits import TooLarge
from kemu_checker.machine import Way
from kemu_checker.questions import Question
from kemu_checker.rules import Proofs, Verdict, together
from kemu_checker.state import Dead, State, joined
from kemu_checker.symbols import SMALL, Symbol, Truth
from kemu_checker.terms import Terms
from kemu_checker.views import Edge, View

MOST = 100  # steps
Landing = tuple[int, State]  # a stop, and the states with which a step comes there
_STATES, _STEPS = ("state", "arm"), ("fault", "line")  # what the case is of


@dataclass(slots=True, eq=False)
class Frame:
    """A stop, and the states with which play may stand there after so many steps: `state.path` says which;
    `ways`: what may be done there, `there`: where play can go on, or is over; `faults`: of looking, and that
    it cannot go on."""

    block: int
    state: State
    ways: list[Way]
    there: Truth
    faults: list[tuple[Truth, int]]


class Unrolling:
    """The steps from some states, all in the terms of one view."""

    def __init__(self, proofs: Proofs, view: View, question: Question, names: Iterable[str]) -> None:
        self.proofs, self.view, self.question, self.names = proofs, view, question, list(names)
        self.terms: Terms = view.terms

    def frame(self, block: int, state: State) -> Frame:
        """The states at a stop; what can be done there is looked at once."""
        machine, terms = self.view.machine, self.terms
        node, look = machine.exit(block), state.fork()
        look.faults = []
        going_on = machine.look(block, look)
        there = terms.every([state.path, look.path, going_on])
        faults, ways = [(terms.both(state.path, cond), fault) for cond, fault in look.faults], list[Way]()
        if node.kind != "End":
            stuck = node.fields[4] if node.kind == "Decide" else node.fields[5]
            faults.append((terms.every([state.path, look.path, terms.negate(going_on)]), stuck))
            again = state.fork()
            again.path, again.faults = 1, []
            with suppress(Dead):
                ways.extend(machine.ways(block, again))
        if node.kind == "Decide" and node.fields[3] >= 0:
            faults = []  # they belong to the steps to it, which have looked already
        return Frame(block, state, ways, there, faults)

    def cases(self, frames: list[Frame]) -> list[Truth]:
        """That one of these states is the case, or that it is met in coming there. At a state only if play
        can go on there, or is over: else it has not come there."""
        terms, question = self.terms, self.question
        found: list[Truth] = []
        for frame in frames:
            found += [cond for cond, fault in frame.faults if fault in question.faults]
            if frame.block not in question.blocks:
                continue
            if question.kind == "arm":
                case = terms.some([way.cond for way in frame.ways if way.arm == question.arm])
            else:
                case = self._state(frame.state)
            found.append(terms.both(frame.there, case))
        return found

    def _state(self, state: State) -> Truth:
        terms, values = self.terms, self.view.values(state, self.question.exprs)
        cases = [self.view.machine.values.truth(value) for value, _ in values]
        if not self.question.fault:
            return terms.every([*cases, *(path for _, path in values)])
        return terms.some([terms.every(cases), *(terms.negate(path) for _, path in values)])

    def known(self, frames: list[Frame]) -> list[Truth]:
        """What the proofs say of these states, where play can go on."""
        found = []
        for name in self.proofs.all_used(self.names):
            for frame in frames:
                held = self.proofs.held(self.view, name, frame.block, frame.state)
                found += [self.terms.either(self.terms.negate(frame.there), each) for each in held]
        return found

    def after(self, frames: list[Frame]) -> tuple[list[Frame], list[Truth]]:
        """The states one step later, and the cases: of these states, or met on the way."""
        return self.landed([edge for frame in frames for edge in self._edges(frame)])

    def _edges(self, frame: Frame) -> Iterator[Edge]:
        if len(frame.ways) > SMALL:
            raise TooLarge(f"{len(frame.ways)} ways from a stop, several steps in a row")
        for way in frame.ways:
            taken = self.terms.both(frame.there, way.cond)
            if type(taken) is not int or taken:
                yield Edge(taken, self.view.machine.take(frame.block, frame.state, way))

    def landed(self, edges: list[Edge]) -> tuple[list[Frame], list[Truth]]:
        """Where edges come to, and the cases."""
        frames = self._merged([each for edge in edges for each in self._stops(edge)])
        met = [
            self.terms.both(edge.cond, cond)
            for edge in edges
            for cond, what in (*edge.run.faults, *edge.run.hits)
            if what in self.question.faults or what in self.question.places
        ]
        return frames, [*met, *self.cases(frames)]

    def _stops(self, edge: Edge) -> Iterator[Landing]:
        for block, state in edge.run.stops.items():
            path = self.terms.both(edge.cond, state.path)
            if type(path) is not int or path:
                there = state.fork()
                there.path = path
                yield block, there

    def _merged(self, landings: list[Landing]) -> list[Frame]:
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
    """Whether nothing is the case: not in so many steps from the opening, and if play may go on then, not
    after so many steps in which nothing is, from any state with the invariants of these proofs."""
    if question.kind not in (*_STATES, *_STEPS) or not 0 < steps <= MOST or proofs.begin is not None:
        raise ValueError("several steps in a row are looked at for states and steps, and not too many")
    proofs.know(question)
    if any(speaks_of_time(proofs.named[name]) for name in proofs.all_used(names)):
        return None
    over, first = _from_opening(proofs, question, names, steps)
    if over or not first:
        return first
    moving = (view for view in proofs.views() if view.block is not None)
    return together((first, *(_from_anywhere(proofs, question, names, steps, view) for view in moving)))


def _from_opening(proofs: Proofs, question: Question, names: list[str], steps: int) -> tuple[bool, Verdict]:
    """Whether every play is over by then, and whether nothing in it was the case."""
    view = proofs.view(None)
    unrolling = Unrolling(proofs, view, question, names)
    frames, cases = unrolling.landed(view.edges)
    found: list[Verdict] = []
    for _ in range(steps + 1):
        proofs.note(f"{len(found)} steps from the opening: {question.key}")
        found.append(view.impossible([], cases))
        if found[-1] is False:
            return False, False
        frames, cases = unrolling.after(frames)
        if view.impossible([], [*cases, *(frame.state.path for frame in frames)]):
            return True, together(found)
    return False, together(found)


def _from_anywhere(proofs: Proofs, question: Question, names: list[str], steps: int, view: View) -> Verdict:
    assert view.block is not None
    unrolling, terms = Unrolling(proofs, view, question, names), view.terms
    start = view.state.fork()
    start.path = 1
    frames = [unrolling.frame(view.block, start)]
    known, cases = list[Truth](), unrolling.cases(frames)
    for at in range(steps):
        proofs.note(f"{at} steps from {view.block}: {question.key}")
        known += [*unrolling.known(frames), *(terms.negate(each) for each in cases)]
        frames, cases = unrolling.after(frames)
    return view.impossible([*known, *unrolling.known(frames)], cases)


def runs_over(proofs: Proofs, bad: Question, to_the_end: bool, steps: int) -> Verdict:
    """Whether all runs of a rule by itself, from any state in which it can begin, are over after so many
    steps, and none meets the bad case; `to_the_end`: or comes to an end (which is bad otherwise)."""
    if not 0 < steps <= MOST or proofs.begin is None:
        raise ValueError("several steps in a row are looked at, and not too many")
    view = proofs.view(proofs.begin)
    unrolling, start = Unrolling(proofs, view, bad, ()), view.state.fork()
    start.path = 1
    begun = unrolling.frame(proofs.begin, start)
    stuck = view.machine.exit(proofs.begin).fields[5]
    frames, cases = [begun], [cond for cond, fault in begun.faults if fault in bad.faults and fault != stuck]
    over: Verdict = False
    for at in range(steps + 1):
        proofs.note(f"{at} steps from any state: {bad.key}")
        ended = [each for each in frames if view.machine.exit(each.block).kind == "End"]
        found = view.impossible([], [*cases, *(() if to_the_end else (each.there for each in ended))])
        if not found:
            return found
        over = view.impossible([], [each.state.path for each in frames if each not in ended])
        if over:
            return True
        if at < steps:
            frames, cases = unrolling.after(frames)
    return over
