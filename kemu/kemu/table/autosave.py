"""Where to save a game: under a free name, and in a folder of their own games that were left."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from kemu.base.library import BadInput, shown


def here(stem: str) -> Path:
    """A free name in the current folder, or in the home folder if nothing can be written here."""
    folder = Path()
    if not os.access(folder, os.W_OK):
        with suppress(RuntimeError):  # there is no home
            folder = Path.home()
    return unused(folder, stem)


def aside(stem: str) -> Path:
    """A free name for a game that was left without saving:
    in `kemu/` of the user's folder for what programs
    remember (XDG_STATE_HOME, by default ~/.local/state). Raises BadInput."""
    try:
        folder = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "kemu"
        folder.mkdir(parents=True, exist_ok=True)
    except RuntimeError as error:  # there is no home
        raise BadInput(str(error)) from error
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(error.filename))}: {error.strerror or error}") from error
    return unused(folder, stem)


def unused(folder: Path, stem: str) -> Path:
    """A path for a file that does not exist yet: `stem.json`, `stem-2.json`, ..."""
    number = 1
    while (path := folder / f"{stem}{f'-{number}' if number > 1 else ''}.json").exists():
        number += 1
    return path
