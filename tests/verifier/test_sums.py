"""Sums that a question takes as free integers: a model that gets one wrong is not believed."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from verifier.symbolic.deadline import Deadline
from verifier.symbolic.mapping import Valuation
from verifier.symbolic.solve import solve
from verifier.symbolic.terms import Terms

WEIGHTS = st.lists(st.integers(-3, 3).filter(bool), min_size=3, max_size=5)


@given(WEIGHTS, st.integers(-6, 6), st.integers(-6, 6), st.lists(st.booleans(), max_size=3))
def test_abstract_sums_are_right_in_the_end(
    weights: list[int], low: int, high: int, fixed: list[bool]
) -> None:
    terms = Terms()
    lits = [terms.var(f"x{n}") for n in range(len(weights))]
    total = terms.sum(0, zip(weights, lits, strict=True))
    asked = [lit if value else -lit for lit, value in zip(lits, fixed, strict=False)]
    within = [terms.le0(terms.plus(total, terms.sum(high, []), -1))]
    within.append(terms.le0(terms.plus(terms.sum(low, []), total, -1)))

    answer = solve(terms, [*asked, *within], Deadline(10), abstract=True)
    possible = any(
        low <= sum(w for w, one in zip(weights, values, strict=True) if one) <= high
        for values in product((False, True), repeat=len(weights))
        if list(values[: len(fixed)]) == fixed
    )
    assert answer.status == ("sat" if possible else "unsat")
    if possible:
        model = Valuation(terms, {lit: answer.values.get(lit, 0) for lit in lits})
        assert all(map(model.lit, [*asked, *within]))
