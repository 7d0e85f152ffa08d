"""What `under` replaces: the definition that holds in an instance, and what `before` is in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import refuse

REPLACES = t.Domain | t.Const | t.Fun | t.Rule


def replace_names(
    unders: Iterable[t.Under],
    names: dict[str, t.Declaration],
    before: dict[int, t.Fun | t.Rule],
    evaluator: Evaluator,
) -> None:
    """Puts the definitions that hold into `names`, in the order of the text; one may be new.

    `before` tells of a function which one it replaced; a rule that is replaced stays, under a name that no
    rules file can have.
    """
    for under in unders:
        if not evaluator.truth(under.condition, {}):
            continue
        for declaration in under.declarations:
            if not isinstance(declaration, REPLACES):
                continue
            name = declaration.name
            old = names.get(name)
            if name in evaluator.known:
                refuse(
                    "E0755",
                    declaration.span,
                    f"`{name}` is replaced here, but the condition of an `under` has looked at it already",
                )
            if isinstance(declaration, t.Fun) and isinstance(old, t.Fun):
                before[id(declaration)] = old
            if isinstance(declaration, t.Rule) and isinstance(old, t.Rule):
                kept = f"{name} before"
                while kept in names:
                    kept += " before"
                names[kept] = old
                declaration = replace(declaration, body=_renamed(declaration.body, "before", kept))
            names[name] = declaration
        evaluator.replaced()


def _renamed(node: Any, old: str, new: str) -> Any:
    """A tree in which a name has become another."""
    if isinstance(node, t.Name):
        return replace(node, id=new) if node.id == old else node
    if isinstance(node, tuple):
        return tuple(_renamed(item, old, new) for item in node)
    if not is_dataclass(node) or isinstance(node, t.Span):
        return node
    changed = {f.name: _renamed(getattr(node, f.name), old, new) for f in fields(node)}
    return replace(node, **changed)  # type: ignore[type-var]
