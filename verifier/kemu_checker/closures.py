"""Closures whose steps are not known: all rounds if the set is small, else any set that is closed."""

from collections.abc import Callable

from kemu_checker.cases import Value, bits, packed
from kemu_checker.state import Dead, State
from kemu_checker.symbols import Truth
from kemu_checker.values import Values

_EXACT = 12  # a set with unknown elements is closed exactly if it has no more than these


def closed(
    values: Values, state: State, seed: tuple[Truth, ...], grow: Callable[[State], Value], binder: int
) -> Value:
    """Unknown steps: all rounds if the set is small, else any set that holds the seed and is closed. Steps of
    elements that are not in it fault for nobody."""
    terms, size = values.terms, len(seed)
    exact = size <= _EXACT
    result = seed if exact else tuple(terms.either(each, terms.truth("closure")) for each in seed)
    steps: list[tuple[Truth, ...]] = []
    met: list[tuple[int, Truth, int]] = []  # of which element, when, and the fault
    path, first = state.path, len(state.faults)
    sound: list[Truth] = []
    for i in range(size):
        state.locals[binder] = i
        state.path = path
        try:
            step = bits(grow(state), size)
        except Dead:
            state.path, step = 0, (0,) * size
        sound.append(1 if state.path is path else state.path)
        steps.append(tuple(terms.both(each, sound[i]) for each in step) if exact else step)
        met += ((i, cond, fault) for cond, fault in state.faults[first:])
        del state.faults[first:]
    if exact:
        result = least(values, seed, steps)
    state.faults += ((terms.both(cond, result[i]), fault) for i, cond, fault in met)
    state.path = path
    for i in range(size):
        state.path = terms.both(state.path, terms.either(terms.negate(result[i]), sound[i]))
    # of several faults nobody knows which comes first; and of a large set not even what is in it
    terms.guessed |= not exact or len({fault for _, _, fault in met}) > 1
    if type(state.path) is int and not state.path:
        raise Dead
    if exact:
        return packed(result)
    for i, step in enumerate(steps):
        for j, each in enumerate(step):
            rule = terms.some((terms.negate(result[i]), terms.negate(each), result[j]))
            if type(rule) is not int:
                terms.assumed.append(rule)
    return packed(result)


def least(values: Values, seed: tuple[Truth, ...], steps: list[tuple[Truth, ...]]) -> tuple[Truth, ...]:
    """The least set that holds the seed and, with each element that has one, its step."""
    terms, result = values.terms, list(seed)
    for _ in seed:
        grown = [
            terms.some((result[j], *(terms.both(result[i], step[j]) for i, step in enumerate(steps))))
            for j in range(len(seed))
        ]
        if grown == result:
            break
        result = grown
    return tuple(result)
