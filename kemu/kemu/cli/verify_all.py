"""`kemu verify --all`: every declared instance, and each option changed alone, in parallel."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import click
from kemu_engine.play.game import Game as Playable
from kemu_engine.support.gc_pause import undisturbed
from kemu_grammar.game.game import Game
from kemu_verifier.goal.questions import asked_hash
from kemu_verifier.goal.verdict import Verdict, exit_code
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from kemu.base.opening import Wanted, declared
from kemu.base.words import counted
from kemu.cli.progress import Watch
from kemu.render.console import console, terminal
from kemu.render.survey import markdown, table, told
from kemu.render.verdicts import as_json, summary
from kemu.service.instances import Chosen, every
from kemu.service.survey import Asked, Surveyed, survey

DECLARED = 3  # times the time of the default with one option changed has an instance that the file declares


@dataclass(frozen=True, slots=True)
class SurveyOptions:
    """What is asked of all instances, and how it is to be told."""

    minutes: float
    jobs: int | None
    standard: bool
    style: str  # "table", "json" or "markdown"


def everything(
    rules: Game,
    game: str,
    how: SurveyOptions,
    known: Callable[[list[Playable]], list[list[str] | None]],
    more: Callable[[Playable, Wanted, list[Verdict]], None],
) -> int:
    """Tells what is found of every instance, then all of it in one table; the exit code.

    `known` gives the names that mean something in each instance (None: everything is asked there); `more`
    does what else is to be done with the verdicts on an instance: tells surprises, keeps traces.
    """
    began = time.monotonic()
    with Watch() as watch:
        watch.show("making every instance")
        with undisturbed():
            chosen = every(rules)
    names = known([playable for _, playable in chosen.instances])
    declared_ones = {want.name for want in declared(rules)}
    asked = [
        Asked(
            want,
            asked_hash(playable.program),
            None if some is None else tuple(some),
            DECLARED if want.name in declared_ones else 1,
            sum(var.length or 1 for var in playable.program.vars),
        )
        for (want, playable), some in zip(chosen.instances, names, strict=True)
        if some != []
    ]
    games = {want.name: playable for want, playable in chosen.instances}
    if how.style == "table":
        click.echo(f"{rules.title}: {counted(len(asked), 'instance')}, within {how.minutes:g} min")
    found: dict[str, Surveyed] = {}
    interrupted = False
    minutes = max(how.minutes / 2, how.minutes - (time.monotonic() - began) / 60)

    def tell(one: Surveyed, verdicts: list[Verdict]) -> None:
        for verdict in verdicts:
            click.echo(as_json(games[one.want.name], one.want.name, verdict))

    try:
        for one in watched(game, asked, how, minutes):
            before = found.get(one.want.name)
            new = [verdict for verdict in one.verdicts if before is None or verdict not in before.verdicts]
            found[one.want.name] = one
            if how.style == "json":  # what is open may have an answer in the end
                tell(one, [verdict for verdict in new if not verdict.open])
            elif how.style == "table" and not (before and one.like):
                click.echo(told(one))
            if one.error and not one.like and how.style != "table":
                click.echo(told(one), err=True)
            if not one.like:
                more(games[one.want.name], one.want, new)
    except KeyboardInterrupt:
        interrupted = True
    done = [found[one.want.name] for one in asked if one.want.name in found]
    if how.style == "json":
        for one in done:
            tell(one, [verdict for verdict in one.verdicts if verdict.open])
    return closed(rules, chosen, asked, done, how, interrupted)


def watched(game: str, asked: list[Asked], how: SurveyOptions, minutes: float) -> Iterator[Surveyed]:
    """The instances as they are done, with a bar on stderr if someone watches."""
    jobs = how.jobs or max(1, min(os.cpu_count() or 1, len(asked)))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not terminal()) as progress:
        bar, done = progress.add_task("instances", total=len(asked)), set[str]()
        for one in survey(game, asked, minutes, jobs, how.standard):
            done.add(one.want.name)
            progress.update(bar, completed=len(done))
            yield one


def closed(
    rules: Game,
    chosen: Chosen,
    asked: list[Asked],
    found: list[Surveyed],
    how: SurveyOptions,
    interrupted: bool,
) -> int:
    """Tells the whole, and what was not looked at; the exit code."""
    done = {one.want.name for one in found}
    left_out = [
        *chosen.left_out,
        *(f"{one.want.name}: interrupted" for one in asked if one.want.name not in done),
    ]
    verdicts = [verdict for one in found for verdict in one.verdicts]
    if how.style == "markdown":
        click.echo(markdown(rules.title, found, left_out))
    elif how.style == "table":
        paper = console()
        with paper.capture() as text:
            paper.print(table(found))
        click.echo("\n" + "\n".join(line.rstrip() for line in text.get().splitlines()) + "\n")
        if left_out:
            click.echo("\n".join(["not checked:", *(f"  {words}" for words in left_out), ""]))
        click.echo(("so far, " if interrupted else "") + summary(verdicts))
    if interrupted:
        return 130
    return 70 if any(one.error for one in found) else exit_code(verdicts)
