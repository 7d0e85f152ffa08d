"""Measures: why play ends, or ends almost surely (docs/evidence.md)."""

from dataclasses import dataclass, field

from kemu_checker.rules import Proofs, Verdict
from kemu_checker.state import State
from kemu_checker.symbols import Truth
from kemu_checker.text import Node
from kemu_checker.views import Edge, View

Heights = dict[int, tuple[Node, ...]]  # by stop, the numbers of a measure
Bounds = tuple[int, ...]  # one for each of the numbers


@dataclass(slots=True, eq=False)
class Way:
    """The steps of an edge that come to one stop, as far as they still count."""

    view: View
    edge: Edge
    target: int
    state: State
    counts: list[Truth] = field(default_factory=list)

    @property
    def source(self) -> int:
        """The stop that it comes from."""
        assert self.view.block is not None
        return self.view.block

    def taken(self) -> list[Truth]:
        """When a step takes it that counts."""
        return [self.edge.cond, self.state.path, *self.counts]


class Ranking:
    """The stops and the ways between them that a play may take for ever, round by round fewer. `arriving`:
    as far as play can go on where they come to."""

    def __init__(self, proofs: Proofs, proof: Node, chance: bool, arriving: bool = False) -> None:
        self.proofs, self.chance, self.arriving = proofs, chance, arriving
        self.uses, self.definitions, self.rounds = proof.fields[1:4]
        self.undecided = False
        self.left = [
            Way(view, edge, block, state, self._counting(view, edge, block, state))
            for view in self.moving()
            for edge in self._edges(view)
            for block, state in edge.run.stops.items()
            if view.machine.exit(block).kind != "End"
        ]

    def moving(self) -> list[View]:
        """The stops from which steps lead."""
        return [view for view in self.proofs.views(arriving=self.arriving) if view.block is not None]

    def _counting(self, view: View, edge: Edge, target: int, state: State) -> list[Truth]:
        """Which steps of an edge to a stop count from the beginning on: all."""
        return []

    def _edges(self, view: View) -> list[Edge]:
        """One by one where one of them may have to be kind."""
        assert view.block is not None
        treated = any(each.fields[2] for each in self.rounds)
        one_by_one = self.chance and treated and view.machine.exit(view.block).kind == "Chance"
        return view.outcomes if one_by_one else view.edges

    def shown(self) -> Verdict:
        """Whether no way goes round in the end."""
        for number, each in enumerate(self.rounds):
            self.proofs.note(f"ranking, round {number + 1}")
            self._drop_impossible()
            heights = dict(height.fields for height in each.fields[0])
            lows, highs = each.fields[1], each.fields[2]
            sizes = {len(lows), len(highs) or len(lows), *map(len, heights.values())}
            if len(sizes) > 1:
                raise ValueError("a measure has as many bounds as numbers")
            for component in components(self.left):
                if component <= heights.keys():
                    self._round(component, heights, lows, highs)
        self._drop_impossible()
        return True if not components(self.left) else None if self.undecided else False

    def _drop_impossible(self) -> None:
        """Ways on a cycle that no step takes from states with the invariants are none."""
        for component in components(self.left):
            for view, ways in self._grouped(component):
                for way in ways:
                    found = view.impossible(self._known(view), [view.terms.every(way.taken())])
                    self.undecided |= found is None
                    if found:
                        self.left.remove(way)

    def _known(self, view: View) -> list[Truth]:
        return self.proofs.known(view, self.uses)

    def _grouped(self, component: frozenset[int]) -> list[tuple[View, list[Way]]]:
        inside = [way for way in self.left if way.source in component and way.target in component]
        views = dict.fromkeys(way.view for way in inside)
        return [(view, [way for way in inside if way.view is view]) for view in views]

    def _round(self, component: frozenset[int], heights: Heights, lows: Bounds, highs: Bounds) -> None:
        groups = self._grouped(component)
        views = {block: self.proofs.view(block, arriving=self.arriving) for block in component}
        if not all(self._bounded(view, heights[block], lows, highs) for block, view in views.items()):
            return
        lucky = (
            {view for view, ways in groups if self._lucky(view, ways, heights, component)} if highs else set()
        )
        for view, ways in groups:
            if view not in lucky and not self._all(view, ways, heights, 0):
                return
        for view, ways in groups:
            if view in lucky:
                self.left = [way for way in self.left if way.view is not view]
                continue
            falling = self._all(view, ways, heights, 1)
            for way in ways:
                if falling or self._all(view, [way], heights, 1):
                    self.left.remove(way)
                else:
                    way.counts.append(self._drop(way, heights, 0, exactly=True))

    def _all(self, view: View, ways: list[Way], heights: Heights, by: int) -> bool:
        """Whether the height falls by so much, 0 or 1, on all of these ways."""
        terms = view.terms
        cases = [terms.every((*way.taken(), terms.negate(self._drop(way, heights, by)))) for way in ways]
        found = view.impossible(self._known(view), cases)
        self.undecided |= found is None
        return found is True

    def _drop(self, way: Way, heights: Heights, by: int, exactly: bool = False) -> Truth:
        """Whether the height is defined, and falls by at least (or exactly) so much, 0 or 1: of its numbers
        the first that changes decides."""
        terms, values = way.view.terms, way.view.machine.values
        before = way.view.values(way.view.state, heights[way.source], self.definitions)
        after = way.view.values(way.state, heights[way.target], self.definitions)
        falls: Truth = 1 - by
        for (old, _), (new, _) in reversed(list(zip(before, after, strict=True))):
            same = values.equal(new, old)
            falls = (
                terms.both(same, falls)
                if exactly
                else terms.either(values.less(new, old), terms.both(same, falls))
            )
        return terms.every((falls, *(held for _, held in (*before, *after))))

    def _bounded(self, view: View, height: tuple[Node, ...], lows: Bounds, highs: Bounds) -> bool:
        terms, values = view.terms, view.machine.values
        found_values = view.values(view.state, height, self.definitions)
        inside = [held for _, held in found_values]
        inside += (values.at_most(low, value) for low, (value, _) in zip(lows, found_values, strict=True))
        if highs:
            inside += (
                values.at_most(value, high) for high, (value, _) in zip(highs, found_values, strict=True)
            )
        found = view.impossible(self._known(view), [terms.negate(each) for each in inside])
        self.undecided |= found is None
        return found is True

    def _lucky(self, view: View, ways: list[Way], heights: Heights, component: frozenset[int]) -> bool:
        """Whether chance acts there, and always has an outcome that lowers the height or leads away."""
        assert view.block is not None
        if not self.chance or view.machine.exit(view.block).kind != "Chance":
            return False
        terms = view.terms
        inside: dict[Edge, list[Truth]] = {}
        for edge in view.outcomes:
            inside[edge] = []
        for way in ways:
            stays = terms.both(way.state.path, terms.negate(self._drop(way, heights, 1)))
            inside[way.edge].append(stays)
        lucky = [terms.both(edge.cond, terms.negate(terms.some(stays))) for edge, stays in inside.items()]
        path, there, _ = view.looked()
        found = view.impossible([*self._known(view), path, there], [terms.negate(terms.some(lucky))])
        self.undecided |= found is None
        return found is True


def ends(proofs: Proofs, proof: Node, chance: bool) -> Verdict:
    """Whether play ends by a ranking, wherever steps come to, or at least where play can go on there."""
    found = Ranking(proofs, proof, chance).shown()
    return Ranking(proofs, proof, chance, arriving=True).shown() if found is False else found


def components(ways: list[Way]) -> list[frozenset[int]]:
    """The sets of stops in which ways go round (Tarjan 1972), by an explicit stack."""
    after: dict[int, list[int]] = {}
    for way in ways:
        after.setdefault(way.source, []).append(way.target)
        after.setdefault(way.target, [])
    order: dict[int, int] = {}
    lowest: dict[int, int] = {}
    path: list[int] = []
    found: list[frozenset[int]] = []
    for root in after:
        if root in order:
            continue
        todo = [(root, iter(after[root]))]
        order[root] = lowest[root] = len(order)
        path.append(root)
        while todo:
            at, rest = todo[-1]
            for each in rest:
                if each not in order:
                    order[each] = lowest[each] = len(order)
                    path.append(each)
                    todo.append((each, iter(after[each])))
                    break
                if each in path:
                    lowest[at] = min(lowest[at], order[each])
            else:
                todo.pop()
                if todo:
                    lowest[todo[-1][0]] = min(lowest[todo[-1][0]], lowest[at])
                if lowest[at] == order[at]:
                    cut = path.index(at)
                    members, path[cut:] = frozenset(path[cut:]), []
                    if len(members) > 1 or at in after[at]:
                        found.append(members)
    return found
