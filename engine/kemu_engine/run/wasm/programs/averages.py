"""What each action brought the player who chose it, on the average, in all games of a search.

Move-average sampling (H. Finnsson, Y. Bjornsson, Simulation-based approach to general game playing, 2008); an
action is its name and its arguments, wherever it is chosen. A random game leaves a list of its actions, the
table has an entry for each player and action:

| entry | bytes |
| --- | --- |
| AVERAGES | 8: in how many games it was chosen |
| LACKED | 8: what these lacked of a win, added up |
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import Catalogue
from kemu_engine.run.wasm.emit.layout import Memory

MOST = 1 << 14
"""Actions that are told apart: those whose numbers differ by a multiple of it are one to the table."""
LISTED = 1024
"""Actions of a random game that are listed: the first ones."""

ENTRY = """
(func (param $player $move i32) (result i32)  ;; the number of the entry of a move in the list
    (i32.add (i32.mul $player ACTIONS) (i32.and (call numbered $move) LAST_ACTION)))
"""

ELSEWHERE = """
(func (param $player $move i32) (result f64)  ;; what a move in the list brought in all games; a win in none
    (local $at i32)
    (set $at (i32.shl (call entry $player $move) 4))
    (f64.sub 1 (f64.div (f64.load $at +LACKED) (f64.max 1 (f64.load $at +AVERAGES)))))
"""

LEARN = """
(func (param $entry i32)  ;; one more game in which that was chosen
    (local $at i32)
    (set $at (i32.shl $entry 4))
    (f64.store $at (f64.add (f64.load $at +AVERAGES) 1) +AVERAGES)
    (f64.store $at (f64.add (f64.load $at +LACKED)
        (f64.sub 1 (f64.load (i32.shl (i32.shr_u $entry ACTION_BITS) 3) +GAIN))) +LACKED))
"""

LEARN_LISTED = """
(func  ;; one more game for all that was chosen in the random game
    (local $at $end i32)
    (set $at LISTED)
    (set $end (i32.load LISTED_TOP))
    (block $done (loop $next
        (br_if $done (i32.ge_u $at $end))
        (call learn (i32.load $at))
        (set $at (i32.add $at 4))
        (br $next))))
"""


@dataclass(frozen=True, slots=True)
class Averages:
    """Where they are: the `table`, with so many `actions` for each player (a power of two); the list of
    entries that a random game leaves, and `top`, where it is kept where that ends; `cut`: 1 there if it was
    cut off, of 4 bytes."""

    catalogue: Catalogue
    actions: int
    table: int
    size: int
    listed: int
    top: int
    cut: int

    @property
    def end(self) -> int:
        """Behind the room for the list."""
        return self.listed + 4 * LISTED

    def number(self, block: int, arm: int) -> tuple[int, list[int]]:
        """Of the actions of an arm: the number of the first one, and how far apart those are for the values
        of each parameter."""
        range_ = self.catalogue.of_arm[block, arm]
        return range_.first, [prod(range_.sizes[at + 1 :]) for at, _ in enumerate(range_.sizes)]

    def numbers(self) -> dict[str, int]:
        """Those that the texts use."""
        return {
            "ACTIONS": self.actions, "LAST_ACTION": self.actions - 1,
            "ACTION_BITS": self.actions.bit_length() - 1,
            "AVERAGES": self.table, "LACKED": self.table + 8, "AVERAGES_SIZE": self.size,
            "LISTED": self.listed, "LISTED_TOP": self.top, "CUT": self.cut,
        }  # fmt: skip


def averages(program: k.Program, memory: Memory) -> Averages:
    """Room for those of a program."""
    catalogue = Catalogue(program)
    actions = 1 << (min(catalogue.size, MOST) - 1).bit_length() if catalogue.size else 1
    size = 16 * actions * len(program.players)
    table, listed, ends = memory.take(size), memory.take(4 * LISTED), memory.take(16)
    return Averages(catalogue, actions, table, size, listed, ends, ends + 8)
