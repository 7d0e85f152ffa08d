"""Texts of programs, claims and proofs, and JSON, as trees; and all the small changes of a tree."""

import json
import re
from collections.abc import Iterator
from typing import Any

VERDICTS = ("proved", "refuted", "possible", "impossible", "unknown")
KINDS = ("play", "all states", "excluded", "ranking", "value", "nothing hidden", "none")
KINDS += ("two plays", "all plays", "flow", "two states", "laps")
OPERATORS = (
    ("and", "or"),
    ("eq", "ne", "lt", "le", "in"),
    ("add", "sub", "mul", "min", "max"),
    ("union", "inter", "diff"),
    ("any", "all"),
    ("count", "sum", "first"),
)
GIANT = 10**30
_SIGN = re.compile(
    r'[A-Z]\w*\(|\[|[)\]],|-?[0-9a-f]+,|-,|(?:(?:Fault |Snapshots )?"(?:[^"\\]|\\.)*",)|Snapshots \w+,'
)

Tree = Any  # a list; its first element is the name of a node ("[" of a list), the others are trees or leaves


def parsed(text: str) -> Tree:
    """A text in the signs of docs/program-text.md; leaves are texts with their commas."""
    stack: list[list[Any]] = [[""]]
    for sign in _SIGN.findall(text):
        if sign.endswith(("(", "[")):
            stack.append([sign])
        elif sign in ("),", "],"):
            last = stack.pop()
            stack[-1].append(last)
        else:
            stack[-1].append(sign)
    assert written(stack[0][1]) == text.rstrip("\n")
    return stack[0][1]


def written(tree: Tree) -> str:
    """The text of a tree."""
    if isinstance(tree, str):
        return tree
    end = "]," if tree[0] == "[" else "),"
    return tree[0] + "".join(map(written, tree[1:])) + end


def forged_texts(text: str) -> Iterator[tuple[str, str]]:
    """The texts that differ in one place, each with what was done."""
    tree = parsed(text)
    for at, put in _places(tree):
        for words, other in _changes_of_text(at):
            if other != at:
                put(other)
                yield words, written(tree)
        put(at)


def _places(tree: Tree) -> Iterator[tuple[Tree, Any]]:
    """All parts of a tree, each with a way to put another one there."""
    todo = [tree]
    while todo:
        node = todo.pop()
        for i, each in enumerate(node):
            if i:
                yield each, lambda other, node=node, i=i: node.__setitem__(i, other)
                if isinstance(each, list):
                    todo.append(each)


def _changes_of_text(item: Tree) -> Iterator[tuple[str, Tree]]:
    if isinstance(item, list):
        if item[0] == "[":
            for words, other in _changes_of_list(item[1:]):
                yield words, ["[", *other]
            return
        for value in (0, 1):
            yield f"{item[0]}..) is {value}", ["Const(", ["Bool("], f"{value},"]
        for each in item[1:]:
            if isinstance(each, list) and each[0] not in ("[", "Bool(", "Int(", "Set("):
                yield f"{item[0]}..) is its part {each[0]}..)", each
        return
    if item.startswith('"'):
        yield f"{item} is empty", '"",'
        for family in OPERATORS:
            if item[1:-2] in family:
                yield from ((f"{item} is {other}", f'"{other}",') for other in family if other != item[1:-2])
        return
    if item.startswith(("Fault", "Snapshots")):
        others = ('Fault "stuck",', 'Fault "silent_loop",', 'Fault "",', "Snapshots 1,")
        yield from ((f"{item} is {other}", other) for other in others if other != item)
        return
    if item == "-,":
        yield "nothing is 0", "0,"
        return
    number = int(item[:-1], 16)
    for other in {number + 1, number - 1, 0, -number, GIANT, -GIANT} - {number}:
        yield f"{number} is {other}", f"{other:x},"
    yield f"{number} is nothing", "-,"


def _changes_of_list(items: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for i in range(len(items)):
        yield f"element {i} left out", [*items[:i], *items[i + 1 :]]
        yield f"element {i} twice", [*items[: i + 1], *items[i:]]
        if i:
            yield (
                f"elements {i - 1} and {i} exchanged",
                [*items[: i - 1], items[i], items[i - 1], *items[i + 1 :]],
            )


def forged_json(data: Any, names: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The data that differ in one place, each with what was done."""
    for words, other in _changes_of_json(data, names):
        yield words, other
    if isinstance(data, dict):
        for key, value in data.items():
            for words, other in forged_json(value, names if key != "verdict" else VERDICTS):
                yield f"{key}: {words}", {**data, key: other}
            yield f"{key} left out", {k: v for k, v in data.items() if k != key}
        if "kind" in data:
            yield from ((f"kind is {kind}", {**data, "kind": kind}) for kind in KINDS if kind != data["kind"])
    if isinstance(data, list):
        for i, value in enumerate(data):
            for words, other in forged_json(value, names):
                yield f"{i}: {words}", [*data[:i], other, *data[i + 1 :]]


def _changes_of_json(data: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    match data:
        case bool() | None:
            yield f"{data} is 1", 1
        case int() | float():
            for other in (data + 1, data - 1, 0, -data, GIANT, -GIANT):
                yield f"{data} is {other}", other
        case str():
            for other in ("", "../manifest.json", "\x00", *names):
                if other != data:
                    yield f"{data!r} is {other!r}", other
        case list():
            yield from _changes_of_list(data)
        case dict():
            yield "is a list", list(data)
    if data is not None:
        yield "is nothing", None


def as_json(data: Any) -> str:
    return json.dumps(data)
