"""Folds, closures and other walks over sets as Python loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.opt.nodes import Below
from kemu_engine.run.python.text import ATOM, COMPARE, INTER, SUM, TERNARY, UNION, Block, Text, joined
from kemu_engine.run.python.values import Values

SMALL_SET = 12
"""Sets of so many elements at most have their elements in a table."""


class Loops:
    """Writes expressions that walk through sets."""

    def __init__(self, values: Values) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values

    # ------------------------------------------------------------------------------------------ elements

    def source(self, over: k.Expr) -> str:
        """What a Python `for` has to walk through for the elements of a set, ascending."""
        if isinstance(over, k.Const):
            return self._static(over.value)
        bounded = self._bounded(over)
        if bounded is not None:
            return bounded
        assert isinstance(over.type, k.Set)
        if isinstance(over, k.Lookup) and over.type.size > SMALL_SET and self.module.few(over.table):
            table = self.module.table(over.table)
            listed = self.module.constant(f"tuple(map(elements, {table}))", f"{table}_ELEMENTS")
            return f"{listed}[{self.values.expr(over.index).text}]"
        text = self.values.expr(over)
        if over.type.size <= SMALL_SET:
            return f"{self.module.constant(f'element_table({over.type.size})', 'ELEMENTS')}[{text.text}]"
        return f"elements({text.text})"

    def _static(self, mask: int) -> str:
        items = [i for i in range(mask.bit_length()) if mask >> i & 1]
        if items and items == list(range(items[0], items[-1] + 1)):
            return f"range({items[0]}, {items[-1] + 1})" if items[0] else f"range({items[-1] + 1})"
        if len(items) <= 6:
            return f"({', '.join(map(str, items))}{',' if len(items) == 1 else ''})"
        return self.module.constant(repr(tuple(items)), "ITEMS")

    def _bounded(self, over: k.Expr) -> str | None:
        """A range up to or from a number, for the elements of a row of numbers below or from it on."""
        if isinstance(over, Below):
            over = k.Op(over.type, "inter", (build.full(over.type.size), over))  # type: ignore[union-attr]
        if not isinstance(over, k.Op) or over.op not in ("inter", "diff"):
            return None
        row, bound = over.args
        if not isinstance(row, k.Const) or not row.value:
            return None
        if not isinstance(bound, Below):
            return None
        low, high = (row.value & -row.value).bit_length() - 1, row.value.bit_length()
        if row.value != (1 << high) - (1 << low):
            return None
        limit = bound.args[0]
        assert isinstance(limit.type, k.Int)
        text = self.values.expr(limit)
        if over.op == "inter":
            stop = text.text if limit.type.high <= high else f"min({high}, {text.text})"
            return f"range({low}, {stop})" if low else f"range({stop})"
        start = text.text if limit.type.low >= low else f"max({low}, {text.text})"
        return f"range({start}, {high})"

    # ------------------------------------------------------------------------------------------ folds

    @contextmanager
    def elements(self, binder: int, over: k.Expr, where: k.Expr) -> Iterator[tuple[str, Block]]:
        """A loop over the elements of a set that satisfy a condition; gives the name of the element."""
        source = self.source(over)
        with self.frame.bound(binder) as name, self.scope.branch() as body:
            around, asked = body, self.values.test(where) if where != build.truth(True) else None
            if asked is not None:
                self.scope.ranges.assume(where, True)
                self.scope.out = around = []
            yield name, around
            if asked is not None:
                body += [f"if {asked.text}:", around]
        self.scope.block(f"for {name} in {source}:", body)

    def fold(self, fold: k.Fold) -> Text:
        whole = self._whole(fold)
        if whole is not None:
            return whole
        hints = {"any": "found", "all": "all_", "count": "n", "union": "set_"}
        result = self.scope.names.give(hints.get(fold.op, fold.op + "_"))
        begin = {"any": "False", "all": "True", "first": "-1", "min": "None", "max": "None"}
        self.scope.line(f"{result} = {begin.get(fold.op, '0')}")
        with self.elements(fold.binder, fold.over, fold.where) as (name, body):
            self._lap(fold, result, name, body)
        if fold.op in ("min", "max"):
            assert isinstance(fold.type, k.Int)
            self.scope.block(f"if {result} is None:", [f"{result} = {fold.type.low}"])
        return Text(result)

    def _lap(self, fold: k.Fold, result: str, name: str, body: Block) -> None:
        if fold.op in ("any", "all", "first", "count"):
            done = {"any": "True", "all": "False", "first": name}.get(fold.op)
            lines: Block = [f"{result} += 1"] if done is None else [f"{result} = {done}", "break"]
            if fold.body == build.truth(fold.op != "all"):
                body += lines
                return
            asked = self.values.test(build.no(fold.body) if fold.op == "all" else fold.body)
            body += [f"if {asked.text}:", lines]
            return
        value = self.values.expr(fold.body)
        if fold.op == "sum":
            body.append(f"{result} += {value.text}")
        elif fold.op == "union":
            body.append(f"{result} |= {value.at(UNION)}")
        elif fold.op == "set":
            body.append(f"{result} |= 1 << {value.at(INTER + 2)}")
        else:
            value = Text(self.scope.named(value))
            sign = "<" if fold.op == "min" else ">"
            body += [f"if {result} is None or {value.text} {sign} {result}:", [f"{result} = {value.text}"]]

    def _whole(self, fold: k.Fold) -> Text | None:
        """A fold that one Python expression can say."""
        found = self._found(fold)
        if found is not None:
            return found
        if fold.where != build.truth(True):
            return None
        if fold.op == "first" and fold.body == build.truth(True):
            if isinstance(fold.over, k.Const):
                return None
            mask = self.scope.named(self.values.expr(fold.over))
            return Text(f"({mask} & -{mask}).bit_length() - 1", INTER + 2, False, 2)
        if fold.op == "sum" and isinstance(fold.over, k.Const) and isinstance(fold.body, k.At):
            return self._slice(fold, fold.over.value, fold.body)
        return None

    def _found(self, fold: k.Fold) -> Text | None:
        """A search through a whole array, or part of it, for a value."""
        if fold.body != build.truth(True) or not isinstance(fold.over, k.Const):
            return None
        where = fold.where
        if not isinstance(where, k.Op) or where.op != "eq":
            return None
        for one, value in (where.args, where.args[::-1]):
            base, added = one.args if isinstance(one, k.Op) and one.op == "add" else (one, build.integer(0))
            traits = self.scope.traits.of(value)
            if not isinstance(base, k.At) or not isinstance(added, k.Const) or not traits.total:
                continue
            length = self.program.vars[base.var].length or 0
            if fold.binder in traits.locals or fold.over.value != (1 << length) - 1:
                continue
            if not isinstance(base.index, k.Local) or base.index.id != fold.binder:
                continue
            text = self.values.expr(value)
            if added.value:
                text = joined(f"{{}} - {added.value}", SUM, (text, SUM))
            array = self.frame.slot(base.var)
            if fold.op == "any":
                return joined(f"{{}} in {array}", COMPARE, (text, UNION))
            if fold.op == "count":
                return joined(f"{array}.count({{}})", ATOM, (text, TERNARY))
            if fold.op == "first":
                name = self.scope.named(text)
                return Text(f"{array}.index({name}) if {name} in {array} else -1", TERNARY, False, 2)
        return None

    def _slice(self, fold: k.Fold, over: int, at: k.At) -> Text | None:
        """The sum of neighbours in an array."""
        items = [i for i in range(over.bit_length()) if over >> i & 1]
        if not items or items != list(range(items[0], items[-1] + 1)):
            return None
        low, high = items[0], items[-1] + 1
        index = at.index
        if isinstance(index, k.Local) and index.id == fold.binder:
            whole = low == 0 and high == self.program.vars[at.var].length
            return Text(f"sum({self.frame.slot(at.var)}{'' if whole else f'[{low}:{high}]'})")
        if isinstance(index, k.Op) and index.op == "add":
            for one, start in (index.args, index.args[::-1]):
                traits = self.scope.traits.of(start)
                steady = traits.total and fold.binder not in traits.locals
                if isinstance(one, k.Local) and one.id == fold.binder and steady:
                    assert isinstance(start.type, k.Int)
                    if start.type.low >= 0:
                        text = self.scope.named(self.values.expr(start))
                        first = f"{text} + {low}" if low else text
                        return Text(f"sum({self.frame.slot(at.var)}[{first}:{text} + {high}])")
        return None

    def closure(self, closure: k.Closure) -> Text:
        """Element by element in the interpreter's order: a step may fault."""
        reached = self.scope.names.give("reached")
        waiting = self.scope.names.give("waiting")
        self.scope.line(f"{reached} = {self.values.expr(closure.seed).text}")
        self.scope.line(f"{waiting} = [*elements({reached})]")
        with self.frame.bound(closure.binder) as name, self.scope.branch() as body:
            self.scope.line(f"{name} = {waiting}.pop()")
            fresh = self.scope.names.give("fresh")
            text = joined("{} & ~" + reached, INTER, (self.values.expr(closure.step), INTER))
            self.scope.line(f"{fresh} = {text.text}")
            self.scope.line(f"{reached} |= {fresh}")
            self.scope.line(f"{waiting} += elements({fresh})")
        self.scope.block(f"while {waiting}:", body)
        return Text(reached)
