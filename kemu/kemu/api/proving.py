"""Verdicts on the properties of a game; the solver is loaded only when it is asked for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike

from kemu_verifier.goal.verdict import Verdict

from kemu.api.game import Game
from kemu.api.loading import meant


def verify(
    game: Game | str | PathLike[str],
    names: str | Iterable[str] | None = None,
    seconds: float = 60,
    standard: bool = True,
) -> Iterator[Verdict]:
    """The verdict on each property, or on those named, as they are found. The game may be given by its name
    or path too, and is then taken as it stands; `seconds` is the time for each property.

    `standard` adds what is asked of every game: no fault, nobody stuck, an end, and so on. Raises ValueError
    for a name that no property has.
    """
    from kemu_verifier.goal.questions import questions
    from kemu_verifier.strategy.verify import chosen
    from kemu_verifier.strategy.verify import verify as look

    playable = meant(game)._playable
    wanted = [names] if isinstance(names, str) else None if names is None else list(names)
    chosen(questions(playable.program, True), wanted)  # a name that means nothing is told at once
    return look(playable, wanted, seconds, None, standard)
