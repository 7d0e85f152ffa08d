"""Saved games and traces: a record of play, with where its rules are and who sat at the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from kemu_engine.play import record

from kemu.base.library import BadInput, shown


class Saved(record.Record, frozen=True, kw_only=True):
    """`rules`: the name of a game, or the path of its rules file. `seats`: player to "human" or a kind of bot
    (bots/named.py); `seed` is what chance and the bots draw from. A trace that nobody played has neither
    seats nor seed."""

    rules: str
    seats: dict[str, str] = msgspec.field(default_factory=dict)
    seed: int = 0


def saved(kept: record.Record, rules: str, seats: Mapping[str, str] | None = None, seed: int = 0) -> Saved:
    """A record with what else is to be saved."""
    return Saved(**msgspec.structs.asdict(kept), rules=rules, seats=dict(seats or {}), seed=seed)


def save(what: Saved, path: Path) -> None:
    """Writes the file, whole or not at all. Raises BadInput."""
    try:
        record.save(what, path)
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(path))}: {error.strerror or error}") from error


def text(what: Saved) -> str:
    """What would stand in the file."""
    return msgspec.json.format(msgspec.json.encode(what), indent=2).decode() + "\n"


def load(path: Path) -> Saved:
    """Reads a saved game, or a bare record (then `rules` is the game's title). Raises BadInput."""
    try:
        kept = record.load(path)
        return msgspec.convert({"rules": kept.game, **msgspec.json.decode(path.read_bytes())}, Saved)
    except OSError as error:
        raise BadInput(f"cannot read {shown(str(path))}: {error.strerror or error}") from error
    except RecursionError as error:
        raise BadInput(f"{shown(str(path))} is not a record of a game") from error
    except record.RecordError as error:
        raise BadInput(str(error)) from error
    except msgspec.ValidationError as error:
        raise BadInput(f"{shown(str(path))} is a damaged saved game: {error}") from error
