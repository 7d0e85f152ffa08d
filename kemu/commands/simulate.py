"""`kemu simulate`: many random games, counted."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine import record
from engine.game import Game
from engine.playout import Playout, playouts, walk
from engine.state import FaultError
from engine.trace import record_of, trace
from engine.wasm import player
from kemu import saved
from kemu.commands.common import instance_options, made, name_of, opened, wanted
from kemu.find import BadInput
from kemu.render.paper import console, terminal, width
from kemu.render.trace import lines
from kemu.render.verdicts import instance as settings_of
from kemu.render.words import counted
from kemu.simulation import Tally, quantile

LONGEST = 1_000_000  # steps of a game that is shown
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
    help="How many games.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same games.")
@click.option(
    "--max-decisions",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Longer games are cut off.",
)
@click.option(
    "--game", "only", type=click.IntRange(min=0), metavar="I", help="Show game number I of this seed instead."
)
@click.option(
    "--save",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="With --game: save it, for `kemu replay`.",
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
    only: int | None,
    file: Path | None,
    full: bool,
) -> None:
    """Play GAME many times, every legal action equally likely, and count what happened."""
    rules = opened(game)
    playable = made(rules, wanted(rules, sets, players, instance))
    if only is not None:
        one(playable, seed, only, max_decisions, full, file, name_of(game))
        return
    if file is not None or full:
        raise click.UsageError("--save and --full go with --game, which says which game is meant")
    tally = Tally(playable.players)
    start = time.perf_counter()
    interrupted = False
    try:
        for played in watched(playouts(playable, seed, number, max_decisions), number):
            tally.add(played)
    except KeyboardInterrupt:
        interrupted = True
    seconds = time.perf_counter() - start
    click.echo(f"{playable.title}, {settings_of(playable)}, seed {seed}")
    click.echo("\n".join(report(tally, seconds, max_decisions)))
    if seconds > PATIENCE and not player.installed():
        click.echo(f"\n{player.MISSING}, which plays many games much faster", err=True)
    if interrupted:
        click.echo(f"interrupted after {counted(tally.games, 'game')} of {number:,}", err=True)
        context.exit(130)


def watched(played: Iterable[Playout], number: int) -> Iterator[Playout]:
    """The same games, with a bar on stderr if someone watches."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not terminal()) as progress:
        yield from progress.track(played, total=number, description="games")


def report(tally: Tally, seconds: float, max_decisions: int) -> list[str]:
    ended = len(tally.ended)
    rate = f", {tally.games / seconds:,.0f} a second" if seconds > 0 else ""
    out = [f"{counted(tally.games, 'random game')} in {seconds:.1f} s{rate}"]
    if ended:
        out += ["", *results(tally), "", *shape(tally)]
    if tally.cut:
        cut = f"{part(len(tally.cut), tally.games)}, {numbers(tally.cut)}"
        out += ["", f"cut off after {counted(max_decisions, 'decision')}: {cut}"]
    for fault, indices in tally.faults.items():
        out += ["", f"broke down: {part(len(indices), tally.games)}, {numbers(indices)}", f"  {fault}"]
    if tally.cut or tally.faults:
        out += ["", "`--game I` shows game number I of this seed."]
    return out


def results(tally: Tally) -> list[str]:
    """Who won, of the games that ended; the margin is that of 95 in 100 such samples."""
    ended = len(tally.ended)
    rows = [(f"{player} wins", tally.wins[player]) for player in tally.players]
    rows += [
        (f"{player} shares the win", tally.shared[player]) for player in tally.players if tally.shared[player]
    ]
    rows += [("tie", tally.ties)]
    wide = max(len(name) for name, _ in rows)
    return [f"{name:<{wide}}  {count:>7,}  {percent(count, ended)}" for name, count in rows]


def percent(count: int, of: int) -> str:
    """The share and its margin: the half width of Wilson's interval at 95 %."""
    z, share = 1.96, count / of
    margin = z * (share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5 / (1 + z * z / of)
    return f"{100 * share:5.1f} % (+-{100 * margin:.1f})"


def shape(tally: Tally) -> list[str]:
    lengths = tally.lengths
    marks = ", ".join(
        f"{name} {quantile(lengths, share)}"
        for name, share in (("5 %", 0.05), ("median", 0.5), ("95 %", 0.95))
    )
    mean = sum(lengths) / len(lengths)
    out = [f"decisions a game: mean {mean:.1f}, least {lengths[0]}, {marks}, most {lengths[-1]}"]
    if tally.branching is not None:
        out.append(f"actions a decision: mean {tally.branching:.1f}")
    if tally.outcomes:
        out.append(f"outcomes of chance a game: mean {tally.outcomes:.1f}")
    return out


def part(count: int, of: int) -> str:
    return f"{counted(count, 'game')} ({100 * count / of:.1f} %)"


def numbers(indices: list[int], most: int = 5) -> str:
    rest = len(indices) - most
    listed = ", ".join(map(str, indices[:most])) + (f" and {rest} more" if rest > 0 else "")
    return f"number{'' if len(indices) == 1 else 's'} {listed}"


def one(
    game: Game, seed: int, index: int, max_decisions: int, full: bool, file: Path | None, rules: str
) -> None:
    """Shows one random game from beginning to end."""
    if file is not None and file.exists():
        raise BadInput(f"{file} exists: choose another name")
    steps: list[record.Step] = []
    decisions = 0
    with suppress(FaultError):  # the trace runs into the fault again, and shows it
        for state, chosen in walk(game, seed, index):
            decisions += state.is_decision
            if decisions > max_decisions or len(steps) > LONGEST:
                break
            if chosen >= 0:
                steps.append(record.Step(state.moves()[chosen].text, state.actor))
    played = trace(game, steps)
    click.echo(
        f"{game.title}, {settings_of(game)}, seed {seed}, game {index}: {counted(len(steps), 'step')}\n"
    )
    click.echo("\n".join(lines(game, played, width(), full)))
    if played.fault is None and played.final is not None and not played.final.is_end:
        click.echo(f"\ncut off after {counted(len(steps), 'step')}")
    if file is not None:
        saved.save(saved.saved(record_of(game, played), rules, {}, seed), file)
        click.echo(f"\nsaved: kemu replay {file}")
