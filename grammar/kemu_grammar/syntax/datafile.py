"""Tables that stand in CSV files of their own: the cells, each with its place."""

from __future__ import annotations

import csv
import re
import stat
from dataclasses import dataclass
from os.path import realpath
from pathlib import Path

from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.keywords import LONGEST_TEXT, RESERVED
from kemu_grammar.syntax.ast import Span, Table

CELL = re.compile(r'(?:(?<=,)|^)[ ]*("(?:[^"]|"")*"|[^,]*?)[ ]*(?=,|$)')
WORD = re.compile(r"[^\W\d]\w*")
BYTES = 4
"""Of a character, at most."""


class Refused(Exception):
    """A file that no table may stand in; the message says why."""


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    span: Span


Row = tuple[Cell, ...]


def rows(table: Table) -> tuple[Row, tuple[Row, ...]]:
    """The first line of a table's file, which names the columns, and the rows below, each with a name in its
    first cell; empty lines do not count. The file is read if it has not been. Raises Refused, OSError,
    RulesError for what is no such file.
    """
    path = file_of(table)
    found = _cells(text_of(table) if table.text is None else table.text, str(path))
    if not found:
        raise _error(Span(str(path), 1, 1, 1, 2), "the file is empty: its first line must name the columns")
    header, *body = found
    if not body:
        raise _error(_whole(header), "the table has no rows: they follow the first line, one to a line")
    for name in (row[0] for row in body):
        if not WORD.fullmatch(name.text) or name.text in RESERVED:
            what = f'"{name.text}" cannot be one' if name.text else "this one is empty"
            raise _error(name.span, f"the first cell of a row must be its name, a single word; {what}")
    return header, tuple(body)


def file_of(table: Table) -> Path:
    """The file that holds a table's rows."""
    return Path(table.span.file).parent / str(table.file)


def text_of(table: Table) -> str:
    """What is in a table's file, which lies beside the rules file and nowhere else: rules that somebody else
    wrote read nothing but what came with them. Raises Refused, OSError, RulesError if it is no text."""
    path, name = file_of(table), str(table.file)
    if name in ("", ".", "..") or any(mark in name for mark in "/\\:\0"):
        raise Refused("a table's file is named without a folder: it lies beside the rules file")
    if Path(realpath(path)).parent != Path(realpath(path.parent)):
        raise Refused("it is a link out of the folder of the rules file")
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise Refused("it is a folder" if stat.S_ISDIR(about.st_mode) else "it is no file, but a device")
    if about.st_size > LONGEST_TEXT * BYTES:
        raise Refused(f"it is longer than {LONGEST_TEXT:,} characters")
    with path.open("rb") as file:
        data = file.read(LONGEST_TEXT * BYTES + 1)
    return decoded(data, str(path), "a table's file").removeprefix("\ufeff")


def decoded(data: bytes, file: str, what: str) -> str:
    """The bytes of a file as text. Raises RulesError, with the place where they are none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        start = data.rfind(b"\n", 0, error.start) + 1
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[start : error.start].decode("utf-8")) + 1
        span = Span(file, line, column, line, column + 1)
        raise RulesError((Diagnostic("E0102", span, f"this is not text: {what} must be in UTF-8"),)) from None


def _cells(text: str, file: str) -> list[Row]:
    if len(text) > LONGEST_TEXT:
        raise _error(Span(file, 1, 1, 1, 2), f"the file is longer than {LONGEST_TEXT:,} characters")
    lines = text.splitlines()
    reader = csv.reader(lines)
    found: list[Row] = []
    last = 0  # the line at which the row before ends
    try:
        for cells in reader:
            if cells:
                spans = _places(file, last + 1, lines[last], len(cells))
                found.append(tuple(Cell(c.strip(), span) for c, span in zip(cells, spans, strict=True)))
            last = reader.line_num
    except csv.Error as error:
        raise _error(Span(file, last + 1, 1, last + 1, 2), f"this is not a row of a table: {error}") from None
    return found


def _places(file: str, number: int, line: str, cells: int) -> list[Span]:
    """Where the cells of a line stand; the whole line for each, if they cannot be told apart."""
    found = [m.span(1) for m in CELL.finditer(line)]
    if len(found) != cells:
        found = [(0, max(len(line), 1))] * cells
    return [Span(file, number, a + 1, number, max(b, a + 1) + 1) for a, b in found]


def _whole(row: Row) -> Span:
    first, last = row[0].span, row[-1].span
    return Span(first.file, first.line, 1, last.end_line, last.end_column)


def _error(span: Span, message: str) -> RulesError:
    return RulesError((Diagnostic("E0315", span, message),))
