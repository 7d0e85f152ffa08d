"""Where things are in the memory of a module that searches, for a page that puts positions there
(site/here/search.js)."""

from __future__ import annotations

from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.sets.mask_arrays import values
from kemu_engine.run.wasm.emit.layout import Slot, words
from kemu_engine.run.wasm.programs.mcts import ACTOR, HOT, VISITS, Treeing
from kemu_engine.search.mcts import LONGEST

from kemu.table.worth import meaning


def layout(program: k.Program, made: Treeing, scale: tuple[float, float], longest: int) -> dict[str, Any]:
    """As plain data; `scale`: the least and the greatest payoff; `longest`: the decisions after which a
    random game is cut off (search/mcts.py)."""
    values = meaning(program, longest < LONGEST, scale)
    return {
        "position": made.position.at,
        "size": made.position.size,
        "held": made.held,
        "stops": made.steps.stops,
        "slots": [_slot(each) for each in made.slots],
        "logs": {
            at: {
                "hashes": log.hashes.at,
                "room": log.hashes.size,
                "snapshots": log.snapshots,
                "pieces": [[place, f"{bits:#x}"] for place, bits in log.pieces],
            }
            for at, log in made.logs.items()
        },
        "words": {at: words(each.type) for at, each in enumerate(program.locals) if words(each.type) > 1},
        "low": scale[0],
        "high": scale[1],
        "scale": made.scale,
        "wide": made.wide,
        "patience": made.patience,
        "streams": made.streams,
        "zero_sum": made.zero_sum,
        "root": made.root,
        "hot": HOT,
        "cold": made.cold,
        "visits": VISITS,
        "longest": longest,
        "actor": ACTOR,
        "worth": {"kind": values.kind, "low": values.low, "high": values.high, "note": values.note},
    }


def _slot(slot: Slot) -> list[int]:
    if slot.masks < 0:
        return [slot.at, slot.cell.size, -1]
    return [slot.at, slot.cell.size, slot.masks, slot.row, slot.lowest, len(values(slot.var.type))]
