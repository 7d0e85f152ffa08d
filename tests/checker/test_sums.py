"""Comparisons of sums as clauses say what the sums are, for all values of their symbols."""

import random
from itertools import product

import pytest
from kemu_checker.cnf import Clauses
from kemu_checker.solvers import Glucose
from kemu_checker.terms import Sum, Symbol, Terms, scaled, total_of
from kemu_checker.values import Values


@pytest.mark.parametrize("seed", range(20))
def test_a_comparison_holds_where_the_number_does(seed: int) -> None:
    choice, terms, solver = random.Random(seed), Terms(), Glucose()
    clauses = Clauses(terms, solver.add)
    symbols = [Symbol(f"s{i}", -1, 1) for i in range(4)]
    weights = [[choice.choice((-1, -1, 0, 1, 1, seed % 4)) for _ in range(3)] for _ in symbols]
    const = choice.randrange(-5, 6)
    parts = [
        scaled(terms.indicator(terms.member(symbol, 1 << n)), weight)
        for symbol, row in zip(symbols, weights, strict=True)
        for n, weight in enumerate(row)
    ]
    total = total_of([Sum(const, {}), *parts])
    most, zero = clauses.literal(terms.at_most_zero(total)), clauses.literal(terms.is_zero(total))
    for values in product(range(3), repeat=len(symbols)):
        there = [clauses.literal(terms.member(s, 1 << n)) for s, n in zip(symbols, values, strict=True)]
        number = const + sum(row[n] for row, n in zip(weights, values, strict=True))
        for literal, holds in ((most, number <= 0), (zero, number == 0)):
            assert solver.possible([*there, literal], 5.0) is holds
            assert solver.possible([*there, -literal], 5.0) is not holds


def test_an_index_that_is_a_sum_is_looked_at_where_there_is_something() -> None:
    values = Values(Terms())
    wide = Sum(-1, {(None, Symbol("n", 0, 99)): 1})
    clipped = values.within(wide, 0, 2)
    assert [n for n, _ in clipped.table] == [0, 1, 2]
    assert values.within(wide, -1, 98) is wide
