"""`kemu playthrough`: a random game written down in full, to be compared with another day's."""

from __future__ import annotations

from shlex import join

import click

from kemu.base.opening import ready
from kemu.base.timeouts import tried
from kemu.cli.common import instance_options
from kemu.render.playthrough import playthrough

STEPS = 100


@click.command("playthrough")
@click.argument("game")
@instance_options
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same game.")
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=STEPS,
    show_default=True,
    help="Cut the game off after this many actions and outcomes.",
)
def command(
    game: str, sets: tuple[str, ...], players: int | None, instance: str | None, seed: int, steps: int
) -> None:
    """Write down a random game of GAME: what is possible at each step, what is done, and the boards.

    The same rules give the same text on every machine; tests/playthroughs/ keeps such texts.
    """
    playable = ready(game, sets, players, instance)
    tried(playable)
    words = ["kemu", "playthrough", game, *(["--instance", instance] if instance else [])]
    words += [part for each in sets for part in ("--set", each)]
    words += ["--players", str(players)] if players is not None else []
    words += ["--seed", str(seed), "--steps", str(steps)]
    for line in playthrough(playable, join(words), seed, steps):
        click.echo(line)
