"""What is claimed of a program, for somebody who makes the list of questions himself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from kemu_engine.kernel import nodes as k
from kemu_engine.play.steps import lines_of

Place = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Assertion:
    """An assertion of the rules, and the faults that are its failing."""

    name: str
    faults: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the rules, and the places of the statements and ends on it."""

    file: str
    line: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Untold:
    """A stop of which not everybody is told at once what was done there. `how`: of a decision "together" or
    "never", of an outcome "some", and then `players`, the set of those who are told."""

    block: int
    how: str
    players: k.Expr | None


@dataclass(frozen=True, slots=True)
class Claims:
    """What is claimed of a program, and what of its rules questions are about."""

    claimed: tuple[k.Property, ...]
    assertions: tuple[Assertion, ...]
    lines: tuple[Line, ...]
    untold: tuple[Untold, ...]


def claims(program: k.Program) -> Claims:
    """The claims, assertions and lines of a program."""
    asserted: dict[str, list[int]] = {}
    for number, fault in enumerate(program.faults):
        if fault.name:
            asserted.setdefault(fault.name, []).append(number)
    places: dict[int, list[Place]] = {}
    for origin, place in _placed(program):
        places.setdefault(origin, []).append(place)
    lines = (
        Line(PurePath(file).name, line, tuple(sorted(place for at in origins for place in places[at])))
        for (file, line), origins in lines_of(program).items()
    )
    assertions = (Assertion(name, tuple(faults)) for name, faults in asserted.items())
    return Claims(program.properties, tuple(assertions), tuple(lines), tuple(_untold(program)))


def _untold(program: k.Program) -> Iterator[Untold]:
    for number, block in enumerate(program.blocks):
        match block.exit:
            case k.Decide(told=told) if told != "at once":
                yield Untold(number, told, None)
            case k.Chance(told=players) if players is not None:
                yield Untold(number, "some", players)


def _placed(program: k.Program) -> Iterator[tuple[int, Place]]:
    """The statements and ends that have an origin, with their places."""
    for number, block in enumerate(program.blocks):
        yield from _within(block.code, (number,))
        if isinstance(block.exit, k.End) and block.exit.origin >= 0:
            yield block.exit.origin, (number,)


def _within(code: k.Code, place: Place) -> Iterator[tuple[int, Place]]:
    for at, statement in enumerate(code):
        here = (*place, at)
        if isinstance(statement, k.Assign | k.Writing) and statement.origin >= 0:
            yield statement.origin, here
        elif isinstance(statement, k.When):
            yield from _within(statement.then, (*here, 0))
            yield from _within(statement.other, (*here, 1))
        elif isinstance(statement, k.For | k.Loop):
            yield from _within(statement.body, here)
