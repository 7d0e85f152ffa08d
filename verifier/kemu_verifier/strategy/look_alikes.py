"""Sets of states that somebody cannot tell apart: all plays at once that give him the same information state.

The subset construction of games with imperfect information (Reif 1984, "The Complexity of Two-Player Games
of Incomplete Information"): from a set, by what he is told, to the states that may follow, apart by what he
sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.kernel.sight import on_the_table, written
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.strategy.observer import Chosen, Observer, stop
from kemu_verifier.symbolic.deadline import Deadline

Key = tuple[int, Chosen]
"""A state by its number, and what has been chosen together there that is still to be told."""


@dataclass(frozen=True, slots=True)
class Alike:
    """States that look alike: each with the one before it in the set `before`, and the number of the choice
    made there."""

    before: Alike | None
    keys: dict[Key, tuple[Key, int] | None]


@dataclass(frozen=True, slots=True)
class Twins:
    """Two plays that he cannot tell apart (the choices made, and where they lead), and what differs there."""

    seer: int
    plays: tuple[tuple[str, ...], tuple[str, ...]]
    states: tuple[State, State]
    differ: str


class LookAlikes:
    """What is alike to players of one game. The states are shared, so that each is worked out once."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.program = steps.game.program
        self.states: list[State] = []
        self.sets = 0
        self._numbers: dict[State, int] = {}
        self._moves: dict[int, list[int]] = {}
        self.observer = Observer(self.program)

    # ------------------------------------------------------------------------------------------ all sets

    def search(self, seer: int, public: bool, most: int, deadline: Deadline) -> tuple[Twins | None, bool]:
        """Two plays that a player (or, by the number after the last, somebody without a seat) cannot tell
        apart, and should not differ as they do; whether all sets have been seen. `public`: what he sees next
        has to follow from what he knew and was told; else what he may do has to follow from what he knows.
        """
        first, _, _ = self.steps.begin()
        if first is None:
            return None, True
        waiting, seen, size = [Alike(None, {(self._number(first), ()): None})], set[frozenset[Key]](), 0
        for group in waiting:
            size += len(group.keys)
            if size > most or deadline.passed:
                return None, False
            for following in self._following(group, seer):
                found, parts = self._parted(following, seer, public)
                if found is not None:
                    return found, False
                for part in parts:
                    name = frozenset(part.keys)
                    if name not in seen:
                        seen.add(name)
                        waiting.append(part)
            self.sets += 1
        return None, True

    def _following(self, group: Alike, seer: int) -> Iterator[Alike]:
        """What may follow, apart by what he is told of the step and of what was chosen together before it."""
        found: dict[tuple[str, Chosen], dict[Key, tuple[Key, int] | None]] = {}
        for key in group.keys:
            number, pending = key
            state = self.states[number]
            for at, after in enumerate(self._after(number)):
                if after < 0:
                    continue
                text = self.observer.told(state, at, seer)
                chosen, told_now = self.observer.together(state, at, self.states[after], pending)
                others = tuple(each for each in told_now if each[0] != seer)
                found.setdefault((text, others), {}).setdefault((after, chosen), (key, at))
        for keys in found.values():
            yield Alike(group, keys)

    def _parted(self, group: Alike, seer: int, public: bool) -> tuple[Twins | None, list[Alike]]:
        """What he sees to be different, apart; or two states that should not differ."""
        parts: dict[object, dict[Key, tuple[Key, int] | None]] = {}
        for key, way in group.keys.items():
            parts.setdefault(self._sees(self.states[key[0]], seer), {})[key] = way
        if public:
            if len(parts) > 1:
                one, other = list(parts.values())[:2]
                return self._twins(group, seer, next(iter(one)), next(iter(other)), True), []
            return None, [Alike(group.before, keys) for keys in parts.values()]
        apart: list[Alike] = []
        for keys in parts.values():
            whole = Alike(group.before, keys)
            asked: dict[object, Key] = {}
            split: dict[object, dict[Key, tuple[Key, int] | None]] = {}
            for key, way in keys.items():
                state = self.states[key[0]]
                asked.setdefault(self.observer.may(state, seer), key)
                split.setdefault(self.observer.asked(state), {})[key] = way
            if len(asked) > 1:
                one_key, other_key = list(asked.values())[:2]
                return self._twins(whole, seer, one_key, other_key, False), []
            apart += [Alike(group.before, each) for each in split.values()]
        return None, apart

    # ------------------------------------------------------------------------------------------ one state

    def _sees(self, state: State, seer: int) -> object:
        """What he sees of it; who has no seat, with who is asked and for what."""
        cells = self.observer.cells(state, seer)
        return (cells, self.observer.asked(state)) if seer == len(self.program.players) else cells

    def _number(self, state: State) -> int:
        number = self._numbers.setdefault(state, len(self.states))
        if number == len(self.states):
            self.states.append(state)
        return number

    def _after(self, number: int) -> list[int]:
        """Where the choices of a state lead; -1 for a fault."""
        if number not in self._moves:
            state = self.states[number]
            after = [self.steps.follow(state, at)[0] for at in range(len(state.choices))]
            self._moves[number] = [-1 if then is None else self._number(then) for then in after]
        return self._moves[number]

    # ------------------------------------------------------------------------------------------ what is shown

    def _twins(self, group: Alike, seer: int, one: Key, other: Key, public: bool) -> Twins:
        states = self.states[one[0]], self.states[other[0]]
        told_apart = self._seen_apart if public else self._done_apart
        return Twins(
            seer, (self._way(group, one), self._way(group, other)), states, told_apart(*states, seer)
        )

    def _way(self, group: Alike | None, key: Key) -> tuple[str, ...]:
        """The choices that lead to a state of a set."""
        found: list[str] = []
        while group is not None:
            way = group.keys[key]
            if way is None:
                break
            key, at = way
            before = self.states[key[0]]
            found.append(written(self.program, stop(before), before.choices[at]))
            group = group.before
        return tuple(reversed(found))

    def _seen_apart(self, one: State, other: State, seer: int) -> str:
        for at, var in on_the_table(self.program):
            if var.seen is None and one.vars[at] != other.vars[at]:
                return f"`{var.name}` differs"
        if (one.player, other.player) != (-1, -1) and one.player != other.player:
            return (
                "another player acts" if min(one.player, other.player) >= 0 else "only in one somebody acts"
            )
        return (
            f"one comes to {one.label}, the other to {other.label}"
            if one.label != other.label
            else "other actions are on offer"
        )

    def _done_apart(self, one: State, other: State, seer: int) -> str:
        mine = [each.player == seer for each in (one, other)]
        return "the legal actions differ" if all(mine) else "only in one it is this player's turn"
