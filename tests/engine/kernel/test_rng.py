"""Random numbers: fixed words for every machine, and games that replay from their seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kemu_engine.batch.playout import playout, walk
from kemu_engine.kernel.rng import CHANCE, GOLDEN, PLAYERS, Stream, mix, scaled
from kemu_engine.play.game import Game

from tests.engine.build import Builder
from tests.engine.games import hidden_coin, nim, pig
from tests.engine.interp.test_faults import overrun


def test_mix_is_that_of_splitmix64() -> None:
    """The first outputs for the seed 1234567, as published with many implementations."""
    outputs = [mix((1234567 + n * GOLDEN) % 2**64) for n in (1, 2, 3)]
    assert outputs == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_words_are_fixed() -> None:
    stream = Stream(0)
    assert [stream.word() for _ in range(3)] == [0x2130748AAAC80268, 0xCC78FB979CE5090, 0xAB9AA3DAFBA6B4AC]
    assert Stream(42, 7, PLAYERS).word() == 0x63AD224A8C57DC1D


def test_bounded_and_weighted_draws_are_fixed() -> None:
    players, chance = Stream(42, 7, PLAYERS), Stream(42, 7, CHANCE)
    assert [players.below(6) for _ in range(12)] == [2, 0, 1, 4, 2, 4, 4, 2, 3, 3, 5, 3]
    assert [chance.pick([1, 0, 3]) for _ in range(12)] == [2, 0, 2, 2, 0, 2, 2, 2, 2, 2, 2, 2]


def test_every_number_comes_from_equally_many_words() -> None:
    """The rule with words of 8 bits, counted: for all limits, over all words."""
    for limit in range(1, 257):
        counts = Counter(scaled(word, limit, bits=8) for word in range(256))
        rejected = counts.pop(None, 0)
        assert counts == dict.fromkeys(range(limit), 256 // limit)
        assert rejected == 256 % limit


def test_words_that_would_favour_some_numbers_are_rejected() -> None:
    for limit in (3 << 30, 3 << 61):
        stream = Stream(1)
        drawn = [stream.below(limit) for _ in range(1000)]
        assert all(0 <= number < limit for number in drawn)
        words = stream.draws if limit <= 1 << 32 else stream.draws / 2
        assert 1250 < words < 1420  # a quarter is rejected


def test_larger_limits_take_the_upper_halves_of_two_words() -> None:
    one, two, three = Stream(7), Stream(7), Stream(7)
    assert one.below(1 << 32) == three.half()
    assert two.below((1 << 32) + 1) == (Stream(7).half() << 32 | three.half()) % ((1 << 32) + 1)


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**63))
def test_draws_depend_on_their_key_and_number_only(seed: int, limit: int) -> None:
    one, other = Stream(seed, 3), Stream(seed, 3)
    first = one.below(limit)
    assert other.below(limit) == first
    assert Stream(seed + 2**64, 3).below(limit) == first
    assert Stream(seed, 3, draws=one.draws).word() == one.word()


def test_picks_follow_their_weights() -> None:
    stream = Stream(5)
    counts = Counter(stream.pick([1, 0, 3]) for _ in range(4000))
    assert set(counts) == {0, 2}
    assert 900 < counts[0] < 1100


def test_a_playout_is_the_same_every_time() -> None:
    game = Game(pig())
    assert [playout(game, 1, i) for i in range(20)] == [playout(game, 1, i) for i in range(20)]
    assert len({playout(game, 1, i).decisions for i in range(20)}) > 3
    assert playout(game, 1, 0) != playout(game, 2, 0)


def test_a_playout_counts_what_happens() -> None:
    states = [state for state, _ in walk(Game(hidden_coin()), 9, 4)]
    summary = playout(Game(hidden_coin()), 9, 4)
    assert (summary.decisions, summary.branching, summary.outcomes) == (2, 4, 1)
    assert (summary.ending, summary.result) == ("end", states[-1].result)


@pytest.mark.parametrize(("limit", "ending"), [(3, "cut"), (4, "cut"), (100, "end")])
def test_a_playout_is_cut_off_at_its_limit(limit: int, ending: str) -> None:
    summary = playout(Game(nim(stones=30)), 0, 0, max_decisions=limit)
    assert summary.ending == ending
    assert summary.decisions <= limit
    assert (summary.result is None) == (ending == "cut")


def test_a_playout_that_just_reaches_its_limit_ends() -> None:
    length = playout(Game(nim()), 0, 0).decisions
    assert playout(Game(nim()), 0, 0, max_decisions=length).ending == "end"
    assert playout(Game(nim()), 0, 0, max_decisions=length - 1).ending == "cut"


def test_a_playout_tells_a_fault() -> None:
    summary = playout(overrun(Builder()), 0, 0)
    assert summary.ending == "fault"
    assert summary.fault is not None
    assert summary.fault.code == "overrun"
