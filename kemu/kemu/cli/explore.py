"""`kemu explore`: how many states a game can reach."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

import click
from kemu_engine.batch.explore import Explored, explore
from kemu_engine.play.game import Game
from kemu_engine.run.wasm.programs.explorer import MEMORY

from kemu.base.opening import ready
from kemu.base.timeouts import tried
from kemu.base.words import counted
from kemu.cli.common import instance_options, without_webassembly
from kemu.cli.progress import Watch
from kemu.render.console import fitted
from kemu.render.words import instance as settings_of

MEGABYTE = 1 << 20
MANY = 100_000  # states, of which it may be said how many bytes each takes
UNFINISHED = 3  # the exit code if there is more than was looked at
PATIENCE = 3  # seconds after which it is worth while to say that there is a faster way

memory_option = click.option(
    "--memory",
    type=click.IntRange(min=1, max=4096),
    default=MEMORY // MEGABYTE,
    show_default=True,
    metavar="MB",
    help="How many megabytes the states may take.",
)


@click.command("explore")
@click.argument("game")
@instance_options
@click.option(
    "--most",
    type=click.IntRange(min=1),
    default=10_000_000,
    show_default=True,
    metavar="N",
    help="Stop when this many states have been found.",
)
@memory_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs to read.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    most: int,
    memory: int,
    as_json: bool,
) -> None:
    """Find all states that GAME can reach from its beginning, and say how many there are.

    Two states are the same if they agree in everything that matters for the rest of the game.
    `kemu perft` counts the ways to play instead. The exit code is 3 if there are more than were found.
    """
    playable = ready(game, sets, players, instance)
    tried(playable)
    found, interrupted = Explored(""), False
    start = time.perf_counter()
    with Watch() as watch:
        try:
            for found in explore(playable, most, memory * MEGABYTE):
                watch.show(f"{found.count:,} states, {found.count - found.expanded:,} still to explore")
        except KeyboardInterrupt:
            interrupted = True
    seconds = time.perf_counter() - start
    if as_json:
        click.echo(json.dumps(as_data(playable, found, seconds), indent=2))
    else:
        click.echo(fitted(f"{playable.title}, {settings_of(playable)}"))
        click.echo("\n".join(report(playable, found, seconds)))
    if interrupted:
        click.echo("interrupted", err=True)
        context.exit(130)
    if not found.complete and not as_json:
        why = "memory is full; --memory allows more" if found.full else "--most allows more"
        click.echo(f"stopped at {counted(found.count, 'state')}: {why}", err=True)
    if seconds > PATIENCE:
        without_webassembly()
    if not found.complete:
        context.exit(UNFINISHED)


def report(game: Game, found: Explored, seconds: float) -> list[str]:
    kinds = [("decision", found.decisions), ("chance node", found.chances), ("end", found.ends)]
    split = [counted(number, kind) for kind, number in kinds if number]
    if found.count > found.expanded:
        split.append(f"{found.count - found.expanded:,} not explored yet")
    least = "" if found.complete else "at least "
    out = [f"{least}{counted(found.count, 'state')}: {', '.join(split)}" if split else "no state"]
    steps = found.actions + found.outcomes
    if steps:
        out.append(fitted(f"{least}{counted(steps, 'step')}{branching(found)}"))
    if found.levels:
        out.append(
            f"{least}{counted(found.depth, 'step')} deep; states by their distance from the initial one:"
        )
        out += table(found.levels)
    for number, count in found.faults.items():
        what = game.program.faults[number].message if number >= 0 else "the rules loop forever"
        told = f"{counted(count, 'step')} at which the rules break down ({what}); `kemu verify` shows one"
        out.append(fitted(told))
    return [*out, fitted(speed(found, seconds))]


def branching(found: Explored) -> str:
    means = []
    if found.decisions:
        means.append(f"{found.actions / found.decisions:.2f} actions per decision")
    if found.chances:
        means.append(f"{found.outcomes / found.chances:.2f} outcomes per chance node")
    return f"; {', '.join(means)}, at most {found.widest}" if means else ""


def table(levels: Sequence[int], columns: int = 6, most: int = 60) -> list[str]:
    """Several numbers per line, each line beginning with the distance of its first."""
    wide = max(len(f"{each:,}") for each in levels)
    lines = []
    for at in range(0, min(most, len(levels)), columns):
        row = "  ".join(f"{each:>{wide},}" for each in levels[at : at + columns])
        lines.append(f"  {at:>4}  {row}")
    if len(levels) > most:
        lines.append(f"  and {len(levels) - most:,} more levels, the last with {levels[-1]:,} states")
    return lines


def speed(found: Explored, seconds: float) -> str:
    rate = f", {found.expanded / seconds:,.0f} states a second" if seconds > 0 else ""
    memory = ""
    if found.memory and found.count >= MANY:
        each = found.memory / found.count
        memory = f", {found.memory / MEGABYTE:,.0f} MB, {each:,.0f} bytes per state"
    return f"in {seconds:.1f} s{rate}, by {found.reader}{memory}"


def as_data(game: Game, found: Explored, seconds: float) -> dict[str, Any]:
    """The report as JSON."""
    faults = game.program.faults
    return {
        "game": game.title,
        "settings": game.settings,
        "players": list(game.players),
        "complete": found.complete,
        "states": found.count,
        "expanded": found.expanded,
        "decisions": found.decisions,
        "chance_nodes": found.chances,
        "ends": found.ends,
        "actions": found.actions,
        "outcomes": found.outcomes,
        "most_moves": found.widest,
        "depth": found.depth,
        "levels": list(found.levels),
        "faults": [
            {"code": faults[at].code if at >= 0 else "silent_loop", "steps": count}
            for at, count in found.faults.items()
        ],
        "reader": found.reader,
        "seconds": round(seconds, 3),
        "memory": found.memory,
    }
