"""Where Python text is being written: the names in force, which values have them, what is known of values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.range_analysis import Key, Ranges, ScopedTable
from kemu_engine.opt.analysis.versions import Versions
from kemu_engine.run.python.text import ATOM, Block, Names, Text, place_of

DEEP = 25
"""Parentheses within each other in one expression, before a part of it gets a line of its own."""


class Scope:
    """One Python function in the making. `known`: the names given to values by passes that have been worked
    out by now, as they are called here."""

    def __init__(self, program: k.Program, traits: ExpressionAnalysis, names: Names) -> None:
        self.program = program
        self.traits = traits
        self.names = names
        self.out: Block = []
        self.lazy = 0  # how many conditions that are not statements are around
        self.versions = Versions(traits)
        self.ranges = self._ranges()
        self.known: ScopedTable[int, str] = ScopedTable()
        self.local_names: dict[int, str] = {}
        self.slots: dict[int, str] = {}  # variables by their names here, where not as everywhere
        self.mask_slots: dict[int, str] = {}
        self._given: dict[int, str] = {}
        self._place = ""

    def key(self, expr: k.Expr) -> Key:
        """What tells the value of an expression, here and now, from others."""
        return self.versions.key(expr)

    def touch(self, locals: Iterable[int] = (), vars: Iterable[int] = ()) -> None:
        """What was known of these is known no longer."""
        self.versions.touch(locals, vars)

    def _ranges(self) -> Ranges:
        return Ranges(self.key, self.traits.meaning)

    def forget(self) -> None:
        """Nothing is known at this point."""
        self.known = ScopedTable()
        self.ranges = self._ranges()

    # ------------------------------------------------------------------------------------------ blocks

    @contextmanager
    def branch(self) -> Iterator[Block]:
        """Code that may not be run: what is found out in it is forgotten after it."""
        around, known, ranges = self.out, self.known.mark(), self.ranges.known.mark()
        self.out = []
        lazy, self.lazy = self.lazy, 0
        yield self.out
        self.out, self.lazy = around, lazy
        self.known.back(known)
        self.ranges.known.back(ranges)

    @contextmanager
    def elsewhere(self, block: Block) -> Iterator[None]:
        """Code for another place, of which nothing is known."""
        around = self.known, self.ranges, self.out, self.lazy
        self.known, self.ranges, self.out, self.lazy = ScopedTable(), self._ranges(), block, 0
        yield
        self.known, self.ranges, self.out, self.lazy = around

    def line(self, text: str) -> None:
        self.out.append(text)

    def comment(self, origin: int) -> None:
        """Says where in the rules file the lines to come are from, unless that was said last."""
        place = place_of(self.program, origin)
        if place and place != self._place:
            self.line(f"# {place}")
        self._place = place or self._place

    def block(self, head: str, body: Block) -> None:
        self.out += [head, body]

    # ------------------------------------------------------------------------------------ names of values

    def define(self, local: int, text: Text) -> Text:
        """A value that is worked out here, under the name that a pass has given to it."""
        if text.plain:
            self.known.note(local, text.text)
            return text
        if local not in self._given:
            self._given[local] = self.names.give(self.program.locals[local].name)
        name = self._given[local]
        self.known.note(local, name)
        if self.lazy and not self.out:
            return Text(f"({name} := {text.text})", ATOM, True, text.depth + 1)
        self.line(f"{name} = {text.text}")
        return Text(name)

    def named(self, text: Text, hint: str = "t") -> str:
        """A name for a text, or the text itself if it is one."""
        if text.plain:
            return text.text
        name = self.names.give(hint)
        self.line(f"{name} = {text.text}")
        return name

    def settled(self, texts: list[Text], mark: int) -> list[Text]:
        """Texts of parts before the lines from `mark` on: what is fragile moves in front of them."""
        if len(self.out) == mark:
            return texts
        settled = []
        for text in texts:
            if text.fragile:
                name = self.names.give("t")
                self.out.insert(mark, f"{name} = {text.text}")
                mark += 1
                text = Text(name)
            settled.append(text)
        return settled
