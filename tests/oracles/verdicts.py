"""Verdicts on little random games against what the games mean in plain Python; proofs, too, by the checker.

    .venv/bin/python -m tests.oracles.verdicts 1000 --from 0 --ledger build/verdicts.txt

Each game is asked about twice: as it comes, and without exhaustive search. A verdict that is false, an answer
of the checker's that is, and evidence that does not show what is true, count as differences. The ledger has a
line for each game, with the state of the code; games in it are not looked at again, but where there was a
difference, so that a run can be interrupted and gone on with.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kemu_grammar.source.diagnostics import RulesError

from tests.checker.forge import DEFINITE, bundle, checked
from tests.oracles.ledger import Chunk, Ledger
from tests.oracles.little import Little
from tests.oracles.little_meaning import Meaning
from tests.oracles.little_text import rules
from tests.oracles.little_writer import little
from tests.rules import game_in

MOST = 5_000
"""States of a game that is looked at."""


def differences(seed: int, above: Path) -> Iterator[str]:
    """How verdicts on a game, and the checker's on them, differ from what is true. Raises OverflowError for
    games that are too large, RulesError for those that are refused."""
    game = little(seed)
    meaning = Meaning(game, MOST)
    game_in(rules(game))
    file = above / f"{seed}.kemu"
    file.write_text(rules(game))
    for blind in (False, True):
        folder = bundle(file, above / f"{seed}-{blind}", blind)
        for words in differing(game, meaning, folder):
            yield f"{'blind' if blind else 'plain'}: {words}"


def differing(game: Little, meaning: Meaning, folder: Path) -> Iterator[str]:
    """The same of one bundle."""
    true = meaning.truth()
    answers = json.loads((folder / "manifest.json").read_text())["answers"]
    for answer in answers:
        key, verdict = answer["key"], answer["verdict"]
        if verdict in DEFINITE and key in true and verdict != true[key]:
            yield f"{key} is {true[key]}, not {verdict}"
        claim = next((each.e for each in game.claims if each.name == key and each.form == "maximize"), None)
        number = answer["evidence"].get("number")
        if claim is not None and number is not None and number != meaning.greatest(claim):
            yield f"{key} is {meaning.greatest(claim)}, not {number}"
    printed = checked(folder)
    lines = [line for line in printed.splitlines() if " wrong " in line or line.startswith("wrong")]
    yield from lines
    if "exit code 1" in printed and not lines:
        yield printed


def outcome(seed: int) -> str:
    """What comes of a game, on one line."""
    above = Path(tempfile.mkdtemp(prefix="kemu-verdicts-"))
    try:
        found = list(differences(seed, above))
    except OverflowError:
        return "large"
    except RulesError:
        return "refused"
    except Exception as error:  # of ours: somebody breaks down
        found = [f"{type(error).__name__}: {error}"]
    finally:
        shutil.rmtree(above)
    return "same" if not found else f" {json.dumps(found)}"


def main() -> int:
    parser = argparse.ArgumentParser(
        "python -m tests.oracles.verdicts", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("number", type=int, help="how many games")
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--ledger", type=Path, default=Path("build/verdicts.txt"))
    given = parser.parse_args()
    sys.setrecursionlimit(20_000)
    ledger = Ledger(given.ledger)
    try:
        for seed in range(given.first, given.first + given.number):
            if not ledger.settled(seed, 1):
                found = outcome(seed)
                ledger.add(Chunk.of(seed, [(seed, found)]))
                if found.startswith(" "):
                    print(f"game {seed}:{found[:2000]}", flush=True)
    except KeyboardInterrupt:
        print("not all of them")
    print(ledger)
    return 1 if any(chunk.differing for chunk in ledger.chunks.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
