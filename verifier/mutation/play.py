"""Random games, to tell a mutant from the original: what they do differently, which claims a game refutes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine import kernel as k
from engine.game import Game
from engine.playout import walk
from engine.state import FaultError, State
from verifier.goal import stops
from verifier.symbolic.solve import Deadline

SEED = 7
LONGEST = 2_000  # stops of a game
SHOWN = 14  # steps of a game that are told


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault or a refuted claim or assertion in a random game: its name, and the steps that lead there."""

    name: str
    fault: bool
    steps: tuple[str, ...]


def seen(game: Game, games: int, deadline: Deadline) -> Iterator[Seen]:
    """Faults, and claims that are false somewhere, in random games; each once."""
    known: set[str] = set()
    claims = list(claims_at(game.program))
    for index in range(games):
        steps: list[str] = []
        try:
            for number, (state, chosen) in enumerate(walk(game, SEED, index)):
                for name in _broken(state, claims, known):
                    known.add(name)
                    yield Seen(name, False, tuple(steps))
                if chosen < 0 or number > LONGEST or deadline.passed:
                    break
                steps.append(state.moves()[chosen].text)
        except FaultError as error:
            name = error.fault.name or error.code
            if name not in known:
                known.add(name)
                yield Seen(name, not error.fault.name, tuple(steps))
        if deadline.passed:
            return


Claim = tuple[str, k.Expr, bool, frozenset[int]]
"""(name, expression, the value it must have, the stops that it speaks of)"""


def claims_at(program: k.Program) -> Iterator[Claim]:
    """The claims that a single state can refute, those expected to be refuted left out."""
    everywhere: dict[str, tuple[type, ...]] = {
        "always": (k.Decide, k.End),
        "never": (k.Decide, k.End),
        "at_most": (k.Decide, k.End),
        "at_least": (k.Decide, k.End),
        "everywhere": (k.Decide, k.Chance, k.End),
        "at_end": (k.End,),
    }
    for claim in program.properties:
        if claim.form not in everywhere or claim.expect not in (None, "proved") or not claim.exprs:
            continue
        expr = claim.exprs[0]
        if claim.form in ("at_most", "at_least"):
            bound = k.Const(k.Int(claim.bound or 0, claim.bound or 0), claim.bound or 0)
            expr = k.Op(k.BOOL, "le", (expr, bound) if claim.form == "at_most" else (bound, expr))
        blocks = claim.blocks or stops(program, *everywhere[claim.form])
        yield claim.name, expr, claim.form != "never", frozenset(blocks)


def _broken(state: State, claims: Sequence[Claim], known: set[str]) -> Iterator[str]:
    for name, expr, wanted, blocks in claims:
        if state.block in blocks and name not in known:
            try:
                broken = bool(state.evaluate(expr)) != wanted
            except FaultError:
                broken = True
            if broken:
                yield name


# --------------------------------------------------------------------------------- two games side by side


def difference(original: Game, mutant: Game, games: int, deadline: Deadline) -> str:
    """What a random game shows the two to do differently; nothing if none of them shows any."""
    if original.players != mutant.players:
        return "the players are others"
    best: tuple[int, str] | None = None
    for index in range(games):
        for leader in (0, 1):
            found = _apart((original, mutant), leader, index, best[0] if best else LONGEST)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        if deadline.passed:
            break
    return best[1] if best else ""


def _apart(pair: tuple[Game, Game], leader: int, index: int, most: int) -> tuple[int, str] | None:
    """After how many steps a game that is random in one of the two goes another way in the other, and how."""
    steps: list[str] = []
    try:
        other = pair[1 - leader].initial()
    except FaultError as error:
        return 0, f"a fault at once: {error}"
    try:
        for state, chosen in walk(pair[leader], SEED, index):
            views = (state, other) if leader == 0 else (other, state)
            what = unlike(*views)
            if what:
                return len(steps), f"after {_way(steps)}: {what}"
            if chosen < 0 or len(steps) >= most:
                return None
            text = state.moves()[chosen].text
            steps.append(text)
            try:
                other = other.apply(text)
            except FaultError as error:
                return len(steps), f"after {_way(steps)}: a fault in one of them ({error.code})"
    except FaultError as error:
        return len(steps), f"after {_way(steps)}: a fault in one of them ({error.code})"
    return None


def _way(steps: Sequence[str]) -> str:
    if not steps:
        return "no step"
    shown = ", ".join(steps[-SHOWN:])
    return f"{len(steps)} steps, {'... ' if len(steps) > SHOWN else ''}{shown}"


def unlike(a: State, b: State) -> str:
    """How two states differ for those who play: who acts, what can be done, how it ended; nothing if
    alike."""
    if a.is_end != b.is_end:
        return f"{'the original' if a.is_end else 'the mutant'} has ended, the other goes on"
    if a.result is not None and b.result is not None:
        if a.result.places != b.result.places:
            return f"won by {_winners(a)}, in the mutant by {_winners(b)}"
        return ""
    if a.is_chance != b.is_chance or a.actor != b.actor:
        return f"{a.actor or 'chance'} is to act, in the mutant {b.actor or 'chance'}"
    mine, theirs = (_choices(state) for state in (a, b))
    for choice in mine ^ theirs:
        return f"{choice[0]} is possible only in {'the original' if choice in mine else 'the mutant'}"
    return ""


def _winners(state: State) -> str:
    return " and ".join(state.result.winners) if state.result else "nobody"


def _choices(state: State) -> set[tuple[str, int]]:
    weights = [weight for _, weight in state.outcomes()] if state.is_chance else [1] * len(state.choices)
    return {(action.text, weight) for action, weight in zip(state.moves(), weights, strict=True)}
