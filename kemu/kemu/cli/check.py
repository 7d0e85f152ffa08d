"""`kemu check`: rules files, their instances and their examples."""

from __future__ import annotations

import click
from kemu_engine.lint.set_order import reordered
from kemu_engine.lint.unused_claims import idle
from kemu_engine.lint.unused_names import unused
from kemu_engine.lower.settings import SettingError
from kemu_grammar.game.game import Game
from kemu_grammar.game.unending import unending
from kemu_grammar.source.diagnostics import Diagnostic, RulesError

from kemu.base.library import BadInput
from kemu.base.opening import opened, wanted
from kemu.base.words import counted, listed
from kemu.cli.check_instance import checked, one
from kemu.cli.common import complaint, diagnosed
from kemu.cli.step_example import step_through
from kemu.cli.trace import traced
from kemu.render.coverage import lines
from kemu.service.coverage import coverage

BAD = 64
MOST_COSTLY = 3  # instances that take more steps than they may, before no other is tried


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="GAME...")
@click.option("--coverage", "gaps", is_flag=True, help="Say what no example runs and no claim reads.")
@click.option("--step", "title", metavar="TITLE", help="Go through one example, statement by statement.")
@click.option("--instance", metavar="NAME", help="Only this instance; with --step: the one to do so in.")
@click.pass_context
def command(
    context: click.Context, files: tuple[str, ...], gaps: bool, title: str | None, instance: str | None
) -> None:
    """Read rules files, make every instance that they declare, start it, and run the examples.

    Each GAME is the name of an available game, a rules file, or a folder that contains one.

    With --coverage, it then shows the statements, actions and functions of the rules that no example runs
    and no claim reads.

    With --step, the example TITLE of one GAME is shown statement by statement, with the board and what
    changes; in a terminal, each waits for Enter.
    """
    if title is not None:
        if len(files) > 1 or gaps:
            raise click.UsageError("--step goes through an example of one game, and does nothing else")
        if not step_through(files[0], title, instance):
            context.exit(BAD)
        return
    if instance is not None and (gaps or len(files) > 1):
        raise click.UsageError("--instance is for one game, of which --coverage looks at every instance")
    faults = 0
    for number, name in enumerate(files):
        if number:
            click.echo()
        faults += check(name, gaps, instance)
    if faults:
        context.exit(BAD)


def check(name: str, gaps: bool = False, only: str | None = None) -> int:
    """Checks one game and reports what was found; returns the number of faults, warnings not among them.
    `gaps`: reports what examples and claims do not touch, too. `only`: the one instance to make."""
    try:
        game = opened(name)
        some = None if only is None else wanted(game, (), None, only)
    except Exception as error:
        return complained(name, error)
    parts = [len(game.properties), len(game.examples), len(game.instances)]
    things = [
        counted(count, thing)
        for count, thing in zip(parts, ("property", "example", "instance"), strict=True)
        if count
    ]
    click.echo(f"{name}: {game.title}" + (f", {listed(things)}" if things else ""))
    faults = uncited(game) + reported(reordered(game)) + reported(idle(game))
    warnings = (*unending(game), *unused(game))
    if warnings:
        click.echo(diagnosed(RulesError(warnings), "warning"))
    told: set[str] = set()
    costly = 0
    instances = checked(name, game) if some is None else iter([one(game, some)])
    for number, instance in enumerate(instances, 1):
        for line in instance.lines:
            click.echo(line)
        for before, text in instance.once:
            if text not in told:
                click.echo(before + text)
            told.add(text)
        faults += instance.faults
        costly += instance.costly
        if costly == MOST_COSTLY and number <= len(game.instances):
            left = counted(len(game.instances) + 1 - number, "other instance")
            click.echo(f"  {left} not made: {MOST_COSTLY} took too many steps")
            break
    if gaps:
        untouched(name, game)
    return faults


def untouched(name: str, game: Game) -> None:
    """Reports what examples and claims do not touch."""
    try:
        found = coverage(name, game)
    except (RulesError, BadInput, SettingError) as error:
        click.echo(f"  no coverage: not every instance can be made\n{complaint(error)}")
        return
    click.echo("\n" + "\n".join(lines(found, game.sources)))


def uncited(game: Game) -> int:
    """Reports where the rules file and its rules.md, if any, disagree; returns the number of faults."""
    try:
        found = traced(game)
    except (RulesError, OSError) as error:
        return complained("  rules.md", error)
    if found is None:
        return 0
    account = found.account
    click.echo(
        f"  {account.file}: {counted(len(account.statements), 'statement')}"
        + ("" if found.faults else ", all cited or notes")
    )
    if found.faults:
        click.echo(diagnosed(RulesError(found.faults)))
    return len(found.faults)


def reported(found: tuple[Diagnostic, ...]) -> int:
    """Reports what was found; returns its number."""
    if found:
        click.echo(diagnosed(RulesError(found)))
    return len(found)


def complained(name: str, error: Exception) -> int:
    """Says why a game cannot be read; an internal error is raised again."""
    text = complaint(error)
    if text is None:
        raise error
    click.echo(f"{name}:\n{text}" if isinstance(error, RulesError) else text)
    return len(error.diagnostics) if isinstance(error, RulesError) else 1
