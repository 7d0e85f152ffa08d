"""What the variables of a program hold, worked out from the naive evaluator's value of a state variable.

docs/kernel.md: a map is an array, a bag an array of counts, a list a length and an array (with nothing behind
its end), a record its fields.
"""

from __future__ import annotations

from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_types import Types
from tests.oracles.naive_values import Bag, sorted_, text

Cells = dict[str, dict[tuple[str, ...], Any]]
"""By variable and the labels of its dimensions."""


def held(types: Types, name: str, kind: t.Type, value: Any) -> dict[str, Any]:
    """What every variable of the program holds that a state variable is made of."""
    cells: Cells = {}
    _lay(types, name, kind, value, (), cells, 0)
    return {
        var: found[()] if () in found else {", ".join(labels): x for labels, x in found.items()}
        for var, found in cells.items()
    }


def _lay(
    types: Types, name: str, kind: t.Type, value: Any, at: tuple[str, ...], into: Cells, lists: int
) -> None:
    match kind:
        case t.GenericType("map", (key, inner), binder=binder):
            for k in types.domain(key):
                within = inner if binder is None else _largest(types, inner, binder, key)
                _lay(types, name, within, value[k], (*at, text(k)), into, lists)
        case t.GenericType("bag", (key,)):
            for k in types.domain(key):
                count = value.get(k, 0) if isinstance(value, Bag) else 0
                into.setdefault(name, {})[(*at, text(k))] = count
        case t.GenericType("list", (inner,), size):
            assert size is not None
            into.setdefault(name + ".len" * (lists + 1), {})[at] = len(value)
            for i in range(types.eval(size, {})):
                here = value[i] if i < len(value) else types.empty(inner, filled=False)
                _lay(types, name, inner, here, (*at, str(i)), into, lists + 1)
        case t.GenericType("tuple", parts):
            for i, (inner, here) in enumerate(zip(parts, value, strict=True)):
                _lay(types, f"{name}._{i}", inner, here, at, into, 0)
        case t.NamedType(record) if record in types.records:
            for (field, inner), here in zip(types.records[record].fields, value, strict=True):
                _lay(types, f"{name}.{field}", inner, here, at, into, 0)
        case _:
            into.setdefault(name, {})[at] = shown(kind, value)


def _largest(types: Types, inner: t.Type, binder: str, key: t.Type) -> t.Type:
    """The type with the most room that any key gives."""
    if isinstance(inner, t.RangeType):
        return inner
    assert isinstance(inner, t.GenericType) and inner.size is not None
    most = max(types.eval(inner.size, {binder: k}) for k in types.domain(key))
    return t.GenericType(inner.head, inner.args, t.Number(most))


def shown(kind: t.Type, value: Any) -> Any:
    """A single value: a truth, a number or its text, the list of a set's elements."""
    match kind, value:
        case (t.OptionType(), _):
            return text(value)
        case (_, frozenset()):
            return [text(x) for x in sorted_(value)]
        case (_, bool() | int()):
            return value
    return text(value)
