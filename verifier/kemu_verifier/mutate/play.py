"""Random games: which faults they run into, and which claims they refute."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kemu_engine.batch.playout import walk
from kemu_engine.kernel import nodes as k
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

from kemu_verifier.goal.first_visit import broken_at_first, up_to
from kemu_verifier.goal.goal import stops
from kemu_verifier.goal.questions import EXTREMES, questions
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.solve import Deadline

SEED = 7
LONGEST = 2_000  # stops of a game
OFTEN = 20  # stops, after which the time is looked at


@dataclass(frozen=True, slots=True)
class Seen:
    """A fault or a refuted claim or assertion in a random game: its name, and the steps that lead there."""

    name: str
    fault: bool
    steps: tuple[str, ...]


def seen(game: Game, games: int, deadline: Deadline, but: frozenset[str] = frozenset()) -> Iterator[Seen]:
    """Faults, and claims that are false somewhere (`but` these), in random games; each once."""
    known: set[str] = set()
    claims = [claim for claim in claims_at(game.program) if claim[0] not in but]
    for index in range(games):
        steps: list[str] = []
        try:
            for number, (state, chosen) in enumerate(walk(game, SEED, index)):
                for name in _broken(state, claims, known):
                    known.add(name)
                    yield Seen(name, False, tuple(steps))
                if chosen < 0 or number > LONGEST or (number % OFTEN == 0 and deadline.passed):
                    break
                steps.append(state.moves()[chosen].text)
        except FaultError as error:
            name = error.fault.name or error.code
            if name not in known:
                known.add(name)
                yield Seen(name, not error.fault.name, tuple(steps))
        if deadline.passed:
            return


@dataclass(frozen=True, slots=True)
class Broken:
    """Claims and standard questions that random games answer as nobody hopes, each with the steps of one that
    the interpreter confirms; and all that were watched for."""

    found: dict[str, tuple[str, ...]]
    watched: frozenset[str]


def broken(game: Game, most: int, seconds: float) -> Broken:
    """What single states show, in so many random games, played by generated code."""
    first = _first_broken(game, most, seconds)
    context = ProofContext(game, seconds, lambda _: None)
    asked = [q for q in questions(game.program, True) if q.goal and q.bad and q.expected in (None, "proved")]
    goals = {q.key: q.goal(None) for q in asked if q.goal}
    context.games.simulate(goals, Deadline(seconds), most)
    found = {key: context.games.simulated(key, goal) for key, goal in goals.items()}
    watched = frozenset(key for key, goal in goals.items() if context.games.watched(key, goal))
    steps = {key: tuple(play.steps) for key, play in found.items() if play is not None}
    return Broken({**first, **steps}, watched)


def _first_broken(game: Game, most: int, seconds: float) -> dict[str, tuple[str, ...]]:
    """The same of claims about first visits, in games that are over with these."""
    asked = [
        q for q in questions(game.program, False) if q.kind == "first" and q.expected in (None, "proved")
    ]
    found: dict[str, tuple[str, ...]] = {}
    for visited in dict.fromkeys(frozenset(q.blocks) for q in asked):
        program = up_to(game.program, tuple(visited))
        games = ProofContext(Game(program), seconds, lambda _: None).games
        mine = [q for q in asked if frozenset(q.blocks) == visited]
        goals = {q.key: broken_at_first(None, program, q.name, q.exprs[0], q.blocks[0]) for q in mine}
        games.simulate(goals, Deadline(seconds), most)
        shown = {key: games.simulated(key, goal) for key, goal in goals.items()}
        found |= {key: tuple(play.steps) for key, play in shown.items() if play is not None}
    return found


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
        if claim.form in EXTREMES:
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
