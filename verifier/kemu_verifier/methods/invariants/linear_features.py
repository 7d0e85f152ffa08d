"""Counters: numbers of elements with a value, sums, scalars, the clock; and the linear relations that hold
among them.

Relations are guessed from sampled states by linear algebra (Karr's affine relations, found from runs rather
than by propagation) and proved elsewhere by induction on how each step changes the counters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.mapping import Valuation
from kemu_verifier.symbolic.terms import SUM, Lin, Lit
from kemu_verifier.symbolic.transition import Transitions
from kemu_verifier.symbolic.values import Cases, Value

FEW = 8  # values of an element that are counted one by one
MOST = 40  # features among which relations are looked for
LENGTH = 8  # terms of a relation
SIZE = 10_000  # its coefficients
NAMELESS = "sum #"  # what a sum is called that only the reading of a claim has: words for nobody


@dataclass(frozen=True, slots=True)
class Feature:
    """A number that every state has."""

    words: str
    value: Lin


def features(transitions: Transitions) -> list[Feature]:
    """The counters of a program's state variables, and the clock."""
    found = [Feature("decisions made", Lin(0, ((1, transitions.clock),)))]
    for _, var, symbol in transitions.layout.shown():
        if var.length is None:
            found += _scalar(transitions, var.name, var.type, symbol)
        else:
            found += _array(transitions, var, symbol)
    return found


def _scalar(transitions: Transitions, name: str, type_: k.Type, symbol: Value) -> Iterator[Feature]:
    terms, numbers = transitions.terms, transitions.reader.numbers
    if isinstance(symbol, tuple):
        yield Feature(f"len({name})", terms.sum(0, [(1, lit) for lit in symbol]))
    elif isinstance(symbol, int):
        yield Feature(f"[{name}]", terms.sum(0, [(1, symbol)]))
    elif isinstance(type_, k.Int) and type_.low < type_.high:
        yield Feature(name, numbers.lin(symbol))


def _array(transitions: Transitions, var: k.Var, symbol: Sequence[Value]) -> Iterator[Feature]:
    terms, numbers = transitions.terms, transitions.reader.numbers
    if isinstance(var.type, k.Set):
        lits = [lit for element in symbol for lit in element]  # type: ignore[union-attr]
        yield Feature(f"all of {var.name}", terms.sum(0, [(1, lit) for lit in lits]))
    elif isinstance(var.type, k.Bool):
        yield Feature(f"number of {var.name}", terms.sum(0, [(1, lit) for lit in symbol]))  # type: ignore[misc]
    elif isinstance(var.type, k.Int) and var.type.high - var.type.low < FEW and len(symbol) > 2:
        for v in range(var.type.low, var.type.high + 1):
            text = var.texts[v - var.type.low] if var.texts else str(v)
            lits = [numbers.equal_const(element, v) for element in symbol]  # type: ignore[arg-type]
            yield Feature(f"number of {text} in {var.name}", terms.sum(0, [(1, lit) for lit in lits]))
        if not var.texts:
            yield Feature(f"sum of {var.name}", _total(transitions, symbol))
    elif len(symbol) > 2:
        yield Feature(f"sum of {var.name}", _total(transitions, symbol))
    if len(symbol) <= FEW and isinstance(var.type, k.Int):
        for at, element in enumerate(symbol):
            label = var.labels[at] if var.labels else str(at)
            yield Feature(f"{var.name}[{label}]", numbers.lin(element))  # type: ignore[arg-type]


def identities(transitions: Transitions) -> list[Lin]:
    """Sums (== 0) that are so by definition: the elements of an array that have one value or another are all
    of them.
    """
    terms, numbers, found = transitions.terms, transitions.reader.numbers, []
    for _, var, symbol in transitions.layout.shown():
        if var.length is not None and isinstance(var.type, k.Int) and 1 < var.type.high - var.type.low < FEW:
            value = Lin(-var.length)
            for v in range(var.type.low, var.type.high + 1):
                lits = [numbers.equal_const(element, v) for element in symbol]
                value = terms.plus(value, terms.sum(0, [(1, lit) for lit in lits]))
            found.append(value)
    return found


def _total(transitions: Transitions, symbol: Sequence[Value]) -> Lin:
    """The sum of the elements, as one term where they are in one-hot form."""
    pairs, rest = [], Lin(0)
    const = 0
    for element in symbol:
        if isinstance(element, Cases):
            const += element.pairs[0][0]
            pairs += [(v - element.pairs[0][0], lit) for v, lit in element.pairs[1:]]
        else:
            rest = transitions.terms.plus(rest, element)  # type: ignore[arg-type]
    return transitions.terms.plus(transitions.terms.sum(const, pairs), rest)


def indicators(transitions: Transitions, block: int) -> Iterator[Feature]:
    """1 or 0 for the values of live locals with few of them."""
    program = transitions.program
    for local in program.blocks[block].live:
        info, value = program.locals[local], transitions.layout.local(local)
        if isinstance(value, Cases) and isinstance(info.type, k.Int) and len(value.pairs) <= FEW:
            for v, lit in value.pairs[1:]:
                text = info.texts[v - info.type.low] if info.texts else str(v)
                yield Feature(f"[{info.name} == {text}]", transitions.terms.sum(0, [(1, lit)]))


def counts(transitions: Transitions, block: int) -> Iterator[Feature]:
    """The live locals that are numbers of many values, and how much there is in large sets."""
    program = transitions.program
    for local in program.blocks[block].live:
        info, value = program.locals[local], transitions.layout.local(local)
        if isinstance(value, tuple) and len(value) > FEW:
            yield Feature(f"len({info.name})", transitions.terms.sum(0, [(1, lit) for lit in value]))
        elif isinstance(info.type, k.Int) and not info.texts and info.type.high - info.type.low >= FEW:
            yield Feature(info.name, transitions.reader.numbers.lin(value))  # type: ignore[arg-type]


def sums_in(transitions: Transitions, lits: Sequence[Lit]) -> list[Feature]:
    """The sums that occur in literals over the symbolic state."""
    terms = transitions.terms
    return [
        Feature(f"{NAMELESS}{node}", Lin(0, ((1, node),)))
        for node in terms.cone(lits)
        if terms.kind[node] == SUM
    ]


def relations(
    transitions: Transitions, samples: Sequence[Valuation], block: int, counted: Sequence[Feature]
) -> Iterator[tuple[str, Lit]]:
    """Linear equations among the counters that hold in all samples at a stop; and small bounds on
    differences.
    """
    chosen: list[Feature] = []
    columns: list[list[int]] = []
    known: set[Lin] = set()
    for feature in [*indicators(transitions, block), *counts(transitions, block), *counted]:
        if not feature.value.terms or feature.value in known or len(chosen) >= MOST:
            continue
        known.add(feature.value)
        chosen.append(feature)
        columns.append([values.lin(feature.value) for values in samples])
    numbers, terms = transitions.reader.numbers, transitions.terms
    trivial = {part for value in identities(transitions) for part in (value, terms.plus(Lin(0), value, -1))}
    rows = [[1, *(column[at] for column in columns)] for at in range(len(samples))]
    for equation in kernel(rows, len(chosen) + 1):
        used = [(coef, chosen[at]) for at, coef in enumerate(equation[1:]) if coef]
        if not used or len(used) > LENGTH or max(abs(coef) for coef in equation) > SIZE:
            continue
        value = Lin(equation[0])
        for coef, feature in used:
            value = terms.plus(value, feature.value, coef)
        if value in trivial:
            continue
        words = " + ".join(
            f"{coef}*{feature.words}" if coef != 1 else feature.words for coef, feature in used
        )
        yield f"{words} == {-equation[0]}", numbers.equal_const(value, 0)
    for feature, column in zip(chosen, columns, strict=True):
        low, high = transitions.terms.range(feature.value)
        if min(column) == low + 1:
            yield (
                f"{feature.words} >= {min(column)}",
                terms.le0(terms.plus(Lin(min(column)), feature.value, -1)),
            )
        if max(column) == high - 1:
            yield f"{feature.words} <= {max(column)}", terms.le0(terms.plus(feature.value, Lin(-max(column))))


def kernel(rows: Sequence[Sequence[int]], width: int) -> list[list[int]]:
    """A basis, in integers, of the vectors c with row . c = 0 for all rows."""
    reduced: list[list[Fraction]] = []
    pivots: list[int] = []
    for row in rows:
        rest = [Fraction(entry) for entry in row]
        for base, pivot in zip(reduced, pivots, strict=True):
            if rest[pivot]:
                factor = rest[pivot]
                rest = [a - factor * b for a, b in zip(rest, base, strict=True)]
        pivot = next((at for at, entry in enumerate(rest) if entry), -1)
        if pivot < 0:
            continue
        rest = [entry / rest[pivot] for entry in rest]
        for at, base in enumerate(reduced):
            if base[pivot]:
                factor = base[pivot]
                reduced[at] = [a - factor * b for a, b in zip(base, rest, strict=True)]
        reduced.append(rest)
        pivots.append(pivot)
        if len(reduced) == width:
            return []
    basis = []
    for free in (at for at in range(width) if at not in pivots):
        vector = [Fraction(0)] * width
        vector[free] = Fraction(1)
        for base, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -base[free]
        scale = lcm(*(entry.denominator for entry in vector))
        basis.append([int(entry * scale) for entry in vector])
    return basis
