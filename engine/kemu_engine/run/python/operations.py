"""The kernel's operators as Python's."""

from __future__ import annotations

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.run.python.short_circuit import ShortCircuit
from kemu_engine.run.python.text import (
    AND,
    ATOM,
    COMPARE,
    INTER,
    NOT,
    OR,
    PRODUCT,
    SHIFT,
    SUM,
    TERNARY,
    UNARY,
    UNION,
    Text,
    joined,
)
from kemu_engine.run.python.values import Values

BINARY: dict[str, tuple[str, int, int, int]] = {
    "add": ("{} + {}", SUM, SUM, PRODUCT),
    "sub": ("{} - {}", SUM, SUM, PRODUCT),
    "mul": ("{} * {}", PRODUCT, PRODUCT, UNARY),
    "div": ("{} // {}", PRODUCT, PRODUCT, UNARY),
    "mod": ("{} % {}", PRODUCT, PRODUCT, UNARY),
    "eq": ("{} == {}", COMPARE, UNION, UNION),
    "ne": ("{} != {}", COMPARE, UNION, UNION),
    "lt": ("{} < {}", COMPARE, UNION, UNION),
    "le": ("{} <= {}", COMPARE, UNION, UNION),
    "union": ("{} | {}", UNION, UNION, INTER),
    "inter": ("{} & {}", INTER, INTER, SHIFT),
    "diff": ("{} & ~{}", INTER, INTER, UNARY),
}
"""Operators: text, how it binds, how its parts have to bind."""


class Operations:
    """Writes operators."""

    def __init__(self, values: Values, lazy: ShortCircuit) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values
        self.lazy = lazy

    def operation(self, op: k.Op) -> Text:
        if op.op in ("and", "or"):
            return self.lazy.connected(op, self.values.expr)
        if op.op in ("eq", "ne") and op.args[1] == build.truth(True):
            inner = self.values.expr(op.args[0])
            return inner if op.op == "eq" else joined("not {}", NOT, (inner, NOT))
        match op:
            case k.Op(_, "eq", (mask, k.Const(k.Set(), 0))):
                return joined("not {}", NOT, (self.values.expr(mask), NOT))
            case k.Op(_, "not", (test,)):
                return joined("not {}", NOT, (self.values.test(test), NOT))
        texts = self.values.parts(op.args)
        if op.op in BINARY:
            template, level, left, right = BINARY[op.op]
            return joined(template, level, (texts[0], left), (texts[1], right))
        match op.op:
            case "neg":
                return joined("-{}", UNARY, (texts[0], UNARY))
            case "abs":
                return joined("abs({})", ATOM, (texts[0], TERNARY))
            case "min" | "max":
                return self._extreme(op.op, texts)
            case "card":
                return joined("{}.bit_count()", ATOM, (texts[0], ATOM))
            case "single":
                return joined("1 << {}", SHIFT, (texts[0], SUM))
            case "subset":
                return joined("not {} & ~{}", NOT, (texts[0], INTER), (texts[1], UNARY))
            case "in":
                return self._in(op, texts)
        raise AssertionError(op.op)

    def _extreme(self, op: str, texts: list[Text]) -> Text:
        one, two = texts
        if one.plain and two.plain:
            sign = "<" if op == "min" else ">"
            return joined(
                "{} if {} " + sign + " {} else {}",
                TERNARY,
                (one, OR), (one, UNION), (two, UNION), (two, TERNARY),
            )  # fmt: skip
        return joined(op + "({}, {})", ATOM, (one, TERNARY), (two, TERNARY))

    def _in(self, op: k.Op, texts: list[Text]) -> Text:
        element, items = texts
        if element.fragile and not isinstance(op.args[1], k.Const):
            element = Text(self.scope.named(element))
        type_, over = op.args[0].type, op.args[1]
        assert isinstance(type_, k.Int)
        if isinstance(over, k.Const) and over.value:
            low = (over.value & -over.value).bit_length() - 1
            high = over.value.bit_length() - 1
            if over.value == (2 << high) - (1 << low):
                if low == high:
                    return joined(f"{{}} == {low}", COMPARE, (element, UNION))
                return joined(f"{low} <= {{}} <= {high}", COMPARE, (element, UNION))
        if type_.low >= 0:
            return joined("{} >> {} & 1", INTER, (items, SHIFT), (element, SUM))
        name = self.scope.named(element)
        if items.fragile:
            items = Text(self.scope.named(items))
        return joined(f"{name} >= 0 and {{}} >> {name} & 1", AND, (items, SHIFT))
