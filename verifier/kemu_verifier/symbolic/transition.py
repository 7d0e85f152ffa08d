"""The transition relation: from a stop, by any of its choices, to the next stops, with everything merged by
target.

Standing at a decision means that an action is legal there: arrival evaluates who acts and what is legal (as
the interpreter does), so faults in these belong to the step that arrives, and a decision without a legal
action is passed through.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import onward
from kemu_engine.kernel.text import stop_in_words

from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.expressions import Env
from kemu_verifier.symbolic.havoc import histories
from kemu_verifier.symbolic.layout import Binding, Layout
from kemu_verifier.symbolic.solve import solve
from kemu_verifier.symbolic.statements import Reader
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit, Terms
from kemu_verifier.symbolic.values import Number, TooLarge, constant

MOST_CHOICES = 20_000
MOST_DECISIONS = 1 << 40  # an unbounded count, for terms that need bounds
MOST_ROUNDS = 60  # how often a block is passed on the way from one stop to the next, loops unrolled
FEW_ROUNDS = 4  # from then on it is asked whether that can be
SOON, ALL = 2.0, 20.0  # seconds for asking once, and for all that is asked
UNCLOSED = (
    -1
)  # the fault that stands for going on beyond that; the interpreter's own number for a loop without a stop


@dataclass(frozen=True, slots=True)
class Option:
    """One way to go on at a stop: an arm with values for its parameters, or an outcome (arm 0, one value)."""

    arm: int
    values: tuple[int, ...]
    legal: Lit


@dataclass(frozen=True, slots=True)
class Arrival:
    """What is evaluated on reaching a stop, over the symbolic state there. `stands`: some option is legal.
    `unknowns`: the variables in this that stand for what is hidden."""

    actor: Number | None
    options: tuple[Option, ...]
    stands: Lit
    faults: tuple[tuple[Lit, int], ...]
    unknowns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Edge:
    """From a stop to a stop: under `env.live` (a condition on the state there and the choice made) to the
    state in `env`.
    """

    source: int
    arm: int
    target: int
    env: Env
    binding: Binding


@dataclass(frozen=True, slots=True)
class Step:
    """All ways on from one stop. `chosen[i]` says that options[i] is taken; exactly one is."""

    block: int
    options: tuple[Option, ...]
    chosen: tuple[Lit, ...]
    clauses: tuple[Lit, ...]
    edges: tuple[Edge, ...]
    faults: tuple[tuple[Lit, int], ...]
    covered: tuple[tuple[Lit, int], ...]


class Transitions:
    """The symbolic reading of one program. Steps and arrivals are read when they are first asked for.

    Where `unclosed`, some paths were cut off (as a fault): then nothing that holds of the reading is proved
    of the program.

    Where variables are `hidden`, every play is a play of the reading, but not the other way round.

    `clock` is a numeric term that no program has: the number of decisions made so far. `terms`: a store to
    share with the reading of another program.
    """

    def __init__(
        self,
        program: k.Program,
        terms: Terms | None = None,
        hidden: frozenset[int] = frozenset(),
        integers: bool = False,
    ) -> None:
        if hidden:
            hidden |= histories(program)
        self.program = program
        self.terms = Terms() if terms is None else terms
        self.terms.apart |= integers
        self.layout = Layout(program, self.terms, hidden, integers)
        self.reader = Reader(program, self.terms, hidden)
        self.clock = self.terms.ivar("decisions made", 0, MOST_DECISIONS)
        self._base = [self.reader.fresh_version() for _ in program.vars]
        self._arrivals: dict[int, Arrival] = {}
        self._steps: dict[int, Step] = {}
        self._order = _order(program)
        self.unclosed = False  # whether loops without a stop had to be cut off
        self._asked: dict[Lit, bool] = {}  # whether a loop may go on under a condition
        self._asking = ALL  # seconds left for that

    def env(self, block: int) -> Env:
        """The symbolic state at a stop."""
        return self.layout.env(block, self._base)

    def begin(self) -> Step:
        """From the beginning of a game to the first stop."""
        if -1 not in self._steps:
            versions = [self.reader.fresh_version() for _ in self.program.vars]
            self.reader.faults, self.reader.covered = [], []
            reached = self._advance(self.layout.opening(versions), self.program.entry)
            edges = tuple(self._edge(-1, -1, target, env) for target, env in reached)
            self._steps[-1] = Step(
                -1, (), (), (), edges, tuple(self.reader.faults), tuple(self.reader.covered)
            )
        return self._steps[-1]

    # ------------------------------------------------------------------------------------------ arrival

    def arrival(self, block: int) -> Arrival:
        if block not in self._arrivals:
            outer, self.reader.faults = self.reader.faults, []
            self._arrivals[block] = self._arrive(block)
            self.reader.faults = outer
        return self._arrivals[block]

    def _arrive(self, block: int) -> Arrival:
        exit, env = self.program.blocks[block].exit, self.env(block)
        actor, options = None, []
        if isinstance(exit, k.Decide):
            actor = self.reader.number(exit.actor, env, TRUE)
            for number, arm in enumerate(exit.arms):
                guard = self.reader.truth(arm.guard, env, self._unfaulted())
                if guard != FALSE:
                    options += [Option(number, *found) for found in self._actions(arm, env, guard, ())]
        elif isinstance(exit, k.Chance):
            for outcome in range(len(self.program.domains[exit.domain].texts)):
                env.locals[exit.local] = constant(outcome)
                weight = self.reader.number(exit.weight, env, self._unfaulted())
                likely = -self.reader.numbers.less_equal(weight, constant(0))
                if likely != FALSE:
                    options.append(Option(0, (outcome,), likely))
        stands = self.terms.disj([option.legal for option in options])
        if isinstance(exit, k.End):
            stands = TRUE
        faults = tuple(self.reader.faults)
        unknowns = self.reader.unknowns.of([stands, *(lit for lit, _ in faults)])
        return Arrival(actor, tuple(options), stands, faults, tuple(unknowns))

    def _unfaulted(self) -> Lit:
        return self.terms.conj([-lit for lit, _ in self.reader.faults])

    def _actions(
        self, arm: k.Arm, env: Env, path: Lit, values: tuple[int, ...]
    ) -> Iterator[tuple[tuple[int, ...], Lit]]:
        """(values of the parameters, when that action is legal), in order."""
        if len(values) == len(arm.params):
            legal = self._legal(arm, env, path)
            if legal != FALSE:
                yield values, legal
            return
        param = arm.params[len(values)]
        for value, member in enumerate(self.reader.set(param.over, env, path)):
            if member == FALSE:
                continue
            env.locals[param.local] = constant(value)
            here = self.terms.both(path, member)
            here = self.terms.both(here, self.reader.truth(param.where, env, here))
            if here != FALSE:
                yield from self._actions(arm, env, here, (*values, value))

    def _legal(self, arm: k.Arm, env: Env, path: Lit) -> Lit:
        """Whether an action that can be named is legal."""
        return self.terms.both(path, self.reader.truth(arm.legal, env, path))

    # ------------------------------------------------------------------------------------------ steps

    def step(self, block: int) -> Step:
        if block not in self._steps:
            self._steps[block] = self._step(block)
        return self._steps[block]

    def _step(self, block: int) -> Step:
        options = self.arrival(block).options
        if len(options) > MOST_CHOICES:
            raise TooLarge(f"{len(options)} choices at {stop_in_words(self.program, block)}")
        names = [f"{block}: {option.arm} {option.values}" for option in options]
        chosen = self.terms.one_of(names, choice=True) if options else []
        clauses = self.terms.exactly_one(chosen) if len(chosen) > 2 else []
        self.reader.faults, self.reader.covered = [], []
        edges = []
        for arm, target in self._ways(block):
            for env in self._cases(block, arm, options, chosen):
                edges += [self._edge(block, arm, stop, after) for stop, after in self._advance(env, target)]
        faults, covered = tuple(self.reader.faults), tuple(self.reader.covered)
        return Step(block, options, tuple(chosen), tuple(clauses), tuple(edges), faults, covered)

    def _ways(self, block: int) -> list[tuple[int, int]]:
        """(arm, block where it goes on)"""
        exit = self.program.blocks[block].exit
        if isinstance(exit, k.Decide):
            return [(number, arm.target) for number, arm in enumerate(exit.arms)]
        return [(0, exit.target)] if isinstance(exit, k.Chance) else []

    def _cases(self, block: int, arm: int, options: tuple[Option, ...], chosen: list[Lit]) -> Iterator[Env]:
        """The states in which one of the actions of an arm is chosen, taken together."""
        env = self._taken(block, arm, options, chosen)
        if env.live != FALSE:
            yield env

    def _taken(self, block: int, arm: int, options: tuple[Option, ...], chosen: list[Lit]) -> Env:
        """The state at the stop with the parameters of the chosen action of an arm, under the condition that
        it is one.
        """
        exit, env, both = self.program.blocks[block].exit, self.env(block), self.terms.both
        taken = [(option, lit) for option, lit in zip(options, chosen, strict=True) if option.arm == arm]
        env.live = self.terms.disj([both(lit, option.legal) for option, lit in taken])
        if isinstance(exit, k.Decide):
            locals = [param.local for param in exit.arms[arm].params]
        else:
            assert isinstance(exit, k.Chance)
            locals = [exit.local]
        if env.live != FALSE:
            for at, local in enumerate(locals):
                pairs = ((option.values[at], lit) for option, lit in taken)
                env.locals[local] = self.reader.numbers.collect(pairs)
        return env

    def _edge(self, source: int, arm: int, target: int, env: Env) -> Edge:
        binding = self.layout.bind(target, env)
        if source < 0:
            binding.lins[self.clock] = Lin(0)
        elif isinstance(self.program.blocks[source].exit, k.Decide):
            binding.lins[self.clock] = Lin(1, ((1, self.clock),))
        return Edge(source, arm, target, env, binding)

    # ------------------------------------------------------------------------------------------ between stops

    def _advance(self, env: Env, block: int) -> list[tuple[int, Env]]:
        """Runs on until every path stands at a stop, or has met a fault."""
        waiting: dict[int, Env] = {block: env}
        reached: dict[int, Env] = {}
        passed: dict[int, int] = {}
        while waiting:
            block = min(waiting, key=lambda b: self._order[b])
            env = waiting.pop(block)
            passed[block] = passed.get(block, 0) + 1
            if passed[block] > FEW_ROUNDS and not self._possible(env.live):
                continue
            if passed[block] > MOST_ROUNDS:
                self.unclosed = True
                self.reader.fault(env.live, UNCLOSED)
                continue
            env = self.reader.run(self.program.blocks[block].code, env)
            for target, after in self._leave(block, env, reached):
                self._put(waiting, target, after)
        return sorted(reached.items())

    def _possible(self, live: Lit) -> bool:
        """Whether a loop may have gone round so often, as far as that is soon found out."""
        if live not in self._asked and self._asking > 0:
            deadline = Deadline(min(SOON, self._asking))
            given = deadline.left
            groups = {self.terms.group.get(node, -1) for node in self.terms.cone([live])} - {-1}
            some = [self.terms.some(self.terms.groups[group]) for group in groups]
            self._asked[live] = solve(self.terms, [live, *some], deadline).status != "unsat"
            self._asking -= given - deadline.left
        return self._asked.get(live, True)

    def _put(self, envs: dict[int, Env], block: int, env: Env) -> None:
        if env.live != FALSE:
            envs[block] = self.reader.meet(env.live, env, envs[block]) if block in envs else env

    def _leave(self, block: int, env: Env, reached: dict[int, Env]) -> list[tuple[int, Env]]:
        exit, both = self.program.blocks[block].exit, self.terms.both
        if env.live == FALSE:
            return []
        match exit:
            case k.Goto(target):
                return [(target, env)]
            case k.Split(test, then, other):
                holds = self._test(test, env)
                return [
                    (then, env.copy(both(env.live, holds))),
                    (other, env.copy(both(env.live, -holds))),
                ]
            case k.Switch(local, targets):
                way = self.reader.numbers.cases(
                    self.reader.number(k.Local(k.Int(0, len(targets)), local), env, TRUE)
                )
                return [
                    (targets[i], env.copy(both(env.live, lit))) for i, lit in way.pairs if i < len(targets)
                ]
            case k.Fail(fault):
                self.reader.fault(env.live, fault)
                return []
        return self._stop(block, exit, env, reached)

    def _test(self, test: k.Expr, env: Env) -> Lit:
        before = len(self.reader.faults)
        holds = self.reader.truth(test, env, env.live)
        new = self.reader.faults[before:]
        if new:
            env.live = self.terms.conj([env.live, *(-lit for lit, _ in new)])
        return holds

    def _stop(
        self, block: int, exit: k.Decide | k.Chance | k.End, env: Env, reached: dict[int, Env]
    ) -> list[tuple[int, Env]]:
        live = self.program.blocks[block].live
        env.locals = {local: env.locals[local] for local in live if local in env.locals}
        stands = self._stands(block, env)
        stopped = env.copy(self.terms.both(env.live, stands))
        passing = env.copy(self.terms.both(env.live, -stands))
        self._put(reached, block, stopped)
        if isinstance(exit, k.Decide) and exit.other >= 0:
            return [(exit.other, passing)]
        if not isinstance(exit, k.End):
            self.reader.fault(passing.live, exit.stuck if isinstance(exit, k.Decide) else exit.empty)
        return []

    def _stands(self, block: int, env: Env) -> Lit:
        """Whether something can be done there; from then on nothing has run into a fault on arrival."""
        arrival = self.arrival(block)
        binding = self.layout.bind(block, env)
        lits, lins = self.reader.unknowns.elsewhere(arrival.unknowns, env.versions)
        binding.lits.update(lits)
        binding.lins.update(lins)
        there = self.layout.substitution(binding)
        if arrival.faults:
            for lit, fault in arrival.faults:
                self.reader.fault(self.terms.both(env.live, there.lit(lit)), fault)
            env.live = self.terms.conj([env.live, *(-there.lit(lit) for lit, _ in arrival.faults)])
        return there.lit(arrival.stands)


def _order(program: k.Program) -> dict[int, int]:
    """Blocks in reverse postorder: where no loop interferes, a block comes after all that lead to it."""
    order: dict[int, int] = {}
    seen: set[int] = set()
    for root in (program.entry, *range(len(program.blocks))):
        waiting = [(root, False)]
        while waiting:
            block, done = waiting.pop()
            if done:
                order[block] = -len(order)
            elif block not in seen:
                seen.add(block)
                waiting.append((block, True))
                waiting += [(target, False) for target in onward(program.blocks[block].exit)]
    return order
