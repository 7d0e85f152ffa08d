"""The functions of the rules as Python functions."""

from __future__ import annotations

from kemu_engine.opt.optimized import Optimized
from kemu_engine.run.python.emitter import Emitter, scope_of
from kemu_engine.run.python.frame import Frame
from kemu_engine.run.python.module import Module, Slots
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.text import Block, zeroed
from kemu_engine.support.stack import deep


def module_of(optimized: Optimized) -> Module:
    """The beginning of a module."""
    return Module(optimized, write)


def write(module: Module, number: int) -> tuple[Slots, Block]:
    """Writes a function of the rules."""
    made = _RuleFunction(module, number)
    with deep():
        lines = made.write()
    return made.frame.needed(), lines


class _RuleFunction:
    """One function; the variables that it reads are added to its parameters."""

    def __init__(self, module: Module, number: int) -> None:
        self.module = module
        self.number = number
        self.scope = scope_of(module)
        self.frame = _Parameters(module, self.scope)
        self.emit = Emitter(self.frame)

    def write(self) -> Block:
        module, function = self.module, self.module.program.functions[self.number]
        params = [self.frame.local(param) for param in function.params]
        self.emit.code(function.body)
        for var, masks in self.frame.needed():
            params.append(module.mask_names[var] if masks else module.slot_names[var])
        name = module.function_names[self.number]
        return [f"def {name}({', '.join(params)}):", [*zeroed(self.frame.unset), *self.scope.out]]


class _Parameters(Frame):
    """Takes note of the variables that are read, and of locals that need a value."""

    def __init__(self, module: Module, scope: Scope) -> None:
        super().__init__(module, scope)
        self.unset: dict[str, None] = {}
        self._needed: set[tuple[int, bool]] = set()

    def needed(self) -> Slots:
        """The variables that are read, and whether as masks."""
        return tuple(sorted(self._needed))

    def slot(self, var: int) -> str:
        if var not in self.scope.slots:
            self._needed.add((var, False))
        return super().slot(var)

    def mask_slot(self, var: int) -> str:
        if var not in self.scope.mask_slots:
            self._needed.add((var, True))
        return super().mask_slot(var)

    def needs_value(self, local: int, name: str) -> None:
        self.unset[name] = None
