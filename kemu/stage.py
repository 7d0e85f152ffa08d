"""Where a trace is played: mostly in the game; of a claim about a rule by itself in its own program."""

from __future__ import annotations

from engine.game import Game
from engine.state import State
from verifier.verdict import Verdict


def stage(game: Game, verdict: Verdict) -> tuple[Game, State | None]:
    """The game in which the verdict's steps are played, and where they begin, if not at its beginning."""
    if verdict.start is None:
        return game, None
    alone = stage_of(game, verdict.start["program"])
    return alone, alone.state(verdict.start)


def stage_of(game: Game, program: str) -> Game:
    """The game, or that one of its claims' own programs which has this hash."""
    if program != game.hash:
        for claim in game.program.properties:
            for run in (claim.run, claim.run.real) if claim.run is not None else ():
                if run is not None and (alone := Game(run.program)).hash == program:
                    return alone
    return game
