"""Integers that are not known: sums of numbers that count where something holds."""

from collections.abc import Iterable
from math import gcd
from typing import Any

from kemu_checker.symbols import Symbol, Term

Atom = tuple[Term | None, Symbol | None]  # the symbol (or 1) where the term holds (or always), else 0


class Sum:
    """const + the coefficients times the atoms; `floor` and `ceiling`: where it lies in every state, `low`
    and `high`: where it lies in those in which it is read. `cases`: the few integers that it is the sum of,
    if known."""

    __slots__ = ("atoms", "cases", "ceiling", "const", "floor", "form", "high", "low")

    def __init__(self, const: int, atoms: dict[Atom, int]) -> None:
        self.const, self.atoms = const, atoms
        self.cases: Any = None
        self.form: int | None = None  # see Terms
        self.low = self.high = const
        for (term, symbol), factor in atoms.items():
            low, high = (symbol.low, symbol.high) if symbol else (1, 1)
            if term is not None:
                low, high = min(low, 0), max(high, 0)
            self.low += min(low * factor, high * factor)
            self.high += max(low * factor, high * factor)
        self.floor, self.ceiling = self.low, self.high


def bounded(total: Sum, floor: int, ceiling: int) -> Sum:
    """The sum, newly made, which lies there in every state."""
    total.low = total.floor = max(total.floor, floor)
    total.high = total.ceiling = min(total.ceiling, ceiling)
    return total


def added(one: Sum, other: Sum, factor: int = 1) -> Sum:
    """One plus the other, or plus its multiple."""
    atoms = dict(one.atoms)
    for atom, times in other.atoms.items():
        new = atoms.get(atom, 0) + times * factor
        if new:
            atoms[atom] = new
        else:
            del atoms[atom]
    floor, ceiling = sorted((other.floor * factor, other.ceiling * factor))
    whole = Sum(one.const + other.const * factor, atoms)
    return bounded(whole, one.floor + floor, one.ceiling + ceiling)


def total_of(parts: Iterable[Sum]) -> Sum:
    """All of them together."""
    const, floor, ceiling, atoms = 0, 0, 0, dict[Atom, int]()
    for part in parts:
        const, floor, ceiling = const + part.const, floor + part.floor, ceiling + part.ceiling
        for atom, times in part.atoms.items():
            atoms[atom] = atoms.get(atom, 0) + times
    return bounded(Sum(const, {atom: times for atom, times in atoms.items() if times}), floor, ceiling)


def scaled(total: Sum, factor: int) -> Sum:
    """The sum times a number."""
    if factor == 1:
        return total
    if factor == 0:
        return Sum(0, {})
    floor, ceiling = sorted((total.floor * factor, total.ceiling * factor))
    atoms = {atom: times * factor for atom, times in total.atoms.items()}
    return bounded(Sum(total.const * factor, atoms), floor, ceiling)


def divided(total: Sum) -> Sum:
    """The same comparison to 0 with factors that have no common divisor."""
    common = gcd(*total.atoms.values())
    if common == 1:
        return total
    return Sum(-(-total.const // common), {atom: factor // common for atom, factor in total.atoms.items()})
