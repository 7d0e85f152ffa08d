"""What somebody sees of a state and is told of a step, for those who compare plays (docs/kernel.md, "What
players see"). Players are numbered; the number after the last is somebody who has no seat."""

from __future__ import annotations

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import menu, on_the_table, results, told, written
from kemu_engine.kernel.stop import Stop
from kemu_engine.play.information import listeners, together
from kemu_engine.play.state import State

Chosen = tuple[tuple[int, str], ...]
"""What has been chosen together and is still to be told: by whom, what."""


class Observer:
    """What there is to be seen of one program; `histories` follow from the rest."""

    def __init__(self, program: k.Program, histories: bool = True) -> None:
        self.program = program
        self._table = [
            (at, var) for at, var in on_the_table(program) if histories or not isinstance(var.type, k.History)
        ]

    def cells(self, state: State, seer: int) -> tuple[object, ...]:
        """The state variables that he sees."""
        cells: list[object] = []
        for at, var in self._table:
            value = state.vars[at]
            if var.seen is None:
                cells.append(value)
            elif isinstance(value, tuple):
                cells.append(
                    tuple(v if mask >> seer & 1 else None for v, mask in zip(value, var.seen, strict=True))
                )
            elif var.seen[0] >> seer & 1:
                cells.append(value)
        return tuple(cells)

    def asked(self, state: State) -> object:
        """Who is asked, and what for; of a decision the names of the actions, of chance what it is called."""
        label = "" if state.is_decision else state.label
        return label, state.player, menu(self.program, stop(state))

    def result(self, state: State) -> object:
        """How the players are ranked, at an end."""
        return tuple(results(self.program, stop(state)))

    def may(self, state: State, seer: int) -> object:
        """What he may do there; None if he is not on turn."""
        if state.player != seer:
            return None
        return frozenset(written(self.program, stop(state), choice) for choice in state.choices)

    def told(self, state: State, at: int, seer: int) -> str:
        """What he is told of the choice of that number as it is made."""
        here = stop(state)
        return told(self.program, here, state.choices[at], seer, listeners(state.machine, here))

    def together(self, state: State, at: int, after: State, pending: Chosen) -> tuple[Chosen, Chosen]:
        """What has been chosen together with this choice and is still to be told; what is told now."""
        here = stop(state)
        exit = self.program.blocks[here.block].exit
        if not isinstance(exit, k.Decide) or exit.told != "together":
            return (), ()
        chosen = (*pending, (here.actor, written(self.program, here, here.choices[at])))
        return (chosen, ()) if together(self.program, here, stop(after)) else ((), chosen)


def stop(state: State) -> Stop:
    return Stop(state.block, state.vars, state.locals, state.player, state.choices)
