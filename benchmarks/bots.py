"""How well Kemu's bot plays: against OpenSpiel's MCTSBot (C++), at random, and against itself with a tenth.

python benchmarks/bots.py [GAME ...] [--games N] [--seconds S] [--uct C ...]     # against OpenSpiel alone
python benchmarks/bots.py --all LEDGER [--so-far] [--write docs/bots.md]         # the whole table

One thread each; they change seats from game to game. Against OpenSpiel both have the same time for each
decision. Its bot solves (`solve=True`), and is asked with several factors of exploration, one after the
other: the row in which it does best counts. Kemu's rules are the referee; a draw by a rule that only
OpenSpiel has (checkers: 40 moves without a capture) is a draw. Every game is kept in the ledger, a line
each, as soon as it is over: the same command goes on where it was. A line names the search that played it
(kept_games.py says what that is made of), and a row counts games of one search: today's, or, where that has
played none, the last one that has, which the last column names.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyspiel
from kemu.bots import MCTS, bot, match
from kemu.service.statistics import share
from kemu_engine.kernel.sight import written
from pages import put

import kemu

sys.path.append(str(Path(__file__).parents[1]))
from benchmarks.kept_games import Kept, todays

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


@dataclass(frozen=True)
class Row:
    """A match. `theirs`: OpenSpiel's uct_c, or the kind of a bot of ours; `ours`: seconds, or a kind."""

    name: str
    ours: str
    theirs: str
    games: int
    seconds: float = 0.0

    def played(self, first: int) -> Iterator[float]:
        """What ours got in each of the games from that number on: of n players n times 1/n is even."""
        game = kemu.load(self.name)
        if not self.seconds:
            for number in range(first, self.games):
                bots = {"ours": bot(self.ours, 2 * number, 1), "theirs": bot(self.theirs, 2 * number + 1, 1)}
                order = {name: bots[name] for name in ([*bots] if number % 2 == 0 else [*bots][::-1])}
                (each,) = match(game, order, 1, seed=number)
                got = [point for seat, point in each.points.items() if each.seats[seat] == "ours"]
                yield sum(got) / max(1, len(got))
            return
        ours = MCTS(seconds=self.seconds, threads=1)
        ours.think(game.initial())  # what is made of the rules once takes no time of a decision
        for number in range(first, self.games):
            theirs = OpenSpiel(self.name, float(self.theirs.split()[-1]), self.seconds, number)
            yield play(game, ours, theirs, number % 2 == 0)

    def told(self, points: list[float], search: str) -> str:
        found = share(sum(points), len(points)) if points else None
        ends = "" if found is None else f"{found.low:.3f} to {found.high:.3f}"
        cells = [self.name, self.ours, self.theirs, len(points), f"{sum(points):g}", ends, search]
        return f"| {' | '.join(map(str, cells))} |"


PERFECT = {
    "tic-tac-toe": "mcts:1000",
    "connect-four": "mcts:1000",
    "breakthrough": "mcts:1000",
    "reversi": "mcts:1000",
    "hex": "mcts:1000",
    "gomoku": "mcts:4000",
    "english-draughts": "mcts:1000",
    "go": "mcts:1000",
}
"""Games of perfect information, and what plays there against random. (In tic-tac-toe nobody gets more than
0.980 of the points against random: worked out.)"""
FOUR = ("moeraki-kemu", "mahe", "maori", "tongiaki")
TENFOLD = (("mcts:100", "mcts:10"), ("mcts:1000", "mcts:100"))
HEADS = ("game", "Kemu", "against", "games", "points", "95 %", "search")


def against_openspiel(names: Iterable[str], seconds: float, games: int, uct: Iterable[float]) -> list[Row]:
    return [
        Row(name, f"{seconds:g} s", f"OpenSpiel, uct_c {each:g}", games, seconds)
        for name in names
        for each in uct
    ]


def whole() -> list[Row]:
    """All that is to be measured."""
    return [
        *against_openspiel(GAMES, 0.1, 100, UCT),
        *against_openspiel(["gomoku", "reversi", "breakthrough", "hex"], 1.0, 40, UCT),
        *(Row(name, kind, "random", 400) for name, kind in PERFECT.items()),
        *(Row(name, more, less, 100) for name in FOUR for more, less in TENFOLD),
    ]


def measured(rows: Iterable[Row], ledger: Path | None, so_far: bool = False) -> Iterator[str]:
    """The table, line by line. `ledger`: where games are kept, and looked for; `so_far`: none is played."""
    kept = Kept(ledger, todays())
    yield f"| {' | '.join(HEADS)} |"
    yield f"| {' | '.join(['---'] * len(HEADS))} |"
    for row in rows:
        key = row.name, row.ours, row.theirs
        for each in () if so_far else row.played(len(kept.own(key))):
            kept.add(key, each)
        if points := kept.own(key):
            yield row.told(points, "today's")
            continue
        search, points = kept.earlier(key)
        if points:
            yield row.told(points, search or "without a name")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=[*GAMES], choices=[[*GAMES], *GAMES], metavar="GAME")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.1, help="for a decision")
    parser.add_argument("--uct", type=float, nargs="*", default=UCT)
    parser.add_argument("--all", type=Path, metavar="LEDGER", help="the whole table; games are kept there")
    parser.add_argument("--so-far", action="store_true", help="what the ledger holds; no more games")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table between its marks there")
    given = parser.parse_args()
    rows = whole() if given.all else against_openspiel(given.names, given.seconds, given.games, given.uct)
    lines = []
    for line in measured(rows, given.all, given.so_far):
        lines.append(line)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    if given.write is not None:
        put(given.write, "matches", "\n".join(lines))


if __name__ == "__main__":
    main()
