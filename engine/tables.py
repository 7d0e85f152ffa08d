"""Tables of components: rows in the rules file or in a CSV file beside it, typed and checked."""

from __future__ import annotations

import csv
from pathlib import Path

from engine.evaluate import Evaluator, atoms
from engine.problems import StaticFault, refuse
from engine.types import BoolType, ElementType, IntType, OptionOf, SetType, Type, admit
from engine.values import Atom, Domain, Value, text_of
from grammar import tree as t
from grammar.diagnostics import Diagnostic, RulesError


def members(table: t.Table, number: int) -> tuple[Atom, ...]:
    """The rows as atoms, their columns still empty."""
    if table.file is None:
        return atoms(table.name, tuple(name for name, _ in table.rows), number)
    return atoms(table.name, tuple(row[0] for _, row in _read(table)), number)


def fill(table: t.Table, evaluator: Evaluator) -> None:
    """Gives the rows of a table their columns."""
    rows: Domain = evaluator.known[table.name]
    kinds = [(name, evaluator.types.make(kind, {})) for name, kind in table.columns]
    if table.file is None:
        for atom, (_, values) in zip(rows.elements, table.rows, strict=True):
            if len(values) != len(kinds):
                refuse(
                    "E0751",
                    table.span,
                    f"the row `{atom.name}` has {len(values)} values for {len(kinds)} columns",
                )
            for (column, kind), expr in zip(kinds, values, strict=True):
                atom.columns[column] = _admitted(kind, evaluator.eval(expr, {}), expr.span)
        return
    for atom, (span, cells) in zip(rows.elements, _read(table), strict=True):
        for (column, kind), cell in zip(kinds, cells[1:], strict=True):
            atom.columns[column] = _admitted(kind, _value(kind, cell.strip(), span), span)


def _admitted(kind: Type, value: Value, span: t.Span) -> Value:
    try:
        return admit(kind, value, span)
    except StaticFault as fault:
        raise RulesError((Diagnostic("E0752", fault.span, fault.message, ()),)) from None


def _read(table: t.Table) -> list[tuple[t.Span, list[str]]]:
    """The rows of the CSV file, each with its place; the columns in the order in which the table declares
    them.
    """
    path = Path(table.span.file).parent / str(table.file)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        refuse("E0753", table.span, f'"{table.file}" cannot be read: {reason}')
    lines = list(csv.reader(text.splitlines()))
    header = [h.strip() for h in lines[0]] if lines else []
    wanted = [name for name, _ in table.columns]
    if header[1:] != wanted and sorted(header[1:]) != sorted(wanted):
        refuse(
            "E0753",
            _place(path, 1),
            f"the columns are {', '.join(header[1:]) or 'missing'}; the table declares {', '.join(wanted)}",
        )
    order = [0, *(header.index(name, 1) for name in wanted)]
    rows: list[tuple[t.Span, list[str]]] = []
    for number, cells in enumerate(lines[1:], 2):
        if not cells:
            continue
        if len(cells) != len(header):
            refuse(
                "E0753",
                _place(path, number),
                f"this row has {len(cells)} cells, the header has {len(header)}",
            )
        rows.append((_place(path, number), [cells[i].strip() for i in order]))
    return rows


def _place(path: Path, line: int) -> t.Span:
    return t.Span(str(path), line, 1, line, 2)


def _value(kind: Type, cell: str, span: t.Span) -> Value:
    """A cell as a value of its column: numbers, yes/no, names; `-` or nothing for none or the empty set; sets
    as words.
    """
    empty = cell in ("", "-")
    match kind:
        case OptionOf(inner=inner):
            return None if empty else _value(inner, cell, span)
        case IntType():
            try:
                return int(cell)
            except ValueError:
                refuse("E0752", span, f'"{cell}" is not a number')
        case BoolType():
            if cell.lower() in ("yes", "true", "1", "no", "false", "0"):
                return cell.lower() in ("yes", "true", "1")
        case ElementType(values=values):
            for value in values:
                if text_of(value) == cell:
                    return value
        case SetType(name=name, values=values):
            words = {text_of(v): v for v in values}
            unknown = [w for w in ([] if empty else cell.split()) if w not in words]
            if unknown:
                refuse("E0752", span, f'"{unknown[0]}" is not in {name}')
            return frozenset(words[w] for w in ([] if empty else cell.split()))
    refuse("E0752", span, f'"{cell}" does not fit its column')
