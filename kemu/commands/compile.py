"""`kemu compile`: a game as a module in another language."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click

from engine.depth import deep
from engine.generated.loader import TOO_DEEP
from engine.generated.writer import whole
from kemu.commands.common import instance_options, made, opened, wanted
from kemu.find import BadInput, shown


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
    if file is not None and file.exists():
        raise BadInput(f"{file} exists: choose another name")
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
    write(file, text)
    click.echo(f"written: {file}; `python {file} --games 1000` plays it")


def write(file: Path, text: str) -> None:
    """Writes the file, whole or not at all. Raises BadInput."""
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        draft.write_text(text, "utf-8")
        draft.replace(file)
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(file))}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
