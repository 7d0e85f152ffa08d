"""Where a game ends by ranking numbers that can be read at any time: the way from there to the end.

`end rank(score)` behind the last turn says who is ahead whenever it is run. A program has such a way if it has
no end but this one, and play comes to it through one block at which no local of a rule is alive.
"""

from __future__ import annotations

from kemu_engine.kernel import nodes as k


def successors(exit: k.Exit) -> tuple[int, ...]:
    """Blocks to which play may go on from there."""
    match exit:
        case k.Goto():
            return (exit.block,)
        case k.Split():
            return exit.then, exit.other
        case k.Switch():
            return exit.targets
        case k.Decide():
            others = () if exit.other < 0 else (exit.other,)
            return (*(arm.target for arm in exit.arms), *others)
        case k.Chance():
            return (exit.target,)
    return ()


def standing(program: k.Program) -> int | None:
    """The block from which on nothing is decided or drawn until numbers are ranked, and by which all ways to
    the end of play go; None if there is no such block."""
    blocks = program.blocks
    ends = [block.exit for block in blocks if isinstance(block.exit, k.End)]
    if len(ends) != 1 or ends[0].form != "rank":
        return None
    onward = [successors(block.exit) for block in blocks]
    playing = {at for at, block in enumerate(blocks) if isinstance(block.exit, k.Decide | k.Chance)}
    while more := {at for at, next_ in enumerate(onward) if at not in playing and playing & {*next_}}:
        playing |= more
    entries = {to for at in playing for to in onward[at] if to not in playing}
    ways = [
        way
        for entry in sorted(entries)
        if not isinstance(blocks[(way := straight(program, entry))[-1]].exit, k.Fail)
    ]
    common = [at for at in ways[0] if all(at in way for way in ways)] if ways else []
    return next((at for at in common if not blocks[at].live), None)


def straight(program: k.Program, block: int) -> list[int]:
    """The blocks from one on as far as there is but one way."""
    found = [block]
    while isinstance(exit := program.blocks[found[-1]].exit, k.Goto) and exit.block not in found:
        found.append(exit.block)
    return found
