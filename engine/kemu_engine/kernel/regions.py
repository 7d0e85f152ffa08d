"""Regions of the control-flow graph: what runs from one block on until a stop or the beginning of another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import chosen, onward, reached


class Regions:
    """The blocks of a program. `fused`: play goes through decisions and chance nodes, so that all that is
    reached from the entry is one graph; else it ends at stops, and begins at the entry and behind them, and
    at the blocks `also`.

    `heads` are the blocks at which parts begin: where play begins, and every block to which several ways
    lead, unless they come together right behind the Split at which they went apart (`merge`).
    """

    def __init__(self, blocks: Sequence[k.Block], entry: int, fused: bool, also: Iterable[int] = ()) -> None:
        self.blocks = blocks
        self.fused = fused
        self._following: dict[int, list[int]] = {}
        self.entry = self.after(entry)
        self.starts = [self.entry, *also]
        if not fused:
            for block in blocks:
                self.starts += [self.after(target) for target in chosen(block.exit)]
        self.order = self._postorder()[::-1]
        self.rank = {number: at for at, number in enumerate(self.order)}
        self.before: dict[int, set[int]] = {number: set() for number in self.order}
        for number in self.order:
            for following in self.following(number):
                self.before[following].add(number)
        again = {b for b in self.order if any(self._back(a, b) for a in self.before[b])}
        self.heads = {*self.starts, *again}
        self.jumps: set[tuple[int, int]] = set()
        dominators = self._dominators()
        self._candidates: dict[int, list[int]] = {}
        for number in self.order:
            if len(self.before[number]) > 1:
                self._candidates.setdefault(dominators[number], []).append(number)
        self._cut()

    def after(self, block: int) -> int:
        """The block that a jump to this one comes to in effect: empty ones that only lead on are skipped."""
        passed = {block}
        while not self.blocks[block].code and isinstance(exit := self.blocks[block].exit, k.Goto):
            block = exit.block
            if block in passed:
                return block
            passed.add(block)
        return block

    def following(self, block: int) -> list[int]:
        """Where play may go on from a block without a new function, or at all if fused."""
        if block not in self._following:
            self._following[block] = self._follow(block)
        return self._following[block]

    def _follow(self, block: int) -> list[int]:
        exit = self.blocks[block].exit
        found = onward(exit)
        if isinstance(exit, k.Split) and isinstance(exit.test, k.Const):
            found = found[:1] if exit.test.value else found[1:]
        if self.fused:
            found += chosen(exit)
        return [self.after(each) for each in found]

    def merge(self, block: int) -> int | None:
        """The block at which the ways that part at this one come together again, if it is no head."""
        found = [each for each in self._candidates.get(block, ()) if each not in self.heads]
        return max(found, key=self.rank.__getitem__, default=None)

    # ---------------------------------------------------------------------------------------- working it out

    def _postorder(self) -> list[int]:
        done: set[int] = set()
        order: list[int] = []
        for start in self.starts:
            if start in done:
                continue
            done.add(start)
            waiting: list[tuple[int, Iterator[int]]] = [(start, iter(self.following(start)))]
            while waiting:
                block, rest = waiting[-1]
                for following in rest:
                    if following not in done:
                        done.add(following)
                        waiting.append((following, iter(self.following(following))))
                        break
                else:
                    waiting.pop()
                    order.append(block)
        return order

    def _back(self, block: int, following: int) -> bool:
        return self.rank[following] <= self.rank[block]

    def _dominators(self) -> dict[int, int]:
        """The closest block (-1: outside) that is on every way to a block (K. D. Cooper, T. J. Harvey and
        K. Kennedy, A simple, fast dominance algorithm, 2001)."""
        rank = {**self.rank, -1: -1}
        found: dict[int, int] = {-1: -1}
        for start in self.starts:
            found[start] = -1
        changed = True
        while changed:
            changed = False
            for block in self.order:
                ways = [each for each in self.before[block] if each in found]
                if block in self.starts:
                    ways.append(-1)
                if not ways:
                    continue
                common = ways[0]
                for way in ways[1:]:
                    while common != way:
                        while rank[common] > rank[way]:
                            common = found[common]
                        while rank[way] > rank[common]:
                            way = found[way]
                if found.get(block) != common:
                    found[block] = common
                    changed = True
        return found

    def _cut(self) -> None:
        """Adds heads until every block belongs to one part, in which it is come to in one way."""
        while True:
            before = len(self.heads)
            seen: set[int] = set()
            self.jumps = set()
            for head in sorted(self.heads, key=self.rank.__getitem__):
                if not self._walk(head, seen):
                    break
            else:
                if len(self.heads) == before:
                    return

    def _walk(self, head: int, seen: set[int]) -> bool:
        """Follows the blocks of a part; those that cannot belong to it become heads. False if there are."""
        waiting: list[tuple[int, tuple[int, ...]]] = [(head, ())]
        while waiting:
            block, merges = waiting.pop()
            if block in seen:
                self.heads.add(block)
                return False
            seen.add(block)
            merge = self.merge(block)
            inner = merges if merge is None else (*merges, merge)
            if merge is not None:
                waiting.append((merge, merges))
            for following in set(self.following(block)):
                if following in self.heads:
                    self.jumps.add((block, following))
                elif following not in inner:
                    waiting.append((following, inner))
                elif following != inner[-1]:
                    self.heads.add(following)
                    return False
        return True

    def lapping(self) -> set[int]:
        """Heads that play may come to again and again without a stop."""
        return {head for head in self.heads if head in reached(self._straight_on(head), self._straight_on)}

    def _straight_on(self, block: int) -> list[int]:
        """Where play may go on from a block without a choice."""
        if not self.fused:
            return self.following(block)
        exit = self.blocks[block].exit
        if isinstance(exit, k.Decide | k.Chance):
            return [self.after(each) for each in onward(exit)]
        return self.following(block)
