"""An action, and the cases that its step falls into: by who acts, then by what is chosen, parameter by
parameter.

What a case settles is put into the terms of the step, of which that leaves little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from kemu_engine.kernel import nodes as k

from kemu_verifier.methods.invariants.case_solver import Tie, long
from kemu_verifier.methods.invariants.invariants import Knowledge
from kemu_verifier.methods.invariants.templates import Candidate
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Substitution
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Step

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
        self.root: Case | None = None
        self.apart = set[Pair]()  # what does not follow from what the edges have in common
        self.decided, self.hard = Counter[int](), Counter[int]()  # cases, by how much is chosen

    def kept(self, asked: Iterable[Pair]) -> dict[Pair, set[Candidate]]:
        """What has been shown, and what it rests on."""
        found = {} if self.root is None else self.root.kept
        return {pair: found[pair] for pair in asked if pair in found}

    def tell(self, number: int, cases: int, claims: int) -> None:
        """What is asked now."""
        exit = self.knowledge.transitions.program.blocks[self.source].exit
        name = exit.arms[self._arm].name if isinstance(exit, k.Decide) else "chance"
        self._progress(f"induction for {claims} claims, {name}: case {number} of {cases}")

    def whole(self, alive: Iterable[Candidate]) -> Case:
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
