"""What is known of all reachable states: proved invariants by stop, and questions about one step put under
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kemu_engine.kernel.text import stop_in_words
from kemu_engine.support.gc_pause import undisturbed
from kemu_engine.support.time_limit import postponed

from kemu_verifier.methods.invariants.linear_features import identities
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.mapping import Substitution
from kemu_verifier.symbolic.solve import Answer, solve
from kemu_verifier.symbolic.terms import AND, FALSE, SUM, TRUE, Lin, Lit
from kemu_verifier.symbolic.transition import Edge, Step, Transitions


@dataclass(frozen=True, slots=True)
class Fact:
    """A literal over the symbolic state that holds whenever play stands at the stop; `follows`: from the
    others that hold there."""

    block: int
    lit: Lit
    words: str
    follows: bool = False


class Knowledge:
    """Facts about one program; grows as proofs succeed. `rested`: by stop, those that answers to questions
    about states and steps rested on."""

    def __init__(self, transitions: Transitions) -> None:
        self.transitions = transitions
        self.terms = transitions.terms
        self.facts: dict[int, list[Fact]] = {}
        self.rested: dict[int, set[Lit]] = {}
        self._after: dict[int, Substitution] = {}
        self._identities = identities(transitions)

    def add(self, facts: Iterable[Fact]) -> None:
        """Takes them up, all of them or, if time is up before, none: together they are an induction."""
        new = list(facts)
        with postponed():
            for fact in new:
                self.facts.setdefault(fact.block, []).append(fact)

    def rest_on_all(self) -> None:
        """An answer may rest on anything that is known."""
        for block, facts in self.facts.items():
            self.rested.setdefault(block, set()).update(fact.lit for fact in facts)

    @property
    def size(self) -> int:
        """How many facts there are."""
        return sum(map(len, self.facts.values()))

    def told(self, most: int = 12) -> str:
        """The facts in words, the telling ones, those that hold at every stop first, then stop by stop."""
        words = {
            block: dict.fromkeys(f.words for f in facts if "!=" not in f.words or " or " in f.words)
            for block, facts in self.facts.items()
            if facts
        }
        if not words:
            return ""
        every = [w for w in next(iter(words.values())) if all(w in held for held in words.values())]
        parts = [_some("invariants", every, most)]
        for block, held in words.items():
            name = stop_in_words(self.transitions.program, block)
            parts.append(_some(f"at {name}", [w for w in held if w not in every], most // 2))
        return ". ".join(part for part in parts if part)

    def at(self, block: int) -> list[Lit]:
        """What may be assumed of a state at the stop: types, what is known, that something can be done."""
        return [*self.types(block), *self.facts_at(block)]

    def types(self, block: int) -> list[Lit]:
        """What may be assumed of a state at the stop, whatever is known."""
        if block < 0:
            return []
        return [*self.transitions.layout.typing, self.transitions.arrival(block).stands]

    def facts_at(self, block: int) -> list[Lit]:
        """What is known of a state at the stop."""
        return [fact.lit for fact in self.facts.get(block, ())]

    def after(self, edge: Edge) -> Substitution:
        """Puts the state after the edge into literals over the state before it and the choice."""
        key = id(edge)
        if key not in self._after:
            self._after[key] = self.transitions.layout.substitution(edge.binding)
        return self._after[key]

    def before(self, edge: Edge) -> list[Lit]:
        """What may be assumed when the edge is taken."""
        return [*self.at(edge.source), *self.step(edge).clauses, edge.env.live]

    def step(self, edge: Edge) -> Step:
        """The step that the edge is a part of."""
        return self.transitions.begin() if edge.source < 0 else self.transitions.step(edge.source)

    def edges(self, sources: Iterable[int]) -> list[Edge]:
        """The edges of the opening and of these stops."""
        with undisturbed():
            found = list(self.transitions.begin().edges)
            for block in sources:
                found += self.transitions.step(block).edges
        return found

    # ------------------------------------------------------------------------------------------ one step

    def abstract(
        self, edge: Edge | None, lits: Sequence[Lit], deadline: Deadline, watched: Iterable[int] = ()
    ) -> tuple[Answer, bool]:
        """Whether the literals can all hold, sums being free integers; (answer, whether it is exact after
        all).

        With an edge, `watched` are sums (over the state before) whose values after the edge occur too: they
        are tied to the values before by what the edge does to them.
        """
        if FALSE in lits:
            return Answer("unsat"), True
        if not self.sums(lits):
            return solve(self.terms, lits, deadline), True
        equations, exact = self.tied(edge, watched) if edge is not None else ([], set())
        sums = self.sums(lits)
        equations += self.defined(edge, sums)
        return solve(self.terms, [*lits, *self.some(sums)], deadline, equations, True, exact), False

    def tied(self, edge: Edge, watched: Iterable[int]) -> tuple[list[Lin], set[int]]:
        """Equations between sums after and before the edge; and the sums in them that must be taken
        exactly."""
        equations: list[Lin] = []
        exact: set[int] = set()
        for term in watched:
            change = self.change(edge, term)
            exact |= {t for _, t in change.terms}
            after = self.after(edge).lin(Lin(0, ((1, term),)))
            gap = self.terms.plus(self.terms.plus(after, Lin(0, ((1, term),)), -1), change, -1)
            if gap.terms:
                equations.append(gap)
        return equations, exact

    def defined(self, edge: Edge | None, sums: Iterable[int]) -> list[Lin]:
        """The identities that speak of these sums, before and after the edge."""
        found: list[Lin] = []
        sums = set(sums)
        for value in self._identities:
            after = value if edge is None else self.after(edge).lin(value)
            found += [
                one for one in dict.fromkeys((value, after)) if any(term in sums for _, term in one.terms)
            ]
        return found

    def ask(
        self, edge: Edge | None, lits: Sequence[Lit], deadline: Deadline, watched: Iterable[int] = ()
    ) -> tuple[Answer, bool]:
        """The same, and asked again exactly if the abstract answer is not "unsat"; (answer, whether that was
        needed).
        """
        answer, exact = self.abstract(edge, lits, deadline.part(deadline.left / 2), watched)
        if exact or answer.status == "unsat":
            return answer, False
        return solve(self.terms, lits, deadline), True

    def sums(self, lits: Sequence[Lit]) -> list[int]:
        """The sums in these."""
        return [node for node in self.terms.cone(lits) if self.terms.kind[node] == SUM]

    def some(self, sums: Iterable[int]) -> list[Lit]:
        """Of every sum of ones: a literal in it makes it at least 1, one missing keeps it from being full."""
        terms, found = self.terms, []
        for node in sums:
            items = terms.data[node]
            if all(coef == 1 for coef, _ in items):
                some = -terms.le0(Lin(0, ((1, node),)))
                full = terms.le0(Lin(len(items), ((-1, node),)))
                # as raw nodes: the constructors are not to look into them
                found += [-terms.raw(AND, (lit, -some)) for _, lit in items]
                found += [-terms.raw(AND, (-lit, full)) for _, lit in items]
        return [lit for lit in found if lit != TRUE]

    def change(self, edge: Edge, term: int) -> Lin:
        """By how much the edge changes a sum: element by element, so that untouched elements vanish."""
        after, terms = self.after(edge), self.terms
        if terms.kind[term] != SUM:
            return terms.plus(after.lin(Lin(0, ((1, term),))), Lin(0, ((1, term),)), -1)
        signed: dict[int, list[Lit]] = {}
        for coef, lit in terms.data[term]:
            new = after.lit(lit)
            if new != lit:
                up, down = self.turned(lit, new)
                signed.setdefault(coef, []).append(up)
                signed.setdefault(-coef, []).append(down)
        pairs: list[tuple[int, Lit]] = []
        for coef, lits in sorted(signed.items()):
            lits = [lit for lit in lits if lit != FALSE]
            pairs += (
                [(coef, self.terms.disj(lits))] if self.exclusive(lits) else [(coef, lit) for lit in lits]
            )
        return terms.sum(0, pairs)

    def turned(self, lit: Lit, new: Lit) -> tuple[Lit, Lit]:
        """(whether the literal comes to hold, whether it ceases to), `new` being what it becomes."""
        terms = self.terms
        return terms.both(terms.given(new, -lit), -lit), terms.both(lit, -terms.given(new, lit))

    def exclusive(self, lits: list[Lit]) -> bool:
        """Whether at most one of them can hold because each rests on another of some that exclude each other:
        choices, or places where something is written."""
        follow = [self.terms.implied(lit) for lit in lits]
        return self._chosen(follow) or self._placed(follow)

    def _chosen(self, follow: list[set[Lit]]) -> bool:
        """Whether from each another choice of one group follows."""
        chosen: set[int] = set()
        group: int | None = None
        for parts in follow:
            mine = [part for part in parts if part in self.terms.choices]
            mine = [part for part in mine if group in (None, self.terms.group[part])]
            if not mine or mine[0] in chosen:
                return False
            group = self.terms.group[mine[0]]
            chosen.add(mine[0])
        return True

    def _placed(self, follow: list[set[Lit]]) -> bool:
        """Whether from each another of some literals follows that are known to be distinct."""
        places = self.terms.places
        families = [family for part in follow[0] for family in places.get(part, ())] if follow else []
        return any(self._apart(frozenset(family), follow) for family in families)

    def _apart(self, family: frozenset[Lit], follow: list[set[Lit]]) -> bool:
        seen: set[Lit] = set()
        for parts in follow:
            mine = parts & family
            if not mine or not seen.isdisjoint(mine):
                return False
            seen |= mine
        return True


def _some(title: str, words: Sequence[str], most: int) -> str:
    """The first of the words, and how many more there are."""
    more = f" and {len(words) - most} more" if len(words) > most else ""
    return f"{title}: {'; '.join(words[:most])}{more}" if words else ""
