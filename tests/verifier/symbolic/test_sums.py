"""Sums that a question takes as free integers: a model that gets one wrong is not believed."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st
from kemu_verifier.methods.invariants.solvers import solver
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.solve import Translator, ask, solve
from kemu_verifier.symbolic.terms import Lin, Lit, Terms

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


@given(
    st.lists(st.sampled_from((1, 1, 1, 2)), min_size=9, max_size=10),
    st.lists(st.tuples(st.integers(-1, 12), st.booleans()), min_size=1, max_size=3),
    st.lists(st.booleans(), max_size=9),
)
def test_what_a_blind_reading_excludes_is_impossible(
    weights: list[int], bounds: list[tuple[int, bool]], fixed: list[bool]
) -> None:
    """Comparisons that take arithmetic may come out either way; where there are none, the answer is exact."""
    terms = Terms()
    lits = [terms.var(f"x{n}") for n in range(len(weights))]
    total = terms.sum(0, zip(weights, lits, strict=True))
    asked = [lit if value else -lit for lit, value in zip(lits, fixed, strict=False)]
    asked += [
        within if said else -within for bound, said in bounds for within in [below(terms, total, bound)]
    ]
    made = Translator(terms, blind=True)
    told = made.lits(asked)
    seeing = solver(made, made.integers)
    answer = ask(seeing, told, made, Deadline(10))
    possible = any(
        all(map(Valuation(terms, dict(zip(lits, values, strict=True))).lit, asked))
        for values in product((0, 1), repeat=len(weights))
    )
    assert answer.status in ("sat", "unsat")
    assert answer.status == "sat" or not possible
    assert made.unseen or possible == (answer.status == "sat")


def below(terms: Terms, total: Lin, bound: int) -> Lit:
    """total <= bound"""
    return terms.le0(terms.plus(total, Lin(-bound)))


def test_of_many_exactly_one() -> None:
    terms = Terms()
    lits = terms.one_of([f"x{n}" for n in range(11)])
    clauses = terms.exactly_one(lits)
    for values in product((0, 1), repeat=len(lits)):
        model = Valuation(terms, dict(zip(lits, values, strict=True)))
        assert all(map(model.lit, clauses)) == (sum(values) == 1)
