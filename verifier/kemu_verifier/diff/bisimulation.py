"""Proofs that two programs are the same game, step by step.

Both are read over one symbolic state: what both remember (variables and live locals of the same name, the
others in their order by their type) has the same symbols, what only one remembers has its own. If in every
state that the left program's invariants allow the same player acts, the same actions are legal, and each
leads both to stops that belong together, with what both remember the same, then the two are the same game:
that is a bisimulation. Only what the right program's play depends on need be the same, and what only it
remembers may be anything, so that the proof succeeds only if it does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import names, on_the_table
from kemu_engine.kernel.walk import within

from kemu_verifier.diff.matching import Apart, shared_locals, shared_vars, together
from kemu_verifier.goal.goal import stops
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.methods.invariants.templates import Candidate, Samples
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.symbolic.mapping import Substitution
from kemu_verifier.symbolic.solve import Deadline, Translator, ask, scope, solve
from kemu_verifier.symbolic.terms import DIV, FALSE, IVAR, MOD, MUL, SUM, TRUE, VAR, Lin, Lit, Terms
from kemu_verifier.symbolic.transition import Edge, Option, Step, Transitions
from kemu_verifier.symbolic.values import Number, TooLarge, constant

SHORT = 8  # literals of a sum that is not long
QUERY = 1.0  # seconds to prove that two are equal
Twins = tuple[Lit, Lit, Lit]
"""(guard, what the left program has, what the right one has)"""
Key = tuple[object, ...]


class Pair:
    """Two programs over one symbolic state. Raises Apart if nothing in them belongs together."""

    def __init__(self, context: ProofContext, right: k.Program, reading: Deadline | None = None) -> None:
        self.context = context
        self.a = context.transitions
        self.terms: Terms = self.a.terms
        left = self.a.program
        if left.players != right.players or left.width != right.width:
            raise Apart("other players, or another result")
        self.blocks = together(left, right)
        self.b = Transitions(right, self.terms)
        if reading is not None:
            self.a.reader.deadline = self.b.reader.deadline = reading
        self.vars = shared_vars(left, right)
        self._share_vars()
        self.locals = shared_locals(left, right, self.blocks)
        for theirs, mine in self.locals.items():
            self.b.layout._locals[theirs] = self.a.layout.local(mine)
        self._needed: set[int] = set()
        self._seen: set[int] = set()  # symbols of what players see, if that has to be the same
        self.open: list[Twins] = []
        """What could not be proved to be equal."""

    def _share_vars(self) -> None:
        """Gives the right program the left one's symbols, and new ones for what only it remembers."""
        layout = self.b.layout
        layout.typing.clear()
        for at, var in enumerate(self.b.program.vars):
            if at in self.vars:
                layout.vars[at] = self.a.layout.vars[self.vars[at]]
            elif isinstance(var.type, k.History):
                continue
            elif var.length is None:
                layout.vars[at] = layout.fresh(var.type, var.name)
            else:
                layout.vars[at] = tuple(layout.fresh(var.type, var.name) for _ in range(var.length))

    def same(self, deadline: Deadline, known: bool = False) -> bool:
        """Whether no state that the invariants allow tells them apart. `known`: nor does anybody know more in
        one of them: he sees the same variables, with the same values, and is told the same."""
        self.open = []
        try:
            self._seen = self._to_be_seen() if known else set()
            return self._same(deadline) and not (self.a.unclosed or self.b.unclosed)
        except (Apart, TooLarge):
            return False

    def _same(self, deadline: Deadline) -> bool:
        self._needed = self._slice()
        proved = self._proved(list(self._steps_differ(self.a.begin(), self.b.begin())), -1, (), deadline)
        for mine, theirs in self._moving():
            if deadline.passed:
                return False
            a, b = self.a.step(mine), self.b.step(theirs)
            swapped = Substitution(self.terms, self._choices(b, a))
            pairs = [*self._arrivals_differ(mine, theirs), *self._steps_differ(a, b, swapped)]
            proved &= self._proved(pairs, mine, a.clauses, deadline)
        return proved

    def _to_be_seen(self) -> set[int]:
        """The symbols of what players see in the two programs. Raises Apart if that is not the same, seen by
        the same, in both."""
        mine, theirs = (dict(on_the_table(each.program)) for each in (self.a, self.b))
        if {self.vars.get(at) for at in theirs} != set(mine):
            raise Apart("variables that only one has")
        if any(
            var.seen != mine[self.vars[at]].seen or isinstance(var.type, k.History)
            for at, var in theirs.items()
        ):
            raise Apart("variables that others see")
        symbols = {symbol for at in mine for symbol in _symbols(self.a.layout.vars[at])}
        for one, two in self.blocks.items():
            symbols |= self._told_by(self.a.program.blocks[one].exit, self.b.program.blocks[two].exit)
        return symbols

    def _told_by(self, one: k.Exit, two: k.Exit) -> set[int]:
        """The symbols that say who is told what is done at stops that belong together. Raises Apart if these
        look otherwise, or others are told, or might be."""
        if isinstance(one, k.Decide) and isinstance(two, k.Decide):
            if (names(one), one.told) != (names(two), two.told):
                raise Apart("others are told")
        elif isinstance(one, k.Chance) and isinstance(two, k.Chance):
            if (one.label, one.told) != (two.label, two.told):
                raise Apart("others are told")
            return {
                symbol for part in within(one.told or k.Const(k.Bool(), 0)) for symbol in self._shared(part)
            }
        return set()

    def _shared(self, part: k.Expr) -> Iterator[int]:
        """The symbols of what both programs hold under one number. Raises Apart for other things that are
        read."""
        match part:
            case k.Local(id=local) if self.locals.get(local) == local:
                yield from _symbols(self.a.layout.local(local))
            case k.Load(var=var) | k.At(var=var) if self.vars.get(var) == var:
                yield from _symbols(self.a.layout.vars[var])
            case k.Local() | k.Load() | k.At() | k.Call() | k.Trial():
                raise Apart("others might be told")

    def _moving(self) -> list[tuple[int, int]]:
        """The stops from which play goes on."""
        blocks = self.a.program.blocks
        return [pair for pair in self.blocks.items() if not isinstance(blocks[pair[0]].exit, k.End)]

    def _slice(self) -> set[int]:
        """The symbols on which the right program's play depends."""
        edges = [edge for _, theirs in self._moving() for edge in self.b.step(theirs).edges]
        roots: list[int] = []
        for _, theirs in self._moving():
            arrival, step = self.b.arrival(theirs), self.b.step(theirs)
            roots += [option.legal for option in arrival.options]
            roots += [lit for lit, _ in (*arrival.faults, *step.faults)]
            roots += [edge.env.live for edge in step.edges]
            for number in (arrival.actor, *weights(self.b, theirs).values()):
                roots += _symbols(number)
        roots += self._seen
        needed: set[int] = set()
        seen: set[tuple[int, int]] = set()
        while roots:
            needed.update(self.terms.cone(roots))
            roots = []
            for at, edge in enumerate(edges):
                wanted = needed & self._of_state(edge) if self._goes_on(edge) else self._of_state(edge)
                for symbol in wanted:
                    if (at, symbol) not in seen:
                        seen.add((at, symbol))
                        roots += _symbols(edge.binding.lits.get(symbol, edge.binding.lins.get(symbol)))
        return needed

    def _goes_on(self, edge: Edge) -> bool:
        return not isinstance(self.b.program.blocks[edge.target].exit, k.End)

    def _proved(self, pairs: list[Twins], block: int, clauses: Sequence[Lit], deadline: Deadline) -> bool:
        """Whether twins are equal wherever their guards hold. Those without long sums are asked first; once
        proved equal whatever the guards they are made one, so that sums above them are seen to be equal."""
        context = [*self.context.knowledge.at(block), *self.b.layout.typing, *clauses]
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
        kept = len(self.open)
        self.open += open_
        bad = self.terms.disj(self.terms.both(guard, -self.terms.iff(x, y)) for guard, x, y in open_)
        if any(self._never([*context, bad], deadline, abstract) for abstract in (True, False)):
            del self.open[kept:]
            return True
        return False

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
            with scope(solver):
                answer = ask(solver, [question], made, deadline.part(QUERY))
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
        one, other = keyed(self.a, mine, a.options), keyed(self.b, theirs, b.options)
        for key in dict.fromkeys((*one, *other)):
            legal = [options[key].legal if key in options else FALSE for options in (one, other)]
            yield TRUE, legal[0], legal[1]
        yield TRUE, self.terms.disj(lit for lit, _ in a.faults), self.terms.disj(lit for lit, _ in b.faults)
        mine_weighs, theirs_weighs = weights(self.a, mine), weights(self.b, theirs)
        for text in dict.fromkeys((*mine_weighs, *theirs_weighs)):
            yield self._numbers(mine_weighs.get(text, constant(0)), theirs_weighs.get(text, constant(0)))

    def _choices(self, b: Step, a: Step) -> dict[int, Lit]:
        """The right program's choices as the left one's; those that the left does not have are not made."""
        mine = {key: a.chosen[at] for at, key in enumerate(keyed(self.a, a.block, a.options))}
        theirs = {key: b.chosen[at] for at, key in enumerate(keyed(self.b, b.block, b.options))}
        known: dict[int, Lit] = {}
        for key, lit in sorted(theirs.items(), key=lambda each: each[0] not in mine):
            if abs(lit) != TRUE:
                new = mine.get(key, FALSE)
                known.setdefault(abs(lit), new if lit > 0 else -new)
        return known

    def _steps_differ(self, a: Step, b: Step, swapped: Substitution | None = None) -> Iterator[Twins]:
        swapped = swapped or Substitution(self.terms, {})
        faults = self.terms.disj(swapped.lit(lit) for lit, _ in b.faults)
        yield TRUE, self.terms.disj(lit for lit, _ in a.faults), faults
        mine = {(arm_of(self.a.program, edge), edge.target): edge for edge in a.edges}
        theirs = {(arm_of(self.b.program, edge), self._named(edge.target)): edge for edge in b.edges}
        for key in dict.fromkeys((*mine, *theirs)):
            one, other = mine.get(key), theirs.get(key)
            yield TRUE, one.env.live if one else FALSE, swapped.lit(other.env.live) if other else FALSE
            if one is not None and other is not None:
                yield from self._edges_differ(one, other, swapped)

    def _named(self, target: int) -> int:
        return next((mine for mine, theirs in self.blocks.items() if theirs == target), -2 - target)

    def _edges_differ(self, a: Edge, b: Edge, swapped: Substitution) -> Iterator[Twins]:
        kept = self._of_state(b)
        if self._goes_on(b):
            kept &= self._needed
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
        """The symbols of what both remember at the stops to which the edge, one of the right, leads; at an
        end nothing but the result counts."""
        layout, program = self.b.layout, self.b.program
        if not self._goes_on(edge):
            return self._seen | set(_symbols(layout.vars[program.result]))
        there = self.a.program.blocks[self._named(edge.target)].live if self._named(edge.target) >= 0 else ()
        live = program.blocks[edge.target].live
        values = [layout.vars[at] for at in self.vars]
        values += [layout.local(local) for local in live if self.locals.get(local, -1) in there]
        return {symbol for value in values for symbol in _symbols(value)}

    def _equality(self, a: Lin, b: Lin) -> Lit:
        gap = self.terms.plus(a, b, -1)
        if not gap.terms:
            return TRUE if gap.const == 0 else FALSE
        return self.terms.both(self.terms.le0(gap), self.terms.le0(self.terms.plus(Lin(0), gap, -1)))

    def _numbers(self, a: Number, b: Number) -> Twins:
        numbers = self.a.reader.numbers
        return TRUE, TRUE, TRUE if a == b else self._equality(numbers.lin(a), numbers.lin(b))


def constants(pair: Pair, deadline: Deadline) -> bool:
    """Proves that some of what the open twins depend on never changes in the left program, as random games
    make one think; whether anything is known then that was not."""
    context = pair.context
    below = set(pair.terms.cone([lit for twins in pair.open for lit in twins]))
    held = {
        block: _held(pair.a, block, context.samples, below)
        for block in stops(context.program, k.Decide, k.Chance)
    }
    seen = [lits for block, lits in held.items() if context.samples.values.get(block)]
    shared = {node for var in pair.a.layout.vars for node in _symbols(var)}
    always = {lit for lit in (set.intersection(*seen) if seen else ()) if abs(lit) in shared}
    guesses = [
        Candidate(f"{pair.terms.names[abs(lit)]} at {block}", {block: lit})
        for block, lits in held.items()
        for lit in sorted(lits if context.samples.values.get(block) else always)
    ]
    found = Houdini(context.knowledge, guesses, deadline).run(context.edges)
    context.knowledge.add(proved_facts(found))
    return bool(found)


def _held(transitions: Transitions, block: int, samples: Samples, below: set[int]) -> set[Lit]:
    """What of the state is the same in all samples of a stop."""
    layout = transitions.layout
    symbols = [*layout.vars, *(layout.local(local) for local in transitions.program.blocks[block].live)]
    nodes = {node for symbol in symbols for node in _symbols(symbol)} & below
    found = set()
    for node in nodes:
        if transitions.terms.kind[node] == VAR:
            values = {values.lit(node) for values in samples.values.get(block, ())}
            if len(values) == 1:
                found.add(node if values == {True} else -node)
    return found


def weights(transitions: Transitions, block: int) -> dict[str, Number]:
    """The weight of each outcome by its text, if the stop is one of chance."""
    exit = transitions.program.blocks[block].exit
    found: dict[str, Number] = {}
    if isinstance(exit, k.Chance):
        env = transitions.env(block)
        for outcome, text in enumerate(transitions.program.domains[exit.domain].texts):
            env.locals[exit.local] = constant(outcome)
            found[text] = transitions.reader.number(exit.weight, env, TRUE)
    return found


def keyed(transitions: Transitions, block: int, options: Sequence[Option]) -> dict[Key, Option]:
    """The options of a stop by what they are called. Raises Apart if two have the same name."""
    program = transitions.program
    exit = program.blocks[block].exit
    found: dict[Key, Option] = {}
    for option in options:
        if isinstance(exit, k.Decide):
            arm = exit.arms[option.arm]
            texts = [program.domains[param.domain].texts for param in arm.params]
            key: Key = (arm.name, *(text[at] for text, at in zip(texts, option.values, strict=True)))
        else:
            assert isinstance(exit, k.Chance)
            key = (program.domains[exit.domain].texts[option.values[0]],)
        if found.setdefault(key, option) is not option:
            raise Apart("two actions of one name")
    return found


def arm_of(program: k.Program, edge: Edge) -> tuple[str, int]:
    """The arm of an edge: its name, and how many of that name stand before it."""
    exit = program.blocks[edge.source].exit if edge.source >= 0 else None
    if not isinstance(exit, k.Decide):
        return "", edge.arm
    name = exit.arms[edge.arm].name
    return name, sum(arm.name == name for arm in exit.arms[: edge.arm])


def _symbols(value: object) -> Iterator[int]:
    """The literals and terms of which a symbolic value is made; of a symbol, its variables."""
    if isinstance(value, int):
        yield abs(value)
    elif isinstance(value, Lin):
        yield from (term for _, term in value.terms)
    elif isinstance(value, tuple):
        for item in value:
            yield from _symbols(item)
    else:
        yield from (abs(lit) for _, lit in getattr(value, "pairs", ()))
