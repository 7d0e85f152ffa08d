"""Rules by themselves, looked at from known states: one play, or all that can follow from any beginning."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from kemu_checker.explore import Graph, complete, cycles, explore, reaching
from kemu_checker.limits import TooLarge
from kemu_checker.machine import Machine
from kemu_checker.plays import BadPlay, Landing, Position, played
from kemu_checker.questions import Question
from kemu_checker.state import SILENT, State
from kemu_checker.text import Node

_NOWHERE: frozenset[Any] = frozenset()


@dataclass(eq=False)
class Starts:
    """Where a rule by itself begins: at one stop, in any state in which the call has a weight. The variables
    of rules and the result are as they are initially."""

    machine: Machine
    block: int
    _kept: list[Any] = field(init=False)

    def __post_init__(self) -> None:
        self._kept = self.machine.opening().vars

    def given(self, values: Any) -> Landing:
        """The beginning with these values of all variables."""
        program = self.machine.program
        if not isinstance(values, list) or len(values) != len(program.fields[3]):
            raise BadPlay("a beginning has a value for each variable")
        for at, (var, value) in enumerate(zip(program.fields[3], values, strict=True)):
            if self._fixed(at) and value != self._kept[at]:
                raise BadPlay(f"{var.fields[0]} begins as it is initially")
            self.machine.check_value(var, value)
        state = State([None] * len(program.fields[4]), list(values))
        landing = Landing(Position(self.machine, self.block, state), None, _NOWHERE)
        assert landing.position is not None
        if not landing.position.ways:
            raise BadPlay("the rule is not run from this state")
        return landing

    def _fixed(self, at: int) -> bool:
        program = self.machine.program
        history = program.fields[3][at].fields[1].kind == "History"
        return history or bool(program.fields[3][at].fields[7]) or at == program.fields[11]

    def every(self, most: int) -> Iterator[Landing]:
        """All beginnings; variables that nothing reads have one value only."""
        program = self.machine.program
        read = _read(program)
        spaces = [self._space(at, at in read, most) for at in range(len(program.fields[3]))]
        if prod(map(len, spaces)) > most:
            raise TooLarge(f"more than {most} states in which the rule may begin")
        for values in product(*spaces):
            copied = [list(each) if isinstance(each, tuple) else each for each in values]
            state = State([None] * len(program.fields[4]), copied)
            position = Position(self.machine, self.block, state)
            if position.ways:
                yield Landing(position, None, _NOWHERE)

    def _space(self, at: int, read: bool, most: int) -> list[Any]:
        _, kind, length = self.machine.program.fields[3][at].fields[:3]
        if self._fixed(at) or not read:
            kept = self._kept[at]
            return [tuple(kept) if isinstance(kept, list) else kept]
        low, high = {"Int": kind.fields, "Bool": (0, 1)}.get(kind.kind) or (0, (1 << kind.fields[0]) - 1)
        if (high - low + 1) ** min(length or 1, 64) > most:
            raise TooLarge(f"more than {most} states in which the rule may begin")
        values = range(low, high + 1)
        return list(values) if length is None else list(product(values, repeat=length))


def _read(program: Node) -> frozenset[int]:
    """The variables that are read anywhere, be it by a look at how often their values were noted."""
    found = set[int]()
    todo: list[Any] = [program.fields[7], program.fields[9]]
    while todo:
        each = todo.pop()
        if isinstance(each, tuple):
            todo += each
        elif isinstance(each, Node):
            if each.kind in ("Load", "At", "Times"):
                found.add(each.fields[1])
                kind = program.fields[3][each.fields[1]].fields[1]
                found.update(kind.fields[0] if kind.kind == "History" else ())
            todo += each.fields
    return frozenset(found)


def broken(
    question: Question, starts: Starts, record: Any, evidence: dict[str, Any], limits: tuple[int, float]
) -> bool:
    """Whether a play from a state that is given breaks the claim."""
    begin = starts.given(evidence.get("state"))
    if question.form == "can_return":
        graph = complete(explore(begin, *limits))
        return not any(each.exit.kind == "End" for each in graph.positions)
    landings, _ = played(starts.machine, record, begin)
    last = landings[-1]
    if last.position is None:
        return last.fault is not None and (question.form == "returns" or not _silent(question, last.fault))
    if question.form == "never_returns":
        return last.position.exit.kind == "End"
    loop = evidence.get("loop")
    if question.form != "returns" or type(loop) is not int or not 0 <= loop < len(landings) - 1:
        return False
    first = landings[loop].position
    return first is not None and last.position.again(first)


def _silent(question: Question, fault: int) -> bool:
    """Whether the fault is that a run goes round without a stop, in which case it does not return."""
    assert question.run is not None
    return fault == SILENT or (fault >= 0 and question.run.fields[8][fault].fields[0] == "silent_loop")


def holds_everywhere(question: Question, starts: Starts, limits: tuple[int, float]) -> bool:
    """Whether the claim holds from every beginning."""
    begins = list(starts.every(limits[0]))
    if not begins:
        return True
    graph = complete(explore(begins[0], *limits, more=begins[1:]))
    ends = [i for i, each in enumerate(graph.positions) if each.exit.kind == "End"]
    match question.form:
        case "returns":
            return not graph.faults and not cycles(graph)
        case "never_returns":
            return not ends and all(_silent(question, fault) for fault in graph.faults)
        case _:
            return _begun(graph, begins) <= reaching(graph, ends)


def _begun(graph: Graph, begins: list[Landing]) -> set[int]:
    keys = {each.position.key for each in begins if each.position is not None}
    return {i for i, each in enumerate(graph.positions) if each.key in keys}
