"""`kemu count`: the reachable positions and the complete games of a small instance."""

from __future__ import annotations

import click
from rich.progress import Progress, SpinnerColumn, TextColumn

from engine.state import FaultError
from kemu.commands.common import instance_options, made, opened, wanted
from kemu.count import Count, count
from kemu.find import BadInput
from kemu.render.paper import console, terminal
from kemu.render.verdicts import instance as settings_of
from kemu.render.words import counted


@click.command("count")
@click.argument("game")
@instance_options
@click.option(
    "--budget",
    type=click.IntRange(min=1),
    default=1_000_000,
    show_default=True,
    help="Stop after so many positions.",
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    budget: int,
) -> None:
    """Count the positions that GAME can reach, and the ways to play it from the beginning to an end.

    Positions are equal if all that matters for the rest of the game is; a way to play is a sequence of
    actions and outcomes.
    """
    rules = opened(game)
    playable = made(rules, wanted(rules, sets, players, instance))
    try:
        start = playable.initial()
    except FaultError as error:
        raise BadInput(f"{playable.title} cannot begin: {error.fault.message}") from error
    found = Count()
    interrupted = False
    with Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        console=console(True),
        transient=True,
        disable=not terminal(),
    ) as progress:
        task = progress.add_task("counting")
        try:
            count(
                start,
                budget,
                lambda so_far: progress.update(task, description=f"{so_far.positions:,} positions"),
                found,
            )
        except KeyboardInterrupt:
            interrupted = True
    click.echo(f"{playable.title}, {settings_of(playable)}")
    click.echo("\n".join(report(found, budget, interrupted)))
    if interrupted:
        context.exit(130)


def report(found: Count, budget: int, interrupted: bool) -> list[str]:
    least = "" if found.complete else "at least "
    kinds = [("decision", found.decisions), ("chance node", found.chances), ("end", found.ends)]
    split = ", ".join(counted(number, kind) for kind, number in kinds if number)
    out = [f"{least}{counted(found.positions, 'position')}: {split}"]
    if found.games is not None:
        out.append(f"{counted(found.games, 'game')}, the longest of {counted(found.longest, 'step')}")
    elif found.complete:
        out.append("games without number: some position can come back")
    if found.faults:
        out.append(f"{counted(found.faults, 'step')} at which the rules break down; `kemu verify` shows one")
    if not found.complete:
        out.append(
            "interrupted"
            if interrupted
            else f"stopped at {counted(budget, 'position')}: --budget allows more"
        )
    return out
