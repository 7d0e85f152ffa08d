"""Each step of a random program is among those that are worked out from states that are not known, variables
forgotten, exactly and loosely."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from kemu_checker import looks
from kemu_checker import state as ways
from kemu_checker.limits import TooLarge
from kemu_checker.looks import Care
from kemu_checker.machine import Machine
from kemu_checker.machine import Way as Choice
from kemu_checker.plays import Position
from kemu_checker.shapes import check_program
from kemu_checker.state import Dead, Forgotten, Malformed, State
from kemu_checker.symbols import Truth
from kemu_checker.terms import Terms
from kemu_checker.text import Node, read
from kemu_checker.views import Limits, View
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import pieces

from tests.checker.written import number, op, written
from tests.engine import kernels
from tests.engine.kernels import Maker

SIZE = 3
"""Elements of every domain: less than in other tests, so that there are more programs."""
TERMS = 4_000


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "SIZE", SIZE)
    monkeypatch.setattr(looks.Looks, "searches", lambda *_: True)


@dataclass
class Steps:
    """The steps of a program at random, from states at random."""

    seed: int

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        made = Maker(self.random, histories=self.seed % 3 == 0).program(depth=1)
        blocks = tuple(replace(each, exit=_complete(each.exit)) for each in made.blocks)
        self.program = check_program(read("".join(pieces(replace(made, blocks=blocks)))))
        self.known = Machine(self.program, Terms())

    def missing(self, care: Care) -> Iterator[str]:
        """The steps that are not found where something is forgotten."""
        variables = self.program.fields[3]
        plain = [at for at, var in enumerate(variables) if var.fields[1].kind != "History"]
        forget = frozenset(self.random.sample(plain, self.random.choice((1, 2, len(plain) - 1))))
        for block in (at for at in self.known.stops if self.known.exit(at).kind != "End"):
            limits = Limits("glucose")
            view = View(self.program, block, frozenset(), limits, forget, care=care)
            try:
                with view.terms.within(TERMS):
                    for position, choice in self._steps(block):
                        if not found(view, position, choice):
                            yield f"{self.seed} {care} {sorted(forget)}: {choice}"
            except TooLarge:
                continue

    def _steps(self, block: int) -> Iterator[tuple[Position, Choice]]:
        for _ in range(3):
            position = Position(self.known, block, self._state(block))
            try:
                yield from ((position, self.random.choice(position.ways)) for _ in position.ways[:2])
            except (Dead, Malformed):
                continue

    def _state(self, block: int) -> State:
        local: list[Any] = [None] * len(self.program.fields[4])
        for at in self.program.fields[9][block].fields[2]:
            local[at] = self._value(self.program.fields[4][at].fields[1])
        values: list[Any] = []
        for _, kind, length, *_ in (var.fields for var in self.program.fields[3]):
            if kind.kind == "History":
                values.append({})
            else:
                values.append(
                    self._value(kind) if length is None else [self._value(kind) for _ in range(length)]
                )
        return State(local, values)

    def _value(self, kind: Node) -> int:
        low, high = {"Bool": (0, 1), "Int": kind.fields}.get(kind.kind) or (0, (1 << kind.fields[0]) - 1)
        return self.random.randint(low, high)


def _complete(leave: k.Exit) -> k.Exit:
    """As programs are that come of rules: with a fault where nothing can be done."""
    return replace(leave, stuck=max(leave.stuck, 0)) if isinstance(leave, k.Decide) else leave


def found(view: View, position: Position, choice: Choice) -> bool:
    """Whether a step, if it meets no fault, is one of a view's, from the same state to the same."""
    try:
        after = position.step(choice).position
    except Malformed:
        return True
    if after is None:
        return True
    edges = view.edges  # which read what is forgotten
    before = list(same(view, view.state, position.state))
    for edge in edges:
        there = edge.run.stops.get(after.block)
        if there is None or all(
            (each.arm, each.arguments) != (choice.arm, choice.arguments) for each in edge.ways
        ):
            continue
        if view.possible(*before, edge.cond, there.path, *same(view, there, after.state)) is not False:
            return True
    return False


def same(view: View, unknown: State, known: State) -> Iterator[Truth]:
    """That what is not known is this; what was read of the forgotten, too."""
    equal = view.machine.values.equal
    for one, value in zip(unknown.locals, known.locals, strict=True):
        if one is not None and value is not None:
            yield equal(one, value)
    for one, value in zip(unknown.vars, known.vars, strict=True):
        if isinstance(value, dict):
            continue
        each = dict(enumerate(value if isinstance(value, list) else [value]))
        there = (
            one.read
            if isinstance(one, Forgotten)
            else dict(enumerate(one if isinstance(one, list) else [one]))
        )
        yield from (equal(part, each[at]) for at, part in there.items())


@pytest.mark.parametrize("care", Care)
@pytest.mark.parametrize("seed", range(1, 7))
def test_no_step_is_left_out(seed: int, care: Care) -> None:
    assert list(Steps(seed).missing(care)) == []


def test_a_step_that_is_left_out_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ways meet, what is forgotten is not what it was on one of them."""
    merged = ways._merged

    def one_of_them(values: Any, test: Truth, one: Any, other: Any, size: int | None) -> Any:
        return one if isinstance(one, Forgotten) else merged(values, test, one, other, size)

    monkeypatch.setattr(ways, "_merged", one_of_them)
    assert list(Steps(11).missing(Care.EXACT)) and list(Steps(13).missing(Care.EXACT))


ROW = """
game "Row"
players ann, bob
state:
    x: 0..2
    y: 0..2
    row: map[0..2, bool]
    seen: map[0..2, bool]
rules:
    for p in turns():
        choose:
            look(q in 0..2):
                row = {0: true, 1: false, 2: true}
                seen[y] = row[x]
                x = q
            go:
                y = x
            stop:
                end win(p)
property within: always x <= 2
"""


def test_a_truth_value_from_a_row_that_is_known(tmp_path: Path) -> None:
    """Put where nobody knows, among others that are not known."""
    game = written(tmp_path, ROW)
    fact = op("le", game.load("x"), number(2))
    game.induction("kept", {stop: [fact] for stop in game.blocks})
    assert game.judge("within", "proved", kind="excluded", proofs=["kept"]) == "confirmed"
