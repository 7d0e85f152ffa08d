"""Whether one of many static rows of cells lies within a set, by the patterns that the rows have.

Rows that are the same but for their place (four in a line at any place of a board) are asked about at once:
the set, with itself moved by the steps of the pattern, has in common the places where the pattern begins.
"""

from __future__ import annotations

from itertools import pairwise

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.nodes import Pattern, Stencil
from kemu_engine.opt.set_algebra import is_full
from kemu_engine.opt.sets.pattern_match import prefixes
from kemu_engine.opt.sets.static_index import untouched
from kemu_engine.run.wasm.emit.layout import BITS, pieces, words
from kemu_engine.run.wasm.emit.values import Values

Row = tuple[int, ...]
Held = list[int | None]
"""The words of a set, in locals; None has no element."""


class Patterns:
    """Writes searches for patterns."""

    def __init__(self, values: Values) -> None:
        self.unit, self.program, self.f = values.unit, values.program, values.f
        self.values = values

    def sought(self, op: k.Op) -> bool:
        """Writes a comparison, if it asks whether one of some static rows lies within a set, and if this is
        less work than looking up what the set touches."""
        if op.op not in ("eq", "ne") or not isinstance(op.args[1], k.Const) or op.args[1].value:
            return False
        found = untouched(op.args[0])
        if found is None or not isinstance(found[0], k.Const) or not isinstance(found[1].type, k.Set):
            return False
        wanted, touched = found[0].value, found[1]
        (rest,) = touched.args
        rows = [row for at, row in enumerate(self.program.tables[touched.table].values) if wanted >> at & 1]
        starts = patterns(rows)
        assert isinstance(rest.type, k.Set)
        width = max(row.bit_length() for row in rows) if rows else 0
        if not width or () in starts or width > rest.type.size:
            return False
        count = -(-width // BITS)
        looked_up = -(-width // 8) * (4 + 3 * words(touched.type))
        moved = sum(len(steps(shape)) for shape in starts) * (2 if count == 1 else 4 * count)
        if moved + 2 * count * len(starts) > looked_up:
            return False
        self._seek(starts, self._within(rest, width), op.op == "ne")
        return True

    def anywhere(self, mask: Stencil) -> None:
        """Of each place whether one of some patterns lies there."""
        f, count = self.f, words(mask.type)
        sets: list[Held] = [[*self.values.words_of(arg, words(arg.type))] for arg in mask.args]
        patterns = dict(mask.patterns)
        found = [f.new() for _ in range(count)]
        for each in found:
            f.i64(0)
            f.set(each)
        known: dict[Pattern, Held] = {}
        for prefix in prefixes(patterns):
            number, by = prefix[-1]
            moved = self._moved(sets[number], by, count)
            known[prefix] = self._met(known[prefix[:-1]], moved) if len(prefix) > 1 else moved
            places = pieces(patterns.get(prefix, 0), count)
            for word, piece, all_of in zip(known[prefix], places, found, strict=True):
                if word is not None and piece:
                    f.get(word)
                    f.i64(piece)
                    f.op("i64.and")
                    f.get(all_of)
                    f.op("i64.or")
                    f.set(all_of)
        self.values.push(found)

    def _within(self, rest: k.Expr, width: int) -> list[int]:
        """What is not in a set, of the elements below `width`; there may be more in it."""
        f, count = self.f, -(-width // BITS)
        if isinstance(rest, k.Op) and rest.op == "diff" and is_full(rest.args[0], width):
            return self.values.words_of(rest.args[1], words(rest.args[1].type))[:count]
        found = []
        for each in self.values.words_of(rest, words(rest.type))[:count]:
            f.get(each)
            f.i64(-1)
            f.op("i64.xor")
            found.append(f.new())
            f.set(found[-1])
        return found

    def _seek(self, starts: dict[Row, int], have: list[int], wanted: bool) -> None:
        """Whether a pattern has one of its places in the set."""
        f = self.f
        for number, (shape, places) in enumerate(starts.items()):
            run: Held = [*have]
            for step in steps(shape):
                moved = self._moved(run if step.doubled else [*have], step.by, len(have))
                run = self._met(run, moved)
            for at, (word, piece) in enumerate(zip(run, pieces(places, len(run)), strict=True)):
                if word is None:
                    f.i64(0)
                else:
                    f.get(word)
                    f.i64(piece)
                    f.op("i64.and")
                if at or number:
                    f.op("i64.or")
        if wanted:
            f.i64(0)
            f.op("i64.ne")
        else:
            f.op("i64.eqz")

    def _met(self, one: Held, other: Held) -> Held:
        f = self.f
        found: Held = []
        for a, b in zip(one, other, strict=True):
            if a is None or b is None:
                found.append(None)
                continue
            f.get(a)
            f.get(b)
            f.op("i64.and")
            both = f.new()
            f.set(both)
            found.append(both)
        return found

    def _moved(self, have: Held, by: int, count: int) -> Held:
        """A set moved down (or up, if `by` is less than 0), as so many words; in the last there may be
        more."""
        skip, shift = divmod(by, BITS)
        return [self._word_of(have, at + skip, shift) for at in range(count)]

    def _word_of(self, have: Held, at: int, shift: int) -> int | None:
        """Sixty-four elements of a set from number 64 * at + shift on."""
        f = self.f
        low, high = (have[each] if 0 <= each < len(have) else None for each in (at, at + 1))
        if not shift or (low is None and high is None):
            return low
        for word, by, op in ((low, shift, "i64.shr_u"), (high, BITS - shift, "i64.shl")):
            if word is not None:
                f.get(word)
                f.i64(by)
                f.op(op)
        if low is not None and high is not None:
            f.op("i64.or")
        found = f.new()
        f.set(found)
        return found


class Step:
    """Of a search: what has been found is met with itself (`doubled`) or with the set, moved down."""

    __slots__ = ("by", "doubled")

    def __init__(self, by: int, doubled: bool) -> None:
        self.by = by
        self.doubled = doubled


def patterns(rows: list[int]) -> dict[Row, int]:
    """The rows by what they are but for their place: the elements of each, less the lowest; and the set of
    the lowest elements of all that are alike. Of no element: ()."""
    found: dict[Row, int] = {}
    for row in rows:
        low = (row & -row).bit_length() - 1
        shape = tuple(at - low for at in range(row.bit_length()) if row >> at & 1)
        found[shape] = found.get(shape, 0) | (row & -row)
    return found


def steps(shape: Row) -> list[Step]:
    """How to come to a pattern: evenly spaced ones by doubling."""
    count = len(shape)
    apart = shape[1] if count > 1 else 0
    if any(b - a != apart for a, b in pairwise(shape)):
        return [Step(by, False) for by in shape[1:]]
    found, have = [], 1
    while have < count:
        more = min(have, count - have)
        found.append(Step(more * apart, True))
        have += more
    return found
