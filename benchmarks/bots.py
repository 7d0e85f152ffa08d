"""How well Kemu's bot plays: against OpenSpiel's MCTSBot (C++), game by game, one thread each.

python benchmarks/bots.py [GAME ...] [--games N] [--seconds S] [--uct C ...]

Both have the same time for each decision, and change seats from game to game. OpenSpiel's bot solves
(`solve=True`), and is asked with several factors of exploration, one after the other: the row in which it
does best counts. Kemu's rules are the referee; a draw by a rule that only OpenSpiel has (checkers: 40 moves
without a capture) is a draw.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import pyspiel
from kemu.bots import MCTS
from kemu.service.statistics import share
from kemu_engine.kernel.sight import written

import kemu

UCT = (0.5, 1.0, 2.0)
"""Factors of exploration, for values from -1 to 1; 2 is what OpenSpiel's own examples take."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NUMBER = re.compile(r"\d+")


def squares(text: str) -> str:
    """`step((1, 3), (2, 4))`: a3b4."""
    numbers = list(map(int, NUMBER.findall(text)))
    return "".join(f"{LETTERS[x - 1]}{y}" for x, y in zip(numbers[::2], numbers[1::2], strict=True))


def from_above(text: str) -> str:
    """The same on a board of eight rows that are counted from the other side."""
    return re.sub(r"\d", lambda row: str(9 - int(row.group())), squares(text))


def from_zero(text: str) -> str:
    """`place((3, 1))`: 2,0. (Which comes first makes no difference on a board that is the same turned.)"""
    return ",".join(str(int(each) - 1) for each in NUMBER.findall(text))


GAMES: dict[str, tuple[str, Callable[[str], str]]] = {
    "connect-four": ("connect_four", lambda text: f"{int(NUMBER.findall(text)[0]) - 1}"),
    "breakthrough": ("breakthrough", from_above),
    "reversi": ("othello", squares),
    "hex": ("hex", squares),
    "gomoku": ("gomoku", from_zero),
    "english-draughts": ("checkers", squares),
}
"""What OpenSpiel calls the game, and how it writes an action of ours."""


class Drawn(Exception):
    """The other has a rule by which this is a draw."""


@dataclass
class OpenSpiel:
    """OpenSpiel's bot as one of Kemu's: it plays the game so far again in OpenSpiel, and asks there."""

    name: str
    uct: float
    seconds: float
    seed: int

    def __post_init__(self) -> None:
        theirs, self.word = GAMES[self.name]
        self.game = pyspiel.load_game(theirs)
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        self.bot = pyspiel.MCTSBot(
            self.game,
            evaluator,
            self.uct,
            1 << 30,
            1000,
            True,
            self.seed,
            False,
            max_wall_clock_time=self.seconds,
        )

    def choose(self, state: kemu.State) -> str:
        mirror = self.mirrored(state)
        if mirror.is_terminal():
            raise Drawn
        ours = {self.word(str(action)): str(action) for action in state.actions()}
        theirs = {self.bare(mirror, action) for action in mirror.legal_actions()}
        assert {*ours} == theirs, (ours, theirs)
        return ours[self.bare(mirror, self.bot.step(mirror))]

    def bare(self, mirror: pyspiel.State, action: int) -> str:
        """An action as it is written there, without the sign of who acts."""
        return mirror.action_to_string(action).strip("*").lstrip("xo")

    def mirrored(self, state: kemu.State) -> pyspiel.State:
        """The same position there. Passes, which nobody chooses, are made."""
        mirror, past = self.game.new_initial_state(), state._position.past
        program = state._position.program
        for stop in [] if past is None else past.stops():
            wanted = self.word(written(program, stop, stop.choices[0]))
            self.passed(mirror)
            found = [each for each in mirror.legal_actions() if self.bare(mirror, each) == wanted]
            if not found:
                raise Drawn
            mirror.apply_action(found[0])
        self.passed(mirror)
        return mirror

    def passed(self, mirror: pyspiel.State) -> None:
        while not mirror.is_terminal() and [
            mirror.action_to_string(each) for each in mirror.legal_actions()
        ] == ["pass"]:
            mirror.apply_action(mirror.legal_actions()[0])


def game_of(name: str) -> kemu.Game:
    return kemu.load(name)


def play(game: kemu.Game, ours: kemu.bots.Bot, theirs: OpenSpiel, first: bool) -> float:
    """What ours gets: 1, half or 0; `first`: whether it begins."""
    state = game.initial()
    own = game.players[0 if first else 1]
    try:
        while not state.is_end:
            bot = ours if state.actor == own else theirs
            state = state.apply(bot.choose(state))
    except Drawn:
        return 0.5
    assert state.result is not None
    return {(own,): 1.0}.get(state.result.winners, 0.5 if len(state.result.winners) > 1 else 0.0)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=[*GAMES], choices=[[*GAMES], *GAMES], metavar="GAME")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.1, help="for a decision")
    parser.add_argument("--uct", type=float, nargs="*", default=UCT)
    given = parser.parse_args()
    heads = ["game", "OpenSpiel's uct_c", "games", "points", "95 %", "minutes"]
    sys.stdout.write(f"| {' | '.join(heads)} |\n| {' | '.join(['---'] * len(heads))} |\n")
    for name in given.names:
        game = game_of(name)
        ours = MCTS(seconds=given.seconds, threads=1)
        ours.think(game.initial())  # what is made of the rules once takes no time of a decision
        for uct in given.uct:
            began, points = time.monotonic(), 0.0
            for number in range(given.games):
                points += play(game, ours, OpenSpiel(name, uct, given.seconds, number), number % 2 == 0)
            found = share(points, given.games)
            spent = (time.monotonic() - began) / 60
            ends = f"{found.low:.3f} to {found.high:.3f}"
            cells = [name, uct, given.games, f"{points:g}", ends, f"{spent:.1f}"]
            sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
