"""Stencil matching: conditions of the form "there is an e, seen from here, such that ...", for all
places at once.

"A row of the other's discs from this cell, and beyond it one of mine" is, of every cell, a static list of
alternatives: cells that have to be in one set, and cells in another. Alternatives that are the same but for
their place are one pattern: for all places at once, the sets moved by the pattern's steps have in common
where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import Pattern, Stencil
from kemu_engine.opt.set_algebra import diff, factors
from kemu_engine.opt.sets.static_index import static

MOST_ALTERNATIVES = 1 << 14
MOST_STEPS = 512
"""Sets moved and met, of all patterns together."""

Needed = tuple[int, k.Expr]
"""A set of which elements are needed, and a static expression: these elements."""


class StencilMatcher:
    """Turns such conditions into patterns."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis) -> None:
        self.draft = draft
        self.traits = traits

    def found(self, binder: int, size: int, fold: k.Fold) -> k.Expr | None:
        """The places 0..size-1 of the binder for which an element satisfies the fold's condition. None if
        patterns cannot say, or are too many."""
        if fold.op not in ("any", "set"):
            return None
        asked = fold.where if fold.op == "set" else build.both(fold.where, fold.body)
        sets: list[k.Expr] = []
        seen = self._seen(binder, size, fold, sets)
        tests = self._tests(binder, fold.binder, asked, sets)
        if seen is None or tests is None:
            return None
        pairs = [(at, item) for at, items in enumerate(seen[0]) for item in elements(items)]
        if len(pairs) > MOST_ALTERNATIVES or not pairs:
            return None
        frames = [{binder: at, fold.binder: item} for at, item in pairs]
        needs = [[1 << item for _, item in pairs]] * len(seen[1])
        numbers = list(seen[1])
        for number, rows in tests:
            found = static(self.draft, frames, rows)
            if found is None:
                return None
            if number >= 0:
                needs.append(found)
                numbers.append(number)
            else:
                pairs, frames, needs = _only(found, pairs, frames, needs)
        patterns: dict[Pattern, int] = {}
        for (place, _), *needed in zip(pairs, *needs, strict=True):
            pattern = _pattern(place, numbers, needed)
            patterns[pattern] = patterns.get(pattern, 0) | 1 << place
        if len(prefixes(patterns)) > MOST_STEPS or 2 * len(patterns) > len(pairs):
            return None
        return Stencil(k.Set(size), tuple(sets), tuple(sorted(patterns.items())))

    def _seen(
        self, binder: int, size: int, fold: k.Fold, sets: list[k.Expr]
    ) -> tuple[list[int], list[int]] | None:
        """Which elements are looked at, by place, as far as that is static; and in which sets they have to
        be."""
        assert isinstance(fold.over.type, k.Set)
        among, without = factors(fold.over)
        found, numbers = [(1 << fold.over.type.size) - 1] * size, []
        for part, kept in [(each, True) for each in among] + [(each, False) for each in without]:
            traits = self.traits.of(part)
            if not traits.total:
                return None
            if binder not in traits.locals and not isinstance(part, k.Const):
                full = build.full(fold.over.type.size)
                numbers.append(self._number(part if kept else diff(full, part), sets))
                continue
            rows = None
            if traits.locals <= {binder} and not traits.vars:
                rows = static(self.draft, [{binder: at} for at in range(size)], part)
            if rows is None:
                return None
            found = [one & (row if kept else ~row) for one, row in zip(found, rows, strict=True)]
        return found, numbers

    def _number(self, items: k.Expr, sets: list[k.Expr]) -> int:
        """The number of a set that is asked about."""
        key = self.traits.of(items).number
        for number, known in enumerate(sets):
            if self.traits.of(known).number == key:
                return number
        sets.append(items)
        return len(sets) - 1

    def _tests(self, place: int, element: int, asked: k.Expr, sets: list[k.Expr]) -> list[Needed] | None:
        """What is asked of an element: static conditions (set number -1), elements of sets."""
        found: list[Needed] = []
        for test in asked.args if isinstance(asked, k.Op) and asked.op == "and" else (asked,):
            if self._static(place, element, test):
                found.append((-1, test))
                continue
            match test:
                case k.Op(_, "subset", (rows, items)) if self._static(place, element, rows):
                    pass
                case k.Op(_, "in", (index, items)) if self._static(place, element, index):
                    assert isinstance(items.type, k.Set)
                    rows = k.Op(items.type, "single", (index,))
                case _:
                    return None
            traits = self.traits.of(items)
            if not traits.total or {place, element} & traits.locals:
                return None
            found.append((self._number(items, sets), rows))
        return found

    def _static(self, place: int, element: int, expr: k.Expr) -> bool:
        traits = self.traits.of(expr)
        return traits.total and traits.locals <= {place, element} and not traits.vars


def _only(
    truth: list[int], pairs: list[tuple[int, int]], frames: list[dict[int, int]], needs: list[list[int]]
) -> tuple[list[tuple[int, int]], list[dict[int, int]], list[list[int]]]:
    """The alternatives for which something is true."""
    kept = [at for at, holds in enumerate(truth) if holds]
    return (
        [pairs[at] for at in kept],
        [frames[at] for at in kept],
        [[rows[at] for at in kept] for rows in needs],
    )


def _pattern(place: int, numbers: list[int], rows: list[int]) -> Pattern:
    needed = {
        (number, item - place) for number, row in zip(numbers, rows, strict=True) for item in elements(row)
    }
    return tuple(sorted(needed, key=lambda each: (abs(each[1]), each[1], each[0])))


def elements(mask: int) -> Iterator[int]:
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def prefixes(patterns: Iterable[Pattern]) -> list[Pattern]:
    """What patterns begin with, and they themselves: each once, the shorter before the longer."""
    found = {pattern[:length]: None for pattern in patterns for length in range(1, len(pattern) + 1)}
    return list(found)
