"""The fixed list of operators: what one small change can do to a node of the syntax tree.

Those about turns and results stand in turns_and_results.py; the others:

neighbour      a number of a point or direction moved by one, a member of an enum for the next one, `.x` for
`.y`
player         one player for another: names, `other(p)` for `p` and back, `left` for `right`
comparison     `==` `!=`, `<` `<=`, `>` `>=`, `in` `not in`, `is some` `is none`; a `not` dropped
constant       any other number one more, one less
condition      a conjunct dropped, the test of an `if` or a filter always true
statement      a statement dropped
branches       the two sides of an `if` or a conditional expression swapped
domain         another domain of the same kind
connective     `and` for `or`
quantifier     `any` for `all`
extreme        `min` for `max`
arithmetic     `+` `-`, `*` for `+`, `//` for `*`, `%` for `//`, `|` for `&`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_verifier.mutate.places import Change, Here, Names
from kemu_verifier.mutate.player_changes import player_changes
from kemu_verifier.mutate.turns_and_results import result_changes, turn_changes

OPERATORS = (
    "begins",
    "asked",
    "winner",
    "inverted",
    "tie",
    "neighbour",
    "player",
    "comparison",
    "constant",
    "condition",
    "statement",
    "branches",
    "domain",
    "connective",
    "quantifier",
    "extreme",
    "arithmetic",
)

_COMPARISON = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "in": "not in", "not in": "in",
}  # fmt: skip
_ARITHMETIC = {
    "+": "-", "-": "+", "*": "+", "//": "*", "%": "//", "**": "*", "|": "&", "&": "|",
}  # fmt: skip
_ASSIGNED = {"+=": "-=", "-=": "+=", "|=": "&=", "&=": "|="}
_AXES = {"x": "y", "y": "x"}
TRUE = t.Truth(True)


def changes(node: t.Node, names: Names, here: Here) -> Iterator[Change]:
    """What the operators make of this node itself, not of its parts."""
    yield from player_changes(node, names, here)
    match node:
        case t.Number(value):
            kind = "neighbour" if here.in_point else "constant"
            yield kind, number(value + 1)
            yield kind, number(value - 1)
        case t.Unary("-", t.Number(value)):
            kind = "neighbour" if here.in_point else "constant"
            yield kind, number(1 - value)
            yield kind, number(-value - 1)
        case t.Name(name):
            yield from _name(name, names, here)
        case t.Field(value, axis) if axis in _AXES:
            yield "neighbour", replace(node, name=_AXES[axis])
        case t.Call():
            yield from _call(node)
        case t.Unary("not", operand):
            yield "comparison", operand
        case t.Binary(op, left, right) if op in _ARITHMETIC:
            yield "arithmetic", t.Binary(_ARITHMETIC[op], left, right)  # type: ignore[arg-type]
        case t.Compare(first, pairs):
            for at, (sign, other) in enumerate(pairs):
                other_sign: Any = _COMPARISON[sign]
                yield "comparison", t.Compare(first, (*pairs[:at], (other_sign, other), *pairs[at + 1 :]))
        case t.Presence(value, some):
            yield "comparison", t.Presence(value, not some)
        case t.Logic(word, items):
            yield "connective", t.Logic("or" if word == "and" else "and", items)
            if word == "and":
                for at in range(len(items)):
                    rest = items[:at] + items[at + 1 :]
                    yield "condition", rest[0] if len(rest) == 1 else t.Logic("and", rest)
        case t.Choice(test, then, other):
            yield "branches", t.Choice(test, other, then)
        case t.Clause(conditions=conditions):
            yield from _filters(node, conditions)
        case _:
            yield from turn_changes(node, names, here)
            yield from result_changes(node, names, here)
            yield from _statement(node)


def number(value: int) -> t.Expr:
    """A literal, with a sign if need be."""
    return t.Number(value) if value >= 0 else t.Unary("-", t.Number(-value))


def _name(name: str, names: Names, here: Here) -> Iterator[Change]:
    if name in here.bound:
        return
    if name in names.next_member:
        yield "neighbour", t.Name(names.next_member[name])
    for other in names.like.get(name, ()):
        yield "domain", t.Name(other)


def _call(node: t.Call) -> Iterator[Change]:
    match node:
        case t.Call(t.Name("any" | "all" as which)):
            yield "quantifier", replace(node, value=t.Name("all" if which == "any" else "any"))
        case t.Call(t.Name("min" | "max" as which)):
            yield "extreme", replace(node, value=t.Name("max" if which == "min" else "min"))


def _filters(node: t.Clause | t.For, conditions: tuple[t.Expr, ...]) -> Iterator[Change]:
    for at in range(len(conditions)):
        yield "condition", replace(node, conditions=conditions[:at] + conditions[at + 1 :])


def _statement(node: t.Node) -> Iterator[Change]:
    match node:
        case t.If(branches, other):
            for at, (test, body) in enumerate(branches):
                if test != TRUE:
                    yield (
                        "condition",
                        replace(node, branches=(*branches[:at], (TRUE, body), *branches[at + 1 :])),
                    )
            (test, body), rest = branches[0], branches[1:]
            if rest:
                yield "branches", replace(node, branches=((test, rest[0][1]), (rest[0][0], body), *rest[1:]))
            elif other:
                yield "branches", replace(node, branches=((test, other),), other=body)
            else:
                yield "branches", replace(node, branches=((t.Unary("not", test), body),))
        case t.For(conditions=conditions):
            yield from _filters(node, conditions)
        case t.Arm(condition=condition) if condition is not None:
            yield "condition", replace(node, condition=None)
        case t.Draw(condition=condition) if condition is not None:
            yield "condition", replace(node, condition=None)
        case t.Assign(op=op) if op in _ASSIGNED:
            new_op: Any = _ASSIGNED[op]
            yield "arithmetic", replace(node, op=new_op)


def without(statements: t.Block) -> Iterator[tuple[t.Statement, t.Block]]:
    """(a statement, the block without it)"""
    for at, one in enumerate(statements):
        if not isinstance(one, t.Pass | t.Assert):
            rest = statements[:at] + statements[at + 1 :]
            yield one, rest or (t.Pass(),)
