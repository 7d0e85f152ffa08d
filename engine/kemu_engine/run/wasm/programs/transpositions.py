"""Positions to which several ways lead: what follows one is kept once in the tree of a search.

A node that is expanded has a block (mcts_code.py). In front of it lies what is known of the position, whoever
leads there:

| HEAD | bytes |
| --- | --- |
| PASSED | 4: how many games have come through |
| LEVEL | 4: more than that of every position that leads there, so that no way goes round in circles |
| KIDS_OF, STATE_OF | 4, 4: how many children it has; where the position is kept |
| LEAST, MOST_OF | 8, 8: bounds, proved, of what it is worth to the first of two players |

A table finds the block of a position, if its level allows; it has slots of 8 bytes, of which at most half are
taken: a hash of the position, and its block. Positions are equal if all variables and the live locals of the
stop are: then what follows is equal, too, but where rules ask what has been; there nothing is shared.
(B. Childs, J. Brodeur, L. Kocsis, Transpositions and move groups in Monte Carlo tree search, 2008: UCT2.)
"""

from __future__ import annotations

HEAD = 32
PASSED, LEVEL, KIDS_OF, STATE_OF, LEAST, MOST_OF = 0, 4, 8, 12, 16, 24
FIRST_BITS = 8
"""The table has two to the power of this slots at first."""

TIDY = """
(func (param $stop i32)  ;; forgets what lies where locals are kept that are not alive at the stop
    (local $live i32)
    (set $live (i32.shl (i32.load (i32.shl $stop 2) +LIVE) 3))
    (memory.fill (i32.add HELD $live) 0 (i32.sub HELD_SIZE $live)))
"""

HASHED = """
(func (result i32) (local $h i64) (local $at i32)  ;; of the position in memory
    (set $at START)
    (loop $next
        (set $h (i64.mul (i64.xor $h (i64.load $at)) FIRST))
        (set $h (i64.xor $h (i64.shr_u $h 32)))
        (set $at (i32.add $at 8))
        (br_if $next (i32.lt_u $at START_END)))
    (i32.wrap_i64 (i64.shr_u (i64.mul $h SECOND) 32)))
"""

SAME = """
(func (param $state i32) (result i32) (local $at i32)  ;; whether the position kept there is the one in memory
    (set $at START)
    (loop $next
        (if (i64.ne (i64.load $at) (i64.load $state)) (then (return 0)))
        (set $at (i32.add $at 8))
        (set $state (i32.add $state 8))
        (br_if $next (i32.lt_u $at START_END)))
    1)
"""

SLOT_OF = """
(func (param $hash i32) (result i32)  ;; where the slot of the position in memory is; empty, if there is none
    (local $slot $at $kids i32)
    (set $slot (i32.shr_u $hash (i32.sub 32 (i32.load SLOT_BITS))))
    (loop $next
        (set $at (i32.add (i32.load SLOTS) (i32.shl $slot 3)))
        (set $kids (i32.load $at +4))
        (if (i32.eqz $kids) (then (return $at)))
        (if (i32.eq (i32.load $at) $hash) (then
            (if (call same (i32.load (i32.sub $kids HEAD) +STATE_OF)) (then (return $at)))))
        (set $slot (i32.and (i32.add $slot 1) (i32.sub (i32.shl 1 (i32.load SLOT_BITS)) 1)))
        (br $next))
    0)
"""

ROOMY = """
(func (result i32)  ;; whether there is room for one more in the table, which may grow
    (local $old $end $slot $at i32)
    (if (i32.eqz (i32.load SLOTS)) (then (return 0)))
    (if (i32.lt_u (i32.shl (i32.load TAKEN) 1) (i32.shl 1 (i32.load SLOT_BITS))) (then (return 1)))
    (set $old (i32.load SLOTS))
    (set $end (i32.add $old (i32.shl 8 (i32.load SLOT_BITS))))
    (set $at (call alloc (i32.shl 16 (i32.load SLOT_BITS))))
    (if (i32.eqz $at) (then (return 0)))
    (memory.fill $at 0 (i32.shl 16 (i32.load SLOT_BITS)))
    (i32.store SLOTS $at)
    (i32.store SLOT_BITS (i32.add (i32.load SLOT_BITS) 1))
    (loop $next
        (if (i32.load $old +4) (then
            (set $slot (i32.shr_u (i32.load $old) (i32.sub 32 (i32.load SLOT_BITS))))
            (block $free (loop $taken
                (set $at (i32.add (i32.load SLOTS) (i32.shl $slot 3)))
                (br_if $free (i32.eqz (i32.load $at +4)))
                (set $slot (i32.and (i32.add $slot 1) (i32.sub (i32.shl 1 (i32.load SLOT_BITS)) 1)))
                (br $taken)))
            (i64.store $at (i64.load $old))))
        (set $old (i32.add $old 8))
        (br_if $next (i32.lt_u $old $end)))
    1)
"""

LINKED = """
(func (param $node $to $level i32) (result i32)  ;; whether the node has got the block of an equal position
    (local $hash $slot $kids $head i32)
    (i32.store SLOT 0)
    (i32.store BOUND 0)
    (if (i32.eqz (call roomy)) (then (return 0)))
    (call tidy $to)
    (set $hash (call hashed))
    (set $slot (call slot_of $hash))
    (i32.store SLOT $slot)
    (set $kids (i32.load $slot +4))
    (if (i32.eqz $kids) (then
        (i32.store $slot $hash)
        (return 0)))
    (set $head (i32.sub $kids HEAD))
    (i32.store BOUND $head)
    (if (i32.lt_s (i32.load $head +LEVEL) $level) (then
        (if (f64.ne (f64.load $head +LEAST) (f64.load $head +MOST_OF)) (then (return 0)))))
    (i32.store $node $kids +KIDS)
    (i32.store $node (i32.load $head +KIDS_OF) +KIDS_N)
    (i32.store $node (i32.load $head +STATE_OF) +STATE)
    1)
"""

NOTED = """
(func (param $kids $level $state i32)  ;; a new block, as one of the position in memory
    (local $head $known i32)
    (set $head (i32.sub $kids HEAD))
    (i32.store $head $level +LEVEL)
    (i32.store $head $state +STATE_OF)
    (f64.store $head 0 +LEAST)
    (f64.store $head 1 +MOST_OF)
    (if (i32.load SLOT) (then
        (set $known (i32.load BOUND))
        (if $known
            (then
                (f64.store $head (f64.load $known +LEAST) +LEAST)
                (f64.store $head (f64.load $known +MOST_OF) +MOST_OF))
            (else (i32.store TAKEN (i32.add (i32.load TAKEN) 1))))
        (i32.store (i32.load SLOT) $kids +4))))
"""

EMPTY = """
(func  ;; a new table
    (i32.store SLOT_BITS TABLE_BITS)
    (i32.store TAKEN 0)
    (i32.store SLOTS (call alloc TABLE_SIZE))
    (if (i32.load SLOTS) (then (memory.fill (i32.load SLOTS) 0 TABLE_SIZE))))
"""

TEXTS = {
    "tidy": TIDY, "hashed": HASHED, "same": SAME, "slot_of": SLOT_OF, "roomy": ROOMY, "linked": LINKED,
    "noted": NOTED, "empty": EMPTY,
}  # fmt: skip


def numbers(at: int) -> dict[str, int]:
    """Those that the texts use; `at`: 20 bytes for what is known of the table."""
    return {
        "SLOTS": at, "SLOT_BITS": at + 4, "TAKEN": at + 8, "SLOT": at + 12, "BOUND": at + 16,
        "TABLE_BITS": FIRST_BITS, "TABLE_SIZE": 8 << FIRST_BITS, "HEAD": HEAD, "PASSED": PASSED,
        "LEVEL": LEVEL, "KIDS_OF": KIDS_OF, "STATE_OF": STATE_OF, "LEAST": LEAST, "MOST_OF": MOST_OF,
    }  # fmt: skip
