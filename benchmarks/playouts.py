"""How fast random games are played: by the interpreter, by generated Python state by state, and fused.

python benchmarks/playouts.py [GAME ...] [--seconds S] [--longest N]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from engine.game import Game
from engine.generated.loader import player
from engine.playout import stepwise
from kemu.api import load

GAMES = ["moeraki-kemu", "mahe", "maori", "tongiaki"]


def rate(play: Callable[[int], int], seconds: float) -> tuple[float, float]:
    """Games and steps (decisions and outcomes of chance) a second; `play` gives the steps of one game."""
    games = steps = 0
    began = time.process_time()
    while (spent := time.process_time() - began) < seconds:
        steps += play(games)
        games += 1
    return games / spent, steps / spent


def measured(game: Game, seconds: float, longest: int) -> dict[str, tuple[float, float]]:
    """The three rates, in turns and all in this process."""
    reference = Game(game.program, reader="interpreter")
    play = player(game.program)
    assert play is not None

    def by(one: Game) -> Callable[[int], int]:
        def steps(index: int) -> int:
            played = stepwise(one, 0, index, longest)
            return played.decisions + played.outcomes

        return steps

    def fused(index: int) -> int:
        decisions, _, outcomes, _, _ = play(0, index, longest)
        return decisions + outcomes

    ways = {"interpreter": by(reference), "generated states": by(game), "generated playouts": fused}
    for way in ways.values():
        way(0)  # compiled now
    return {name: rate(way, seconds) for name, way in ways.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--seconds", type=float, default=3, help="CPU seconds for each way")
    parser.add_argument("--longest", type=int, default=1000, help="decisions of a game at most")
    given = parser.parse_args()
    for name in given.games:
        rates = measured(load(name), given.seconds, given.longest)
        slowest = rates["interpreter"][1]
        lines = [name]
        for way, (games, steps) in rates.items():
            lines.append(
                f"  {way:<20}{games:>12,.1f} games/s{steps:>12,.0f} steps/s{steps / slowest:>8.1f} x"
            )
        sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
