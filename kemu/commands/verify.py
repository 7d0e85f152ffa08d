"""`kemu verify`: the game's properties, proved or refuted."""

from __future__ import annotations

import re
from pathlib import Path
from shlex import quote

import click
from verifier.verify import verify

from engine.game import Game
from engine.trace import record_of, trace
from kemu import saved
from kemu.commands.common import declared, instance_options, made, name_of, opened, wanted
from kemu.commands.watch import Watch
from kemu.find import BadInput, shown
from kemu.render.evidence import evidence
from kemu.render.paper import console, width
from kemu.render.verdicts import answer, as_json, assumptions, summary, table
from kemu.render.verdicts import instance as settings_of
from verifier.verdict import Verdict, exit_code


@click.command("verify")
@click.argument("game")
@instance_options
@click.option("--all", "every", is_flag=True, help="Every instance that the rules file declares.")
@click.option(
    "--property", "names", multiple=True, metavar="NAME", help="Only this property; may be repeated."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60,
    show_default=True,
    help="Time for each property.",
)
@click.option("--no-standard", is_flag=True, help="Without the questions that are asked of every game.")
@click.option("--json", "machine", is_flag=True, help="One JSON object a line, as each verdict is found.")
@click.option("--full", is_flag=True, help="Show every board of long traces.")
@click.option(
    "--save-trace",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save each trace in DIR, for `kemu replay`.",
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    every: bool,
    names: tuple[str, ...],
    seconds: float,
    no_standard: bool,
    machine: bool,
    full: bool,
    folder: Path | None,
) -> None:
    """Prove the properties of GAME, or show games that break them.

    The exit code is 0 if every verdict is as expected, else that of the worst surprise: 1 refuted, 4 unknown,
    2 not inductive, 5 sampled only, 3 bounded only.
    """
    rules = opened(game)
    if every and (sets or players or instance):
        raise click.UsageError("--all takes the instances as they are declared, without other settings")
    wants = declared(rules) if every else [wanted(rules, sets, players, instance)]
    playables = [made(rules, want) for want in wants]
    verdicts: list[Verdict] = []
    for want, playable in zip(wants, playables, strict=True):
        if not machine:
            name = f"{want.name}: " if want.name else ""
            click.echo(f"{playable.title}, {name}{settings_of(playable)}")
        found, interrupted = looked_at(playable, want.name, names, seconds, not no_standard, machine)
        verdicts += found
        if not machine:
            click.echo("\n".join([*report(playable, found, full), *([] if want is wants[-1] else [""])]))
        if folder is not None:
            keep_traces(playable, found, name_of(game), folder / want.name)
        if interrupted:
            click.echo("interrupted: this is what is known", err=True)
            context.exit(130)
    context.exit(exit_code(verdicts))


def looked_at(
    game: Game, instance: str, names: tuple[str, ...], seconds: float, standard: bool, machine: bool
) -> tuple[list[Verdict], bool]:
    """The verdicts, as many as could be found before Ctrl-C; and whether there was one."""
    found: list[Verdict] = []
    try:
        with Watch() as watch:
            for verdict in verify(game, list(names) or None, seconds, watch.show, standard):
                found.append(verdict)
                if machine:
                    click.echo(as_json(game, instance, verdict))
    except KeyboardInterrupt:
        return found, True
    return found, False


def report(game: Game, found: list[Verdict], full: bool) -> list[str]:
    """The table, then what stands behind the verdicts, then what they rest on."""
    paper = console()
    with paper.capture() as text:
        paper.print(table(found, paper.width, full))
    out = [line.rstrip() for line in text.get().splitlines()]
    for verdict in found:
        head, *rest = evidence(game, verdict, width(), full) or [""]
        out += ["", click.style(head, bold=True), *rest] if head else []
    resting = assumptions(found)
    out += ["", "assumed:", *(f"  {line}" for line in resting)] if resting else []
    return [*out, "", summary(found)]


def keep_traces(game: Game, found: list[Verdict], rules: str, folder: Path) -> None:
    """A file for each verdict that has a trace, by the property's name. Raises BadInput."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {shown(str(folder))}: {error.strerror}") from error
    for verdict in found:
        if verdict.steps is not None:
            note = f"{verdict.property}: {answer(verdict)}"
            path = folder / (re.sub(r"[^\w.-]+", "_", verdict.property).strip("_") + ".json")
            saved.save(saved.saved(record_of(game, trace(game, verdict.steps), note), rules), path)
            click.echo(f"saved: kemu replay {quote(str(path))}", err=True)
