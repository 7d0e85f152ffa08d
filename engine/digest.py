"""The hash of a program: the same for programs of the same meaning, wherever and whenever it is computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from engine.kernel import Fault, Program

BESIDE_THE_MEANING = {"origin", "origins", "sources", "properties", "examples", "views"}
"""Fields that say where something is written, what is claimed or how it is drawn; not how it is played."""


def program_hash(program: Program) -> str:
    """SHA-256, in hex, of all that play depends on: title, settings, players, layout, code, names, texts.

    Places in rules files, the words of fault messages, properties, examples and views do not count.
    """
    digest = hashlib.sha256()
    for piece in pieces(program):
        digest.update(piece.encode())
    return digest.hexdigest()


def pieces(value: object) -> Iterator[str]:
    """A text, piece by piece, that is the same for two values only if they are the same."""
    if isinstance(value, Fault):
        yield f"Fault {json.dumps(value.code)},"
    elif is_dataclass(value):
        yield type(value).__name__ + "("
        for field in fields(value):
            if field.name not in BESIDE_THE_MEANING:
                yield from pieces(getattr(value, field.name))
        yield "),"
    elif isinstance(value, tuple):
        yield "["
        for item in value:
            yield from pieces(item)
        yield "],"
    elif isinstance(value, str):
        yield json.dumps(value) + ","
    elif isinstance(value, int):
        yield f"{int(value)},"
    elif value is None:
        yield "-,"
    else:
        raise TypeError(f"a program holds no {type(value).__name__}")
