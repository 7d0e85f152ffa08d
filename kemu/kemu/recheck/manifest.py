"""The manifest of a bundle: what it answers, and what stands behind each answer. docs/evidence.md is its
account, docs/bundle.schema.json the same for machines."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from kemu.base.library import BadInput, shown

FORMAT: Literal["kemu-bundle"] = "kemu-bundle"
VERSION: Literal[5] = 5
NAME = "manifest.json"


class _Evidence(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """What stands behind an answer, by its `kind`."""


class Play(_Evidence, frozen=True, tag="play"):
    """`trace`: a record, a file of the bundle; `loop`: the step after which the state is the last state (0:
    the opening); `around`: how many states have to be looked at, from the last one on or from the one after
    so many steps (`since`). `state`: of a rule by itself, the values of all variables where it begins."""

    trace: str
    loop: int | None = None
    around: int | None = None
    state: list[int | list[int]] | None = None
    since: int | None = None


class AllStates(_Evidence, frozen=True, tag="all states"):
    """`number`: the greatest value, where that is asked for."""

    number: int | None = None


class Excluded(_Evidence, frozen=True, tag="excluded"):
    """`proofs`: names of inductions."""

    proofs: list[str]


class Laps(_Evidence, frozen=True, tag="laps"):
    """Of the program with loops cut. `cuts`: the blocks at which play stops, `proofs`: names of inductions,
    `ranking`: the name of a ranking from lap to lap, where it is asked whether loops end. `opened`: loops in
    the code of blocks (block, place) that become blocks before."""

    cuts: list[int]
    proofs: list[str]
    ranking: str | None = None
    opened: list[list[int]] = []


class Ranked(_Evidence, frozen=True, tag="ranking"):
    """`proofs`: names of inductions; `ranking`: the name of a ranking."""

    proofs: list[str]
    ranking: str


class Value(_Evidence, frozen=True, tag="value"):
    """The greatest value is `number`: `trace` shows it, `proofs` exclude a greater one."""

    number: int
    trace: str
    proofs: list[str]


class Steps(_Evidence, frozen=True, tag="steps"):
    """It is not met in so many `steps` from the opening; and where play may go on, nor after so many steps
    in which it is not met, as the inductions named in `proofs` say."""

    proofs: list[str]
    steps: int


class NothingHidden(_Evidence, frozen=True, tag="nothing hidden"):
    """All see everything."""


class TwoPlays(_Evidence, frozen=True, tag="two plays"):
    """`traces`: two records, which look alike to the player of the number `seer` (from 0 on; the one after
    the last is somebody without a seat)."""

    traces: list[str]
    seer: int


class AllPlays(_Evidence, frozen=True, tag="all plays"):
    """All plays that look alike are gone through."""


class Flow(_Evidence, frozen=True, tag="flow"):
    """Nothing that can be seen depends on a secret, as the program's text shows."""


class TwoStates(_Evidence, frozen=True, tag="two states"):
    """`proofs`: names of inductions, of both of any two states that look alike."""

    proofs: list[str]


class Nothing(_Evidence, frozen=True, tag="none"):
    """Nothing is written down, for this `reason`."""

    reason: str


Compared = TwoPlays | AllPlays | Flow | TwoStates
Evidence = Play | AllStates | Excluded | Steps | Laps | Ranked | Value | NothingHidden | Compared | Nothing


class Said(msgspec.Struct, frozen=True):
    """What the prover says besides, which nobody checks."""

    property: str
    standard: bool
    form: str
    wanted: str
    by: str
    detail: str
    depth: int | None
    seconds: float
    assumptions: list[str]
    cites: list[str]
    place: str | None


class Answer(msgspec.Struct, frozen=True):
    """The `verdict` on the question that has this `key`."""

    key: str
    verdict: str
    evidence: Evidence
    said: Said


class Made(msgspec.Struct, frozen=True):
    """With what the bundle was made."""

    kemu: str
    python: str
    z3: str
    seconds: float


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """`rules` is the rules file, `library` the folder of what it uses. `proofs`: the names of the proofs,
    `proofs/NAME.txt`, each after those that it uses. `files`: SHA-256 of every other file."""

    format: Literal["kemu-bundle"] = FORMAT
    version: Literal[5] = VERSION
    game: str
    settings: dict[str, str]
    players: list[str]
    rules: str
    library: str
    made: Made
    answers: list[Answer]
    proofs: list[str]
    files: dict[str, str]


class _Versioned(msgspec.Struct):
    version: int


def seek(folder: Path) -> None:
    """Raises BadInput if a folder has no manifest, so that it is no bundle."""
    if not (folder / NAME).exists():
        raise BadInput(f"{shown(str(folder))} is not a bundle: it has no {NAME}")


def load(folder: Path) -> Manifest:
    """The manifest of the bundle in a folder. Raises BadInput."""
    seek(folder)
    path = folder / NAME
    try:
        written = path.read_bytes()
    except OSError as error:
        raise BadInput(f"cannot read {shown(str(path))}: {error.strerror or error}") from error
    try:
        version = msgspec.json.decode(written, type=_Versioned).version
        if version != VERSION:
            raise BadInput(
                f"{shown(str(folder))} is a bundle of version {version}, and this is for version {VERSION}: "
                "write it anew with `kemu verify --bundle`"
            )
        return msgspec.json.decode(written, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"{shown(str(path))} is damaged: {error}") from error


def schema() -> dict[str, Any]:
    """The JSON Schema of a manifest; its descriptions are the docstrings, each on one line."""
    whole = msgspec.json.schema(Manifest)
    for part in whole["$defs"].values():
        if "description" in part:
            part["description"] = " ".join(part["description"].split())
    return whole
