"""Plays that break claims about rules by themselves: where they begin, and where they come back to."""

from __future__ import annotations

from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError

from kemu_verifier.evidence import answers as a
from kemu_verifier.goal.questions import Question
from kemu_verifier.goal.verdict import Verdict


def broken_run(question: Question, verdict: Verdict) -> a.Evidence:
    """What shows that a claim is broken."""
    assert question.run is not None
    game = Game(question.run.program, reader="interpreter")
    if verdict.steps is None or verdict.start is None:
        return a.Nothing(a.NO_PLAY)
    states = [game.state(verdict.start)]
    for text in verdict.steps:
        try:
            states.append(states[-1].follow(states[-1].index(text)))
        except FaultError:
            break
    loop = next((at for at, state in enumerate(states[:-1]) if state == states[-1]), None)
    return a.Play(verdict.steps, loop, None, states[0].vars)
