"""Comparisons of sums as clauses say what the sums are, for all values of their symbols."""

import random
from itertools import product

import pytest
from kemu_checker.cnf import Clauses
from kemu_checker.counting import Given
from kemu_checker.shortening import differences, paired
from kemu_checker.solvers import Glucose
from kemu_checker.sums import Sum, added, scaled, total_of
from kemu_checker.symbols import Symbol, Truth
from kemu_checker.terms import Terms
from kemu_checker.values import Values

from tests.checker.test_terms import true


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


def test_what_four_dice_show_is_looked_at_one_by_one() -> None:
    values = Values(Terms())
    dice = Sum(0, {(None, Symbol("dice", 0, 6**4 - 1)): 1})
    assert [n for n, _ in values.listed(dice)] == [*range(6**4)]


def test_a_number_from_a_long_table_is_an_index() -> None:
    """A field's number and a direction give a line's number, and that the line's fields."""
    values = Values(Terms())
    field, direction = (values.integer(Symbol(name, 0, n)) for name, n in (("field", 39), ("direction", 3)))
    line = values.pick(values.add(values.mul(field, 4), direction), [n ^ 5 for n in range(160)].__getitem__)
    fields = values.pick(line, [1 << n % 39 for n in range(160)].__getitem__, 39)
    assert len(fields) == 39


def test_what_is_the_same_on_both_ways_depends_on_neither() -> None:
    values = Values(Terms())
    player, test = values.integer(Symbol("p", 0, 1)), values.terms.truth("test")
    one, other = (values.sub(1, player) for _ in range(2))
    assert values.choose(test, one, other).table == one.table


@pytest.mark.parametrize("value", range(3))
def test_what_is_left_where_a_symbol_has_a_value(value: int) -> None:
    """Each part once: they are shared so often that looking at each whole would not end."""
    terms, solver, many = Terms(), Glucose(), [Symbol(f"s{i}", 0, 2) for i in range(60)]
    clauses, known = Clauses(terms, solver.add), Symbol("known", 0, 2)
    term, other = terms.member(known, 1), terms.member(known, 2)
    for symbol in many:
        one, two = terms.member(symbol, 1), terms.member(symbol, 2)
        term, other = (
            terms.some([terms.both(one, term), terms.both(two, other)]),
            terms.some([terms.both(two, term), terms.both(one, other)]),
        )
    left = Given(terms, {known: 1 << value}).left(term)
    here = clauses.literal(terms.member(known, 1 << value))
    for a, b in ((term, left), (left, term)):
        literals = [clauses.literal(a), -clauses.literal(b)]
        assert solver.possible([here, *literals], 20.0) is False


@pytest.mark.parametrize("kinds", list(product(("le", "eq", "ne"), repeat=2)), ids="-".join)
def test_differences_of_long_sums_follow_from_them(kinds: tuple[str, str]) -> None:
    terms, solver = Terms(), Glucose()
    clauses = Clauses(terms, solver.add)
    ones = [terms.indicator(terms.member(Symbol(f"s{i}", 0, 1), 2)) for i in range(15)]

    def compared(kind: str, total: Sum) -> Truth:
        zero = terms.at_most_zero(total) if kind == "le" else terms.is_zero(total)
        return terms.negate(zero) if kind == "ne" else zero

    before = compared(kinds[0], total_of([Sum(-7, {}), *ones[1:]]))
    after = compared(kinds[1], total_of([Sum(8, {}), *(scaled(each, -1) for each in ones[:-1])]))
    found = differences(terms, [terms.both(before, after)])
    short = [each for each in found if each not in (0, 1)]
    assert bool(short) is ("ne" not in kinds or "eq" in kinds)
    literals = [clauses.literal(each) for each in (before, after)]
    for each in found:
        assert solver.possible([*literals, -clauses.literal(each)], 5.0) is False


@pytest.mark.parametrize("seed", range(12))
def test_truth_values_are_paired_with_those_that_imply_them(seed: int) -> None:
    choice, terms, solver = random.Random(seed), Terms(), Glucose()
    clauses = Clauses(terms, solver.add)
    symbols = [Symbol(f"s{i}", -1, 2) for i in range(3)]
    gates = [terms.truth(f"g{i}") for i in range(3)]
    total = [Sum(choice.randrange(-2, 3), {})]
    for symbol in symbols:
        some, gate = terms.member(symbol, choice.choice((6, 7, 12, 14))), choice.choice(gates)
        kept = terms.choose(gate, choice.choice((0, 1)), terms.member(symbol, choice.choice((2, 14))))
        factor = choice.choice((1, -1, 2))
        total += [scaled(terms.indicator(some), factor), scaled(terms.indicator(kept), -factor)]
    whole = total_of(total)
    other = paired(terms, whole)
    assert len(other.atoms) <= len(whole.atoms)
    assert solver.possible([-clauses.literal(terms.is_zero(added(whole, other, -1)))], 5.0) is False


@pytest.mark.parametrize("seed", range(40))
def test_a_sum_lies_between_its_ends_in_every_state(seed: int) -> None:
    choice, values = random.Random(seed), Values(Terms())
    wide = [Symbol(f"n{i}", low, low + 4) for i, low in enumerate((-6, 0, 3))]
    truths = {name: values.terms.truth(name) for name in "ab"}
    found = [Sum(choice.randrange(-3, 4), {(None, symbol): 1}) for symbol in wide]
    for _ in range(6):
        one, other = choice.choice(found), choice.choice(found)
        test = choice.choice(list(truths.values()))
        some = (
            added(one, other, choice.choice((-2, -1, 1, 3))),
            scaled(one, choice.choice((-3, -1, 2))),
            total_of([one, other, Sum(2, {})]),
            values.terms.gated(test, one),
            values.sum(values.choose(test, one, other)),
        )
        found.append(choice.choice(some))
    for numbers in product((0, 4), repeat=len(wide)):
        known = {symbol: symbol.low + n for symbol, n in zip(wide, numbers, strict=True)}
        for held in product((0, 1), repeat=len(truths)):
            on = {term.args[0]: bit for term, bit in zip(truths.values(), held, strict=True)}
            for total in found:
                number = total.const + sum(
                    factor * (known[symbol] if symbol else 1)
                    for (term, symbol), factor in total.atoms.items()
                    if term is None or true(term, on)
                )
                assert total.floor <= number <= total.ceiling
