"""The set operations of nodes.py as Python on masks."""

from __future__ import annotations

from collections.abc import Callable

from kemu_engine.kernel import nodes as k
from kemu_engine.opt.nodes import Below, Cells, Point, RowsEqual, RowsTouching, Stencil, Window
from kemu_engine.opt.sets.mask_arrays import values
from kemu_engine.run.python.text import ATOM, INTER, SHIFT, SUM, TERNARY, UNION, Text, joined
from kemu_engine.run.python.values import Values


class Masks:
    """Writes operations on masks."""

    def __init__(self, values: Values) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values

    def mask(self, mask: k.Intrinsic) -> Text:
        assert isinstance(mask.type, k.Set)
        number = mask.type.size
        texts = self.values.parts(mask.args)
        full = Text(f"{(1 << number) - 1:#x}")
        match mask:
            case Cells(var=var):
                return self.values.item(self.frame.mask_slot(var), texts[0])
            case Window():
                return joined("{} >> {} & {}", INTER, (texts[0], SHIFT), (texts[1], SUM), (full, SHIFT))
            case RowsEqual(table=table):
                return joined(self.module.rows(table) + ".get({}, 0)", ATOM, (texts[0], TERNARY))
            case Point():
                return self._near(
                    mask.args[0], texts[0], number, "POINT", lambda i: 1 << i if 0 <= i < number else 0
                )
            case Below():
                return self._near(
                    mask.args[0], texts[0], number, "UNDER", lambda i: (1 << min(max(i, 0), number)) - 1
                )
            case Stencil(patterns=patterns):
                given = ", ".join(text.text for text in texts)
                return Text(f"{self.module.pattern(patterns)}({given})", ATOM, False, 1)
            case RowsTouching(table=table):
                name = self.scope.named(texts[0])
                chunks = self.module.touching(table)
                wide = self.module.chunk(table)
                beyond = mask.args[0].type
                assert isinstance(beyond, k.Set)
                terms = []
                for at, chunk in enumerate(chunks):
                    piece = name + (f" >> {at * wide}" if at else "")
                    whole = beyond.size <= (at + 1) * wide
                    terms.append(f"{chunk}[{piece}{'' if whole else f' & {(1 << wide) - 1}'}]")
                return Text(" | ".join(terms), UNION if len(terms) > 1 else ATOM, False, 2)
        raise AssertionError(mask)

    def _near(self, index: k.Expr, text: Text, size: int, name: str, of: Callable[[int], int]) -> Text:
        """A set told by a number that is in 0..size, or near: from a table, or worked out."""
        assert isinstance(index.type, k.Int)
        low, high = index.type.low, index.type.high
        if low >= 0 and high < size and name == "POINT":
            return joined("1 << {}", SHIFT, (text, SUM))
        if low >= -2 and high <= size + 2:
            rows = tuple(of(i) for i in [*range(high + 1), *range(low, 0)])
            return self.values.item(self.module.constant(repr(rows), f"{name}_{size}"), text)
        clamped = joined(f"min(max({{}}, -1), {size + 1})", ATOM, (text, TERNARY))
        rows = tuple(of(i) for i in [*range(size + 2), -1])
        return self.values.item(self.module.constant(repr(rows), f"{name}_{size}"), clamped)


def masks_of(type_: k.Type) -> int:
    """How long the list of the masks of an array's values is: from 0 on, and at its end for -1."""
    range_ = values(type_)
    return range_.stop + (range_.start < 0)
