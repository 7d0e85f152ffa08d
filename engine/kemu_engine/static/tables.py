"""Tables of components: rows in the rules file or in a CSV file beside it, typed and checked."""

from __future__ import annotations

import re
from dataclasses import replace

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.datafile import Row, rows

from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault, refuse
from kemu_engine.static.types import (
    AnyInt,
    BoolType,
    ElementType,
    IntType,
    OptionOf,
    SetType,
    TextType,
    Type,
    admit,
)
from kemu_engine.static.values import Atom, Domain, Value, atoms, text_of

NUMBER = re.compile(r"-?[0-9]{1,18}")


def members(table: t.Table, number: int) -> tuple[Atom, ...]:
    """The rows as atoms, their columns still empty."""
    if table.file is None:
        return atoms(table.name, tuple(name for name, _ in table.rows), number)
    return atoms(table.name, tuple(row[0].text for row in _read(table)), number)


def fill(table: t.Table, evaluator: Evaluator) -> None:
    """Gives the rows of a table their columns."""
    own: Domain = evaluator.known[table.name]
    kinds = [(name, evaluator.types.make(kind, {})) for name, kind in table.columns]
    if table.file is None:
        for atom, (_, values) in zip(own.elements, table.rows, strict=True):
            for (column, kind), expr in zip(kinds, values, strict=True):
                atom.columns[column] = _admitted(kind, evaluator.eval(expr, {}), expr.span)
        return
    for atom, cells in zip(own.elements, _read(table), strict=True):
        for (column, kind), cell in zip(kinds, cells[1:], strict=True):
            atom.columns[column] = _admitted(kind, _value(kind, cell.text, cell.span), cell.span)


def _admitted(kind: Type, value: Value, span: t.Span) -> Value:
    try:
        return admit(kind, value, span)
    except StaticFault as fault:
        raise fault.diagnosed("E0752") from None


def _read(table: t.Table) -> list[Row]:
    """The rows of the table's file, the columns in the table's own order. Raises OSError, RulesError."""
    header, body = rows(table)
    wanted = [name for name, _ in table.columns]
    order = [0, *(_column(name, header) for name in wanted)]
    for at, cell in enumerate(header):
        if at not in order:
            twice = cell.text in wanted
            what = f"the column `{cell.text}` comes twice" if twice else f"there is no column `{cell.text}`"
            refuse("E0753", cell.span, f"{what}; the table declares {', '.join(wanted)}")
    for row in body:
        if len(row) != len(header):
            whole = replace(row[0].span, column=1, end_column=row[-1].span.end_column)
            refuse("E0760", whole, f"this row has {len(row)} cells, the first line names {len(header)}")
    return [tuple(row[i] for i in order) for row in body]


def _column(name: str, header: Row) -> int:
    """Which column has a name; the first is that of the rows' names, whatever it is called."""
    at = next((i for i, cell in enumerate(header) if i and cell.text == name), None)
    if at is None:
        whole = replace(header[0].span, column=1, end_column=header[-1].span.end_column)
        refuse("E0753", whole, f"the column `{name}` is missing; the first line names the columns")
    return at


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
