"""The tree that a search has grown, read from outside (mcts_code.py says how it lies in memory)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from kemu_engine.run.wasm.programs.mcts import HIGH, HOT, KIDS, KIDS_N, LOW, SUM, VISITS
from kemu_engine.run.wasm.programs.searcher import Searcher, Told


@dataclass(frozen=True, slots=True)
class Node:
    """What is known of a position in the memory of a search, until that begins another tree."""

    searcher: Searcher
    at: int

    @property
    def children(self) -> int:
        """How many ways lead on from it; 0 if it was not expanded."""
        return self._int(self.at + KIDS_N) if self._int(self.at + KIDS) else 0

    def child(self, number: int) -> Node:
        """Where a way leads, by its number among the choices there."""
        kids = self._int(self.at + KIDS)
        return Node(self.searcher, kids + HOT * self.children + number * self.searcher._made.cold)

    def told(self, player: int) -> Told:
        """What the player gets who came here by a choice of his own."""
        data = self.searcher._running.read(self.at, HIGH + 8)
        (visits,) = struct.unpack_from("<i", data, VISITS)
        total, low, high = (struct.unpack_from("<d", data, at)[0] for at in (SUM, LOW, HIGH))
        if player == 1:
            low, high = 1 - high, 1 - low
        return visits, low if low == high else total / visits if visits else 0.5, low, high

    def _int(self, at: int) -> int:
        return int(struct.unpack("<i", self.searcher._running.read(at, 4))[0])


def root(searcher: Searcher) -> Node:
    """Where its search began."""
    return Node(searcher, searcher._made.root)
