"""All mutants of a file, each with a name that other changes leave as it is; and a sample of them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path

from tests.mutation.operators import OPERATORS, Edit, Text, blocks


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one file.

    `where`: the function or class. `statement`: the line that it is in, without its layout. `lines`: where
    that stands, of which a test has to reach one; none if it is carried out while the file is imported.
    """

    file: Path
    room: Path
    where: str
    operator: str
    statement: str
    edit: Edit
    lines: range
    line: int
    name: str

    @property
    def path(self) -> str:
        """The file, from its room on."""
        return _path(self.file, self.room)

    def text(self) -> str:
        """The file with the change."""
        start, end, new = self.edit
        text = self.file.read_text("utf-8")
        return text[:start] + new + text[end:]

    def change(self) -> str:
        """What was there and what stands there now, short enough for a line."""
        start, end, new = self.edit
        before = self.file.read_text("utf-8")[start:end]
        return f"{_short(before)} -> {_short(new) or 'nothing'}"

    def __str__(self) -> str:
        return f"{self.name} {self.path}:{self.line} {self.where}: {self.operator}: {self.change()}"


def sample(rooms: list[Path], size: int, seed: int) -> list[Mutant]:
    """So many mutants of some folders; the same ones, whatever else is added to the files or leaves them."""
    every = [m for room in rooms for file in sorted(room.rglob("*.py")) for m in mutants(file, room)]
    every.sort(key=lambda m: sha256(f"{seed} {m.name}".encode()).digest())
    drawn = islice((m for m in every if _parses(m.text())), size)
    return sorted(drawn, key=lambda m: (m.room, m.file, m.edit))


def mutants(file: Path, room: Path) -> Iterator[Mutant]:
    """The mutants of a file, those included that are no Python."""
    source = file.read_text("utf-8")
    text = Text.of(source)
    met: Counter[str] = Counter()
    for place in _places(ast.parse(source).body, "", True):
        for name, operator in OPERATORS.items():
            for edit in operator(place.node, text):
                start, end, new = edit
                told = "\0".join((_path(file, room), place.where, name, place.said, source[start:end], new))
                met[told] += 1
                yield Mutant(
                    file, room, place.where, name, place.said, edit, place.lines, _line(text, start),
                    sha256(f"{told}\0{met[told]}".encode()).hexdigest()[:10],
                )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Place:
    """A node that may be changed, and where it is (see Mutant)."""

    node: ast.AST
    where: str
    said: str
    lines: range


def _places(body: list[ast.stmt], where: str, at_import: bool) -> Iterator[_Place]:
    for s in body:
        if _left_out(s):
            continue
        inner, inside = where, at_import
        if isinstance(s, ast.FunctionDef | ast.ClassDef):
            inner = f"{where}.{s.name}".strip(".")
            inside = at_import and isinstance(s, ast.ClassDef)
        said, lines = ast.unparse(s).splitlines()[0], range(0) if at_import else _header(s)
        for node in _own(s):
            yield _Place(node, inner or "module", said, _reached(node, lines))
        for block in blocks(s):
            yield from _places(block, inner, inside)


def _header(s: ast.stmt) -> range:
    """The lines of a statement without those of the statements in it."""
    assert s.end_lineno is not None
    first = min((block[0].lineno for block in blocks(s)), default=s.end_lineno + 1)
    return range(s.lineno, max(first, s.lineno + 1))


def _reached(node: ast.AST, lines: range) -> range:
    """A case is looked at on its own line; what a function returns, somewhere in it."""
    match node:
        case ast.match_case(pattern=pattern, body=[first, *_]):
            return range(pattern.lineno, first.lineno + 1)
        case ast.FunctionDef(lineno=start, end_lineno=int() as end):
            return range(start + 1, end + 1)
    return lines


def _left_out(s: ast.stmt) -> bool:
    """What is no logic: imports, what is said for type checkers, assertions, how things print."""
    match s:
        case ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.Raise(exc=ast.Call(func=ast.Name(id="AssertionError"))):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.FunctionDef(name="__repr__"):
            return True
    return False


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what it is made of, but for the statements within it, its types and its texts."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.stmt | ast.JoinedStr):
                yield from _own(child)


def _path(file: Path, room: Path) -> str:
    return f"{room.name}/{file.relative_to(room).as_posix()}"


def _line(text: Text, offset: int) -> int:
    return text.text.count("\n", 0, offset) + 1


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 60 else words[:57] + "..."
