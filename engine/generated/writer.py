"""A whole module: what it is of, its parts in order, and what it does as a script."""

from __future__ import annotations

import json

from engine import kernel as k
from engine.digest import program_hash
from engine.generated import fused, prelude
from engine.generated.module import Module
from engine.generated.steps import Steps
from engine.generated.text import rendered

IMPORTS = """from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from struct import Struct
from typing import NamedTuple
"""


def title(program: k.Program) -> str:
    """The lines at the top."""
    settings = ", ".join(f"{name} = {value}" for name, value in program.settings)
    lines = [
        f"{program.game}, for {' and '.join(program.players)}{f' ({settings})' if settings else ''}.",
        "",
        f"Written by `kemu compile` from the program {program_hash(program)}.",
    ]
    return "\n".join(lines).replace("\\", "\\\\").replace('"', "'")


def fast(program: k.Program) -> str:
    """The text that plays random games."""
    module = Module(program)
    play = rendered(fused.written(module))
    parts = [
        IMPORTS,
        prelude.FAULTS,
        prelude.MASKS,
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
    steps = Steps(Module(program))
    return "\n".join([IMPORTS, prelude.MASKS, "", *rendered(steps.position())]) + "\n", steps


def whole(program: k.Program) -> str:
    """A module that plays games, from stop to stop or at random, and needs no other."""
    module = Module(program)
    steps = Steps(module)
    functions: list[str] = []
    for head in sorted(steps.graph.heads):
        functions += ["", "", *rendered(steps.function(head))]
    play = rendered(fused.written(module))
    parts = [
        f'"""{title(program)}"""\n',
        prelude.SCRIPT_IMPORTS + IMPORTS,
        *data(program),
        prelude.FAULTS,
        prelude.MASKS,
        prelude.RANDOM,
        prelude.WATCH,
        prelude.STOPS,
        "\n".join(module.definitions()),
        "\n",
        "\n".join(rendered(steps.position())),
        "\n".join(functions),
        "\n",
        "\n".join(play),
        prelude.SCRIPT,
    ]
    return "\n".join(parts)


def data(program: k.Program) -> list[str]:
    """The names of things, as data: players, faults, ends."""
    faults = {at: [fault.code, fault.message] for at, fault in enumerate(program.faults)}
    return [
        f"GAME = {json.dumps(program.game)}",
        f"PLAYERS = {json.dumps(list(program.players))}",
        f"WIDTH = {program.width}",
        "FAULTS = {",
        *(f"    {at}: {json.dumps(each)}," for at, each in faults.items()),
        '    -1: ["silent_loop", "the rules run in a circle and never stop"],',
        "}",
        "",
    ]
