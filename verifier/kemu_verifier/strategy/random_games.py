"""Random games: those that are looked through for what a question asks, and what they say without a hit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol

from kemu_engine.play.game import Game
from kemu_engine.play.replay import Replay, ReplayError, replay, text_of
from kemu_engine.play.state import State
from kemu_engine.play.steps import Steps

from kemu_verifier.goal.goal import Goal
from kemu_verifier.goal.lemma_cache import LemmaCache
from kemu_verifier.methods.search.random_search import Play, confidence, play
from kemu_verifier.methods.search.simulation import Simulation
from kemu_verifier.strategy import strategy
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts


class Played(Protocol):
    """What random games need of the context of proofs. `plays`: those that every question looks through."""

    @property
    def game(self) -> Game: ...
    @property
    def notes(self) -> LemmaCache: ...
    @property
    def seconds(self) -> float: ...
    @property
    def trouble(self) -> str: ...
    @property
    def progress(self) -> Callable[[str], None]: ...
    @property
    def steps(self) -> Steps: ...
    @property
    def plays(self) -> list[Play]: ...


class RandomGames:
    """The random games of one game under examination."""

    def __init__(self, context: Played) -> None:
        self.context = context
        self.simulation: Simulation | None = None
        self.sampling: Simulation | None = None  # of what is open in the end
        self._further: list[Play] = []  # those that go on from others that were found
        self._played = 0  # those that were made for one goal alone
        # by what a goal asks for: how many were looked through for it
        self._looked: dict[Callable[[Replay], bool], int] = {}

    def seen(self, goal: Goal, until: Deadline) -> Replay | None:
        """The shortest beginning of a random game that reaches the goal, as far as looking takes no long
        time: less where simulation has looked already, but for faults in what is asked."""
        simulated = self.simulation is not None and goal in self.simulation.goals.values()
        look = strategy.GLANCE if simulated else strategy.LOOK
        deadline = until.part(self.context.seconds / 10 if self.context.trouble else look)
        looked, found = self._shortest(self.context.plays, goal, deadline)
        self._looked[goal.reached] = looked
        return found

    def simulate(self, goals: Mapping[str, Goal], until: Deadline, most: int | None = None) -> None:
        """Random games, by the thousand or at most so many, that watch for these goals."""
        self.context.progress("simulation")
        self.simulation = Simulation(self.context.steps, goals)
        self.simulation.run(strategy.GAMES if most is None else most, until)

    def sample(self, goals: Mapping[str, Goal], until: Deadline) -> None:
        """Further games, as many as there is time for, that watch for these goals only."""
        self.context.progress(f"simulation for {len(goals)} open questions")
        first = max(strategy.MORE_GAMES, 0 if self.simulation is None else self.simulation.games)
        self.sampling = Simulation(self.context.steps, goals, first)
        self.sampling.run(strategy.MOST_GAMES, until)

    def simulated(self, key: str, goal: Goal) -> Replay | None:
        """The best of these games that reaches the goal."""
        for hit in [hit for made in self._simulations() for hit in made.hits.get(key, ())]:
            one = play(self.context.steps, hit.game, Deadline(self.context.seconds), longest=hit.stops)
            way = zip(one.states, one.choices[: hit.stops - 1], strict=False)
            found = replay(self.context.game, [text_of(*step) for step in way])
            if goal.reached(found):
                return found
        return None

    def watched(self, key: str, goal: Goal) -> bool:
        """Whether simulation has looked for all that the goal asks for."""
        made = self.simulation
        if made is None or goal.holds is None or key not in made.goals or not made.games:
            return False
        return goal.watch is not None and not Facts(self.context.game.program).can_fault(goal.watch.test)

    def more_simulated(self, key: str, goal: Goal, deadline: Deadline) -> Replay | None:
        """The same, as long as there is time for more of them."""
        if self.simulation is None or key not in self.simulation.goals:
            return None
        found = self.simulated(key, goal)
        while found is None and self.simulation.games < strategy.MORE_GAMES and not deadline.passed:
            self.simulation.run(self.simulation.games + strategy.GAMES, deadline)
            found = self.simulated(key, goal)
        return found

    def seen_further(self, goal: Goal, until: Deadline) -> Replay | None:
        """The same of games that go on from those that were found."""
        return self._shortest(self._further, goal, until.part(min(strategy.LOOK, until.left / 4)))[1]

    def go_on(self, found: Replay) -> None:
        """Plays random games from where a game that was found leads: few others may get there."""
        deadline = Deadline(min(strategy.GOING_ON, self.context.seconds / 10))
        if found.fault is None and not found.last.is_end and len(self._further) < strategy.MOST_FURTHER:
            steps, numbers = self.context.steps, range(strategy.FURTHER)
            made = (play(steps, number, deadline, opening=found.steps) for number in numbers)
            self._further += [one for one in made if len(one.choices) > len(found.steps)]

    def _shortest(self, among: Sequence[Play], goal: Goal, deadline: Deadline) -> tuple[int, Replay | None]:
        """How many whole games were looked through; the shortest beginning of one that reaches the goal."""
        best: list[str] | None = None
        test, looked = goal.looking(), 0
        for one in among:
            if deadline.passed:
                break
            looked += one.whole
            length = self._seen_in(one, goal, test)
            if length is not None and (best is None or length < len(best)):
                best = [text_of(s, c) for s, c in zip(one.states[:length], one.choices, strict=False)]
        found = None if best is None else replay(self.context.game, best)
        return looked, found if found is not None and goal.reached(found) else None

    def lucky(self, goal: Goal, deadline: Deadline) -> Replay | None:
        """A random game that reaches the goal, as long as there is time for more of them."""
        while not deadline.passed:
            self._played += 1
            found = self._shortest(
                [play(self.context.steps, strategy.MORE_PLAYS + self._played, deadline)], goal, deadline
            )[1]
            if found is not None:
                self.go_on(found)
                return found
        return None

    def remembered(self, goal: Goal, key: str, until: Deadline) -> Replay | None:
        """A game that reached it in another instance, if it does so here."""
        for steps in self.context.notes.games.get(key, ()):
            if until.passed:
                break
            with suppress(ReplayError):
                found = replay(self.context.game, steps)
                if goal.reached(found):
                    return found
        return None

    def _seen_in(self, play: Play, goal: Goal, test: Callable[[State], bool]) -> int | None:
        """After how many steps the goal is reached."""
        if goal.holds is not None:
            return next((at for at, state in enumerate(play.states) if test(state)), None)
        if goal.faults is not None:
            return len(play.choices) if play.fault is not None and goal.faults(play.fault) else None
        return next((at for at, met in enumerate(play.met) if met & goal.lines), None)

    def sampled(self, goal: Goal) -> str:
        """What random games without a hit say; nothing if none were looked through."""
        games = self._looked.get(goal.reached, 0)
        watching = [made for made in self._simulations() if goal in made.goals.values()]
        games = max(games, sum(made.played for made in watching))
        return confidence(games, sum(made.decisions for made in watching)) if games else ""

    def _simulations(self) -> list[Simulation]:
        return [made for made in (self.simulation, self.sampling) if made is not None]
