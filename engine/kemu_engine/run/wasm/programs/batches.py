"""A module that plays many games side by side, a step of each at a call.

It exports `begin(games)`, which begins the games of the call before that are over (all of them, the first
time) and `step(games)`, which takes the action of each that is not over. After both every game stands at a
decision or is over: chance draws by itself, as docs/kernel.md says, from the words of the game's number.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue, Range
from kemu_engine.kernel.limits import IN_A_ROW
from kemu_engine.kernel.rng import CHANCE, GOLDEN
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.wasm.asm.binary import Function
from kemu_engine.run.wasm.emit.functions import unit_of
from kemu_engine.run.wasm.emit.layout import Slot
from kemu_engine.run.wasm.emit.rng import FIRST, SECOND
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.programs.bfs import copied, kind, places
from kemu_engine.run.wasm.programs.hash_table import add
from kemu_engine.run.wasm.programs.steps import Stepping, stepping
from kemu_engine.support.stack import deep

PLAYING, OVER, FAULT, CUT = range(4)
"""How a game stands: somebody is to decide; it is over; the rules broke down; chance or the rules go on and
on without a decision."""

MIX = """
(func (param $z i64) (result i64)
    (set $z (i64.mul (i64.xor $z (i64.shr_u $z 30)) FIRST))
    (set $z (i64.mul (i64.xor $z (i64.shr_u $z 27)) SECOND))
    (i64.xor $z (i64.shr_u $z 31)))
"""

ABSORB = """
(func (param $key $part i64) (result i64) (call mix (i64.add (i64.xor $key $part) GOLDEN)))
"""

HALF = """
(func (param $game i32) (result i64)  ;; the upper half of the next word of the game's stream
    (i64.store $game (i64.add (i64.load $game +STREAM) GOLDEN) +STREAM)
    (i64.shr_u (call mix (i64.load $game +STREAM)) 32))
"""

BELOW = """
(func (param $game i32) (param $limit i64) (result i64)  ;; a number of the game's stream below the limit
    (local $number i64)
    (if (i64.le_u $limit 0x100000000) (then
        (loop $again
            (set $number (i64.mul (call half $game) $limit))
            (br_if $again (i64.lt_u (i64.and $number 0xFFFFFFFF) (i64.rem_u 0x100000000 $limit))))
        (return (i64.shr_u $number 32))))
    (loop $again
        (set $number (i64.or (i64.shl (call half $game) 32) (call half $game)))
        (br_if $again (i64.lt_u $number (i64.rem_u (i64.sub 0 $limit) $limit))))
    (i64.rem_u $number $limit))
"""

OUTCOME = """
(func (param $game i32) (result i32)  ;; the address of the move that chance makes
    (local $at $end i32) (local $total $drawn i64)
    (set $at WEIGHTS)
    (set $end (i32.add WEIGHTS (i32.mul (global.get MOVES) 8)))
    (loop $sum
        (set $total (i64.add $total (i64.load $at)))
        (set $at (i32.add $at 8))
        (br_if $sum (i32.lt_u $at $end)))
    (set $drawn (call below $game $total))
    (set $at WEIGHTS)
    (block $found (loop $next
        (br_if $found (i64.lt_u $drawn (i64.load $at)))
        (set $drawn (i64.sub $drawn (i64.load $at)))
        (set $at (i32.add $at 8))
        (br $next)))
    (i32.add LIST (i32.mul (i32.div_u (i32.sub $at WEIGHTS) 8) MOVE)))
"""

ARRIVE = """
(func (param $game $number $to i32)  ;; where a game has come to, chance included, and what can be done there
    (local $laps $at $end $mask i32)
    (set $mask (i32.add LEGAL (i32.mul $number ACTIONS)))
    (memory.fill $mask 0 ACTIONS)
    (i32.store (i32.shl $number 2) 0 +COUNTS)
    (i32.store (i32.shl $number 2) -1 +ACTORS)
    (block $bad (loop $chance
        (br_if $bad (i32.lt_s $to 0))
        (if (i32.eq (i32.load8_u $to +KINDS) 1) (then
            (set $laps (i32.add $laps 1))
            (if (i32.gt_u $laps IN_A_ROW) (then
                (set $to LOST)
                (br $bad)))
            (set $at (call outcome $game))
            (set $to (call step (i32.load $at) $at 1))
            (br $chance)))
        {save}
        (i32.store (i32.shl $number 2) $to +STOPS)
        (if (i32.eq (i32.load8_u $to +KINDS) 2) (then
            (i32.store (i32.shl $number 2) OVER +STATUS)
            (call result $number)
            (return)))
        (i32.store (i32.shl $number 2) (i32.load ACTOR) +ACTORS)
        (i32.store (i32.shl $number 2) (global.get MOVES) +COUNTS)
        (set $at LIST)
        (set $end (i32.add $at (i32.mul (global.get MOVES) MOVE)))
        (loop $next
            (i32.store8 (i32.add $mask (call numbered $at)) 1)
            (set $at (i32.add $at MOVE))
            (br_if $next (i32.lt_u $at $end)))
        (return)))
    (i32.store (i32.shl $number 2) (i32.sub -1 $to) +STOPS)
    (if (i32.eq $to LOST)
        (then (i32.store (i32.shl $number 2) CUT +STATUS))
        (else (i32.store (i32.shl $number 2) FAULT +STATUS))))
"""

NUMBERED = """
(func (param $move i32) (result i32)  ;; the number of an action in the list
    (local $way $at i32)
    (set $way (i32.add WAYS (i32.mul (i32.sub (i32.load $move) FIRST_WAY) WAY)))
    {values}
    (i32.add $at (i32.load $way)))
"""
VALUE = """
    (set $at (i32.add $at (i32.mul (i32.load $way +{step}) (i32.load $move +{value}))))"""

MOVE_OF = """
(func (param $stop $action i32)  ;; makes the move that an action of a number is at a stop
    (local $way i32)
    (set $way (i32.load (i32.shl $stop 2) +WAYS_OF))
    (loop $next
        (if (i32.ge_u (i32.sub $action (i32.load $way)) (i32.load $way +4)) (then
            (set $way (i32.add $way WAY))
            (br $next))))
    (set $action (i32.sub $action (i32.load $way)))
    (i32.store MADE (i32.add (i32.div_u (i32.sub $way WAYS) WAY) FIRST_WAY))
    {values})
"""
VALUE_OF = """
    (i32.store MADE (i32.rem_u $action (i32.load $way +{size})) +{value})
    (set $action (i32.div_u $action (i32.load $way +{size})))"""

BEGIN = """
(func begin (param $games i32) (param $seed $next i64) (result i64)  ;; the number of the game to come next
    (local $number $game i32)
    (set $game GAMES)
    (block $done (loop $again
        (br_if $done (i32.eq $number $games))
        (if (i32.load (i32.shl $number 2) +STATUS) (then
            (i32.store (i32.shl $number 2) PLAYING +STATUS)
            (i64.store (i32.shl $number 3) $next +NUMBERS)
            (i64.store $game (call absorb (call absorb (call absorb 0 $seed) $next) CHANCE) +STREAM)
            (set $next (i64.add $next 1))
            (memory.copy START INITIAL STATE)
            (call arrive $game $number (call step ENTRY 0 1))))
        (set $number (i32.add $number 1))
        (set $game (i32.add $game GAME))
        (br $again)))
    $next)
"""

STEP = """
(func step (param $games i32) (result i32)  ;; below 0: done; else a game whose action is not legal
    (local $number $game $action i32)
    (block $legal (loop $again
        (br_if $legal (i32.eq $number $games))
        (if (i32.eqz (i32.load (i32.shl $number 2) +STATUS)) (then
            (set $action (i32.load (i32.shl $number 2) +CHOSEN))
            (if (i32.ge_u $action ACTIONS) (then (return $number)))
            (if (i32.eqz (i32.load8_u (i32.add $action (i32.mul $number ACTIONS)) +LEGAL)) (then
                (return $number)))))
        (set $number (i32.add $number 1))
        (br $again)))
    (set $number 0)
    (set $game GAMES)
    (block $done (loop $again
        (br_if $done (i32.eq $number $games))
        (if (i32.eqz (i32.load (i32.shl $number 2) +STATUS)) (then
            {restore}
            (call move_of (i32.load (i32.shl $number 2) +STOPS) (i32.load (i32.shl $number 2) +CHOSEN))
            (call arrive $game $number (call from_stop (i32.load MADE) MADE 1))))
        (set $number (i32.add $number 1))
        (set $game (i32.add $game GAME))
        (br $again)))
    -1)
"""


@dataclass(frozen=True, slots=True)
class Batching:
    """A module, and where its arrays are, with an element or a row for each game: `chosen` actions, `status`,
    `stops` (of a game that broke down the fault), `actors` (-1 where nobody is to decide), `counts` of legal
    actions, of 4 bytes; `numbers` of games, of 8; `legal`, a byte for each action; `keys` of results, of 8
    bytes. Of a game's own record of `size` bytes at `games` the variables are the first part: `slots` says
    where, if memory of one game began at `start`."""

    binary: bytes
    stops: list[int]
    chosen: int
    status: int
    actors: int
    stop: int
    counts: int
    numbers: int
    legal: int
    keys: int
    games: int
    size: int
    start: int
    slots: list[Slot]


def batching(program: k.Program, games: int) -> Batching:
    """The module for so many games. Raises NotCovered."""
    catalogue = Catalogue(program)
    with deep():
        unit = unit_of(optimize(program))
        steps = stepping(unit)
    memory, size = unit.memory, unit.position.size
    keys = program.vars[program.result].length or 0
    first_of = {stop: at for at, (stop, _) in reversed(list(enumerate(steps.ways)))}
    numbering = numbered_by(unit, steps, catalogue)
    table, way = numbering["WAYS"], numbering["WAY"]
    starts = [table + way * first_of.get(stop, 0) for stop in steps.stops]
    chosen, status, actors, stop, counts = (memory.take(4 * games) for _ in range(5))
    made = Batching(
        b"", steps.stops, chosen, status, actors, stop, counts, memory.take(8 * games),
        memory.take(games * catalogue.size), memory.take(8 * keys * games), memory.take(games * (size + 16)),
        size + 16, unit.start, unit.slots,
    )  # fmt: skip
    numbers = {
        **places(unit, steps), **numbering,
        "FIRST": FIRST, "SECOND": SECOND, "GOLDEN": GOLDEN, "CHANCE": CHANCE, "IN_A_ROW": IN_A_ROW,
        "PLAYING": PLAYING, "OVER": OVER, "FAULT": FAULT, "CUT": CUT, "LOST": -1 - len(program.faults),
        "KINDS": memory.static(bytes(kind(program.blocks[at].exit) for at in steps.stops)),
        "WEIGHTS": steps.weights, "ACTOR": unit.actor, "ACTIONS": catalogue.size,
        "WAYS_OF": memory.static(b"".join(at.to_bytes(4, "little") for at in starts)),
        "MADE": memory.take(steps.size), "CHOSEN": chosen, "STATUS": status, "ACTORS": actors, "STOPS": stop,
        "COUNTS": counts, "NUMBERS": made.numbers, "LEGAL": made.legal, "GAMES": made.games,
        "GAME": made.size, "STREAM": size,
    }  # fmt: skip
    functions = {"step": (steps.function, unit.binary.functions[steps.function])}
    functions["from_stop"] = functions["step"]
    functions["result"] = result_into(unit, made.keys, 8 * keys)
    params = range(steps.size // 4 - 1)
    back = "".join(VALUE_OF.format(size=8 + 4 * at, value=4 + 4 * at) for at in reversed(params))
    for name, text in (
        ("mix", MIX),
        ("absorb", ABSORB),
        ("half", HALF),
        ("below", BELOW),
        ("outcome", OUTCOME),
        ("numbered", numbered(steps)),
        ("move_of", MOVE_OF.replace("{values}", back)),
        ("arrive", ARRIVE.replace("{save}", copied("$game", "START", size))),
        ("begin", BEGIN),
        ("all", STEP.replace("{restore}", copied("START", "$game", size))),
    ):
        add(unit, functions, name, text, numbers)
    unit.binary.data = memory.data
    unit.binary.size = memory.top
    return Batching(unit.binary.bytes(), *(getattr(made, name) for name in list(Batching.__slots__)[1:]))


def numbered(steps: Stepping) -> str:
    """The function that numbers actions as a catalogue does: with the numbers of `numbered_by`."""
    params = range(steps.size // 4 - 1)
    each = "".join(VALUE.format(step=8 + 4 * (len(params) + at), value=4 + 4 * at) for at in params)
    return NUMBERED.replace("{values}", each)


def numbered_by(unit: Unit, steps: Stepping, catalogue: Catalogue) -> dict[str, int]:
    """The table of arms that it uses: where it is, bytes of a row, the case of the first arm."""
    way, ways = _ways(steps, catalogue)
    return {"WAYS": unit.memory.static(ways), "WAY": way, "FIRST_WAY": steps.first + len(steps.stops)}


def _ways(steps: Stepping, catalogue: Catalogue) -> tuple[int, bytes]:
    """Of each arm of a stop, in so many bytes: the number of its first action, how many numbers they have;
    for each parameter the size of its domain, and how far apart the numbers of its values are (1 and 0 if the
    arm does not have it)."""
    params = steps.size // 4 - 1
    out = b""
    for stop, arm in steps.ways:
        range_ = catalogue.of_arm.get((stop, arm), Range(0, "", (), ()))
        sizes = range_.sizes
        apart = [prod(sizes[at + 1 :]) for at in range(len(sizes))]
        lacking = params - len(sizes)
        row = [range_.first, range_.size, *sizes, *[1] * lacking, *apart, *[0] * lacking]
        out += b"".join(each.to_bytes(4, "little") for each in row)
    return 8 * (1 + params), out


def result_into(unit: Unit, keys: int, size: int) -> tuple[int, Function]:
    """Writes the function that copies the keys of the result, widened, to those of a game of a number."""
    f = Function(("i32",), ())
    slot = unit.slots[unit.program.result]
    load = {"i32.load8_u": "i64.load8_u"}.get(slot.cell.load, slot.cell.load)
    f.get(0)
    f.i32(size)
    f.op("i32.mul")
    f.set(0)
    for at in range(size // 8):
        f.get(0)
        f.i32(0)
        f.access(load, slot.at + at * slot.cell.size)
        f.access("i64.store", keys + 8 * at)
    unit.binary.functions.append(f)
    return len(unit.binary.functions) - 1, f
