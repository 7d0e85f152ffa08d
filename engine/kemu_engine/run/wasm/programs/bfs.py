"""A module that looks at all states of a game, breadth first.

It exports `begin()`, which finds the first state, and `expand(until, most, record)`, which finds the
successors of all states below number `until` that it has not expanded yet, and if wanted records which these
are; it stops when there are `most` states. `ask0(from, until)` and so on look for conditions
(emit/predicates.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.pipeline import optimize
from kemu_engine.run.wasm.emit.functions import unit_of
from kemu_engine.run.wasm.emit.predicates import ASK, Condition, holds
from kemu_engine.run.wasm.emit.unit import Unit
from kemu_engine.run.wasm.emit.values import UNROLLED
from kemu_engine.run.wasm.programs.bitpack import Packing, packing
from kemu_engine.run.wasm.programs.bitpack_code import packers
from kemu_engine.run.wasm.programs.hash_table import GLOBALS, add, table
from kemu_engine.run.wasm.programs.steps import MOVES, Stepping, stepping
from kemu_engine.support.stack import deep

AT, LEVEL_END, LEVELS = GLOBALS, GLOBALS + 1, GLOBALS + 2
"""Globals: the number of the state that is to be expanded next; that behind the last one that is as far from
the beginning; how many levels were begun at this call."""
RECORDED = 1 << 16
"""Edges, and states that they come from, for which there is room at one call; more if one state has more."""
KINDS = ("decisions", "chances", "ends")

EXPAND = """
(func (param $until $most $record i32) (result i32)  ;; 0: done, 1: no room, 2: for records, 3: again
    (local $stop $moves $move $end $to $edge $degree i32)
    (set $edge EDGES)
    (set $degree DEGREES)
    (if (call refill) (then (return 3)))
    (block $done (loop $next
        (br_if $done (i32.ge_u (global.get AT) $until))
        (br_if $done (i32.eq (global.get AT) (global.get COUNT)))
        (br_if $done (i32.ge_u (global.get COUNT) $most))
        (if (i32.eq (global.get AT) (global.get LEVEL_END)) (then
            (if (i32.eq (global.get LEVELS) RECORDED) (then (return 2)))
            (global.set LEVEL_END (global.get COUNT))
            (i32.store (i32.shl (global.get LEVELS) 2) (global.get COUNT) +NEW_LEVELS)
            (global.set LEVELS (i32.add (global.get LEVELS) 1))))
        (set $stop (call unpack (i32.add (global.get STATES) (i32.mul (global.get AT) STRIDE))))
        (drop (call step (i32.add $stop FIRST_CASE) 0 1))
        (set $moves (global.get MOVES))
        (set $to (call room $moves))
        (if $to (then (return $to)))
        (if $record (then
            (if (i32.gt_u (i32.add $edge (i32.mul $moves 4)) EDGES_END) (then (return 2)))
            (if (i32.eq $degree DEGREES_END) (then (return 2)))
            (i32.store $degree $moves)
            (set $degree (i32.add $degree 4))))
        (call first_at (i32.add STOP_AT (i32.mul $stop 4)))
        (set $stop (i32.load8_u $stop +KINDS))
        (call more (i32.add TALLY (i32.mul $stop 8)) 1)
        (call more (i32.add EDGES_OF (i32.mul $stop 8)) (i64.extend_i32_u $moves))
        (if (i64.lt_u (i64.load WIDEST) (i64.extend_i32_u $moves)) (then
            (i64.store WIDEST (i64.extend_i32_u $moves))))
        (set $move LIST)
        (set $end (i32.add $move (i32.mul $moves MOVE)))
        {clear}
        {save}
        (block $all (loop $again
            (br_if $all (i32.eq $move $end))
            (call first_at (i32.add CASE_AT (i32.mul (i32.load $move) 4)))
            (set $to (call step (i32.load $move) $move 0))
            (call note (global.get AT) (i32.div_u (i32.sub $move LIST) MOVE))
            (if (i32.lt_s $to 0)
                (then (call more (i32.sub FAULTS (i32.mul (i32.add $to 1) 8)) 1))
                (else (call pack $to) (set $to (call find))))
            (if $record (then
                (i32.store $edge $to)
                (set $edge (i32.add $edge 4))))
            (set $move (i32.add $move MOVE))
            {restore}
            (br $again)))
        (global.set AT (i32.add (global.get AT) 1))
        (br $next)))
    0)
"""

CALL = """
(func expand (param $until $most $record i32) (result i32) (local $how i32)
    (global.set LEVELS 0)
    (set $how (call run $until $most $record))
    (i64.store NUMBERS (i64.extend_i32_u (global.get AT)))
    (i64.store NUMBERS (i64.extend_i32_u (global.get COUNT)) +8)
    (i64.store NUMBERS (i64.extend_i32_u (global.get LEVELS)) +16)
    (i64.store NUMBERS (i64.extend_i32_u (global.get STATES)) +24)
    $how)
"""

FIRST_AT = """
(func (param $at i32)  ;; keeps one more than the number of the state, if there was none
    (if (i32.eqz (i32.load $at)) (then (i32.store $at (i32.add (global.get AT) 1)))))
"""

NOTE = """
(func (param $state $move i32) (local $new i64)  ;; keeps the step at which an element was noted first
    {words})
"""
NOTE_WORD = """
    (set $new (i64.and (i64.load NOTED +{at}) (i64.xor (i64.load MET +{at}) -1)))
    (if (i64.ne $new 0) (then
        (i64.store MET (i64.or (i64.load MET +{at}) $new) +{at})
        (i32.store (i32.load NOTES) $state)
        (i32.store (i32.load NOTES) $move +4)
        (i32.store (i32.load NOTES) {at} +8)
        (i64.store (i32.load NOTES) $new +16)
        (i32.store NOTES (i32.add (i32.load NOTES) NOTE_SIZE))))"""
NOTE_SIZE = 24

MORE = """(func (param $at i32) (param $by i64) (i64.store $at (i64.add (i64.load $at) $by)))"""

BEGIN = """
(func begin (result i32)  ;; 0, or below 0 what went wrong, as `step` gives it; 1: no room
    (local $to i32)
    (memory.copy START INITIAL STATE)
    (set $to (call step ENTRY 0 0))
    (call note -1 -1)
    (if (i32.lt_s $to 0) (then (return $to)))
    (if (call room 1) (then (return 1)))
    (call pack $to)
    (call find))
"""


@dataclass(frozen=True, slots=True)
class Searching:
    """A module, how states are packed in it, and where it leaves what is found.

    `tally`: numbers of 8 bytes: states expanded, states, levels begun at this call, the address of the first
    state; states by KINDS, moves by KINDS, the most moves of a state; steps by their faults, and those that
    were too long. Of 4 bytes: `levels`, how many states there are up to the end of each level that was begun;
    `degrees`, how many moves each state has that was expanded at this call, and `edges`, where they lead: the
    number of a state, or below 0 what `step` gives; `stop_at`, `case_at`: of each stop and case of `steps`
    one more than the first state there, 0 if there is none. `notes`: the address behind what was noted; notes
    begin 8 bytes further: the state, the move (-1, -1: the beginning), how far from the beginning of the set,
    4 bytes of nothing, the 64 elements.
    """

    binary: bytes
    packing: Packing
    steps: Stepping
    tally: int
    levels: int
    edges: int
    degrees: int
    stop_at: int
    case_at: int
    notes: int


def searching(
    program: k.Program, most: int, conditions: Sequence[Condition] = (), aside: int = -1
) -> Searching:
    """The module, with memory of so many bytes at most. Elements of the set `aside`, a variable that is no
    part of states, are noted when a step first puts them there. Raises NotCovered."""
    with deep():
        unit = unit_of(optimize(program, [each.expr for each in conditions]))
        steps = stepping(unit)
        asks = [holds(unit, each, steps.stops) for each in unit.optimized.asked]
        form = packing(unit, steps.stops, aside)
        made = packers(unit, form)
    memory = unit.memory
    kinds = bytes(kind(program.blocks[at].exit) for at in steps.stops)
    numbers_at = memory.take(8 * (4 + 2 * len(KINDS) + 1 + len(program.faults) + 1))
    tally = numbers_at + 32
    levels = memory.take(4 * RECORDED)
    edges = memory.take(room := 4 * max(RECORDED, steps.most))
    degrees = memory.take(4 * RECORDED)
    stop_at = memory.take(4 * len(steps.stops))
    case_at = memory.take(4 * (steps.first + len(steps.stops) + len(steps.ways)))
    noted = unit.slots[aside] if aside >= 0 else None
    elements = 8 * noted.area.size if noted else 0
    notes = memory.take(8 + NOTE_SIZE * elements)
    memory.data.append((notes, (notes + 8).to_bytes(4, "little")))
    here = [memory.static(bytes(each.here(at) for at in steps.stops)) for each in conditions]
    numbers = {
        **places(unit, steps),
        "AT": AT,
        "LEVEL_END": LEVEL_END,
        "LEVELS": LEVELS,
        "RECORDED": RECORDED,
        "NUMBERS": numbers_at,
        "NEW_LEVELS": levels,
        "KINDS": memory.static(kinds),
        "TALLY": tally,
        "EDGES_OF": tally + 8 * len(KINDS),
        "WIDEST": tally + 16 * len(KINDS),
        "FAULTS": tally + 16 * len(KINDS) + 8,
        "EDGES": edges,
        "EDGES_END": edges + room,
        "DEGREES": degrees,
        "DEGREES_END": degrees + 4 * RECORDED,
        "SAVED": memory.take(unit.position.size),
        "STOP_AT": stop_at,
        "CASE_AT": case_at,
        "NOTED": noted.at if noted else 0,
        "MET": memory.take(elements // 8),
        "NOTES": notes,
        "NOTE_SIZE": NOTE_SIZE,
    }
    of_table, functions = table(unit, made.key, form.size, 0)
    numbers |= of_table
    unit.binary.globals += [0, 0, 0]
    for name, number in (("step", steps.function), ("pack", made.pack), ("unpack", made.unpack)):
        functions[name] = number, unit.binary.functions[number]
    add(unit, functions, "more", MORE, numbers)
    size = unit.position.size
    pieces = range(0, noted.area.size if noted else 0, 8)
    note = NOTE.replace("{words}", "".join(NOTE_WORD.format(at=at) for at in pieces))
    text = EXPAND.replace("{save}", copied("SAVED", "START", size))
    text = text.replace("{restore}", copied("START", "SAVED", size))
    text = text.replace("{clear}", "".join(f"(i64.store NOTED 0 +{at})" for at in pieces))
    add(unit, functions, "first_at", FIRST_AT, numbers)
    add(unit, functions, "note", note, numbers)
    add(unit, functions, "begin", BEGIN, numbers)
    add(unit, functions, "run", text, numbers)
    add(unit, functions, "expand", CALL, numbers)
    for number, (condition, function) in enumerate(zip(conditions, asks, strict=True)):
        own = {**numbers, "HERE": here[number], "WANTED": int(condition.wanted)}
        text = ASK.replace("NAME", f"ask{number}")
        add(unit, {**functions, "holds": function}, "", text, own)
    unit.binary.data = memory.data
    unit.binary.most = most
    return Searching(
        unit.binary.bytes(), form, steps, numbers_at, levels, edges, degrees, stop_at, case_at, notes
    )


def places(unit: Unit, steps: Stepping) -> dict[str, int]:
    """The numbers that texts about steps use."""
    return {
        "MOVES": MOVES,
        "START": unit.position.at,
        "INITIAL": unit.initial,
        "STATE": unit.state_size,
        "ENTRY": steps.entry,
        "FIRST_CASE": steps.first,
        "LIST": steps.moves,
        "MOVE": steps.size,
    }


def copied(to: str, source: str, size: int) -> str:
    """The text that copies so many bytes."""
    if size > UNROLLED:
        return f"(memory.copy {to} {source} {size})"
    return "".join(f"(i64.store {to} (i64.load {source} +{at}) +{at})" for at in range(0, size, 8))


def kind(exit: k.Exit) -> int:
    return 0 if isinstance(exit, k.Decide) else 1 if isinstance(exit, k.Chance) else 2
