"""What integers can be, by the types of their parts (R. Moore, Interval Analysis, 1966)."""

from collections.abc import Sequence

Interval = tuple[int, int]


def within(inner: Interval, outer: Interval) -> bool:
    """Whether all of one interval lies in the other."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def hull(parts: Sequence[Interval]) -> Interval:
    """The least interval that holds all of these."""
    return min(low for low, _ in parts), max(high for _, high in parts)


def of_operator(operator: str, parts: Sequence[Interval]) -> Interval:
    """What an operator of integers gives, of integers that lie there; of more than two, from the left."""
    result = parts[0]
    if len(parts) == 1:
        return _of_one(operator, result)
    for each in parts[1:]:
        result = _of_two(operator, result, each)
    return result


def _of_one(operator: str, one: Interval) -> Interval:
    low, high = one
    if operator == "neg":
        return -high, -low
    return max(low, -high, 0), max(-low, high)


def _of_two(operator: str, one: Interval, other: Interval) -> Interval:
    (a, b), (c, d) = one, other
    match operator:
        case "add":
            return a + c, b + d
        case "sub":
            return a - d, b - c
        case "mul":
            ends = [x * y for x in one for y in other]
        case "min":
            return min(a, c), min(b, d)
        case "max":
            return max(a, c), max(b, d)
        case "div":
            ends = [x // y for x in one for y in (c, -1, 1, d) if y and c <= y <= d]
        case _:
            ends = [min(0, c + 1), max(0, d - 1)]
            if c == d > 0 and a // c == b // c:  # no multiple of the divisor lies between
                ends = [a % c, b % c]
    return min(ends, default=0), max(ends, default=0)


def of_fold(operator: str, most: int, body: Interval) -> Interval:
    """What a fold over so many elements at most gives."""
    if operator == "count":
        return 0, most
    if operator == "sum":
        return min(0, most * body[0]), max(0, most * body[1])
    return body
