"""Traces in Apalache's Informal Trace Format (ITF, JSON; its architecture decision record 15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import as_json, labels
from kemu_engine.play.game import Game
from kemu_engine.play.state import State

FAR = 1 << 53  # integers beyond this are no JSON numbers in ITF


def itf(game: Game, states: Sequence[State], steps: Sequence[str], about: str, loop: int | None) -> Any:
    """The states with what was done to get there (`action`); `loop`: the last state is that one again."""
    program = game.program
    shown = [at for at, var in enumerate(program.vars) if not var.local]
    names = [program.vars[at].name for at in shown]
    done = ["", *steps]
    listed = list(states) if loop is None else list(states)[:-1]
    made: dict[str, Any] = {
        "#meta": {"format": "ITF", "description": about, "source": game.hash},
        "params": [],
        "vars": ["stop", "actor", "action", *names],
        "states": [
            {
                "#meta": {"index": number},
                "stop": program.blocks[state.block].name,
                "actor": state.actor or "",
                "action": done[number],
                **{
                    name: _cells(program, program.vars[at], state.vars[at])
                    for name, at in zip(names, shown, strict=True)
                },
            }
            for number, state in enumerate(listed)
        ],
    }
    if loop is not None:
        made["loop"] = loop
    return made


def _cells(program: k.Program, var: k.Var, cells: Any) -> Any:
    if isinstance(var.type, k.History):
        noted = [program.vars[at] for at in var.type.vars]
        snapshots = sorted(cells.items(), key=repr)
        return {"#map": [[_snapshot(program, noted, each), times] for each, times in snapshots]}
    if isinstance(cells, tuple):
        pairs = zip(labels(var), cells, strict=True)
        return {"#map": [[label, _value(as_json(cell, var.type, var.texts))] for label, cell in pairs]}
    return _value(as_json(cells, var.type, var.texts))


def _snapshot(program: k.Program, noted: Sequence[k.Var], values: Sequence[Any]) -> Any:
    pairs = zip(noted, values, strict=True)
    return {var.name: _cells(program, var, cells) for var, cells in pairs}


def _value(plain: Any) -> Any:
    if isinstance(plain, list):
        return {"#set": [_value(each) for each in plain]}
    if isinstance(plain, int) and not isinstance(plain, bool) and abs(plain) >= FAR:
        return {"#bigint": str(plain)}
    return "none" if plain is None else plain
