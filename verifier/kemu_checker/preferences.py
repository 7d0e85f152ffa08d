"""Preferred choices: why a goal can always be reached, a rule can return, or play ends almost surely
(docs/evidence.md)."""

from kemu_checker.machine import Way as Choice
from kemu_checker.questions import Question
from kemu_checker.ranking import Ranking
from kemu_checker.rules import Proofs, Verdict, together
from kemu_checker.state import State
from kemu_checker.symbols import Truth
from kemu_checker.text import Node
from kemu_checker.views import Edge, View


class Led(Ranking):
    """The steps of plays in which what a strategy prefers at a stop is chosen wherever something of it can
    be, up to the first state with the goal, if there is one. Steps end where play can go on."""

    def __init__(self, proofs: Proofs, strategy: Node, goal: Question | None) -> None:
        self.goal = goal
        self.preferred: dict[int, list[tuple[int, tuple[int, ...] | None]]] = {}
        for block, arm, arguments in (each.fields for each in strategy.fields[4]):
            self.preferred.setdefault(block, []).append((arm, arguments))
        super().__init__(proofs, strategy, chance=False, arriving=True)

    def prefers(self, view: View, choice: Choice) -> bool:
        """Whether the strategy prefers this at its stop."""
        among = self.preferred.get(view.block, ()) if view.block is not None else ()
        return any(arm == choice.arm and arguments in (None, choice.arguments) for arm, arguments in among)

    def reached(self, view: View, block: int, state: State) -> Truth:
        """Whether a state at a stop has the goal: not where that faults."""
        if self.goal is None or block not in self.goal.blocks:
            return 0
        return view.terms.every(view.hold(state, self.goal.exprs))

    def _known(self, view: View) -> list[Truth]:
        assert view.block is not None
        path, there, _ = view.looked()
        before = self.reached(view, view.block, view.state)
        return [*super()._known(view), path, there, view.terms.negate(before)]

    def _edges(self, view: View) -> list[Edge]:
        """One by one where not all of an arm is preferred."""
        assert view.block is not None
        whole = all(arguments is None for _, arguments in self.preferred.get(view.block, ()))
        return view.edges if whole else view.outcomes

    def _chosen(self, view: View, edge: Edge) -> Truth:
        """Whether a step of the edge is chosen where it can be."""
        if self.prefers(view, edge.ways[0]):
            return 1
        return view.terms.negate(
            view.terms.some([each.cond for each in view.all_ways if self.prefers(view, each)])
        )

    def _counting(self, view: View, edge: Edge, target: int, state: State) -> list[Truth]:
        return [self._chosen(view, edge), view.terms.negate(self.reached(view, target, state))]

    # What has to be shown besides

    def goes_on(self) -> Verdict:
        """Whether no step that is chosen runs into a fault, or comes to where play cannot go on."""
        return together(self._goes_on(view) for view in self.moving())

    def _goes_on(self, view: View) -> Verdict:
        terms, cases = view.terms, list[Truth]()
        for edge in self._edges(view):
            comes = terms.some([state.path for state in edge.run.stops.values()])
            cases.append(terms.every([edge.cond, self._chosen(view, edge), terms.negate(comes)]))
        return view.impossible(self._known(view), cases)

    def ends_well(self) -> Verdict:
        """Whether play ends in states with the goal only, whatever is chosen."""
        return together(map(self._ends_well, self.proofs.views(arriving=True)))

    def _ends_well(self, view: View) -> Verdict:
        terms, cases = view.terms, list[Truth]()
        for edge in view.edges:
            for block, state in edge.run.stops.items():
                if view.machine.exit(block).kind == "End":
                    missed = terms.negate(self.reached(view, block, state))
                    cases.append(
                        terms.every([edge.cond, state.path, *self._held(view, block, state), missed])
                    )
        return view.impossible([] if view.block is None else self.proofs.known(view, self.uses), cases)

    def _held(self, view: View, block: int, state: State) -> list[Truth]:
        """What the proofs say of the state."""
        found: list[Truth] = []
        for name in self.proofs.all_used(self.uses):
            found += self.proofs.held(view, name, block, state)
        return found


def always_possible(proofs: Proofs, strategy: Node, question: Question) -> Verdict:
    """Whether a state with the goal can be reached from wherever play stands."""
    led = Led(proofs, strategy, question)
    return together(shown() for shown in (led.ends_well, led.goes_on, led.shown))


def can_end(proofs: Proofs, strategy: Node) -> Verdict:
    """Whether an end can be reached from wherever play stands."""
    led = Led(proofs, strategy, None)
    return together(shown() for shown in (led.goes_on, led.shown))


def ends_nearly(proofs: Proofs, strategy: Node) -> Verdict:
    """Whether play ends with probability one, since chance may choose what is preferred."""
    exits = [block.fields[1].kind for block in proofs.program.fields[9]]
    if any(exits[each.fields[0]] != "Chance" for each in strategy.fields[4]):
        raise ValueError("players need not do what a strategy prefers")
    if not all(each.fields[2] for each in strategy.fields[3]):
        raise ValueError("a measure that chance lowers is bounded from above, too")
    return Led(proofs, strategy, None).shown()
