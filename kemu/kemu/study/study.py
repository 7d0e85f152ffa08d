"""What is found out about an instance: games at random, by weak and by strong bots, and matches between."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kemu_engine.batch.bulk import Batch
from kemu_engine.opt.instrument_coverage import Counted, counted
from kemu_engine.play import game as engine
from kemu_engine.play import record as records
from kemu_engine.play.record import Record

from kemu.api.game import Game
from kemu.bots.matches import Played, Score, match, scores
from kemu.service.simulation import Games, simulate
from kemu.service.statistics import Range, Tally
from kemu.study.courses import Course, course, mean

RANDOM = "random"
LONGEST = 10_000
"""Decisions after which a random game is cut off."""
STEEP = 0.6
"""Of the points between two: from there on a rung of the ladder counts as a step of skill."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`weak`, `strong`: random games that those bots search for a decision; `games` of each kind, `random` of
    random play."""

    games: int = 40
    random: int = 1000
    weak: int = 100
    strong: int = 2000
    seed: int = 0
    jobs: int = 1

    @property
    def kinds(self) -> tuple[str, str]:
        return f"mcts:{self.weak}", f"mcts:{self.strong}"

    @property
    def ladder(self) -> tuple[str, ...]:
        """From random play upwards, each rung some times the one before."""
        middle = round((self.weak * self.strong) ** 0.5)
        numbers = sorted({self.weak, middle, self.strong})
        return RANDOM, *(f"mcts:{number}" for number in numbers)

    @property
    def all(self) -> int:
        """How many games bots play."""
        return self.games * (2 + len(self.ladder) - 1)


@dataclass(frozen=True, slots=True)
class Level:
    """Games in which everybody plays alike: by `kind`. `courses`: of those that one of two has won."""

    kind: str
    tally: Tally
    courses: tuple[Course, ...] = ()

    @property
    def drama(self) -> Range | None:
        return mean((each.drama for each in self.courses), 1.0)

    @property
    def changes(self) -> Range | None:
        return mean(each.changes for each in self.courses)

    @property
    def known(self) -> Range | None:
        return mean((each.known for each in self.courses), 1.0)


@dataclass(frozen=True, slots=True)
class Rung:
    """A match between a kind of bot and the next stronger one, and what that got."""

    weaker: str
    stronger: str
    score: Score
    players: int

    @property
    def steep(self) -> bool:
        """Whether the stronger one is stronger for sure, and by much."""
        found = self.score.range
        return found.low > 1 / self.players and found.value >= STEEP * 2 / self.players


@dataclass(frozen=True, slots=True)
class Study:
    """Of one instance, with the counters of its program; `levels` from random to strong play."""

    game: engine.Game
    counted: Counted
    levels: tuple[Level, ...]
    rungs: tuple[Rung, ...]
    example: Record | None = None
    """A game of strong play."""

    @property
    def strong(self) -> Level:
        return self.levels[-1]

    @property
    def depth(self) -> int:
        """How many rungs of the ladder are steps of skill."""
        return sum(rung.steep for rung in self.rungs)

    @property
    def actions(self) -> dict[str, tuple[int, ...]]:
        """The counters of each action, by its name and what the decision is called."""
        return {
            name if name == label else f"{label}: {name}": counters
            for (label, name), counters in self.counted.actions.items()
        }

    def unused(self) -> tuple[list[str], list[tuple[str, int]], list[str]]:
        """What strong play never used, of what can be used: actions, lines, statements of the rulebook."""
        uses = self.strong.tally.uses
        actions = [name for name, counters in self.actions.items() if not uses[counters].games]
        lines = [place for place, counters in self.counted.lines.items() if not uses[counters].games]
        statements = [name for name, counters in self.counted.statements.items() if not uses[counters].games]
        return actions, lines, statements


def study(game: engine.Game, plan: Plan, tell: Callable[[int], None] = lambda done: None) -> Study:
    """Plays all of it. `tell` is told how many games bots have played."""
    counting = counted(game.program)
    uses = sorted(
        {
            counters
            for each in (counting.actions, counting.lines, counting.statements)
            for counters in each.values()
        }
    )
    again = engine.Game(counting.program, reader=game.reader)
    whole, done = Tally(), 0

    def counted_off(games: Iterator[Played]) -> Iterator[Played]:
        nonlocal done
        for each in games:
            done += 1
            tell(done)
            yield each

    for tally in simulate(Games(game.program, plan.seed, LONGEST), plan.random):
        whole.merge(tally)
    levels = [Level(RANDOM, whole)]
    example: Record | None = None
    api = Game(game)
    for kind in plan.kinds:
        played = sorted(
            counted_off(match(api, {kind: kind}, plan.games, plan.seed, plan.jobs)), key=by_number
        )
        tally = Tally()
        tally.add(batch(played, again, game), game.program, uses)
        example = next((each.record for each in played if each.ending == "end"), None)
        found = () if has_payoffs(game) else (course(each, game.players) for each in played)
        levels.append(Level(kind, tally, tuple(each for each in found if each is not None)))
    rungs = []
    if len(game.players) > 1:
        for weaker, stronger in zip(plan.ladder, plan.ladder[1:], strict=False):
            entrants = {stronger: stronger, weaker: weaker}
            played = [*counted_off(match(api, entrants, plan.games, plan.seed, plan.jobs))]
            rungs.append(Rung(weaker, stronger, scores(played, entrants)[stronger], len(game.players)))
    return Study(game, counting, tuple(levels), tuple(rungs), example)


def by_number(played: Played) -> int:
    return played.number


def has_payoffs(game: engine.Game) -> bool:
    """Whether ends pay: then what one gets says not what the other does."""
    from kemu_engine.run.wasm.programs.mcts import pays

    return any(pays(game.program, block.exit) for block in game.program.blocks)


def batch(played: Sequence[Played], counting: engine.Game, game: engine.Game) -> Batch:
    """Games of bots as a batch of random ones is: played again with counters."""
    rows = []
    program = counting.program
    for each in played:
        if each.ending != "end":
            continue
        state = counting.initial()
        for number, step in enumerate(each.record.steps, 1):
            state = state.follow(records.position(state, step, number))
        keys = state.vars[program.result]
        assert isinstance(keys, tuple)
        outcomes = len(each.record.steps) - each.decisions
        rows.append((state.block, each.decisions, sum(each.menus), outcomes, *keys))
    size = program.vars[program.result].length or 0
    ends, decisions, branching, drawn, *rest = [*zip(*rows, strict=True)] or [()] * (4 + size)
    keys_of = game.program.vars[game.program.result].length or 0
    return Batch(
        len(played), ends, decisions, branching, drawn, tuple(rest[:keys_of]), tuple(rest[keys_of:]), ()
    )
