"""A game that shows a hole, as one would tell it at the table: the moves if they are few, the position, and
what each answer comes to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import Trace, TraceStep
from kemu_engine.play.view import Picture, view

from kemu.base.words import counted, listed
from kemu.findings.data import Choice
from kemu.findings.phrases import Phrases
from kemu.render.board import placed
from kemu.render.findings_details import WIDTH
from kemu.render.trace import boards, squeezed
from kemu.render.turn import on_turn

MOVES = 15  # of more than so many only the position is told
MARKED = 4  # places that may look otherwise before the picture of the moment before is plainer


@dataclass(frozen=True, slots=True)
class Played:
    """A game under both answers, ours on the left."""

    choice: Choice
    left: Trace
    right: Trace
    phrases: Phrases

    @property
    def over(self) -> bool:
        """Whether it is over under one answer at least."""
        return self.choice.unlike is not None and self.choice.unlike.kind in ("result", "over")

    @property
    def at(self) -> int:
        """After so many steps the picture is drawn: where the boards part if they do, but before the last
        step if that changes too much to be seen."""
        last = len(self.choice.steps)
        at = min(self.choice.fork, last) if self.over or self.choice.effect == "board" else last
        if at == last and at and (self.over or unlike(self.left, self.right, at) > MARKED):
            return at - 1
        return at

    def said(self, step: TraceStep) -> str:
        """A step in words."""
        if step.actor is None:
            return self.phrases.move(step.before.label, step.text)
        return f"{step.actor} {self.phrases.move('', step.text)}"


def told(game: Played, where: str) -> Iterator[str]:
    """The moves, the picture, and what comes next."""
    at, steps = game.at, game.left.steps
    yield f"*Example* ({where}). {before(game)}"
    state = game.left.states[at]
    other = game.right.states[at] if at < len(game.right.states) else None
    yield from ("", "```")
    for line in boards(state, other, width=WIDTH):
        yield from (part.rstrip() for part in squeezed(line, WIDTH))
    yield "```"
    if at + 1 == len(steps):
        yield from ("", f"Now {game.said(steps[at])}.")
    elif at < len(steps):
        yield from ("", f"Both play on with the same {counted(len(steps) - at, 'move')}.")
    elif state.actor is not None:
        yield from ("", deciding(state))


def deciding(state: State) -> str:
    """Who is to do something, and in whose turn."""
    player = on_turn(state)
    if player in (None, state.actor):
        return f"Now it is {state.actor}'s turn."
    return f"It is {player}'s turn, and {state.actor} decides."


def before(game: Played) -> str:
    """How the position came about."""
    steps = game.left.steps[: game.at]
    if not steps:
        return "At the beginning:"
    if len(steps) > MOVES:
        return f"A position of the game. The last move: {game.said(steps[-1])}."
    return " ".join(f"{number}. {game.said(step)}." for number, step in enumerate(steps, 1))


def telling(game: Played, side: int) -> str:
    """What an answer comes to at the end of the steps, as the end of a sentence."""
    final = (game.left, game.right)[side].final
    unlike = game.choice.unlike
    if final is None or unlike is None:
        return ""
    if final.result is not None:
        won = list(final.result.winners)
        return f"; then {won[0]} wins" if len(won) == 1 else f"; then {listed(won)} share the win"
    if unlike.kind == "over":
        return "; then the game goes on"
    own, other = (unlike.left, unlike.right) if side == 0 else (unlike.right, unlike.left)
    if unlike.kind == "actions" and own and not (other and len(other) < len(own)):
        return f"; for example, {final.actor} {game.phrases.move('', own[-1])}"
    return ""


def unlike(left: Trace, right: Trace, at: int) -> int:
    """How many places of the pictures differ after so many steps."""
    try:
        return sum(map(differing, view(left.states[at]), view(right.states[at])))
    except (FaultError, IndexError):
        return 0


def differing(mine: Picture, theirs: Picture) -> int:
    one, other = placed(mine), placed(theirs)
    return sum(one.get(place) != other.get(place) for place in one.keys() | other.keys())
