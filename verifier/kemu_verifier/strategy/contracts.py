"""Claims about a rule by itself: `from any if C: run rule(args) returns`, `never returns`, `can return`.

All starts one by one if they are few. Else: starts that the solver makes up, and all that can follow from
each; induction with the parts of C that stay true as invariants, for `returns` and `can return` ranking
functions; bounded search from every start at once; both proofs again with what random runs suggest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import stop_in_words
from kemu_engine.play.game import Game
from kemu_engine.play.replay import ReplayError
from kemu_engine.play.state import FaultError, State

from kemu_verifier.goal.goal import reading, stops
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.methods.invariants.invariants import Fact, Knowledge
from kemu_verifier.methods.invariants.k_induction import Houdini, proved_facts
from kemu_verifier.methods.invariants.templates import Candidate, Sample, Samples, candidates
from kemu_verifier.methods.search.bmc_from_any import SearchFromAnyState
from kemu_verifier.methods.search.random_search import Play
from kemu_verifier.methods.search.start_states import Starts, TooMany, Undefined
from kemu_verifier.methods.termination.measures import Measure, StepSamples, numbers
from kemu_verifier.methods.termination.ranking import Ranker
from kemu_verifier.methods.termination.reach_graph import aftermath
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.asked import Asked
from kemu_verifier.strategy.broken_contracts import FAULTY, Bad, breaking, shown, shown_in
from kemu_verifier.strategy.context import ProofContext, RunProof
from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lit
from kemu_verifier.symbolic.transition import Edge, Transitions
from kemu_verifier.symbolic.values import TooLarge

UNREAD = "the rules go round and round between two stops, beyond what is followed"


def settle_run(context: ProofContext, asked: Asked, deadline: Deadline) -> Verdict:
    """The verdict on a claim about a rule by itself."""
    run = asked.question.run
    assert run is not None
    real = run.real
    share = 1 if real is None else strategy.ABSTRACT
    found = _settled(context, run, asked, deadline.part(deadline.left * share))
    if real is None:
        return found
    names = " and ".join(f"`{name}`" for name in run.forgotten)
    if found.kind == "proved" and not found.vacuous and RuleRun(real, asked).empty(deadline):
        words = f"vacuous with {names} as the rules have it: no state has the condition then"
        return replace(found, detail="; ".join(filter(None, (words, found.detail))))
    if found.kind != "refuted":
        return found
    concrete = _settled(context, real, asked, deadline)
    if concrete.kind == "refuted":
        context.abstract[asked.question.key] = found
        return replace(concrete, detail=f"with {names} as the rules have it; {concrete.detail}")
    known = "it is" if concrete.kind == "proved" else "it is not known whether it is"
    detail = f"abstract: {names} may be any function here; {known} true of the one in the rules"
    return replace(found, detail=f"{detail}; {found.detail}")


def _settled(context: ProofContext, run: k.Run, asked: Asked, deadline: Deadline) -> Verdict:
    context.runs.pop(asked.question.key, None)
    try:
        looking = RuleRun(run, asked)
        found = looking.verdict(deadline)
        if looking.proof is not None:
            context.runs[asked.question.key] = looking.proof
        return found
    except Undefined as error:
        return asked.verdict("unknown", "", detail=f"the condition cannot be worked out everywhere: {error}")
    except TooLarge as error:
        return asked.verdict("unknown", "", detail=str(error))


class RuleRun:
    """One claim under examination."""

    def __init__(self, run: k.Run, asked: Asked) -> None:
        self.run, self.asked = run, asked
        self.form = asked.question.form
        self.starts = Starts(run)
        self.proof: RunProof | None = None  # the argument that proved it, if one did
        self.looked = 0  # sampled starts of which everything that follows was seen, and nothing bad

    @cached_property
    def transitions(self) -> Transitions:
        return Transitions(self.run.program)

    @cached_property
    def knowledge(self) -> Knowledge:
        """With the facts that where play stands, what can be chosen was worked out without a fault."""
        made = Knowledge(self.transitions)
        for block in self.moving:
            faults = [lit for lit, _ in self.transitions.arrival(block).faults]
            if faults:
                made.add([Fact(block, -self.transitions.terms.disj(faults), "no fault on arrival")])
        return made

    @cached_property
    def moving(self) -> list[int]:
        return stops(self.run.program, k.Decide, k.Chance)

    @cached_property
    def edges(self) -> list[Edge]:
        return [edge for block in self.moving for edge in self.transitions.step(block).edges]

    # ------------------------------------------------------------------------------------------ the order

    def verdict(self, deadline: Deadline) -> Verdict:
        found = self.exhausted(deadline.part(deadline.left * strategy.EXHAUSTIVE))
        if found is not None:
            return found
        self.transitions.reader.deadline = deadline
        self._defined(deadline.part(deadline.left * strategy.DEFINED))
        bad = self.sampled(deadline.part(min(strategy.MAKING, deadline.left * strategy.STARTING)))
        if bad is not None:
            return self.refuted(bad, "search of what follows from states that the solver made up")
        if not self.samples:
            empty = self._vacuous(deadline.part(deadline.left * strategy.VACUOUS))
            if empty is not None:
                return empty
        edges = self.edges
        if self.transitions.unclosed:
            return self.asked.verdict("unknown", "", detail=UNREAD)
        mine = [
            Candidate(f"part {number} of the condition", {block: lit})
            for number, part in enumerate(self.starts.parts, 1)
            for block, lit in self._at_stops(part).items()
        ]
        self._keep(mine, edges, deadline.part(deadline.left * strategy.PARTS_KEPT))
        early = self.argued(edges, deadline.part(deadline.left * strategy.ARGUED))
        if early.kind == "proved":
            return early
        settled = self.bounded(deadline.part(deadline.left * strategy.BOUNDED))
        if settled is not None:
            return settled
        self.guess(edges, deadline.part(deadline.left * strategy.PARTS_KEPT))
        return self.argued(edges, deadline)

    def _defined(self, deadline: Deadline) -> None:
        """That the condition meets no fault. Raises Undefined."""
        faulty = self.starts.undefined(self.transitions)
        if faulty != FALSE:
            lits = [*self.transitions.layout.typing, faulty]
            answer, _ = self.knowledge.ask(None, lits, deadline)
            if answer.status != "unsat":
                raise Undefined("in some state it meets a fault, or that could not be excluded")

    def _vacuous(self, deadline: Deadline) -> Verdict | None:
        answer, _ = self.knowledge.ask(None, self.starts.known(self.transitions), deadline)
        if answer.status != "unsat":
            return None
        return self.asked.verdict("proved", "no state is such", detail="vacuous: no state has the condition")

    def empty(self, deadline: Deadline) -> bool:
        """Whether it is known that no state has the condition; what that takes is little if one is found."""
        try:
            every = self.starts.all(strategy.ALL_STARTS, deadline.part(deadline.left / 2))
            return next(every, None) is None
        except (TooMany, Undefined):
            pass
        try:
            self.transitions.reader.deadline = deadline
            return self._vacuous(deadline) is not None
        except TooLarge:
            return False

    # ------------------------------------------------------------------------------------------ exhaustive

    def exhausted(self, deadline: Deadline) -> Verdict | None:
        """By all starts and all that follows; None if these are too many."""
        starts = self.every(deadline)
        if starts is None:
            return None
        graph = aftermath(starts, strategy.AFTER_ALL, deadline)
        if not graph.complete:
            return None
        by = f"exhaustive search from all {len(starts)} states with the condition, {len(graph.states)} in all"
        lost = breaking(graph, self.form)
        if lost is not None:
            return self.refuted(shown(graph.states[lost], self.form), by)
        detail = "" if starts else "vacuous: no state has the condition"
        return self.asked.verdict("proved", by, detail=detail)

    def every(self, deadline: Deadline) -> list[State] | None:
        """All starts: by going through the values of the variables, or by asking the solver for one after the
        other."""
        try:
            every = self.starts.all(strategy.ALL_STARTS, deadline.part(deadline.left / 2))
            starts = list(islice(every, strategy.AFTER_ALL))
            return starts if len(starts) < strategy.AFTER_ALL else None
        except TooMany:
            pass
        if not strategy.SOLVED_STARTS:
            return None
        self.transitions.reader.deadline = deadline
        self._defined(deadline.part(deadline.left / 4))
        try:
            soon = deadline.part(deadline.left / 4)
            return list(self.starts.solved(self.transitions, strategy.SOLVED_STARTS, soon))
        except TooMany:
            return None

    # ---------------------------------------------------------------------------------------- sampled starts

    @cached_property
    def samples(self) -> list[State]:
        return []

    def sampled(self, deadline: Deadline) -> Bad | None:
        """Starts made up by the solver, and all that follows from each."""
        for start in islice(self.starts.sampled(self.transitions, deadline), strategy.SAMPLED_STARTS):
            self.samples.append(start)
            graph = aftermath([start], strategy.AFTER_ONE, deadline)
            if not graph.complete and self.form == "can_return":
                continue  # what was not looked at may lead to an end
            if breaking(graph, self.form) is not None:
                return shown(start, self.form) if graph.complete else shown_in(graph, self.form)
            self.looked += graph.complete
        return None

    def plays(self) -> list[Play]:
        """A few runs from each sampled start."""
        made = []
        for number, start in enumerate(self.samples):
            states, choices, state = [start], list[int](), start
            while not state.is_end and len(states) < strategy.RUN_DEPTH:
                choice = (7 * number + 3 * len(states)) % len(state.choices)
                try:
                    state = state.follow(choice)
                except FaultError:
                    break
                choices.append(choice)
                states.append(state)
            made.append(Play(tuple(states), tuple(choices), None, None))
        return made

    # ---------------------------------------------------------------------------------------- bounded search

    def bounded(self, deadline: Deadline) -> Verdict | None:
        """Runs of every length, as far as there is time."""
        search, faultless = SearchFromAnyState(self.starts, self.transitions), True
        while search.depth < strategy.RUN_DEPTH and search.extend(deadline):
            if self.transitions.unclosed:
                return self.asked.verdict("unknown", "", detail=UNREAD)
            by = f"bounded model checking from all states with the condition, {search.depth} steps"
            for lit, words in self._wrong(search):
                answer = search.ask(lit, deadline)
                found = search.found(answer) if answer.status == "sat" else None
                if found is not None:
                    return self.refuted(Bad(found, words), by)
                if answer.status != "unsat":
                    return None
            if self.form == "can_return":
                faultless &= search.ask(search.faults(True), deadline).status == "unsat"
            if search.ask(search.moving(), deadline).status == "unsat" and not deadline.passed:
                return (
                    None
                    if not faultless
                    else self.asked.verdict("proved", f"{by}: all runs are over by then")
                )
        return None

    def _wrong(self, search: SearchFromAnyState) -> Iterator[tuple[Lit, str]]:
        """What the last step of a run may have done that breaks the claim."""
        if self.form == "can_return":
            return
        yield search.faults(self.form == "returns"), FAULTY
        if self.form == "never_returns":
            yield search.ends(), "here the run is over"
        else:
            yield search.circle(), "here the state is again what it was before"

    # ------------------------------------------------------------------------------------------ proofs

    def guess(self, edges: Sequence[Edge], deadline: Deadline) -> None:
        """Invariants that random runs suggest."""
        seen = [Sample(state, 0) for play in self.plays() for state in play.states[1:]]
        if seen:
            samples = Samples(self.transitions, seen)
            guessed = candidates(self.transitions, samples, [], deadline.part(deadline.left / 2))
            trimmed = [replace(c, lits=self._behind(c.lits)) for c in guessed]
            self._keep([c for c in trimmed if c.lits], edges, deadline)

    def argued(self, edges: Sequence[Edge], deadline: Deadline) -> Verdict:
        """What follows from the invariants that are known."""
        told = self.knowledge.told()
        looked = f"; nothing bad follows from {self.looked} states that were tried" if self.looked else ""
        wrong = self._faults(deadline)
        if wrong:
            return self.asked.verdict("unknown", "", detail=wrong + looked)
        if self.form == "never_returns":
            ends = [e for e in edges if self._ends(e) and not self._never(e.source, e.env.live, deadline)]
            if not ends:
                self.proof = RunProof(self.knowledge, list(edges), None)
                by = "1-induction: no step leads to an end"
                return self.asked.verdict("proved", by, detail=told)
            where = ", ".join(sorted({self._name(edge.source) for edge in ends}))
            detail = f"no known invariant excludes that the run is over after {where}"
            return self.asked.verdict("unknown", "induction", detail=detail + looked)
        helped = self.moving if self.form == "can_return" else ()
        ranker = Ranker(self.knowledge, StepSamples(self.transitions, self.plays()), deadline, helped)
        given = self._given()
        ranking = ranker.rank(edges, given) if given else None
        if ranking is None or not ranking.proved:
            ranking = ranker.rank(edges, [*given, *numbers(self.transitions, [])], combine=True)
        if ranking.proved:
            self.proof = RunProof(self.knowledge, list(edges), ranking)
            words = ", then ".join(m.words for m in ranking.measures) or "not needed: no stop comes twice"
            some = ", which some choice lowers" if helped else ""
            return self.asked.verdict("proved", f"ranking function {words}{some}", detail=told)
        where = ", ".join(sorted({self._name(edge.source) for edge in ranking.left}))
        detail = f"no number is known to fall on every way round through {where}"
        return self.asked.verdict("unknown", "ranking functions", detail=detail + looked)

    def _keep(self, wanted: list[Candidate], edges: Sequence[Edge], deadline: Deadline) -> None:
        self.knowledge.add(proved_facts(Houdini(self.knowledge, wanted, deadline).run(edges)))

    def _behind(self, lits: dict[int, Lit]) -> dict[int, Lit]:
        """Without the start, of which nothing can be learnt: it may be any state with the condition."""
        return {block: lit for block, lit in lits.items() if block != self.starts.block}

    def _at_stops(self, expr: k.Expr) -> dict[int, Lit]:
        found = {}
        for block in self.moving:
            if block != self.starts.block:
                lit, sound = reading(self.transitions, expr, block)
                found[block] = self.transitions.terms.both(lit, sound)
        return found

    def _faults(self, deadline: Deadline) -> str:
        """The fault that is not excluded; nothing if none can come that breaks the claim."""
        faults = self.run.program.faults
        for block in self.moving:
            for lit, index in self.transitions.step(block).faults:
                harmless = self.form == "never_returns" and index >= 0 and faults[index].code == "silent_loop"
                if not harmless and not self._never(block, lit, deadline):
                    words = self._told(index) if index >= 0 else "the rules run in a circle"
                    return f"no known invariant excludes a fault after {self._name(block)}: {words}"
        return ""

    def _told(self, fault: int) -> str:
        """A fault in words, with its line."""
        found = self.run.program.faults[fault]
        line = self.run.program.origins[found.origin].span.line if found.origin >= 0 else 0
        return f"{found.message} (line {line})" if line else found.message

    def _never(self, block: int, lit: Lit, deadline: Deadline) -> bool:
        """That no step from a stop has this."""
        if lit == FALSE:
            return True
        known = [*self.knowledge.at(block), *self.transitions.step(block).clauses, lit]
        known += self.starts.known(self.transitions) if block == self.starts.block else []
        return self.knowledge.ask(None, known, deadline.part(strategy.RUN_QUERY))[0].status == "unsat"

    def _given(self) -> list[Measure]:
        reader, found = self.transitions.reader, []
        for number, expr in enumerate(self.asked.question.exprs, 1):
            at = {
                block: reader.numbers.lin(reader.number(expr, self.transitions.env(block), TRUE))
                for block in stops(self.run.program, k.Decide, k.Chance, k.End)
            }
            found.append(Measure(f"of the author, component {number}", at, expr=expr))
        return found

    def _ends(self, edge: Edge) -> bool:
        return isinstance(self.run.program.blocks[edge.target].exit, k.End)

    def _name(self, block: int) -> str:
        return stop_in_words(self.run.program, block)

    # ------------------------------------------------------------------------------------------ refutations

    def refuted(self, bad: Bad, by: str) -> Verdict:
        """The verdict; the interpreter plays the run again from the start. Raises ReplayError."""
        start, steps = bad.found.start.to_json(), bad.found.steps
        self._confirm(start, steps)
        detail = f"the state at the start is not shown to be reachable; {bad.words}"
        return self.asked.verdict("refuted", by, depth=len(steps), steps=steps, start=start, detail=detail)

    def _confirm(self, start: object, steps: Sequence[str]) -> None:
        """That the run breaks the claim, as far as one run can show it."""
        name = self.asked.question.name
        state = Game(self.run.program, reader="interpreter").state(start)
        states, faulted = [state], False
        try:
            for text in steps:
                states.append(states[-1].follow(states[-1].index(text)))
        except FaultError as error:
            faulted = len(states) == len(steps) and not (
                self.form == "never_returns" and error.code == "silent_loop"
            )
        except ValueError as error:
            raise ReplayError(f"{name}: {error}") from error
        circle = len(set(states)) < len(states)
        shown = {
            "returns": faulted or circle,
            "never_returns": faulted or states[-1].is_end,
            "can_return": not states[-1].is_end,
        }
        if not shown[self.form]:
            raise ReplayError(f"{name}: the interpreter does not confirm the run {', '.join(steps)}")
