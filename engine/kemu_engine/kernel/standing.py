"""Who is ahead before the end: in games that end by ranking numbers, if these can be read at any time.

Behind the last turn stands `end rank(score)`, and what is done just before: that may be run from any
position. A program has such an ending if it has no end but this one, and all ways to it lead through one
block, from which on there is but one way. What is read there of the locals of rules is as it was last, and
the least of its type if it has had no value yet.
"""

from __future__ import annotations

from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import chosen, reached, targets
from kemu_engine.kernel.liveness import needed
from kemu_engine.kernel.walk import written


@dataclass(frozen=True, slots=True)
class Standing:
    """The `block` at which play goes on when it is cut off. `least`: the locals that may be read from there
    on for which 0, what a local has before it is set, is no value, each with its least one."""

    block: int
    least: tuple[tuple[int, int], ...]


def standing(program: k.Program) -> Standing | None:
    """From where on nothing is decided or drawn until numbers are ranked, and by where all ways to the end of
    play go; None if there is no such place."""
    blocks = program.blocks
    ends = [block.exit for block in blocks if isinstance(block.exit, k.End)]
    if len(ends) != 1 or ends[0].form != "rank" or len(program.players) == 1:
        return None
    onward = [targets(block.exit) for block in blocks]
    playing = {at for at, block in enumerate(blocks) if isinstance(block.exit, k.Decide | k.Chance)}
    while more := {at for at, following in enumerate(onward) if playing & {*following}} - playing:
        playing |= more
    entries = sorted({to for at in playing for to in onward[at]} - playing)
    ways = [_straight(program, each) for each in entries]
    ways = [way for way in ways if not isinstance(blocks[way[-1]].exit, k.Fail)]
    ahead = [_ranked(program, way) for way in ways]
    common = [at for at in ahead[0] if all(at in way for way in ahead)] if ahead else []
    return Standing(common[0], _least(program, common[0])) if common else None


def _least(program: k.Program, block: int) -> tuple[tuple[int, int], ...]:
    read = {local: program.locals[local].type for local in sorted(needed(program)[block])}
    return tuple(
        (local, type_.low)
        for local, type_ in read.items()
        if isinstance(type_, k.Int) and not type_.low <= 0 <= type_.high
    )


def _straight(program: k.Program, block: int) -> list[int]:
    """The blocks from one on as far as there is but one way."""
    found = [block]
    while isinstance(exit := program.blocks[found[-1]].exit, k.Goto) and exit.block not in found:
        found.append(exit.block)
    return found


def _ranked(program: k.Program, way: list[int]) -> list[int]:
    """The blocks of a way up to the first that writes the result."""
    for at, block in enumerate(way):
        if program.result in written(program.blocks[block].code):
            return way[: at + 1]
    return []


def drawn(program: k.Program) -> bool:
    """Whether chance is at work after a decision."""
    blocks = program.blocks
    starts = [to for block in blocks if isinstance(block.exit, k.Decide) for to in chosen(block.exit)]
    ways = reached(starts, lambda at: targets(blocks[at].exit))
    return any(isinstance(blocks[at].exit, k.Chance) for at in ways)
