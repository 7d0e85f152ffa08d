"""What players see, and what they are told (docs/kernel.md, "What players see").

Players are numbered; the number after the last is somebody who watches and has no seat.
"""

from dataclasses import dataclass, field
from typing import Any

from kemu_checker.machine import Way
from kemu_checker.plays import Position, frozen
from kemu_checker.state import Dead, Malformed
from kemu_checker.text import Node

Pending = tuple[tuple[int, str], ...]  # who chose what, that is still to be told


@dataclass(eq=False)
class Sight:
    """What there is to be seen of one program."""

    program: Node
    claims: Node
    _untold: dict[int, tuple[str, Node | None]] = field(init=False)
    _cells: list[tuple[int, tuple[int, ...] | None]] = field(init=False)

    def __post_init__(self) -> None:
        self._untold = {
            block: (told, whom) for block, told, whom in (e.fields for e in self.claims.fields[3])
        }
        result = self.program.fields[11]
        self._cells = [
            (at, masks(var))
            for at, var in enumerate(self.program.fields[3])
            if at != result and not var.fields[7]
        ]

    @property
    def watcher(self) -> int:
        """The number of somebody who has no seat."""
        return len(self.program.fields[2])

    def seen(self, position: Position, seer: int) -> tuple[Any, ...]:
        """The values of what he sees."""
        found: list[Any] = []
        for at, seers in self._cells:
            value = position.state.vars[at]
            if seers is None:
                found.append(frozen(value))
            else:
                each = value if type(value) is list else [value]
                found += [v for v, mask in zip(each, seers, strict=True) if mask >> seer & 1]
        return tuple(found)

    def stop(self, position: Position) -> tuple[Any, ...]:
        """Which stop everybody sees it to be."""
        node = position.exit
        match node.kind:
            case "Decide":
                return (
                    "decision",
                    position.actor(),
                    tuple(dict.fromkeys(arm.fields[0] for arm in node.fields[2])),
                )
            case "Chance":
                return "chance", node.fields[0]
            case _:
                return ("end",)

    def may(self, position: Position, seer: int) -> frozenset[str] | None:
        """What he may do there; nothing if it is not for him to act."""
        if position.exit.kind != "Decide" or position.actor() != seer:
            return None
        return frozenset(map(position.text, position.ways))

    def told(self, position: Position, way: Way, seer: int) -> str | None:
        """What he is told of an action or an outcome as it comes: its text, or nothing."""
        how, whom = self._untold.get(position.block, ("at once", None))
        if position.exit.kind == "Decide":
            heard = how == "at once" or position.actor() == seer
        else:
            heard = whom is None or bool(self._listeners(position, whom) >> seer & 1)
        return position.text(way) if heard else None

    def _listeners(self, position: Position, whom: Node) -> int:
        machine = position.machine
        look = machine.at_stop(position.block, position.state)
        look.faults, look.path = [], 1
        try:
            mask = machine.code.expressions.make(whom)(look)
        except Dead:
            mask = None
        if type(mask) is not int:
            raise Malformed("who is told of an outcome is not known")
        return mask

    def together(
        self, position: Position, way: Way, after: Position, pending: Pending
    ) -> tuple[Pending, Pending]:
        """After a step: what was chosen together and is still to be told, and what is told now."""
        actor = position.actor()
        if actor is None or self._untold.get(position.block, ("", None))[0] != "together":
            return (), ()
        chosen = (*pending, (actor, position.text(way)))
        later = after.actor() if after.block == position.block else None
        return (chosen, ()) if later is not None and actor < later else ((), chosen)


def masks(var: Node) -> tuple[int, ...] | None:
    """Who sees the elements of a variable; nothing: everybody sees all of it."""
    seen: Any = var.fields[6]
    if seen is None:
        return None
    each: tuple[int, ...] = seen if isinstance(seen, tuple) else (seen,)
    if len(each) != (1 if var.fields[2] is None else var.fields[2]):
        raise Malformed("not of each element of a variable it is said who sees it")
    return each
