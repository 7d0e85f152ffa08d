"""`kemu findings`: the gaps of rulebooks, and what they come to in play."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import join

import click
import msgspec
from kemu_engine.play.record import RecordError
from kemu_grammar.game.game import Game

from kemu.base.library import BadInput, shown
from kemu.base.opening import opened
from kemu.base.writing import writable, write
from kemu.cli.progress import Watch
from kemu.findings.claims import Budget
from kemu.findings.data import Findings
from kemu.findings.gather import gather
from kemu.findings.today import another, changed
from kemu.render.findings import book, introduction, page
from kemu.render.findings_details import DETAILED, Games
from kemu.render.findings_details import details as full
from kemu.render.findings_page import Examples


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
    "--details",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write how each finding was made in FILE, and link the page to it.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the page in FILE as HTML, too, with games to step through.",
)
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
def command(
    games: tuple[str, ...],
    kept: Path | None,
    again: bool,
    details: Path | None,
    html: Path | None,
    minutes: float,
    seconds: float,
) -> None:
    """Examine every gap that GAME's rules.md names: the claims that cite it, in all declared instances, and
    its readings, compared in play.

    Prints a page with a section for each game, for readers who know the game: each hole with a game that
    shows it, what it costs in play, and the wording in rules.md that would close it.
    """
    if again and kept is None:
        raise click.UsageError("--again needs --kept DIR, which holds what was found before")
    for file in (details, html):
        if file is not None:
            writable(file)
    budget = Budget(minutes, seconds, os.cpu_count() or 1)
    every = {name: opened(name) for name in games}
    told, drawn, every_found = list[str](), list[str](), list[Findings]()
    books = {name: book(rules) for name, rules in every.items()}
    examples = Examples({number: each for one in books.values() for number, each in one.statements.items()})
    detailed = [f"# Findings: the details\n\n{DETAILED}\n"]
    files = {} if kept is None else kept_in(kept, games)
    for name, rules in every.items():
        path = files.get(name)
        found = gathered(name, rules, path, again, budget)
        every_found.append(found)
        try:
            link = "" if details is None else details.name
            played = Games()
            told.append(page(rules, books[name], found, played, link))
            if html is not None:
                drawn.append(page(rules, books[name], found, played, link, examples.show))
            detailed += [] if details is None else [full(rules, found, played)]
        except RecordError as error:
            raise BadInput(f"{shown(str(path))} holds findings about other rules: {error}") from error
    head = f"# Findings\n\n{introduction(every_found)}\n"
    if details is not None:
        write(details, "\n".join(detailed).encode())
    if html is not None:
        title = f"{', '.join(rules.title for rules in every.values())}: findings"
        write(html, examples.page(title, "\n".join([head, *drawn])).encode())
    click.echo("\n".join([head, *told]), nl=False)


def kept_in(folder: Path, games: tuple[str, ...]) -> dict[str, Path]:
    """Where what is found of each game is kept. Raises BadInput for two of one name."""
    found: dict[Path, str] = {}
    for name in dict.fromkeys(games):
        path = folder / f"{Path(name).stem}.json"
        if path in found:
            raise BadInput(
                f"{shown(found[path])} and {shown(name)} would both be kept as {shown(str(path))}: "
                "look at them one by one, each with a --kept of its own"
            )
        found[path] = name
    return {name: path for path, name in found.items()}


def gathered(name: str, rules: Game, path: Path | None, again: bool, budget: Budget) -> Findings:
    """What is found, or was found before if it is not to be looked for `again`; kept in the file. Raises
    BadInput if that holds what was found of another game, or, `again`, of rules that have changed since."""
    if again and path is not None:
        found = read(path)
        renew = f"`{join(['kemu', 'findings', name, '--kept', str(path.parent)])}`"
        if found.instances and (change := changed(rules, found)):
            raise BadInput(
                f"{shown(str(path))} holds findings about other rules than those of {shown(rules.file)} "
                f"today: {change}; {renew} looks for new ones"
            )
        if not found.instances and another(found, rules):
            raise BadInput(f"{shown(str(path))} holds findings about another game: {shown(found.title)}")
        if not found.instances:
            click.echo(f"{path} does not say of which rules it was found; {renew} finds it anew", err=True)
        return found
    before = read(path) if path is not None and path.exists() else None
    if before is not None and another(before, rules):
        raise BadInput(
            f"{shown(str(path))} holds findings about another game: {shown(before.title)}, "
            f"of {shown(before.rules)}; keep these in another folder"
        )
    if path is not None:
        place(path)
    with Watch() as watch:
        found = gather(name, budget, watch.show, before)
    if path is not None:
        keep(found, path)
    return found


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
