"""`kemu findings`: the gaps of rulebooks, and what they come to in play."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec
from kemu_engine.play.record import RecordError

from kemu.base.library import BadInput, shown
from kemu.base.opening import opened
from kemu.base.writing import writable, write
from kemu.cli.progress import Watch
from kemu.findings.data import Findings
from kemu.findings.gather import Budget, gather
from kemu.render.findings import page

LIMITED = """What is open here was still open when the time for all claims of a game was up. One claim by
itself has more time, and may be decided: `kemu verify GAME --instance NAME --property CLAIM`."""


@click.command("findings")
@click.argument("games", nargs=-1, required=True, metavar="GAME...")
@click.option(
    "--kept",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep what is found in DIR, as GAME.json, and reuse the games kept there before.",
)
@click.option("--again", is_flag=True, help="Write the page from what --kept holds, without searching.")
@click.option(
    "--minutes",
    type=click.FloatRange(min=0, min_open=True),
    default=5,
    show_default=True,
    help="Minutes for all claims of a game.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=20,
    show_default=True,
    help="Seconds for each comparison of two readings.",
)
def command(games: tuple[str, ...], kept: Path | None, again: bool, minutes: float, seconds: float) -> None:
    """Examine every gap that GAME's rules.md names: the claims that cite it, in all declared instances, and
    its readings, compared in play.

    Prints a page with a section for each game: the holes with the games that show them, the readings that
    matter, and what is harmless.
    """
    if again and kept is None:
        raise click.UsageError("--again needs --kept DIR, which holds what was found before")
    budget = Budget(minutes, seconds, os.cpu_count() or 1)
    every = {name: opened(name) for name in games}
    for number, (name, rules) in enumerate(every.items()):
        path = None if kept is None else kept / f"{Path(name).stem}.json"
        if again:
            assert path is not None
            found = read(path)
        else:
            before = read(path) if path is not None and path.exists() else None
            if path is not None:
                place(path)
            with Watch() as watch:
                found = gather(name, budget, watch.show, before)
            if path is not None:
                keep(found, path)
        try:
            told = page(rules, found)
        except RecordError as error:
            raise BadInput(f"{shown(str(path))} holds findings about other rules: {error}") from error
        click.echo(told if number else f"# Findings\n\n{LIMITED}\n\n{told}")


def read(path: Path) -> Findings:
    """What was kept. Raises BadInput."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Findings)
    except OSError as error:
        raise BadInput(f"cannot read {shown(str(path))}: {error.strerror or error}") from error
    except msgspec.DecodeError as error:
        raise BadInput(f"{shown(str(path))} holds no findings: {error}") from error


def place(path: Path) -> None:
    """Makes the folder of the file, and sees that it can be written. Raises BadInput."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"cannot write {shown(str(path))}: {error.strerror or error}") from error
    writable(path)


def keep(found: Findings, path: Path) -> None:
    """Writes the file. Raises BadInput."""
    write(path, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
