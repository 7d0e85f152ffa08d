"""How fast WebAssembly plays random games, beside one generated Python function that plays them.

python benchmarks/webassembly.py [GAME ...] [--rounds N] [--longest N]
"""

from __future__ import annotations

import argparse
import sys
import time
from statistics import median

from engine.generated.loader import player
from engine.wasm.player import Player
from engine.wasm.writer import BATCH
from kemu.api import load

GAMES = ["moeraki-kemu", "mahe", "maori", "tongiaki"]
SECONDS = 0.5
"""CPU seconds of a round, about."""


def measured(name: str, rounds: int, longest: int) -> str:
    """In turns; the middle of the rounds."""
    program = load(name).program
    began = time.process_time()
    bulk = Player(program)
    made = time.process_time() - began
    play = player(program)
    assert play is not None
    number, at = 16, 0
    while True:  # how many games fill a round
        began = time.process_time()
        bulk.run(0, at, number, longest)
        if time.process_time() - began > SECONDS or number == BATCH:
            break
        number = min(BATCH, 2 * number)
    fast, slow = [], []
    for _ in range(rounds):
        began = time.process_time()
        bulk.run(0, at, number, longest)
        spent = time.process_time() - began
        steps = sum(game[0] + game[2] for game in bulk.playouts(0, at, number, longest))
        fast.append((steps / spent, number / spent))
        began, played, steps = time.process_time(), 0, 0
        while (spent := time.process_time() - began) < SECONDS:
            decisions, _, outcomes, _, _ = play(0, played, longest)
            steps, played = steps + decisions + outcomes, played + 1
        slow.append(steps / spent)
        at += number
    rate, games = (median(each) for each in zip(*fast, strict=True))
    return (
        f"{name:<20}{games:>12,.0f} games/s{rate:>14,.0f} steps/s{rate / median(slow):>8.1f} x Python"
        f"{made:>8.2f} s to make{len(bulk.binary):>10,} bytes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--longest", type=int, default=1000, help="decisions of a game at most")
    given = parser.parse_args()
    for name in given.games:
        sys.stdout.write(measured(name, given.rounds, given.longest) + "\n")


if __name__ == "__main__":
    main()
