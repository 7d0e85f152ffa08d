"""The command: `python -m tests.mutation FOLDER ...` draws mutants of these rooms and says which survive."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tests.mutation.judge import judge
from tests.mutation.mutants import sample
from tests.mutation.report import equivalents, report

SEED = 5
SAMPLE = 300
ROOMS = ("engine/kemu_engine/lower", "engine/kemu_engine/static")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("rooms", nargs="*", default=ROOMS, help="folders of code; their tests mirror them")
    parser.add_argument("--seed", type=int, default=SEED, help="which mutants are drawn")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="how many")
    parser.add_argument("--only", default="", help="mutants whose name begins so, separated by commas")
    parser.add_argument("--list", action="store_true", help="say which mutants, and run nothing")
    parser.add_argument("-n", "--copies", type=int, default=os.cpu_count() or 1, help="side by side")
    asked = parser.parse_args()
    rooms = [Path(room) for room in asked.rooms]
    drawn = sample(rooms, asked.sample, asked.seed)
    if asked.only:
        drawn = [m for m in drawn if m.name.startswith(tuple(asked.only.split(",")))]
    if asked.list:
        print(*drawn, sep="\n")
        return
    raise SystemExit(report(judge(drawn, rooms, asked.copies), equivalents()))


if __name__ == "__main__":
    main()
