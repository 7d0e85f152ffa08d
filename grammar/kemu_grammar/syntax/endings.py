"""How a game ends, and what else is written for it: `win(p)`, `draw`, `winner(p)`."""

from __future__ import annotations

from kemu_grammar.source.keywords import words
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.unparse import expression

FORMS = "a game ends with `end win(p)`, `end tie`, `end rank(score)` or `end pays(map)`"
TIES = words("tie tied draw drawn stalemate")
KINDS = {
    "win": "win", "wins": "win", "winner": "win", "victory": "win", "rank": "rank", "ranking": "rank",
    "pays": "pays", "pay": "pays", "payoff": "pays",
}  # fmt: skip


def meant(e: t.Value) -> str | None:
    """What stands behind `end`, if the expression was meant to end the game."""
    match e:
        case t.Name(id=name) | t.Call(value=t.Name(id=name), args=(), named=()) if name in TIES:
            return "tie"
        case t.Call(value=t.Name(id=name), args=(value,), named=()) if name in KINDS:
            return f"{KINDS[name]}({expression(value)})"
    return None


def advice(ending: str) -> str:
    return f"to end the game, write `end {ending}`"
