"""What has happened, in lines: outcomes of chance that follow each other at the same place share one, and so
do choices that players made together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap


@dataclass(frozen=True, slots=True)
class Event:
    """Step `number`: who did it, what was done, and for chance where it was. `first`: the number of the first
    step that was chosen together with this one, where all have chosen; else 0. `words`: what was done, as
    the rulebook would say it, if that is known."""

    number: int
    who: str
    text: str
    chance: str = ""
    first: int = 0
    words: str = ""

    def joins(self, earlier: Event) -> bool:
        """Whether it is told together with the step before: chance at the same place once more, or a choice
        made together with that."""
        if self.chance:
            return self.chance == earlier.chance
        return 0 < self.first < self.number


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
    """`4. blue: pass`, `1-3. chance at draw: ace, king, ten`, `5-6. ann: bid(1), ben: bid(2)`; of one step
    what it is in words, too: `7. blue: sail(2): sails by two`."""
    first, last = run[0].number, run[-1].number
    head = f"{first}." if first == last else f"{first}-{last}."
    acts = [f"{run[0].who}: {run[0].text}"]
    acts += [event.text if event.chance else f"{event.who}: {event.text}" for event in run[1:]]
    if len(run) == 1 and run[0].words:
        acts.append(run[0].words)
    text = f"{head} {(': ' if len(run) == 1 else ', ').join(acts)}"
    return "\n".join(wrap(text, width, subsequent_indent="    ", break_on_hyphens=False))
