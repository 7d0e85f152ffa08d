"""`kemu compile`: a game as a module in another language."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from kemu_engine.kernel.limits import TOO_DEEP, NotCovered
from kemu_engine.kernel.nodes import Program
from kemu_engine.run.python.writer import whole
from kemu_engine.run.wasm.programs.writer import module
from kemu_engine.support.stack import deep

from kemu.base.library import BadInput
from kemu.base.opening import ready
from kemu.base.writing import free, write
from kemu.cli.common import instance_options

LANGUAGES = {"python": "Python", "wasm": "WebAssembly"}


@click.command("compile")
@click.argument("game")
@instance_options
@click.option(
    "--to", "language", type=click.Choice(list(LANGUAGES)), required=True, help="The language of the module."
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
    """Write GAME as a module: in Python, which plays it and needs nothing else (`python FILE --games 1000`),
    or in WebAssembly, for programs that play millions of games."""
    if file is not None:
        free(file)
    if file is None and language == "wasm" and sys.stdout.isatty():
        raise BadInput("a WebAssembly module is not text for a terminal: say where to write it, with -o FILE")
    program = ready(game, sets, players, instance).program
    try:
        data = module(program).binary if language == "wasm" else python(program)
    except TOO_DEEP:
        raise BadInput(f"the rules of {program.game} nest too deeply for {LANGUAGES[language]}") from None
    except NotCovered as lack:
        raise BadInput(f"{program.game} cannot be compiled to WebAssembly yet: it has {lack}") from None
    if file is None:
        click.echo(data, nl=False)
        return
    write(file, data)
    how = f"`python {file} --games 1000` plays it" if language == "python" else f"{len(data):,} bytes"
    click.echo(f"written: {file}; {how}")


def python(program: Program) -> bytes:
    """The text of a module of Python."""
    with deep():
        text = whole(program)
        compile(text, "module", "exec")
    return text.encode()
