"""Walks over the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from kemu_grammar.syntax import ast as t


def children(node: Any) -> Iterator[Any]:
    """The nodes directly below a node, in source order."""
    kind: Any = type(node)
    held = node if isinstance(node, tuple) else [getattr(node, name) for name in _parts(kind) or ()]
    for each in held:
        kind = type(each)
        if isinstance(each, tuple) or _parts(kind) is not None:
            yield each


@cache
def _parts(kind: Any) -> tuple[str, ...] | None:
    """The fields of a kind of node but for its place; None for what is no node."""
    return tuple(f.name for f in fields(kind) if f.name != "span") if is_dataclass(kind) else None


def nodes(tree: Any, but: type[t.Node] | tuple[()] = ()) -> Iterator[Any]:
    """A tree and all that is below it, in no order; of a kind left out, nothing of what is below either."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, but):
            yield node
            waiting += children(node)


def names_in(tree: Any, but: type[t.Node] | tuple[()] = ()) -> set[str]:
    """All names that occur in a tree, bound or not."""
    return {node.id for node in nodes(tree, but) if isinstance(node, t.Name)}


def replaced(node: Any, old: t.Expr, new: t.Expr) -> Any:
    """The tree with another expression wherever one stands, but for comprehensions that bind its names."""
    if node == old:
        return new
    if isinstance(node, tuple):
        return tuple(replaced(item, old, new) for item in node)
    if isinstance(node, t.Comprehension) and names_in(old) & {x for c in node.clauses for x in c.targets}:
        return node
    if isinstance(node, t.Node):
        parts = {f.name: replaced(getattr(node, f.name), old, new) for f in fields(node) if f.name != "span"}
        return replace(node, **parts)
    return node
