"""What has happened, in lines: outcomes of chance that follow each other at the same place share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap


@dataclass(frozen=True, slots=True)
class Event:
    """Step `number`: who did it, what was done, and for chance where it was."""

    number: int
    who: str
    text: str
    chance: str = ""

    def joins(self, earlier: Event) -> bool:
        """Whether it is told together with the step before: chance at the same place once more."""
        return bool(self.chance) and self.chance == earlier.chance


def runs(events: Iterable[Event]) -> Iterator[list[Event]]:
    """The steps, those together that are told together."""
    run: list[Event] = []
    for event in events:
        if run and not event.joins(run[-1]):
            yield run
            run = []
        run.append(event)
    if run:
        yield run


def told(run: list[Event], width: int) -> str:
    """`4. blue: pass`, `1-3. chance at draw: ace, king, ten`."""
    first, last = run[0].number, run[-1].number
    head = f"{first}. {run[0].who}" if first == last else f"{first}-{last}. {run[0].who}"
    text = f"{head}: {', '.join(event.text for event in run)}"
    return "\n".join(wrap(text, width, subsequent_indent="    ", break_on_hyphens=False))
