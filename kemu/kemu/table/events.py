"""What has happened, in lines: outcomes of chance that follow each other at the same place share one, and so
does what was chosen together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap


@dataclass(frozen=True, slots=True)
class Event:
    """Step `number`: who did it, what was done, and for chance where it was. `together`: it was chosen
    together with the step before, and everybody may know."""

    number: int
    who: str
    text: str
    chance: str = ""
    together: bool = False

    def joins(self, earlier: Event) -> bool:
        """Whether it shares a line with the step before."""
        return self.together or (bool(self.chance) and self.chance == earlier.chance)


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
    """`4. blue: pass`, `1-3. chance at draw: ace, king, ten`, `5-6. ann: rock, bob: paper`."""
    first, last = run[0].number, run[-1].number
    number = f"{first}" if first == last else f"{first}-{last}"
    others = [f"{event.who}: {event.text}" if event.together else event.text for event in run[1:]]
    text = f"{number}. {run[0].who}: {', '.join([run[0].text, *others])}"
    return "\n".join(wrap(text, width, subsequent_indent="    ", break_on_hyphens=False))
