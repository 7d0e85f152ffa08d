"""How values of variables and locals are written, as JSON and in words, and how JSON is read back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json import dumps
from typing import cast

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import EMPTY, Snapshots
from kemu_engine.kernel.values import BrokenProgram, Cells, elements, is_of

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
        case k.History():
            raise BrokenProgram("a history is no single value")


def as_text(value: int | Snapshots, type_: k.Type, texts: tuple[str, ...]) -> str:
    """A value in words: `true`, `7`, `none`, `{(1, 3), (2, 2)}`, `3 noted`."""
    if isinstance(value, Snapshots):
        return f"{len(value)} noted"
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
        case k.History():
            raise BrokenProgram("a history is no single value")


def _position(json: Json, texts: tuple[str, ...]) -> int:
    if isinstance(json, str) and json in texts:
        return texts.index(json)
    shown = ", ".join(texts[:8]) + (", ..." if len(texts) > 8 else "")
    raise Unreadable(f"{json!r} is none of {shown}")


def labels(var: k.Var) -> tuple[str, ...]:
    """The names of an array's elements."""
    return var.labels or tuple(map(str, range(var.length or 0)))


def variable_as_json(program: k.Program, var: k.Var, cells: Cells, seer: int | None = None) -> Json:
    """A variable's value, an array's as {label: value}; `?` for what player number `seer` does not see."""
    if isinstance(cells, Snapshots):
        return _history_as_json(program, var, cells)

    def shown(value: int, at: int) -> Json:
        if seer is not None and var.seen is not None and not var.seen[at] >> seer & 1:
            return UNSEEN
        return as_json(value, var.type, var.texts)

    if isinstance(cells, tuple):
        return {label: shown(cells[at], at) for at, label in enumerate(labels(var))}
    return shown(cells, 0)


def _history_as_json(program: k.Program, var: k.Var, history: Snapshots) -> Json:
    """The snapshots in the order of their texts, each with how often it was noted."""
    noted = [program.vars[at] for at in _noted(var)]
    found: list[tuple[str, Json]] = []
    for snapshot, times in history.items():
        values = {
            one.name: variable_as_json(program, one, cells)
            for one, cells in zip(noted, snapshot, strict=True)
        }
        found.append((dumps(values), {"times": times, "vars": values}))
    return [each for _, each in sorted(found, key=lambda one: one[0])]


def _noted(var: k.Var) -> tuple[int, ...]:
    assert isinstance(var.type, k.History)
    return var.type.vars


def _history_from_json(program: k.Program, var: k.Var, json: Json) -> Snapshots:
    if not isinstance(json, list):
        raise Unreadable(f"{json!r} is no list of snapshots")
    noted = [program.vars[at] for at in _noted(var)]
    names = {one.name for one in noted}
    history = EMPTY
    for each in json:
        if not isinstance(each, Mapping) or set(each) != {"times", "vars"}:
            raise Unreadable("a snapshot has `times` and `vars`")
        times, values = each["times"], each["vars"]
        if not isinstance(times, int) or isinstance(times, bool) or times < 1:
            raise Unreadable(f"{times!r} is no number of times")
        if not isinstance(values, Mapping) or set(values) != names:
            raise Unreadable(f"a snapshot needs exactly {', '.join(sorted(names))}")
        snapshot = tuple(variable_from_json(program, one, values[one.name]) for one in noted)
        if history.times(snapshot):
            raise Unreadable("a snapshot is there twice")
        history = history.noted(snapshot, times)
    return history


def variable_from_json(program: k.Program, var: k.Var, json: Json) -> Cells:
    """The value that variable_as_json writes so. Raises Unreadable."""
    if isinstance(var.type, k.History):
        return _history_from_json(program, var, json)
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


NTH = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def numbered(name: str, number: int) -> str:
    """`turn.settle`; `the second turn.settle` of several with that name."""
    if number == 1:
        return name
    return f"the {NTH[number - 2] if number - 2 < len(NTH) else f'{number}th'} {name}"


def stop_in_words(program: k.Program, block: int) -> str:
    """What a stop is called where people read it: by its rule and its label."""
    name, _, number = program.blocks[block].name.partition("#")
    return numbered(name, int(number or 1))


def canonical(text: str) -> str:
    """The text with one blank between words and after commas, and no other whitespace."""
    text = BETWEEN.sub("", BLANKS.sub(" ", text.strip()))
    return COMMA.sub(", ", text)


BLANKS, BETWEEN, COMMA = map(re.compile, (r"\s+", r"(?<!\w) | (?!\w)", r",(?=[^,)\]}])"))


REVEAL = "reveal"
"""The label of a stop at which a value is shown: the one outcome that can come."""
RUN = "run"
"""What is drawn at the stop from which the run of a rule begins (lower/rule_programs.py)."""
