"""Whose a thing is that a view shows: the player whom what it reads of the state names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass

from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import FaultError
from kemu_engine.play.view import Value


def owner(program: k.Program, value: Value, read: Iterable[k.Load | k.At]) -> str | None:
    """The one player to whom all belongs that a glyph depends on; None if there are more, or none.
    `read`: what it reads; `value`: of expressions in a state."""
    found = {whose for each in read if (whose := _owner(program, value, each)) is not None}
    return found.pop() if len(found) == 1 else None


def _owner(program: k.Program, value: Value, read: k.Load | k.At) -> str | None:
    """The player whom the value of a variable names, or, if there is something, the name of its place."""
    var, players = program.vars[read.var], program.players
    if not isinstance(read.type, k.Int):
        return None
    try:
        held = value(read)
        place = var.labels[value(read.index)] if isinstance(read, k.At) and var.labels else ""
    except (FaultError, Faulted):
        return None
    text = var.texts[held - read.type.low] if var.texts else ""
    return _one(text, players) or (_one(place, players) if held and text != "none" else None)


def _one(text: str, players: Sequence[str]) -> str | None:
    found = {word for word in re.findall(r"\w+", text) if word in players}
    return found.pop() if len(found) == 1 else None


def reads(node: object) -> Iterator[k.Load | k.At]:
    """The readings of state in an expression that need no local: none inside of functions and loops."""
    if isinstance(node, k.Load) or (isinstance(node, k.At) and not _has_local(node.index)):
        yield node
    elif isinstance(node, tuple):
        for item in node:
            yield from reads(item)
    elif is_dataclass(node) and not isinstance(node, k.Call):
        for field in fields(node):
            yield from reads(getattr(node, field.name))


def _has_local(node: object) -> bool:
    if isinstance(node, tuple):
        return any(map(_has_local, node))
    if isinstance(node, k.Local):
        return True
    return is_dataclass(node) and any(_has_local(getattr(node, field.name)) for field in fields(node))
