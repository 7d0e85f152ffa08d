"""Verdicts on little random games against what the games mean in plain Python; proofs, too, by the checker.

    .venv/bin/python -m tests.oracles.verdicts 1000 --from 0 --ledger build/verdicts.txt --processes 2

Each game is asked about three times: as it comes, without exhaustive search, and where no game is looked for,
so that what is false is tried to be proved, too; one of four is a game of loops (looping.py), which is asked
about lap by lap besides. A verdict that is false, an answer
of the checker's that is, and evidence that does not show what is true, count as differences. The ledger has a
line for each game, with the state of the code; games in it are not looked at again, but where there was a
difference, so that a run can be interrupted and gone on with. `--tell` counts the verdicts compared. With
fewer `--seconds` more games are looked at, and fewer proofs found: per second of computing one is the best.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

from kemu.service import bundle
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.game.game import Game as Rules
from kemu_grammar.game.game import read_text
from kemu_grammar.source.diagnostics import RulesError
from kemu_verifier.evidence.examine import Examination
from kemu_verifier.strategy import strategy, verify, work
from kemu_verifier.strategy.verify import USUAL
from kemu_verifier.symbolic import laps
from kemu_verifier.symbolic.values import TooLarge

from tests.checker.forge import DEFINITE, checked
from tests.oracles.__main__ import Progress, uninterrupted
from tests.oracles.ledger import Chunk, Ledger, state
from tests.oracles.little import Little
from tests.oracles.little_meaning import Meaning
from tests.oracles.little_text import FILE, rules
from tests.oracles.little_writer import little
from tests.oracles.looping import Looping
from tests.oracles.looping_meaning import Meaning as MeaningOfLoops
from tests.oracles.looping_text import rules as rules_of_loops
from tests.oracles.looping_writer import looping
from tests.rules import LIBRARY

FEWEST, MOST = 6, 300
"""States of a game that is looked at; one of EVERY may have fewer."""
EVERY, ATTEMPTS = 8, 60
LOOPS = 4
"""One of so many is a game of loops."""
SECONDS, ALL = 1.0, 1.0
"""Of computing: for a question; without exhaustive search, for all."""
CHECKING = 60.0
ANEW = 500
"""Games, after which a process is followed by a new one."""
BLIND = {"STATES": 1, "SMALL": 0, "NEARLY": 1_000, "LOOK_ALIKES": 0}
FEW = {"GAMES": 50, "MORE_GAMES": 100, "MOST_GAMES": 100, "PLAYS": 12}
FEW |= {"CLIMB": 0.02, "LOOK": 0.05, "SHORTEN": 0.02, "SHORTEN_LONG": 0.02, "GOING_ON": 0.05}
"""Random games of a little game are soon all alike: no more of them, and more time for proofs."""

NO_GAMES = dict.fromkeys(("GAMES", "MORE_GAMES", "MOST_GAMES", "PLAYS", "MORE_PLAYS"), 1)
NO_GAMES |= dict.fromkeys(("CLIMB", "LOOK", "SHORTEN", "SHORTEN_LONG", "GOING_ON"), 0.0)
NO_GAMES |= {"FURTHER": 0, "MOST_FURTHER": 0}

PLAIN, BLINDLY, BY_PROOF, LAP_BY_LAP = "plain", "blind", "proofs", "laps"
LAPS = ("not applicable", "exploration", "symbolic reading", "exhaustive search", "claims that laps keep",
        "localized proofs", "nothing decided")  # fmt: skip
HOPING = ("games that are hoped for",)  # before there is time for proofs; at last, they are looked for anyway
LOOKING = (*HOPING, "simulation", "games that break a claim", "exploration of all states", "witnesses",
           "loops", "sampling of what cannot be read", "what play shows", "games that go on", "hill climbing",
           "windowed search of what is hoped for", "more simulation", "k-induction of what is hoped for",
           "windowed search", "bounded model checking", "sampling of what can be read")  # fmt: skip
"""The methods that look for games."""


@dataclass(frozen=True)
class Made:
    """A game with what it means and what was made of its rules."""

    game: Little | Looping
    meaning: Meaning | MeaningOfLoops
    rules: Rules
    playable: Game


def made(seed: int) -> Made:
    """Game number so and so: the first of those that it could be that is neither too large nor too small nor
    refused; every other one runs into no fault. Raises OverflowError if there is none."""
    for attempt in range(ATTEMPTS):
        try:
            game, meaning, text = _one(seed, attempt)
            small = seed % EVERY and len(meaning.after) < FEWEST
            if small or (seed % 2 and "fault" in meaning.faults):
                continue
            found = read_text(text, FILE, LIBRARY)
            return Made(game, meaning, found, Game(instantiate(found, {}, None)))
        except (OverflowError, RulesError):
            continue
    raise OverflowError


def _one(seed: int, attempt: int) -> tuple[Little | Looping, Meaning | MeaningOfLoops, str]:
    """What a game could be, what it means, and its rules."""
    if of_loops(seed):
        loops, all_of_it = looping(seed, attempt)
        return loops, all_of_it, rules_of_loops(loops)
    game = little(seed, attempt)
    return game, Meaning(game, MOST), rules(game)


def of_loops(seed: int) -> bool:
    """Whether it is a game of loops."""
    return seed % LOOPS == LOOPS - 1


def differences(
    seed: int,
    above: Path,
    counts: Counter[str] | None = None,
    seconds: float = ALL,
    ways: Iterable[str] | None = None,
) -> Iterator[str]:
    """How verdicts on a game, and the checker's on them, differ from what is true; how many verdicts of which
    kind were compared is put into `counts`. `seconds`: of computing without exhaustive search; `ways`: in
    which it is asked about, if not in all. Raises OverflowError if there is no such game."""
    one = made(seed)
    true = one.meaning.truth()
    every = (PLAIN, BLINDLY, BY_PROOF, *((LAP_BY_LAP,) if of_loops(seed) else ()))
    for way in every if ways is None else ways:
        folder = above / way
        bundled(one, folder, way, seconds)
        for words in differing(one, true, folder, Counter() if counts is None else counts):
            yield f"{folder.name}: {words}"


def bundled(one: Made, folder: Path, way: str, seconds: float = ALL) -> None:
    """Verifies a game and writes the bundle: but for PLAIN without exhaustive search, in so many seconds;
    BY_PROOF without looking for games; to be looked at LAP_BY_LAP it is too large to be read otherwise."""
    blind = way != PLAIN
    effort = replace(USUAL, limit=seconds) if blind else USUAL
    left_out = LOOKING if way == BY_PROOF else HOPING
    rows = [row for row in strategy.STRATEGY if row.method not in left_out]
    if way == LAP_BY_LAP:
        rows = [row for row in rows if row.method in LAPS]
    few = FEW | (BLIND if blind else {}) | (NO_GAMES if way == BY_PROOF else {})
    with ExitStack() as patched:
        patched.enter_context(patch.multiple(strategy, **few))
        patched.enter_context(patch.object(verify, "STRATEGY", tuple(rows) if blind else strategy.STRATEGY))
        if way == LAP_BY_LAP:
            patched.enter_context(patch.object(work.SymbolicReading, "_read", _too_large))
            patched.enter_context(patch.object(laps, "LONG", 0))
        examined = Examination(one.playable, None, SECONDS, lambda _: None, True, effort)
        for _ in examined.verdicts():
            pass
        files = bundle.files_of(examined, examined.proofs(), one.rules, SECONDS)
    bundle.write(files, folder)


def _too_large(*_: object) -> None:
    raise TooLarge("so that it is read lap by lap")


def differing(one: Made, true: dict[str, str], folder: Path, counts: Counter[str]) -> Iterator[str]:
    """The same of one bundle."""
    answers = json.loads((folder / "manifest.json").read_text())["answers"]
    for answer in answers:
        key, verdict = answer["key"], answer["verdict"]
        known = key in true
        counts[f"{folder.name} {family(one.game, key)} {verdict if known else 'not compared'}"] += 1
        if verdict in DEFINITE and known and verdict != true[key]:
            yield f"{key} is {true[key]}, not {verdict}"
        claim = next(
            (each.e for each in one.game.claims if each.name == key and each.form == "maximize"), None
        )
        number = answer["evidence"].get("number")
        if claim is not None and number is not None and number != one.meaning.greatest(claim):
            yield f"{key} is {one.meaning.greatest(claim)}, not {number}"
    printed = checked(folder, seconds=CHECKING, each=1.0, states=5_000)
    lines = [line for line in printed.splitlines() if " wrong " in line or line.startswith("wrong")]
    yield from lines
    if "exit code 1" in printed and not lines:
        yield printed


def family(game: Little | Looping, key: str) -> str:
    """What kind of question that is."""
    if isinstance(game, Looping):
        claims = (*game.claims, *game.alone)
    else:
        claims = (*game.claims, *(game.winding.claims if game.winding else ()))
    return next((claim.form for claim in claims if claim.name == key), re.sub(r"\(.*", "", key))


def outcome(seed: int, seconds: float = ALL) -> tuple[str, Counter[str]]:
    """What comes of a game, on one line; how many verdicts of which kind were compared."""
    above, counts = Path(tempfile.mkdtemp(prefix="kemu-verdicts-")), Counter[str]()
    try:
        found = list(differences(seed, above, counts, seconds))
    except OverflowError:
        return "none", counts
    except Exception as error:  # of ours: somebody breaks down
        found = [f"{type(error).__name__}: {error}"]
    finally:
        shutil.rmtree(above)
    return "same" if not found else f" {json.dumps(found)}", counts


def outcomes(seeds: list[int], processes: int, seconds: float) -> Iterator[tuple[str, Counter[str]]]:
    """What comes of each game, in this order. Processes begin anew from time to time: solvers keep memory."""
    one = partial(outcome, seconds=seconds)
    with get_context("spawn").Pool(processes, begin, maxtasksperchild=ANEW) as pool:
        yield from pool.imap(one, seeds)


def begin() -> None:
    """What a process that looks at games needs."""
    uninterrupted()
    sys.setrecursionlimit(20_000)


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.oracles.verdicts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("number", type=int, help="how many games")
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--ledger", type=Path, default=Path("build/verdicts.txt"))
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--seconds", type=float, default=ALL, help="of computing for a game without exhaustive search"
    )
    parser.add_argument("--tell", action="store_true", help="how many verdicts were compared")
    given = parser.parse_args()
    state()  # as it is in the beginning, whatever is edited meanwhile
    ledger, counts = Ledger(given.ledger), Counter[str]()
    seeds = [each for each in range(given.first, given.first + given.number) if not ledger.settled(each, 1)]
    progress = Progress(len(seeds))
    try:
        for seed, (found, some) in zip(seeds, outcomes(seeds, given.processes, given.seconds), strict=True):
            counts += some
            ledger.add(Chunk.of(seed, [(seed, found)]))
            progress.add(1, ledger)
            if found.startswith(" "):
                print(f"\ngame {seed}:{found[:2000]}", flush=True)
    except KeyboardInterrupt:
        print("\nnot all of them", file=sys.stderr)
    print(file=sys.stderr)
    for words, count in sorted(counts.items()) if given.tell else ():
        print(f"{count:8,} {words}")
    print(ledger)
    return 1 if any(chunk.differing for chunk in ledger.chunks.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
