"""`kemu perft`: how many ways there are to play a number of steps."""

from __future__ import annotations

import json
import time
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from kemu_engine.batch.perft import Depth, OutOfRoom, perft
from kemu_engine.play.examples import position
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from kemu.base import save_files
from kemu.base.library import BadInput
from kemu.base.opening import ready
from kemu.base.timeouts import tried
from kemu.base.words import counted
from kemu.cli.common import instance_options, without_webassembly
from kemu.cli.explore import MEGABYTE, PATIENCE, UNFINISHED, memory_option
from kemu.cli.progress import Watch
from kemu.cli.replay import again
from kemu.render.console import fitted
from kemu.render.words import instance as settings_of


@click.command("perft")
@click.argument("game")
@click.argument("depth", type=click.IntRange(min=0))
@instance_options
@memory_option
@click.option("--turns", is_flag=True, help="Count turns: all that a player does until another decides.")
@click.option("--example", metavar="TITLE", help="Begin where an example of the rules file ends.")
@click.option("--saved", type=click.Path(path_type=Path), help="Begin where a saved game stands.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs to read.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    depth: int,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    memory: int,
    turns: bool,
    example: str | None,
    saved: Path | None,
    as_json: bool,
) -> None:
    """Count the ways to play GAME for 1, 2, ... DEPTH steps: sequences of actions and outcomes of chance.

    If no game is longer than DEPTH, these are all the ways to play it. `kemu explore` counts the states.
    The exit code is 3 if memory did not suffice.
    """
    playable = ready(game, sets, players, instance)
    tried(playable)
    first = beginning(playable, example, saved)
    unit = "turn" if turns else "step"
    start = time.perf_counter()
    found: list[Depth] = []
    stopped = ""
    with Watch() as watch:
        try:
            for each in perft(playable, depth, memory * MEGABYTE, first, turns):
                if each is not None:
                    found.append(each)
                    watch.show(f"{counted(each.steps, unit)}: {each.ways:,} ways")
        except OutOfRoom:
            stopped = "memory is full; --memory allows more"
        except KeyboardInterrupt:
            stopped = "interrupted"
    seconds = time.perf_counter() - start
    if as_json:
        click.echo(json.dumps(as_data(playable, found, not stopped, seconds), indent=2))
    else:
        click.echo(fitted(f"{playable.title}, {settings_of(playable)}"))
        click.echo("\n".join([*table(found, unit), *report(found, depth, not stopped, unit)]))
    if stopped:
        click.echo(stopped, err=True)
        context.exit(130 if stopped == "interrupted" else UNFINISHED)
    if seconds > PATIENCE:
        without_webassembly()


def beginning(game: Game, example: str | None, saved: Path | None) -> State | None:
    """Where the ways begin, if not where the game does. Raises BadInput."""
    if example is not None and saved is not None:
        raise click.UsageError("--example and --saved are two places to begin; name one")
    if saved is not None:
        return again(game, save_files.load(saved), saved).final
    if example is None:
        return None
    try:
        return position(game, example)
    except ValueError as error:
        raise BadInput(f'"{example}": {error}') from error
    except LookupError:
        titles = [e.title for e in game.program.examples]
        near = get_close_matches(example, titles, 1, 0.4)
        hint = f'; did you mean "{near[0]}"?' if near else ""
        raise BadInput(f'there is no example "{example}" here{hint}') from None


def table(found: list[Depth], unit: str) -> list[str]:
    """A line for each number of steps."""
    rows = [(f"{each.steps}", f"{each.ways:,}", f"{each.ended:,}") for each in found[1:] if each.ways]
    rows.insert(0, (f"{unit}s", "ways to play", "ended"))
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{each:>{size}}" for each, size in zip(row, wide, strict=True)) for row in rows]


def report(found: list[Depth], depth: int, done: bool, unit: str) -> list[str]:
    games, faulted = sum(each.ended for each in found), sum(each.faulted for each in found)
    if not found:
        return ["nothing is known yet"]
    if done and whole(found, depth):
        longest = max((each.steps for each in found if each.ended), default=0)
        out = [f"{counted(games, 'game')}, the longest of {counted(longest, unit)}"]
    else:
        out = [f"{counted(games, 'game')} of at most {counted(found[-1].steps, unit)}"]
    if faulted:
        out.append(f"and {counted(faulted, 'way')} on which the rules break down; `kemu verify` shows one")
    return out


def whole(found: list[Depth], depth: int) -> bool:
    """Whether all games are over."""
    return found[-1].steps < depth or found[-1].ways == found[-1].ended


def as_data(game: Game, found: list[Depth], done: bool, seconds: float) -> dict[str, Any]:
    """The report as JSON."""
    return {
        "game": game.title,
        "settings": game.settings,
        "players": list(game.players),
        "complete": done,
        "depths": [
            {"steps": each.steps, "ways": each.ways, "ended": each.ended, "faulted": each.faulted}
            for each in found
        ],
        "seconds": round(seconds, 3),
    }
