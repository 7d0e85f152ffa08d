"""What can be typed at the table, and what the board shows: told at the beginning and by `help`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap

from kemu_engine.lower.settings import choose_settings
from kemu_engine.play.action import Action
from kemu_engine.play.game import Game as Playable
from kemu_engine.static.values import text_of
from kemu_grammar.game.game import Game

from kemu.base.opening import nearest
from kemu.render.board import beside
from kemu.render.told_rules import rules_told
from kemu.table.input import short, words

WORDS = {
    "?": "list the possible actions", "? TEXT": "those that begin with TEXT", "board": "show the board again",
    "places": "mark on the board what is possible; TEXT may follow", "why": "the rule that was in the way",
    "why TEXT": "the rule about that action", "rules": "what the rulebook says; TEXT may follow",
    "hint": "what a strong player would do", "legend": "what the signs on the board mean",
    "history": "what has happened so far",
    "undo": "take back your last decision",
    "save FILE": "save the game, and play on", "quit": "leave; the game can be saved", "help": "show this",
}  # fmt: skip
BRACKETS = (
    "On the board [ ] marks what has changed since you saw it last, ( ) what `places` marks, or what ended "
    "the game."
)
MORE = """\
A colon in front of a word (":undo") makes it a command even if an action has that name; `moves` is the \
same as `?`. In a terminal, a game that you leave in any other way (Ctrl-C, Ctrl-D) is saved, and you are \
told how to continue it."""


def manual(rules: Game, actions: Sequence[Action], width: int) -> list[str]:
    """How an action is typed, the commands, and what the comments above the views say of their signs."""
    commands = [[f"  {word:<10} {meaning}"] for word, meaning in WORDS.items()]
    return [
        *wrapped(typing(actions), width),
        *(line for line in beside(commands, width) if line),
        *wrapped(BRACKETS, width),
        *legends(rules, (), width),
        *wrapped(MORE, width),
    ]


def legends(rules: Game, told: Sequence[str], width: int) -> list[str]:
    """What the comments above the views say of their signs, and what is `told` below the boards."""
    said = [" ".join(view.doc.split()) for view in rules.views if view.doc]
    return [line for text in [*said, *told] for line in wrapped(text, width)]


def wrapped(text: str, width: int) -> list[str]:
    return wrap(text, width, break_on_hyphens=False)


def typing(actions: Sequence[Action]) -> str:
    """How an action is typed, with one of these for an example."""
    longest = max(actions, key=lambda each: len(each.args))
    alone = [" ".join(words(longest.text)[1:])] if longest.args else []
    ways = ", ".join(f'"{way}"' for way in dict.fromkeys([longest.text, short(longest.text), *alone]))
    return (
        f'Type an action, or enough of it: {ways}. Or type its number as the list shows it: "#5", or just '
        '"5" where actions take no numbers. If several actions begin with what you typed, they are listed; '
        "in a terminal, the Tab key completes words."
    )


def greeting(rules: Game) -> str:
    """What can be typed first of all."""
    if rules_told(rules, "", len(MORE)):
        return "`?` lists the possible actions, `rules` tells the rules, `help` what else to type."
    return "`?` lists the possible actions, `help` explains what else can be typed."


def options(rules: Game, played: Playable, name: str) -> str:
    """The options of a game that is played, those left out that are as by default."""
    usual = choose_settings(rules, {}, len(played.players))
    changed = [
        f"{option}={value}" for option, value in played.settings.items() if value != text_of(usual[option])
    ]
    others = "other options" if changed else "All options"
    told = f"{others} as by default: `kemu games {nearest(Path(name))}` tells them."
    return "; ".join([", ".join(changed), told] if changed else [told])
