"""`kemu compile`: a game as a module in another language."""

from __future__ import annotations

from pathlib import Path

import click

from engine.depth import deep
from engine.generated.loader import TOO_DEEP
from engine.generated.writer import whole
from kemu.commands.common import instance_options, made, opened, wanted
from kemu.find import BadInput


@click.command("compile")
@click.argument("game")
@instance_options
@click.option(
    "--to", "language", type=click.Choice(["python"]), required=True, help="The language of the module."
)
@click.option(
    "-o", "--output", "file", type=click.Path(path_type=Path), metavar="FILE", help="Where to write it."
)
def command(
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    language: str,
    file: Path | None,
) -> None:
    """Write GAME as a module that plays it and needs nothing but Python: `python FILE --games 1000`."""
    rules = opened(game)
    program = made(rules, wanted(rules, sets, players, instance)).program
    try:
        with deep():
            text = whole(program)
            compile(text, "module", "exec")
    except TOO_DEEP:
        raise BadInput(f"the rules of {program.game} nest too deeply for {language.title()}") from None
    if file is None:
        click.echo(text, nl=False)
        return
    if file.exists():
        raise BadInput(f"{file} exists: choose another name")
    file.write_text(text, "utf-8")
    click.echo(f"written: {file}; `python {file} --games 1000` plays it")
