"""`kemu draw`: a position as a picture, or as the data that a picture is made of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click
from kemu_engine.batch.playout import walk
from kemu_engine.play import examples
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.opening import choice, ready, remade
from kemu.base.timeouts import soon
from kemu.base.words import counted
from kemu.base.writing import writable, write
from kemu.cli.common import instance_options
from kemu.cli.replay import again
from kemu.render.scene.data import as_json
from kemu.render.scene.scene import scene
from kemu.render.scene.svg import svg
from kemu.service.runs import with_program

LONGEST = 10_000  # steps of a random game
KINDS = (".svg", ".json")


@click.command("draw")
@click.argument("game")
@instance_options
@click.option(
    "--record",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A position of this saved game or record.",
)
@click.option(
    "--example", "title", metavar="TITLE", help="The position after this example of the rules file."
)
@click.option("--seed", type=int, metavar="N", help="A position of this random game.")
@click.option(
    "--step",
    type=click.IntRange(min=0),
    metavar="N",
    help="The position after N steps.  [default: the last one]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it: FILE.svg, or FILE.json for the data.  [default: the screen, as SVG]",
)
def command(
    game: str,
    sets: tuple[str, ...],
    players: int | None,
    instance: str | None,
    file: Path | None,
    title: str | None,
    seed: int | None,
    step: int | None,
    output: Path | None,
) -> None:
    """Draw a position of GAME: its beginning, or one of a saved game, an example or a random game."""
    if sum(each is not None for each in (file, title, seed)) > 1:
        raise click.UsageError("--record, --example and --seed each choose a game: give only one of them")
    if file is not None and (sets or players is not None or instance is not None):
        raise click.UsageError("a record says itself which instance was played: leave the options away")
    if title is not None and step is not None:
        raise click.UsageError("--step is for --record and --seed: an example is drawn after its last step")
    if output is not None:
        drawable(output)
    if file is not None:
        state = recorded(game, file, step)
    else:
        playable = ready(game, sets, players, instance)
        with soon("it"):
            if title is not None:
                state = shown_by(playable, title)
            elif seed is None and not step:
                state = begun(playable)
            else:
                state = at(islice(random(playable, seed or 0), LONGEST + 1), step)
    with soon("it"):
        try:
            found = scene(state)
        except FaultError as fault:
            raise BadInput(f"the rules break down while this is drawn: {fault.message}") from None
    as_data = output is not None and output.suffix.lower() == ".json"
    text = json.dumps(as_json(found), ensure_ascii=False) + "\n" if as_data else svg(found)
    if output is None:
        click.echo(text, nl=False)
        return
    write(output, text.encode())
    click.echo(f"drawn: {output}", err=True)


def drawable(output: Path) -> None:
    """That a picture or its data can be written there. Raises BadInput."""
    if output.suffix.lower() not in KINDS:
        raise BadInput(
            f"{shown(str(output))}: pictures are SVG or data, so its name ends in {' or '.join(KINDS)}"
        )
    writable(output)


def begun(game: Game) -> State:
    """The beginning. Raises BadInput if there is none."""
    try:
        return game.initial()
    except FaultError as fault:
        raise BadInput(f"{game.title} cannot begin: {fault.message}") from None


def random(game: Game, seed: int) -> Iterator[State]:
    """The positions of a random game, up to where the rules break down."""
    begun(game)
    try:
        yield from (state for state, _ in walk(game, seed, 0))
    except FaultError:
        return


def recorded(game: str, file: Path, step: int | None) -> State:
    """A position of a saved game. Raises BadInput."""
    kept = save_files.load(file)
    played = again(with_program(remade(kept, game), kept.program), kept, file)
    return at(iter(played.states), step)


def at(states: Iterator[State], step: int | None) -> State:
    """The position after so many steps, or the last one. Raises BadInput if the game is shorter."""
    last, number = None, -1
    for number, last in enumerate(states):
        if number == step:
            return last
    if last is None:
        raise BadInput("this game breaks down before anything can be drawn")
    if step is not None:
        raise BadInput(f"there is no position after step {step}: this game has {counted(number, 'step')}")
    return last


def shown_by(game: Game, title: str) -> State:
    """Where play stands after an example. Raises BadInput."""
    try:
        return examples.position(game, title)
    except LookupError:
        titles = [each.title for each in game.program.examples]
        near = choice(title, titles, [f'"{each}"' for each in titles])
        raise BadInput(f"{game.title} has no example {shown(title)} in this instance{near}") from None
    except ValueError as problem:
        raise BadInput(f"the example {shown(title)} cannot be drawn: {problem}") from None
