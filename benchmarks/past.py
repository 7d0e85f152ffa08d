"""What it costs that states know how play came to them (docs/secrets.md).

    python benchmarks/past.py [GAME...]

States a second of one thread, random games from Python: with the past cut off after each step, with it kept,
and with the information state of whoever acts asked for at each decision; and bytes for each state of
games of which the last state is held on to.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc

from kemu_engine.play.state import State

import kemu

GAMES = ("kuhn-poker", "leduc-poker", "hearts", "stratego", "tic-tac-toe")
SECONDS = 2.0


def played(game: kemu.Game, keep: bool, ask: bool, seconds: float) -> float:
    """States a second."""
    chooser, states, begun = random.Random(1), 0, time.process_time()
    while time.process_time() - begun < seconds:
        state = game.initial()
        while not state.is_end:
            if ask and state.actor is not None:
                state.information_state(state.actor)
            state = again(game, state.step(chooser.choice(state.legal())), keep)
            states += 1
    return states / (time.process_time() - begun)


def again(game: kemu.Game, state: kemu.State, keep: bool) -> kemu.State:
    """The same state, made once more, with its past or without."""
    at = state._position
    past = at.past if keep else None
    return kemu.State(game, State(at.machine, at.block, at.vars, at.locals, at.choices, at.player, past))


def held(game: kemu.Game, keep: bool) -> float:
    """Bytes for each state of a few games of which the last states are held on to."""
    chooser, last, states = random.Random(1), [], 0
    tracemalloc.start()
    for _ in range(20):
        state = game.initial()
        while not state.is_end:
            state = again(game, state.step(chooser.choice(state.legal())), keep)
            states += 1
        last.append(state)
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return size / states


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    say("| game | cut off | kept | asked | bytes, cut off | kept |")
    say("| --- | --- | --- | --- | --- | --- |")
    for name in sys.argv[1:] or GAMES:
        game = kemu.load(name)
        played(game, True, True, 0.2)
        paces = [
            max(played(game, *how, SECONDS) for _ in range(3)) for how in ((False, False), (True, False))
        ]
        asked = played(game, True, True, SECONDS)
        held(game, True)
        sizes = [held(game, keep) for keep in (False, True)]
        cells = [f"{round(n, -2):,.0f}" for n in (*paces, asked)] + [f"{n:,.0f}" for n in sizes]
        say(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
