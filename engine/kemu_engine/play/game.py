"""A game: a program ready to be played, and the ways to come by a state of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, cast

from kemu_engine.interp.frame import Faulted, Log
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Stop
from kemu_engine.kernel.text import Json, Unreadable, from_json, names_of_live, variable_from_json
from kemu_engine.kernel.values import Cells
from kemu_engine.play.state import FORMAT, FaultError, State
from kemu_engine.run.python.loader import GeneratedMachine


class StateError(ValueError):
    """Data that is no state of this game; the message says why."""


class Game:
    """An instance of a game.

    `reader`: what runs it, Python generated from the program or the reference interpreter; both do the same.
    `checked` has the interpreter test every value against its type (for tests of what makes programs).
    `keep` is asked for the first stop, and given what finds it.
    """

    def __init__(
        self,
        program: k.Program,
        checked: bool = False,
        reader: Literal["generated", "interpreter"] = "generated",
        keep: Callable[[Callable[[], Stop]], Stop] = lambda find: find(),
    ) -> None:
        self.program = program
        self.reader = "interpreter" if checked else reader
        generated = self.reader == "generated"
        self.machine = GeneratedMachine(program) if generated else Machine(program, checked)
        self._keep = keep
        self._first: Stop | None = None  # once it is known

    def __repr__(self) -> str:
        return f"<Game {self.title} {self.settings}>"

    @property
    def title(self) -> str:
        return self.program.game

    @property
    def players(self) -> tuple[str, ...]:
        return self.program.players

    @property
    def settings(self) -> dict[str, str]:
        """Options, edition and readings, in the order of their declaration."""
        return dict(self.program.settings)

    @property
    def hash(self) -> str:
        """The same for the same rules under the same names, wherever written (kernel/hash.py)."""
        return self.machine.hash

    def initial(self, log: Log | None = None) -> State:
        """The first stop of a game; `log` takes up what the set-up writes.

        Raises FaultError if the set-up faults.
        """
        try:
            if log is not None:
                return State.at(self.machine, self.machine.begin(log))
            if self._first is None:
                self._first = self._keep(self.machine.begin)
            return State.at(self.machine, self._first)
        except Faulted as faulted:
            again = None if log is not None else partial(self.machine.begin, [])
            raise FaultError(self.program, faulted, again) from None

    def start_at(self, example: k.Example, log: Log | None = None) -> State:
        """The state in which an example begins; `log` takes up what is written on the way. Raises FaultError
        if the rules fault there, StateError if no play comes there like this.

        If the example names a decision at which nothing can be done, play goes on from there as always.
        """
        try:
            return State.at(self.machine, self._start(example, log))
        except Faulted as faulted:
            raise FaultError(self.program, faulted) from None

    def _start(self, example: k.Example, log: Log | None) -> Stop:
        if example.block >= 0:
            frame, block = self.machine.opening(log), example.block
        else:
            stop = self.machine.begin(log)
            frame, block = self.machine.frame(stop.block, stop.vars, stop.locals, log), stop.block
        self.machine.run(example.given, frame)
        for premise in example.premises:
            if not self.machine.evaluate(premise.test, frame):
                raise StateError(premise.message)
        return self.machine.advance(frame, block)

    def state(self, json: object) -> State:
        """The state that State.to_json wrote. Raises StateError for all else, other programs' states too."""
        if not isinstance(json, Mapping) or json.get("format") != FORMAT:
            raise StateError("this is no state of a game")
        if json.get("program") != self.hash:
            other = json.get("game")
            raise StateError(f"this state belongs to another program: {other}, under other rules or settings")
        block = self._block(json.get("at"))
        names = names_of_live(self.program, block)
        held = _exactly(json.get("vars"), [var.name for var in self.program.vars], "variables")
        bound = _exactly(json.get("locals"), names, "locals")
        cells, values = [], []
        try:
            for name, var in zip(held, self.program.vars, strict=True):
                cells.append(variable_from_json(self.program, var, held[name]))
            for name, local in zip(names, self.program.blocks[block].live, strict=True):
                info = self.program.locals[local]
                unset = bound[name] is None
                values.append(0 if unset else from_json(bound[name], info.type, info.texts))
        except Unreadable as problem:
            raise StateError(f"{name}: {problem}") from None
        return self._arrive(block, tuple(cells), tuple(values))

    def _block(self, name: object) -> int:
        for number, block in enumerate(self.program.blocks):
            if block.name == name and isinstance(block.exit, k.Decide | k.Chance | k.End):
                return number
        raise StateError(f"this game has no stop {name!r}")

    def _arrive(self, block: int, cells: tuple[Cells, ...], values: tuple[int, ...]) -> State:
        name = self.program.blocks[block].name
        try:
            stop = self.machine.advance(self.machine.frame(block, cells, values), block)
        except Faulted as faulted:
            raise StateError(f"play cannot stand at {name} so: {faulted.fault.message}") from None
        if stop.block != block:
            raise StateError(f"play cannot stand at {name} so: nothing can be done there")
        return State.at(self.machine, stop)


def _exactly(json: object, names: list[str], what: str) -> dict[str, Json]:
    """The mapping with its keys in the order of `names`, which are all it holds."""
    if not isinstance(json, Mapping):
        raise StateError(f"the {what} are missing")
    for name in names:
        if name not in json:
            raise StateError(f"{name} is missing among the {what}")
    for name in json:
        if name not in names:
            raise StateError(f"{name} is none of the {what}")
    return {name: cast(Json, json[name]) for name in names}
