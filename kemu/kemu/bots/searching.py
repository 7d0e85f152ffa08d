"""The bot that searches: Monte-Carlo tree search, of any game."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from kemu_engine.search.information_sets import NoPast
from kemu_engine.search.mcts import Search
from kemu_engine.search.onward import onward
from kemu_engine.search.thought import Thought as Found

from kemu.api.action import Action
from kemu.api.game import State
from kemu.base.library import BadInput

SECONDS = 1.0
"""How long it thinks about a decision, if nothing else is said."""


@dataclass(frozen=True, slots=True)
class Line:
    """What was found out about an action. `playouts`: in how many games it was tried; `value`: what they
    brought the player who acts, on the average, from 0 (lost, or the last of all) to 1 (won), a tie half;
    `proved`: the value is known exactly, whatever the others do."""

    action: Action
    playouts: int
    value: float
    proved: bool


@dataclass(frozen=True, slots=True)
class Thought:
    """What a search found out about a decision. `action` is what it would do, `value` what that is worth (as
    in Line), `proved` whether nothing better is possible and the value exact; `playouts`: how many games were
    played for it; `lines`: all legal actions, the best one first."""

    action: Action
    value: float
    proved: bool
    playouts: int
    lines: tuple[Line, ...]

    @property
    def mean(self) -> float:
        """What all games for it brought the player who acts, on the average; the value, if that is proved.
        The value itself is the best of many estimates, and so too high where each rests on few games."""
        tried = sum(line.playouts for line in self.lines)
        if self.proved or not tried:
            return self.value
        return sum(line.playouts * line.value for line in self.lines) / tried


class MCTS:
    """Thinks about each decision for so many `playouts` (random games), or so many `seconds` (on all cores),
    whichever ends first; without either for a second. With `playouts` alone the same seed gives the same
    choices, one after another. `turn`: how many it has made; who sets it back gets the same again. `thought`:
    what it thought of the last one; None if there was but one action.
    """

    def __init__(
        self,
        playouts: int | None = None,
        seconds: float | None = None,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        if not isinstance(playouts, int | None):
            raise TypeError(f"playouts are a whole number of random games, not {playouts!r}")
        if not isinstance(seconds, float | int | None):
            raise TypeError(f"seconds are a number, not {seconds!r}")
        if playouts is not None and playouts < 1:
            raise ValueError(f"a search plays one game or more, not {playouts}")
        if seconds is not None and not 0 < seconds < inf:
            raise ValueError(f"a search takes some time, not {seconds} seconds")
        self.playouts = playouts
        self.seconds = SECONDS if playouts is None and seconds is None else seconds
        self.seed = seed
        self.turn = 0
        self.thought: Thought | None = None
        self._threads = threads
        self._searches: dict[str, Search] = {}
        self._grown: State | None = None  # from where its trees grow

    def choose(self, state: State) -> Action:
        """The action that it takes at a decision."""
        actions = state.actions()
        self.thought = None if len(actions) == 1 else self.think(state)
        self.turn += 1
        return actions[0] if self.thought is None else self.thought.action

    def think(self, state: State) -> Thought:
        """What it thinks of a decision. Raises BadInput in a game with secrets, where play was not followed
        from its beginning."""
        if not state.is_decision:
            raise ValueError("nobody is to decide here")
        search = self.search(state)
        self._grown = state
        try:
            found = search.think(state._position, self.playouts, self.seconds, self.seed, self.turn)
        except NoPast as problem:
            raise BadInput(f"a bot cannot think here: {problem}") from None
        return thought(state, found)

    def onward(self, state: State, action: Action) -> tuple[str, ...]:
        """How it would go on after an action as long as the same player is to decide, as texts of actions:
        the rest of his turn, as far as the trees have it that grew when it thought of the state. Nothing if
        it has thought of another one since, or has no tree (as with secrets)."""
        if state is not self._grown or len(state.legal()) == 1:
            return ()
        at, trees = state.actions().index(action), 1 if self.seconds is None else None
        return onward(self.search(state), state._position, at, trees)

    def search(self, state: State) -> Search:
        """What searches the game; its `reader` says whether by WebAssembly or by Python."""
        playable = state.game._playable
        if playable.hash not in self._searches:
            self._searches.clear()
            self._searches[playable.hash] = Search(playable, self._threads)
        return self._searches[playable.hash]

    def take_over(self, other: MCTS) -> None:
        """Goes on with what another one has made of the rules, which that one must not use any more."""
        self._searches = other._searches
        self._grown = None

    def __repr__(self) -> str:
        told = [
            f"{name}={each}"
            for name, each in (("playouts", self.playouts), ("seconds", self.seconds))
            if each
        ]
        return f"MCTS({', '.join([*told, f'seed={self.seed}'])})"


def thought(state: State, found: Found) -> Thought:
    """With the actions of the state."""
    actions = state.actions()
    lines = [
        Line(action, each.visits, each.value, each.proved)
        for action, each in zip(actions, found.branches, strict=True)
    ]
    best = lines.pop(found.best)
    others = sorted(lines, key=lambda line: (-line.playouts, -line.value))
    return Thought(best.action, best.value, found.proved, found.games, (best, *others))
