"""Whether the readers play the same games: every game and variant, the same seeds, move for move.

python benchmarks/agreement.py [--seeds N] [--game NAME ...] [--seconds S] [--minutes M] [--jobs N] [--table]

A variant is an instance that the rules file declares, or the default with one option changed. Compared are,
for game 0 of every seed, the numbers of decisions, of legal actions at them and of outcomes of chance, the
end, the keys of the players, and a sum of every choice and of the whole last state
(tests/tools/instrument_trace_hash.py).
Generated Python and WebAssembly play all seeds; the interpreter as many as fit into `--seconds` for each
variant, one at least.

What was done is kept in agreement.jsonl beside this file, under a hash of the program and of all that the
readers made of it, so that a run that was interrupted, or is asked for more seeds, goes on from there. Exit
code 1: two readers differ, and a line says in which game.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from kemu.base.library import find, games, library
from kemu.base.opening import Wanted, made
from kemu.service.instances import distinct
from kemu_engine.batch.playout import Playout, stepwise
from kemu_engine.interp import compile, compile_statements, frame, machine
from kemu_engine.kernel import draws, evaluate, rng
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.lower.expressions import operations
from kemu_engine.lower.settings import SettingError
from kemu_engine.play import state
from kemu_engine.play.game import Game
from kemu_engine.play.state import result_of
from kemu_engine.run.python import writer
from kemu_engine.run.python.loader import run
from kemu_engine.run.wasm.programs.player import Played, Player
from kemu_grammar.game.game import read
from pages import put

sys.path.append(str(Path(__file__).parents[1]))
from tests.tools.instrument_trace_hash import CUT, followed

HERE = Path(__file__).parent
KEPT = HERE / "agreement.jsonl"
PAGE = HERE.parent / "docs" / "agreement.md"

LONGEST = 1000
"""Decisions after which a game is cut off."""
TENTH = 10
"""Of so many seeds one is also played by the Python of the program as it is, without the sum."""
SAVE = 10.0
"""Seconds between two lines about a variant."""
INTERPRETER = (evaluate, compile, compile_statements, draws, frame, machine, operations, rng, state)


@dataclass(frozen=True, slots=True)
class Done:
    """What was compared of a variant. `key`: the hash of what was; `seeds`: from 0 on; `slow`: of the
    interpreter, in `spent` seconds; `steps`: decisions and outcomes of chance, of all games; `ended`: games
    that came to their end; `handed`: that were handed back; `wrong`: a seed whose games differ, in words."""

    game: str
    variant: str
    key: str
    seeds: int = 0
    slow: int = 0
    spent: float = 0.0
    steps: int = 0
    ended: int = 0
    handed: int = 0
    wrong: str = ""


class Readers:
    """A variant in all readers, with the sum of the game and as it is."""

    def __init__(self, program: k.Program) -> None:
        summed = followed(program, LONGEST + 1)
        self.program = summed
        self.cut = next(at for at, block in enumerate(summed.blocks) if block.name == CUT)
        self.slow = Game(summed, reader="interpreter")
        self.bulk, self.bulk_as_is = Player(summed), Player(program)
        texts = [writer.fast(summed), writer.fast(program)]
        names: list[dict[str, Any]] = [{}, {}]
        for text, into in zip(texts, names, strict=True):
            run(text, into)
        self.fused, self.fused_as_is = (each["play"] for each in names)
        digest = sha256(program_hash(program).encode())
        for part in (self.bulk.binary, self.bulk_as_is.binary, *(text.encode() for text in texts)):
            digest.update(sha256(part).digest())
        for module in INTERPRETER:
            digest.update(Path(str(module.__file__)).read_bytes())
        self.key = digest.hexdigest()[:24]

    def compare(self, seed: int) -> tuple[str, Played | None]:
        """What differs, in words, and the game; None if it comes to no stop, for the interpreter to tell."""
        game = plainly(next(self.bulk.playouts(seed, 0, 1, LONGEST + 2)))
        other = plainly(self.fused(seed, 0, LONGEST + 2))
        if game != other:
            return f"WebAssembly {game}, generated Python {other}", game
        short = self._as_it_is(game)
        as_is = plainly(next(self.bulk_as_is.playouts(seed, 0, 1, LONGEST)))
        if _without_sum(as_is) != short:
            return f"WebAssembly as it is {as_is}, with the sum {game}", game
        if seed % TENTH == 0:
            as_is = plainly(self.fused_as_is(seed, 0, LONGEST))
            if _without_sum(as_is) != short:
                return f"generated Python as it is {as_is}, with the sum {game}", game
        return "", game

    def slowly(self, seed: int) -> str:
        """What the interpreter plays otherwise, in words."""
        game = plainly(next(self.bulk.playouts(seed, 0, 1, LONGEST + 2)))
        played = stepwise(self.slow, seed, 0, LONGEST + 2)
        if game is None:
            endless = played.fault is not None and played.fault.code == "silent_loop"
            return "" if endless else f"handed back by WebAssembly, interpreter {played}"
        ending: Any
        decisions, branching, outcomes, ending, told = game
        result = result_of(self.program, *told) if ending == "end" else None
        fault = self.program.faults[told] if ending == "fault" else None
        same = Playout(seed, 0, decisions, branching, outcomes, ending, result, fault) == played
        return "" if same else f"WebAssembly {game}, interpreter {played}"

    def _as_it_is(self, game: Played | None) -> Played | None:
        """The game without the sum; of one that is cut off only the decisions and outcomes until then."""
        if game is None or game[3] != "end":
            return game
        decisions, branching, outcomes, ending, (block, keys) = game
        if block == self.cut:
            return decisions - 1, 0, outcomes, "cut", None
        width = self.program.width
        kept = tuple(key for at, key in enumerate(keys) if (at + 1) % width)
        return decisions, branching, outcomes, ending, (block, kept)


def _without_sum(game: Played | None) -> Played | None:
    return (game[0], 0, *game[2:]) if game is not None and game[3] == "cut" else game


def plainly(game: Played) -> Played | None:
    """A game as a reader tells it; None if the reader hands it back."""
    lost = game[3] == "lost" or (game[3] == "fault" and game[4] < 0)
    return None if lost else game


# ---------------------------------------------------------------------------------------------- one variant


def work(name: str, want: Wanted, seeds: int, seconds: float, until: float) -> Done | str:
    """Compares a variant, from where it was left; or says why not."""
    if time.time() > until:
        return "no time left"
    try:
        readers = Readers(made(read(find(name), library()), want).program)
    except SettingError:
        return "the rules do not allow it"
    before = Done(name, want.name, readers.key)
    done = before = kept().get((name, want.name, readers.key), before)
    said = time.monotonic()
    for done in steps(before, readers, seeds, seconds):
        if done.wrong or time.time() > until:
            break
        if time.monotonic() - said > SAVE:
            save(done)
            said = time.monotonic()
    if done != before:
        save(done)
    return done


def steps(done: Done, readers: Readers, seeds: int, seconds: float) -> Iterator[Done]:
    """The same with a seed more by all readers, until there is nothing left to do."""
    while done.spent < seconds and done.slow < seeds and not done.wrong:
        began = time.perf_counter()
        wrong = readers.slowly(done.slow)
        spent = done.spent + time.perf_counter() - began
        done = replace(done, slow=done.slow + 1, spent=spent, wrong=wrong and f"seed {done.slow}: {wrong}")
        yield done
    while done.seeds < seeds and not done.wrong:
        wrong, game = readers.compare(done.seeds)
        if wrong:
            wrong = f"seed {done.seeds}: {wrong}"
        done = replace(done, seeds=done.seeds + 1, wrong=wrong)
        if game is None:
            done = replace(done, handed=done.handed + 1)
        else:
            ended = game[3] == "end" and game[4][0] != readers.cut
            done = replace(done, steps=done.steps + game[0] + game[2], ended=done.ended + ended)
        yield done
    yield done


def kept() -> dict[tuple[str, str, str], Done]:
    """What was done before, by game, variant and key; of several lines the last."""
    lines = KEPT.read_text("utf-8").splitlines() if KEPT.exists() else []
    found: dict[tuple[str, str, str], Done] = {}
    for done in (Done(**json.loads(line)) for line in lines):
        found.pop((done.game, done.variant, done.key), None)  # so that the last comes last
        found[done.game, done.variant, done.key] = done
    return found


def save(done: Done) -> None:
    """A line more; several processes may write."""
    with KEPT.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(done)) + "\n")


def latest() -> dict[tuple[str, str], Done]:
    """What was done last, by game and variant."""
    return {(done.game, done.variant): done for done in kept().values()}


def tidy() -> None:
    """Leaves one line of each variant, the last."""
    lines = [json.dumps(asdict(done)) + "\n" for _, done in sorted(latest().items())]
    KEPT.write_text("".join(lines), "utf-8")


# ---------------------------------------------------------------------------------------------- all of them


def table(found: list[Done]) -> str:
    """All variants, game by game."""
    parts = []
    for name in dict.fromkeys(done.game for done in found):
        rows = [done for done in found if done.game == name]
        lines = [
            f"### {name}",
            "",
            "| variant | seeds | by the interpreter too | steps a game | came to an end | handed back |",
            "| --- | --- | --- | --- | --- | --- |",
        ]
        for done in rows:
            each = done.steps / max(1, done.seeds - done.handed)
            share = f"{100 * done.ended / max(1, done.seeds):.4g} %"
            cells = (done.variant, f"{done.seeds:,}", done.slow, f"{each:.1f}", share, done.handed)
            lines.append(f"| {' | '.join(map(str, cells))} |" + (f" **{done.wrong}**" if done.wrong else ""))
        parts.append("\n".join(lines))
    played, slow = sum(done.seeds for done in found), sum(done.slow for done in found)
    parts.insert(
        0,
        f"{len(found)} variants; {played:,} games by generated Python and by WebAssembly, "
        f"{min((done.seeds for done in found), default=0):,} at least of each variant, with "
        f"{sum(done.steps for done in found):,} steps; {slow:,} of them by the interpreter too. "
        f"Variants with games that differ: {sum(bool(done.wrong) for done in found)}.",
    )
    return "\n\n".join(parts)


def everything(given: argparse.Namespace, until: float) -> list[Done]:
    """Compares all variants of the games asked for, and tells of each when it is done."""
    asked = [(name, want) for name in given.game or games() for want in distinct(read(find(name), library()))]
    if not given.seeds:
        known = latest()
        return [known[name, want.name] for name, want in asked if (name, want.name) in known]
    jobs = [(at, name, want, given.seeds, given.seconds, until) for at, (name, want) in enumerate(asked)]
    found: dict[int, Done] = {}
    with get_context("spawn").Pool(given.jobs, _deaf) as pool:
        for number, (at, done) in enumerate(pool.imap_unordered(_numbered, jobs), 1):
            if isinstance(done, str):
                told = done
            else:
                found[at] = done
                told = done.wrong or f"{done.seeds:,} seeds, {done.slow} by the interpreter too"
            name, want = asked[at]
            sys.stderr.write(f"{number} of {len(jobs)}: {name}, {want.name}: {told}\n")
    return [found[at] for at in sorted(found)]


def _deaf() -> None:
    """The first process answers Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _numbered(job: tuple[int, str, Wanted, int, float, float]) -> tuple[int, Done | str]:
    at, name, want, seeds, seconds, until = job
    return at, work(name, want, seeds, seconds, until)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=10_000, help="0: only what was found before")
    parser.add_argument("--game", action="append", choices=list(games()), metavar="NAME")
    parser.add_argument("--seconds", type=float, default=5, help="of the interpreter, for each variant")
    parser.add_argument("--minutes", type=float, default=1e6, help="then it stops where it is")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="write the table of docs/agreement.md anew")
    given = parser.parse_args()
    try:
        found = everything(given, time.time() + 60 * given.minutes)
    except KeyboardInterrupt:
        return 130
    if given.seeds:
        tidy()
    text = table(found)
    if given.table:
        put(PAGE, "measured", text)
    else:
        sys.stdout.write(text + "\n")
    return int(any(done.wrong for done in found))


if __name__ == "__main__":
    sys.exit(main())
