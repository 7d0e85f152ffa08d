"""How a function that is being written holds variables and locals: by plain names, or as its kind says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kemu_engine.kernel.walk import noted
from kemu_engine.run.python.module import Module
from kemu_engine.run.python.scope import Scope
from kemu_engine.run.python.text import Text


class Frame:
    """Names of variables and locals. Kinds of functions override what is otherwise with them."""

    def __init__(self, module: Module, scope: Scope) -> None:
        self.module = module
        self.program = module.program
        self.scope = scope

    def local(self, local: int) -> str:
        name = self.scope.local_names.get(local)
        if name is None:
            name = self.scope.local_names[local] = self.give(local)
        return name

    def give(self, local: int) -> str:
        """A new name for a local."""
        title = self.program.locals[local].name
        return self.scope.names.give(title.split(".")[-1], title)

    def slot(self, var: int) -> str:
        """The name of a state variable."""
        return self.scope.slots.get(var) or self.module.slot_names[var]

    def mask_slot(self, var: int) -> str:
        """The name of the list of the masks of a state variable's values."""
        return self.scope.mask_slots.get(var) or self.module.mask_names[var]

    def snapshot(self, history: int) -> str:
        """The present values of the variables of a history."""
        cells = []
        for var in noted(self.program.vars, history):
            array = self.program.vars[var].length is not None
            cells.append(f"tuple({self.slot(var)})" if array else self.slot(var))
        return f"({', '.join(cells)},)"

    @contextmanager
    def bound(self, binder: int) -> Iterator[str]:
        """A name for a binder, for the code in here."""
        before = self.scope.local_names.get(binder)
        name = self.scope.local_names[binder] = self.give(binder)
        self.scope.touch((binder,))
        yield name
        self.scope.touch((binder,))
        self.scope.names.free(name)
        if before is None:
            del self.scope.local_names[binder]
        else:
            self.scope.local_names[binder] = before

    def needs_value(self, local: int, name: str) -> None:
        """A local is read that may not have been set."""

    def set_local(self, local: int, text: Text) -> str:
        """Gives a local a value; its name."""
        name = self.local(local)
        if text.text != name:
            self.scope.line(f"{name} = {text.text}")
        return name

    def store(self, var: int, text: Text) -> None:
        """Gives a scalar variable a value."""
        name = self.slot(var)
        if text.text != name:
            self.scope.line(f"{name} = {text.text}")

    def after_loop(self, local: int) -> None:
        """A loop has left its local as its last lap had it."""
