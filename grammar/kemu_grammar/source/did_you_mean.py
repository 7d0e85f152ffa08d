"""Suggestions: the name that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable


def distance(a: str, b: str, most: int) -> int:
    """Edit distance with transpositions (optimal string alignment), or `most + 1` if it is larger."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        new = [i]
        for j, y in enumerate(b, 1):
            best = min(row[j] + 1, new[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, before[j - 2] + 1)
            new.append(best)
        if min(new) > most:
            return most + 1
        before, row = row, new
    return row[-1]


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name nearest to `name`, if one is near enough to be what was meant; ties go to the first."""
    most = 1 if len(name) <= 5 else 2 if len(name) <= 9 else 3
    best, found = most + 1, None
    for other in known:
        if other == name:
            continue
        d = 0 if other.lower() == name.lower() else distance(name, other, most)
        if d < best and d < max(len(name), len(other)):
            best, found = d, other
    return found
