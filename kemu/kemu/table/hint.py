"""What a search thinks of a decision, for the person who is to make it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kemu_engine.search.sample import Sample
from kemu_engine.search.sampled import sampled

from kemu.api.game import State
from kemu.base.words import counted
from kemu.bots import MCTS, Line
from kemu.table.worth import worth

SHOWN = 5
"""Actions that are told of, the best one first."""


def begun(sample: Sample | None) -> str:
    """Where the random games began."""
    if sample is None:
        return "here"
    which = "all that there may be" if sample.every else "drawn of those that there may be"
    return f"{counted(len(sample.states), 'position')}, {which}"


@dataclass(frozen=True, slots=True)
class Adviser:
    """Who is asked for a hint."""

    bot: MCTS = field(default_factory=MCTS)

    def hints(self, state: State) -> list[str]:
        """The best actions, with what they are worth to the player who acts, and how his turn would go on."""
        actions = state.actions()
        if len(actions) == 1:
            return [f"{actions[0]} is all that can be done."]
        thought = self.bot.think(state)
        search = self.bot.search(state)
        values, sample = worth(state.game._playable.program, search), sampled(search, state._position)
        about = (
            "proved"
            if thought.proved
            else f"after {counted(thought.playouts, 'random game')} from {begun(sample)}"
        )
        best, *others = [(self.turn(state, line), line) for line in thought.lines[:SHOWN]]
        others = [each for each in others if each[1].playouts]
        others.sort(key=lambda each: each[1].value, reverse=True)
        longest = max((len(turn) for turn, _ in others), default=0)
        lines = [f"{best[0]}: {values.line(best[1])} ({about})."]
        lines += [f"  {turn:<{longest}}  {values.line(line)}" for turn, line in others]
        sure = "" if sample is None else values.within(sample.error(thought.lines[0].playouts))
        return [*lines, *filter(None, [values.note, sure])]

    def turn(self, state: State, line: Line) -> str:
        """An action, and what its player would do next before anybody else: `sail(2), then keep(0)`."""
        return ", then ".join([str(line.action), *self.bot.onward(state, line.action)])
