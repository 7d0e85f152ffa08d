"""`kemu play`: a game in the terminal."""

from __future__ import annotations

import secrets
from pathlib import Path

import click
from kemu_engine.play.record import RecordError, replay
from kemu_engine.play.state import FaultError

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import name_of, ready, remade
from kemu.bots.named import bot
from kemu.cli.common import instance_options, without_webassembly
from kemu.table.keeper import Keeper
from kemu.table.session import Session, Step, seating
from kemu.table.terminal import Table


@click.command("play")
@click.argument("game", required=False)
@instance_options
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="PLAYER=KIND",
    help="Who plays PLAYER: human, random, mcts, mcts:10000 (random games a decision), mcts:2s (seconds); "
    "PLAYER may be all.",
)
@click.option("--seed", type=int, help="Seed for chance and the bots.")
@click.option(
    "--save",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Save the game to FILE after every step.",
)
@click.option("--resume", type=click.Path(path_type=Path), metavar="FILE", help="Continue a saved game.")
@click.pass_context
def command(
    context: click.Context,
    game: str | None,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    seats: tuple[str, ...],
    seed: int | None,
    file: Path | None,
    resume: Path | None,
) -> None:
    """Play GAME in the terminal, by default in the first seat against random players.

    `--seat PLAYER=mcts` lets PLAYER search for good moves. At the prompt, `help` explains what can be
    typed. A game is saved only if --save, `save` or your answer at `quit` says so; but one that you leave
    by Ctrl-C, Ctrl-D or closing the terminal is kept in ~/.local/state/kemu (under XDG_STATE_HOME, if that
    is set).
    """
    if resume is not None:
        if sets or players or instance or seed is not None:
            raise click.UsageError(
                "a saved game continues as it began: --resume takes no settings and no seed"
            )
        table = resumed(resume, game, seats, file)
    elif game is not None:
        playable = ready(game, sets, players, instance)
        free_for(file)
        sitting = seating(playable, seats)
        try:
            session = Session.new(playable, sitting, secrets.randbelow(2**32) if seed is None else seed)
        except FaultError as error:
            raise BadInput(f"{playable.title} cannot begin: {error.message}") from error
        table = Table(session, Keeper(session, name_of(game), file))
    else:
        raise click.UsageError("which game? `kemu games` lists the available ones")
    keeper = table.keeper
    if keeper.file is not None and keeper.kept < 0:
        keeper.keep_in(keeper.file)
    if not {*table.session.seats.values()} <= {"human", "random"}:
        without_webassembly()
    context.exit(table.play())


def resumed(file: Path, game: str | None, seats: tuple[str, ...], keep_in: Path | None) -> Table:
    """The table as it was left. Raises BadInput."""
    kept = save_files.load(file)
    free_for(keep_in)
    playable = remade(kept, game)
    try:
        states = replay(playable, kept)
    except RecordError as error:
        raise BadInput(f"{shown(str(file))} cannot be resumed: {error}") from error
    except FaultError as error:
        raise BadInput(
            f"the rules break down in {shown(str(file))}: {error.message}; `kemu replay` shows it"
        ) from error
    steps = [Step(each.actor, each.text) for each in kept.steps]
    if kept.seats and set(kept.seats) != set(playable.players):
        raise BadInput(f"{shown(str(file))} is a damaged saved game: its seats do not match the players")
    sitting = {player: kept.seats.get(player, "random") for player in playable.players}
    for kind in {*sitting.values()} - {"human"}:
        bot(kind)
    if seats or not kept.seats:
        sitting = seating(playable, seats)
    session = Session(playable, sitting, kept.seed, states, steps)
    keeper = Keeper(session, kept.rules, keep_in or file, -1 if keep_in else len(steps))
    return Table(session, keeper)


def free_for(file: Path | None) -> None:
    """Raises BadInput if the file in which to save a game already exists."""
    if file is not None and file.exists():
        raise BadInput(
            f"{shown(str(file))} already exists: continue it with --resume, or choose another name"
        )
