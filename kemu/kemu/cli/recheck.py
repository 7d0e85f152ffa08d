"""`kemu recheck`: a bundle of evidence, checked without the prover."""

from __future__ import annotations

from pathlib import Path

import click

from kemu.recheck import manifest
from kemu.recheck.checker import checked
from kemu.recheck.rules import Wrong, altered, compiled, files_of, printable, renamed, subject
from kemu.recheck.texts import texts_of

WRONG = 1


@click.command("recheck", context_settings={"ignore_unknown_options": True})
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def command(context: click.Context, folder: Path, options: tuple[str, ...]) -> None:
    """Check the bundle that `kemu verify --bundle` wrote to FOLDER, without Kemu's prover.

    The rules in it are compiled anew, and a checker that shares no code with Kemu looks whether the evidence
    shows what is answered about them. The first line says of what: the game, its players and settings, and
    the hash of its program. Options are those of the checker: `python -m kemu_checker --help`.

    The exit code is 0 if everything is confirmed, 1 if something does not hold, 4 if something could not be
    checked.
    """
    try:
        manifest.seek(folder)
        files_of(folder)  # before anything is read
        about = manifest.load(folder)
        told = altered(folder, about)
        found = compiled(folder, about)
    except Wrong as error:
        click.echo(str(error))
        context.exit(WRONG)
    texts = texts_of(found.program)
    told += renamed(found.program, about)
    told += [
        f"the rules compile to another {name}" for name, text in texts.items() if other(folder / name, text)
    ]
    click.echo(subject(found))
    for line in told:
        click.echo(printable(line))
    code = checked(folder, texts, options)
    context.exit(WRONG if told else code)


def other(path: Path, text: bytes) -> bool:
    """Whether the file is not this text."""
    return not path.is_file() or path.read_bytes() != text
