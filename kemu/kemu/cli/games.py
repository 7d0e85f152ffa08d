"""`kemu games`: what can be played, and as what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

import click
from kemu_grammar.game.game import Game, read
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import Instance, Number, Option, RangeType
from kemu_grammar.syntax.unparse import expression

from kemu.base.library import games, library
from kemu.base.opening import offered, opened
from kemu.base.words import counted
from kemu.render.console import width

SIDE = 24  # columns of what stands on the left of a list
HEADS = {
    "edition": "edition: which text is meant; the first value is the default",
    "option": "options: the first value is the default",
    "reading": "readings, where the text leaves something open: the first value is the default",
}


@click.command("games")
@click.argument("game", required=False)
def command(game: str | None) -> None:
    """List the available games; with GAME, the options and instances of one.

    GAME is the name of an available game, a rules file, or a folder that contains one.
    """
    click.echo("\n".join(catalogue() if game is None else described(opened(game))))


def catalogue() -> Iterator[str]:
    """The games of the library as a table: name, players, what it is."""
    found = games()
    if not found:
        yield f"there are no games in {library()}"
        return
    rows = [("game", "players", "")]
    for name, path in found.items():
        try:
            game = read(path, library())
            rows.append((name, seats(game), about(game)))
        except RulesError as error:
            errors = counted(len(error.diagnostics), "error")
            rows.append((name, "", f"cannot be read ({errors}; `kemu check {name}` tells more)"))
    first, second = (max(len(row[i]) for row in rows) + 2 for i in (0, 1))
    for name, number, text in rows:
        lines = wrap(text, width() - first - second) or [""]
        yield f"{name:{first}}{number:{second}}{lines[0]}".rstrip()
        yield from (" " * (first + second) + line for line in lines[1:])
    yield "\n`kemu games GAME` tells the options of a game; `kemu play GAME` plays it"


def about(game: Game) -> str:
    """What the game is, in a sentence: what the comment above `game "..."` says after the colon."""
    first, _, rest = " ".join(game.doc.split()).partition(": ")
    return re.split(r"(?<=[a-z])[.] ", rest or first)[0].removesuffix(".")


def seats(game: Game) -> str:
    """`2`, `2..6`"""
    low, high = game.players.low, game.players.high
    if isinstance(low, Number) and isinstance(high, Number):
        return f"{low.value}..{high.value}"
    return str(len(game.players.names))


def described(game: Game) -> Iterator[str]:
    """One game: title, players, options, instances."""
    yield game.title
    if game.doc:
        yield from wrap(" ".join(game.doc.split()), width())
    yield f"\nplayers {seats(game)}: {', '.join(game.players.names)}"
    for kind in ("edition", "option", "reading"):
        found = [option for option in offered(game, game.options.values()) if option.kind == kind]
        if found:
            yield f"\n{HEADS[kind]}"
        for option in found:
            yield from _line(option.name, values(option), option.text)
    named = offered(game, game.instances.values())
    if named:
        yield "\ninstances: `--instance NAME`"
        for instance in named:
            yield from _line(instance.name, settings(instance), "")


def _line(name: str, text: str, more: str) -> Iterator[str]:
    side = f"  {name}"
    body = wrap(text, width() - SIDE) or [""]
    if len(side) >= SIDE:
        yield side
        side = ""
    yield f"{side:{SIDE}}{body[0]}"
    rest = [*body[1:], *wrap(more, width() - SIDE)]
    yield from (" " * SIDE + line for line in rest)


def values(option: Option) -> str:
    """`basic | beginner`, the default first; `3..19, by default 9 if beginner else 19`."""
    if not isinstance(option.default, str | int):
        return f"{allowed(option)}, by default {expression(option.default)}"
    default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
    if option.values == "bool":
        return f"{default} | {'false' if option.default else 'true'}"
    if isinstance(option.values, RangeType):
        return f"{default}, {allowed(option)}"
    return " | ".join([default, *(str(value) for value in option.values if value != option.default)])


def allowed(option: Option) -> str:
    """`basic | beginner`, `3..19`"""
    if isinstance(option.values, RangeType):
        return f"{expression(option.values.low)}..{expression(option.values.high)}"
    return " | ".join(map(str, ("true", "false") if option.values == "bool" else option.values))


def settings(instance: Instance) -> str:
    """`players=2, level=master`"""
    return ", ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in instance.settings
    )
