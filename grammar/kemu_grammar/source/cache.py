"""What is kept in the user's cache folder between two commands, because it takes long to make.

Nothing depends on it: what is missing, damaged, or cannot be written is made anew, and so is all of a folder
that others may write to, since what is kept is run. KEMU_CACHE names another folder than ~/.cache/kemu (below
XDG_CACHE_HOME, if that is set); `off` turns it off.
"""

from __future__ import annotations

import os
import stat
import tempfile
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

MOST = 400
"""Things of a kind, which their names begin with, that are kept; the oldest go first."""
HALF = "half-"
STALE = 3600.0
"""Seconds after which a file half written is nobody's."""
_DIGEST = 32


def folder() -> Path | None:
    """Where things are kept; None if nothing is to be."""
    asked = os.environ.get("KEMU_CACHE", "")
    if asked:
        return None if asked == "off" else Path(asked)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kemu"
    except RuntimeError:  # nobody's home
        return None


def get(name: str) -> bytes | None:
    """What was kept under a name, if it is whole."""
    where = folder()
    if where is None or not _own(where):
        return None
    try:
        data = (where / name).read_bytes()
    except OSError:
        return None
    digest, data = data[:_DIGEST], data[_DIGEST:]
    return data if sha256(data).digest() == digest else None


def put(name: str, data: bytes) -> None:
    """Keeps it: written beside its place and renamed, so that no other process ever sees half of it."""
    where = folder()
    if where is None:
        return
    with suppress(OSError):
        where.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _own(where):
            return
        with tempfile.NamedTemporaryFile(dir=where, prefix=HALF, delete=False) as stream:
            try:
                stream.write(sha256(data).digest() + data)
                stream.flush()
                os.replace(stream.name, where / name)
            except OSError:
                os.unlink(stream.name)
                raise
        alike = where.glob(f"{name.partition('-')[0]}-*")
        for _, old in sorted((file.stat().st_mtime, file) for file in alike)[:-MOST]:
            old.unlink()
        for half in where.glob(f"{HALF}*"):
            if half.stat().st_mtime < time.time() - STALE:
                half.unlink()


def _own(where: Path) -> bool:
    """Whether it is the user's own folder, to which no one else may write."""
    if not hasattr(os, "getuid"):
        return True
    try:
        about = where.stat()
    except OSError:
        return False
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
