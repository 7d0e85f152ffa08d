"""How fast all states of games are found, beside generated Python; and how fast 4,096 games go side by side.

python benchmarks/exploring.py [--most N]
"""

from __future__ import annotations

import argparse
import sys
import time

from kemu.base.library import find, library
from kemu_engine.batch.batch import PLAYING, Batch
from kemu_engine.batch.explore import by_states, explore
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read

INSTANCES = [
    ("connect-four", "five_by_four"),
    ("connect-four", None),
    ("moeraki-kemu", "small"),
    ("maori", "tiny"),
    ("tongiaki", "tiny"),
    ("mahe", None),
]
SIDE_BY_SIDE = ["tic-tac-toe", "moeraki-kemu", "mahe"]
GAMES = 4096
BY_PYTHON = 20_000
"""States that Python finds."""


def instance(name: str, called: str | None) -> Game:
    game = read(find(name), library())
    return Game(instantiate(game, dict(game.instances[called].settings) if called else {}))


def row(name: str, called: str | None, most: int) -> str:
    game = instance(name, called)
    began = time.perf_counter()
    *_, found = explore(game, most)
    seconds = time.perf_counter() - began
    began = time.perf_counter()
    *_, slow = by_states(game, BY_PYTHON)
    rate, other = found.expanded / seconds, slow.expanded / (time.perf_counter() - began)
    count = f"{found.count:,}" + ("" if found.complete else " (not all)")
    title = " ".join(filter(None, (name, called)))
    each = (found.memory or 0) / found.count
    return f"| {title} | {count} | {seconds:.1f} | {rate:,.0f} | {rate / other:,.0f} | {each:.0f} |"


def side_by_side(name: str) -> str:
    """Games in which always the legal action of the lowest number is taken, restarted when they are over."""
    batch = Batch(instance(name, None), GAMES)
    steps, inside, until = 0, 0.0, time.perf_counter() + 2
    while time.perf_counter() < until:
        batch.actions[:] = batch.legal.argmax(1)
        steps += int((batch.status == PLAYING).sum())
        began = time.perf_counter()
        batch.step()
        batch.restart()
        inside += time.perf_counter() - began
    return f"| {name} | {steps / inside:,.0f} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=5_000_000, help="states that are found at most")
    most = parser.parse_args().most
    lines = [
        "| game | states | seconds | looked at/s | times Python | bytes a state |",
        "| --- |" + " --- |" * 5,
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    for name, called in INSTANCES:
        sys.stdout.write(row(name, called, most) + "\n")
        sys.stdout.flush()
    sys.stdout.write("\n| game | steps/s, 4,096 side by side |\n| --- | --- |\n")
    for name in SIDE_BY_SIDE:
        sys.stdout.write(side_by_side(name) + "\n")


if __name__ == "__main__":
    main()
