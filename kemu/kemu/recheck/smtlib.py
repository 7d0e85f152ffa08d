"""SMT-LIB files of a bundle: their parts, and the values of what they define in a concrete state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

TOKEN = re.compile(r"\|[^|]*\||[()]|[^\s()|]+")
SYMBOL = re.compile(r"\|([^|]*)\|")
DEFINITION = re.compile(r"\(define-fun (\|[^|]*\|) \(\) (Bool|Int) (.*)\)$")
EITHER = re.compile(r"\(not \(and (\|[^|]*\||\(or(?: \|[^|]*\|)+\)) (\|[^|]*\||\(or(?: \|[^|]*\|)+\))\)\)")
SUM = re.compile(r"\(assert \(= (\|sum \d+\|) (.*)\)\)$")
OPERATORS = {
    "and": " and ", "or": " or ", "+": " + ", "*": " * ", "=": " == ", "<=": " <= ", "<": " < ", ">": " > "
}  # fmt: skip

Values = dict[str, Any]


class Malformed(Exception):
    """A file that is not as `kemu verify --bundle` writes it; the message says how."""


@dataclass(frozen=True, slots=True)
class File:
    """The parts of a file in their order: title and lines. The last is the question."""

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    def part(self, title: str) -> tuple[str, ...]:
        """The lines of a part, none if it is missing."""
        return next((lines for name, lines in self.parts if name == title), ())


def parse(text: str) -> File:
    """The parts of a file. Raises Malformed for what does not belong there."""
    parts: list[tuple[str, list[str]]] = []
    lines = text.splitlines()
    if lines[-1:] != ["(check-sat)"]:
        raise Malformed("it does not end in (check-sat)")
    for line in lines[:-1]:
        if line.startswith(";; "):
            parts.append((line[3:], []))
        elif parts:
            parts[-1][1].append(line)
        elif not line.startswith((";", "(set-info :status unsat)", "(set-logic QF_")):
            raise Malformed(f"this line is out of place: {line[:60]}")
    for title, inside in parts:
        for line in inside:
            if not line.startswith(allowed(title)):
                raise Malformed(f"this line is out of place under {title}: {line[:60]}")
            if depth(line) != 0:
                raise Malformed(f"the brackets in this line do not match: {line[:60]}")
        found = re.fullmatch(r"(sum \d+)(, after)?", title)
        if found is not None:
            start = f"(assert (= |{found[1]}{chr(39) if found[2] else ''}| "
            if [line.startswith(start) for line in inside if line.startswith("(assert ")] != [True]:
                raise Malformed(f"{title} should be defined once")
    titles = [title for title, _ in parts]
    if len(set(titles)) < len(titles) or titles[:1] != ["declarations"] or titles[-1:] != ["question"]:
        raise Malformed("its parts are not in order")
    return File(tuple((title, tuple(inside)) for title, inside in parts))


def allowed(title: str) -> tuple[str, ...]:
    """How the lines of a part may begin."""
    if title == "declarations":
        return ("(declare-const |",)
    if title in ("types", "question", "equations") or title.startswith("choice at "):
        return ("(assert ",)
    if re.fullmatch(r"sum \d+(, after)?", title):
        return ("(define-fun |n", "(assert (= |sum ")
    return ("(define-fun |",)


def depth(line: str) -> int:
    """Open brackets that nothing closes; -1 if the line holds more than one bracket's worth."""
    level, closed = 0, False
    for token in TOKEN.findall(line):
        if closed:
            return -1
        level += (token == "(") - (token == ")")
        closed = level <= 0
    return level


def primed(text: str) -> str:
    return SYMBOL.sub(r"|\1'|", text)


def tree(text: str) -> Any:
    """The expression as nested lists of words. Raises Malformed."""
    stack: list[list[Any]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            if len(stack) < 2:
                raise Malformed("a closing bracket matches no opening one")
            inner = stack.pop()
            stack[-1].append(inner)
        else:
            stack[-1].append(token)
    if len(stack) != 1 or len(stack[0]) != 1:
        raise Malformed(f"this is not an expression: {text[:60]}")
    return stack[0][0]


def python(node: Any) -> str:
    """The expression as Python over a mapping `v`. Raises Malformed for an operator that is not known."""
    if isinstance(node, str):
        if node.startswith("|"):
            return f"v[{node!r}]"
        if node in ("true", "false"):
            return node.capitalize()
        if node.isdigit():
            return node
        raise Malformed(f"{node} is not known")
    head, *args = node
    parts = [python(arg) for arg in args]
    if head in OPERATORS and len(parts) > 1:
        return f"({OPERATORS[head].join(parts)})"
    match head, len(parts):
        case "not", 1:
            return f"(not {parts[0]})"
        case "=>", 2:
            return f"((not {parts[0]}) or {parts[1]})"
        case "-", 1:
            return f"(-{parts[0]})"
        case "-", 2:
            return f"({parts[0]} - {parts[1]})"
        case "ite", 3:
            return f"({parts[1]} if {parts[0]} else {parts[2]})"
        case "div", 2:
            return f"_div({parts[0]}, {parts[1]})"
    raise Malformed(f"{head} is not known")


def compiled(lines: Iterable[str]) -> Any:
    """Code that puts the values of all definitions in the lines into `v`."""
    out = []
    for line in lines:
        found = DEFINITION.match(line) or SUM.match(line)
        if found is not None:
            symbol, text = found.group(1), found.group(found.lastindex or 0)
            out.append(f"v[{symbol!r}] = {python(tree(text))}")
    return compile("\n".join(out), "conditions", "exec")


def run(code: Any, values: Values) -> None:
    """Works out definitions. Raises Malformed if one of them uses what is not defined."""
    try:
        exec(code, {"__builtins__": {}, "_div": _div, "v": values})
    except KeyError as missing:
        raise Malformed(f"{missing} is not defined") from None


def constant(value: int | bool) -> str:
    """A value as SMT-LIB has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value >= 0 else f"(- {-value})"


def holds(text: str, values: Values) -> bool:
    """Whether an expression holds."""
    try:
        return bool(eval(python(tree(text)), {"__builtins__": {}, "_div": _div, "v": values}))
    except KeyError as missing:
        raise Malformed(f"{missing} is not defined") from None


def excluded(text: str) -> tuple[list[str], list[str]]:
    """Of a text that says that none of some symbols holds together with one of some others: both; else
    nothing."""
    found = EITHER.fullmatch(text)
    return ([], []) if found is None else (symbols(found[1]), symbols(found[2]))


def symbols(text: str) -> list[str]:
    """The symbols in a text, with their bars."""
    return re.findall(r"\|[^|]*\|", text)


def asserted(lines: Iterable[str]) -> Iterator[str]:
    """The expressions that lines assert."""
    for line in lines:
        if line.startswith("(assert "):
            yield line[len("(assert ") : -1]


def _div(a: int, b: int) -> int:
    """As SMT-LIB has it: the remainder is never negative."""
    return a // b if b > 0 else -(a // -b) if b < 0 else 0
