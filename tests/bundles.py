"""Writes docs/evidence-measured.md: bundles, how long they take, and what the checker says of them.

    .venv/bin/python -m tests.bundles [NAME...] [--anew] [--keep FOLDER] [--seconds N] [--each N]
                                    [--check N] [--minutes N]

NAME: instances whose name begins like that (`mahe`, `tongiaki.strait`); without one, those that the page has.
A bundle is written and checked, each by a command of its own, and its row is put on the page at once: an
interrupted run goes on where it was. A row that is about the program of today stays as it is, but for
`--anew`. Seconds are of computing. `--keep`: where bundles stay; one that is there already is not written
again, but with `--anew`. `--check`: what is not confirmed after so many seconds, by the clock, stays open.
`--minutes`: of computing for all verdicts of an instance.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.freeze import instances
from tests.library_verdicts import opening, program

PAGE = Path(__file__).parents[1] / "docs" / "evidence-measured.md"
HEAD = """\
# Bundles: what the checker confirms

Of each instance all that `kemu verify` finds, written as a [bundle](evidence.md) and checked. *To write*
(with all verdicts) and *to check*: seconds of computing. *Unclaimed*: questions without a definite verdict,
of which there is nothing to check. *Open*: answers that the checker could not confirm; which and why stands
below. What is not here was not run yet. The page is written by

    python -m tests.bundles NAME

With `--check N` checking ends after N seconds by the clock, and the rest is open.

"""
DEFINITE = ("proved", "refuted", "possible", "impossible")
NAMED = 6
"""So many of the answers that the checker had no time for are named."""
COLUMNS = ("game", "to write", "to check", "confirmed", "open", "wrong", "unclaimed", "program")
LINE = re.compile(
    r"^(?P<key>.{40,}?) (?P<said>.{12,}?) "
    r"(?P<found>confirmed by .* only|confirmed|open|wrong|nothing claimed) +[\d.]+ s  (?P<why>.*)$"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One instance, as the page has it: the cells of the table, and what stands below."""

    cells: tuple[str, ...]
    below: str

    @property
    def name(self) -> str:
        return self.cells[0]


def measured(name: str, folder: Path, anew: bool, effort: Sequence[str], limits: Sequence[str]) -> Row:
    """Writes and checks the bundle of an instance. `effort`, `limits`: options of the prover, the checker."""
    path, instance = instances()[name]
    game = opening(name)
    told = folder.with_name(f"{folder.name}.seconds.json")  # how long it took to write what lies there
    if anew or not told.exists():
        options = ["--instance", instance] if instance else []
        took, _ = run("kemu", "verify", path, *options, *effort, "--bundle", str(folder))
        told.write_text(json.dumps(took))
    wrote = json.loads(told.read_text())
    took, printed = run("kemu_checker", str(folder), *limits)
    lines = [match for line in printed.splitlines() if (match := LINE.match(line))]
    if not lines:
        raise SystemExit(f"{name}: {printed}")
    found = Counter(match["found"].split()[0] for match in lines)
    reached = {match["key"].strip() for match in lines}
    answers = json.loads((folder / "manifest.json").read_text())["answers"]
    left = [each["key"] for each in answers if each["key"] not in reached and each["verdict"] in DEFINITE]
    found["open"] += len(left)
    found["nothing"] += sum(
        each["key"] not in reached and each["verdict"] not in DEFINITE for each in answers
    )
    counts = (str(found[verdict]) for verdict in ("confirmed", "open", "wrong", "nothing"))
    return Row(
        (name, f"{wrote:.0f}", f"{took:.0f}", *counts, program(game)),
        "; ".join(filter(None, (reasons(lines), late(left)))),
    )


def run(module: str, *arguments: str) -> tuple[float, str]:
    """What a command prints, with the seconds of computing that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, done.stdout


def reasons(lines: Sequence[re.Match[str]]) -> str:
    """The answers that are not confirmed, those together that are so for one reason."""
    found: dict[str, list[str]] = {}
    for match in lines:
        if match["found"] in ("open", "wrong"):
            words = match["why"] if match["found"] == "open" else f"wrong: {match['why']}"
            found.setdefault(words, []).append(f"`{match['key'].strip()}`")
    return "; ".join(f"{', '.join(keys)}: {words}" for words, keys in found.items())


def late(keys: Sequence[str]) -> str:
    """The answers that the checker had no time for."""
    named = ", ".join(f"`{key}`" for key in keys[:NAMED])
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f"{named}{more}: not looked at before time was over" if keys else ""


def page(rows: Mapping[str, Row]) -> str:
    """The whole page."""
    listed = [rows[name] for name in instances() if name in rows]
    lines = [COLUMNS, tuple("---" for _ in COLUMNS), *(row.cells for row in listed)]
    table = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    below = "".join(f"- {row.name}: {row.below}\n" for row in listed if row.below)
    return HEAD + table + (f"\n## Open\n\n{below}" if below else "")


def rows(text: str) -> dict[str, Row]:
    """The rows of a page."""
    table = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    below = dict(line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("- "))
    return {cells[0]: Row(tuple(cells), below.get(cells[0], "")) for cells in table[2:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--anew", action="store_true", help="rows that are up to date, too")
    parser.add_argument("--keep", type=Path, help="a folder for the bundles")
    parser.add_argument("--seconds", type=float, default=60, help="of computing for a question")
    parser.add_argument("--each", type=float, default=20, help="for a condition of the checker's")
    parser.add_argument("--check", type=float, help="seconds for checking a bundle")
    parser.add_argument("--minutes", type=float, help="of computing for all verdicts of an instance")
    given = parser.parse_args()
    minutes = ["--minutes", f"{given.minutes:g}"] if given.minutes else []
    effort = ["--seconds", f"{given.seconds:g}", *minutes]
    limits = ["--each", f"{given.each:g}"] + (["--seconds", f"{given.check:g}"] if given.check else [])
    known = rows(PAGE.read_text("utf-8")) if PAGE.exists() else {}
    wanted = tuple(given.names) if given.names else tuple(known)
    with tempfile.TemporaryDirectory(prefix="kemu-bundles-") as scratch:
        for name in [each for each in instances() if each.startswith(wanted)]:
            if not given.anew and name in known and known[name].cells[-1] == program(opening(name)):
                continue
            folder = (given.keep or Path(scratch)) / name
            known[name] = measured(name, folder, given.anew, effort, limits)
            PAGE.write_text(page(known), "utf-8")
            print(*known[name].cells, known[name].below, sep="  ", flush=True)


if __name__ == "__main__":
    main()
