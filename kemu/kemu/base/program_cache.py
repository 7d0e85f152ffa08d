"""Programs of instances, kept from one command to the next (source/cache.py).

A program is good as long as all is the same that it was made from: the files of the rules and those beside
them that were read, the options asked for, and Kemu itself. It is pickled: what lies in the user's own cache
folder is trusted as much as the compiled files of Python are.
"""

from __future__ import annotations

import functools
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from hashlib import sha256
from io import BytesIO
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import kemu_engine
import kemu_grammar
from kemu_grammar.game.beside import PROOFS
from kemu_grammar.source import cache

if TYPE_CHECKING:
    from kemu_grammar.game.game import Game

Made = TypeVar("Made")

ROOMS = (
    Path(kemu_grammar.__file__).parent,
    Path(kemu_engine.__file__).parent,
    Path(__file__).parent,
)
"""What makes programs."""
CLOCK = 0.1
"""By how many seconds the clock that files are stamped by may be behind."""
RECENT = 8
"""Things that a process keeps in mind too: what is still the same is the same object."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a command asked for; `rules` and `library` as they are named in what is said about them; `what` is
    kept of it."""

    rules: Path
    library: Path
    sets: tuple[str, ...]
    players: int | None
    instance: str | None
    what: str = "program"

    @property
    def name(self) -> str:
        """Under which that is kept; the folder it is asked for in counts where a path begins there."""
        here = "" if self.rules.is_absolute() and self.library.is_absolute() else Path.cwd()
        asked = (self.rules, self.library, here, self.sets, self.players, self.instance)
        return f"{self.what}-{sha256(repr((asked, makers())).encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True)
class Read:
    """What was kept: `mark`, of its bytes; the files that it was made of."""

    mark: bytes
    files: dict[Path, bytes]
    made: Any


_recent: dict[str, Read] = {}


def get(asked: Asked) -> Any:
    """What was kept, if nothing has changed since; else None."""
    data = cache.get(asked.name)
    if data is None:
        return None
    mark, read = sha256(data).digest(), _recent.get(asked.name)
    try:
        if read is None or read.mark != mark:
            read = Read(mark, *pickle.loads(data))
        same = all(digest(path) == known for path, known in read.files.items())
    except Exception:  # whatever a file may hold that another Kemu has written
        return None
    if not same:
        return None
    _remember(asked.name, read)
    return read.made


def _remember(name: str, read: Read) -> None:
    _recent.pop(name, None)
    while len(_recent) >= RECENT:
        del _recent[next(iter(_recent))]
    _recent[name] = read


def following(asked: Asked, made: object, what: str, make: Callable[[], Made]) -> Made:
    """What follows from what is kept and from nothing else; it is kept as well, if that is."""
    read = _recent.get(asked.name)
    if read is None or read.made is not made:
        return make()
    name = f"{what}-{sha256(asked.name.encode() + read.mark).hexdigest()[:32]}"
    data = cache.get(name)
    if data is not None:
        with suppress(Exception):  # as above
            found: Made = pickle.loads(data)
            return found
    found = make()
    with suppress(RecursionError, MemoryError):
        cache.put(name, _pickled(found))
    return found


def put(asked: Asked, rules: Game, made: object, since: float) -> None:
    """Keeps what was made of these rules, if none of their files has changed since they began to be read."""
    from kemu_engine.support.stack import deep
    from kemu_grammar.syntax.ast import Table

    files = {Path(file) for file in rules.sources}
    libraries = {file.parent for file in files if file not in (asked.rules, Path(rules.proofs))}
    files.add(asked.rules.with_name(PROOFS))
    tables = (d for d in rules.names.values() if isinstance(d, Table) and d.file is not None)
    files |= {Path(table.span.file).parent / str(table.file) for table in tables}
    with suppress(OSError, RecursionError, MemoryError), deep():
        if any(path.stat().st_mtime > since - CLOCK for path in files | libraries if path.exists()):
            return
        known = {path: digest(path) for path in files | libraries}
        data = _pickled((known, made))
        cache.put(asked.name, data)
        _remember(asked.name, Read(sha256(data).digest(), known, made))


def _pickled(value: object) -> bytes:
    """As pickle would write it, but of a node its class and its fields, which takes half the time, to read
    too."""
    stream = BytesIO()
    pickler = pickle.Pickler(stream, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _Reducers()
    pickler.dump(value)
    return stream.getvalue()


class _Reducers(dict[type, Callable[[Any], tuple[Any, ...]]]):
    """How to write a value of each class; of none that is no plain dataclass."""

    def __missing__(self, kind: type) -> Callable[[Any], tuple[Any, ...]]:
        if not is_dataclass(kind) or not all(field.init and not field.kw_only for field in fields(kind)):
            raise KeyError(kind)
        names = [field.name for field in fields(kind)]
        if len(names) > 1:
            parts = attrgetter(*names)
            self[kind] = lambda node: (kind, parts(node))
        else:
            self[kind] = lambda node: (kind, tuple(getattr(node, name) for name in names))
        return self[kind]


def digest(path: Path) -> bytes:
    """Of a file what is in it, of a folder which rules files it holds; nothing where no file of proofs is.
    Raises OSError."""
    if path.is_dir():
        return sha256(repr(sorted(file.name for file in path.glob("*.kemu"))).encode()).digest()
    if path.name == PROOFS and not path.exists():
        return b""
    return sha256(path.read_bytes()).digest()


@functools.cache
def makers() -> tuple[str, list[list[tuple[str, int, int]]]]:
    """This Python, and Kemu as its files were when this process first asked."""
    return sys.version, [stamps(room) for room in ROOMS]


def stamps(folder: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files that a room of Kemu is made of."""
    files = sorted(file for end in ("py", "lark") for file in folder.rglob(f"*.{end}"))
    return [(str(file), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files]
