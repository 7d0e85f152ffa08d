"""Induction case by case: where an action is too hard as a whole, its step is looked at anew for each value
of a parameter.

Who acts, and what is chosen first, is put into the terms of the step, of which that leaves little. There all
that is claimed is asked at once, wherever the action leads; of what a claim says, only what the action may
change. Where a case is too hard, too, it becomes one for each value of the next parameter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.case_solver import CaseSolver, Tie, long
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini, Proofs
from kemu_verifier.methods.invariants.solvers import EdgeSolver
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Interrupted, Substitution, Valuation
from kemu_verifier.symbolic.solve import Answer
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Step

CASE = 3.0  # seconds for a claim as a whole, and for a case
HOPELESS = 2  # cases of as many parameters that were too hard, none having been decided: then none is asked
LONGER = 4  # times as long for one claim in a case that cannot be split
Chosen = tuple[int, ...]
"""The values of the first parameters of an action."""
Pair = tuple[int, Candidate]
"""An edge of an action, by its place among them, and what is claimed of the state after it."""


@dataclass(slots=True)
class Case:
    """What is left of an action's step where so much is `chosen`. `options`: the ways to go on, each with the
    literal that it is chosen; `lives`: when the edges are taken; `before`: what is claimed of the state
    before the step, `posts`: of those after it; `ties`: what the sums in these grow by; `known`: what holds
    in the case besides; `acting`: whether it is settled who acts; `kept`: what was shown of claims after the
    step, and what it rests on; `more`: the cases that it became."""

    chosen: Chosen
    options: list[tuple[Chosen, Lit]]
    lives: list[Lit]
    before: dict[Candidate, Lit]
    posts: dict[Pair, Lit]
    ties: Sequence[Tie] = ()
    known: tuple[Lit, ...] = ()
    acting: bool = False
    kept: dict[Pair, set[Candidate]] = field(default_factory=dict)
    more: list[Case] | None = None

    @property
    def taken(self) -> list[int]:
        """The edges that may be taken."""
        return [at for at, live in enumerate(self.lives) if live != FALSE]


class ByCases(Houdini):
    """Induction that asks about the edges of an action together, by cases, if a claim is too hard as a whole.
    `progress` is told what is asked."""

    def __init__(
        self,
        knowledge: Knowledge,
        candidates: Sequence[Candidate],
        deadline: Deadline,
        proofs: Proofs | None = None,
        progress: Callable[[str], None] = lambda words: None,
    ) -> None:
        super().__init__(knowledge, candidates, deadline, proofs)
        self._progress = progress
        self._actions: dict[tuple[int, int], Action] = {}
        self._hard = set[tuple[int, int]]()  # actions of which something was too hard as a whole
        self._edges: Sequence[Edge] = ()

    def run(self, edges: Sequence[Edge]) -> list[Candidate]:
        self._edges = edges
        return super().run(edges)

    def _edge(self, edge: Edge) -> bool:
        step, key = self.knowledge.step(edge), (edge.source, edge.arm)
        if sum(option.arm == edge.arm for option in step.options) < 2:
            return super()._edge(edge)
        dropped = False
        if key not in self._actions:
            dropped = self._at_once(edge)
        if key in self._hard and key not in self._actions:
            edges = [each for each in self._edges if (each.source, each.arm) == key]
            self._actions[key] = Action(self.knowledge, edges, step, self._progress)
        while key in self._actions and not self.deadline.passed:
            broken = self._by_cases(self._actions[key])
            self._drop(broken)
            dropped |= bool(broken)
            if not broken:
                break
        return dropped

    def _at_once(self, edge: Edge) -> bool:
        """Asks claim by claim about the edge as a whole, as long as nothing is too hard; whether anything was
        dropped."""
        dropped, posts = False, self._posts(edge)
        if id(edge) not in self.proofs.solvers:
            self.proofs.solvers[id(edge)] = EdgeSolver(self.knowledge, edge)
        solver = self.proofs.solvers[id(edge)]
        solver.expect(self.candidates)
        while posts and not self.deadline.passed:
            claim, post = posts[0]
            parts = [(claim, part) for part in self.knowledge.terms.conjuncts(post)]
            answer, rests = solver.ask(self.alive, parts, self.deadline.part(CASE), True)
            if answer.status == "unknown":
                self._hard.add((edge.source, edge.arm))
                break
            if answer.status == "unsat":
                self.proofs.reasons[id(edge), claim] = rests
                posts = posts[1:]
            else:
                self._drop(self._broken(posts, posts[:1], answer))
                dropped, posts = True, self._posts(edge)
        return dropped

    def _by_cases(self, action: Action) -> set[Candidate]:
        """What the action breaks, of what is not known to be kept."""
        edges = enumerate(action.edges)
        asked = [(at, claim) for at, each in edges for claim, _ in self._posts(each)]
        broken = action.broken(asked, self._standing, self.alive, self.deadline) if asked else set()
        for (at, claim), rests in action.kept(asked).items():
            self.proofs.reasons[id(action.edges[at]), claim] = rests
        return broken

    def _standing(self, rests: Collection[Candidate]) -> bool:
        """Whether a proof stands that rests on these."""
        return all(claim in self.alive or claim in self.proofs.settled for claim in rests)


Standing = Callable[[Collection[Candidate]], bool]


class Action:
    """The edges of one action, and its cases as far as they were made."""

    def __init__(
        self,
        knowledge: Knowledge,
        edges: Sequence[Edge],
        step: Step,
        progress: Callable[[str], None],
    ) -> None:
        self.knowledge, self.terms, self.edges = knowledge, knowledge.terms, edges
        self.source, self._arm = edges[0].source, edges[0].arm
        self._step, self._progress = step, progress
        self._root: Case | None = None
        self.apart = set[Pair]()  # what does not follow from what the edges have in common
        self.decided, self.hard = Counter[int](), Counter[int]()  # cases, by how much is chosen

    def broken(
        self,
        asked: Sequence[Pair],
        standing: Standing,
        alive: Collection[Candidate],
        deadline: Deadline,
    ) -> set[Candidate]:
        """Claims that do not hold after an edge though all that are alive hold before, or that are too hard;
        if there are none, all that was asked is kept, unless the time is up."""
        if self._root is None:
            self._root = self._whole(alive)
        try:
            return _Asked(self, standing, alive, deadline).broken(self._root, asked)
        except Interrupted:
            return set()

    def kept(self, asked: Iterable[Pair]) -> dict[Pair, set[Candidate]]:
        """What has been shown, and what it rests on."""
        found = {} if self._root is None else self._root.kept
        return {pair: found[pair] for pair in asked if pair in found}

    def tell(self, number: int, cases: int, claims: int) -> None:
        """What is asked now."""
        exit = self.knowledge.transitions.program.blocks[self.source].exit
        name = exit.arms[self._arm].name if isinstance(exit, k.Decide) else "chance"
        self._progress(f"induction for {claims} claims, {name}: case {number} of {cases}")

    def _whole(self, alive: Iterable[Candidate]) -> Case:
        """The action, whatever is chosen."""
        posts = {
            (at, claim): self.knowledge.after(edge).lit(claim.lits[edge.target])
            for at, edge in enumerate(self.edges)
            for claim in alive
            if edge.target in claim.lits
        }
        before = {claim: claim.lits[self.source] for claim in alive if self.source in claim.lits}
        ways = zip(self._step.options, self._step.chosen, strict=True)
        options = [(option.values, lit) for option, lit in ways if option.arm == self._arm]
        return Case((), options, [edge.env.live for edge in self.edges], before, posts, self._ties(alive))

    def _ties(self, alive: Iterable[Candidate]) -> list[Tie]:
        """What long sums that are spoken of grow by."""
        knowledge, terms, found = self.knowledge, self.terms, dict[Tie, None]()
        for edge in self.edges:
            spoken = [claim.lits[edge.target] for claim in alive if edge.target in claim.lits]
            for node in knowledge.sums(spoken):
                if long(terms, node):
                    old = Lin(0, ((1, node),))
                    grown = terms.plus(knowledge.after(edge).lin(old), old, -1)
                    found[grown, knowledge.change(edge, node)] = None
        return list(found)

    def cases(self, case: Case, deadline: Deadline) -> list[Case]:
        """What a case becomes: a case for each player who may act, then for each value of the next parameter,
        if there is one. That they are all there are is not taken on trust: that it is none of them is a case,
        too. Raises Interrupted."""
        actors = [] if case.acting else self.actors()
        if len(actors) > 1 and self._exclusive(actors):
            known = [{lit: TRUE if lit == mine else FALSE for lit in actors} for mine in (*actors, None)]
            return [replace(self._put(case, each, deadline), acting=True) for each in known]
        values = dict[Chosen, list[tuple[Chosen, Lit]]]()
        length, longest = len(case.chosen), max((len(option) for option, _ in case.options), default=0)
        while len(values) < 2 and length < longest:
            length += 1
            values = self.values(case, length)
        if len(values) < 2:
            return []
        mine = {chosen: [lit for _, lit in options] for chosen, options in values.items()}
        none = [-lit for lits in mine.values() for lit in lits]
        if case.chosen:  # one solver serves all these cases
            each = {chosen: self.terms.disj(lits) for chosen, lits in mine.items()}
            made = [
                replace(case, chosen=chosen, options=values[chosen], known=(*case.known, lit), kept={})
                for chosen, lit in each.items()
            ]
            return [*made, replace(case, options=[], known=(*case.known, *none), kept={})]
        made = [
            replace(self._put(case, self._only(lits), deadline), chosen=chosen, options=values[chosen])
            for chosen, lits in mine.items()
        ]
        left = self._put(case, {-lit: FALSE for lit in none}, deadline)
        return [*made, replace(left, options=[])]

    def actors(self) -> list[Lit]:
        """That a player acts, for each who may."""
        transitions = self.knowledge.transitions
        actor = transitions.arrival(self.source).actor
        return [] if actor is None else [lit for _, lit in transitions.reader.numbers.cases(actor).pairs]

    def _exclusive(self, lits: Sequence[Lit]) -> bool:
        """Whether plainly no two of them hold at once."""
        return all(self.terms.both(one, other) == FALSE for one, other in combinations(lits, 2))

    def values(self, case: Case, length: int) -> dict[Chosen, list[tuple[Chosen, Lit]]]:
        """The ways to go on, by the values of so many parameters."""
        found = dict[Chosen, list[tuple[Chosen, Lit]]]()
        for option in case.options:
            found.setdefault(option[0][:length], []).append(option)
        return found

    def put(self, case: Case, deadline: Deadline) -> Case:
        """The case with what is chosen in it, if it is anything, put into its terms. Raises Interrupted."""
        mine = [lit for _, lit in case.options]
        return self._put(case, self._only(mine), deadline) if mine else case

    def _only(self, mine: Sequence[Lit]) -> dict[Lit, Lit]:
        """One of these is chosen, and so nothing else is that can be chosen at the stop."""
        others = set(self._step.chosen) - set(mine)
        return dict.fromkeys(others, FALSE) | {self.terms.disj(mine): TRUE}

    def _put(self, case: Case, known: Mapping[Lit, Lit], deadline: Deadline) -> Case:
        """The case with literals of which it is known whether they hold. Raises Interrupted."""
        lits = {abs(lit): value if lit > 0 else -value for lit, value in known.items()}
        put = Substitution(self.terms, lits)
        put.until = deadline
        said = [
            lit if value == TRUE else -lit for lit, value in known.items() if lit not in self.terms.choices
        ]
        possible = self.terms.conj([*case.known, *said]) != FALSE
        return replace(
            case,
            lives=[put.lit(live) if possible else FALSE for live in case.lives],
            before={claim: put.lit(lit) for claim, lit in case.before.items()},
            posts={pair: put.lit(post) for pair, post in case.posts.items()},
            ties=[(put.lin(grown), put.lin(change)) for grown, change in case.ties],
            known=(*case.known, *said),
            kept={},
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """One round of questions about an action."""

    action: Action
    standing: Standing
    alive: Collection[Candidate]
    deadline: Deadline

    def broken(self, case: Case, pairs: Iterable[Pair], solver: CaseSolver | None = None) -> set[Candidate]:
        """What is broken in a case; raises Interrupted when the time is up. `solver`: of the case that this
        is a part of."""
        left = [pair for pair in pairs if not self._stands(case, pair)]
        if not case.taken:
            case.kept |= {pair: set[Candidate]() for pair in left}
        if not left or not case.taken:
            return set()
        if solver is None and (case.chosen or case.acting):
            solver = self._solver(case)
        if case.more is None:
            if solver is not None and self._hopeful(case):
                found = self._decided(case, left, solver)
                if found is not None:
                    return found
            case.more = self.action.cases(case, self.deadline)
        if not case.more:
            fine = self.action.put(case, self.deadline)
            found = self._finally(fine, left)
            case.kept |= fine.kept
            return found
        for number, more in enumerate(case.more, 1):
            if not case.chosen:
                self.action.tell(number, len(case.more), len({claim for _, claim in left}))
            if found := self.broken(more, left, solver if case.chosen else None):
                return found
        for pair in left:
            case.kept[pair] = set[Candidate]().union(*(more.kept[pair] for more in case.more))
        return set()

    def _solver(self, case: Case) -> CaseSolver:
        knowledge = self.action.knowledge
        lives = {at: case.lives[at] for at in case.taken}
        facts = [*case.known, *knowledge.facts_at(self.action.source)]
        return CaseSolver(knowledge.terms, lives, facts, case.ties)

    def _hopeful(self, case: Case) -> bool:
        """Whether a case of so many parameters may be decided: not if none was yet, of some."""
        decided, hard = self.action.decided[len(case.chosen)], self.action.hard[len(case.chosen)]
        return decided > 0 or hard < HOPELESS

    def _decided(self, case: Case, pairs: Sequence[Pair], solver: CaseSolver) -> set[Candidate] | None:
        """What is broken in the case as a whole; None if that was too hard."""
        found = self._put(case, pairs, solver, self.deadline.part(CASE))
        (self.action.hard if found is None else self.action.decided).update([len(case.chosen)])
        return found

    def _finally(self, case: Case, pairs: Sequence[Pair]) -> set[Candidate]:
        """The same of a case that cannot be split: of all claims, then claim by claim; a claim that is too
        hard is given up."""
        solver = self._solver(case)
        found = self._put(case, pairs, solver, self.deadline.part(CASE))
        for pair in pairs if found is None else ():
            if self._stands(case, pair):
                continue
            found = self._put(case, [pair], solver, self.deadline.part(LONGER * CASE))
            if self.deadline.passed:
                raise Interrupted
            if found is None or found:
                return {pair[1]}
        return found or set()

    def _put(
        self, case: Case, pairs: Sequence[Pair], solver: CaseSolver, deadline: Deadline
    ) -> set[Candidate] | None:
        """The same of some pairs: first under what the edges have in common, then edge by edge."""
        apart, taken = self.action.apart, case.taken
        case.kept |= {pair: set[Candidate]() for pair in pairs if pair[0] not in taken}
        asked = [pair for pair in pairs if pair[0] in taken]
        together = [pair for pair in asked if pair not in apart and len(taken) > 1]
        while together:
            answer = self._ask(solver, None, case, together, deadline)
            if answer.status == "unknown":
                return None
            wrong = self._wrong(case, together, answer)
            apart |= wrong
            together = [pair for pair in together if answer.status == "sat" and pair not in wrong]
        for at in taken:
            mine = [pair for pair in asked if pair[0] == at and not self._stands(case, pair)]
            if mine:
                answer = self._ask(solver, at, case, mine, deadline)
                if answer.status == "unknown":
                    return None
                if answer.status == "sat":
                    return {claim for _, claim in self._wrong(case, mine, answer)}
        return set()

    def _ask(
        self, solver: CaseSolver, edge: int | None, case: Case, pairs: Sequence[Pair], deadline: Deadline
    ) -> Answer:
        """Whether one of the pairs can be broken; if not, that is noted. What a claim says that is what it
        says before the step, or when the edge is taken, is not asked."""
        terms = self.action.terms
        before = {claim: lit for claim, lit in case.before.items() if claim in self.alive}
        parts, same = list[Lit](), dict[Pair, set[Candidate]]()
        for pair in pairs:
            live = set(terms.conjuncts(case.lives[pair[0]]))
            said = set(terms.conjuncts(before.get(pair[1], TRUE)))
            left = [part for part in terms.conjuncts(case.posts[pair]) if part not in live and part != TRUE]
            parts += [part for part in left if part not in said]
            same[pair] = {pair[1]} if any(part in said for part in left) else set()
        answer, rests = Answer("unsat"), set[Candidate]()
        if parts:
            answer, rests = solver.ask(edge, before, case.known, list(dict.fromkeys(parts)), deadline)
        if answer.status == "unsat":
            case.kept |= {pair: rests | same[pair] for pair in pairs}
        return answer

    def _wrong(self, case: Case, pairs: Sequence[Pair], answer: Answer) -> set[Pair]:
        """The pairs that a model breaks."""
        if answer.status != "sat":
            return set()
        values = Valuation(self.action.terms, answer.values)
        return {pair for pair in pairs if not values.lit(case.posts[pair])} or set(pairs)

    def _stands(self, case: Case, pair: Pair) -> bool:
        rests = case.kept.get(pair)
        return rests is not None and self.standing(rests)
