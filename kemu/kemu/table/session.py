"""A game in progress: the positions so far, who sits where, and what may be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kemu_engine.play import record
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

from kemu.api.game import Game as Played
from kemu.api.game import State as Position
from kemu.base import save_files
from kemu.base.library import BadInput, shown
from kemu.base.timeouts import soon
from kemu.bots.named import bot
from kemu.bots.protocol import Repeatable
from kemu.table.chance import pick
from kemu.table.visibility import has_secrets

Seat = str
"""Who plays: `human`, or a kind of bot (bots/named.py)."""


class CannotUndo(Exception):
    """Nothing may be taken back; the message says why."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened: an action of `actor`, or an outcome of chance (actor None)."""

    actor: str | None
    text: str


@dataclass(slots=True)
class Session:
    """`states` has one more than `steps`: the position before the first of them, and the one after each.
    `patience`: seconds of computing that may follow an action; None: as many as a person waits for."""

    game: Game
    seats: dict[str, Seat]
    seed: int
    states: list[State]
    steps: list[Step] = field(default_factory=list)
    bots: dict[Seat, Repeatable] = field(default_factory=dict)
    patience: float | None = None

    @classmethod
    def new(cls, game: Game, seats: dict[str, Seat], seed: int, patience: float | None = None) -> Session:
        """A game from its beginning. Raises FaultError if the set-up breaks down."""
        with soon("the way to the first decision", patience):
            return cls(game, seats, seed, [game.initial()], patience=patience)

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def waits(self) -> bool:
        """Whether a person is to decide now."""
        return self.state.is_decision and self.seats[self.state.actor or ""] == "human"

    @property
    def people(self) -> list[str]:
        """The players who are people."""
        return [player for player, kind in self.seats.items() if kind == "human"]

    @property
    def begun(self) -> bool:
        """Whether a person has decided anything."""
        return any(step.actor is not None and self.seats[step.actor] == "human" for step in self.steps)

    def apply(self, text: str) -> Step:
        """Goes on by an action or outcome. Raises IllegalAction, and FaultError if the rules break down;
        then nothing changes."""
        step = Step(self.state.actor, text)
        with soon(f"what follows {text}", self.patience):
            self.states.append(self.state.apply(text))
        self.steps.append(step)
        return step

    def advance(self) -> Iterator[Step]:
        """Lets chance and the bots go on until a person is to decide or the game is over. Raises
        FaultError."""
        while not self.state.is_end and not self.waits:
            yield self.apply(self._chosen())

    def _chosen(self) -> str:
        """What chance or a bot does."""
        state = self.state
        kind = self.seats[state.actor] if state.actor is not None else "random"
        if kind == "random":
            return pick(state, self.seed, len(self.steps))
        if kind not in self.bots:
            self.bots[kind] = bot(kind, self.seed)
        player = self.bots[kind]
        player.turn = len(self.steps)
        return str(player.choose(self.position))

    @property
    def position(self) -> Position:
        """Where the game stands, as bots take it."""
        return Position(Played(self.game), self.state)

    def together(self, number: int) -> range:
        """The steps that were chosen together with this one, itself included, as far as there are any."""
        first, last = number, number + 1
        while first > 0 and self.states[first - 1].together_with(self.states[first]):
            first -= 1
        while last < len(self.steps) and self.states[last - 1].together_with(self.states[last]):
            last += 1
        return range(first, last)

    def opened(self, number: int) -> bool:
        """Whether a step was chosen together with others, and all have chosen."""
        last = self.together(number)[-1]
        return self.states[number].told_together and not self.states[last].together_with(
            self.states[last + 1]
        )

    def undo(self) -> list[Step]:
        """Takes back the last decision of a person and all that followed; returns what was taken back.

        Nobody learns anything by it: never past an outcome of chance, and never where there are secrets.
        Raises CannotUndo.
        """
        last = self._taken_back()
        taken = self.steps[last:]
        del self.steps[last:], self.states[last + 1 :]
        return taken

    @property
    def can_undo(self) -> bool:
        try:
            self._taken_back()
        except CannotUndo:
            return False
        return True

    def _taken_back(self) -> int:
        """The number of the first step that is taken back. Raises CannotUndo."""
        last = len(self.steps) - 1
        while last >= 0 and not (
            self.steps[last].actor and self.seats[self.steps[last].actor or ""] == "human"
        ):
            last -= 1
        if last < 0:
            raise CannotUndo("you have no decision to take back")
        if any(step.actor is None for step in self.steps[last:]):
            raise CannotUndo(
                f"chance has played a part since {self.steps[last].text}, and what it showed cannot be unseen"
            )
        if has_secrets(self.game):
            raise CannotUndo("this game has secrets, and what a decision has shown cannot be unseen")
        return last

    def saved(self, rules: str) -> save_files.Saved:
        """The game as it is kept in a file; `rules`: the name of the game, or the path of its rules file."""
        steps = [record.Step(step.text, step.actor) for step in self.steps]
        start = None if self.states[0] == self.game.initial() else self.states[0]
        kept = record.record(self.game, steps, start)
        return save_files.saved(kept, rules, dict(self.seats), self.seed)


def seating(game: Game, asked: tuple[str, ...]) -> dict[str, Seat]:
    """Who sits where, from texts `player=human`, `player=random`, `player=mcts:2s`; unless said, a person has
    the first seat, and the others play at random. Raises BadInput."""
    seats: dict[str, Seat] = dict.fromkeys(game.players, "random")
    seats[game.players[0]] = "human"
    for text in asked:
        player, sign, kind = text.partition("=")
        if not sign:
            raise BadInput(f"a seat is given as PLAYER=human or PLAYER=BOT, not as {shown(text)}")
        if kind != "human":
            bot(kind)
        if player not in seats and player != "all":
            raise BadInput(
                f"no player is called {shown(player)}; the players are {', '.join(seats)} (or all)"
            )
        for seat in seats if player == "all" else [player]:
            seats[seat] = kind
    return seats
