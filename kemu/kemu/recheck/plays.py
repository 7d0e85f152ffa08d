"""Plays of a bundle, played again in the interpreter, and whether they show what their verdicts say."""

from __future__ import annotations

from pathlib import Path

from kemu_engine.play.game import Game
from kemu_engine.play.record import RecordError, load, position
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.steps import Steps, lines_of

from kemu.recheck.claims import Claim


class Wrong(Exception):
    """Something in the bundle does not hold; the message says what."""


def shows(game: Game, path: Path, claim: Claim, verdict: str, form: str) -> str:
    """Plays the record again; what it shows, in words. Raises Wrong if that is not what the verdict says."""
    if verdict != ("possible" if claim.wanted else "refuted"):
        raise Wrong(f"a play cannot show that this is {verdict}")
    if claim.whole == "terminates":
        loop, length = circle(game, path)
        return f"the state after step {length} is the same as after step {length - len(loop)}"
    if claim.whole:
        raise Wrong(f"a play alone cannot decide {form}")
    states, fault, last = replayed(game, path)
    if claim.fault is not None:
        if fault is None or not claim.fault(fault):
            raise Wrong("the play does not end in such a fault")
        return (
            f"the last step runs into: {game.program.faults[fault].message}"
            if fault >= 0
            else "it never ends"
        )
    if claim.line is not None:
        if claim.line not in last:
            raise Wrong(f"the last step does not run through {claim.line[0]} {claim.line[1]}")
        return "the last step runs through that line"
    assert claim.state is not None
    if fault is not None or not claim.state(states[-1]):
        raise Wrong("the last state is not as the verdict says")
    return "the last state is as the verdict says"


def circle(game: Game, path: Path) -> tuple[list[State], int]:
    """The states of a recorded play, from that to which it returns in the end up to the last before it does;
    how many steps the play has. Raises Wrong if it returns to none."""
    states, fault, _ = replayed(game, path)
    back = next((at for at, state in enumerate(states[:-1]) if state == states[-1]), None)
    if fault is not None or back is None:
        raise Wrong("the play does not return to an earlier state")
    return states[back:-1], len(states) - 1


def replayed(game: Game, path: Path) -> tuple[list[State], int | None, set[tuple[str, int]]]:
    """The states of a recorded play; the fault that its last step runs into; the lines it runs through.

    Raises Wrong if it is no play of this game."""
    try:
        record = load(path, game)
        start = None if record.start is None else game.state(record.start)
    except (RecordError, ValueError, OSError) as error:
        raise Wrong(str(error)) from None
    states: list[State] = []
    steps = Steps(game)
    taken = steps.begin()
    if start is not None and start != taken[0]:
        raise Wrong("the play does not start at the beginning of a game")
    for number, step in enumerate(record.steps, 1):
        if taken[0] is None:
            raise Wrong(f"the play goes on after a fault, with step {number}")
        states.append(taken[0])
        try:
            taken = steps.follow(taken[0], position(taken[0], step, number))
        except (RecordError, FaultError) as error:
            raise Wrong(str(error)) from None
    state, fault, mask = taken
    if state is not None:
        states.append(state)
    return states, None if state is not None else fault, lines_met(game, steps, mask)


def lines_met(game: Game, steps: Steps, mask: int) -> set[tuple[str, int]]:
    """The lines in a mask: name of the file, number."""
    every = lines_of(game.program).items()
    return {(Path(file).name, line) for (file, line), origins in every if steps.mask(origins) & mask}
