"""Closures whose steps are not known: all rounds if the set is small, else any set that is closed."""

from collections.abc import Callable

from kemu_checker.state import Dead, State
from kemu_checker.terms import TooLarge, Truth
from kemu_checker.values import Value, Values, bits, packed

_EXACT = 12  # a set with unknown elements is closed exactly if it has no more than these


def closed(
    values: Values,
    state: State,
    seed: tuple[Truth, ...],
    grow: Callable[[State], Value],
    binder: int,
    risky: bool,
) -> Value:
    """Unknown steps: all rounds if the set is small, else any set that holds the seed and is closed."""
    terms, size = values.terms, len(seed)
    exact = size <= _EXACT
    result = seed if exact else tuple(terms.either(each, terms.truth("closure")) for each in seed)
    steps: list[tuple[Truth, ...] | None] = []
    path = state.path
    for i in range(size):
        state.locals[binder] = i
        faults = len(state.faults)
        try:
            state.path = path
            steps.append(bits(grow(state), size))
        except Dead:
            steps.append(None)
        if risky and exact and len(state.faults) > faults:
            raise TooLarge("a closure whose steps may fault")
        state.faults[faults:] = [
            (terms.both(cond, result[i]), fault) for cond, fault in state.faults[faults:]
        ]
    state.path = path
    if exact:
        return packed(least(values, seed, steps))
    terms.guessed = True
    for i, step in enumerate(steps):
        for j, each in enumerate(step or ()):
            rule = terms.some((terms.negate(result[i]), terms.negate(each), result[j]))
            if type(rule) is not int:
                terms.assumed.append(rule)
    return packed(result)


def least(
    values: Values, seed: tuple[Truth, ...], steps: list[tuple[Truth, ...] | None]
) -> tuple[Truth, ...]:
    """The least set that holds the seed and, with each element that has one, its step."""
    terms, result = values.terms, list(seed)
    for _ in seed:
        grown = [
            terms.some((result[j], *(terms.both(result[i], step[j]) for i, step in enumerate(steps) if step)))
            for j in range(len(seed))
        ]
        if grown == result:
            break
        result = grown
    return tuple(result)
