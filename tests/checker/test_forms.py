"""Sums of integers that are others and a little more: they are what the integers are, for all values of their
symbols.
"""

from __future__ import annotations

import random
from itertools import product
from math import prod
from typing import Any

import pytest
from kemu_checker.cases import Cases, Value, high, low
from kemu_checker.sums import Sum
from kemu_checker.symbols import Symbol
from kemu_checker.terms import Terms
from kemu_checker.values import Values


def holds(term: Any, at: dict[Symbol, int]) -> bool:
    """A truth value, where the symbols have these values."""
    if isinstance(term, int):
        return bool(term)
    match term.kind:
        case "in":
            symbol, mask = term.args
            return bool(mask >> (at[symbol] - symbol.low) & 1)
        case "and":
            return all(holds(each, at) for each in term.args)
        case "or":
            return any(holds(each, at) for each in term.args)
    number = total(term.args[0], at)
    return {"le": number <= 0, "eq": number == 0, "ne": number != 0}[term.kind]


def total(sum_: Sum, at: dict[Symbol, int]) -> int:
    parts = (
        factor * (at[s] if s else 1)
        for (held, s), factor in sum_.atoms.items()
        if held is None or holds(held, at)
    )
    return sum_.const + sum(parts)


def number(value: Value, at: dict[Symbol, int]) -> int:
    if isinstance(value, Cases):
        (found,) = [n for n, cond in value.table if holds(cond, at)]
        return found
    return value if isinstance(value, int) else total(value, at)


@pytest.mark.parametrize("seed", range(30))
def test_what_is_added_to_one_of_many(seed: int) -> None:
    choice, values = random.Random(seed), Values(Terms())
    heaps = [Symbol(f"heap{i}", 0, 2) for i in range(3)]
    which, other, flag = Symbol("which", 0, 2), Symbol("other", 0, 2), Symbol("flag", 0, 1)
    symbols = [*heaps, which, other, flag]
    held: list[Value] = [values.integer(each) for each in heaps]
    for _ in range(3):  # as a program puts one more on a heap, somewhere, sometimes
        index = values.integer(choice.choice([which, other]))
        more = choice.choice([1, -1, 2])
        put = values.add(values.pick(index, held.__getitem__), more)
        if choice.random() < 0.5:
            put = values.choose(values.terms.member(flag, 2), put, values.integer(choice.choice(heaps)))
        where = index if choice.random() < 0.8 else values.integer(which)
        put_on = [values.choose(cond, put, held[n]) for n, cond in values.listed(where)]
        test = values.terms.member(flag, choice.choice([1, 2]))
        held = (
            put_on
            if choice.random() < 0.5
            else [values.choose(test, a, b) for a, b in zip(put_on, held, strict=True)]
        )
    sums = [values.sum(each) for each in held]
    assert prod(s.high - s.low + 1 for s in symbols) < 1000
    for row in product(*(range(s.low, s.high + 1) for s in symbols)):
        at = dict(zip(symbols, row, strict=True))
        for each, sum_ in zip(held, sums, strict=True):
            assert low(each) <= number(each, at) == total(sum_, at) <= high(each)


def test_one_more_on_a_heap_is_one_more_on_all() -> None:
    values = Values(Terms())
    held: list[Value] = [values.integer(Symbol(f"heap{i}", 0, 20)) for i in range(6)]
    which = values.integer(Symbol("which", 0, 5))
    put = values.add(values.pick(which, held.__getitem__), 1)
    after = [values.choose(cond, put, held[n]) for n, cond in values.listed(which)]
    more = values.sub(_sum(values, after), _sum(values, held))
    assert more == 1


def _sum(values: Values, parts: list[Value]) -> Value:
    found: Value = 0
    for part in parts:
        found = values.add(values.sum(found), values.sum(part))
    return found
