"""The loop that is shown where play need not end: found, told, replayed from the opening."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.replay import ReplayError, replay, text_of
from kemu_engine.play.state import State

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.bmc import Unrolling
from kemu_verifier.methods.search.random_search import Play
from kemu_verifier.methods.termination.lasso import Loop, find_loop, region_around, region_of
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.havoc import histories
from kemu_verifier.symbolic.layout import variables
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import FALSE, VAR, Lin, Lit

ORDER = ("forced", "optional", "chance")


@dataclass(frozen=True, slots=True)
class Found:
    """A loop, and where it was looked for."""

    loop: Loop
    by: str
    whole: bool


class Loops:
    """The loops of one game; what is found is kept."""

    def __init__(self, context: ProofContext) -> None:
        self.context = context
        self._found: Found | None = None
        self._looked = False

    def found(self, deadline: Deadline) -> Found | None:
        """The hardest loop to leave, and of those a shortest, as far as states were looked at."""
        if not self._looked:
            self._found = self._whole(deadline) if self.context.graph.complete else self._partly(deadline)
            self._looked = True
        return self._found

    def _whole(self, deadline: Deadline) -> Found | None:
        graph, players = self.context.graph, self.context.program.players
        loop = find_loop(region_of(graph), players, deadline)
        by = f"exhaustive search of {len(graph.states)} states"
        return Found(loop, by, True) if loop is not None else None

    def _partly(self, deadline: Deadline) -> Found | None:
        graph, players = self.context.graph, self.context.program.players
        best = find_loop(region_of(graph), players, deadline.part(strategy.LOOPING))
        by = f"search of the first {len(graph.edges)} states"
        play = self._circling()
        if play is not None and (best is None or best.kind == "chance"):
            length, first = _size(play)
            played = _as_played(play.states, play.choices, first, first + length)
            other, near = self._around(played, play.states[first], deadline)
            if best is None or _rank(other) < _rank(best):
                best, by = other, f"simulation, and search of {near} states around the loop"
        return None if best is None else Found(best, by, False)

    def _around(self, loop: Loop, start: State, deadline: Deadline) -> tuple[Loop, int]:
        """A loop near one that is harder to leave, or itself; and how many states were looked at."""
        steps, players = self.context.steps, self.context.program.players
        region = region_around(steps, loop.way, start, strategy.NEAR, deadline.part(strategy.LOOPING))
        other = find_loop(region, players, deadline.part(strategy.LOOPING))
        better = other is not None and _rank(other) < _rank(loop)
        return (other if other is not None and better else loop), len(region.edges)

    def _circling(self) -> Play | None:
        """The random game with the shortest loop."""
        plays = [play for play in self.context.plays if play.circle is not None]
        return min(plays, key=_size, default=None)

    def search(self, deadline: Deadline) -> int:
        """Looks for a play that comes back to a state, all plays of a length at once, if nothing was found so
        far. Returns to what depth there is none. The first found has the fewest steps of all. Of a history
        only whether it is empty is read, so that nothing is known of where it is the same again."""
        if histories(self.context.program):
            return 0
        search, depth = self.context.bounded, 0
        unrolling = search.unrolling
        while self._found is None and not deadline.passed:
            depth += 1
            while len(unrolling.frames) <= depth:
                if not unrolling.extend(deadline):
                    return depth - 1
            answer = search.ask([back_at(unrolling, depth)], deadline)
            if answer.status == "unknown":
                return depth - 1
            if answer.status == "sat":
                by = f"bounded model checking (no play of fewer than {depth} steps comes back to a state)"
                self._found = Found(self._decoded(answer, depth, deadline), by, False)
            elif not search.moving(depth):
                return depth
        return depth

    def _decoded(self, answer: Answer, depth: int, deadline: Deadline) -> Loop:
        """The loop that a model describes, which is closed after so many steps."""
        goal = Goal("loop", lambda found: len(set(found.states)) < len(found.states))
        play = self.context.bounded.game_of(answer, goal, depth)
        seen: dict[State, int] = {}
        for at, state in enumerate(play.states):
            first = seen.setdefault(state, at)
            if first < at:
                choices = [s.index(text) for s, text in zip(play.states, play.steps, strict=False)]
                loop = _as_played(play.states, choices, first, at)
                return self._around(loop, state, deadline)[0]
        raise ReplayError("the play that was found comes back to no state")

    # ------------------------------------------------------------------------------------------ told

    def endless(self, asked: Asked, found: Found) -> Verdict:
        """Refuted by a loop, which the replay confirms."""
        loop = found.loop
        shown = replay(self.context.game, [*loop.way, *loop.round])
        if shown.fault is not None or shown.states[len(loop.way)] != shown.last:
            raise ReplayError(
                f"{asked.question.name}: the play does not come back to the state after {len(loop.way)} steps"
            )
        detail = f"after step {len(shown.steps)} the state is again what it was after step {len(loop.way)}"
        if found.whole:
            length = "no loop of the kind is shorter" if loop.shortest else "shorter loops may exist"
        else:
            length = "shorter loops may exist"
        by = f"{found.by}: a play that comes back to a state; {length}"
        return asked.reached(shown, by, f"{detail}; {self._whose(found, shown.last)}")

    def _whose(self, found: Found, state: State) -> str:
        loop = found.loop
        if loop.kind == "forced":
            return "forced: from some reachable state on no choice leads to an end, nor anything by chance"
        if loop.kind == "optional":
            who = _groups(loop.keepers)
            words = f"optional: {who} can keep play going whatever chance brings"
            if any(len(group) < len(self.context.program.players) for group in loop.keepers):
                words = f"optional: {who} can keep play going whatever the others do and chance brings"
            if found.whole:
                return f"{words}; it can be left"
            return f"{words}; {self._left(state)}"
        if found.whole:
            return "only if chance brings the same again and again: play ends with probability one"
        return (
            "if chance brings the same again; whether players can go on for ever whatever it brings was not"
            f" found out; {self._left(state)}"
        )

    def _left(self, state: State) -> str:
        """Whether random walks from a state of the loop come to an end."""
        draw = random.Random(1)
        deadline = Deadline(strategy.WALKING)
        for _ in range(strategy.WALKS):
            at: State | None = state
            for _ in range(strategy.WALK):
                if at is None or at.is_end or deadline.passed:
                    break
                at = self.context.steps.follow(at, draw.randrange(len(at.choices)))[0]
            if at is not None and at.is_end:
                return "it can be left: random games go on from it to an end"
        return "whether it can be left was not found out"


def _size(play: Play) -> tuple[int, int]:
    assert play.circle is not None
    first, second = play.circle
    return second - first, first


def _rank(loop: Loop) -> tuple[int, int, int]:
    return ORDER.index(loop.kind), len(loop.round), len(loop.way)


def _as_played(states: Sequence[State], choices: Sequence[int], first: int, second: int) -> Loop:
    """A loop that was played, from one visit of a state to the next: those who chose on it can keep play
    going if chance has no part in it."""
    texts = [text_of(s, c) for s, c in zip(states[:second], choices, strict=False)]
    way, around, loop = texts[:first], texts[first:], states[first:second]
    if any(state.is_chance and len(state.choices) > 1 for state in loop):
        return Loop("chance", way, around, (), False)
    keepers = dict.fromkeys(state.actor for state in loop if state.actor is not None)
    return Loop("optional", way, around, (tuple(keepers),), False)


def back_at(unrolling: Unrolling, depth: int) -> Lit:
    """The state after so many steps is one of those before."""
    terms, blocks = unrolling.terms, unrolling.transitions.program.blocks
    found = []
    for block, last in unrolling.frames[depth].items():
        if isinstance(blocks[block].exit, k.End):
            continue
        for at in range(depth):
            first = unrolling.frames[at].get(block)
            if first is not None:
                same = _same(unrolling, block, at, depth)
                found.append(terms.conj([first.reach, last.reach, same]))
    return terms.disj(found)


def _same(unrolling: Unrolling, block: int, first: int, second: int) -> Lit:
    """The states at a stop after so many steps and so many are the same."""
    terms, layout = unrolling.terms, unrolling.transitions.layout
    a, b = unrolling.state(first, block), unrolling.state(second, block)
    symbols = [*layout.vars, *(layout.local(local) for local in layout.program.blocks[block].live)]
    lits = []
    for node in (node for symbol in symbols for node in variables(terms, symbol)):
        if terms.kind[node] == VAR:
            lits.append(terms.iff(a.lit(node), b.lit(node)))
        else:
            value = Lin(0, ((1, node),))
            gap = terms.plus(a.lin(value), b.lin(value), -1)
            lits += [terms.le0(gap), terms.le0(terms.plus(Lin(0), gap, -1))]
        if lits[-1] == FALSE:
            return FALSE
    return terms.conj(lits)


def _groups(keepers: tuple[tuple[str, ...], ...]) -> str:
    """ "ann alone, or bob alone"; "ann and bob together"."""
    words = [
        f"{group[0]} alone" if len(group) == 1 else f"{', '.join(group[:-1])} and {group[-1]} together"
        for group in keepers
    ]
    return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
