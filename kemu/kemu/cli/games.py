"""`kemu games`: what can be played."""

from __future__ import annotations

import click
from kemu_grammar.game.game import Game, read
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax.ast import Number, Option, RangeType

from kemu.base.library import games, library
from kemu.base.words import counted


@click.command("games")
def command() -> None:
    """List the available games: title, players, options (the first value is the default), instances."""
    found = games()
    if not found:
        click.echo(f"there are no games in {library()}")
    for name, path in found.items():
        try:
            click.echo(f"{name}: {summary(read(path, library()))}")
        except RulesError as error:
            errors = counted(len(error.diagnostics), "error")
            click.echo(f"{name}: cannot be read ({errors}; `kemu check {name}` tells more)")


def summary(game: Game) -> str:
    parts = [game.title, f"players {players(game)}"]
    parts += [f"{option.kind} {described(option)}" for option in game.options.values()]
    if game.instances:
        parts.append(f"instances {', '.join(game.instances)}")
    return "; ".join(parts)


def players(game: Game) -> str:
    names = game.players.names
    low, high = game.players.low, game.players.high
    if isinstance(low, Number) and isinstance(high, Number):
        return f"{low.value}..{high.value}"
    return f"{len(names)} ({', '.join(names)})"


def described(option: Option) -> str:
    """`level: basic | beginner`, the default first."""
    name = "" if option.kind == option.name else f"{option.name}: "
    default = str(option.default).lower() if isinstance(option.default, bool) else str(option.default)
    if option.values == "bool":
        return f"{name}{default} | {'false' if option.default else 'true'}"
    if isinstance(option.values, RangeType):
        low, high = option.values.low, option.values.high
        limits = (
            f" in {low.value}..{high.value}" if isinstance(low, Number) and isinstance(high, Number) else ""
        )
        return f"{name}{default}{limits}"
    return name + " | ".join([default, *(str(value) for value in option.values if value != option.default)])
