"""Unparsing: every expression and every block of the rules files parses back to an equal tree."""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax import unparse
from kemu_grammar.syntax.parser import parse

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted((ROOT / "spec").rglob("*.kemu"))


def nodes(value: Any) -> Iterator[t.Node]:
    if isinstance(value, t.Node):
        yield value
        for field in fields(value):
            yield from nodes(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from nodes(item)


def declared(text: str) -> Any:
    return parse(text, "again.kemu").declarations[0]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_expressions(path: Path) -> None:
    found = list(nodes(parse(path.read_text("utf-8"), str(path)).declarations))
    wanted = dict.fromkeys(node for node in found if isinstance(node, t.Expr) and stands_alone(node))
    assert wanted
    for node in wanted:
        text = unparse.expression(node)  # type: ignore[arg-type]
        assert declared(f"const x = {text}\n").value == node, text


def stands_alone(node: t.Node) -> bool:
    return not isinstance(node, t.Arrow) and not (isinstance(node, t.Comprehension) and node.kind == "each")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_blocks(path: Path) -> None:
    for one in parse(path.read_text("utf-8"), str(path)).declarations:
        if isinstance(one, t.Fun | t.Rule | t.Rules) and isinstance(one.body, tuple):
            text = "\n".join(["rules:", *unparse.block(one.body, 1), ""])
            assert declared(text).body == one.body, text


@pytest.mark.parametrize(
    "text",
    [
        "a - (b - c)",
        "-(a + b)**2",
        "(-a)**-b",
        "(a implies b) implies c",
        "not (a and b) or c",
        "(x if a else y) if b else z",
        "(a == b) == c",
        "(1..3)",
        "(a or b) and not c",
        "f(x, k=3)[1:]",
        "{a: 1, b: 2}",
        '"a {b} {{c}} \\"d\\""',
        "(a,)",
        "closure(a, x -> x + 1)",
        "{(x, y) for (x, y) in pairs if x < y for z in y}",
        "a | b & c - d",
        "xs[a, b].c is none",
    ],
)
def test_what_binds_how(text: str) -> None:
    tree = declared(f"const x = {text}\n").value
    assert declared(f"const x = {unparse.expression(tree)}\n").value == tree


@pytest.mark.parametrize(
    "text",
    [
        "may choose stop by other(p) if k > 1",
        "choose by p:\n        take(n in 1..2) if n < k:\n            k = n\n"
        "        leave:\n            pass\n        else:\n            end tie",
        "may choose together for p in S if p in a if b:\n        stop:\n            pass\n"
        "        else:\n            break",
        "sealed may choose hide(c in S) by p if k > 1",
        "sealed choose by p:\n        hide(c in S):\n            pass",
        "x: 0..4 = roll 2 of 1..6",
        "draw t from pile if t != k",
        "move all x from a to b",
        "for f in S in order of q:\n        break",
        "repeat at most 3:\n        continue",
        "require k > 1",
        "if a:\n        pass\n    elif b:\n        return\n    else:\n        end rank((score, k))",
    ],
)
def test_statements(text: str) -> None:
    tree = declared(f"rules:\n    {text}\n").body
    again = "\n".join(["rules:", *unparse.block(tree, 1), ""])
    assert declared(again).body == tree, again
