"""What terms become when they are made, or a condition when it is looked at closely, holds where they do."""

import random
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import pytest
from kemu_checker.cnf import Clauses
from kemu_checker.pure import purified
from kemu_checker.shortening import gathered, paired
from kemu_checker.solvers import Glucose
from kemu_checker.sums import Sum, added, scaled, total_of
from kemu_checker.symbols import Symbol, Truth
from kemu_checker.terms import Terms
from kemu_checker.values import Values

State = Mapping[Symbol, int]
Holds = Callable[[State], bool]


class Growing:
    """Terms made at random, each with what it should be."""

    def __init__(self, seed: int) -> None:
        self.choice, self.terms = random.Random(seed), Terms()
        self.symbols = [Symbol(f"s{i}", 0, 2) for i in range(3)] + [Symbol(f"b{i}", 0, 1) for i in range(3)]
        self.known: list[tuple[Truth, Holds]] = []
        for symbol in self.symbols:
            for mask in range(1, symbol.full):
                self.known.append(
                    (self.terms.member(symbol, mask), lambda at, s=symbol, m=mask: bool(m >> at[s] & 1))
                )

    def more(self, count: int) -> None:
        """So many more."""
        for _ in range(count):
            some = self.choice.sample(self.known[-20:] + self.known[:12], self.choice.randrange(1, 4))
            terms, holds = [term for term, _ in some], [each for _, each in some]
            match self.choice.randrange(6):
                case 0:
                    new = self.terms.every(terms), lambda at, h=holds: all(each(at) for each in h)
                case 1:
                    new = self.terms.some(terms), lambda at, h=holds: any(each(at) for each in h)
                case 2:
                    new = self.terms.negate(terms[0]), lambda at, h=holds: not h[0](at)
                case 3 if len(some) == 3:
                    new = self.terms.choose(*terms), lambda at, h=holds: h[1](at) if h[0](at) else h[2](at)
                case 4:
                    total, number = self.sum(terms, holds)
                    new = self.terms.is_zero(total), lambda at, n=number: n(at) == 0
                case _:
                    total, number = self.sum(terms, holds)
                    new = self.terms.at_most_zero(total), lambda at, n=number: n(at) <= 0
            self.known.append(new)

    def related(self, count: int) -> tuple[list[Truth], list[Holds]]:
        """So many terms, each with one that implies it and one that it excludes."""
        terms: list[Truth] = []
        holds: list[Holds] = []
        for (term, one), (other, two) in (self.choice.sample(self.known, 2) for _ in range(count)):
            terms += [term, self.terms.both(term, other), self.terms.both(self.terms.negate(term), other)]
            holds += [one, lambda at, a=one, b=two: a(at) and b(at), lambda at, a=one, b=two: b(at) > a(at)]
        return terms, holds

    def sum(self, terms: list[Truth], holds: list[Holds]) -> tuple[Sum, Callable[[State], int]]:
        """A sum with these parts."""
        const, weights = self.choice.randrange(-2, 3), [self.choice.choice((-2, -1, 1, 2)) for _ in terms]
        ones = [
            Sum(0, {(term, None): 1})
            if type(term) is not int and self.choice.randrange(2)
            else self.terms.indicator(term)
            for term in terms
        ]
        parts = [scaled(one, k) for one, k in zip(ones, weights, strict=True)]
        total = total_of([Sum(const, {}), *parts])
        return total, lambda at: const + sum(k * h(at) for k, h in zip(weights, holds, strict=True))

    def states(self) -> Iterator[State]:
        """All."""
        for values in product(*(range(symbol.high + 1) for symbol in self.symbols)):
            yield dict(zip(self.symbols, values, strict=True))


def true(term: Truth, at: State) -> bool:
    if type(term) is int:
        return bool(term)
    match term.kind:
        case "in":
            return bool(term.args[1] >> at[term.args[0]] & 1)
        case "and":
            return all(true(each, at) for each in term.args)
        case "or":
            return any(true(each, at) for each in term.args)
    number = value(term.args[0], at)
    return number <= 0 if term.kind == "le" else (number == 0) is (term.kind == "eq")


def value(total: Sum, at: State) -> int:
    return total.const + sum(k for (held, _), k in total.atoms.items() if held is None or true(held, at))


@pytest.mark.parametrize("seed", range(15))
def test_what_is_made_simpler_means_the_same(seed: int) -> None:
    growing = Growing(seed)
    growing.more(60)
    for at in growing.states():
        assert all(true(term, at) is holds(at) for term, holds in growing.known)


@pytest.mark.parametrize("seed", range(15))
def test_parts_of_a_sum_that_imply_or_exclude_each_other_leave_the_sum_as_it_is(seed: int) -> None:
    growing = Growing(seed)
    growing.more(30)
    shorter = 0
    for _ in range(20):
        total, number = growing.sum(*growing.related(3))
        left = paired(growing.terms, total)
        shorter += len(left.atoms) < len(total.atoms)
        assert all(value(left, at) == number(at) for at in growing.states())
    assert shorter


def test_of_two_ways_that_exclude_each_other_what_they_share_is_left() -> None:
    terms = Terms()
    a, b, c = map(terms.truth, "abc")
    both = terms.both(b, c)
    assert terms.some([terms.both(a, both), terms.both(a, terms.negate(both))]) is a
    assert terms.both(a, terms.either(terms.negate(a), both)) is terms.every([a, b, c])


@pytest.mark.parametrize("seed", range(15))
def test_values_that_are_wanted_one_way_only_change_nothing(seed: int) -> None:
    growing = Growing(seed)
    growing.more(30)
    terms, states = growing.terms, list(growing.states())
    terms.assumed += [term for term, _ in growing.known[-3:-1] if type(term) is not int and seed % 2]
    for _ in range(20):
        parts = [term for term, _ in growing.choice.sample(growing.known, 3)]
        pure = purified(terms, parts)
        there, then = (
            any(all(true(each, at) for each in [*some, *terms.assumed]) for at in states)
            for some in (parts, pure)
        )
        assert there is then


def test_a_value_of_which_something_is_assumed_stays_unknown() -> None:
    terms = Terms()
    new, old = terms.truth("new"), terms.truth("old")
    terms.assumed.append(terms.either(terms.negate(new), old))
    assert purified(terms, [new, terms.negate(old)]) == [new, terms.negate(old)]


def test_a_value_that_makes_a_sum_what_it_has_to_be_is_wanted_both_ways() -> None:
    terms = Terms()
    one_of_three = terms.is_zero(total_of([Sum(-1, {}), *(terms.indicator(terms.truth(n)) for n in "abc")]))
    assert one_of_three.kind == "eq"
    assert purified(terms, [one_of_three]) == [one_of_three]
    assert purified(terms, [terms.negate(one_of_three)]) == [terms.negate(one_of_three)]


def test_a_value_that_would_only_be_in_the_way_is_the_other_one() -> None:
    terms = Terms()
    places = [terms.truth(f"place {i}") for i in range(4)]
    cleared = [terms.truth(f"cleared {i}") for i in range(4)]
    empty = [terms.either(terms.negate(place), each) for place, each in zip(places, cleared, strict=True)]
    few = terms.at_most_zero(total_of([Sum(-2, {}), *map(terms.indicator, empty)]))
    full = terms.at_most_zero(total_of([Sum(-3, {}), *map(terms.indicator, places)]))
    left, same = purified(terms, [few, full])
    assert same is full
    assert left is terms.at_most_zero(
        total_of([Sum(-2, {}), *(terms.indicator(terms.negate(place)) for place in places)])
    )


@pytest.mark.parametrize("new", [1, 2])
def test_where_one_place_is_filled_all_places_count_as_one(new: int) -> None:
    """So many places are filled that were not: the solver knows that no two are."""
    terms, solver = Terms(), Glucose()
    clauses = Clauses(terms, solver.add)
    places = [Symbol(f"place {i}", 0, 5) for i in range(20)]
    way, there = Symbol("way", 0, 19), terms.truth("there is something")
    filled = [terms.member(place, 62) for place in places]
    after = [
        terms.either(terms.both(has, terms.negate(here)), terms.both(here, terms.either(there, has)))
        for has, here in zip(filled, (terms.member(way, 1 << i) for i in range(20)), strict=True)
    ]
    more = total_of([Sum(new, {}), *map(terms.indicator, filled), *(_less(terms, each) for each in after)])
    condition = terms.at_most_zero(more)

    def impossible(some: list[Truth]) -> bool:
        return solver.possible([clauses.literal(each) for each in some], 20.0) is False

    (found,) = gathered(terms, [condition], impossible)
    assert impossible([found]) is (new == 2)
    assert impossible([found, terms.negate(there)])


@pytest.mark.parametrize("seed", range(6))
def test_what_is_gathered_says_the_same_where_the_rest_holds(seed: int) -> None:
    growing, solver = Growing(seed), Glucose()
    growing.more(20)
    terms, clauses = growing.terms, Clauses(growing.terms, solver.add)

    def impossible(some: list[Truth]) -> bool:
        return solver.possible([clauses.literal(each) for each in some], 20.0) is False

    shorter = 0
    while shorter < 3:
        rest = [term for term, _ in growing.choice.sample(growing.known, 2) if not impossible([term])]
        if impossible(rest):
            continue
        total, _ = growing.sum(*growing.related(9))
        condition = growing.choice.choice((terms.at_most_zero, terms.is_zero))(total)
        if type(condition) is int:
            continue
        for found in gathered(terms, [condition], lambda some, rest=rest: impossible([*rest, *some])):
            shorter += 1
            assert impossible([*rest, condition, terms.negate(found)])
            assert impossible([*rest, found, terms.negate(condition)])


def _less(terms: Terms, term: Truth) -> Sum:
    return scaled(terms.indicator(term), -1)


@pytest.mark.parametrize("size", [3, 40])
def test_a_long_sum_on_one_of_two_ways_is_what_it_is_there(size: int) -> None:
    values = Values(Terms())
    terms, solver = values.terms, Glucose()
    clauses, test = Clauses(terms, solver.add), terms.truth("test")
    then, other = (
        total_of([Sum(0, {(None, Symbol(f"{name} {i}", 0, 99)): 1}) for i in range(size)]) for name in "ab"
    )
    found = values.choose(test, then, other)
    for less, more in ((then, other), (other, then)):  # every state can be met
        there = [test, terms.at_most_zero(added(added(less, Sum(1, {})), more, -1)), *terms.assumed]
        assert solver.possible([clauses.literal(each) for each in there], 60.0)
    for cond, here in ((test, then), (terms.negate(test), other)):
        differs = terms.negate(terms.is_zero(added(values.sum(found), here, -1)))
        literals = [clauses.literal(each) for each in (cond, differs, *terms.assumed)]
        assert solver.possible(literals, 60.0) is False


def test_what_turns_out_to_hold_always_is_a_part_like_others() -> None:
    """That it does is seen only where its negation is made, which is a number."""
    terms, (here, there, way) = Terms(), (Symbol(name, 0, 1) for name in ("here", "there", "way"))
    always = terms.some(
        terms.both(terms.member(way, which), terms.member(place, value))
        for value in (1, 2)
        for place, which in ((here, 1), (there, 2))
    )
    assert type(always) is not int
    assert terms.negate(always) == 0
    assert len(terms.indicator(always).atoms) == 1
    free, other = terms.truth("free"), terms.truth("other")
    some = terms.some([terms.both(always, free), terms.both(other, free)])
    for values in product((0, 1), repeat=5):
        at = dict(zip((here, there, way, free.args[0], other.args[0]), values, strict=True))
        assert true(some, at) is bool(at[free.args[0]])
