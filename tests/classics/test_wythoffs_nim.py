"""Wythoff's Nim: who is to move loses where the heaps follow the golden ratio (W. Wythoff, 1907)."""

from __future__ import annotations

from math import isqrt

from kemu_engine.play.state import State

from tests.classics.lockstep import in_step
from tests.test_classics import classic

SIZE = 13
Heaps = tuple[int, int]


def golden(k: int) -> int:
    """The golden ratio times k, rounded down."""
    return (k + isqrt(5 * k * k)) // 2


def lost(misere: bool) -> set[Heaps]:
    """The heaps of up to SIZE from which the player to move loses, by the rules alone; the smaller first."""
    known: dict[State, bool] = {}

    def loses(state: State) -> bool:
        if state not in known:
            ended, after = state.is_end, map(state.apply, state.actions())
            known[state] = not misere if ended else not any(map(loses, after))
        return known[state]

    loses(classic("wythoffs-nim", near_heap=SIZE, far_heap=SIZE, misere=misere).initial())
    heaps = [(sorted(state["heap"].values()), is_lost) for state, is_lost in known.items()]  # type: ignore[union-attr]
    return {(small, large) for (small, large), is_lost in heaps if is_lost}


def test_the_lost_positions_follow_the_golden_ratio() -> None:
    gold = {(golden(k), golden(k) + k) for k in range(SIZE) if golden(k) + k <= SIZE}
    assert gold == {(0, 0), (1, 2), (3, 5), (4, 7), (6, 10), (8, 13)} == lost(misere=False)
    assert lost(misere=True) == gold - {(0, 0), (1, 2)} | {(0, 1), (2, 2)}


class Wythoff:
    def __init__(self) -> None:
        self.heaps, self.turn, self.over, self.winner = [12, 10], 0, False, None

    def actions(self) -> list[str]:
        near, far = self.heaps
        ways = {"from_near": near, "from_far": far, "from_both": min(near, far)}
        return [f"take({way}, {n})" for way, most in ways.items() for n in range(1, most + 1)]

    def play(self, action: str) -> None:
        way, number = action[5:-1].split(", ")
        near, far = self.heaps
        self.heaps = [near - int(number) * (way != "from_far"), far - int(number) * (way != "from_near")]
        self.over = self.heaps == [0, 0]
        self.winner = self.turn if self.over else None
        self.turn = 1 - self.turn


def test_random_games_go_as_in_the_model() -> None:
    in_step(classic("wythoffs-nim"), Wythoff, games=20)
