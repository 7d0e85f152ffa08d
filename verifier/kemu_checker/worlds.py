"""Two unknown states at a decision that look alike to a player: whether the same is legal in both."""

from dataclasses import dataclass
from typing import Any

from kemu_checker.anything import kind_of
from kemu_checker.rules import EVERYTHING, Proofs, Verdict, together
from kemu_checker.secrets import Secrets
from kemu_checker.sight import masks
from kemu_checker.state import Forgotten, State
from kemu_checker.symbols import Truth
from kemu_checker.text import Node
from kemu_checker.views import View


@dataclass(eq=False)
class Worlds:
    """What a player sees, and what follows from what everybody knows, is the same in both states; all else
    may differ. Both have the invariants of the proofs named."""

    proofs: Proofs
    secrets: Secrets
    names: list[str]

    def the_same_is_legal(self) -> Verdict:
        """Of every player at every decision."""
        players = range(len(self.proofs.program.fields[2]))
        blocks = enumerate(self.proofs.program.fields[9])
        decisions = [at for at, block in blocks if block.fields[1].kind == "Decide"]
        return together(self._at(block, player) for block in decisions for player in players)

    def _at(self, block: int, player: int) -> Verdict:
        view = self.proofs.view(block, EVERYTHING)
        terms, values = view.terms, view.machine.values
        other = self._other(view, block, player)
        known = [*self.proofs.known(view, self.names), *self._invariants_of(view, block, other)]
        actors, ways = list[Truth](), list[dict[object, Truth]]()
        for state in (view.state, other):
            look = state.fork()
            look.faults = []
            there = view.machine.look(block, look)
            known += [look.path, there]
            ((actor, path),) = view.values(state, [view.machine.exit(block).fields[1]])
            known.append(path)
            actors.append(values.equal(actor, player))
            ways.append({(way.arm, way.arguments): way.cond for way in view.ways(state)})
        cases = [terms.negate(actors[1])]
        for way in ways[0].keys() | ways[1].keys():
            first, second = ways[0].get(way, 0), ways[1].get(way, 0)
            cases += [terms.both(first, terms.negate(second)), terms.both(terms.negate(first), second)]
        self.proofs.note(f"what {self.proofs.program.fields[2][player]} knows at stop {block}")
        return view.impossible([*known, actors[0]], cases)

    def _invariants_of(self, view: View, block: int, state: State) -> list[Truth]:
        found: list[Truth] = []
        for name in self.proofs.all_used(self.names):
            found += self.proofs.held(view, name, block, state)
        return found

    def _other(self, view: View, block: int, player: int) -> State:
        """The other state: all that may be secret is any value there."""
        program, flow = self.proofs.program, self.secrets.at(block)
        other = view.state.fork()
        for local in program.fields[9][block].fields[2]:
            if local in flow.locals:
                name, kind = program.fields[4][local].fields[:2]
                other.locals[local] = view.machine.values.unknown(*kind_of(kind), f"other local {name}")
        for at, var in enumerate(program.fields[3]):
            if at in flow.vars:
                other.vars[at] = self._hidden(view, var, other.vars[at], player)
        return other

    def _hidden(self, view: View, var: Node, value: Any, player: int) -> Any:
        name, kind, length = var.fields[:3]
        if kind.kind == "History":
            return Forgotten()
        seen = [False] * (length or 1)
        if not var.fields[7]:
            seen = [bool(mask >> player & 1) for mask in masks(var) or ()] or seen
        each = value if type(value) is list else [value]
        found = [
            one if same else view.machine.values.unknown(*kind_of(kind), f"other {name} {i}")
            for i, (one, same) in enumerate(zip(each, seen, strict=True))
        ]
        return found if type(value) is list else found[0]
