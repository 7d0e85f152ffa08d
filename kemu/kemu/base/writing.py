"""Files that a user asks for: written whole or not at all, and never over another one unasked."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from kemu_engine.support import whole_file

from kemu.base.library import BadInput, shown


def write(path: Path, data: bytes) -> None:
    """Writes a file, whole or not at all. Raises BadInput."""
    try:
        whole_file.write(path, data)
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(path))}: {error.strerror or error}") from error


def free(path: Path) -> None:
    """That a new file can be made there, so that nobody learns the contrary after long work. Raises
    BadInput."""
    if path.exists():
        raise BadInput(f"{shown(str(path))} already exists: choose another name")
    writable(path)


def writable(path: Path) -> None:
    """That a file can be written there. Raises BadInput."""
    if path.is_dir():
        raise BadInput(f"cannot write {shown(str(path))}: it is a folder")
    if not path.absolute().parent.is_dir():
        raise BadInput(f"cannot write {shown(str(path))}: there is no folder {shown(str(path.parent))}")
    try:
        with TemporaryFile(dir=path.absolute().parent):
            pass
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(path))}: {error.strerror or error}") from error
