"""A whole module: what it is of, its parts in order, and what it does as a script."""

from __future__ import annotations

import json
from textwrap import wrap

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.hash import program_hash
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.python import playout, prelude
from kemu_engine.run.python.functions import module_of
from kemu_engine.run.python.stepper import Steps, function
from kemu_engine.run.python.text import listed, quoted, rendered

IMPORTS = """from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from struct import Struct
from typing import NamedTuple
"""


def title(program: k.Program) -> str:
    """What is said at the top."""
    settings = ", ".join(f"{name}={value}" for name, value in program.settings)
    lines = [
        *wrap(f"{program.game}, for {' and '.join(program.players)}.", 100),
        "",
        *wrap(f"Options: {settings}.", 100, break_on_hyphens=False),
        *([""] if settings else []),
        "`play` plays a game at random. `start` and `follow` lead from stop to stop, by the functions named",
        "after the stops; `# file:line [statements]` says where in the rules their lines come from. Sets are",
        "masks: bit i for i; NAME_is[v] is the set of the places where NAME holds v.",
        "",
        f"Written by `kemu compile` from the program {program_hash(program)}.",
    ]
    return quoted("\n".join(lines if settings else [*lines[:2], *lines[3:]]))


def remembers(program: k.Program) -> bool:
    """Whether there is a history in its state."""
    return any(isinstance(var.type, k.History) for var in program.vars)


def fast(program: k.Program) -> str:
    """The text that plays random games."""
    module = module_of(optimize(program))
    play = rendered(playout.written(module))
    parts = [
        IMPORTS,
        prelude.FAULTS,
        prelude.MASKS,
        *([prelude.snapshots()] if remembers(program) else []),
        prelude.RANDOM,
        prelude.WATCH,
        "",
        "\n".join(module.definitions()),
        "",
        "",
        "\n".join(play),
    ]
    return "\n".join(parts) + "\n"


def stepping(program: k.Program) -> tuple[str, Steps]:
    """The text by which positions are made and read, and the functions to come."""
    steps = Steps(module_of(optimize(program)))
    return "\n".join([IMPORTS, prelude.MASKS, "", *rendered(steps.position())]) + "\n", steps


def whole(program: k.Program) -> str:
    """A module that plays games, from stop to stop or at random, and needs no other."""
    module = module_of(optimize(program))
    steps = Steps(module)
    functions: list[str] = []
    for head in sorted(steps.graph.heads):
        functions += ["", "", *rendered(function(steps, head))]
    play = rendered(playout.written(module))
    parts = [
        f'"""{title(program)}"""\n',
        prelude.SCRIPT_IMPORTS + IMPORTS,
        *data(program),
        prelude.FAULTS,
        prelude.MASKS,
        *([prelude.snapshots()] if remembers(program) else []),
        prelude.RANDOM,
        prelude.WATCH,
        prelude.STOPS,
        "",
        *module.definitions(),
        "",
        "",
        *rendered(steps.position()),
        *functions,
        "",
        "",
        *ways(steps),
        prelude.DRIVER,
        "",
        *play,
        prelude.SCRIPT,
    ]
    return "\n".join(parts)


def initial_text(var: k.Var) -> str:
    """The initial value of a variable."""
    if isinstance(var.initial, Snapshots):
        return "EMPTY"
    return str(tuple(map(int, var.initial)) if isinstance(var.initial, tuple) else int(var.initial))


def ways(steps: Steps) -> list[str]:
    """The initial values, the stops, and where their choices lead."""
    program = steps.module.program
    stops = [at for at, block in enumerate(program.blocks) if block.name]
    initial = [f"{initial_text(var)}," for var in program.vars]
    return [
        *rendered(listed("INITIAL = (", initial, ")")),
        "LIVE = {",
        *(f"    {at}: {steps.live(at)}," for at in stops),
        "}",
        "WAYS = {",
        *(f"    {way}: ({name}, {names})," for way, (name, names) in steps.ways().items()),
        "}",
        "",
    ]


def data(program: k.Program) -> list[str]:
    """The names of things, as data: players, faults, stops with their actions."""
    faults = {at: [fault.code, fault.message] for at, fault in enumerate(program.faults)}
    stops = {
        at: (block.name, [arm.name for arm in block.exit.arms] if isinstance(block.exit, k.Decide) else [])
        for at, block in enumerate(program.blocks)
        if block.name
    }
    return [
        f"GAME = {json.dumps(program.game)}",
        f"PLAYERS = {json.dumps(list(program.players))}",
        f"WIDTH = {program.width}",
        "FAULTS = {",
        *(f"    {at}: {json.dumps(each)}," for at, each in faults.items()),
        '    -1: ["silent_loop", "the rules run in a circle and never stop"],',
        "}",
        "STOPS = {",
        *(f"    {at}: {json.dumps([name, *arms])}," for at, (name, arms) in stops.items()),
        "}",
        "",
    ]
