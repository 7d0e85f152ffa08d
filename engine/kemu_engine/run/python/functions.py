"""The functions of the rules as Python functions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kemu_engine.run.python.statements import Statements
from kemu_engine.run.python.text import Block, zeroed

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module


class RuleFunction(Statements):
    """One function; the variables that it reads are added to its parameters."""

    def __init__(self, module: Module, uses: Counter[int] | None) -> None:
        super().__init__(module, uses)
        self._needed: set[tuple[int, bool]] = set()
        self._unset: dict[str, None] = {}

    def write(self, number: int) -> Block:
        function = self.program.functions[number]
        params = [self.local(param) for param in function.params]
        self.code(function.body)
        for var, masks in self.needed():
            params.append(self.module.mask_names[var] if masks else self.module.slot_names[var])
        name = self.module.function_names[number]
        return [f"def {name}({', '.join(params)}):", [*zeroed(self._unset), *self.out]]

    def needed(self) -> tuple[tuple[int, bool], ...]:
        """The variables that it reads, and whether as masks."""
        return tuple(sorted(self._needed))

    def slot(self, var: int) -> str:
        if var not in self.slots:
            self._needed.add((var, False))
        return super().slot(var)

    def mask_slot(self, var: int) -> str:
        if var not in self.mask_slots:
            self._needed.add((var, True))
        return super().mask_slot(var)

    def needs_value(self, local: int, name: str) -> None:
        self._unset[name] = None
