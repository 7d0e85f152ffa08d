"""Superset tables: questions about static families of sets, whether one of them lies within a set, and which.

The vectoriser asks this as: which rows of a table does the rest of the set touch? The answer for a whole
table is the union of the answers for a few pieces of the mask (run/python/prelude.py, `chunks`), so that
tables about which the same is asked may as well be one.
"""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.speculate import Speculation
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import RowsTouching


class SupersetTables:
    """Merges questions about several tables."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis) -> None:
        self.draft = draft
        self.traits = traits

    def counted(self, op: k.Op) -> list[k.Expr] | None:
        """The conditions of which it is asked whether one holds at least, by counting those that do."""
        if (op.op, op.args[0]) not in (("le", build.integer(1)), ("lt", build.integer(0))):
            return None
        found, waiting = [], [op.args[1]]
        while waiting:
            match waiting.pop():
                case k.Op(_, "add", (one, other)):
                    waiting += [other, one]
                case k.If(_, test, k.Const(_, 1), k.Const(_, 0)) if self._total(test):
                    found.append(test)
                case _:
                    return None
        return found

    def merged(self, either: k.Expr) -> k.Expr:
        """Of several questions whether a set holds one of a static family of sets whole, one."""
        if not isinstance(either, k.Op) or either.op != "or":
            return either
        merged: list[k.Expr] = []
        asked: list[tuple[int, list[int], k.Expr]] = []  # place, rows, what must not be touched
        for arg in either.args:
            if not Speculation(self.traits).sure(arg):
                asked = []  # what might fault keeps its place among the others
            found = self._family(arg) if self._total(arg) else None
            same = [each for each in asked if found is not None and each[2] == found[1]]
            if found is None or not same:
                if found is not None:
                    asked.append((len(merged), *found))
                merged.append(arg)
                continue
            place, rows, outside = same[0]
            rows += found[0]
            merged[place] = self.question(rows, outside)
        return build.either(*merged)

    def _total(self, expr: k.Expr) -> bool:
        return self.traits.of(expr).total

    def question(self, rows: list[int], outside: k.Expr) -> k.Expr:
        """Whether one of the rows has nothing in common with a set."""
        rows = [*dict.fromkeys(rows)]
        all_of, none = build.full(len(rows)), build.mask(len(rows), 0)
        touched = RowsTouching(all_of.type, (outside,), self.draft.table(tuple(rows)))
        return k.Op(k.BOOL, "ne", (k.Op(all_of.type, "diff", (all_of, touched)), none))

    def narrow(self, test: k.Expr) -> k.Expr:
        """Such a question, about the rows only that are asked for."""
        found = self._family(test)
        if found is None or not isinstance(test, k.Op) or test.op != "ne" or not found[0]:
            return test
        return self.question(*found)

    def _family(self, test: k.Expr) -> tuple[list[int], k.Expr] | None:
        """The rows of which one must not touch a set, and that set."""
        match test:
            case k.Op(
                _, "ne", (k.Op(_, "diff", (k.Const(_, over), RowsTouching() as touched)), k.Const(_, 0))
            ):
                rows = self.draft.tables[touched.table].values
                return [row for at, row in enumerate(rows) if over >> at & 1], touched.args[0]
            case k.Op(_, "subset", (k.Lookup(k.Set(), table, k.Const(_, at)), items)):
                assert isinstance(items.type, k.Set)
                outside = k.Op(items.type, "diff", (build.full(items.type.size), items))
                return [self.draft.tables[table].values[at]], outside
        return None
