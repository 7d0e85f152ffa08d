"""Proofs that a mutant is the same game: the same graph of states, or step by step the same in every state.

Step by step: both programs are read over one symbolic state (variables and live locals of the same names).
If in every state that the original's invariants allow the same player acts, the same actions are legal, and
each leads both to the same stop with the same values, then the two games are the same (a bisimulation that
is equality).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from engine import kernel as k
from engine.game import Game
from engine.state import FaultError, State
from verifier.bench import Bench
from verifier.goal import stops
from verifier.mutation.play import unlike
from verifier.symbolic.mapping import Substitution
from verifier.symbolic.solve import Deadline, Translator, ask, solve
from verifier.symbolic.terms import DIV, FALSE, IVAR, MOD, MUL, SUM, TRUE, Lin, Lit, Terms
from verifier.symbolic.transition import Edge, Step, Transitions
from verifier.symbolic.values import Number, TooLarge, constant

SHORT = 8  # literals of a sum that is not long
QUERY = 1.0  # seconds to prove that two are equal
Twins = tuple[Lit, Lit, Lit]
"""(guard, what the original has, what the mutant has)"""


class Apart(Exception):
    """The two programs cannot be read over one state, or a step tells them apart."""


# ------------------------------------------------------------------------------------- by walking through


def same_graph(original: Game, mutant: Game, deadline: Deadline) -> int | None:
    """The number of reachable pairs of states if they are alike in all that players see; None if they are
    not, or time was up."""
    if original.players != mutant.players:
        return None
    try:
        waiting = [(original.initial(), mutant.initial())]
    except FaultError:
        return None
    known: set[tuple[State, State]] = set(waiting)
    while waiting:
        a, b = waiting.pop()
        if deadline.passed or unlike(a, b):
            return None
        texts = {action.text: at for at, action in enumerate(b.moves())}
        for at, action in enumerate(a.moves()):
            after = _both(a, at, b, texts[action.text])
            if after is None:
                continue
            if isinstance(after, str):
                return None
            if after not in known:
                known.add(after)
                waiting.append(after)
    return len(known)


def _both(a: State, i: int, b: State, j: int) -> tuple[State, State] | str | None:
    """The pair that follows; None if both run into the same fault, a text if only one does."""
    codes: list[str] = []
    found: list[State] = []
    for state, at in ((a, i), (b, j)):
        try:
            found.append(state.follow(at))
        except FaultError as error:
            codes.append(error.code)
    if not codes:
        return found[0], found[1]
    return None if len(codes) == 2 and codes[0] == codes[1] else "apart"


# ---------------------------------------------------------------------------------------------- step by step


class Pair:
    """Original and mutant over one symbolic state."""

    def __init__(self, bench: Bench, mutant: k.Program) -> None:
        self.bench = bench
        self.a = bench.transitions
        self.terms: Terms = self.a.terms
        self.blocks = _matched(self.a.program, mutant)
        self.b = Transitions(mutant, self.terms)
        self.b.layout.vars = self.a.layout.vars
        self._tie_locals(mutant)

    def _tie_locals(self, mutant: k.Program) -> None:
        for mine, theirs in self.blocks.items():
            here = {self.a.program.locals[local].name: local for local in self.a.program.blocks[mine].live}
            for local in mutant.blocks[theirs].live:
                twin = here.get(mutant.locals[local].name)
                if twin is None or self.a.program.locals[twin].type != mutant.locals[local].type:
                    raise Apart("other locals")
                known = self.b.layout._locals.setdefault(local, self.a.layout.local(twin))
                if known is not self.a.layout.local(twin):
                    raise Apart("other locals")

    def same(self, deadline: Deadline) -> bool:
        """Whether no state that the invariants allow tells them apart."""
        try:
            if not self._proved(list(self._steps_differ(self.a.begin(), self.b.begin())), -1, (), deadline):
                return False
            for mine, theirs in self.blocks.items():
                if isinstance(self.a.program.blocks[mine].exit, k.End):
                    continue
                a, b = self.a.step(mine), self.b.step(theirs)
                swapped = Substitution(self.terms, _pairs(b, a))
                pairs = [*self._arrivals_differ(mine, theirs), *self._steps_differ(a, b, swapped)]
                if not self._proved(pairs, mine, a.clauses, deadline):
                    return False
        except (Apart, TooLarge):
            return False
        return True

    def _proved(self, pairs: list[Twins], block: int, clauses: Sequence[Lit], deadline: Deadline) -> bool:
        """Whether twins are equal wherever their guards hold. Those without long sums are asked first; once
        proved equal whatever the guards they are made one, so that sums above them are seen to be equal."""
        context = [*self.bench.knowledge.at(block), *clauses]
        plain = [lit for lit in context if not self._sums(lit)]
        one = Substitution(self.terms, {})
        merged: dict[int, Lit] = {}
        open_ = list(pairs)
        while True:
            open_ = [(one.lit(guard), one.lit(x), one.lit(y)) for guard, x, y in open_]
            open_ = [(guard, x, y) for guard, x, y in dict.fromkeys(open_) if x != y and guard != FALSE]
            easy = [twins for twins in open_ if not any(map(self._sums, twins))]
            settled = self._settled(easy, plain, deadline)
            if not settled:
                break
            for (_, x, y), always in settled.items():
                if always:
                    low, high = sorted((x, y), key=abs)
                    merged[abs(high)] = low if high > 0 else -low
            one = Substitution(self.terms, merged)
            open_ = [twins for twins in open_ if twins not in settled]
        if not open_:
            return True
        bad = self.terms.disj(self.terms.both(guard, -self.terms.iff(x, y)) for guard, x, y in open_)
        return any(self._never([*context, bad], deadline, abstract) for abstract in (True, False))

    def _settled(self, twins: list[Twins], context: list[Lit], deadline: Deadline) -> dict[Twins, bool]:
        """Those that are equal wherever the context and their guard hold, with whether they are so without
        the guard; asked one by one of one solver."""
        differ = [-self.terms.iff(x, y) for _, x, y in twins]
        guarded = [self.terms.both(guard, lit) for (guard, _, _), lit in zip(twins, differ, strict=True)]
        made = Translator(self.terms)
        asserted = made.lits(context)
        questions = [made.lits(each) for each in zip(differ, guarded, strict=True)]
        if made.integers or not twins:
            return {}
        solver = z3.SolverFor("QF_FD")
        solver.add(asserted)

        def never(question: object) -> bool:
            solver.push()
            answer = ask(solver, [question], made, deadline.part(QUERY))
            solver.pop()
            return answer.status == "unsat"

        settled = {}
        for each, (anywhere, there) in zip(twins, questions, strict=True):
            if never(anywhere):
                settled[each] = True
            elif each[0] != TRUE and never(there):
                settled[each] = False
        return settled

    def _never(self, lits: list[Lit], deadline: Deadline, abstract: bool = False) -> bool:
        answer = solve(self.terms, lits, deadline.part(deadline.left / 2), abstract=abstract)
        return answer.status == "unsat"

    def _sums(self, lit: Lit) -> bool:
        """Whether long sums lie below."""
        kind, data = self.terms.kind, self.terms.data
        cone = self.terms.cone([lit])
        return any(
            kind[n] in (IVAR, MUL, DIV, MOD) or (kind[n] == SUM and len(data[n]) > SHORT) for n in cone
        )

    def _arrivals_differ(self, mine: int, theirs: int) -> Iterator[Twins]:
        a, b = self.a.arrival(mine), self.b.arrival(theirs)
        if a.actor is not None and b.actor is not None:
            yield self._numbers(a.actor, b.actor)
        if len(a.options) != len(b.options):
            raise Apart("other actions")
        for one, other in zip(a.options, b.options, strict=True):
            if (one.arm, one.values) != (other.arm, other.values):
                raise Apart("other actions")
            yield TRUE, one.legal, other.legal
        yield TRUE, self.terms.disj(lit for lit, _ in a.faults), self.terms.disj(lit for lit, _ in b.faults)
        for one_weight, other_weight in zip(_weights(self.a, mine), _weights(self.b, theirs), strict=True):
            yield self._numbers(one_weight, other_weight)

    def _steps_differ(self, a: Step, b: Step, swapped: Substitution | None = None) -> Iterator[Twins]:
        swapped = swapped or Substitution(self.terms, {})
        faults = self.terms.disj(swapped.lit(lit) for lit, _ in b.faults)
        yield TRUE, self.terms.disj(lit for lit, _ in a.faults), faults
        mine = {(edge.arm, edge.target): edge for edge in a.edges}
        theirs = {(edge.arm, self._named(edge.target)): edge for edge in b.edges}
        for key in dict.fromkeys((*mine, *theirs)):
            one, other = mine.get(key), theirs.get(key)
            yield TRUE, one.env.live if one else FALSE, swapped.lit(other.env.live) if other else FALSE
            if one is not None and other is not None:
                yield from self._edges_differ(one, other, swapped)

    def _named(self, target: int) -> int:
        return next((mine for mine, theirs in self.blocks.items() if theirs == target), -2 - target)

    def _edges_differ(self, a: Edge, b: Edge, swapped: Substitution) -> Iterator[Twins]:
        kept = self._of_state(b)
        for symbol in dict.fromkeys((*a.binding.lits, *b.binding.lits)):
            if symbol in kept:
                new = swapped.lit(b.binding.lits.get(symbol, symbol))
                yield a.env.live, a.binding.lits.get(symbol, symbol), new
        for term in dict.fromkeys((*a.binding.lins, *b.binding.lins)):
            if term in kept:
                plain = Lin(0, ((1, term),))
                value = swapped.lin(b.binding.lins.get(term, plain))
                yield a.env.live, TRUE, self._equality(a.binding.lins.get(term, plain), value)

    def _of_state(self, edge: Edge) -> set[int]:
        """The symbols of what both keep: the variables, and the locals alive in the mutant at the target."""
        layout, program = self.b.layout, self.b.program
        symbols: set[int] = set()
        values = [*layout.vars, *(layout.local(local) for local in program.blocks[edge.target].live)]
        for value in values:
            symbols.update(_symbols(value))
        return symbols

    def _equality(self, a: Lin, b: Lin) -> Lit:
        gap = self.terms.plus(a, b, -1)
        if not gap.terms:
            return TRUE if gap.const == 0 else FALSE
        return self.terms.both(self.terms.le0(gap), self.terms.le0(self.terms.plus(Lin(0), gap, -1)))

    def _numbers(self, a: Number, b: Number) -> Twins:
        numbers = self.a.reader.numbers
        return TRUE, TRUE, TRUE if a == b else self._equality(numbers.lin(a), numbers.lin(b))


def _weights(transitions: Transitions, block: int) -> Iterator[Number]:
    """The weight of each outcome, if the stop is one of chance."""
    exit = transitions.program.blocks[block].exit
    if isinstance(exit, k.Chance):
        env = transitions.env(block)
        for outcome in range(len(transitions.program.domains[exit.domain].texts)):
            env.locals[exit.local] = constant(outcome)
            yield transitions.reader.number(exit.weight, env, TRUE)


def _symbols(value: object) -> Iterator[int]:
    if isinstance(value, int):
        yield abs(value)
    elif isinstance(value, Lin):
        yield from (term for _, term in value.terms)
    elif isinstance(value, tuple):
        for item in value:
            yield from _symbols(item)
    else:
        yield from (lit for _, lit in getattr(value, "pairs", ()))


def _pairs(b: Step, a: Step) -> dict[int, Lit]:
    """The mutant's choices as the original's."""
    if len(a.chosen) != len(b.chosen):
        raise Apart("other actions")
    return {
        abs(theirs): mine if theirs > 0 else -mine for theirs, mine in zip(b.chosen, a.chosen, strict=True)
    }


def _matched(a: k.Program, b: k.Program) -> dict[int, int]:
    """The stops of the original with those of the mutant. Raises Apart unless layout, stops and texts are the
    same."""
    same = [
        a.players == b.players,
        a.result == b.result and a.width == b.width,
        [(v.name, v.type, v.length, v.labels, v.texts) for v in a.vars]
        == [(v.name, v.type, v.length, v.labels, v.texts) for v in b.vars],
    ]
    if not all(same):
        raise Apart("another layout")
    theirs = {b.blocks[block].name: block for block in stops(b, k.Decide, k.Chance, k.End)}
    mine = stops(a, k.Decide, k.Chance, k.End)
    if sorted(a.blocks[block].name for block in mine) != sorted(theirs):
        raise Apart("other stops")
    matched = {block: theirs[a.blocks[block].name] for block in mine}
    for block, twin in matched.items():
        if _words(a, a.blocks[block].exit) != _words(b, b.blocks[twin].exit):
            raise Apart("other actions")
    return matched


def _words(program: k.Program, leave: k.Exit) -> object:
    """All that players see of a stop besides the state."""
    match leave:
        case k.Decide(arms=arms):
            return [(arm.name, [program.domains[param.domain].texts for param in arm.params]) for arm in arms]
        case k.Chance(domain=domain):
            return program.domains[domain].texts
        case k.End(form=form):
            return form
    return None
