"""Multisets of snapshots: the values of histories."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Self


class Snapshots:
    """A multiset of snapshots, compared by value. It never changes: with one snapshot more it is another
    one, which shares with it all but a few pieces. (A trie by the hashes of the snapshots, after P. Bagwell,
    Ideal hash trees, 2001; what it looks like depends on what is in it alone, not on the order.)
    """

    __slots__ = ("_hash", "_root", "_size")
    MOST = 255
    LEAF, WIDE, DEEPEST = 8, 4, 60  # snapshots of a leaf, bits of a branch, bits of a hash that are used

    def __init__(self, root: Any = None, size: int = 0, hash_: int = 0) -> None:
        self._root: Any = {} if root is None else root
        self._size = size
        self._hash = hash_

    def __len__(self) -> int:
        return self._size

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, type(self))
            and self._size == other._size
            and self._hash == other._hash
            and bool(self._root == other._root)
        )

    def __repr__(self) -> str:
        return f"<{self._size} snapshots>"

    def items(self) -> Iterator[tuple[Any, int]]:
        """The snapshots, each once, and how often they are in it."""
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            if type(node) is dict:
                yield from node.items()
            else:
                waiting += node

    def times(self, snapshot: Hashable) -> int:
        """How often a snapshot is in it, as far as MOST."""
        node, key = self._root, hash(snapshot)
        while type(node) is tuple:
            node = node[key & (1 << self.WIDE) - 1]
            key >>= self.WIDE
        times: int = node.get(snapshot, 0)
        return min(times, self.MOST)

    def noted(self, snapshot: Hashable, times: int = 1) -> Self:
        """It with a snapshot more."""
        key = hash(snapshot)
        more = self._hash + times * hash((key, self.MOST)) & (1 << self.DEEPEST) - 1
        return type(self)(self._with(self._root, snapshot, times, key, 0), self._size + times, more)

    def _with(self, node: Any, snapshot: Hashable, times: int, key: int, shift: int) -> Any:
        if type(node) is dict:
            return self._leaf({**node, snapshot: node.get(snapshot, 0) + times}, shift)
        at = key >> shift & (1 << self.WIDE) - 1
        return *node[:at], self._with(node[at], snapshot, times, key, shift + self.WIDE), *node[at + 1 :]

    def _leaf(self, counts: dict[Any, int], shift: int) -> Any:
        """The node for these; a branch if they are many."""
        if len(counts) <= self.LEAF or shift >= self.DEEPEST:
            return counts
        parts: list[dict[Any, int]] = [{} for _ in range(1 << self.WIDE)]
        for snapshot, times in counts.items():
            parts[hash(snapshot) >> shift & (1 << self.WIDE) - 1][snapshot] = times
        return tuple(self._leaf(part, shift + self.WIDE) for part in parts)


EMPTY = Snapshots()
