"""What can stand in place of a line that nothing mends, so that the text around it can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from kemu_grammar.source.diagnostics import Edit, apply, offset
from kemu_grammar.source.span import Span
from kemu_grammar.syntax.chunks import reach_of
from kemu_grammar.syntax.syntax_hints import Reach

TEXT_OR_COMMENT = re.compile(r'"[^"]*"|#.*')
HARMLESS = ("pass", "if true:", "nothing:", "choose:", "each nothing in Player:")  # the third as an arm
HEADS = {
    "rule": "rule nothing:", "fun": "rule nothing:", "rules": "rules:", "state": "state:",
    "view": "view nothing:", "example": 'example "nothing":', "under": "under true:",
}  # fmt: skip
"""How declarations with a block begin; to see what else is wrong in it, a rule is as good as a fun."""


def without(text: str, span: Span) -> tuple[Edit, ...]:
    """What makes the line of a fault harmless, so that the text can be read further: the first thing with
    which the next line can be read, too, else that with which most can; nothing if nothing helps."""
    at = offset(text, span.line, span.column)
    end = text.find("\n", at)
    next_end = text.find("\n", end + 1)
    found: tuple[Edit, ...] = ()
    best = Reach(reach_of(text).stage, len(text) - end if end >= 0 else 0)
    enough = Reach(1, len(text) - next_end if next_end >= 0 else 0)
    for edit in _instead(text, span):
        reach = reach_of(apply((edit,), text))
        if reach.beyond(best):
            best, found = reach, (edit,)
            if reach.beyond(enough):
                break
    return found


def _instead(text: str, place: Span) -> Iterator[Edit]:
    """What could stand in place of a line, or of all lines of the brackets in it: a statement that does
    nothing, with a block or without; or nothing at all, nor in place of the block below."""
    lines, number, file = text.split("\n"), place.line, place.file
    for first, last in dict.fromkeys([(number, number), _bracketed(lines, number)]):
        line, width = lines[first - 1], len(lines[last - 1])
        margin = _margin(line)
        inside = Span(file, first, margin + 1, last, width + 1)
        for harmless in HARMLESS if margin else [HEADS.get(line.partition(" ")[0], "")]:
            yield inside, harmless
        if margin:
            yield Span(file, first, 1, last + 1, 1), ""
            yield Span(file, first, 1, last + 1 + _deeper(lines[last:], margin), 1), ""


def _deeper(lines: list[str], margin: int) -> int:
    """How many lines belong to a block within this indentation."""
    return len(list(takewhile(lambda line: not line.strip() or _margin(line) > margin, lines)))


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _bracketed(lines: list[str], number: int) -> tuple[int, int]:
    """The first and the last of the lines that brackets join to one, as far as these can be counted."""
    depth, first = 0, 1
    for at, line in enumerate(lines, 1):
        first = at if depth <= 0 else first
        code = TEXT_OR_COMMENT.sub("", line)
        depth = max(depth, 0) + sum((sign in "([{") - (sign in ")]}") for sign in code)
        if at >= number and depth <= 0:
            return first, at
    return first, len(lines)
