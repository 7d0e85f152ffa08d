"""The rules by which proofs on unknown states are checked (docs/evidence.md)."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kemu_checker.bundle import speaks_of_time
from kemu_checker.cuts import Cuts, cut
from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.looks import Care, Looks, below
from kemu_checker.questions import Question
from kemu_checker.state import State
from kemu_checker.statements import Place
from kemu_checker.symbols import Truth
from kemu_checker.text import BadText, Node
from kemu_checker.views import Fixed, Limits, View, parted

Forget = frozenset[int]  # variables
EVERYTHING: Forget = frozenset()  # is known
Verdict = bool | None  # shown, shown to be otherwise, or not decided


@dataclass(eq=False)
class Proofs:
    """The proofs of a bundle, in its order, and the views that they are checked with. Of a program with its
    loops cut (`cuts`) the same, and `whole` those of the program that it was made of."""

    program: Node
    limits: Limits
    places: frozenset[Place] = frozenset()
    note: Callable[[str], None] = print
    begin: int | None = None  # of a rule by itself: the stop where it begins, in any state
    whole: "Proofs | None" = None
    cuts: Cuts | None = None
    named: dict[str, Node] = field(default_factory=dict)
    about: dict[str, Cuts | None] = field(default_factory=dict)  # where loops are cut, by proof
    _within: dict[Cuts, "Proofs"] = field(default_factory=dict)
    _views: dict[tuple[int | None, Forget, bool, bool, Care, Fixed], View] = field(default_factory=dict)
    _going_on: set[str] = field(default_factory=set)  # proofs that hold only where play can go on
    _shown: dict[tuple[str, bool], Verdict] = field(default_factory=dict)
    _by: dict[tuple[str, bool], set[str]] = field(default_factory=dict)  # the solvers that showed it
    _facts: dict[tuple[str, View], list[Truth]] = field(default_factory=dict)

    def add(self, proof: Node, cuts: Cuts | None = None) -> None:
        """One more proof; it may rest on those before only. `cuts`: it is about the program with these loops
        cut."""
        name, uses = proof.fields[0], proof.fields[2 if proof.kind == "Induction" else 1]
        if name in self.named:
            raise ValueError(f"there are two proofs `{name}`")
        for each in uses:
            if each not in self.named or self.named[each].kind != "Induction":
                raise ValueError(f"`{name}` rests on `{each}`, which is no induction before it")
        if self.begin is not None and cuts is not None:
            raise ValueError(f"`{name}` cuts loops of a rule by itself")
        self.named[name], self.about[name] = proof, cuts
        if self.begin is not None and proof.kind == "Induction" and self.invariants(name, self.begin):
            raise ValueError(f"`{name}` says something of where a rule begins, in any state")

    def within(self, cuts: Cuts) -> "Proofs":
        """The same proofs, and what they say of the program with these loops cut."""
        if self.whole is not None or self.begin is not None:
            raise ValueError("loops are cut in a whole program")
        if cuts not in self._within:
            self._within[cuts] = Proofs(
                cut(self.program, cuts),
                self.limits,
                note=self.note,
                whole=self,
                cuts=cuts,
                named=self.named,
                about=self.about,
                _going_on=self._going_on,
            )
        return self._within[cuts]

    def view(
        self,
        block: int | None,
        forget: Forget = EVERYTHING,
        late: bool = False,
        arriving: bool = False,
        care: Care = Care.EXACT,
        fixed: Fixed = (),
    ) -> View:
        """The steps from a stop, or from the opening; `late`: where decisions are no longer counted;
        `arriving`: as far as play can go on where they come to; `fixed`: from states where locals have these
        values."""
        if block is None:
            forget, care = EVERYTHING, Care.EXACT
        key = block, forget, late, arriving, care, fixed
        if key not in self._views:
            self._views[key] = View(
                self.program, block, self.places, self.limits, forget, late, arriving, care, fixed
            )
        return self._views[key]

    def views(
        self,
        forget: Forget = EVERYTHING,
        late: bool = False,
        arriving: bool = False,
        care: Care = Care.EXACT,
    ) -> Iterator[View]:
        """All stops from which steps lead, and the opening, if there is one (`late`: it is over); where less
        is worked out, by who is on turn there."""
        if self.begin is None and not late:
            yield self.view(None, arriving=arriving)
        for block, each in enumerate(self.program.fields[9]):
            if each.fields[1].kind in ("Decide", "Chance"):
                for fixed in parted(self.program, block) if care is Care.BLIND else [()]:
                    yield self.view(block, forget, late, arriving, care, fixed)

    def _ways_to_look(self, names: Iterable[str]) -> list[Forget]:
        """With what these proofs forget, all of them or one, and then with nothing forgotten."""
        each = [frozenset(self.named[name].fields[1]) for name in names]
        every = sorted({*each, EVERYTHING.union(*each)}, key=len, reverse=True)
        return [forget for forget in every if forget] + [EVERYTHING]

    def _seen(self, names: Iterable[str], shown: Callable[[Forget], Verdict]) -> Verdict:
        """What is shown with something forgotten, or else with nothing: that alone can show the contrary."""
        for forget in self._ways_to_look(names):
            try:
                found = shown(forget)
            except OutOfTime:
                raise
            except TooLarge:
                if not forget:
                    raise
                continue
            if found or not forget:
                return found
        return None

    def known(self, view: View, names: Iterable[str]) -> list[Truth]:
        """What the invariants of these proofs say of the states of a view."""
        found: list[Truth] = [view.looked()[1]] if view.block is not None and view.block == self.begin else []
        for name in self.all_used(names):
            assert view.block is not None
            key = name, view
            if key not in self._facts:
                self._facts[key] = self.held(view, name, view.block, view.state)
            found += self._facts[key]
        return found

    def all_used(self, names: Iterable[str]) -> list[str]:
        """These proofs and those that they rest on."""
        found: dict[str, None] = {}
        todo = list(names)
        while todo:
            name = todo.pop()
            if name not in found:
                found[name] = None
                todo += self.named[name].fields[2]
        return list(found)

    def inductions(self, evidence: dict[str, Any]) -> list[str]:
        """The inductions that evidence names."""
        names: list[str] = list(evidence["proofs"])
        for name in names:
            if name not in self.named or self.named[name].kind != "Induction":
                raise BadText(f"there is no induction `{name}`")
        return names

    def is_strategy(self, name: str) -> bool:
        """Whether there is a strategy of that name."""
        return name in self.named and self.named[name].kind == "Strategy"

    def falling(self, name: str, kind: str, names: Iterable[str]) -> Node:
        """The ranking or the strategy of that name, which may rest on these inductions, too."""
        found = self.named.get(name)
        if found is None or found.kind != kind:
            raise BadText(f"there is no such {kind.lower()}")
        if self.about[name] != self.cuts:
            raise BadText(f"`{name}` is about a program with other loops cut")
        uses = tuple(dict.fromkeys((*names, *found.fields[1])))
        return Node(kind, (found.fields[0], uses, *found.fields[2:]))

    def invariants(self, name: str, block: int) -> list[Node]:
        """What a proof says of a stop: of the head of a loop only if it is about this very program, since
        elsewhere that is no stop, or one of another loop."""
        if self.about[name] != self.cuts and block in self._heads:
            return []
        known = self.named[name].fields[4]
        return [expr for each in known if each.fields[0] == block for expr in each.fields[1]]

    @cached_property
    def _heads(self) -> frozenset[int]:
        """The stops that there are only where loops are cut (all others keep their numbers)."""
        if self.whole is None:
            return frozenset()
        old, new = self.whole.program.fields[9], self.program.fields[9]
        return frozenset(at for at in range(len(new)) if at >= len(old) or new[at] is not old[at])

    def held(self, view: View, name: str, block: int, state: State) -> list[Truth]:
        """What a proof says of a state at a stop."""
        return view.hold(state, self.invariants(name, block), self.named[name].fields[3])

    # Induction

    def all_shown(self, names: Iterable[str]) -> Verdict:
        """Whether these proofs, and all that they rest on, hold."""
        used = self.all_used(names)
        found = [self.shown(name) for name in used]
        if False in found:
            return False
        if any(speaks_of_time(self.named[name]) for name in used):
            found += [self.shown(name, late=True) for name in used]
        return None if None in found or False in found else True

    def shown(self, name: str, late: bool = False) -> Verdict:
        """Whether the invariants of a proof are kept, if those that it rests on hold; `late`: where decisions
        are no longer counted, as there were so many."""
        if self.about[name] != self.cuts:
            whole = self.whole or self
            cuts = self.about[name]
            return (whole if cuts is None else whole.within(cuts)).shown(name, late)
        key = name, late
        if key not in self._shown:
            self.note(f"induction {name}{', after very many decisions' if late else ''}")
            others, self.limits.used = self.limits.used, set()
            try:
                self._shown[key] = self._somehow(name, late)
            finally:
                self._by[key] = self.limits.used
                self.limits.used = others
        self.limits.used |= self._by[key]
        return self._shown[key]

    def _somehow(self, name: str, late: bool) -> Verdict:
        """Wherever steps come to, or at least where play can go on there: else it has come to no stop."""
        if self._loosely(name, late):
            return True
        found = self._seen([name], lambda forget: self._inductive(name, forget, late))
        if found is False:
            found = self._seen([name], lambda forget: self._inductive(name, forget, late, arriving=True))
            self._going_on |= {name} if found else set()
        return found

    def _loosely(self, name: str, late: bool) -> bool:
        """Whether the little shows it that is worked out if faults do not matter: more steps are possible."""
        proof = self.named[name]
        functions = [each.fields[3] for each in self.program.fields[7]]
        closes = any(node.kind == "Closure" for node in below(proof.fields[3:], functions))
        forget = frozenset(proof.fields[1])
        cares = [Care.LOOSE if closes else Care.LOOSEST] if forget else []
        if not closes and any(map(Looks(self.program, forget).searches, range(len(functions)))):
            cares.insert(0, Care.BLIND)
        return any(self._shown_with(care, name, forget, late) for care in cares)

    def _shown_with(self, care: Care, name: str, forget: Forget, late: bool) -> bool:
        try:
            return all(self._kept(view, name) for view in self.views(forget, late, care=care))
        except OutOfTime:
            raise
        except TooLarge:
            return False

    def _inductive(self, name: str, forget: Forget, late: bool, arriving: bool = False) -> Verdict:
        return together(self._kept(view, name) for view in self.views(forget, late, arriving))

    def _kept(self, view: View, name: str) -> Verdict:
        """Each invariant on all edges at once; what is shown helps with what is not decided by itself."""
        terms = view.terms
        if (view.late or view.fixed) and view.impossible(self.known(view, [name]), [1]):
            return True
        asked: dict[tuple[int, int], list[tuple[Truth, Truth]]] = {}
        for edge in view.edges:
            for block, state in edge.run.stops.items():
                there = terms.both(edge.cond, state.path)
                for i, each in enumerate(self.held(view, name, block, state)):
                    asked.setdefault((block, i), []).append((there, each))
        known = [] if view.block is None else self.known(view, [name])
        shown: list[Truth] = []
        for _ in range(2):
            facts = known + shown
            for key, pairs in list(asked.items()):
                found = view.impossible(
                    facts, [terms.both(there, terms.negate(each)) for there, each in pairs]
                )
                if found is False:
                    return False
                if found:
                    shown += (terms.either(terms.negate(there), each) for there, each in asked.pop(key))
        return not asked or None

    # Cases that are excluded

    def know(self, question: Question) -> None:
        """Raises ValueError if these proofs do not see the lines that it asks for."""
        if not question.places <= self.places:
            raise ValueError(f"{question.key}: these lines are not looked at")

    def excluded(self, question: Question, names: Iterable[str]) -> Verdict:
        """Whether no state and no step with the invariants of these proofs is the case."""
        names = list(names)
        self.know(question)
        self.note(f"excluded: {question.key}")
        if min(question.faults, default=0) < 0:  # the forgotten may be out of its type
            return self._excluded(question, names, EVERYTHING)
        return self._seen(names, lambda forget: self._excluded(question, names, forget))

    def _excluded(self, question: Question, names: list[str], forget: Forget) -> Verdict:
        match question.kind:
            case "state":
                return together(
                    self._no_state(self.view(block, forget), question, names) for block in question.blocks
                )
            case "arm":
                (block,) = question.blocks
                view = self.view(block, forget)
                cases = view.conds(question.arm)
                return self._never(view, names, cases)
            case "line":
                return together(self._no_hit(view, question, names) for view in self.views(forget))
            case "fault":
                arriving = not self._going_on.isdisjoint(self.all_used(names))
                views = self.views(forget, arriving=arriving)
                return together(self._no_fault(view, question, names) for view in views)
            case _:
                return None

    def no_end(self, names: list[str]) -> Verdict:
        """Whether no step comes to an end."""

        def ends(view: View) -> list[Truth]:
            stops = [(edge, *stop) for edge in view.edges for stop in edge.run.stops.items()]
            every = [(edge, state) for edge, at, state in stops if view.machine.exit(at).kind == "End"]
            return [view.terms.both(edge.cond, state.path) for edge, state in every]

        return together(self._never(view, names, ends(view)) for view in self.views())

    def _never(self, view: View, names: list[str], cases: list[Truth]) -> Verdict:
        if not any(type(case) is not int or case for case in cases):
            return True
        known = [] if view.block is None else self.known(view, names)
        found = view.impossible(known, cases)
        if found or view.block is None or view.machine.exit(view.block).kind == "End":
            return found
        path, there, _ = view.looked()
        return view.impossible([*known, path, there], cases)

    def _no_state(self, view: View, question: Question, names: list[str]) -> Verdict:
        terms = view.terms
        found = view.values(view.state, question.exprs)
        case = terms.every(view.machine.values.truth(value) for value, _ in found)
        if question.fault:
            case = terms.some((case, *(terms.negate(path) for _, path in found)))
        else:
            case = terms.every((case, *(path for _, path in found)))
        return self._never(view, names, [case])

    def _no_hit(self, view: View, question: Question, names: list[str]) -> Verdict:
        hits = [(edge, hit) for edge in view.edges for hit in edge.run.hits]
        cases = [view.terms.both(edge.cond, cond) for edge, (cond, place) in hits if place in question.places]
        return self._never(view, names, cases)

    def _no_fault(self, view: View, question: Question, names: list[str]) -> Verdict:
        """Faults of the steps; and of looking for actions at the stop, which belong to the steps to it."""
        terms = view.terms
        met = [(edge, fault) for edge in view.edges for fault in edge.run.faults]
        cases = [terms.both(edge.cond, cond) for edge, (cond, fault) in met if fault in question.faults]
        steps = self._never(view, names, cases)
        if view.block is None or (view.arriving and view.block != self.begin):
            return steps  # those to a stop have looked already
        node = view.machine.exit(view.block)
        if node.kind == "Decide" and node.fields[3] >= 0:
            return steps  # the steps to it have looked already
        path, there, faults = view.looked()
        at_stop = [cond for cond, fault in faults if fault in question.faults]
        if (node.fields[4] if node.kind == "Decide" else node.fields[5]) in question.faults:
            at_stop.append(terms.both(path, terms.negate(there)))
        return together((steps, view.impossible(self.known(view, names), at_stop)))


def together(verdicts: Iterable[Verdict]) -> Verdict:
    """All of them; the first that is not shown ends it."""
    result: Verdict = True
    for each in verdicts:
        if each is False:
            return False
        if each is None:
            result = None
    return result
