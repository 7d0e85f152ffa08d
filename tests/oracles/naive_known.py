"""The naive evaluator's functions of what is known before play."""

from __future__ import annotations

from itertools import combinations, pairwise, product
from typing import Any

from tests.oracles.naive_values import Domain, Point, Record, elements, sorted_, text


def known(name: str, values: list[Any]) -> Any:
    """What such a function gives."""
    lists = [elements(x) for x in values if isinstance(x, tuple | frozenset | range | dict)]
    match name:
        case "sorted":
            return tuple(sorted_(lists[0]))
        case "reversed":
            return tuple(reversed(lists[0]))
        case "enumerate":
            return tuple(map(Record, enumerate(lists[0])))
        case "zip":
            return tuple(map(Record, zip(*lists, strict=False)))
        case "pairs":
            return tuple(map(Record, pairwise(lists[0])))
        case "range":
            return tuple(range(*values))
        case "product":
            return tuple(map(Record, product(*lists)))
        case "subsets":
            return tuple(map(frozenset, combinations(sorted_(set(lists[0])), values[1])))
        case "union":
            return frozenset(x for one in lists[0] for x in elements(one))
        case "grid":
            return Domain.of(Point((x, y)) for y in values[1] for x in values[0])
        case "hexes":
            n = values[0]
            around = [(q, r) for q in range(-n, n + 1) for r in range(-n, n + 1)]
            return Domain.of(Record(x) for x in around if abs(x[0] + x[1]) <= n)
        case "words":
            return tuple(values[0].split())
        case "upper":
            return values[0].upper()
        case "text":
            return text(values[0])
    raise NotImplementedError(name)
