"""The rules in a bundle, compiled anew: it is their program and claims that are checked."""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.lower.instantiate import instantiate
from kemu_grammar.game.game import read

from kemu.recheck.manifest import NAME, Manifest

LONGEST = 200  # characters of what somebody else wrote
LARGEST, ALL = 200_000_000, 2_000_000_000  # bytes of a file, as for the checker, and of all together


class Wrong(Exception):
    """Something in the bundle does not hold; the message says what."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """The rules of a bundle as a program; `models`: which of its settings are of the file of proofs, so that
    it may be another game than that of the rules file."""

    program: k.Program
    models: frozenset[str]


def program_of(folder: Path, manifest: Manifest) -> k.Program:
    """The rules of a bundle as a program. Raises Wrong."""
    return compiled(folder, manifest).program


def compiled(folder: Path, manifest: Manifest) -> Compiled:
    """The rules of a bundle, compiled. Raises Wrong."""
    main, library = folder / manifest.rules, folder / manifest.library
    try:
        if not all(path.resolve().is_relative_to(folder.resolve()) for path in (main, library)):
            raise ValueError("they lie outside the bundle")
        rules = read(main, library)
        given = manifest.settings.items()
        options: dict[str, Any] = {name: _plain(value) for name, value in given if name in rules.options}
        program = instantiate(rules, options, len(manifest.players))
        beside = {name for name, option in rules.options.items() if option.span.file == rules.proofs}
        return Compiled(program, frozenset(beside & dict(program.settings).keys()))
    except Exception as error:  # whatever is wrong with rules that somebody else wrote
        raise Wrong(f"the rules cannot be compiled: {' '.join(str(error).split())[:200]}") from None


def _plain(value: str) -> str | int | bool:
    """A setting as options take it."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.removeprefix("-").isdigit() else value


def subject(found: Compiled) -> str:
    """On one line what it is that is confirmed: the game, its players and settings, the program's hash."""
    program = found.program
    models = [f"{name}={value}" for name, value in program.settings if name in found.models]
    others = [f"{name}={value}" for name, value in program.settings if name not in found.models]
    parts = [
        f"{shown(program.game)} for {', '.join(program.players)}",
        *([", ".join(others)] if others else []),
    ]
    if models:
        parts.append(f"in the file of proofs' own model {', '.join(models)}, which may change rules")
    return printable("; ".join([*parts, f"program {program_hash(program)}"]))


def printable(line: str) -> str:
    """A line that stays one, whatever stands in it."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in line)


def renamed(program: k.Program, manifest: Manifest) -> list[str]:
    """What the manifest calls by another name than the rules do."""
    said = {
        "game": (manifest.game, program.game),
        "settings": (manifest.settings, dict(program.settings)),
        "players": (manifest.players, list(program.players)),
    }
    return [
        f"the manifest speaks of the {name} {shown(one)}, its rules of {shown(other)}"
        for name, (one, other) in said.items()
        if one != other
    ]


def shown(item: Any) -> str:
    """A thing that somebody else wrote, on one line."""
    return ascii(item) if len(ascii(item)) < LONGEST else f"{ascii(item)[:LONGEST]}..."


def files_of(folder: Path) -> list[Path]:
    """The files in a folder. Raises Wrong if there is anything else, such as a link or a pipe (what is read
    there is not the bundle's, or never ends), or if what it holds is too large."""
    found, size = [], 0
    for above, folders, names in os.walk(folder):
        strange = [Path(above) / name for name in folders if (Path(above) / name).is_symlink()]
        for path in (*strange, *(Path(above) / name for name in names)):
            name, about = shown(path.relative_to(folder).as_posix()), path.lstat()
            if not stat.S_ISREG(about.st_mode):
                raise Wrong(f"{name} is neither a file nor a folder")
            size += about.st_size
            if about.st_size > LARGEST or size > ALL:
                raise Wrong(f"{name} is too large")
            found.append(path)
    return sorted(found)


def altered(folder: Path, manifest: Manifest) -> list[str]:
    """What is not as the manifest says: files that are missing, that were changed, or that nobody listed."""
    found = {path.relative_to(folder).as_posix() for path in files_of(folder)} - {NAME}
    told = [f"{name} is missing" for name in sorted(set(manifest.files) - found)]
    told += [f"{name} does not belong to the bundle" for name in sorted(found - set(manifest.files))]
    for name in sorted(found & set(manifest.files)):
        with (folder / name).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != manifest.files[name]:
            told.append(f"{name} is not as it was written")
    return told
