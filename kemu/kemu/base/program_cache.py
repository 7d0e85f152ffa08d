"""Programs of instances, kept from one command to the next (source/cache.py).

A program is good as long as all is the same that it was made from: the files of the rules and those beside
them that were read, the options asked for, and Kemu itself. It is pickled: what lies in the user's own cache
folder is trusted as much as the compiled files of Python are.
"""

from __future__ import annotations

import functools
import pickle
import sys
import threading
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
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
NOTHING = b""
"""The digest of a file that is not there."""
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
_reading = threading.Lock()


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
    with _reading:
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


def put(asked: Asked, rules: Game, made: object) -> None:
    """Keeps what was made of these rules under the texts that were read, whatever their files hold now."""
    from kemu_engine.support.stack import deep

    known = texts_read(asked, rules)
    with suppress(RecursionError, MemoryError), deep():
        data = _pickled((known, made))
        cache.put(asked.name, data)
        _remember(asked.name, Read(sha256(data).digest(), known, made))


def texts_read(asked: Asked, rules: Game) -> dict[Path, bytes]:
    """The digests of all that was read of a game: texts, that there was no file of proofs, and which files
    the folders of libraries held."""
    texts = {Path(file): text for file, text in (rules.sources | rules.aside | rules.tables).items()}
    known = {file: _of_text(text.encode()) for file, text in texts.items()}
    if asked.rules != Path(rules.proofs):
        known.setdefault(asked.rules.with_name(PROOFS), NOTHING)
    own = (Path(rules.file), Path(rules.proofs))
    libraries = [file for file in map(Path, rules.sources) if file not in own]
    for folder in {file.parent for file in libraries}:
        known[folder] = _of_names(file.name for file in libraries if file.parent == folder)
    return known


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
        return _of_names(file.name for file in path.glob("*.kemu"))
    if path.name == PROOFS and not path.exists():
        return NOTHING
    return _of_text(path.read_bytes())


def _of_text(data: bytes) -> bytes:
    """Of a text as it is read: how it marks its beginning and the ends of its lines does not count."""
    return sha256(data.removeprefix(BOM_UTF8).replace(b"\r\n", b"\n")).digest()


def _of_names(names: Iterable[str]) -> bytes:
    return sha256(repr(sorted(names)).encode()).digest()


@functools.cache
def makers() -> tuple[str, list[list[tuple[str, int, int]]]]:
    """This Python, and Kemu as its files were when this process first asked."""
    return sys.version, [stamps(room) for room in ROOMS]


def stamps(folder: Path) -> list[tuple[str, int, int]]:
    """Names, sizes and times of the files that a room of Kemu is made of."""
    files = sorted(file for end in ("py", "lark") for file in folder.rglob(f"*.{end}"))
    return [(str(file), (stat := file.stat()).st_size, stat.st_mtime_ns) for file in files]
