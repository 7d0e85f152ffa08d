"""Plays with known values: positions, steps, and records replayed."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kemu_checker.machine import Machine, Run, Way
from kemu_checker.state import MALFORMED, Malformed, State
from kemu_checker.statements import Place
from kemu_checker.text import Node


class BadPlay(ValueError):
    """The play is not one of this program; the message says at which step."""


@dataclass(frozen=True, slots=True)
class Landing:
    """What a step comes to: a position, or a fault; and the places that it carried out."""

    position: "Position | None"
    fault: int | None
    places: frozenset[Place]


@dataclass(frozen=True)
class Position:
    """A state at a stop."""

    machine: Machine = field(repr=False)
    block: int
    state: State = field(repr=False)

    @cached_property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal states."""
        live = self.machine.blocks[self.block].fields[2]
        variables = (frozen(value) for value in self.state.vars)
        return (self.block, *(self.state.locals[local] for local in live), *variables)

    def again(self, first: "Position") -> bool:
        """Whether it is an earlier state, as far as that has values. What was not set there was not read
        from there on before it was set; so play goes on from here as it did from there, and comes here."""
        if self.block != first.block:
            return False
        pairs = zip(self.key, first.key, strict=True)
        return all(old is None or now == old for now, old in pairs)

    @cached_property
    def ways(self) -> list[Way]:
        """The legal actions, or the outcomes, in order."""
        return list(self.machine.ways(self.block, self.machine.at_stop(self.block, self.state)))

    @property
    def exit(self) -> Node:
        """What kind of stop it is."""
        return self.machine.exit(self.block)

    def step(self, way: Way) -> Landing:
        """What follows."""
        return landing(self.machine, self.machine.take(self.block, self.state, way))

    def actor(self) -> int | None:
        """Who is to act at a decision."""
        if self.exit.kind != "Decide":
            return None
        look = self.machine.at_stop(self.block, self.state)
        actor = self.machine.code.expressions.make(self.exit.fields[1])(look)
        return actor if type(actor) is int else None

    def text(self, way: Way) -> str:
        """An action or an outcome in words."""
        domains = self.machine.program.fields[6]
        if self.exit.kind == "Chance":
            return _word(domains[self.exit.fields[3]], way.arguments[0])
        arm = self.exit.fields[2][way.arm]
        pairs = zip(arm.fields[1], way.arguments, strict=True)
        words = [_word(domains[param.fields[4]], n) for param, n in pairs]
        return f"{arm.fields[0]}({', '.join(filter(None, words))})" if any(words) else arm.fields[0]


def _word(domain: Node, index: int) -> str:
    texts = domain.fields[1]
    if not 0 <= index < len(texts):
        raise Malformed("a domain has no text for an argument")
    return str(texts[index])


def frozen(value: Any) -> Any:
    if type(value) is list:
        return tuple(value)
    return frozenset(value.items()) if type(value) is dict else value


def landing(machine: Machine, run: Run) -> Landing:
    """A run with known values, as what it came to."""
    places = frozenset(place for _, place in run.hits)
    if run.faults:
        fault = run.faults[0][1]
        if fault == MALFORMED:
            raise Malformed("a value or an index is out of its type")
        return Landing(None, fault, places)
    ((block, state),) = run.stops.items()
    return Landing(Position(machine, block, state), None, places)


def replay(machine: Machine, record: Any) -> list[Landing]:
    """Where a record comes to, step by step; the opening first."""
    return played(machine, record)[0]


def played(machine: Machine, record: Any, begin: Landing | None = None) -> tuple[list[Landing], list[Way]]:
    """Where a record comes to, the opening (or where it begins) first, and the ways taken."""
    steps = record.get("steps") if isinstance(record, dict) else None
    if not isinstance(steps, list):
        raise BadPlay("this is no record")
    found, taken = [begin or landing(machine, machine.begin())], list[Way]()
    for number, step in enumerate(steps, 1):
        position = found[-1].position
        text = step.get("text") if isinstance(step, dict) else None
        if position is None or not isinstance(text, str):
            raise BadPlay(f"step {number}: there is no such step")
        wanted = plain(text)
        way = next((way for way in position.ways if plain(position.text(way)) == wanted), None)
        if way is None:
            raise BadPlay(f"step {number}: {text} is not possible")
        actor, said = position.actor(), step.get("actor")
        if said is not None and (actor is None or machine.program.fields[2][actor] != said):
            raise BadPlay(f"step {number}: it is not for {said} to act")
        found.append(position.step(way))
        taken.append(way)
    return found, taken


def plain(text: str) -> str:
    """The text without blanks that do not count."""
    return re.sub(r"(?<=\w)\s+(?=\w)|\s+", lambda match: " " if _between(match) else "", text)


def _between(match: re.Match[str]) -> bool:
    whole, (first, last) = match.string, match.span()
    return first > 0 and last < len(whole) and whole[first - 1].isalnum() and whole[last].isalnum()
