"""`kemu verify --all`: every declared instance, and each option changed alone, in parallel."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from engine.game import Game as Playable
from grammar.game import Game
from kemu.commands.common import Wanted, made
from kemu.commands.instances import Chosen, every
from kemu.render.paper import console, terminal
from kemu.render.survey import markdown, table, told
from kemu.render.verdicts import as_json, summary
from kemu.render.words import counted
from kemu.survey import Asked, Surveyed, survey
from verifier.verdict import Verdict, exit_code


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of all instances, and how it is to be told."""

    names: tuple[str, ...]
    minutes: float
    jobs: int | None
    standard: bool
    style: str  # "table", "json" or "markdown"


def everything(
    rules: Game,
    game: str,
    wish: Wish,
    known: Callable[[list[Playable]], list[list[str] | None]],
    told_in_full: Callable[[Playable, Wanted, list[Verdict]], None],
) -> int:
    """Tells what is found of every instance, then all of it in one table; the exit code.

    `known` gives the names that mean something in each instance (None: everything is asked there);
    `told_in_full` tells more of an instance: surprises, traces to be kept.
    """
    chosen = every(rules)
    playables = [made(rules, want) for want in chosen.wants]
    asked = [
        Asked(want, playable.hash, None if names is None else tuple(names))
        for want, playable, names in zip(chosen.wants, playables, known(playables), strict=True)
        if names != []
    ]
    games = dict(zip((want.name for want in chosen.wants), playables, strict=True))
    if wish.style == "table":
        click.echo(f"{rules.title}: {counted(len(asked), 'instance')}, within {wish.minutes:g} min")
    found: list[Surveyed] = []
    interrupted = False
    try:
        for one in watched(game, asked, wish):
            found.append(one)
            if wish.style == "json":
                for verdict in one.verdicts:
                    click.echo(as_json(games[one.want.name], one.want.name, verdict))
            elif wish.style == "table":
                click.echo(told(one))
            if not one.like and wish.style == "table":
                told_in_full(games[one.want.name], one.want, list(one.verdicts))
    except KeyboardInterrupt:
        interrupted = True
    order = {one.want.name: at for at, one in enumerate(asked)}
    found.sort(key=lambda one: order[one.want.name])
    return closed(rules, chosen, asked, found, wish, interrupted)


def watched(game: str, asked: list[Asked], wish: Wish) -> Iterator[Surveyed]:
    """The instances as they are done, with a bar on stderr if someone watches."""
    jobs = wish.jobs or max(1, min(os.cpu_count() or 1, len(asked)))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not terminal()) as progress:
        found = survey(game, asked, wish.minutes, jobs, wish.standard)
        yield from progress.track(found, total=len(asked), description="instances")


def closed(
    rules: Game, chosen: Chosen, asked: list[Asked], found: list[Surveyed], wish: Wish, interrupted: bool
) -> int:
    """Tells the whole, and what was not looked at; the exit code."""
    done = {one.want.name for one in found}
    left_out = [
        *chosen.left_out,
        *(f"{one.want.name}: interrupted" for one in asked if one.want.name not in done),
    ]
    verdicts = [verdict for one in found for verdict in one.verdicts]
    if wish.style == "markdown":
        click.echo(markdown(rules.title, found, left_out))
    elif wish.style == "table":
        paper = console()
        with paper.capture() as text:
            paper.print(table(found))
        click.echo("\n" + "\n".join(line.rstrip() for line in text.get().splitlines()) + "\n")
        click.echo("\n".join(["not checked:", *(f"  {words}" for words in left_out), ""]))
        click.echo(("so far, " if interrupted else "") + summary(verdicts))
    if interrupted:
        return 130
    return 70 if any(one.error for one in found) else exit_code(verdicts)
