"""States of a game: values that say who may do what, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal

from kemu_engine.interp.frame import Faulted, Log, TooMany
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import menu, seen, told
from kemu_engine.kernel.standing import Standing
from kemu_engine.kernel.stop import Choice, Stop
from kemu_engine.kernel.text import REVEAL, RUN, Json, as_json, canonical, names_of_live, variable_as_json
from kemu_engine.kernel.values import Cells, is_of
from kemu_engine.play.action import Action, near_misses
from kemu_engine.play.information import InformationState, Past, information, listeners, together

FORMAT = "kemu-state"


class FaultError(Exception):
    """The rules ran into a fault: `fault` (code and words), `index` in Program.faults (-1: the interpreter's
    own), and `origin`, the place in the rules file (None if it has none). `again`: what runs into it once
    more, in the interpreter, which knows the value that is at fault."""

    def __init__(
        self, program: k.Program, faulted: Faulted, again: Callable[[], object] | None = None
    ) -> None:
        fault = self.fault = faulted.fault
        self.index = faulted.index
        self.origin = program.origins[fault.origin] if fault.origin >= 0 else None
        self._offence, self._again = faulted.offence, again
        super().__init__(f"{fault.code}: {fault.message}")

    @property
    def message(self) -> str:
        """What went wrong, with the value that is at fault where that can be told."""
        return f"{self.fault.message}: {self.offence}" if self.offence else self.fault.message

    @property
    def offence(self) -> str:
        """The value that is at fault, in words; "" where it cannot be told."""
        if self._again is not None:
            self._offence, self._again = _offence(self._again), None
        return self._offence

    @property
    def code(self) -> str:
        """The kind of fault in a word: `stuck`, `out_of_range`."""
        return self.fault.code

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (self.fault, self.index, self.origin, self.offence)


def _offence(again: Callable[[], object]) -> str:
    try:
        again()
    except Faulted as faulted:
        return faulted.offence
    except (TooMany, RecursionError):
        return ""
    return ""


def _unpickled(fault: k.Fault, index: int, origin: k.Origin | None, offence: str) -> FaultError:
    error = FaultError.__new__(FaultError, f"{fault.code}: {fault.message}")
    error.fault, error.index, error.origin = fault, index, origin
    error._offence, error._again = offence, None
    return error


class IllegalAction(ValueError):
    """What was to be done is not possible in this state; the message is one sentence that names what is."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended. `places`: player to place, 1 is best, equals share the better place. `scores`:
    player to the keys that were compared, or the payoff (form "pays")."""

    form: Literal["win", "tie", "rank", "pays"]
    places: dict[str, int]
    scores: dict[str, tuple[int, ...]]

    @property
    def payoffs(self) -> dict[str, int]:
        """Player to payoff: what `end pays` gave; after another end, how many players are placed behind, less
        how many before. For two players that is 1 and -1, or 0 for a tie; the sum is 0 for any number.
        """
        if self.form == "pays":
            return {player: score[0] for player, score in self.scores.items()}
        places = self.places.values()
        return {player: sum((x > own) - (x < own) for x in places) for player, own in self.places.items()}

    @property
    def winners(self) -> tuple[str, ...]:
        return tuple(player for player, place in self.places.items() if place == 1)

    @property
    def winner(self) -> str | None:
        """The only player at place 1, if there is one."""
        return self.winners[0] if len(self.winners) == 1 else None


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A position: the stop at which play waits, the state variables, and the locals alive there.

    States of one program are equal if these three are; they can be keys of dictionaries. `vars` holds an
    integer or a tuple of integers for each of `program.vars`, `locals` the values of the block's live locals.
    """

    machine: Machine = field(repr=False)
    block: int
    vars: tuple[Cells, ...]
    locals: tuple[int, ...]
    choices: tuple[Choice, ...] = field(repr=False)  # follow from the rest, as does the player's index
    player: int = field(repr=False)
    past: Past | None = field(default=None, repr=False)
    """How play came here, as far as that is known: what players know depends on it, what can follow not."""

    @classmethod
    def at(cls, machine: Machine, stop: Stop, past: Past | None = None) -> State:
        return cls(machine, stop.block, stop.vars, stop.locals, stop.choices, stop.actor, past)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.vars == other.vars
            and self.block == other.block
            and self.locals == other.locals
            and (self.machine is other.machine or self.machine.hash == other.machine.hash)
        )

    def __hash__(self) -> int:
        return hash((self.block, self.vars, self.locals))

    # ---------------------------------------------------------------------------------------- where play is

    @property
    def program(self) -> k.Program:
        return self.machine.program

    @property
    def stop(self) -> k.Decide | k.Chance | k.End:
        """The exit at which play waits."""
        exit = self.program.blocks[self.block].exit
        assert isinstance(exit, k.Decide | k.Chance | k.End)
        return exit

    @property
    def is_end(self) -> bool:
        return isinstance(self.stop, k.End)

    @property
    def is_chance(self) -> bool:
        return isinstance(self.stop, k.Chance)

    @property
    def is_decision(self) -> bool:
        return isinstance(self.stop, k.Decide)

    @property
    def reveals(self) -> bool:
        """Whether a value is shown there: chance can bring nothing else."""
        stop = self.stop
        return isinstance(stop, k.Chance) and stop.label == REVEAL

    @property
    def starts_run(self) -> bool:
        """Whether the run of a rule is still to begin there."""
        stop = self.stop
        return isinstance(stop, k.Chance) and self.program.locals[stop.local].name == RUN

    @property
    def actor(self) -> str | None:
        """The player who decides; None at chance nodes and at the end."""
        return self.program.players[self.player] if self.player >= 0 else None

    @property
    def told_together(self) -> bool:
        """Whether what is chosen there is told when all who choose together have chosen."""
        stop = self.stop
        return isinstance(stop, k.Decide) and stop.told == "together"

    def together_with(self, later: State) -> bool:
        """Whether the next decision, at which play stands later, is made together with this one: the same, by
        a player who sits further on."""
        return together(self.program, stop_of(self), stop_of(later))

    @property
    def label(self) -> str:
        """What the stop is called: the decision's or chance node's label; "end"."""
        return "end" if isinstance(self.stop, k.End) else self.stop.label

    # ---------------------------------------------------------------------------------------- what can follow

    def actions(self) -> tuple[Action, ...]:
        """The legal actions at a decision: arms as written, the last parameter fastest; none elsewhere."""
        return self.moves() if self.is_decision else ()

    def outcomes(self) -> tuple[tuple[Action, int], ...]:
        """The outcomes at a chance node with their weights (positive integers); none elsewhere."""
        weights = (choice.weight for choice in self.choices)
        return tuple(zip(self.moves(), weights, strict=True)) if self.is_chance else ()

    def moves(self) -> tuple[Action, ...]:
        """What can come next, whoever chooses: the actions at a decision, the outcomes at a chance node."""
        domains, stop = self.program.domains, self.stop
        if isinstance(stop, k.Decide):
            menu = [(arm.name, [domains[param.domain].texts for param in arm.params]) for arm in stop.arms]
            return tuple(
                _worded(menu[choice.arm][0], tuple(map(_nth, menu[choice.arm][1], choice.values)))
                for choice in self.choices
            )
        if isinstance(stop, k.Chance):
            return tuple(_outcome(domains[stop.domain].texts[choice.values[0]]) for choice in self.choices)
        return ()

    def apply(self, action: Action | str) -> State:
        """The state after an action at a decision, an outcome at a chance node; this state stays as it is.

        Raises IllegalAction if it is not one of actions() or outcomes(), FaultError if the rules fault.
        """
        return self.follow(self.index(action))

    def index(self, action: Action | str) -> int:
        """Where an action or its text stands in actions() or outcomes(). An outcome may have the word of its
        stop before it, `roll 4`. Raises IllegalAction.
        """
        worded = self.moves()
        for at, each in enumerate(worded):
            if each is action:
                return at
        if action in worded:
            return worded.index(action)
        text, texts = str(action), [each.text for each in worded]
        if text in texts:
            return texts.index(text)
        possible = list(map(canonical, texts))
        wanted = canonical(text)
        if self.is_chance and wanted not in possible:
            wanted = canonical(text.strip().removeprefix(f"{self.label} "))
        if wanted in possible:
            return possible.index(wanted)
        if self.is_end:
            raise IllegalAction(f"{text}: the game is over")
        who = f"{self.actor} at {self.label}" if self.is_decision else f"chance at {self.label}"
        raise IllegalAction(f"{text} is not possible for {who}; {near_misses(text, possible)}")

    def follow(self, index: int, log: Log | None = None) -> State:
        """The state after the action or outcome at that index; `log` takes up what is written on the way.

        Raises FaultError if the rules fault.
        """
        here = stop_of(self)
        try:
            stop = self.machine.follow(here, self.choices[index], log)
        except Faulted as faulted:
            again = None if log is not None else partial(self.machine.follow, here, self.choices[index], [])
            raise FaultError(self.program, faulted, again) from None
        chosen = Stop(here.block, here.vars, here.locals, here.actor, (self.choices[index],))
        return State.at(self.machine, stop, Past(self.past, chosen))

    def go_on(self, standing: Standing) -> State:
        """Where one comes to if play goes on there as if it were over. Raises FaultError."""
        frame = self.machine.frame(self.block, self.vars, self.locals)
        for local, value in standing.least:
            if local not in self.program.blocks[self.block].live:
                frame.locals[local] = value
        try:
            stop = self.machine.advance(frame, standing.block)
        except Faulted as faulted:
            raise FaultError(self.program, faulted) from None
        return State.at(self.machine, stop)

    @property
    def result(self) -> Result | None:
        """How the game ended; None before the end."""
        stop, program = self.stop, self.program
        if not isinstance(stop, k.End):
            return None
        keys = self.vars[program.result]
        assert isinstance(keys, tuple)
        return result_of(program, self.block, keys)

    # ---------------------------------------------------------------------------------------- what it holds

    def evaluate(self, expr: k.Expr) -> int:
        """The value of a kernel expression here. Raises FaultError."""
        if isinstance(expr, k.Const):
            return int(expr.value)
        try:
            return self.machine.evaluate(expr, self.machine.frame(self.block, self.vars, self.locals))
        except Faulted as faulted:
            raise FaultError(self.program, faulted) from None

    @contextmanager
    def reading(self) -> Iterator[Callable[[k.Expr], int]]:
        """What gives the values of many expressions here. Its use raises FaultError."""
        try:
            with self.machine.reading(self.machine.frame(self.block, self.vars, self.locals)) as value:
                yield value
        except Faulted as faulted:
            raise FaultError(self.program, faulted) from None

    def value(self, name: str) -> Json:
        """A state variable in readable form: text, integer, truth, list (a set), or {label: such} (an array).

        Raises KeyError for a name that no variable has.
        """
        for var, cells in zip(self.program.vars, self.vars, strict=True):
            if var.name == name:
                return variable_as_json(self.program, var, cells)
        raise KeyError(f"no state variable is called {name}")

    def __getitem__(self, name: str) -> Json:
        return self.value(name)

    def observation(self, player: str | None) -> dict[str, Json]:
        """What a player (None: somebody who has no seat) sees now, as JSON: where play is, who decides among
        what, and the state variables of the rules file, "?" for what he does not see. Raises ValueError for a
        name that no player has.
        """
        names: list[Json] = list(menu(self.program, stop_of(self)))
        vars_: dict[str, Json] = seen(self.program, self.vars, self.seat(player))
        return {"at": self.label, "actor": self.actor, "menu": names, "vars": vars_}

    def information_state(self, player: str | None) -> InformationState:
        """All that a player (None: somebody who has no seat) has seen and was told, in order. It begins where
        the past of this state does: with the game, if it was played from there. Raises ValueError for a name
        that no player has.
        """
        known = information(self.machine, self.past, stop_of(self), self.seat(player))
        return InformationState(player, known)

    def told(self, index: int, player: str | None) -> str:
        """What a player (None: somebody who has no seat) is told of the action or outcome at that index as it
        comes: its text, or "?"."""
        stop = stop_of(self)
        heard = listeners(self.machine, stop)
        return told(self.program, stop, self.choices[index], self.seat(player), heard)

    def seat(self, player: str | None) -> int:
        """The number of a player; for None that after the last. Raises ValueError for a name that no player
        has."""
        if player is None:
            return len(self.program.players)
        if player not in self.program.players:
            raise ValueError(
                f"no player is called {player}; the players are {', '.join(self.program.players)}"
            )
        return self.program.players.index(player)

    def to_json(self) -> dict[str, Json]:
        """The whole state, for Game.state to read back: plain data that the json module writes."""
        return {
            "format": FORMAT,
            "game": self.program.game,
            "program": self.machine.hash,
            "at": self.program.blocks[self.block].name,
            "vars": self._vars(),
            "locals": self._locals(),
        }

    def _vars(self) -> dict[str, Json]:
        pairs = zip(self.program.vars, self.vars, strict=True)
        return {var.name: variable_as_json(self.program, var, cells) for var, cells in pairs}

    def _live(self) -> tuple[int, ...]:
        return self.program.blocks[self.block].live

    def _locals(self) -> dict[str, Json]:
        infos = [self.program.locals[local] for local in self._live()]
        values = [
            as_json(value, info.type, info.texts) if is_of(value, info.type) else None  # None: not set yet
            for value, info in zip(self.locals, infos, strict=True)
        ]
        return dict(zip(names_of_live(self.program, self.block), values, strict=True))


def result_of(program: k.Program, block: int, keys: tuple[int, ...]) -> Result:
    """How a game ended at the block of an End, with these values of the result variable."""
    stop, width = program.blocks[block].exit, program.width
    assert isinstance(stop, k.End)
    scores = {
        player: tuple(map(int, keys[at * width : (at + 1) * width]))
        for at, player in enumerate(program.players)
    }
    places = {player: 1 + sum(other > score for other in scores.values()) for player, score in scores.items()}
    return Result(stop.form, places, scores)


@lru_cache(1 << 16)
def _worded(name: str, args: tuple[str, ...]) -> Action:
    """An action; the same one again if it was made not long ago, which is found sooner among others."""
    return Action(name, tuple(filter(None, args)))


@lru_cache(1 << 14)
def _outcome(text: str) -> Action:
    return Action.parse(text)


def _nth(texts: tuple[str, ...], index: int) -> str:
    return texts[index]


def stop_of(state: State) -> Stop:
    """Where it waits."""
    return Stop(state.block, state.vars, state.locals, state.player, state.choices)
