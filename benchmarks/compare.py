"""How fast random games are played: by Kemu's readers, by OpenSpiel, and by programs written by hand.

python benchmarks/compare.py [GAME ...] [--rounds N] [--seconds S] [--table]

All ways of playing a game take turns, round by round; what is told is the middle of the rounds. `--table`
puts the tables into docs/benchmarks.md instead of printing them. What is not there is told and left out.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from math import sqrt
from pathlib import Path
from statistics import median

from kemu.base.opening import load
from kemu_engine.run.python.loader import player
from kemu_engine.run.wasm.programs.player import Player, installed
from pages import put
from ways import Counts, Way, by_hand, kemu, missing, openspiel, scratch

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"

LONGEST = 1000
"""Decisions after which a game is cut off."""
CLASSICS = {  # and the name that OpenSpiel has for it
    "tic-tac-toe": "tic_tac_toe",
    "connect-four": "connect_four",
    "breakthrough": "breakthrough",
    "reversi": "othello",
    "hex": "hex",
    "gomoku": "gomoku",
}
RICHER = {  # with more to a move; of Kemu's readers only WebAssembly: a game takes the reference minutes
    "chess": "chess",
    "go": "go(board_size=9,komi=7.5)",
    "english-draughts": "checkers",
    "nine-mens-morris": "nine_mens_morris",
    "amazons": "amazons",
    "quoridor": "quoridor",
    "kalah": "mancala",
    "dots-and-boxes": "dots_and_boxes(num_rows=3,num_cols=3)",
}
SEED_GAMES = ["moeraki-kemu", "mahe", "maori", "tongiaki"]
SLOW = 5
"""Rounds that a game may take."""
OWN = ["interpreter", "states", "fused", "wasm"]


def source(name: str) -> str:
    return str(ROOT / "spec" / "classics" / name) if name in CLASSICS | RICHER else name


def measure(ways: dict[str, Way], rounds: int, seconds: float) -> dict[str, Counts]:
    """Lets the ways take turns. Gives the counts of all games. A way whose first game fills several rounds
    plays no second one."""
    numbers, found = {}, {name: Counts(0, 0, 0, 0, 0) for name in ways}
    for name, way in ways.items():
        number = way.least
        counts, spent = way.run(number)  # compiled now
        if spent > SLOW * seconds:
            way.rates = [(number / spent, counts.steps / spent)] * rounds
            found[name] = counts
            continue
        while (spent := way.run(number)[1]) < seconds / 8:
            number *= 2
        numbers[name] = max(1, round(number * seconds / spent))
    for _ in range(rounds):
        for name, number in numbers.items():
            counts, spent = ways[name].run(number)
            games = number / spent
            ways[name].rates.append((games, games * counts.steps / counts.games))
            found[name] = found[name] + counts
    return found


def rate(way: Way) -> tuple[float, float]:
    """Games and steps a second: the middle of the rounds."""
    return median(games for games, _ in way.rates), median(steps for _, steps in way.rates)


def times(one: Way, other: Way) -> float:
    """How many times as many games one way plays: the middle of the rounds, each by itself."""
    return median(a[0] / b[0] for a, b in zip(one.rates, other.rates, strict=True))


def figure(value: float) -> str:
    """Three digits that count."""
    if value >= 1000:
        digits = len(str(int(value))) - 3
        return f"{round(value / 10**digits) * 10**digits:,}"
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(*cells: str) -> list[str]:
    return [row(*cells), row(*["---"] * len(cells))]


def mean(counts: Counts) -> str:
    """The length of a game, with two standard errors."""
    middle = counts.decisions / counts.games
    spread = sqrt(max(0.0, counts.squares / counts.games - middle * middle) / counts.games)
    return f"{middle:.2f} ± {2 * spread:.2f}"


def share(counts: Counts) -> str:
    """Of games that the first player wins, with two standard errors."""
    part = counts.won / counts.games
    return f"{100 * part:.1f} ± {200 * sqrt(part * (1 - part) / counts.games):.1f} %"


# ---------------------------------------------------------------------------------------------- tables


def starting(name: str) -> list[str]:
    """Seconds of the processor: reading the rules, making the module, and a command that plays one game, for
    the first time and again."""
    began = time.process_time()
    program = load(source(name)).program
    read = time.process_time()
    Player(program) if installed() else player(program)
    made = time.process_time()
    with scratch() as folder:
        command(source("tic-tac-toe"), folder)  # which makes the parser's tables, once for all games
        first, again = (command(source(name), folder) for _ in range(2))
    return [f"{seconds:.2f}" for seconds in (read - began, made - read, first, again)]


def command(game: str, keep: str) -> float:
    """Seconds of the processor that it takes to play one game; what takes long is kept in a folder."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = [sys.executable, "-m", "kemu", "simulate", game, "--games", "1"]
    subprocess.run(words, cwd=ROOT, capture_output=True, check=True, env=os.environ | {"KEMU_CACHE": keep})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def classics(names: list[str], rounds: int, seconds: float) -> tuple[list[str], list[str], list[str]]:
    """Games a second beside OpenSpiel; lengths beside OpenSpiel; the rows of the table of readers."""
    speed = head(
        "game", "WebAssembly, games/s", "OpenSpiel, Python", "ratio", "OpenSpiel, bots in C++", "ratio"
    )
    games = head("game", "length, Kemu", "OpenSpiel", "first player wins, Kemu", "OpenSpiel")
    own = []
    for name in names:
        ways = kemu(load(source(name)), LONGEST, OWN if name in CLASSICS else ["wasm"])
        ways |= openspiel((CLASSICS | RICHER)[name])
        counts = measure(ways, rounds, seconds)
        if name in CLASSICS:
            own.append(readers(name, ways))
        if "wasm" not in ways or "openspiel" not in ways:
            continue
        wasm, spiel, bots = ways["wasm"], ways["openspiel"], ways["bots"]
        cells = [f"{figure(rate(each)[0])}" for each in (wasm, spiel, bots)]
        speed.append(
            row(name, cells[0], cells[1], figure(times(wasm, spiel)), cells[2], figure(times(wasm, bots)))
        )
        one, two = counts["wasm"], counts["openspiel"]
        games.append(row(name, mean(one), mean(two), share(one), share(two)))
    return speed, games, own


def hand_written(rounds: int, seconds: float) -> tuple[list[str], list[str]]:
    """One game beside programs written by hand; the rows of the table of readers."""
    table = head("Moeraki-Kemu, basic", "games/s", "moves/s", "WebAssembly is", "length", "first player wins")
    with scratch() as folder:
        ways = kemu(load("moeraki-kemu"), LONGEST, OWN) | by_hand(Path(folder))
        counts = measure(ways, rounds, seconds)
    for name, way in ways.items():
        ratio = f"{figure(times(ways['wasm'], way))} times as fast" if "wasm" in ways else ""
        games, steps = rate(way)
        shown = TITLES.get(name, name)
        table.append(row(shown, figure(games), figure(steps), ratio, mean(counts[name]), share(counts[name])))
    return table, [readers("moeraki-kemu", ways)]


TITLES = {
    "interpreter": "Kemu, interpreter",
    "states": "Kemu, actions() and apply()",
    "fused": "Kemu, generated Python",
    "wasm": "Kemu, WebAssembly",
}


def readers(name: str, ways: dict[str, Way]) -> str:
    """Steps a second by reader."""
    cells = [figure(rate(ways[each])[1]) if each in ways else "" for each in OWN]
    ratio = f"{figure(times(ways['wasm'], ways['interpreter']))}" if "wasm" in ways else ""
    games = figure(rate(ways["wasm"])[0]) if "wasm" in ways else ""
    return row(name, *cells, ratio, games)


def machine() -> str:
    """What it was measured on."""
    cores = [line for line in _lines(Path("/proc/cpuinfo")) if line.startswith("model name")]
    name = cores[0].partition(":")[2].strip() if cores else platform.machine()
    parts = [f"{len(cores)} x {name}" if cores else name, platform.system()]
    parts.append(f"{platform.python_implementation()} {platform.python_version()}")
    packages = {"wasmtime": "wasmtime", "pyspiel": "open_spiel"}
    parts += [f"{name} {version(name)}" for module, name in packages.items() if find_spec(module) is not None]
    if shutil.which("g++") is not None:
        told = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True, check=True)
        parts.append(f"g++ {told.stdout.strip()}")
    return ", ".join(parts)


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def tables(names: list[str], rounds: int, seconds: float) -> str:
    speed, games, own = classics([name for name in CLASSICS | RICHER if name in names], rounds, seconds)
    hand, mine = hand_written(rounds, seconds) if SEED_GAMES[0] in names else ([], [])
    for name in (name for name in SEED_GAMES[1:] if name in names):
        ways = kemu(load(name), LONGEST, OWN)
        measure(ways, rounds, seconds)
        mine.append(readers(name, ways))
    steps = head(
        "game", "interpreter", "actions(), apply()", "generated Python", "WebAssembly", "times", "games/s"
    )
    starts = head("game", "rules read", "WebAssembly made", "`kemu simulate --games 1`", "again")
    starts += [row(name, *starting(name)) for name in names if name not in RICHER]
    parts = [
        f"{machine()}; {rounds} rounds of {seconds:g} s for each way, one thread.",
        "Whole random games a second, beside OpenSpiel:",
        "\n".join(speed),
        "Whether these are the same games: decisions a game, and how often the first player wins:",
        "\n".join(games),
        "Beside programs written by hand (`benchmarks/plain.cpp`, `benchmarks/plain.py`):",
        "\n".join(hand),
        "Steps a second, decisions and outcomes of chance, by each of Kemu's readers; how many times as many "
        "WebAssembly makes as the interpreter; whole games a second by WebAssembly:",
        "\n".join(steps + own + mine),
        "Seconds of the processor to start; again: the same command once more, when its program is kept:",
        "\n".join(starts),
    ]
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [*CLASSICS, *RICHER, *SEED_GAMES]
    parser.add_argument("games", nargs="*", default=every, choices=[every, *every], metavar="GAME")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--seconds", type=float, default=0.4, help="of the processor, for each way in a round"
    )
    parser.add_argument("--table", action="store_true", help="write docs/benchmarks.md anew")
    given = parser.parse_args()
    for line in missing():
        sys.stderr.write(line + "\n")
    text = tables(given.games, given.rounds, given.seconds)
    if not given.table:
        sys.stdout.write(text + "\n")
        return
    put(PAGE, "measured", text)


if __name__ == "__main__":
    main()
