"""How long a person waits for one thing: rules may run in circles, or through too many cases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice

from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError
from kemu_engine.support.time_limit import OutOfTime, within

from kemu.base.library import BadInput

LONG = 10.0  # seconds of computing
TRIED = 20  # steps of a random game


@contextmanager
def soon(what: str, seconds: float | None = None) -> Iterator[None]:
    """Raises BadInput if it takes longer than `seconds` (by default LONG)."""
    seconds = LONG if seconds is None else seconds
    try:
        with within(seconds):
            yield
    except OutOfTime:
        most = "a second" if seconds == 1 else f"{seconds:g} seconds"
        raise BadInput(f"{what} takes more than {most} of computing") from None


def tried(game: Game) -> None:
    """Begins a random game, for those who have no limit of time within a step. Raises TooSlow, TooMany."""
    from kemu_engine.batch.bulk import patient
    from kemu_engine.batch.playout import walk

    with suppress(FaultError):
        for _ in islice(patient(walk(game, 0, 0)), TRIED):
            pass
