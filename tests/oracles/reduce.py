"""The smallest rules file that still fails: lines are left out, and a part of an expression put in its place,
as long as anything can be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.parser import parse
from kemu_grammar.syntax.walk import children

MOST = 2_000  # files that are tried
PLAIN = ("0", "true", "none", "red")


def smallest(source: str, fails: Callable[[str], bool]) -> str:
    """`fails`: whether a file still shows what is looked for (one that cannot be read does not)."""
    tries, again = 0, True
    while again and tries < MOST:
        again = False
        for smaller in simpler(source):
            tries += 1
            if fails(smaller):
                source, again = smaller, True
                break
    return source


def simpler(source: str) -> Iterator[str]:
    """The file with one thing less in it: the large things first."""
    lines = source.splitlines(keepends=True)
    for i, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        end = i + 1
        while end < len(lines) and len(lines[end]) - len(lines[end].lstrip()) > depth:
            end += 1
        yield "".join(lines[:i] + lines[end:])
        if end > i + 1:
            yield "".join(lines[:i] + [x[4:] for x in lines[i + 1 : end]] + lines[end:])
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    try:
        tree = parse(source, "generated.kemu")
    except RulesError:
        return
    for node in expressions(tree):
        begin, end = place(node, starts)
        for part in (
            *(source[slice(*place(x, starts))] for x in children(node) if isinstance(x, t.Expr)),
            *PLAIN,
        ):
            if len(part) < end - begin:
                yield source[:begin] + part + source[end:]
        for item in listed(node):
            a, b = place(item, starts)
            for cut in (source[a:b] + ", ", ", " + source[a:b]):
                if cut in source[begin:end]:
                    yield source[:begin] + source[begin:end].replace(cut, "", 1) + source[end:]


def place(node: t.Node, starts: list[int]) -> tuple[int, int]:
    """Where a node stands in the text."""
    s = node.span
    return starts[s.line - 1] + s.column - 1, starts[s.end_line - 1] + s.end_column - 1


def expressions(node: Any) -> Iterator[t.Expr]:
    if isinstance(node, t.Expr):
        yield node
    for child in children(node):
        yield from expressions(child)


def listed(node: t.Expr) -> tuple[t.Expr, ...]:
    return node.items if isinstance(node, t.ListOf | t.SetOf) else ()
