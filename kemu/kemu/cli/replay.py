"""`kemu replay`: a saved game or trace, once more."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from kemu_engine.play.game import Game, StateError
from kemu_engine.play.record import RecordError, load
from kemu_engine.play.trace import Trace, trace

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import remade
from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.console import width
from kemu.render.trace import closing, fitted, lines, told
from kemu.render.words import instance as settings_of
from kemu.service.runs import with_program


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("game", required=False)
@click.option("--step", "stepwise", is_flag=True, help="Wait for Enter after every step.")
@click.option("--as", "player", metavar="PLAYER", help="Show what PLAYER sees and is told, `?` for the rest.")
@click.option(
    "--json", "machine", is_flag=True, help="With --as: print what PLAYER knows, a JSON object for each stop."
)
@click.option("--full/--short", default=True, help="Show every board, or only the first and last ones.")
def command(
    file: Path, game: str | None, stepwise: bool, full: bool, player: str | None, machine: bool
) -> None:
    """Show the saved game or trace in FILE, played again by the rules.

    GAME names the rules if they have moved since the file was written.
    """
    kept = save_files.load(file)
    playable = with_program(remade(kept, game), kept.program)
    if player is not None and player not in playable.players:
        names = ", ".join(playable.players)
        raise BadInput(f"no player is called {shown(player)}; the players are {names}")
    if machine and player is None:
        raise click.UsageError("--json says what one player knows: --as PLAYER has to be there, too")
    played = again(playable, kept, file, player)
    if machine:
        if played.final is not None:
            for stop in played.final.information_state(player).to_json():
                click.echo(json.dumps(stop))
        return
    whose = f" as {player} sees it" if player is not None else ""
    click.echo(f"{playable.title}, {settings_of(playable)}: {counted(len(kept.steps), 'step')}{whose}")
    if kept.note and player is None:
        click.echo(kept.note)
    click.echo()
    if stepwise:
        walk(playable, played)
    else:
        click.echo("\n".join(lines(playable, played, width(), full)))


def again(game: Game, kept: save_files.Saved, file: Path, player: str | None = None) -> Trace:
    """What happens when the record is played; with a player, as he sees it. Raises BadInput."""
    try:
        if kept.program != game.hash:
            load(file, game)  # says what does not agree
        start = None if kept.start is None else game.state(kept.start)
        return trace(game, kept.steps, start, player)
    except (RecordError, StateError) as error:
        raise BadInput(f"{shown(str(file))} cannot be replayed: {error}") from error


def walk(game: Game, played: Trace) -> None:
    """Step by step, as fast as Enter is pressed; stops at the end of the input."""
    steps = told(played, width(), True)
    for number, draw in enumerate(steps, 1):
        click.echo("\n".join(beside(fitted([draw()], width()), width())))
        if number < len(steps):
            click.echo("-- Enter to continue, q to quit: ", nl=False)
            typed = sys.stdin.readline() if sys.stdin else ""
            if not typed or typed.strip().lower().startswith("q"):
                click.echo()
                return
    click.echo("\n".join(closing(game, played)))
