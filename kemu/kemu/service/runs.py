"""The game that a trace is played in: of a claim about a rule by itself the program of that run."""

from __future__ import annotations

from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_verifier.goal.verdict import Verdict


def played_in(game: Game, verdict: Verdict) -> tuple[Game, State | None]:
    """The game in which the verdict's steps are played, and where they begin, if not at its beginning."""
    if verdict.start is None:
        return game, None
    alone = with_program(game, verdict.start["program"])
    return alone, alone.state(verdict.start)


def with_program(game: Game, program: str) -> Game:
    """The game, or that one of its claims' own programs which has this hash."""
    if program != game.hash:
        for claim in game.program.properties:
            for run in (claim.run, claim.run.real) if claim.run is not None else ():
                if run is not None and (alone := Game(run.program)).hash == program:
                    return alone
    return game
