"""Records of games: what was done, step by step, as texts that another program or a person can read."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

import msgspec
from kemu_grammar.source.versions import LANGUAGE, changed_since

from kemu_engine.play.game import Game, StateError
from kemu_engine.play.state import IllegalAction, State
from kemu_engine.support import whole_file

FORMAT: Literal["kemu-record"] = "kemu-record"
VERSION = 1


class RecordError(ValueError):
    """A file or record that cannot be used; the message says why, and for a step which."""


# The annotations of these classes are read by msgspec, so they are no texts that it would have to look up.


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action of `actor`, or an outcome of chance (actor None), as its text."""

    text: str
    actor: str | None = None


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A game, or its first steps. `program` is the program's hash; `start` the state it began from, as
    State.to_json writes it, None for the initial state; `note` is free text; `language` the version of the
    language under which it was made."""

    format: Literal["kemu-record"] = FORMAT
    version: int = VERSION
    game: str
    settings: dict[str, str]
    players: tuple[str, ...]
    program: str
    start: dict[str, Any] | None = None
    steps: tuple[Step, ...] = ()
    note: str = ""
    language: int = 1


def record(game: Game, steps: Iterable[Step], start: State | None = None, note: str = "") -> Record:
    """A record of steps in a game."""
    return Record(
        game=game.title,
        settings=game.settings,
        players=game.players,
        program=game.hash,
        start=None if start is None else start.to_json(),
        steps=tuple(steps),
        note=note,
        language=LANGUAGE,
    )


def step(state: State, text: str) -> Step:
    """The step that is made by an action or outcome in a state."""
    return Step(text, state.actor)


def save(record: Record, path: str | os.PathLike[str]) -> None:
    """Writes a record as JSON; the file is there whole or not at all. Raises OSError."""
    whole_file.write(Path(path), msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def load(path: str | os.PathLike[str], game: Game | None = None) -> Record:
    """Reads a record; with a game, one that belongs to it. Raises RecordError, or OSError if there is
    none."""
    data = Path(path).read_bytes()
    try:
        plain = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise RecordError(f"{path} is not JSON") from None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise RecordError(f"{path} is not a record of a game")
    if plain.get("version") != VERSION:
        version = plain.get("version")
        raise RecordError(f"{path} has version {version} of the format; this program reads {VERSION}")
    try:
        found = msgspec.convert(plain, Record)
    except msgspec.ValidationError as problem:
        raise RecordError(f"{path} is a damaged record: {problem}") from None
    if "steps" not in plain:
        raise RecordError(f"{path} is a damaged record: it has no steps")
    if game is not None:
        _belongs(game, found)
    return found


def _belongs(game: Game, record: Record) -> None:
    if record.program == game.hash:
        return
    if record.game != game.title:
        raise RecordError(f"this is a record of {record.game}, not of {game.title}")
    if record.players != game.players:
        raise RecordError(f"this game was played by {', '.join(record.players)}")
    if record.settings != game.settings:
        settings = ", ".join(f"{name}={value}" for name, value in record.settings.items())
        raise RecordError(f"this game was played with {settings}")
    changed = changed_since(record.language)
    told = f"; it was recorded under version {record.language} of the language: {changed}" if changed else ""
    raise RecordError(f"the rules of {game.title} have changed since this game was recorded{told}")


def replay(game: Game, record: Record) -> list[State]:
    """The states of a recorded game, from its start to after its last step.

    Raises RecordError if the record belongs to another program or a step is not possible, FaultError if the
    rules fault.
    """
    _belongs(game, record)
    try:
        states = [game.initial() if record.start is None else game.state(record.start)]
    except StateError as problem:
        raise RecordError(f"the start of this record cannot be used: {problem}") from None
    for number, each in enumerate(record.steps, 1):
        states.append(states[-1].follow(position(states[-1], each, number)))
    return states


def position(state: State, step: Step, number: int) -> int:
    """Where a step stands in state.moves(). Raises RecordError, which names the step by its number."""
    if step.actor is not None and step.actor != state.actor:
        whose = "the game is over" if state.is_end else f"it is the turn of {state.actor or 'chance'}"
        raise RecordError(f"step {number}, {step.text} by {step.actor}: {whose}")
    try:
        return state.index(step.text)
    except IllegalAction as problem:
        raise RecordError(f"step {number}: {problem}") from None
