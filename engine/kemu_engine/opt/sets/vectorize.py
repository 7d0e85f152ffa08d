"""Set vectorisation: what a fold asks of every element alike, asked of all at once, as algebra on masks.

A fold whose condition is made of comparisons of array elements, static tables, memberships and the like
becomes unions, intersections and differences of masks (opt/nodes.py has those that start from
arrays and tables). What no mask can say stays as the condition of a fold over what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from kemu_engine.kernel import build, interval
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.values import is_of
from kemu_engine.kernel.walk import Ids, rebuilt, recoded, reexited, rewritten
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import Below, Cells, Point, RowsEqual, RowsTouching, Window
from kemu_engine.opt.set_algebra import bare, diff, factors, inter, is_empty, plainer, size_of, union
from kemu_engine.opt.sets.fold_nesting import nested
from kemu_engine.opt.sets.mask_arrays import ELEMENTS, maskable, values
from kemu_engine.opt.sets.pattern_match import StencilMatcher
from kemu_engine.opt.sets.reindex import reindexed
from kemu_engine.opt.sets.static_index import held, joined, numbered, static, written_out
from kemu_engine.opt.sets.superset_tables import SupersetTables
from kemu_engine.opt.sets.value_cases import cases, only_element, settled


def vectorize(program: k.Program) -> k.Program:
    """The program with its folds as masks."""
    draft = Draft(program)
    change = Vectorizer(draft).expr
    return draft.done(
        rewritten(program, lambda code: recoded(code, change), lambda exit: reexited(exit, change))
    )


class Vectorizer:
    """Rewrites expressions of one program. `allowed`: the arrays that have masks, once that is settled."""

    def __init__(
        self, draft: Draft, traits: ExpressionAnalysis | None = None, allowed: Ids | None = None
    ) -> None:
        self.draft = draft
        self.traits = traits or ExpressionAnalysis(draft)
        self.stencils = StencilMatcher(draft, self.traits)
        self.supersets = SupersetTables(draft, self.traits)
        self.allowed = allowed

    def expr(self, expr: k.Expr) -> k.Expr:
        """The expression with all folds in it rewritten, the inner ones first."""
        expr = rebuilt(expr, self.expr)
        if isinstance(expr, k.Fold):
            return self.fold(expr)
        if isinstance(expr, k.Op):
            return self.supersets.merged(expr) if expr.op == "or" else self._plainer(expr)
        return expr

    def _plainer(self, op: k.Op) -> k.Expr:
        tests = self.supersets.counted(op)
        return plainer(op) if tests is None else self.supersets.merged(build.either(*tests))

    def _steadier(self, over: k.Expr) -> k.Expr:
        """What is left of two sets in common, as what the one has in common with what is left of the other,
        which may stay the same where the one does not."""
        if not isinstance(over, k.Op) or over.op != "diff":
            return over
        both, less = over.args
        if isinstance(both, k.Op) and both.op == "inter":
            for one, other in (both.args, both.args[::-1]):
                changing = self.traits.of(one).locals
                if changing and not changing & (self.traits.of(other).locals | self.traits.of(less).locals):
                    return k.Op(over.type, "inter", (one, diff(other, less)))
        return over

    def fold(self, fold: k.Fold) -> k.Expr:
        fold = reindexed(self.draft, self.traits, fold)
        assert isinstance(fold.over.type, k.Set)
        yes = build.truth(True)
        pair = nested(self.draft, self.traits, fold)
        if pair is not None:
            return self.fold(replace(pair[0], body=self.fold(pair[1])))
        if fold.op == "all":
            denied = replace(fold, where=build.both(fold.where, build.no(fold.body)), body=yes)
            over, where = self.select(fold.binder, fold.over, denied.where)
            if where == yes:
                return self._all(fold, over)
            over, where = self.select(fold.binder, fold.over, fold.where)
            return replace(fold, over=over, where=where)
        if fold.op in ("any", "count", "first"):
            over, where = self.select(fold.binder, fold.over, build.both(fold.where, fold.body))
            if where == yes:
                if fold.op == "any":
                    return self.supersets.narrow(
                        k.Op(k.BOOL, "ne", (over, build.mask(fold.over.type.size, 0)))
                    )
                if fold.op == "count":
                    return build.card(over)
            return replace(fold, over=over, where=where, body=yes)
        over, where = self.select(fold.binder, fold.over, fold.where)
        if fold.op == "set" and where == yes and bare(fold.body, fold.binder):
            return over
        return replace(fold, over=over, where=where)

    def _all(self, fold: k.Fold, denied: k.Expr) -> k.Expr:
        assert isinstance(fold.over.type, k.Set)
        held = self.mask(fold.binder, fold.over.type.size, fold.body)
        if fold.where == build.truth(True) and held is not None:
            return k.Op(k.BOOL, "subset", (fold.over, held))
        return k.Op(k.BOOL, "eq", (denied, build.mask(fold.over.type.size, 0)))

    def select(self, binder: int, over: k.Expr, where: k.Expr) -> tuple[k.Expr, k.Expr]:
        """The elements of `over` that satisfy `where`, as far as masks can tell; and what is left to ask."""
        assert isinstance(over.type, k.Set)
        parts = where.args if isinstance(where, k.Op) and where.op == "and" else (where,)
        left: list[k.Expr] = []
        all_of, size = over, over.type.size
        for at, part in enumerate(parts, 1):
            if not all(self.traits.of(each).total for each in left):
                left.append(part)
            elif (found := self.mask(binder, size, part)) is not None:
                over = self._both(over, found)
            elif (found := self._by_value(binder, size, build.both(*parts[:at]))) is not None:
                over, left = self._both(all_of, found), []  # what may fault, with the tests before it
            else:
                left.append(part)
        return self._steadier(over), build.both(*left)

    def _both(self, one: k.Expr, other: k.Expr) -> k.Expr:
        return joined(self.draft, one, other) or inter(one, other)

    # ------------------------------------------------------------------------------------------ conditions

    def mask(self, binder: int, size: int, cond: k.Expr) -> k.Expr | None:
        """The set of those i in 0..size-1 for which the condition holds with the binder i. None if masks
        cannot say."""
        found = self._mask(binder, size, cond) if self.traits.of(cond).total else None
        return self._by_value(binder, size, cond) if found is None else found

    def _mask(self, binder: int, size: int, cond: k.Expr) -> k.Expr | None:
        """The same, of a condition that cannot fault, by what it is made of."""
        traits, full = self.traits.of(cond), build.full(size)
        if binder not in traits.locals:
            if isinstance(cond, k.Const):
                return full if cond.value else build.mask(size, 0)
            return k.If(k.Set(size), cond, full, build.mask(size, 0))
        if traits.locals == {binder} and not traits.vars and size <= ELEMENTS:
            return self._static(binder, size, cond)
        match cond:
            case k.At():
                return self._cells(binder, size, cond, build.integer(1))
            case k.If():
                test = self.mask(binder, size, cond.test)
                then, other = (self.mask(binder, size, part) for part in (cond.then, cond.other))
                if test is None or then is None or other is None:
                    return None
                return union(inter(test, then), diff(other, test))
            case k.Fold():
                found = self.stencils.found(binder, size, cond)
                each_of = written_out(cond) if found is None else None
                return found if each_of is None else self.mask(binder, size, each_of)
            case k.Op():
                return self._operation(binder, size, cond)
        return None

    def _static(self, binder: int, size: int, cond: k.Expr) -> k.Expr | None:
        """Of a condition that depends on nothing but the binder."""
        found = static(self.draft, numbered(binder, size), cond)
        if found is None:
            return None
        return build.mask(size, sum(1 << element for element, truth in enumerate(found) if truth))

    def _operation(self, binder: int, size: int, cond: k.Op) -> k.Expr | None:
        full = build.full(size)
        if cond.op in ("and", "or"):
            all_of: k.Expr = build.full(size) if cond.op == "and" else build.mask(size, 0)
            for part in cond.args:
                one = self.mask(binder, size, part)
                if one is None:
                    return None
                all_of = self._both(all_of, one) if cond.op == "and" else union(all_of, one)
            return all_of
        if cond.op == "not":
            inner = self.mask(binder, size, cond.args[0])
            return None if inner is None else diff(full, inner)
        if cond.op in ("eq", "ne") and isinstance(cond.args[0], k.Fold) and is_empty(cond.args[1]):
            found = self.stencils.found(binder, size, cond.args[0])
            if found is not None:
                return found if cond.op == "ne" else diff(full, found)
        if cond.op in ("eq", "ne"):
            same = self._equal(binder, size, *cond.args)
            if same is None:
                same = self._equal(binder, size, *reversed(cond.args))
            return diff(full, same) if same is not None and cond.op == "ne" else same
        if cond.op in ("lt", "le"):
            return self._ordered(binder, size, cond)
        if cond.op == "in" and bare(cond.args[0], binder) and self._steady(binder, cond.args[1]):
            return inter(full, cond.args[1])
        if cond.op == "in":
            return self._related(binder, size, *cond.args)
        if cond.op == "subset":
            table = self._row(binder, cond.args[0])
            if table is not None and self._steady(binder, cond.args[1]):
                rest = diff(build.full(size_of(cond.args[0])), cond.args[1])
                return diff(full, self._touching(table, rest))
        return None

    def _equal(self, binder: int, size: int, one: k.Expr, value: k.Expr) -> k.Expr | None:
        """Where `one`, which depends on the binder, has the value, which does not."""
        if not self._steady(binder, value):
            return self._like_by_value(binder, size, one, value)
        if isinstance(one, k.Op) and one.op == "add" and isinstance(one.args[1], k.Const):
            if not interval.integers_fit(value.type, one.type):
                return None
            return self._equal(binder, size, one.args[0], build.sub(value, one.args[1]))
        if bare(one, binder):
            return Point(k.Set(size), (value,))
        match one:
            case k.At():
                return self._cells(binder, size, one, value)
            case k.Lookup(_, table, index):
                if bare(index, binder) and self._fits(value, self.draft.tables[table].values):
                    return inter(build.full(size), RowsEqual(self._rows(table), (value,), table))
            case k.Op(_, "inter" | "diff") if value == build.mask(size_of(value), 0):
                return self._apart(binder, size, one)
        return None

    def _related(self, binder: int, size: int, index: k.Expr, pairs: k.Expr) -> k.Expr | None:
        """Where a number that is the binder and something steady is in a set: part of that set, or, of a
        static relation of two domains, a row of a table."""
        if not isinstance(index, k.Op) or index.op != "add" or not self._steady(binder, pairs):
            return None
        for one, start in (index.args, index.args[::-1]):
            if not bare(one, binder) or not self._steady(binder, start):
                continue
            assert isinstance(start.type, k.Int)
            if start.type.low < 0:
                return None
            if isinstance(pairs, k.Const) and isinstance(start, k.Op) and start.op == "mul":
                row, stride = start.args
                if stride == build.integer(size) and isinstance(row.type, k.Int) and row.type.low >= 0:
                    return self._relation(size, row, row.type.high + 1, pairs.value)
            return Window(k.Set(size), (pairs, start))
        return None

    def _relation(self, size: int, row: k.Expr, number: int, pairs: int) -> k.Expr:
        rows = tuple(pairs >> at * size & (1 << size) - 1 for at in range(number))
        return k.Lookup(k.Set(size), self.draft.table(rows), row)

    def _apart(self, binder: int, size: int, one: k.Expr) -> k.Expr | None:
        """Where the row of a table of sets has no element in common with a set that stays the same; `one` is
        what they have in common."""
        within_all, without = factors(one)
        rows = [each for each in within_all if self._row(binder, each) is not None]
        others = [each for each in within_all if self._row(binder, each) is None]
        if len(rows) != 1 or not all(self._steady(binder, each) for each in [*others, *without]):
            return None
        rest: k.Expr = build.full(size_of(one))
        for each in others:
            rest = inter(rest, each)
        for each in without:
            rest = diff(rest, each)
        table = self._row(binder, rows[0])
        assert table is not None
        return diff(build.full(size), self._touching(table, rest))

    def _like_by_value(self, binder: int, size: int, one: k.Expr, value: k.Expr) -> k.Expr | None:
        """Where an element of an array is what depends on the binder: value by value."""
        if not isinstance(one, k.At) or not maskable(self.draft.vars[one.var]):
            return None
        found: k.Expr = build.mask(size, 0)
        for each in values(self.draft.vars[one.var].type):
            cells = self._cells(binder, size, one, build.integer(each))
            if cells is None:
                return None
            there = self.mask(binder, size, build.eq(value, build.integer(each)))
            if there is None:
                return None
            found = union(found, inter(cells, there))
        return found

    def _by_value(self, binder: int, size: int, cond: k.Expr) -> k.Expr | None:
        """Of a condition that looks at an element of an array alone: case by case."""
        element = only_element(binder, cond)
        if element is None or not self.traits.of(element).total or not maskable(self.draft.vars[element.var]):
            return None
        range_ = values(self.draft.vars[element.var].type)
        found: k.Expr = build.mask(size, 0)
        for test, those in cases(self.draft, cond, element, range_):
            there = self._having(binder, size, element, frozenset(those), range_)
            if there is None or not settled(test) or not self.traits.of(test).total:
                return None
            found = union(found, build.when(test, there, build.mask(size, 0)))
        return found

    def _having(
        self, binder: int, size: int, element: k.At, those: Ids, range_: Iterable[int]
    ) -> k.Expr | None:
        """Where the element has one of these values, or none of the others if those are fewer."""
        others = [each for each in range_ if each not in those]
        found: k.Expr = build.mask(size, 0)
        for each in min(sorted(those), others, key=len):
            cells = self._cells(binder, size, element, build.integer(each))
            if cells is None:
                return None
            found = union(found, cells)
        return found if len(those) <= len(others) else diff(build.full(size), found)

    def _ordered(self, binder: int, size: int, cond: k.Op) -> k.Expr | None:
        low, high = cond.args
        more = 1 if cond.op == "le" else 0
        if bare(low, binder) and self._steady(binder, high):
            return Below(k.Set(size), (build.add(high, build.integer(more)),))
        if bare(high, binder) and self._steady(binder, low):
            beyond = build.add(low, build.integer(1 - more))
            return diff(build.full(size), Below(k.Set(size), (beyond,)))
        for at, bound in ((low, high), (high, low)):
            if isinstance(at, k.At) and isinstance(bound, k.Const) and maskable(self.draft.vars[at.var]):
                found: k.Expr = build.mask(size, 0)
                for value in values(self.draft.vars[at.var].type):
                    one, two = (value, bound.value) if at is low else (bound.value, value)
                    if one < two + more:
                        cells = self._cells(binder, size, at, build.integer(value))
                        if cells is None:
                            return None
                        found = union(found, cells)
                return found
            if isinstance(at, k.Op) and at.op == "card" and isinstance(bound, k.Const):
                some = (cond.op, bound.value, at is high) in (("lt", 0, True), ("le", 1, True))
                none = (cond.op, bound.value, at is low) in (("lt", 1, True), ("le", 0, True))
                if some or none:
                    empty = build.mask(size_of(at.args[0]), 0)
                    test = k.Op(k.BOOL, "ne" if some else "eq", (at.args[0], empty))
                    return self.mask(binder, size, test)
        return None

    def _cells(self, binder: int, size: int, at: k.At, value: k.Expr) -> k.Expr | None:
        """Where the element of an array, found by way of the binder, has a value."""
        var = self.draft.vars[at.var]
        if not maskable(var) or not isinstance(value.type, k.Int | k.Bool):
            return None
        if self.allowed is not None and at.var not in self.allowed:
            return None
        fits = interval.integers_fit(value.type, var.type) and isinstance(value.type, type(var.type))
        if not fits and not (isinstance(value, k.Const) and is_of(value.value, var.type)):
            return None
        length = var.length or 0
        if bare(at.index, binder):
            return inter(build.full(size), Cells(k.Set(length), (value,), at.var))
        if isinstance(at.index, k.Op) and at.index.op == "add":
            for one, start in (at.index.args, at.index.args[::-1]):
                if bare(one, binder) and self._steady(binder, start):
                    assert isinstance(start.type, k.Int)
                    if start.type.low >= 0:
                        cells = Cells(k.Set(length), (value,), at.var)
                        return Window(k.Set(size), (cells, start))
        traits = self.traits.of(at.index)
        if traits.locals == {binder} and not traits.vars and size <= ELEMENTS:
            places = static(self.draft, numbered(binder, size), at.index)
            if places is not None:
                return held(self.draft, places, Cells(k.Set(length), (value,), at.var))
        return None

    def _row(self, binder: int, expr: k.Expr) -> int | None:
        """The table of sets of which it is the row of the binder's number."""
        if isinstance(expr, k.Lookup) and bare(expr.index, binder) and isinstance(expr.type, k.Set):
            return expr.table
        return None

    def _steady(self, binder: int, expr: k.Expr) -> bool:
        traits = self.traits.of(expr)
        return traits.total and binder not in traits.locals

    def _fits(self, value: k.Expr, rows: tuple[int, ...]) -> bool:
        return len(set(rows)) <= 256 and isinstance(value.type, k.Int | k.Bool)

    def _rows(self, table: int) -> k.Set:
        return k.Set(len(self.draft.tables[table].values))

    def _touching(self, table: int, rest: k.Expr) -> k.Expr:
        return RowsTouching(self._rows(table), (rest,), table)
