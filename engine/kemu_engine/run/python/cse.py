"""Where Python text is being written: the names in force, what has been worked out already, what is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.range_analysis import Key, Ranges, ScopedTable
from kemu_engine.run.python.text import ATOM, Block, Names, Text, place_of

DEEP = 25
"""Parentheses within each other in one expression, before a part of it gets a line of its own."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value that has a name already. `local`, `version`: the local whose name it is, if it is one's."""

    name: str
    definition: int
    local: int = -1
    version: int = -1


class Scope:
    """One Python function in the making.

    It is written twice: the first time shows which values are used more than once, so that the second time
    these, and no others, get names (`uses`: definition to number of uses).
    """

    def __init__(
        self, program: k.Program, traits: ExpressionAnalysis, names: Names, uses: Counter[int] | None
    ) -> None:
        self.program = program
        self.traits = traits
        self.names = names
        self.uses = uses
        self.used: Counter[int] = Counter()
        self.out: Block = []
        self.lazy = 0  # how many conditions that are not statements are around
        self.ranges = Ranges(self.key)
        self.known: ScopedTable[Known] = ScopedTable()
        self.local_names: dict[int, str] = {}
        self.slots: dict[int, str] = {}  # variables by their names here, where not as everywhere
        self.mask_slots: dict[int, str] = {}
        self.versions: dict[tuple[str, int], int] = {}
        self._holders: dict[str, int] = {}  # names that stand for values as long as a local is not set again
        self._place = ""
        self._numbers = count(1)
        self._definitions = count()

    # ------------------------------------------------------------------------------------------ versions

    def key(self, expr: k.Expr) -> Key:
        """What tells the value of an expression, here and now, from others."""
        traits = self.traits.of(expr)
        changing = sorted(traits.locals - self.traits.named.keys())
        locals = tuple(self.versions.get(("local", each), 0) for each in changing)
        vars = tuple(self.versions.get(("var", each), 0) for each in sorted(traits.vars))
        return (traits.number, locals, vars)

    def touch(self, locals: Iterable[int] = (), vars: Iterable[int] = ()) -> None:
        """What was known of these is known no longer."""
        for local in locals:
            self.versions["local", local] = next(self._numbers)
        for var in vars:
            self.versions["var", var] = next(self._numbers)

    def version(self, local: int) -> int:
        return self.versions.get(("local", local), 0)

    def forget(self) -> None:
        """Nothing is known at this point."""
        self.known = ScopedTable()
        self.ranges = Ranges(self.key)

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
        self.known, self.ranges, self.out, self.lazy = ScopedTable(), Ranges(self.key), block, 0
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

    def recall(self, key: Key) -> Text | None:
        """The name of a value that has been worked out."""
        found = self.known.get(key)
        if found is None or (found.local >= 0 and found.version != self.version(found.local)):
            return None
        self.used[found.definition] += 1
        return Text(found.name)

    def define(self, key: Key, text: Text, hint: str = "") -> Text:
        """Takes note of a value just worked out; it gets a name if it will be used again."""
        definition = next(self._definitions)
        if self.uses is not None and not self.uses[definition]:
            return text
        if text.plain:
            local = self._holders.get(text.text, -1)
            self.known.note(key, Known(text.text, definition, local, self.version(local)))
            return text
        name = self.names.give(hint or "t")
        self.known.note(key, Known(name, definition))
        if self.lazy and not self.out:
            return Text(f"({name} := {text.text})", ATOM, True, text.depth + 1)
        self.line(f"{name} = {text.text}")
        return Text(name)

    def call_it(self, expr_key: Key, local: int, name: str, fresh: bool = True) -> None:
        """A local now holds this value, as long as it is not set again; `fresh`: under a name of its own."""
        definition = next(self._definitions)
        if fresh:
            self._holders[name] = local
            self.known.note(expr_key, Known(name, definition, local, self.version(local)))

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
