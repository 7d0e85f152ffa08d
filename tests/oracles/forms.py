"""The forms of the language: every construct of the syntax tree with each of its choices, all built-ins.

The list is read off the classes of the tree, so that what the language gains is on it without more ado.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from kemu_grammar.check.builtins import FUNCTIONS, METHODS
from kemu_grammar.syntax import ast as t

NODES = (
    *get_args(t.Statement), *get_args(t.Expr), t.Roll, t.Draw, *get_args(t.Type),
    t.Arm, t.Clause, t.FunParameter, t.StateVariable, t.Fun, t.Rule,
)  # fmt: skip
SKIPPED = frozenset({"span", "doc", "cites"})
NEVER = {
    "no text has it": """
        Choose.arms empty, Clause.targets empty, Compare.rest empty, Comprehension.clauses empty,
        For.body empty, For.targets empty, GenericType.args empty, If.branches empty, Logic.items empty,
        Logic.items of one, Path.body empty, Repeat.body empty, Rule.body empty, SetOf.items empty,
        Tuple.items empty, Tuple.items of one, While.body empty, Arrow.params empty, Arrow.params of several
    """,
    "a game with a rule for nobody in particular says no more": "Rule.params empty",
    "numbers that go round are worked out before play, and tested there": "ring()",
}
"""What the generator never writes, by the reason."""


def known() -> set[str]:
    """All forms that there are."""
    found = {f"{name}()" for name in FUNCTIONS} | {f".{name}()" for name in METHODS}
    for node in NODES:
        found.add(node.__name__)
        hints = get_type_hints(node)
        for f in fields(node):
            if f.name not in SKIPPED:
                found |= {f"{node.__name__}.{f.name}{end}" for end in _endings(hints[f.name])}
    return found


def _endings(hint: Any) -> set[str]:
    """What tells the choices of a field apart."""
    if hint is bool:
        return {"=True", "=False"}
    if get_origin(hint) is Literal:
        return {f"={value}" for value in get_args(hint)}
    if hint == t.Block:
        return {" empty", " filled"}
    if get_origin(hint) is tuple:
        return {" of several", " of one", " empty"} if Ellipsis in get_args(hint) else set()
    if NoneType in get_args(hint):
        return {"", " missing"}
    return set()


def written(node: Any) -> Iterator[str]:
    """The forms in a piece of the tree, each as often as it stands there."""
    if isinstance(node, tuple):
        for part in node:
            yield from written(part)
    if not isinstance(node, t.Node):
        return
    kind = type(node).__name__
    yield kind
    if isinstance(node, t.Call):
        yield (
            f"{node.value.id}()"
            if isinstance(node.value, t.Name)
            else f".{getattr(node.value, 'name', '')}()"
        )
    hints = get_type_hints(type(node))
    for f in fields(node):
        if f.name in SKIPPED:
            continue
        value, endings = getattr(node, f.name), _endings(hints[f.name])
        for end in endings:
            if _is(value, end):
                yield f"{kind}.{f.name}{end}"
        yield from written(value)


def _is(value: Any, end: str) -> bool:
    match end:
        case "":
            return value is not None
        case " missing":
            return value is None
        case " empty":
            return len(value) == 0
        case " filled":
            return len(value) > 0
        case " of one":
            return len(value) == 1
        case " of several":
            return len(value) > 1
    return f"={value}" == end
