"""What a player knows: all that he has seen and was told, in order, which two plays may share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import changes, menu, results, told, written
from kemu_engine.kernel.stop import Stop
from kemu_engine.kernel.text import Json


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A stop as a player sees it. `heard`: what was chosen together before, and is told now (player, text);
    `sees`: what has changed since the stop before (at first: from how games begin); `done`: what he is told
    of what was done here, None where play waits; `result`: how the players are ranked at an end.
    """

    at: str
    actor: str | None
    menu: tuple[str, ...]
    heard: tuple[tuple[str, str], ...] = ()
    sees: tuple[tuple[str, str], ...] = ()
    done: str | None = None
    result: tuple[tuple[str, str], ...] = ()

    @property
    def before(self) -> tuple[object, ...]:
        """What he knows of it before anybody is asked, and the cards are turned up."""
        return self.heard, self.sees

    def as_json(self) -> dict[str, Json]:
        shown: dict[str, Json] = {"at": self.at, "actor": self.actor, "menu": list(self.menu)}
        if self.heard:
            shown["heard"] = [list(each) for each in self.heard]
        shown["sees"] = dict(self.sees)
        if self.result:
            shown["result"] = dict(self.result)
        return shown if self.done is None else {**shown, "done": self.done}

    def lines(self) -> list[str]:
        """`ben chose bid(2)`, `card[ann] = 3`, `ann of check | bet: check`."""
        who = f"{self.actor} of {' | '.join(self.menu)}" if self.actor else self.at
        return [
            *(f"{player} chose {text}" for player, text in self.heard),
            *(f"{name} = {value}" for name, value in self.sees),
            who if self.done is None else f"{who}: {self.done}",
            *(f"{name} = {value}" for name, value in self.result),
        ]


@dataclass(frozen=True, slots=True)
class InformationState:
    """All that a player has seen and was told, in order, one Glimpse for each stop; where play waits is the
    last. Two plays that give equal ones cannot be told apart by him. `player` is None for somebody who has no
    seat."""

    player: str | None
    stops: tuple[Glimpse, ...]

    def __str__(self) -> str:
        return "\n".join(line for stop in self.stops for line in stop.lines())

    def to_json(self) -> list[dict[str, Json]]:
        """The stops as plain data, which the json module writes."""
        return [stop.as_json() for stop in self.stops]


@dataclass(frozen=True, slots=True)
class Past:
    """The way to a state: the stop before it, whose one choice is the one that was made, and the way to that.
    `known` is what has been worked out of it, by players."""

    before: Past | None
    stop: Stop
    known: dict[int, tuple[Glimpse, ...]] = field(default_factory=dict, compare=False, repr=False)

    def stops(self) -> list[Stop]:
        """All stops of the way, the first one first."""
        found, at = list[Stop](), self
        while True:
            found.append(at.stop)
            if at.before is None:
                return found[::-1]
            at = at.before


def information(machine: Machine, past: Past | None, stop: Stop, seer: int) -> tuple[Glimpse, ...]:
    """What a player knows at a stop, to which this is the way."""
    waiting: list[Past] = []
    at = past
    while at is not None and seer not in at.known:
        waiting.append(at)
        at = at.before
    for each in reversed(waiting):
        earlier = () if each.before is None else each.before.known[seer]
        (choice,) = each.stop.choices
        done = told(machine.program, each.stop, choice, seer, listeners(machine, each.stop))
        each.known[seer] = (*earlier, glimpse(machine, each.before, each.stop, seer, done))
    return (*(() if past is None else past.known[seer]), glimpse(machine, past, stop, seer, None))


def way(stops: Sequence[Stop]) -> Past | None:
    """The way through these stops."""
    past: Past | None = None
    for stop in stops:
        past = Past(past, stop)
    return past


def listeners(machine: Machine, stop: Stop) -> int | None:
    """The mask of the players who are told an outcome there; None: all."""
    exit = machine.program.blocks[stop.block].exit
    if not isinstance(exit, k.Chance) or exit.told is None:
        return None
    return machine.evaluate(exit.told, machine.frame(stop.block, stop.vars, stop.locals))


def together(program: k.Program, stop: Stop, later: Stop) -> bool:
    """Whether the next decision is made together with this one: the same, by a player who sits further on."""
    return _sealed_for_now(program, stop) and stop.block == later.block and stop.actor < later.actor


def glimpse(machine: Machine, past: Past | None, stop: Stop, seer: int, done: str | None) -> Glimpse:
    """What a player sees at a stop, to which this is the way. `done`: what he is told of what was done there;
    None if play waits."""
    program = machine.program
    before = tuple(var.initial for var in program.vars) if past is None else past.stop.vars
    exit = program.blocks[stop.block].exit
    return Glimpse(
        exit.label if isinstance(exit, k.Decide | k.Chance) else "end",
        program.players[stop.actor] if stop.actor >= 0 else None,
        menu(program, stop),
        _heard(machine, past, stop, seer),
        tuple(changes(program, before, stop.vars, seer)),
        done,
        tuple(results(program, stop)),
    )


def _heard(machine: Machine, past: Past | None, stop: Stop, seer: int) -> tuple[tuple[str, str], ...]:
    """What others chose together before this stop, once all have chosen."""
    program, found, later = machine.program, list[tuple[str, str]](), stop
    if past is None or not _sealed_for_now(program, past.stop) or together(program, past.stop, stop):
        return ()
    for made in reversed(past.stops()):
        if later is not stop and not together(program, made, later):
            break
        if made.actor != seer:
            found.append((program.players[made.actor], written(program, made, made.choices[0])))
        later = made
    return tuple(reversed(found))


def _sealed_for_now(program: k.Program, stop: Stop) -> bool:
    """Whether what is chosen there is told when all have chosen."""
    exit = program.blocks[stop.block].exit
    return isinstance(exit, k.Decide) and exit.told == "together"
