"""One random game from beginning to end, for `kemu simulate --game`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import click
from kemu_engine.batch.bulk import patient
from kemu_engine.batch.playout import walk
from kemu_engine.play import record
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_engine.play.trace import record_of, trace

from kemu.base import save_files
from kemu.base.words import counted as things
from kemu.base.writing import free
from kemu.render.console import width
from kemu.render.trace import lines
from kemu.render.words import instance as settings_of

LONGEST = 1_000_000  # steps of a game that is shown


def show(
    game: Game, seed: int, index: int, max_decisions: int, full: bool, file: Path | None, rules: str
) -> None:
    """Shows one random game from beginning to end."""
    if file is not None:
        free(file)
    steps: list[record.Step] = []
    decisions = 0
    with suppress(FaultError):  # the trace runs into the fault again, and shows it
        for state, chosen in patient(walk(game, seed, index)):
            decisions += state.is_decision
            if decisions > max_decisions or len(steps) > LONGEST:
                break
            if chosen >= 0:
                steps.append(record.Step(state.moves()[chosen].text, state.actor))
    played = trace(game, steps)
    click.echo(
        f"{game.title}, {settings_of(game)}, seed {seed}, game {index}: {things(len(steps), 'step')}\n"
    )
    click.echo("\n".join(lines(game, played, width(), full)))
    if played.fault is None and played.final is not None and not played.final.is_end:
        click.echo(f"\ncut off after {things(len(steps), 'step')}")
    if file is not None:
        save_files.save(save_files.saved(record_of(game, played), rules, {}, seed), file)
        click.echo(f"\nsaved: kemu replay {file}")
