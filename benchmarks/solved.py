"""Whether the bot throws away what it has: positions that are solved, and what it does there.

python benchmarks/solved.py [GAME[.INSTANCE] ...] [--positions N] [--playouts N ...] [--write docs/bots.md]

Positions come from random games, from the end of each backwards as far as all that can follow could be
looked at in Python (tests/oracles/solved.py, which shares nothing with the search), one of each game. Those
at which all choices are worth the same are left out. The bot is asked for its choice with so many random
games; counted is how often it goes from won to drawn or lost, or from drawn to lost. Where chance is still at
work: from sure to win to not sure, or from some chance to none; and what it gives away on the average, of a
point, stands in parentheses.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kemu.base.opening import ready
from kemu_engine.search.mcts import Search
from kemu_engine.search.thought import Thought
from pages import put

sys.path.append(str(Path(__file__).parents[1]))
from tests.oracles.solved import DRAWN, LOST, WON, Solved, positions

GAMES = (
    "tic-tac-toe",
    "gomoku.small_exact",
    "connect-four.four_by_three",
    "connect-four.five_by_four",
    "connect-four",
    "reversi.small",
    "reversi",
    "hex.three",
    "hex",
    "breakthrough.tiny",
    "breakthrough",
    "kalah.small",
    "oware.tiny",
    "dots-and-boxes.two",
    "nine-mens-morris.tiny",
    "onitama.tiny",
    "quoridor.small",
    "amazons.duel",
    "wythoffs-nim.cold",
    "english-draughts.small",
    "english-draughts",
    "moeraki-kemu.tiny_match",
    "moeraki-kemu.small",
    "moeraki-kemu",
    "mahe.pond",
    "maori.tiny",
    "tongiaki.strait",
)
PLAYOUTS = (100, 1_000, 10_000, 100_000)
MOST = 3_000
"""Positions that are looked at for a decision."""


@dataclass(frozen=True)
class Row:
    """Of one game: what is solved, and by number of playouts what the bot chose in each position."""

    name: str
    solved: Sequence[Solved]
    chosen: Mapping[int, Sequence[int]]

    def thrown(self, playouts: int) -> list[tuple[Solved, int]]:
        """The positions, and choices there, at which something was thrown away."""
        pairs = zip(self.solved, self.chosen[playouts], strict=True)
        return [(each, at) for each, at in pairs if each.thrown_away(at)]

    def told(self) -> str:
        bests = [each.best for each in self.solved]
        chance = any(worth not in (LOST, DRAWN, WON) for each in self.solved for worth in each.worths)
        cells = []
        for playouts, chosen in self.chosen.items():
            lost = sum((each.lost(at) for each, at in zip(self.solved, chosen, strict=True)), LOST)
            mean = f" ({float(lost / len(bests)):.4f})" if chance else ""
            cells.append(f"{len(self.thrown(playouts))}{mean}")
        return line([self.name, len(bests), bests.count(WON), bests.count(DRAWN), *cells])


def line(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def row(name: str, count: int, playouts: Sequence[int], seed: int) -> Row:
    """Asks the bot. What has been proved with few playouts is not asked again with more."""
    title, _, instance = name.partition(".")
    game = ready(title, (), None, instance or None)
    search, solved = Search(game), [*positions(game, count, MOST, seed)]
    chosen: dict[int, list[int]] = {number: [] for number in sorted(playouts)}
    for at, each in enumerate(solved):
        found: Thought | None = None
        for number, kept in chosen.items():
            if found is None or not found.proved:
                found = search.think(each.state, number, seed=at)
            kept.append(found.best)
    return Row(name, solved, chosen)


def measured(names: Sequence[str], count: int, playouts: Sequence[int], seed: int) -> Iterator[str]:
    """The table, line by line."""
    yield line(
        ["game", "positions", "won", "drawn", *(f"thrown away at {each:,}" for each in sorted(playouts))]
    )
    yield line(["---"] * (4 + len(playouts)))
    rows = []
    for name in names:
        rows.append(row(name, count, playouts, seed))
        yield rows[-1].told()
        for each, at in rows[-1].thrown(max(playouts)):
            where = json.dumps(each.state.to_json())
            sys.stderr.write(f"{name}, thrown away by {each.state.moves()[at].text}: {where}\n")
    whole = [sum(len(each.thrown(number)) for each in rows) for number in sorted(playouts)]
    bests = [each.best for row in rows for each in row.solved]
    yield line(["all", len(bests), bests.count(WON), bests.count(DRAWN), *whole])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=GAMES, metavar="GAME[.INSTANCE]")
    parser.add_argument("--positions", type=int, default=50, help="of each game")
    parser.add_argument("--playouts", type=int, nargs="*", default=PLAYOUTS, help="for a decision")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table between its marks there")
    given = parser.parse_args()
    lines = []
    for each in measured(given.names, given.positions, given.playouts, given.seed):
        lines.append(each)
        sys.stdout.write(each + "\n")
        sys.stdout.flush()
    if given.write is not None:
        put(given.write, "solved", "\n".join(lines))


if __name__ == "__main__":
    main()
