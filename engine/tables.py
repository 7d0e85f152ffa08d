"""Tables of components: rows in the rules file or in a CSV file beside it, typed and checked."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

from engine.evaluate import Evaluator, atoms
from engine.problems import StaticFault, refuse
from engine.types import AnyInt, BoolType, ElementType, IntType, OptionOf, SetType, TextType, Type, admit
from engine.values import Atom, Domain, Value, text_of
from grammar import tree as t
from grammar.diagnostics import Diagnostic, RulesError

CELL = re.compile(r'(?:(?<=,)|^)[ ]*("(?:[^"]|"")*"|[^,]*?)[ ]*(?=,|$)')
NUMBER = re.compile(r"-?[0-9]{1,18}")


def members(table: t.Table, number: int) -> tuple[Atom, ...]:
    """The rows as atoms, their columns still empty."""
    if table.file is None:
        return atoms(table.name, tuple(name for name, _ in table.rows), number)
    return atoms(table.name, tuple(cells[0] for _, cells in _read(table)), number)


def fill(table: t.Table, evaluator: Evaluator) -> None:
    """Gives the rows of a table their columns."""
    rows: Domain = evaluator.known[table.name]
    kinds = [(name, evaluator.types.make(kind, {})) for name, kind in table.columns]
    if table.file is None:
        for atom, (_, values) in zip(rows.elements, table.rows, strict=True):
            for (column, kind), expr in zip(kinds, values, strict=True):
                atom.columns[column] = _admitted(kind, evaluator.eval(expr, {}), expr.span)
        return
    for atom, (spans, cells) in zip(rows.elements, _read(table), strict=True):
        if not atom.name:
            refuse("E0752", spans[0], "the first cell of a row is its name, here is none")
        for (column, kind), cell, span in zip(kinds, cells[1:], spans[1:], strict=True):
            atom.columns[column] = _admitted(kind, _value(kind, cell, span), span)


def _admitted(kind: Type, value: Value, span: t.Span) -> Value:
    try:
        return admit(kind, value, span)
    except StaticFault as fault:
        raise RulesError((Diagnostic("E0752", fault.span, fault.message, ()),)) from None


def _read(table: t.Table) -> list[tuple[list[t.Span], list[str]]]:
    """The rows of the CSV file, each with the places of its cells; the columns in the table's own order.

    Raises OSError.
    """
    path = Path(table.span.file).parent / str(table.file)
    text = path.read_text(encoding="utf-8-sig").splitlines()
    lines = csv.reader(text)
    wanted = [name for name, _ in table.columns]
    header = [h.strip() for h in next(lines, [])]
    if sorted(header[1:]) != sorted(wanted):
        found = f"the columns are {', '.join(header[1:])}" if header[1:] else "here are no columns"
        place = t.Span(str(path), 1, 1, 1, max(len(text[0]), 1) + 1 if text else 2)
        refuse("E0753", place, f"{found}; the table declares {', '.join(wanted)}")
    order = [0, *(header.index(name, 1) for name in wanted)]
    rows: list[tuple[list[t.Span], list[str]]] = []
    for cells in lines:
        if not cells:
            continue
        places = _places(path, lines.line_num, text[lines.line_num - 1], len(cells))
        if len(cells) != len(header):
            whole = replace(places[0], column=1, end_column=len(text[lines.line_num - 1]) + 1)
            refuse("E0760", whole, f"this row has {len(cells)} cells, the first line names {len(header)}")
        rows.append(([places[i] for i in order], [cells[i].strip() for i in order]))
    return rows


def _places(path: Path, number: int, line: str, cells: int) -> list[t.Span]:
    """Where the cells of a line stand; the whole line for each, if they cannot be told apart."""
    found = [m.span(1) for m in CELL.finditer(line)]
    if len(found) != cells:
        found = [(0, max(len(line), 1))] * cells
    return [t.Span(str(path), number, a + 1, number, max(b, a + 1) + 1) for a, b in found]


def _value(kind: Type, cell: str, span: t.Span) -> Value:
    """A cell as a value of its column: numbers, yes/no, names; `-` or nothing for none or the empty set; sets
    as words.
    """
    empty = cell in ("", "-")
    match kind:
        case OptionOf(inner=inner):
            return None if empty else _value(inner, cell, span)
        case IntType() | AnyInt():
            if not NUMBER.fullmatch(cell):
                refuse("E0752", span, f'"{cell}" is not a number')
            return int(cell)
        case TextType():
            return cell
        case BoolType():
            if cell.lower() in ("yes", "true", "1", "no", "false", "0"):
                return cell.lower() in ("yes", "true", "1")
            refuse("E0752", span, f'"{cell}" is neither yes nor no')
        case ElementType(name=name, values=values):
            for value in values:
                if text_of(value) == cell:
                    return value
            refuse("E0752", span, f'"{cell}" is not in {name}')
        case SetType(name=name, values=values):
            words = {text_of(v): v for v in values}
            unknown = [w for w in ([] if empty else cell.split()) if w not in words]
            if unknown:
                refuse("E0752", span, f'"{unknown[0]}" is not in {name}')
            return frozenset(words[w] for w in ([] if empty else cell.split()))
    refuse("E0752", span, "a column of a file holds numbers, truth values, names, sets or texts")
