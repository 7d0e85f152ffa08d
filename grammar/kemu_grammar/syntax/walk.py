"""Walks over the syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kemu_grammar.syntax import ast as t


def children(node: Any) -> Iterator[Any]:
    """The nodes directly below a node, in source order."""
    if isinstance(node, tuple):
        for item in node:
            if is_dataclass(item) or isinstance(item, tuple):
                yield item
    elif is_dataclass(node):
        for f in fields(node):
            if f.name != "span":
                value = getattr(node, f.name)
                if is_dataclass(value) or isinstance(value, tuple):
                    yield value


def names_in(node: Any) -> set[str]:
    """All names that occur in a tree, bound or not."""
    found = {node.id} if isinstance(node, t.Name) else set()
    for child in children(node):
        found |= names_in(child)
    return found


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
