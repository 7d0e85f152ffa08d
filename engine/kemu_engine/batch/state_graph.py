"""The graph of all states of a game in compact arrays, with states made only where somebody looks at one."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.stop import Stop
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.run.wasm.emit.predicates import Condition
from kemu_engine.run.wasm.programs.explorer import MEMORY, Explorer

LAP = 1 << 15
"""States that are expanded, or looked at, at a call."""


class Reached:
    """States by number, in the order of their distance from the first, which is number 0, found by
    WebAssembly. Raises NotCovered, NotInstalled.

    `targets`: where the moves of all states lead, state after state, each in the order of its choices: the
    number of a state, or -1 less the number of a fault. `firsts`: where those of each state begin in it, and
    where the last ones end. `complete`: there are no other states; `lost`: there is a step that is too long
    for the module, so that what is here means nothing.

    `conditions` may be asked of the states. `noting` is the same program with one more variable, a set into
    which it puts what should be known of a step (its lines, say): `notes` tells the first step that put each
    element there. The set is empty before each step.
    """

    def __init__(
        self,
        game: Game,
        conditions: Sequence[Condition] = (),
        memory: int = MEMORY,
        noting: k.Program | None = None,
    ) -> None:
        self.game = game
        aside = -1 if noting is None else len(game.program.vars)
        self._explorer = Explorer(noting or game.program, memory, conditions, aside)
        self.targets = array("i")
        self.firsts = array("q", [0])

    def grow(self, most: int) -> Iterator[int]:
        """Finds states, until there are so many, or all; again and again how many there are. Raises
        TooLong."""
        explorer = self._explorer
        while not (explorer.complete or explorer.full or explorer.lost or explorer.count >= most):
            degrees = array("i")
            explorer.expand(explorer.expanded + LAP, most, self.targets, degrees)
            self.firsts.extend(array("q", accumulate(degrees, initial=self.firsts.pop())))
            yield explorer.count

    @property
    def count(self) -> int:
        return self._explorer.count

    @property
    def complete(self) -> bool:
        return self._explorer.complete and not self.lost

    @property
    def lost(self) -> bool:
        return self._explorer.lost

    @property
    def faults(self) -> dict[int, int]:
        """How many steps run into which fault."""
        return self._explorer.faults

    def successors(self, number: int) -> array[int]:
        """Where the moves of a state lead, in the order of its choices."""
        return self.targets[self.firsts[number] : self.firsts[number + 1]]

    def state(self, number: int) -> State:
        """A state, as play would come to it."""
        explorer = self._explorer
        block, vars, locals = explorer.packing.read(explorer.state(number))
        vars = vars[: len(self.game.program.vars)]
        machine = self.game.machine
        stop = machine.advance(machine.frame(block, vars, locals), block)
        assert isinstance(stop, Stop) and stop.block == block
        return State.at(machine, stop)

    def stops(self) -> dict[int, int]:
        """The blocks at which states stand: the first state at each."""
        return self._explorer.stops()

    def arms(self) -> dict[tuple[int, int], int]:
        """The arms (block, arm) that have legal actions: the first state with one."""
        return self._explorer.arms()

    def notes(self) -> list[tuple[int, int, int]]:
        """(state, which of its moves, new elements as a mask), in the order of the search; state and move -1:
        the set-up."""
        return self._explorer.notes()

    def into(self, target: int) -> tuple[int, int]:
        """The first state with a move to that target (a state, or -1 less a fault), and which move it is.
        Raises ValueError if there is none."""
        at = self.targets.index(target)
        state = bisect_right(self.firsts, at) - 1
        return state, at - self.firsts[state]

    def path(self, number: int) -> list[int]:
        """The choices on a shortest way to a state."""
        found = []
        while number > 0:
            number, choice = self.into(number)
            found.append(choice)
        return found[::-1]

    def first(self, condition: int) -> int | None:
        """The first state that meets the condition of that number. Raises TooLong."""
        for start in range(0, self.count, LAP):
            found = self._explorer.first(condition, start, min(start + LAP, self.count))
            if found is not None:
                return found
        return None
