"""Judging mutants, the cheap means first: checker, `check`s, examples, random games, proofs of sameness,
prover. Without examples it is the claims alone that have to notice.

An instance that is not the same game is one in which somebody should notice: an example that fails, a claim
whose verdict is a surprise and definite, a fault in play. What is bounded, sampled or unknown kills
nothing; nor does what goes wrong in the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile

from kemu_engine.lower.instantiate import instantiate
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.examples import run_examples
from kemu_engine.play.game import Game as Playable
from kemu_engine.play.steps import Steps
from kemu_grammar.check.check import check
from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_verifier.diff.bisimulation import Pair
from kemu_verifier.diff.compare import learn
from kemu_verifier.diff.games import difference
from kemu_verifier.diff.matching import Apart
from kemu_verifier.diff.search import known_apart, same_graph
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.search.explicit_state import explore
from kemu_verifier.mutate.fate import Fate, Instance
from kemu_verifier.mutate.mutants import Mutant, names_in
from kemu_verifier.mutate.play import Broken, Seen, broken, seen
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.values import TooLarge

GAMES, COMPARED = 60, 60  # random games to find faults and broken claims in, and to compare two games by
MANY = 2_000  # to find broken claims in, by generated code; to compare two games by where nothing was noticed
STATES = 20_000  # of an instance whose graph is walked through
PROVING = 15  # times the seconds of one question: for the prover on one mutant
PATIENCE = 80  # times the seconds of one question: for one mutant
SAME_PROGRAM = "the same program"
FAILED_CHECK = "E0756"
DEFINITE = ("proved", "refuted", "possible", "impossible")

Prove = Callable[[Playable, float, float], Iterator[Verdict]]
"""The prover: verdicts on the claims of a game, and the standard questions, each within so many seconds, and
all of them."""


@dataclass
class Original:
    """The game as it is, in one instance, with what is known of it."""

    instance: Instance
    rules: Game
    seconds: float
    surprises: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def game(self) -> Playable:
        return _made(self.rules, self.instance)

    @cached_property
    def failing(self) -> set[str]:
        return {result.title for result in run_examples(self.game) if not result.passed}

    @cached_property
    def seen(self) -> set[str]:
        games = seen(self.game, GAMES, Deadline(self.seconds), self.broken.watched)
        return {*self.broken.found, *(one.name for one in games)}

    @cached_property
    def broken(self) -> Broken:
        """What random games by the thousand show."""
        return broken(self.game, MANY, self.seconds)

    @cached_property
    def states(self) -> int | None:
        """The number of reachable states, if they are few."""
        graph = explore(Steps(self.game), STATES, Deadline(2 * self.seconds))
        return len(graph.states) if graph.complete else None

    @cached_property
    def plain(self) -> ProofContext:
        """Without invariants."""
        return ProofContext(self.game, self.seconds, lambda _: None)

    @cached_property
    def context(self) -> ProofContext:
        """With what induction could prove, to read mutants under."""
        context = ProofContext(self.game, 10 * self.seconds, lambda _: None)
        learn(context)
        return context

    @property
    def size(self) -> int:
        return sum(var.length or 1 for var in self.game.program.vars)


class Judge:
    """Judges the mutants of one game in some of its instances. `prove`: None leaves the prover out.
    `examples`: whether these are asked, too."""

    def __init__(
        self,
        game: Game,
        instances: Sequence[Instance],
        seconds: float,
        prove: Prove | None,
        examples: bool = True,
    ) -> None:
        self.game = game
        self.seconds = seconds
        self.prove = prove
        self.examples = examples
        self.originals = [Original(each, game, seconds) for each in instances]

    def judge(self, mutant: Mutant) -> Fate:
        """What becomes of it."""
        faults = check(declarations(mutant.game), mutant.game.players, mutant.game.sources)
        if faults:
            return Fate("rejected", faults[0].code, "", faults[0].message)
        deadline = Deadline(PATIENCE * self.seconds)
        differ: list[tuple[Original, Playable]] = []
        for original in self._likely_first(mutant):
            made = _instance(mutant.game, original.instance)
            if isinstance(made, Fate):
                return made
            if original.game.hash != made.hash:
                differ.append((original, made))
                fate = self._examples(original, made)
                if fate is not None:
                    return fate
        told = ""
        apart: list[tuple[Original, Playable]] = []
        for original, playable in differ:
            unlike = difference(original.game, playable, COMPARED, deadline.part(self.seconds))
            if unlike:
                told = told or f"{unlike} ({original.instance.name})"
                apart.append((original, playable))
            if unlike or claimed(original.game) != claimed(playable):
                fate = self._games(original, playable, deadline)
                if fate is not None:
                    return fate
        return self._claimed(apart, told, deadline) if told else self._proofs(differ, deadline)

    def _likely_first(self, mutant: Mutant) -> list[Original]:
        """The instances, after the first those that change an option which is mentioned near the change."""
        near = options_near(self.game, mutant.span)
        return sorted(
            self.originals,
            key=lambda one: (
                one is not self.originals[0] and not near & {name for name, _ in one.instance.settings}
            ),
        )

    def _proofs(self, differ: list[tuple[Original, Playable]], deadline: Deadline) -> Fate:
        """Where random games show nothing: proofs that it is the same, or that a claim fails."""
        differ = sorted(differ, key=lambda each: each[0].size)
        ways = list(
            takewhile(bool, (self._same(original, playable, deadline) for original, playable in differ))
        )
        if len(ways) == len(differ):
            return Fate("equivalent", "; ".join(dict.fromkeys(ways or [SAME_PROGRAM])))
        differ, told = differ[len(ways) :], ""
        for original, playable in differ:
            part = deadline.part(self.seconds)
            unlike = difference(original.game, playable, MANY, part) or self._known(
                original, playable, deadline
            )
            told = told or (unlike and f"{unlike} ({original.instance.name})")
        return self._claimed(differ, told, deadline)

    def _claimed(self, differ: list[tuple[Original, Playable]], told: str, deadline: Deadline) -> Fate:
        """Whether the prover notices, in small instances first; if not, it survives."""
        deadline = deadline.part(PROVING * self.seconds)
        for at, (original, playable) in enumerate(sorted(differ, key=lambda each: each[0].size)):
            fate = self._claims(original, playable, deadline.part(deadline.left / (len(differ) - at)))
            if fate is not None:
                return fate
        words = told or "no difference seen in random games"
        return Fate("survived", "", differ[0][0].instance.name, words, bool(told))

    def _examples(self, original: Original, playable: Playable) -> Fate | None:
        for result in run_examples(playable) if self.examples else ():
            if not result.passed and result.title not in original.failing:
                return Fate("example", result.title, original.instance.name, result.message)
        return None

    def _games(self, original: Original, playable: Playable, deadline: Deadline) -> Fate | None:
        """Whether random games break a claim, or run into a fault."""
        name = original.instance.name
        bulk = broken(playable, MANY, deadline.part(self.seconds).left)
        for key, steps in bulk.found.items():
            if key not in original.seen:
                return Fate("property", key, name, _after(steps), True)
        fault: Seen | None = None
        for one in seen(playable, GAMES, deadline.part(self.seconds), bulk.watched):
            if one.name not in original.seen and not one.fault:
                return Fate("property", one.name, name, _after(one.steps), True)
            if one.name not in original.seen:
                fault = fault or one
        return None if fault is None else Fate("fault", fault.name, name, _after(fault.steps), True)

    def _same(self, original: Original, playable: Playable, deadline: Deadline) -> str:
        """By what the two are proved to be the same, to those who play them, too; nothing if they are not."""
        if original.states is not None:
            states = same_graph(original.game, playable, deadline.part(10 * self.seconds))
            return f"all {states} reachable states compared" if states is not None else ""
        secrets = original.game.machine.secret or playable.machine.secret
        try:
            for way, by in (("plain", ""), ("context", ", under the original's invariants")):
                if deadline.passed:
                    break
                context = original.plain if way == "plain" else original.context
                pair = Pair(context, playable.program)
                if pair.same(deadline.part(4 * self.seconds), known=secrets):
                    return f"step by step{by}"
        except (Apart, TooLarge):
            pass
        return ""

    def _known(self, original: Original, playable: Playable, deadline: Deadline) -> str:
        """Who knows more in one of the two, if they are small and play the same otherwise."""
        if original.states is None or not (original.game.machine.secret or playable.machine.secret):
            return ""
        found = known_apart(original.game, playable, deadline.part(10 * self.seconds))
        return "" if found is None else found.words("the original", "the mutant")

    def _claims(self, original: Original, playable: Playable, deadline: Deadline) -> Fate | None:
        if self.prove is None or deadline.passed:
            return None
        for verdict in self.prove(playable, self.seconds, deadline.left):
            if verdict.surprise and verdict.kind in DEFINITE and not self._surprising(original, verdict):
                return Fate("property", verdict.property, original.instance.name, verdict.kind, True)
            if deadline.left <= 0:
                break
        return None

    def _surprising(self, original: Original, verdict: Verdict) -> bool:
        """Whether the verdict on the original surprises too; all of its verdicts are found once."""
        if not original.surprises and self.prove is not None:
            found = self.prove(original.game, 2 * self.seconds, 2 * PROVING * self.seconds)
            original.surprises = {each.property: each.surprise for each in found}  # all of them, or none
        return original.surprises.get(verdict.property, False)


def prover(game: Playable, seconds: float, limit: float) -> Iterator[Verdict]:
    """The verifier's verdicts on every claim and standard question."""
    from kemu_verifier.strategy.verify import Effort, verify

    yield from verify(game, None, seconds, effort=Effort(generous=False, limit=limit))


def _after(steps: Sequence[str]) -> str:
    return f"after {', '.join(steps) or 'the opening'}"


def options_near(game: Game, span: t.Span) -> set[str]:
    """The options on which the declarations around a place depend, by themselves or by a constant."""
    found: set[str] = set()
    waiting: list[t.Node] = [
        each
        for each in (*game.names.values(), *game.unders, game.rules)
        if each.span.file == span.file and each.span.line <= span.line <= each.span.end_line
    ]
    while waiting:
        for name in set(names_in(waiting.pop())) - found:
            found.add(name)
            if isinstance(const := game.names.get(name), t.Const):
                waiting.append(const)
    return found & set(game.options)


def declarations(game: Game) -> tuple[t.Declaration, ...]:
    """A game's declarations, for the checker."""
    return (
        game.players,
        *game.options.values(),
        *game.needs,
        *game.instances.values(),
        *game.names.values(),
        *game.unders,
        t.State(game.state),
        game.rules,
        *game.checks,
        *game.properties,
        *game.examples,
        *game.views,
    )


def claimed(game: Playable) -> list[str]:
    """The names of the claims that are made of the instance."""
    return [claim.name for claim in game.program.properties]


def _made(game: Game, instance: Instance) -> Playable:
    """The instance, without views: nobody looks."""
    return Playable(instantiate(replace(game, views=()), dict(instance.settings), instance.players))


def _instance(game: Game, instance: Instance) -> Playable | Fate:
    """The mutant's instance, or why there is none."""
    try:
        return _made(game, instance)
    except RulesError as error:
        first = error.diagnostics[0]
        if first.code == FAILED_CHECK:
            return Fate("check", f"line {first.span.line}", instance.name, first.message)
        return Fate("rejected", first.code, instance.name, first.message)
    except SettingError as error:
        return Fate("rejected", "settings", instance.name, str(error))
