"""Histories as values: multisets of snapshots that share what they have in common."""

from __future__ import annotations

from collections import Counter
from random import Random

from kemu_engine.kernel.snapshots import EMPTY, Snapshots


class Same:
    """A snapshot whose hash is that of many others."""

    def __init__(self, name: int) -> None:
        self.name = name

    def __hash__(self) -> int:
        return 7

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.name == other.name


def of(*snapshots: object) -> Snapshots:
    found = EMPTY
    for each in snapshots:
        found = found.noted(each)
    return found


def test_a_history_is_a_multiset() -> None:
    random = Random(1)
    snapshots = [(random.randrange(200), (1, 2)) for _ in range(1000)]
    found = of(*snapshots)
    assert len(found) == 1000 and dict(found.items()) == Counter(snapshots)
    assert all(found.times(each) == number for each, number in Counter(snapshots).items())
    assert found.times((200, (1, 2))) == 0


def test_the_order_of_noting_does_not_count() -> None:
    snapshots = [(number % 77,) for number in range(300)]
    found = of(*snapshots)
    Random(2).shuffle(snapshots)
    assert found == of(*snapshots) and hash(found) == hash(of(*snapshots))
    assert found != of(*snapshots[1:]) and of((1,), (1,), (2,)) != of((1,), (2,), (2,))
    assert of((1,)) != 1 and of() == EMPTY


def test_what_was_there_before_stays_as_it_was() -> None:
    one = of(*((number,) for number in range(100)))
    two = one.noted((5,))
    assert (one.times((5,)), two.times((5,)), len(one)) == (1, 2, 100)


def test_equal_hashes_decide_nothing() -> None:
    many = [Same(number) for number in range(50)]
    found = of(*many, many[3])
    assert found.times(Same(3)) == 2 and found.times(Same(49)) == 1 and found.times(Same(50)) == 0
    assert found == of(many[3], *reversed(many)) and found != of(*many, many[4])


def test_more_than_255_times_counts_as_255() -> None:
    often = EMPTY.noted((1,), 254)
    assert [often.times((1,)), often.noted((1,)).times((1,)), often.noted((1,), 9).times((1,))] == [
        254,
        255,
        255,
    ]
