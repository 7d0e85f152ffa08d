"""`kemu simulate`: many random games, counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import click
from kemu_engine.opt.instrument_coverage import counted

from kemu.base.library import BadInput, shown
from kemu.base.opening import name_of, opened, ready, wanted
from kemu.base.words import counted as things
from kemu.base.writing import free, write
from kemu.cli.common import instance_options, without_webassembly
from kemu.render.console import console, fitted, terminal
from kemu.render.going_round import ending, may_go_on
from kemu.render.simulation import as_json, report
from kemu.render.words import instance as settings_of
from kemu.service.going_round import enders
from kemu.service.simulation import Games, Spread, by_processes, cores, simulate
from kemu.service.statistics import Tally

PATIENCE = 5  # seconds after which it is worth while to say that there is a faster way


@click.command("simulate")
@click.argument("game")
@instance_options
@click.option(
    "-n",
    "--games",
    "number",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="Number of games.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same games.")
@click.option(
    "--max-decisions",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Longer games are cut off.",
)
@click.option(
    "--uses", is_flag=True, help="Say how often each line and each statement of the rulebook was used."
)
@click.option(
    "--plot",
    "picture",
    type=click.Path(path_type=Path),
    metavar="FILE.svg",
    help="Draw lengths, results and scores.",
)
@click.option(
    "--json", "machine", is_flag=True, help="Print one JSON object instead, with all distributions in full."
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Number of processes.  [default: one per core]"
)
@click.option(
    "--cluster",
    "address",
    metavar="ADDRESS",
    help="Play on a Ray cluster: auto, local, or ray://HOST:10001.",
)
@click.option(
    "--game", "only", type=click.IntRange(min=0), metavar="I", help="Show game number I of this seed instead."
)
@click.option(
    "--save",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --game: save that game, for `kemu replay`.",
)
@click.option("--full", is_flag=True, help="With --game: show every board.")
@click.pass_context
def command(
    context: click.Context,
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    number: int,
    seed: int,
    max_decisions: int,
    uses: bool,
    picture: Path | None,
    machine: bool,
    jobs: int | None,
    address: str | None,
    only: int | None,
    file: Path | None,
    full: bool,
) -> None:
    """Play GAME many times, with every legal action equally likely, and count what happened.

    The same seed gives the same result, however many processes or machines play the games.
    """
    if only is not None and picture is not None:
        raise click.UsageError("--plot draws many games, --game shows one: give only one of them")
    if picture is not None:
        drawable(picture)
    if jobs is not None and address is not None:
        raise click.UsageError("--jobs is for this machine, --cluster for others: give only one of them")
    playable = ready(game, sets, players, instance)
    if only is not None:
        from kemu.cli.simulate_one import show

        show(playable, seed, only, max_decisions, full, file, name_of(game))
        return
    if file is not None or full:
        raise click.UsageError("--save and --full need --game, which says which game is meant")
    spread = by_processes(jobs or cores()) if address is None else clustered(address)
    tally = Tally()
    start = time.perf_counter()
    interrupted = played(Games(playable.program, seed, max_decisions), number, spread, tally)
    seconds = time.perf_counter() - start
    about = {"game": playable.title, "settings": playable.settings, "players": playable.players, "seed": seed}
    if machine:
        click.echo(as_json(tally, playable.program, counted(playable.program), about))
    else:
        click.echo(fitted(f"{playable.title}, {settings_of(playable)}, seed {seed}"))
        rate = f", {tally.games / seconds:,.0f} games a second" if seconds > 0 else ""
        click.echo(f"{things(tally.games, 'random game')} in {seconds:.1f} s{rate}")
        told = report(tally, playable.program, counted(playable.program), max_decisions, uses)
        click.echo("\n".join(["", *told]))
        if tally.cut.games and not interrupted:
            rules = opened(game)
            want = wanted(rules, sets, players, instance)
            others = [] if tally.ended else list(enders(rules, want, playable.program, max_decisions))
            told = [*may_go_on(playable.program), *ending(others)]
            click.echo("".join(f"\n{fitted(each, '')}" for each in told), nl=bool(told))
    if picture is not None:
        from kemu.render.plot import plot

        write(picture, plot(tally, playable.program, settings_of(playable), seed).encode())
        click.echo(f"\ndrawn: {picture}", err=True)
    if seconds > PATIENCE:
        without_webassembly()
    if interrupted:
        click.echo(f"interrupted after {tally.games:,} of {things(number, 'game')}", err=True)
        context.exit(130)


def drawable(picture: Path) -> None:
    """That a picture can be written there. Raises BadInput."""
    if picture.suffix.lower() != ".svg":
        raise BadInput(f"{shown(str(picture))}: pictures are SVG, so its name ends in .svg")
    free(picture)


def clustered(address: str) -> Spread:
    """Imported when asked for."""
    from kemu.service.cluster import by_cluster

    return by_cluster(address)


def played(games: Games, number: int, spread: Spread | None, into: Tally) -> bool:
    """Plays, with a bar on stderr if someone is watching; `into` always holds what is known so far. Returns
    whether it was interrupted."""
    with bar(number) if terminal() else nullcontext(lambda done: None) as told:
        try:
            for tally in simulate(games, number, spread):
                into.merge(tally)
                told(into.games)
        except KeyboardInterrupt:
            return True
    return False


@contextmanager
def bar(number: int) -> Iterator[Callable[[int], None]]:
    """A bar that shows how many of the games have been played."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as progress:
        task = progress.add_task("games", total=number)
        yield lambda done: progress.update(task, completed=done)
