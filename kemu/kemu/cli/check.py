"""`kemu check`: rules files, their instances and their examples."""

from __future__ import annotations

import click
from kemu_engine.interp.frame import TooMany
from kemu_engine.lint.trivial_claims import early
from kemu_engine.lint.unused_claims import idle
from kemu_engine.play.examples import ExampleResult, run_examples
from kemu_engine.play.state import FaultError
from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import RulesError

from kemu.base.library import BadInput
from kemu.base.opening import declared, made, opened
from kemu.base.timeouts import soon
from kemu.base.words import counted, listed
from kemu.cli.common import complaint, diagnosed
from kemu.cli.trace import traced
from kemu.render.words import citation, fault

BAD = 64
EXAMPLES = 60.0  # seconds for those of an instance


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="GAME...")
@click.pass_context
def command(context: click.Context, files: tuple[str, ...]) -> None:
    """Read rules files, make every instance that they declare, begin it, and run their examples.

    Each GAME is the name of a game at hand, a rules file, or a folder with one in it.
    """
    faults = 0
    for number, name in enumerate(files):
        if number:
            click.echo()
        faults += check(name)
    if faults:
        context.exit(BAD)


def check(name: str) -> int:
    """Checks one game and says what was found; the number of faults."""
    try:
        game = opened(name)
    except Exception as error:
        return complained(name, error)
    parts = [len(game.properties), len(game.examples), len(game.instances)]
    things = [
        counted(count, thing)
        for count, thing in zip(parts, ("property", "example", "instance"), strict=True)
        if count
    ]
    click.echo(f"{name}: {game.title}" + (f", {listed(things)}" if things else ""))
    faults = uncited(game) + unasked(game)
    told: set[str] = set()
    for want in declared(game):
        title = want.name or "as it stands"
        try:
            playable = made(game, want)
        except Exception as error:
            text = complaint(error)
            if text is None:
                raise
            if text not in told:
                click.echo(f"  {title}:\n{text}")
            told.add(text)
            faults += len(error.diagnostics) if isinstance(error, RulesError) else 1
            continue
        try:
            with soon("the way to the first decision"):
                playable.initial()
        except (BadInput, TooMany) as error:
            click.echo(f"  {title}: the game cannot begin\n{complaint(error)}")
            faults += 1
            continue
        except FaultError as error:
            click.echo(f"  {title}: the game cannot begin\n" + "\n".join(fault(error, playable)))
            faults += 1
            continue
        with soon("running the examples", EXAMPLES):
            results = run_examples(playable)
        bad = [result for result in results if not result.passed]
        program = playable.program
        shape = f"{counted(len(program.players), 'player')}, {counted(len(program.vars) - 1, 'variable')}"
        passed = (
            f"{len(results) - len(bad)} of {counted(len(results), 'example')} as expected"
            if results
            else "no examples"
        )
        click.echo(f"  {title}: {shape}, {passed}")
        for result in bad:
            click.echo(failed(result))
        faults += len(bad)
        hasty = [diagnosed(RulesError((each,))) for each in early(playable)]
        faults += len(hasty)
        for text in hasty:
            if text not in told:
                click.echo(text)
        told.update(hasty)
    return faults


def uncited(game: Game) -> int:
    """Says where the rules file and its rules.md disagree, if it has one; the number of faults."""
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


def unasked(game: Game) -> int:
    """Says which examples and properties no declared instance looks at; their number."""
    found = idle(game)
    if found:
        click.echo(diagnosed(RulesError(found)))
    return len(found)


def complained(name: str, error: Exception) -> int:
    """Says why a game cannot be read; an error of our own goes on its way."""
    text = complaint(error)
    if text is None:
        raise error
    click.echo(f"{name}:\n{text}" if isinstance(error, RulesError) else text)
    return len(error.diagnostics) if isinstance(error, RulesError) else 1


def failed(result: ExampleResult) -> str:
    """Which example did not come out as expected, where, and what was the case instead."""
    span = result.origin.span if result.origin else None
    where = f" ({span.file}:{span.line})" if span and span.line else ""
    cites = citation(result.origin) if result.origin and result.origin.cites else ""
    return f'    example "{result.title}"{where} {cites}'.rstrip() + f"\n      {result.message}"
