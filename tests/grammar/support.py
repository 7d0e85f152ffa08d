"""What the tests of the grammar share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kemu_grammar.game.game import Game, read_text
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.syntax.parser import parse

LIBRARY = Path(__file__).parents[2] / "spec"
FRAME = 'game "Test"\nplayers ann, ben\n'


def only(text: str) -> Any:
    """The one declaration of a text."""
    (declaration,) = parse(text, "test.kemu").declarations
    return declaration


def expression(text: str) -> Any:
    """The tree of an expression."""
    return only(f"const it = {text}").value


def statements(*lines: str) -> Any:
    """The trees of the statements of a rule."""
    return only("rules:\n" + "\n".join("    " + line for line in lines)).body


def game(text: str) -> Game:
    """A small game of a few declarations, its rules among them."""
    return read_text(FRAME + text, "test.kemu", LIBRARY)


def faults(text: str, rules: str = "end tie") -> tuple[Diagnostic, ...]:
    """What is wrong with a few declarations in a small game."""
    if "rules:" not in text:
        text += f"\nrules:\n    {rules}\n"
    try:
        read_text(FRAME + text, "test.kemu", LIBRARY)
    except RulesError as error:
        return error.diagnostics
    return ()


def codes(text: str, rules: str = "end tie") -> list[str]:
    return [d.code for d in faults(text, rules)]
