"""A module that searches a tree of moves by random games (Monte-Carlo tree search).

UCT (L. Kocsis, C. Szepesvari, Bandit based Monte-Carlo planning, 2006): in a node that has been expanded the
child whose mean, and what is uncertain of it, promise most to the player who acts there; chance by its
weights; on from the leaf at random; what each player gets is added up on the way, so that for more than two
it is max^n (N. Sturtevant, 2008). A child that nobody has looked at promises what its action brought
elsewhere (averages.py) and a little more (first-play urgency: S. Gelly, Y. Wang, Exploration exploitation in
Go, 2006): where there are many, not all must be tried before one is looked into.
Of two players of whom one gets what the other does not, bounds that are proved are carried up: MCTS-Solver
(M. Winands, Y. Bjornsson, J.-T. Saito, 2008), for draws and chance as T. Cazenave and A. Saffidine, Score
bounded Monte-Carlo tree search, 2010.

It exports `begin(stop)`, which begins a tree from the position in memory, and `search(games, longest)`, which
plays so many games; and `played(stop, longest)`, one random game
from there. What follows a position is kept once, whichever way leads there (transpositions.py). Where things
are `Treeing` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from struct import pack

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.rng import GOLDEN
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.wasm.emit.functions import unit_of
from kemu_engine.run.wasm.emit.layout import Area, Log, Slot, words
from kemu_engine.run.wasm.emit.rng import FIRST, SECOND
from kemu_engine.run.wasm.programs import gains
from kemu_engine.run.wasm.programs import mcts_code as code
from kemu_engine.run.wasm.programs import transpositions as equal
from kemu_engine.run.wasm.programs.averages import ELSEWHERE, ENTRY, LEARN, LEARN_LISTED, averages
from kemu_engine.run.wasm.programs.batches import BELOW, HALF, MIX, numbered, numbered_by, result_into
from kemu_engine.run.wasm.programs.bfs import copied, kind, places
from kemu_engine.run.wasm.programs.hash_table import FITS, add
from kemu_engine.run.wasm.programs.rollout import rollout
from kemu_engine.run.wasm.programs.steps import Stepping, stepping
from kemu_engine.support.stack import deep

LOGARITHMS = 1024
DEEPEST = 4095
HOT = 8
KIDS, KIDS_N, VISITS, STOP, STATE, ACTOR, SUM, LOW, HIGH, MOVE_AT = 0, 4, 8, 12, 16, 20, 24, 32, 40, 48
"""Where things are in what is known of a node."""
URGENCY, NOISE = 0.25, 0.001
"""Of a child that nobody has looked at: what is added to what its action brought elsewhere, and how uncertain
that is (as after 16 visits); how much of it is chance, so that equals come in any order."""


@dataclass(frozen=True, slots=True)
class Treeing:
    """A module, and where things are in it: the `position` of the root, with its live locals (`held`) and its
    stop's number, which is its place in `steps.stops`; three `streams` of random numbers (chance, players,
    choices in the tree), of 8 bytes each; `wide`, how much is explored (8 bytes with a point), `scale` (what
    is taken off payoffs, and the factor), `patience` (visits before a node is expanded), `solving`, `full`
    (of 4 bytes); the `root`, as mcts_code.py has it, and bytes of what is known of a node (`cold`); what each
    player got in the last game (`gain`, 8 bytes each).
    `zero_sum`: of two players one gets what the other does not."""

    binary: bytes
    steps: Stepping
    slots: list[Slot]
    logs: dict[int, Log]
    position: Area
    held: int
    streams: int
    wide: int
    scale: int
    patience: int
    solving: int
    full: int
    root: int
    gain: int
    cold: int
    zero_sum: bool


def pays(program: k.Program, exit: k.Exit) -> bool:
    """Whether what players get at an end is what their first keys say, not who is before whom."""
    return isinstance(exit, k.End) and (exit.form == "pays" or len(program.players) == 1)


_recent: list[tuple[k.Program, int, Treeing]] = []
"""The last ones made: each bot of a match wants one."""
KEPT = 4


def treeing(program: k.Program, most: int) -> Treeing:
    """The module, with memory of so many bytes at most. Raises NotCovered."""
    for source, memory, made in _recent:
        if source is program and memory == most:
            return made
    made = _made(program, most)
    _recent[:] = [(program, most, made), *_recent[: KEPT - 1]]
    return made


def _made(program: k.Program, most: int) -> Treeing:
    with deep():
        unit = unit_of(optimize(program), histories=True)
        steps = stepping(unit)
        streams = unit.memory.take(24)
        means = averages(program, unit.memory)
        play = rollout(unit, steps.stops, streams, means)
    memory, size, players = unit.memory, unit.position.size, len(program.players)
    exits = [program.blocks[at].exit for at in steps.stops]
    keys = program.vars[program.result].length or 0
    cold = MOVE_AT + -(-steps.size // 8) * 8
    key, scale, wide = memory.take(8 * keys), memory.take(16), memory.take(8)
    root, path, few = memory.take(cold), memory.take(16 * (DEEPEST + 1)), memory.take(16)
    logs = b"".join(pack("<d", round(log(n) * (1 << 30)) / (1 << 30)) for n in range(1, LOGARITHMS))
    numbers = {
        **places(unit, steps), **numbered_by(unit, steps, means.catalogue), **means.numbers(),
        "FIRST": FIRST, "SECOND": SECOND, "GOLDEN": GOLDEN, "STREAM": 0, "CHOICES": streams + 16,
        "KINDS": memory.static(bytes(kind(exit) for exit in exits)), "END": 2,
        "PAYS": memory.static(bytes(pays(program, exit) for exit in exits)),
        "WEIGHTS": steps.weights, "WHO": unit.actor, "SIZE": size,
        "LOGS": memory.static(bytes(8) + logs), "LOGARITHMS": LOGARITHMS,
        "KEYS": key, "ROW": 8 * program.width, "PLAYERS": players, "OTHERS": players - 1,
        "TWICE_OTHERS": max(1, 2 * (players - 1)), "OTHERS_REAL": max(1, players - 1),
        "DISTANCE": memory.take(16), "SCALE": scale,
        "GAIN": memory.take(8 * max(2, players)),
        "GAINS": 8 * players, "WIDE": wide,
        "PATIENCE": few, "SOLVING": few + 4, "FULL": few + 8, "TOP": few + 12,
        "DEEPEST": DEEPEST, "PATH": path, "PATH_COLD": path + 4, "PATH_OWNER": path + 8,
        "PATH_ENTRY": path + 12,
        "ROOT": root, "ROOT_HOT": memory.take(HOT), "MOST": most,
        "HOT": HOT, "COLD": cold, "HOT_COLD": HOT + cold,
    }  # fmt: skip
    live = [sum(words(program.locals[each].type) for each in program.blocks[at].live) for at in steps.stops]
    numbers |= {
        "START_END": unit.position.at + size, "HELD": unit.held, "HELD_SIZE": unit.stop - unit.held,
        "LIVE": memory.static(b"".join(each.to_bytes(4, "little") for each in live)),
        **equal.numbers(memory.take(24)),
    }  # fmt: skip
    numbers["BASE"] = memory.take(16)
    texts = {"URGENCY": str(URGENCY), "NOISE": str(NOISE)}
    own = {
        "KIDS": KIDS, "KIDS_N": KIDS_N, "VISITS": VISITS, "STOP": STOP, "STATE": STATE, "ACTOR": ACTOR,
        "SUM": SUM, "LOW": LOW, "HIGH": HIGH, "MOVE_AT": MOVE_AT,
    }  # fmt: skip
    functions = {"step": (steps.function, unit.binary.functions[steps.function])}
    functions["rollout"] = play, unit.binary.functions[play]
    functions["result"] = result_into(unit, key, 8 * keys)
    copy = "".join(
        f"(i32.store $cold (i32.load $from +{at}) +{MOVE_AT + at})" for at in range(0, steps.size, 4)
    )
    for name, text in (
        ("mix", MIX), ("half", HALF), ("below", BELOW), ("fits", FITS), ("ln", code.LN),
        ("numbered", numbered(steps)), ("entry", ENTRY), ("elsewhere", ELSEWHERE), ("learn", LEARN),
        ("learn_listed", LEARN_LISTED), ("alloc", code.ALLOC), ("noise", code.NOISE), ("best", code.BEST),
        ("likely", code.LIKELY), *equal.TEXTS.items(),
        (
            "expand",
            code.EXPAND.replace("{save}", copied("$at", "START", size))
            .replace("{copy}", copy)
            .replace("{kept}", "(i32.eq $node ROOT)" if unit.logs else "1")
            .replace("{linked}", "" if unit.logs else code.LINK),
        ),
        *gains.TEXTS.items(), ("settled", code.SETTLED), ("bounded", code.BOUNDED), ("prove", code.PROVE),
        ("backup", code.BACKUP),
        ("come_to", code.COME_TO.replace("{restore}", copied("START", "$at", size))),
        ("simulate", code.SIMULATE), ("", code.PLAYED), ("", code.SEARCH), ("", code.BEGIN),
    ):  # fmt: skip
        for each, value in texts.items():
            text = text.replace(each, value)
        add(unit, functions, name, text, numbers | own)
    unit.binary.data, unit.binary.size, unit.binary.most = memory.data, memory.top, most
    forms = [exit for exit in exits if isinstance(exit, k.End)]
    zero_sum = players == 2 and not any(pays(program, exit) for exit in forms)
    return Treeing(
        unit.binary.bytes(), steps, unit.slots, unit.logs, unit.position, unit.held, streams, wide, scale,
        few, few + 4, few + 8, root, numbers["GAIN"], cold, zero_sum,
    )  # fmt: skip
