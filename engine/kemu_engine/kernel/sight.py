"""Who sees what: which elements of the state a player may see, and what he is told of what is done.

Players are numbered; the number after the last is somebody who watches and has no seat.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeGuard

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Choice, Stop
from kemu_engine.kernel.text import UNSEEN, Json, as_text, place, variable_as_json
from kemu_engine.kernel.values import Cells


def sees(var: k.Var, element: int, seer: int) -> bool:
    """Whether he may see an element of a variable of the rules file."""
    return var.seen is None or bool(var.seen[element] >> seer & 1)


def secret(program: k.Program) -> bool:
    """Whether there is anything that somebody does not see or is not told."""
    exits = (block.exit for block in program.blocks)
    return any(var.seen is not None for var in program.vars) or any(map(partly_told, exits))


def partly_told(exit: k.Exit) -> TypeGuard[k.Decide | k.Chance]:
    """Whether not everybody is told at once what was done at this stop."""
    return (isinstance(exit, k.Decide) and exit.told != "at once") or (
        isinstance(exit, k.Chance) and exit.told is not None
    )


def on_the_table(program: k.Program) -> Iterator[tuple[int, k.Var]]:
    """The state variables of the rules file, which players see or do not; not what the rules are worked out
    with, nor the result."""
    for number, var in enumerate(program.vars):
        if not var.local and number != program.result:
            yield number, var


def seen(program: k.Program, vars: tuple[Cells, ...], seer: int) -> dict[str, Json]:
    """The state variables as he sees them, `?` for what he does not."""
    return {var.name: variable_as_json(program, var, vars[at], seer) for at, var in on_the_table(program)}


def changes(
    program: k.Program, before: tuple[Cells, ...], after: tuple[Cells, ...], seer: int
) -> Iterator[tuple[str, str]]:
    """What he sees to have changed: `hand[ann]`, `ace`. Histories follow from the rest."""
    for at, var in on_the_table(program):
        old, new = before[at], after[at]
        if old is new or isinstance(var.type, k.History):
            continue
        if not isinstance(new, tuple) or not isinstance(old, tuple):
            if old != new and sees(var, 0, seer):
                yield var.name, as_text(new, var.type, var.texts)  # type: ignore[arg-type]
            continue
        for element, (one, other) in enumerate(zip(old, new, strict=True)):
            if one != other and sees(var, element, seer):
                yield place(var, element), as_text(other, var.type, var.texts)


def results(program: k.Program, stop: Stop) -> Iterator[tuple[str, str]]:
    """How players are ranked at an end: `result[ann]`, `-1`."""
    if isinstance(program.blocks[stop.block].exit, k.End):
        keys, width = stop.vars[program.result], program.width
        assert isinstance(keys, tuple)
        for at, player in enumerate(program.players):
            yield f"result[{player}]", ", ".join(map(str, keys[at * width : (at + 1) * width]))


def menu(program: k.Program, stop: Stop) -> tuple[str, ...]:
    """The names of the actions among which somebody decides there."""
    exit = program.blocks[stop.block].exit
    return names(exit) if isinstance(exit, k.Decide) else ()


def called(actions: Iterable[str]) -> str:
    """What a decision among actions of these names is called, which tells no more than the names do."""
    named = tuple(dict.fromkeys(actions))
    return named[0] if len(named) == 1 else "choose"


def names(decide: k.Decide) -> tuple[str, ...]:
    """The names of the actions that there are at a decision, each once."""
    return tuple(dict.fromkeys(arm.name for arm in decide.arms))


def written(program: k.Program, stop: Stop, choice: Choice) -> str:
    """The text of an action or outcome."""
    exit = program.blocks[stop.block].exit
    if isinstance(exit, k.Decide):
        arm = exit.arms[choice.arm]
        texts = [
            program.domains[param.domain].texts[value]
            for param, value in zip(arm.params, choice.values, strict=True)
        ]
        args = ", ".join(filter(None, texts))
        return f"{arm.name}({args})" if args else arm.name
    assert isinstance(exit, k.Chance)
    return program.domains[exit.domain].texts[choice.values[0]]


def told(program: k.Program, stop: Stop, choice: Choice, seer: int, listeners: int | None) -> str:
    """What he is told of an action or outcome as it comes: its text, or `?`. `listeners`: the mask of those
    who are told of an outcome, None for all."""
    exit = program.blocks[stop.block].exit
    if isinstance(exit, k.Decide):
        heard = exit.told == "at once" or stop.actor == seer
    else:
        heard = listeners is None or bool(listeners >> seer & 1)
    return written(program, stop, choice) if heard else UNSEEN
