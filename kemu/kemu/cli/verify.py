"""`kemu verify`: the game's properties, proved or refuted."""

from __future__ import annotations

import re
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import click
from kemu_engine.lint.trivial_claims import early
from kemu_engine.play.game import Game
from kemu_engine.play.trace import record_of, trace
from kemu_engine.support.gc_pause import undisturbed
from kemu_grammar.source.diagnostics import RulesError
from kemu_verifier.goal.questions import called, questions
from kemu_verifier.goal.verdict import Verdict, exit_code
from kemu_verifier.strategy.strategy import ALONE
from kemu_verifier.strategy.verify import USUAL, Effort, chosen, in_order, verify

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import Wanted, choice, name_of, opened, ready, wanted
from kemu.base.timeouts import tried
from kemu.cli.artifacts import Artifacts
from kemu.cli.common import diagnosed, instance_options
from kemu.cli.progress import Watch, interrupted_by_sigterm
from kemu.cli.verify_all import SurveyOptions, everything
from kemu.render.console import console, fitted, width
from kemu.render.evidence import evidence, heading
from kemu.render.sheet import Sheet, closing, further
from kemu.render.verdicts import answer, as_json, assumptions, shared_as_json, summary, table
from kemu.render.words import instance as settings_of
from kemu.service.runs import played_in

MINUTES, SECONDS = 13.0, 60.0  # for all instances; for a property of one
TELLING = 0.1  # of the time for everything: for telling what was found


@click.command("verify")
@click.argument("game")
@instance_options
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="Every declared instance, and each option changed alone, in parallel.",
)
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Minutes of computing for everything together.  [default with --all: {MINUTES:.0f}]",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="With --all: processes.  [default: the cores]"
)
@click.option("--markdown", is_flag=True, help="With --all: a page of it.")
@click.option(
    "--property", "names", multiple=True, metavar="NAME", help="Only this property; may be repeated."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    help=f"Seconds of computing for each property.  [default: {SECONDS:.0f}]",
)
@click.option("--no-standard", is_flag=True, help="Without the questions that are asked of every game.")
@click.option("--json", "machine", is_flag=True, help="One JSON object a line, as each verdict is found.")
@click.option("--full", is_flag=True, help="Show every game that was found, with all its boards.")
@click.option(
    "--save-trace",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Save each trace in DIR, for `kemu replay`.",
)
@click.option(
    "--bundle",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write evidence that others can check to DIR, for `kemu recheck`.",
)
@click.option(
    "--report", "html", type=click.Path(path_type=Path), metavar="FILE", help="Write a page of HTML."
)
@click.pass_context
def command(
    context: click.Context,
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    every: bool,
    minutes: float | None,
    jobs: int | None,
    markdown: bool,
    names: tuple[str, ...],
    seconds: float | None,
    no_standard: bool,
    machine: bool,
    full: bool,
    folder: Path | None,
    bundle: Path | None,
    html: Path | None,
) -> None:
    """Prove the properties of GAME, or show games that break them.

    The exit code is 0 if every verdict is as expected, and 1 if some answer is another than expected. If all
    answers are as expected, but some are missing, it is 4 (unknown), 2 (not inductive), 5 (sampled only) or 3
    (bounded only).
    """
    rules = opened(game)
    standard = not no_standard
    if every:
        if sets or players or instance:
            raise click.UsageError("--all takes the instances as they are, without other settings")
        if seconds:
            raise click.UsageError("--all shares out --minutes, and takes no --seconds")
        if bundle or html:
            raise click.UsageError("--bundle and --report take one instance at a time")
        if machine and markdown:
            raise click.UsageError("--json or --markdown, not both")
        if folder is not None:
            there(folder)
        style = "json" if machine else "markdown" if markdown else "table"
        how = SurveyOptions(minutes or MINUTES, jobs, standard, style)

        def more(playable: Game, want: Wanted, found: list[Verdict]) -> None:
            if style == "table":
                surprising = found if full else [verdict for verdict in found if verdict.surprise]
                click.echo("\n".join(report(playable, surprising, full)), nl=bool(surprising))
            if folder is not None:
                keep_traces(playable, found, name_of(game), folder / want.name.replace(" ", "_"))

        context.exit(everything(rules, game, how, lambda playables: per_instance(playables, names), more))
    if jobs or markdown:
        raise click.UsageError("--jobs and --markdown go with --all")
    want = wanted(rules, sets, players, instance)
    seconds = seconds or SECONDS
    playable = ready(game, sets, players, instance, rules)
    (here,) = per_instance([playable], names)
    if folder is not None:
        there(folder)
    tried(playable)
    hasty = early(playable)
    if hasty:
        click.echo(diagnosed(RulesError(hasty)), err=True)
    artifacts = Artifacts(rules, playable, want.name, seconds, bundle, html)
    artifacts.ready()
    if not machine:
        named = f"{want.name}: " if want.name else ""
        click.echo(fitted(f"{playable.title}, {named}{settings_of(playable)}"))
    asked = chosen(questions(playable.program, standard or here is not None), here)
    effort = replace(USUAL, limit=limit(len(asked), here is not None, seconds, minutes, context.obj))
    looking = Looking(playable, want.name, here, seconds, standard, effort)
    sheet = None if machine else Sheet(asked, width(), full)
    found, end = looked_at(looking, artifacts, sheet)
    if sheet is not None:
        click.echo("\n".join(behind(playable, found, full, here is not None)))
        click.echo(fitted(("" if end is None else "so far, ") + summary(found)))
        if end is None and found:
            click.echo(fitted(closing(found, "The game" if here is None else "What was asked")))
            if any(verdict.open for verdict in found):
                others = [name for name in rules.instances if name != want.name]
                click.echo(fitted(further(seconds, minutes, others, found)))
    if folder is not None:
        keep_traces(playable, found, name_of(game), folder)
    if end is None:
        artifacts.write(found)
    else:
        if isinstance(end, KeyboardInterrupt):
            artifacts.rescue(found)
        raise end
    context.exit(exit_code(found))


def per_instance(playables: list[Game], names: tuple[str, ...]) -> list[list[str] | None]:
    """Those of the names that mean something in each instance (None: everything). Raises BadInput."""
    if not names:
        return [None for _ in playables]
    asked_for(playables, names)
    return [known(playable, names) for playable in playables]


def asked_for(playables: list[Game], names: tuple[str, ...]) -> None:
    """Raises BadInput for a name that no question has in any of the instances."""
    every = dict.fromkeys(name for game in playables for name in titles(game))
    for name in names:
        if name not in every:
            raise BadInput(f"there is no property {shown(name)}{choice(name, list(every))}")


def known(game: Game, names: tuple[str, ...]) -> list[str]:
    """The names of the questions of this instance that are meant."""
    here = titles(game)
    meant = chosen(questions(game.program, True), [name for name in names if name in here])
    return list(dict.fromkeys(question.name for question in meant))


def titles(game: Game) -> list[str]:
    """All that the questions may be called."""
    names = [question.name for question in questions(game.program, True)]
    return list(dict.fromkeys(part for name in names for part in called(name)))


@dataclass(frozen=True, slots=True)
class Looking:
    """What is asked of one instance, and with how much time."""

    game: Game
    instance: str
    names: list[str] | None
    seconds: float
    standard: bool
    effort: Effort


def limit(count: int, named: bool, seconds: float, minutes: float | None, began: float) -> float | None:
    """The seconds of computing for all that is left to do: as asked for, or where few questions are named
    some times the time of one of them; none else. `began`: when the command did, of this process."""
    few = ALONE * seconds + (count - 1) * seconds if named else None
    wanted = 60 * minutes if minutes else few
    if wanted is None:
        return None
    return max(wanted / 4, wanted - (time.process_time() - began) - TELLING * wanted)


def looked_at(
    looking: Looking, artifacts: Artifacts, sheet: Sheet | None
) -> tuple[list[Verdict], BaseException | None]:
    """The verdicts, told as they are found; and what kept us from finding more, be it Ctrl-C or an error of
    our own."""
    found: list[Verdict] = []
    shared: dict[str, float] = {}
    game, names, seconds = looking.game, looking.names, looking.seconds
    end: BaseException | None = None
    if looking.effort.limit is not None:
        sys.unraisablehook = lambda _: None  # an alarm that rings while something is thrown away
    try:
        with interrupted_by_sigterm(), undisturbed(), Watch() as watch:
            tell(watch, sheet.head() if sheet else [])
            look = artifacts.verdicts if artifacts.folder is not None else verify
            given = (game, names, seconds, watch.show, looking.standard)
            for verdict in look(*given, effort=looking.effort, shared=shared):
                found.append(verdict)
                told = sheet.rows(verdict) if sheet else [as_json(game, looking.instance, verdict)]
                tell(watch, told)
                watch.count(len(found), sheet.total if sheet else 0)
    except BrokenPipeError:
        raise
    except (KeyboardInterrupt, Exception) as error:
        end = error
    if sheet is not None:
        tell(None, [*sheet.rest(), *sheet.shared(shared)])
    elif shared:
        tell(None, [shared_as_json(game, looking.instance, shared)])
    return in_order(game, found), end


def tell(watch: Watch | None, lines: list[str]) -> None:
    """Says something at once, on a terminal above the line that says what goes on."""
    if lines:
        with watch.hidden() if watch else nullcontext():
            click.echo("\n".join(lines))


def report(game: Game, found: list[Verdict], full: bool) -> list[str]:
    """The table, then what stands behind the verdicts, then what they rest on."""
    if not found:
        return []
    paper = console()
    with paper.capture() as text:
        paper.print(table(found, paper.width, full))
    return [*(line.rstrip() for line in text.get().splitlines()), *behind(game, found, full)]


def behind(game: Game, found: list[Verdict], full: bool, asked: bool = True) -> list[str]:
    """What stands behind the verdicts, then what they rest on. `asked`: whether they were asked for by
    name."""
    out: list[str] = []
    bodies: dict[tuple[str, ...], list[str]] = {}  # what is said of several is said once
    for verdict in found:
        body = evidence(game, verdict, width(), full, asked)
        if body:
            bodies.setdefault(tuple(body), []).append(heading(verdict))
    for said, heads in bodies.items():
        out += ["", *(click.style(head, bold=True) for head in heads), *said]
    if not (full or asked) and any(verdict.steps and not verdict.exit_code for verdict in found):
        out += ["", "To see such a game: `--property NAME`; every board of all: `--full`"]
    resting = assumptions(found)
    out += ["", "assumed:", *(f"  {line}" for line in resting)] if resting else []
    return [*out, ""] if out else []


def there(folder: Path) -> None:
    """Makes the folder. Raises BadInput."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot make the folder {shown(str(folder))}: {error.strerror}") from error


def keep_traces(game: Game, found: list[Verdict], rules: str, folder: Path) -> None:
    """A file for each verdict that has a trace, by the property's name. Raises BadInput."""
    there(folder)
    for verdict in found:
        if verdict.steps is not None:
            note = f"{verdict.property}: {answer(verdict)}"
            path = folder / (re.sub(r"[^\w.-]+", "_", verdict.property).strip("_") + ".json")
            place, start = played_in(game, verdict)
            save_files.save(
                save_files.saved(record_of(place, trace(place, verdict.steps, start), note), rules), path
            )
            click.echo(f"saved: kemu replay {quote(str(path))}", err=True)
