"""What a look at one instance of a game has shown that may serve another: games that were found, guesses that
held, measures that fell, parts of the state that were enough to look at.

LemmaCache say what is tried first, and nothing else: every game is replayed, every proof made anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import stop_in_words

Names = tuple[str, ...]
Set = dict[str, None]
"""Words in the order in which they came."""

MOST = 3  # games that are kept for one question


@dataclass(slots=True)
class LemmaCache:
    """`games`: by question, the choices of games that reach what it asks for. `proved`: the author's claims
    that were, which may serve as lemmas where they are not asked for. `guesses`: invariants that proofs of
    claims rest on, each with its stop. `measures`: of rankings. `parts`: by the variables looked at, the
    claims proved there."""

    games: dict[str, list[Names]] = field(default_factory=dict)
    proved: Set = field(default_factory=dict)
    guesses: Set = field(default_factory=dict)
    measures: Set = field(default_factory=dict)
    parts: dict[Names, Set] = field(default_factory=dict)

    def add(self, other: LemmaCache) -> None:
        """Takes over what another look has shown."""
        for key, games in other.games.items():
            for steps in games:
                self.game(key, steps)
        self.proved |= other.proved
        self.guesses |= other.guesses
        self.measures |= other.measures
        for names, claims in other.parts.items():
            self.parts[names] = self.parts.get(names, {}) | claims

    def game(self, key: str, steps: Sequence[str]) -> None:
        """Keeps a game for a question; the shorter ones, if there are many."""
        known = {*self.games.get(key, ()), tuple(steps)}
        self.games[key] = sorted(known, key=lambda one: (len(one), one))[:MOST]


def at_stop(program: k.Program, words: str, blocks: Sequence[int]) -> str:
    """A guess, with the stops that it is made for."""
    return f"{words} at {', '.join(stop_in_words(program, block) for block in sorted(blocks))}"


def names(program: k.Program, seen: frozenset[int]) -> Names:
    """The names of variables."""
    return tuple(program.vars[at].name for at in sorted(seen))
