"""Questions about static families of sets: whether one of them lies within a set, and which.

Masks.py asks this as: which rows of a table does the rest of the set touch? The answer for a whole table is
the union of the answers for a few pieces of the mask (engine/generated/prelude.py, `chunks`), so that tables
about which the same is asked may as well be one.
"""

from __future__ import annotations

from collections.abc import Callable

from engine import kernel as k
from engine import make
from engine.generated.nodes import Mask
from engine.generated.work import Work


class Families:
    """Merges questions about several tables."""

    def __init__(self, work: Work, total: Callable[[k.Expr], bool]) -> None:
        self.work = work
        self.total = total

    def merged(self, either: k.Op) -> k.Expr:
        """Of several questions whether a set holds one of a static family of sets whole, one."""
        merged: list[k.Expr] = []
        asked: list[tuple[int, int, k.Expr]] = []  # place, table, what must not be touched
        for arg in either.args:
            found = family(arg)
            if found is None or not self.total(arg):
                if not self.total(arg):
                    asked = []  # what might fault keeps its place among the others
                merged.append(arg)
                continue
            over, table, outside = found
            for at, (place, other, same) in enumerate(asked):
                if same == outside:
                    known = family(merged[place])
                    assert known is not None
                    rows = self.work.tables[other].values + self.work.tables[table].values
                    joint = self.work.table(rows)
                    wanted = known[0] | over << len(self.work.tables[other].values)
                    merged[place] = self._untouched(wanted, joint, len(rows), outside)
                    asked[at] = (place, joint, outside)
                    break
            else:
                asked.append((len(merged), table, outside))
                merged.append(arg)
        return make.either(*merged)

    def _untouched(self, over: int, table: int, size: int, outside: k.Expr) -> k.Expr:
        touched = Mask(k.Set(size), table, (outside,), "touching")
        return k.Op(
            k.BOOL, "ne", (k.Op(k.Set(size), "diff", (make.mask(size, over), touched)), make.mask(size, 0))
        )


def family(test: k.Expr) -> tuple[int, int, k.Expr] | None:
    """Which rows of which table are asked for, and what they must not touch."""
    match test:
        case k.Op(_, "ne", (k.Op(_, "diff", (k.Const(_, over), Mask() as touched)), k.Const(_, 0))):
            if touched.kind == "touching":
                return over, touched.function, touched.args[0]
    return None
