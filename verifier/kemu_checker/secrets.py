"""What may be secret at each stop, in plays that look alike to somebody without a seat."""

from dataclasses import dataclass
from itertools import chain

from kemu_checker.flow import Flow, way_back
from kemu_checker.limits import OutOfTime, TooLarge
from kemu_checker.rules import Proofs
from kemu_checker.text import Node
from kemu_checker.views import View


@dataclass(frozen=True, slots=True)
class Secrets:
    """`flow`: of everything that is not told for good; `sealed`: at decisions that are made together also of
    what was chosen there before."""

    flow: Flow
    sealed: dict[int, Flow]

    @property
    def leaks(self) -> list[str]:
        """What may become visible of a secret."""
        return sorted(set(chain(self.flow.leaks, *(each.leaks for each in self.sealed.values()))))

    def at(self, block: int) -> Flow:
        """What may be secret at a stop."""
        return self.sealed.get(block, self.flow)


def secrets(proofs: Proofs, claims: Node) -> Secrets:
    """The secrets of a program."""
    program, sealed = proofs.program, {}
    flow = Flow(program, claims)
    for at in (each.fields[0] for each in claims.fields[3] if each.fields[1] == "together"):
        among = way_back(program, at)
        found = Flow(program, claims, at, among, flow)
        if found.leaks - flow.leaks:
            found = Flow(program, claims, at, _further_on(proofs, at, among), flow)
        sealed[at] = found
    return Secrets(flow, sealed)


def _further_on(proofs: Proofs, decision: int, among: tuple[int, ...]) -> tuple[int, ...]:
    """Those of the blocks that are on a way back to the decision when it is made by a player who sits further
    on: what was chosen before is told by then if he does not."""
    proofs.note(f"what is chosen together at stop {decision}")
    try:
        view = View(proofs.program, decision, frozenset((at,) for at in among), proofs.limits)
        actor = view.machine.exit(decision).fields[1]
        ((now, _),) = view.values(view.state, [actor])
        cases: dict[int, list[object]] = {}
        for edge in view.edges:
            after = edge.run.stops.get(decision)
            if after is not None:
                ((then, _),) = view.values(after, [actor])
                back = [edge.cond, after.path, view.machine.values.less(now, then)]
                for cond, (at,) in edge.run.hits:
                    cases.setdefault(at, []).append(view.terms.every((*back, cond)))
        return tuple(at for at in among if at == decision or not view.impossible((), cases.get(at, [])))
    except OutOfTime:
        raise
    except TooLarge:
        return among
