"""All that can happen in a little game with loops, and what is true of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from tests.oracles.little import Claim, Fault
from tests.oracles.little_meaning import judged, kept, reaching, spoken_of
from tests.oracles.looping import (
    CHOOSE,
    END,
    ROLL,
    Arm,
    Expr,
    Looping,
    Plays,
    Run,
    Silent,
    Stack,
    State,
    Stuck,
    Values,
)


@dataclass
class Meaning:
    """All that can happen in a game, or in a rule by itself from some states. Raises OverflowError if there
    are more than so many states."""

    game: Looping
    most: int
    begun: list[State | None] | None = None
    after: dict[State, list[State | None]] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.player = Plays(self.game)
        if self.begun is None:
            code = (*self.game.begin, ("turns", self.game.turn))
            self.begun = [self._noted((("code", code, 0),), self.game.first)]
        todo = list(self.begun)
        while todo:
            state = todo.pop()
            if state is None or state in self.after:
                continue
            if len(self.after) >= self.most:
                raise OverflowError
            self.after[state] = list(self._next(state))
            todo += self.after[state]

    def _noted(self, stack: Stack, v: Values) -> State | None:
        run = Run(self.player, stack, dict(v))
        try:
            return run.go()
        except Stuck:
            self.faults.add("stuck")
        except Silent:
            self.faults.add("silent")
        except Fault:
            self.faults.add("fault")
        return None

    def _next(self, state: State) -> Iterator[State | None]:
        stop, told, stack, values = state
        v = dict(values)
        if stop == CHOOSE:
            for arm, given in self.player.legal(told[0], v):
                self.taken.add(arm.name)
                yield self._noted((*stack, ("code", (*arm.before, *arm.code), 0)), given)
        elif stop == ROLL:
            name, sides = told
            for n in range(1, sides + 1):
                yield self._noted(stack, v | {name: n})

    # What is true

    def truth(self) -> dict[str, str]:
        """The verdicts, by the keys of questions."""
        found = {claim.name: self._claim(claim) for claim in self.game.claims}
        found["no_fault"] = _said(bad=bool(self.faults - {"stuck"}))
        found["never_stuck"] = _said(bad="stuck" in self.faults)
        found["terminates"] = _said(bad=bool(kept(self.after, lambda _: False)))
        if any(state[0] == ROLL for state in self.after):
            lasting = kept(self.after, lambda state: state[0] == ROLL)
            found["ends_almost_surely"] = _said(bad=bool(lasting))
        found |= {name: _said(bad=name in self.player.failed) for name in self.game.asserted}
        found["result_determined"] = "proved"
        for name in arms_of(self.game):
            found[f"action_possible({name})"] = "possible" if name in self.taken else "impossible"
        return found | {claim.name: self._alone(claim) for claim in self.game.alone}

    def value(self, e: Expr, state: State) -> Any:
        """Of an expression in a state."""
        return self.player.value(e, dict(state[3]))

    def spoken_of(self) -> list[State]:
        """The decisions and ends."""
        return [state for state in self.after if state[0] in (CHOOSE, END)]

    def greatest(self, e: Expr) -> int:
        """The greatest value of an expression."""
        return max(self.value(e, state) for state in self.spoken_of())

    def _claim(self, claim: Claim) -> str:
        def there(state: State) -> bool:
            if claim.at:
                return state[0] == CHOOSE and claim.at in [arm.name for arm in state[1][0]]
            return state[0] in (CHOOSE, END) or (claim.form == "everywhere" and state[0] is not None)

        seen = spoken_of(claim, self.after, self.begun or (), there)
        return judged(claim, seen, self.after, self.value)

    # Rules by themselves

    def _alone(self, claim: Claim) -> str:
        game = self.game
        spans: list[Any] = [range(low, high + 1) for low, high, _ in game.ranges.values()]
        spans.append(list(product(range(game.most + 1), repeat=game.places)))
        places = range(game.places)
        spans.append([frozenset(i for i in places if mask >> i & 1) for mask in range(1 << game.places)])
        names = [*game.ranges, "m", "s"]
        code = (("call", claim.at),)
        held, begun = False, []
        faulted = Meaning.__new__(Meaning)
        faulted.__dict__ |= {"game": game, "most": self.most, "player": Plays(game), "faults": set()}
        for values in product(*spans):
            v = dict(zip(names, values, strict=True)) | {"p": 0}
            if self.player.value(claim.e, v):
                held = True
                begun.append(faulted._noted((("code", code, 0),), v))
        if not held:
            return "proved"
        run = Meaning(game, 100 * self.most, begun)
        after = {state: [x for x in more if x is not None] for state, more in run.after.items()}
        ends = [state for state in after if state[0] in (END, None)]
        broken = bool(faulted.faults | run.faults)
        match claim.form:
            case "returns":
                return _said(bad=broken or bool(kept(after, lambda _: False)))
            case "never returns":
                return _said(bad=bool(ends) or bool((faulted.faults | run.faults) - {"silent"}))
            case _:
                over = reaching(after, ends)
                return _said(bad=any(each is None or each not in over for each in begun))


def _said(bad: bool) -> str:
    return "refuted" if bad else "proved"


def arms_of(game: Looping) -> Iterator[str]:
    """The names of all actions that are asked about: those that play of the whole game has."""
    todo: list[Any] = [game.begin, game.turn, *(game.rules[name] for name in called(game))]
    while todo:
        each = todo.pop()
        if isinstance(each, Arm):
            yield each.name
            todo += [each.before, each.code]
        elif isinstance(each, tuple):
            todo += each


def called(game: Looping) -> set[str]:
    """The rules that play of the whole game calls."""
    found: set[str] = set()
    todo: list[Any] = [game.begin, game.turn]
    while todo:
        each = todo.pop()
        if isinstance(each, Arm):
            todo += [each.before, each.code]
        elif isinstance(each, tuple):
            if len(each) == 2 and each[0] == "call" and each[1] not in found:
                found.add(each[1])
                todo.append(game.rules[each[1]])
            todo += [part for part in each if isinstance(part, tuple | Arm)]
    return found
