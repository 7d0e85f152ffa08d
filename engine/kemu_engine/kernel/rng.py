"""Random numbers by counting: draw n of a stream is a function of (seed, game, stream, n), on all machines.

All arithmetic is on unsigned 64-bit words, modulo 2^64. `mix` is the output function and GOLDEN the step
of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom number generators, 2014),
so draw n of a stream is output n of SplitMix64 started at the stream's key:

    key         = absorb(absorb(absorb(0, seed), game), stream)
    absorb(h,p) = mix((h ^ p) + GOLDEN)
    word(n)     = mix(key + (n + 1) * GOLDEN), n = 0, 1, 2, ...
    half        : of the next word, word >> 32
    below(m)    : if m <= 2^32, the next p = half * m with p mod 2^32 >= 2^32 mod m; its value is p >> 32
    below(m)    : else the next w = half * 2^32 + half with w >= (2^64 - m) mod m; its value is w mod m

Products instead of remainders: D. Lemire, Fast random integer generation in an interval, 2019.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

WORD = (1 << 64) - 1
HALF = (1 << 32) - 1
GOLDEN = 0x9E3779B97F4A7C15

CHANCE = 0
"""The stream of chance nodes."""
PLAYERS = 1
"""The stream of players who choose at random."""


def mix(z: int) -> int:
    """Scatters a 64-bit word, one to one."""
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & WORD
    return z ^ z >> 31


def scaled(half: int, limit: int, bits: int = 32) -> int | None:
    """What a number of `bits` bits says of 0..limit-1, limit at most 2^bits; None: another one is needed."""
    product = half * limit
    rest = product & (1 << bits) - 1
    return None if rest < limit and rest < (1 << bits) % limit else product >> bits


@dataclass(slots=True)
class Stream:
    """A sequence of random numbers. Seed, game and stream count modulo 2^64; `draws` words are drawn
    already."""

    seed: int
    game: int = 0
    stream: int = CHANCE
    draws: int = 0
    key: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.key = 0
        for part in (self.seed, self.game, self.stream):
            self.key = mix((self.key ^ part & WORD) + GOLDEN & WORD)

    def word(self) -> int:
        """The next 64-bit word."""
        self.draws += 1
        return mix(self.key + self.draws * GOLDEN & WORD)

    def half(self) -> int:
        """The upper half of the next word."""
        return self.word() >> 32

    def below(self, limit: int) -> int:
        """An integer in 0..limit-1, all equally likely. `limit` is in 1..2^63; at least one word is drawn."""
        if limit <= HALF + 1:
            while (value := scaled(self.half(), limit)) is None:
                pass
            return value
        rejected = (WORD + 1 - limit) % limit
        while (word := self.half() << 32 | self.half()) < rejected:
            pass
        return word % limit

    def pick(self, weights: Sequence[int]) -> int:
        """An index, as likely as its weight says. Weights are at least 0, their sum is in 1..2^63."""
        ticket = self.below(sum(weights))
        for index, weight in enumerate(weights):
            if ticket < weight:
                return index
            ticket -= weight
        raise ValueError("a weight is negative")
