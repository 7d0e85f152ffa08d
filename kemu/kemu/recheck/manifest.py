"""The manifest of a bundle: what it claims, and what stands behind each verdict. docs/evidence.md is its
account, docs/bundle.schema.json the same for machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from kemu.base.library import BadInput, shown

FORMAT: Literal["kemu-bundle"] = "kemu-bundle"
VERSION: Literal[2] = 2
NAME = "manifest.json"

Method = Literal["play", "exhaustive", "invariants", "ranking", "nothing hidden", "nothing claimed", "none"]


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """What stands behind a verdict, by `method`.

    play: `trace` (a record) and `itf` (the same in Apalache's format), files of the bundle. exhaustive: the
    number of `states` and a `digest` of them. invariants: `conditions` say that states or steps with the
    invariants of `sections` are never bad; ranking: that the `measures` fall; both rest on all conditions of
    their sections that show "keeps", "types" and "carried". none: nothing was written down, for this
    `reason`.
    """

    method: Method
    trace: str | None = None
    itf: str | None = None
    states: int | None = None
    digest: str | None = None
    measures: list[str] = []
    sections: list[str] = []
    conditions: list[str] = []
    reason: str = ""


class Verdict(msgspec.Struct, frozen=True):
    """A verdict as `kemu verify` gave it."""

    property: str
    standard: bool
    form: str
    verdict: str
    wanted: str
    by: str
    detail: str
    depth: int | None
    seconds: float
    assumptions: list[str]
    cites: list[str]
    place: str | None
    evidence: Evidence


class Condition(msgspec.Struct, frozen=True):
    """An SMT-LIB file, `conditions/NAME.smt2`, where the name begins with that of the section: "unsat"
    confirms it. `role` says what it shows, `confirmed` whether z3 confirmed it when it was written."""

    name: str
    words: str
    role: dict[str, Any]
    confirmed: bool


class Claimed(msgspec.Struct, frozen=True):
    """A claim of the author's that the `conditions` of a section show; `verdict` is what they call it."""

    verdict: str
    property: str
    form: str
    conditions: list[str]


class Section(msgspec.Struct, frozen=True):
    """Proofs on one reading of the program, which does not look at the variables that are `hidden`. `symbols`
    is the file that says what the symbols in its conditions stand for. `invariants`: by stop, in words.
    `shows`: the claims shown here (none in the section of the whole state, where verdicts alone name their
    conditions); `faults`: the faults, by their number in the program, that the conditions `avoids` exclude.
    """

    name: str
    words: str
    hidden: list[str]
    symbols: str
    conditions: list[Condition]
    invariants: dict[str, list[str]]
    shows: list[Claimed]
    faults: list[int]
    avoids: list[str]


class Made(msgspec.Struct, frozen=True):
    """With what the bundle was made."""

    kemu: str
    python: str
    z3: str
    seconds: float


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`program` is the hash of the program, and of the file program.txt; `claims` that of its properties.
    `rules` is the rules file, `library` the folder of what it uses. `sections`: each rests on those before it
    only. `files`: SHA-256 of every other file."""

    format: Literal["kemu-bundle"] = FORMAT
    version: Literal[2] = VERSION
    game: str
    settings: dict[str, str]
    players: list[str]
    program: str
    claims: str
    rules: str
    library: str
    made: Made
    verdicts: list[Verdict]
    sections: list[Section]
    files: dict[str, str]


def load(folder: Path) -> Manifest:
    """The manifest of the bundle in a folder. Raises BadInput."""
    path = folder / NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (FileNotFoundError, NotADirectoryError):
        raise BadInput(f"{shown(str(folder))} is not a bundle: it has no {NAME}") from None
    except OSError as error:
        raise BadInput(f"cannot read {shown(str(path))}: {error.strerror or error}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{shown(str(path))} is damaged: {error}") from error


def schema() -> dict[str, Any]:
    """The JSON Schema of a manifest."""
    return msgspec.json.schema(Manifest)
