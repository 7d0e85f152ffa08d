"""What play shows of a state, and how two states differ in it.

Two programs may remember different things and stop at different places in their rules; what counts is what
those who play can see: who is to act, which actions there are, which outcomes of chance with which
probability, whether the game is over, places and scores at its end, and whether the rules break down.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, Result, State

Kind = Literal["players", "fault", "over", "actor", "actions", "chance", "result", "knowledge"]
SHOWN = 4  # choices that are told in one sentence
CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class Difference:
    """How the two differ, and what each side has. `players`: who plays. `fault`: why the rules break down
    (nothing on the side where they do not). `over`: how the game ended (nothing where it goes on). `actor`:
    who is to act. `actions`: what only this side allows. `chance`: outcomes that the other side lacks or
    gives another probability, with theirs. `result`: places and scores. `knowledge`: who can tell which two
    plays apart on this side, and not on the other (where there is nothing)."""

    kind: Kind
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    def words(self, left: str, right: str) -> str:
        """In a sentence; `left` and `right` say what the two are called."""
        mine, theirs = some(self.left), some(self.right)
        match self.kind:
            case "players":
                return f"{mine} play in {left}, {theirs} in {right}"
            case "fault":
                which, why = (left, mine) if self.left else (right, theirs)
                return f"a fault in {which} only ({why})"
            case "over":
                over, on, how = (left, right, mine) if self.left else (right, left, theirs)
                return f"{over} has ended ({how}), {on} goes on"
            case "actor":
                return f"{mine} is to act in {left}, {theirs} in {right}"
            case "result":
                return f"{mine} in {left}, {theirs} in {right}"
            case "knowledge":
                knows, not_, told = (left, right, self.left) if self.left else (right, left, self.right)
                who, one, two = told
                return f"{who} can tell these two plays apart in {knows}, not in {not_}: {one}; {two}"
        parts = [(mine, left), (theirs, right)]
        if self.kind == "chance":
            return "chance has " + ", and ".join(f"{what} in {which}" for what, which in parts if what)
        return ", and ".join(f"{what} is possible only with {which}" for what, which in parts if what)


def some(texts: tuple[str, ...]) -> str:
    rest = len(texts) - SHOWN
    return ", ".join(texts[:SHOWN]) + (f" and {rest} more" if rest > 0 else "")


Pair = tuple[State, State]


class Sight:
    """Compares the states of two programs, which need the same players."""

    def __init__(self, left: k.Program, right: k.Program) -> None:
        self.left = left
        self.right = right
        self._alike: dict[tuple[int, int], bool] = {}

    def unlike(self, a: State, b: State) -> Difference | None:
        """How the two states differ for those who play; None if they do not."""
        if a.is_end or b.is_end:
            return ended(a, b)
        if a.is_chance != b.is_chance or a.actor != b.actor:
            return Difference("actor", (a.actor or CHANCE,), (b.actor or CHANCE,))
        if self.worded_alike(a, b) and a.choices == b.choices:
            return None
        mine, theirs = offers(a), offers(b)
        kind: Kind = "chance" if a.is_chance else "actions"
        left, right = only(mine, theirs), only(theirs, mine)
        return Difference(kind, left, right) if left or right else None

    def twin(self, a: State, index: int, b: State) -> int:
        """Where the choice of one state stands in the other, which is not unlike it."""
        if self.worded_alike(a, b) and index < len(b.choices) and a.choices[index] == b.choices[index]:
            return index
        return b.index(a.moves()[index])

    def worded_alike(self, a: State, b: State) -> bool:
        """Whether the same choices have the same texts at both stops."""
        key = (a.block, b.block)
        if key not in self._alike:
            self._alike[key] = wording(self.left, a.block) == wording(self.right, b.block)
        return self._alike[key]


def wording(program: k.Program, block: int) -> object:
    """All that players see of a stop besides the state."""
    match program.blocks[block].exit:
        case k.Decide(arms=arms):
            return [(arm.name, [program.domains[param.domain].texts for param in arm.params]) for arm in arms]
        case k.Chance(domain=domain):
            return program.domains[domain].texts
        case k.End(form=form):
            return form
    return None


def offers(state: State) -> dict[str, Fraction | None]:
    """The texts of what can come next; of outcomes with their probabilities."""
    texts = [move.text for move in state.moves()]
    if not state.is_chance:
        return dict.fromkeys(texts)
    total = sum(choice.weight for choice in state.choices)
    return dict(zip(texts, (Fraction(choice.weight, total) for choice in state.choices), strict=True))


def only(mine: dict[str, Fraction | None], theirs: dict[str, Fraction | None]) -> tuple[str, ...]:
    """What one side offers and the other does not, or with another probability."""
    alone = [each for each in mine.items() if each[0] not in theirs or theirs[each[0]] != each[1]]
    return tuple(text if chance is None else f"{text} with {chance}" for text, chance in alone)


def ended(a: State, b: State) -> Difference | None:
    """How two states differ of which at least one is an end."""
    mine, theirs = a.result, b.result
    if mine is None or theirs is None:
        return Difference("over", standing(mine), standing(theirs))
    counted = "rank" in (mine.form, theirs.form) or "pays" in (mine.form, theirs.form)
    if mine.places == theirs.places and (mine.scores == theirs.scores or not counted):
        return None
    return Difference("result", standing(mine, counted), standing(theirs, counted))


def standing(result: Result | None, counted: bool | None = None) -> tuple[str, ...]:
    """Who won, and the scores if they were `counted` (unsaid: as the form says); nothing if nobody knows
    yet."""
    if result is None:
        return ()
    winners = result.winners
    won = "a tie" if len(winners) == len(result.places) > 1 else f"won by {' and '.join(winners)}"
    if not (result.form in ("rank", "pays") if counted is None else counted):
        return (won,)
    return (won, *(f"{player} {', '.join(map(str, keys))}" for player, keys in result.scores.items()))


# ---------------------------------------------------------------------------------------------- steps


def opening(left: Game, right: Game) -> Pair | Difference | None:
    """The first stops of the two; how they differ if only one gets there, None if neither does."""
    if left.players != right.players:
        return Difference("players", left.players, right.players)
    faults: list[FaultError | None] = []
    found: list[State] = []
    for game in (left, right):
        try:
            found.append(game.initial())
            faults.append(None)
        except FaultError as error:
            faults.append(error)
    return (found[0], found[1]) if len(found) == 2 else broken(faults)


def follow(sight: Sight, pair: Pair, index: int) -> Pair | Difference | None:
    """What follows on both sides the choice at that index on the left; the two must not be unlike. How they
    differ if only one breaks down, None if both do."""
    a, b = pair
    faults: list[FaultError | None] = []
    found: list[State] = []
    for state, at in ((a, index), (b, sight.twin(a, index, b))):
        try:
            found.append(state.follow(at))
            faults.append(None)
        except FaultError as error:
            faults.append(error)
    return (found[0], found[1]) if len(found) == 2 else broken(faults)


def broken(faults: list[FaultError | None]) -> Difference | None:
    """What it comes to that not both sides are without a fault. If both have one, nobody can play on."""
    if all(faults):
        return None
    left, right = (() if fault is None else (str(fault),) for fault in faults)
    return Difference("fault", left, right)
