"""How values of variables and locals are written, as JSON and in words, and how JSON is read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import Cells, elements, is_of

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]

UNSEEN = "?"


class Unreadable(ValueError):
    """A JSON value that is no value of its variable; the message says what was expected."""


def as_json(value: int, type_: k.Type, texts: tuple[str, ...]) -> Json:
    """A value: true or false, an integer or its text, the list of a set's elements."""
    match type_:
        case k.Bool():
            return bool(value)
        case k.Int(low, _):
            return texts[value - low] if texts else int(value)
        case k.Set():
            return [texts[element] if texts else element for element in elements(value)]


def as_text(value: int, type_: k.Type, texts: tuple[str, ...]) -> str:
    """A value in words: `true`, `7`, `none`, `{(1, 3), (2, 2)}`."""
    json = as_json(value, type_, texts)
    if isinstance(json, bool):
        return str(json).lower()
    if isinstance(json, list):
        return "{" + ", ".join(map(str, json)) + "}"
    return str(json)


def from_json(json: Json, type_: k.Type, texts: tuple[str, ...]) -> int:
    """The value that as_json writes so. Raises Unreadable."""
    match type_:
        case k.Bool():
            if isinstance(json, bool):
                return int(json)
            raise Unreadable(f"{json!r} is neither true nor false")
        case k.Int(low, _) if texts:
            return low + _position(json, texts)
        case k.Int(low, high):
            if not isinstance(json, bool) and is_of(json, type_):
                return cast(int, json)
            raise Unreadable(f"{json!r} is no integer in {low}..{high}")
        case k.Set(size):
            if not isinstance(json, list):
                raise Unreadable(f"{json!r} is no list of elements")
            mask = 0
            for item in json:
                mask |= 1 << (_position(item, texts) if texts else from_json(item, k.Int(0, size - 1), ()))
            return mask


def _position(json: Json, texts: tuple[str, ...]) -> int:
    if isinstance(json, str) and json in texts:
        return texts.index(json)
    shown = ", ".join(texts[:8]) + (", ..." if len(texts) > 8 else "")
    raise Unreadable(f"{json!r} is none of {shown}")


def labels(var: k.Var) -> tuple[str, ...]:
    """The names of an array's elements."""
    return var.labels or tuple(map(str, range(var.length or 0)))


def variable_as_json(var: k.Var, cells: Cells, seer: int | None = None) -> Json:
    """A variable's value, an array's as {label: value}; `?` for what player number `seer` does not see."""

    def shown(value: int, at: int) -> Json:
        if seer is not None and var.seen is not None and not var.seen[at] >> seer & 1:
            return UNSEEN
        return as_json(value, var.type, var.texts)

    if isinstance(cells, tuple):
        return {label: shown(cells[at], at) for at, label in enumerate(labels(var))}
    return shown(cells, 0)


def variable_from_json(var: k.Var, json: Json) -> Cells:
    """The value that variable_as_json writes so. Raises Unreadable."""
    if var.length is None:
        return from_json(json, var.type, var.texts)
    if not isinstance(json, Mapping) or set(json) != set(labels(var)):
        raise Unreadable(f"it needs exactly the elements {', '.join(labels(var)[:8])}, ...")
    return tuple(from_json(json[label], var.type, var.texts) for label in labels(var))


def place(var: k.Var, element: int | None) -> str:
    """`ball`, `stone[(1, 3)]`."""
    return var.name if element is None else f"{var.name}[{labels(var)[element]}]"


def names_of_live(program: k.Program, block: int) -> list[str]:
    """Names for a stop's live locals, told apart by `#2`, `#3` where several have the same."""
    names: list[str] = []
    for local in program.blocks[block].live:
        name = program.locals[local].name
        count = 1 + sum(earlier.split("#")[0] == name for earlier in names)
        names.append(name if count == 1 else f"{name}#{count}")
    return names


def canonical(text: str) -> str:
    """The text with one blank between words and after commas, and no other whitespace."""
    text = re.sub(r"\s+", " ", text.strip())
    text = re.sub(r"(?<!\w) | (?!\w)", "", text)
    return re.sub(r",(?=[^,)\]}])", ", ", text)


RUN = "run"
"""What is drawn at the stop from which the run of a rule begins (lower/rule_programs.py)."""
