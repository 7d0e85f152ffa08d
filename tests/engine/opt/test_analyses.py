"""What the passes ask of expressions: ranges known from tests, what may go before a loop, what is equal."""

from __future__ import annotations

import pytest
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.printer import expression
from kemu_engine.kernel.walk import NONE
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.range_analysis import Ranges
from kemu_engine.opt.licm import certain_first, cheap, maximal_candidates

from tests.engine.build import YES, Builder, every, num, op


class Few(Builder):
    """A number 0..9, an array of six, a local c of 0..5, and what is known of expressions."""

    def __init__(self) -> None:
        super().__init__()
        self.level = self.load(self.var("level", k.Int(0, 9), 0))
        self.row = self.var("row", k.Int(0, 9), (0,) * 6)
        self.c = self.get(self.local("c", k.Int(0, 5)))
        self.missing = self.fault("missing_value")
        self.made = self.program(0, 0)
        self.traits = ExpressionAnalysis(self.made)
        self.ranges = Ranges(lambda expr: (self.traits.of(expr).number,))

    def text(self, *exprs: k.Expr) -> list[str]:
        return [expression(self.made, each) for each in exprs]


@pytest.mark.parametrize(
    ("assumed", "outcome", "interval"),
    [
        (("lt", 4), True, (0, 3)),
        (("lt", 4), False, (4, 9)),
        (("le", 4), True, (0, 4)),
        (("eq", 4), True, (4, 4)),
        (("ne", 0), True, (1, 9)),
        (("ne", 5), True, (0, 9)),
    ],
)
def test_a_test_that_was_passed_narrows_an_interval(
    assumed: tuple[str, int], outcome: bool, interval: tuple[int, int]
) -> None:
    few = Few()
    few.ranges.assume(op(assumed[0], few.level, num(assumed[1])), outcome)
    assert few.ranges.interval(few.level) == interval


def test_all_parts_of_a_conjunction_hold_and_none_of_a_disjunction_that_does_not() -> None:
    few = Few()
    low, high = op("lt", few.level, num(2)), op("lt", num(7), few.level)
    few.ranges.assume(op("or", low, high), False)
    assert few.ranges.interval(few.level) == (2, 7)
    assert few.ranges.outcome(op("lt", few.level, num(8))) is True
    assert few.ranges.outcome(op("eq", few.level, num(1))) is False
    assert few.ranges.outcome(op("eq", few.level, num(3))) is None


def test_what_was_assumed_can_be_taken_back() -> None:
    few = Few()
    mark = few.ranges.known.mark()
    few.ranges.assume(op("lt", few.level, num(4)), True)
    few.ranges.known.back(mark)
    assert few.ranges.interval(few.level) == (0, 9)


def test_a_number_is_told_apart_from_the_same_with_a_constant_added() -> None:
    few = Few()
    few.ranges.assume(op("lt", op("add", few.level, num(3)), num(5)), True)
    assert few.ranges.interval(few.level) == (0, 1)


def test_the_largest_expressions_that_a_loop_does_not_change_are_offered_first() -> None:
    few = Few()
    here, steady = few.at(few.row, few.c), few.at(few.row, num(0))
    offered: list[k.Expr] = []

    def taken(part: k.Expr, locals: frozenset[int]) -> bool:
        free = not few.traits.of(part).locals & locals
        offered.extend([part] if free else [])
        return free

    maximal_candidates(op("lt", here, op("add", steady, few.level)), frozenset({few.c.id}), taken)
    assert few.text(*offered) == ["(row[0] + level)"]


def test_what_comes_first_is_offered_up_to_what_may_fault() -> None:
    few = Few()
    first, last = few.at(few.row, num(0)), few.at(few.row, num(1))
    need = k.Need(k.Int(0, 9), op("lt", num(0), few.level), last, few.missing)
    offered: list[k.Expr] = []

    def taken(part: k.Expr) -> bool:
        found = few.traits.of(part).total and isinstance(part, k.At | k.Op)
        offered.extend([part] if found else [])
        return found

    done = certain_first(op("add", first, need), lambda part: few.traits.of(part).total, taken)
    assert not done and few.text(*offered) == ["row[0]", "(0 < level)"]


def test_folds_and_calls_are_not_worked_out_in_vain() -> None:
    few = Few()
    assert cheap(op("add", few.level, num(1)))
    assert not cheap(few.fold("count", every(6), YES, few.c.id))


def test_expressions_are_equal_whatever_their_binders_are_called() -> None:
    few = Few()
    other = few.get(few.local("d", k.Int(0, 5)))
    few.traits = ExpressionAnalysis(few.program(0, 0))
    folds = [
        few.fold("count", every(6), op("eq", few.at(few.row, each), few.level), each.id)
        for each in (few.c, other)
    ]
    assert len({few.traits.of(fold).number for fold in folds}) == 1
    assert few.traits.of(folds[0]).locals == NONE
    assert few.traits.of(few.at(few.row, few.c)).number != few.traits.of(few.at(few.row, other)).number


def test_total_is_what_gives_a_value_wherever_its_locals_have_one() -> None:
    few = Few()
    assert few.traits.of(few.at(few.row, few.c)).total
    assert not few.traits.of(few.at(few.row, few.level)).total  # 6 to 9 are no places
    assert not few.traits.of(k.Need(few.level.type, YES, few.level, few.missing)).total


def test_a_name_is_as_good_as_what_it_stands_for() -> None:
    few = Few()
    value = op("add", few.at(few.row, num(0)), num(1))
    name = few.get(few.local("t", value.type))
    few.traits = ExpressionAnalysis(few.program(0, 0), {name.id: value})
    double, named = op("add", value, value), op("add", name, name)
    assert few.traits.of(double).number == few.traits.of(named).number
    assert few.traits.of(k.Let(named.type, name.id, value, named)).number == few.traits.of(double).number
    assert few.traits.of(named).locals == {name.id} and few.traits.of(named).vars == {few.row}
