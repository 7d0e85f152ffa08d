"""`kemu recheck`: a bundle of evidence, checked without the prover."""

from __future__ import annotations

from pathlib import Path

import click
from rich import box
from rich.table import Table
from rich.text import Text

from kemu.base.words import counted
from kemu.cli.progress import Watch
from kemu.recheck.check import Check, RecheckOptions, Row
from kemu.recheck.solvers import solver
from kemu.render.console import console, fitted

WRONG, OPEN = 1, 4
STYLES = {"confirmed": "green", "wrong": "bold red", "open": "yellow", "nothing claimed": "dim"}
TRUST = (
    "This rests on Kemu's compiler and interpreter, which ran here; proof conditions also rest on {solver}, "
    "and on saying what the program means (compared with the interpreter in random plays, not proved)."
)


@click.command("recheck")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--solver",
    "name",
    metavar="NAME",
    help="What checks proof conditions: cvc5, z3, or a program that reads SMT-LIB.  [default: cvc5]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=30,
    show_default=True,
    help="Seconds for each condition.",
)
@click.option(
    "--states",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    help="How many states to explore at most.",
)
@click.pass_context
def command(context: click.Context, folder: Path, name: str | None, seconds: float, states: int) -> None:
    """Check the bundle that `kemu verify --bundle` wrote to FOLDER, without Kemu's prover.

    The exit code is 0 if everything is confirmed, 1 if something does not hold, 4 if something could not be
    checked.
    """
    called, asked = solver(name)
    rows: list[Row] = []
    with Watch() as watch:
        check = Check(folder, RecheckOptions(called, asked, seconds, states), watch.show)
        rows += check.rows()
    about = check.manifest
    settings = ", ".join([*(f"{n}={v}" for n, v in about.settings.items()), f"players={len(about.players)}"])
    click.echo(f"{about.game}: {settings}, program {about.program[:12]}")
    paper = console()
    with paper.capture() as text:
        paper.print(table(rows))
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
    for row in rows:
        if row.why:
            click.echo(f"{row.what}: {row.why}")
    if any(row.by.startswith(called) for row in rows):
        click.echo(TRUST.format(solver=called))
    code = exit_code(rows)
    click.echo(fitted(summary(rows) + (f"; exit code {code}" if code else "")))
    context.exit(code)


def table(rows: list[Row]) -> Table:
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("what", "verdict", "rechecked", "by"):
        sheet.add_column(title, overflow="fold")
    sheet.add_column("seconds", justify="right", no_wrap=True)
    for row in rows:
        style = STYLES[row.outcome]
        cells = [Text(row.what), Text(row.verdict), Text(row.outcome, style), Text(row.by)]
        sheet.add_row(*cells, Text(f"{row.seconds:.2f}"))
    return sheet


def exit_code(rows: list[Row]) -> int:
    outcomes = {row.outcome for row in rows}
    return WRONG if "wrong" in outcomes else OPEN if "open" in outcomes else 0


def summary(rows: list[Row]) -> str:
    """`12 confirmed, 1 does not hold`."""
    count = {outcome: sum(row.outcome == outcome for row in rows) for outcome in STYLES}
    parts = [counted(count["confirmed"], "thing") + " confirmed"]
    if count["wrong"]:
        parts.append(f"{count['wrong']} {'does' if count['wrong'] == 1 else 'do'} not hold")
    if count["open"]:
        parts.append(f"{count['open']} could not be checked")
    if count["nothing claimed"]:
        parts.append(f"{counted(count['nothing claimed'], 'verdict')} with no claim to check")
    return ", ".join(parts)
