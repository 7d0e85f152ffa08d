"""`kemu mutate`: small changes to the rules, and which claim or example notices each."""

from __future__ import annotations

import os
from collections.abc import Iterator

import click
from kemu_grammar.game.game import Game
from kemu_verifier.mutate.fate import Instance, Judged
from kemu_verifier.mutate.mutants import OPERATORS, Mutant
from kemu_verifier.mutate.run import chosen, run
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from kemu.base.library import BadInput
from kemu.base.opening import opened, wanted
from kemu.render.console import console, fitted, terminal
from kemu.render.mutants import LEGEND, as_json, claimed, summary, survivor, table
from kemu.service.instances import every, named


@click.command("mutate")
@click.argument("game")
@click.option(
    "--instance",
    "instances",
    multiple=True,
    metavar="NAME",
    help="Judge mutants in this instance only; may be repeated.",
)
@click.option(
    "--operator",
    "operators",
    multiple=True,
    type=click.Choice(OPERATORS),
    help="Only mutants of this operator; may be repeated.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="At most N mutants, taken from all over the file.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=1),
    default=1,
    metavar="K",
    help="With --limit: the K-th sample; no two have a mutant in common.",
)
@click.option("--mutant", "numbers", multiple=True, type=int, metavar="I", help="Only mutant number I.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=3,
    show_default=True,
    help="Seconds for each question.",
)
@click.option(
    "--no-prover", is_flag=True, help="Use examples, random games and comparisons only, not the prover."
)
@click.option(
    "--without-examples",
    "claims_alone",
    is_flag=True,
    help="See what the claims notice: properties and the questions asked of every game.",
)
@click.option(
    "--json", "machine", is_flag=True, help="Print one JSON object per line, as each mutant is judged."
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    instances: tuple[str, ...],
    operators: tuple[str, ...],
    limit: int | None,
    sample: int,
    numbers: tuple[int, ...],
    seconds: float,
    no_prover: bool,
    claims_alone: bool,
    machine: bool,
) -> None:
    """Change the rules of GAME in small ways, one at a time, and see which claim or example notices.

    Mutants are judged in every instance that the rules file declares, and with each option changed by
    itself, unless instances are named. A mutant that nothing notices, and that is not proved to be the same
    game, shows that a claim is missing. After Ctrl-C, what is known so far is reported.
    """
    rules = opened(game)
    judges = judging(rules, instances)
    if sample > 1 and limit is None:
        raise BadInput(
            "--sample takes one of several samples, and needs --limit, which says how large they are"
        )
    wants = [m for m in chosen(rules, operators, limit, sample) if not numbers or m.number in numbers]
    if missing := set(numbers) - {each.number for each in wants}:
        raise BadInput(f"there is no mutant number {min(missing)} among those asked for")
    found: list[Judged] = []
    interrupted = False
    if not machine:
        every_one = len(chosen(rules, operators, None))
        of = f" of {every_one}" if len(wants) < every_one else ""
        where = ", ".join(each.name for each in judges)
        things = "mutant" if every_one == 1 else "mutants"
        click.echo(fitted(f"{rules.title}: {len(wants)}{of} {things}, judged in {where}"))
    try:
        for one in watched(rules, wants, judges, seconds, not no_prover, not claims_alone):
            found.append(one)
            if machine:
                click.echo(as_json(rules.title, one))
    except KeyboardInterrupt:
        interrupted = True
    if not machine:
        click.echo("\n".join(report(sorted(found, key=lambda one: one.number), claims_alone)))
    if interrupted:
        click.echo(f"interrupted: {len(found)} of {len(wants)} mutants judged", err=True)
        context.exit(130)


def watched(
    rules: Game,
    wants: list[Mutant],
    judges: list[Instance],
    seconds: float,
    prove: bool,
    examples: bool = True,
) -> Iterator[Judged]:
    """The fates as they are found, with a bar on stderr if someone watches."""
    processes = max(1, min(os.cpu_count() or 1, len(wants) // 4))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True, disable=not terminal()) as progress:
        fates = run(rules, wants, judges, seconds, prove, processes, examples)
        yield from progress.track(fates, total=len(wants), description="mutants")


def report(found: list[Judged], claims_alone: bool = False) -> list[str]:
    """The table, then the survivors."""
    paper = console()
    with paper.capture() as text:
        paper.print(table(found))
    out = [line.rstrip() for line in text.get().splitlines()]
    for one in found:
        out += ["", *survivor(one)] if not one.fate.settled else []
    told = claimed(found) if claims_alone else summary(found)
    return [*out, "", fitted(LEGEND, ""), "", fitted(told)]


# ------------------------------------------------------------------------------------- in which instances


def judging(rules: Game, names: tuple[str, ...]) -> list[Instance]:
    """The instances named, or else those declared and those with one option changed, each only once."""
    wants = [wanted(rules, (), None, name) for name in names]
    wants = wants or [want for want, _ in every(rules).instances]
    return [Instance(named(want).name, tuple(want.settings.items()), want.players) for want in wants]
