"""The rules in a bundle, compiled anew: it is their program and claims that are checked."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.instantiate import instantiate
from kemu_grammar.game.game import read

from kemu.recheck.manifest import NAME, Manifest

LONGEST = 200  # characters of what somebody else wrote
LARGEST, ALL = 200_000_000, 2_000_000_000  # bytes of a file, as for the checker, and of all together


class Wrong(Exception):
    """Something in the bundle does not hold; the message says what."""


def program_of(folder: Path, manifest: Manifest) -> k.Program:
    """The rules of a bundle as a program. Raises Wrong."""
    main, library = folder / manifest.rules, folder / manifest.library
    try:
        if not all(path.resolve().is_relative_to(folder.resolve()) for path in (main, library)):
            raise ValueError("they lie outside the bundle")
        rules = read(main, library)
        given = manifest.settings.items()
        options: dict[str, Any] = {name: _plain(value) for name, value in given if name in rules.options}
        return instantiate(rules, options, len(manifest.players))
    except Exception as error:  # whatever is wrong with rules that somebody else wrote
        raise Wrong(f"the rules cannot be compiled: {' '.join(str(error).split())[:200]}") from None


def _plain(value: str) -> str | int | bool:
    """A setting as options take it."""
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.removeprefix("-").isdigit() else value


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
