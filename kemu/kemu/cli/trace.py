"""`kemu trace`: what the rulebook says, and where the rules file says it."""

from __future__ import annotations

import click
from kemu_grammar.game import rulebook
from kemu_grammar.game.beside import FILE, beside
from kemu_grammar.game.game import Game
from kemu_grammar.game.rulebook import Tracing
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.source.did_you_mean import closest
from kemu_grammar.syntax.ast import Module
from kemu_grammar.syntax.parser import parse

from kemu.base.library import BadInput, shown
from kemu.base.opening import opened
from kemu.base.words import counted, listed
from kemu.cli.common import diagnosed
from kemu.render.console import console, width
from kemu.render.statements import as_json, one, sections, summary

BAD = 64


@click.command("trace")
@click.argument("game")
@click.argument("number", required=False)
@click.option(
    "--json", "machine", is_flag=True, help="Print one JSON object per line: statements, errors, the totals."
)
@click.pass_context
def command(context: click.Context, game: str, number: str | None, machine: bool) -> None:
    """Show every statement of GAME's rules.md with what encodes it: rules, options, examples and claims.

    With NUMBER, such as C3, show only that statement, in full, with the lines that cite it.
    """
    rules = opened(game)
    modules = own(rules)
    found = traced(rules)
    if found is None:
        numbers = {each.number for module in modules for each in rulebook.citations(module)}
        cites = f", which cites {counted(len(numbers), 'statement')} of it" if numbers else ""
        raise BadInput(
            f"{rules.title} cannot be traced: there is no {FILE} beside {shown(rules.file)}{cites}"
        )
    if number is not None:
        single(found, rules.sources, number)
        return
    if machine:
        for line in as_json(found, modules[0]):
            click.echo(line)
    else:
        table(found, modules, rules.title)
    if found.faults:
        context.exit(BAD)


def own(game: Game) -> list[Module]:
    """The trees of the rules file and of its file of proofs, if it has one."""
    return [parse(game.sources[file], file) for file in (game.file, game.proofs) if file]


def traced(game: Game) -> Tracing | None:
    """A game's statements and what cites them; None if it has no rules.md. Raises RulesError, OSError."""
    path = beside(game.file)
    return None if path is None else rulebook.compared(rulebook.load(path), *own(game))


def single(found: Tracing, sources: dict[str, str], number: str) -> None:
    known = {s.number.upper(): s for s in found.account.statements}
    wanted = number.strip("[] ").upper()
    if wanted not in known:
        near = closest(wanted, known)
        hint = f": did you mean {near}?" if near else "; without a number, all are listed"
        raise BadInput(f"{found.account.file} has no statement {shown(number)}{hint}")
    s = known[wanted]
    click.echo("\n".join(one(s, found.by_number[s.number], sources, width())))


def table(found: Tracing, modules: list[Module], title: str) -> None:
    click.echo(f"{title}: {found.account.file}, cited in {listed([module.file for module in modules])}")
    paper = console()
    for section, sheet in sections(found, paper.width):
        with paper.capture() as text:
            paper.print(sheet)
        click.secho(f"\n{section}" if section else "", bold=True)
        click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
    click.echo(f"\n{summary(found, modules[0])}")
    if found.faults:
        click.echo(f"\n{diagnosed(RulesError(found.faults))}")
