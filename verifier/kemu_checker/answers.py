"""Whether what a bundle says to a question is shown by what it gives."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from kemu_checker.alike import INFORMED, NO_LEAK, all_plays, two_plays
from kemu_checker.bundle import CLAIMING, Answer, Bundle
from kemu_checker.cuts import cuts_of
from kemu_checker.explore import Graph, complete, cycles, explore, lasting, opening, reaching
from kemu_checker.laps import excluded as lap_by_lap
from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.machine import Machine
from kemu_checker.plays import Landing, Position, replay
from kemu_checker.preferences import always_possible, ends_nearly
from kemu_checker.questions import Question, all_see, number, op
from kemu_checker.ranking import ends
from kemu_checker.rules import Proofs, Verdict
from kemu_checker.runs import beginning, number_of_steps, shown
from kemu_checker.secrets import secrets
from kemu_checker.starts import Starts, broken, holds_everywhere
from kemu_checker.state import MALFORMED, Dead, Malformed
from kemu_checker.terms import Terms
from kemu_checker.text import BadText
from kemu_checker.unrolling import excluded as several
from kemu_checker.worlds import Worlds

CONFIRMED, OPEN, WRONG, NOTHING = "confirmed", "open", "wrong", "nothing claimed"
PLAYS = 5  # times as many states as are visited may be in sets of states that look alike
BY_PROVERS = "confirmed by the prover’s solver only"
_CLAIMS = {False: {"proved": False, "refuted": True}, True: {"possible": True, "impossible": False}}


@dataclass(slots=True)
class Room:
    """How much is looked at."""

    states: int = 200_000
    seconds: float = 300.0


@dataclass(eq=False)
class Judge:
    """Decides on answers, one by one."""

    bundle: Bundle
    proofs: Proofs
    room: Room
    note: Callable[[str], None]
    _machine: Machine = field(init=False)
    _graph: Graph | None = None

    def __post_init__(self) -> None:
        self._machine = Machine(self.bundle.program, Terms(), self.proofs.places)

    def judge(self, question: Question, answer: Answer) -> tuple[str, str]:
        """The verdict on an answer, and the solvers that showed it, or the reason why it is not confirmed."""
        used = self.proofs.limits.used
        used.clear()
        claims = _CLAIMS[question.hoped]
        if answer.verdict not in CLAIMING:
            return NOTHING, answer.verdict
        if answer.verdict not in claims:
            return WRONG, f"the answer to this question cannot be `{answer.verdict}`"
        try:
            found = self._shown(question, claims[answer.verdict], answer.evidence)
        except OutOfTime:
            return OPEN, "out of time"
        except TooLarge as error:
            return OPEN, f"too large: {error}"
        except (ValueError, LookupError, TypeError, AttributeError, AssertionError, ArithmeticError) as error:
            return WRONG, str(error) or type(error).__name__
        except Dead:
            return WRONG, "a fault, or a value out of its type"
        except RecursionError:
            return OPEN, "nested too deep"
        except MemoryError:
            return OPEN, "too large"
        if isinstance(found, str):
            return OPEN, found
        if found is None:
            return OPEN, "a condition was not decided"
        if not found:
            return WRONG, "the evidence does not show it"
        return BY_PROVERS if "z3" in used else CONFIRMED, ", ".join(sorted(used))

    def _shown(self, question: Question, there: bool, evidence: dict[str, Any]) -> Verdict | str:
        """Whether it is shown that the case is there, or that it is not; a text says why that is open."""
        if question.kind == "run" and evidence.get("kind") in ("play", "all states"):
            return self._run_looked_at(question, there, evidence)
        if question.kind == "run" and evidence.get("kind") != "none" and not there:
            other = self.bundle.others[question.key]
            return shown(question, evidence, other.proofs, self.proofs.limits, self.note)
        if question.kind == "first" and evidence.get("kind") != "none":
            return self._at_first(question, there, evidence)
        if question.kind in ("run", "unknown") and evidence.get("kind") != "none":
            return "the checker knows no rule for this question"
        match evidence.get("kind"):
            case "none":
                return f"nothing is written down: {evidence.get('reason')!a:.200}"
            case "play":
                return there and self._played(question, evidence)
            case "all states":
                return self._by_all_states(question, there, evidence)
            case "excluded":
                names = self.proofs.inductions(evidence)
                return not there and _and(
                    self.proofs.all_shown(names), lambda: self.proofs.excluded(question, names)
                )
            case "laps":
                return not there and self._by_laps(question, evidence)
            case "steps":
                names, steps = self.proofs.inductions(evidence), number_of_steps(evidence)
                return not there and _and(
                    self.proofs.all_shown(names), lambda: several(self.proofs, question, names, steps)
                )
            case "ranking":
                return not there and self._ranked(question, evidence)
            case "value":
                return not there and self._greatest(question, evidence)
            case "nothing hidden":
                return (
                    question.kind == "alike"
                    and not there
                    and all_see(self.bundle.program, self.bundle.claims)
                )
            case "two plays" | "all plays" | "flow" | "two states" as kind:
                return question.kind == "alike" and self._compared(question, there, kind, evidence)
            case kind:
                raise BadText(f"there is no evidence `{kind}`")

    def _at_first(self, question: Question, there: bool, evidence: dict[str, Any]) -> Verdict | str:
        """Of the game up to where play first comes to some stops: whether a state there is the case."""
        assert question.run is not None
        proofs = Proofs(question.run, self.proofs.limits, note=self.note)
        for proof in self.bundle.others[question.key].proofs:
            proofs.add(proof.node, proof.cuts)
        beginning = Judge(replace(self.bundle, program=question.run, others={}), proofs, self.room, self.note)
        return beginning._shown(replace(question, kind="state", run=None), there, evidence)

    def _run_looked_at(self, question: Question, there: bool, evidence: dict[str, Any]) -> Verdict:
        """Of a rule by itself: a play from some state, or all states that follow from any."""
        assert question.run is not None
        machine = Machine(question.run, Terms())
        starts = Starts(machine, beginning(question.run))
        limits = self.room.states, self._seconds()
        if evidence["kind"] == "all states":
            return holds_everywhere(question, starts, limits) != there
        record = self.bundle.record(evidence["trace"])
        return there and broken(question, starts, record, evidence, limits)

    def _by_laps(self, question: Question, evidence: dict[str, Any]) -> Verdict:
        """Of the game with its loops cut: whether the case is excluded."""
        cuts = cuts_of(evidence)
        if cuts is None:
            raise BadText("it is not said where loops are cut")
        return lap_by_lap(self.proofs.within(cuts), question, evidence, cuts)

    # Proofs

    def _ranked(self, question: Question, evidence: dict[str, Any]) -> Verdict:
        proofs, name, names = self.proofs, evidence["ranking"], self.proofs.inductions(evidence)
        if question.kind not in ("ending", "return"):
            raise BadText("a ranking is no evidence of this")
        led = question.kind == "return" or (question.chance and proofs.is_strategy(name))
        proof = proofs.falling(name, "Strategy" if led else "Ranking", names)

        def falls() -> Verdict:
            if question.kind == "return":
                return always_possible(proofs, proof, question)
            return ends_nearly(proofs, proof) if led else ends(proofs, proof, question.chance)

        return _and(proofs.all_shown(proof.fields[1]), falls)

    def _greatest(self, question: Question, evidence: dict[str, Any]) -> Verdict:
        n = evidence["number"]
        if question.kind != "most" or type(n) is not int:
            raise BadText("no greatest value is asked for")
        position = self._replayed(evidence)[-1].position
        if position is None or self._value(question, position) != n:
            return False
        greater = _above(question, n)
        names = self.proofs.inductions(evidence)
        return _and(self.proofs.all_shown(names), lambda: self.proofs.excluded(greater, names))

    # Plays

    def _replayed(self, evidence: dict[str, Any]) -> list[Landing]:
        return replay(self._machine, self.bundle.record(evidence["trace"]))

    def _played(self, question: Question, evidence: dict[str, Any]) -> Verdict | str:
        landings = self._replayed(evidence)
        last = landings[-1]
        match question.kind:
            case "state":
                return last.position is not None and self._case(question, last.position)
            case "fault":
                return last.fault in question.faults
            case "arm":
                (block,) = question.blocks
                at = last.position
                return (
                    at is not None and at.block == block and any(way.arm == question.arm for way in at.ways)
                )
            case "line":
                return any(each.places & question.places for each in landings)
            case "ending" if question.chance:
                since = evidence.get("since", len(landings) - 1)
                if last.position is None or type(since) is not int or not 0 <= since < len(landings):
                    return False
                around = self._around(evidence, landings[since])
                return _in_time(around, around.number(last.position) in lasting(around))
            case "ending":
                return _returns(landings, evidence.get("loop"))
            case "return":
                if last.position is None:
                    return False
                around = self._around(evidence, last)
                goals = [
                    i
                    for i, each in enumerate(around.positions)
                    if i in around.open or self._case(question, each)
                ]
                return _in_time(around, 0 not in reaching(around, goals))
            case _:
                return "the checker knows no rule for this"

    def _around(self, evidence: dict[str, Any], start: Landing) -> Graph:
        most = evidence.get("around")
        most = most if type(most) is int and most > 0 else self.room.states
        return explore(start, min(most, self.room.states), self._seconds())

    def _seconds(self) -> float:
        """For looking at states."""
        return min(self.room.seconds, self.proofs.limits.until - time.monotonic())

    def _case(self, question: Question, position: Position) -> bool:
        """Whether a state is the case."""
        if position.block not in question.blocks:
            return False
        expressions = self._machine.code.expressions
        for expr in question.exprs:
            look = self._machine.at_stop(position.block, position.state)
            look.faults, look.path = [], 1
            try:
                if not expressions.make(expr)(look):
                    return False
            except Dead:
                if MALFORMED in (fault for _, fault in look.faults):
                    raise Malformed("a value or an index is out of its type") from None
                return question.fault
        return True

    def _value(self, question: Question, position: Position) -> int | None:
        if position.block not in question.blocks:
            return None
        look = self._machine.at_stop(position.block, position.state)
        look.faults = []
        try:
            value = self._machine.code.expressions.make(question.exprs[0])(look)
        except Dead:
            return None
        return value if type(value) is int else None

    # Comparisons of two plays

    def _compared(
        self, question: Question, there: bool, kind: str, evidence: dict[str, Any]
    ) -> Verdict | str:
        machine, claims = self._machine, self.bundle.claims
        if kind == "two plays":
            records = [self.bundle.record(each) for each in evidence["traces"]]
            return there and two_plays(machine, claims, question.form, records, evidence["seer"])
        if kind == "all plays":
            until = min(time.monotonic() + self.room.seconds, self.proofs.limits.until)
            return all_plays(machine, claims, question.form, PLAYS * self.room.states, until) == there
        if there or question.form != (NO_LEAK if kind == "flow" else INFORMED):
            return False
        found = secrets(self.proofs, claims)
        if found.leaks:  # a bound: what may be need not be
            return found.leaks[0]
        if kind == "flow":
            return True
        names = self.proofs.inductions(evidence)
        return _and(self.proofs.all_shown(names), Worlds(self.proofs, found, names).the_same_is_legal)

    # All states

    def _all(self) -> Graph:
        if self._graph is None:
            start = opening(self._machine)
            self._graph = explore(
                start, self.room.states, self._seconds(), lambda n: self.note(f"{n} states")
            )
        return complete(self._graph)

    def _by_all_states(self, question: Question, there: bool, evidence: dict[str, Any]) -> Verdict | str:
        graph = self._all()
        match question.kind:
            case "state":
                found = any(self._case(question, each) for each in graph.positions)
            case "fault":
                found = bool(graph.faults & question.faults)
            case "arm":
                (block,) = question.blocks
                found = (block, question.arm) in graph.arms
            case "line":
                found = bool(graph.places & question.places)
            case "ending":
                found = bool(lasting(graph)) if question.chance else cycles(graph)
            case "return":
                goals = (i for i, each in enumerate(graph.positions) if self._case(question, each))
                found = len(reaching(graph, goals)) < len(graph.positions)
            case "most":
                among = (each for each in graph.positions if each.block in question.blocks)
                values = [self._value(question, each) for each in among]
                numbers = [value for value in values if value is not None]
                whole = len(numbers) == len(values) > 0
                n = evidence.get("number")
                return not there and whole and type(n) is int and n == max(numbers)
            case _:
                return "the checker knows no rule for this"
        return found == there


def _and(first: Verdict, then: Callable[[], Verdict]) -> Verdict:
    if first is False:
        return False
    second = then()
    return False if second is False else None if first is None else second


def _in_time(around: Graph, shown: bool) -> Verdict | str:
    """What states around a play show; what they do not, if there was no time for more of them, is open."""
    return "out of time" if around.late and not shown else shown


def _returns(landings: list[Landing], loop: Any) -> bool:
    """Whether the last state of a play is that after an earlier step."""
    if type(loop) is not int or not 0 <= loop < len(landings) - 1:
        return False
    first, last = landings[loop].position, landings[-1].position
    return first is not None and last is not None and last.again(first)


def _above(question: Question, n: int) -> Question:
    case = op("lt", number(n), *question.exprs)
    return replace(question, kind="state", exprs=(case,), fault=True)
