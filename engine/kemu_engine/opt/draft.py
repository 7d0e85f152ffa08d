"""A program to which a pass adds locals and tables, or whose functions it changes one by one."""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k


class Draft:
    """A program in the making."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.vars = program.vars
        self.blocks = program.blocks
        self.locals = list(program.locals)
        self.tables = list(program.tables)
        self.functions = list(program.functions)

    def table(self, rows: tuple[int, ...]) -> int:
        """The number of a table with these rows."""
        for number, known in enumerate(self.tables):
            if known.values == rows:
                return number
        self.tables.append(k.Table("related", rows))
        return len(self.tables) - 1

    def fresh(self, like: int) -> int:
        """A new local, called as another one."""
        return self.local(self.locals[like])

    def local(self, info: k.LocalInfo) -> int:
        """A new local."""
        self.locals.append(info)
        return len(self.locals) - 1

    def done(self, program: k.Program) -> k.Program:
        """The program with what was added."""
        return replace(program, locals=tuple(self.locals), tables=tuple(self.tables))
