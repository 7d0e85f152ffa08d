"""Writes the playthroughs of the games in spec/ anew.

    .venv/bin/python -m tests.playthroughs.regenerate [GAME...]

A file keeps the seed and the number of steps that stand in its second line; to have others, change them
there first. A new file begins with seed 0; the game by default is written down to its end if that may be, of
other instances as much as keeps the file short.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from kemu.render.playthrough import playthrough

from tests.instances import instance, instances

HERE = Path(__file__).parent
LARGEST = 200_000  # bytes of a file
SHORT = 40_000  # of one that is not the game by default
STEPS = 3200
COMMAND = re.compile(r"--seed (\d+) --steps (\d+)$")


@dataclass(frozen=True, slots=True)
class Case:
    """An instance of a game in spec/; without a name the one by default."""

    game: str
    instance: str | None = None

    @property
    def path(self) -> Path:
        return HERE / f"{self.game}{f'.{self.instance}' if self.instance else ''}.txt"

    def text(self, seed: int, steps: int) -> str:
        """What its file should hold. Raises RulesError."""
        words = f"kemu playthrough {self.game}{f' --instance {self.instance}' if self.instance else ''}"
        words += f" --seed {seed} --steps {steps}"
        lines = playthrough(instance(self.game, self.instance), words, seed, steps)
        return "".join(f"{line}\n" for line in lines)

    def chosen(self) -> tuple[int, int]:
        """The seed and the number of steps that its file names. Raises OSError, ValueError."""
        found = COMMAND.search(self.path.read_text("utf-8").split("\n")[1])
        if found is None:
            raise ValueError(f"the second line of {self.path.name} names no seed and no number of steps")
        return int(found.group(1)), int(found.group(2))


def cases() -> list[Case]:
    """Every instance of every game."""
    return [Case(*each) for each in instances()]


def regenerate(case: Case) -> None:
    """Writes the file of a case."""
    if case.path.exists():
        text = case.text(*case.chosen())
    else:
        steps = STEPS
        while len((text := case.text(0, steps)).encode()) > (SHORT if case.instance else LARGEST):
            steps //= 2
    case.path.write_text(text, "utf-8")
    print(f"{case.path.name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    for each in cases():
        if each.game in (sys.argv[1:] or [each.game]):
            regenerate(each)
