"""Texts of programs, claims and proofs, read into nodes (docs/program-text.md)."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


class BadText(ValueError):
    """The text is not what docs/program-text.md describes; the message says where."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node: its name and its fields, which are numbers, texts, None, tuples and nodes."""

    kind: str
    fields: tuple[Any, ...]


_DEPTH = 20_000
_DIGITS = 4_000
_SIGN = re.compile(
    r'(?P<text>"(?:[^"\\\n]|\\.)*",)'
    r"|(?P<number>-?[0-9a-f]+,)"
    r"|(?P<nothing>-,)"
    r'|Fault (?P<fault>"(?:[^"\\\n]|\\.)*",)'
    r"|Snapshots (?P<snapshots>[0-9a-f]+,)"
    r"|(?P<open>[A-Z][A-Za-z]*\(|\[)"
    r"|(?P<close>\),|\],)"
)


def read(text: str) -> Any:
    """The one item that the text is."""
    stack: list[tuple[str, list[Any]]] = [("", [])]
    at = 0
    while at < len(text):
        if text[at] == "\n" and at == len(text) - 1:
            break
        match = _SIGN.match(text, at)
        if match is None:
            raise BadText(f"character {at}: no item begins here")
        sign = match.lastgroup
        body = match[sign] if sign else ""
        if sign == "open":
            if len(stack) > _DEPTH:
                raise BadText(f"character {at}: nested more than {_DEPTH} deep")
            stack.append((body, []))
        elif sign == "close":
            stack[-2:] = [_closed(stack, body, at)]
        else:
            stack[-1][1].append(_leaf(sign, body[:-1], at))
        at = match.end()
    if len(stack) != 1 or len(stack[0][1]) != 1:
        raise BadText("a text is one item, closed, and nothing else")
    return stack[0][1][0]


def _closed(stack: Sequence[tuple[str, list[Any]]], sign: str, at: int) -> tuple[str, list[Any]]:
    name, items = stack[-1]
    if len(stack) < 2 or (name == "[") != (sign == "],"):
        raise BadText(f"character {at}: `{sign}` closes nothing")
    stack[-2][1].append(tuple(items) if name == "[" else Node(name[:-1], tuple(items)))
    return stack[-2]


def _leaf(sign: str | None, body: str, at: int) -> Any:
    try:
        match sign:
            case "text":
                return json.loads(body)
            case "number":
                return _number(body, at)
            case "fault":
                return Node("Fault", (json.loads(body),))
            case "snapshots":
                return Node("Snapshots", (_number(body, at),))
            case _:
                return None
    except json.JSONDecodeError as error:
        raise BadText(f"character {at}: {error}") from None


def _number(body: str, at: int) -> int:
    if len(body) > _DIGITS:
        raise BadText(f"character {at}: a number of {len(body)} digits")
    return int(body, 16)
