"""What an action is worth: who plays it when he likes, against who plays it only if there is nothing else.

python benchmarks/without.py GAME ACTION [--playouts N] [--games N] [--seed N]

ACTION: as it is named in the rules, without what it takes. Both think alike; seats alternate; games without
an end count for nobody, and are told.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from kemu.base.library import BadInput
from kemu.bots import MCTS, Bot, match
from kemu.service.statistics import share

import kemu


class Reluctant:
    """A bot that plays an action only if nothing else is legal: else the best of the others, as it thinks."""

    def __init__(self, playouts: int, seed: int, action: str) -> None:
        self.searching, self.action = MCTS(playouts, seed=seed), action
        self.legal = 0  # how often it was

    def choose(self, state: kemu.State) -> kemu.Action:
        lines = self.searching.think(state).lines
        self.legal += any(line.action.name == self.action for line in lines)
        self.searching.turn += 1
        return next((line.action for line in lines if line.action.name != self.action), lines[0].action)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("action")
    parser.add_argument("--playouts", type=int, default=300, help="for a decision")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    try:
        game = kemu.load(given.game)
    except BadInput as error:
        parser.error(str(error))
    points, endings, legal = list[float](), Counter[str](), 0
    for number in range(given.games):
        seed = given.seed + 2 * number
        bound = Reluctant(given.playouts, seed + 1, given.action)
        bots: dict[str, Bot] = {"free": MCTS(given.playouts, seed=seed), "bound": bound}
        (played,) = match(game, bots if number % 2 else dict(reversed(bots.items())), 1, seed=seed)
        endings[played.ending] += 1
        legal += bound.legal
        if played.ending == "end":
            points += [point for seat, point in played.points.items() if played.seats[seat] == "free"]
        found = share(sum(points), len(points)) if points else None
        ends = f" ({found.low:.3f} to {found.high:.3f})" if found else ""
        sys.stdout.write(f"free won {sum(points):g} of {len(points)}{ends}; {dict(endings)}\n")
        sys.stdout.flush()
    if not legal:
        parser.error(f"nobody could ever play {given.action}")


if __name__ == "__main__":
    main()
