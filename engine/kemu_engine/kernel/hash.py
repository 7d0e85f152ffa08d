"""The hash of a program: the same for programs of the same meaning, wherever and whenever it is computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from kemu_engine.kernel.nodes import Expr, Fault, Program
from kemu_engine.kernel.sight import partly_told
from kemu_engine.kernel.snapshots import Snapshots

BESIDE_THE_MEANING = {"origin", "origins", "sources", "properties", "examples", "views", "told", "conditions"}
"""Fields that say where something is written, what is claimed or how it is shown; not how it is played."""


def program_hash(program: Program) -> str:
    """SHA-256 in hexadecimal of all that play, and what players know of it, depends on: title, settings,
    players, layout, code, names and texts; who sees what, and who is told what.

    Places in rules files, the words of fault messages, properties, examples and views do not count. What only
    these need in the program does: locals, functions, codes of faults.
    """
    told = canonical(untold(program)) if untold(program) else ""
    return hashlib.sha256((canonical(program) + told).encode()).hexdigest()


def untold(program: Program) -> tuple[tuple[int, Expr | str | None], ...]:
    """Who is told of what is chosen or drawn, by the blocks where that is not everybody at once."""
    exits = ((number, block.exit) for number, block in enumerate(program.blocks))
    return tuple((number, exit.told) for number, exit in exits if partly_told(exit))


def canonical(value: object) -> str:
    """The same text for two values only if they are the same; of a program, what its hash is the hash of."""
    return "".join(pieces(value))


def pieces(value: object) -> Iterator[str]:
    """A text, piece by piece, that is the same for two values only if they are the same."""
    waiting = [value]  # the next one last; values nest deep, so this is no recursion
    while waiting:
        item = waiting.pop()
        kind: Any = type(item)
        if isinstance(item, _Mark):
            yield item
        elif isinstance(item, Fault):
            yield f"Fault {json.dumps(item.code)},"
        elif (names := _names(kind)) is not None:
            yield kind.__name__ + "("
            waiting += [_Mark("),"), *(getattr(item, name) for name in reversed(names))]
        elif isinstance(item, tuple):
            yield "["
            waiting += [_Mark("],"), *reversed(item)]
        elif isinstance(item, str):
            yield json.dumps(item) + ","
        elif isinstance(item, int):
            yield f"{item:x},"  # hexadecimal: of any length
        elif isinstance(item, Snapshots):
            yield f"Snapshots {len(item):x},"
        elif item is None:
            yield "-,"
        else:
            raise TypeError(f"a program holds no {type(item).__name__}")


@cache
def _names(kind: Any) -> tuple[str, ...] | None:
    """The fields of a dataclass that count; None for what is none."""
    if not is_dataclass(kind):
        return None
    return tuple(each.name for each in fields(kind) if each.name not in BESIDE_THE_MEANING)


class _Mark(str):
    """A sign between the pieces."""

    __slots__ = ()
