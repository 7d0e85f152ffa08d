"""Kernel expressions as Python expressions, with lines before them where one expression is not enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.opt.range_analysis import Key
from kemu_engine.run.python.cse import DEEP, Scope
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
    Names,
    Text,
    joined,
)

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module

SMALL_SET = 12
"""Sets of so many elements at most have their elements in a table."""

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


class Expressions(Scope):
    """Writes expressions. `module` keeps the functions, tables and constants that they call for."""

    def __init__(self, module: Module, uses: Counter[int] | None) -> None:
        super().__init__(module.program, module.traits, Names(around=module.names), uses)
        self.module = module

    def expr(self, expr: k.Expr) -> Text:
        """The value of an expression."""
        match expr:
            case k.Const():
                return self._constant(expr)
            case k.Local(_, local):
                return Text(self.local(local))
            case k.Load(_, var):
                return Text(self.slot(var))
        key = self.key(expr)
        return self.recall(key) or self._defined(expr, key, self._expr(expr))

    def test(self, expr: k.Expr) -> Text:
        """An expression of which only counts whether it is true: a set stands for whether it has elements."""
        key = self.key(expr)
        if isinstance(expr, k.Op) and self.known.get(key) is None:
            match expr:
                case k.Op(_, "and" | "or"):
                    key = ("truth", key)
                    return self.recall(key) or self._defined(expr, key, self._connected(expr, self.test))
                case k.Op(_, "ne", (mask, k.Const(k.Set(), 0))):
                    return self.expr(mask)
        return self.expr(expr)

    def _defined(self, expr: k.Expr, key: Key, text: Text) -> Text:
        if text.depth > DEEP:
            text = Text(self.named(text))
        hint = self.module.function(expr.function).name if isinstance(expr, k.Call) else ""
        return self.define(key, text, f"{hint}_" if hint else "")

    def local(self, local: int) -> str:
        name = self.local_names.get(local)
        if name is None:
            name = self.local_names[local] = self.give(local)
        return name

    def give(self, local: int) -> str:
        """A new name for a local."""
        title = self.program.locals[local].name
        return self.names.give(title.split(".")[-1], title)

    def slot(self, var: int) -> str:
        """The name of a state variable."""
        return self.slots.get(var) or self.module.slot_names[var]

    def mask_slot(self, var: int) -> str:
        """The name of the list of the masks of a state variable's values."""
        return self.mask_slots.get(var) or self.module.mask_names[var]

    @contextmanager
    def bound(self, binder: int) -> Iterator[str]:
        """A name for a binder, for the code in here."""
        before = self.local_names.get(binder)
        name = self.local_names[binder] = self.give(binder)
        self.touch((binder,))
        yield name
        self.touch((binder,))
        self.names.free(name)
        if before is None:
            del self.local_names[binder]
        else:
            self.local_names[binder] = before

    def _constant(self, const: k.Const) -> Text:
        value = const.value
        if isinstance(const.type, k.Bool):
            return Text("True" if value else "False")
        if isinstance(const.type, k.Set):
            if value.bit_length() > 64:
                return Text(self.module.constant(f"{value:#x}", "SET"))
            return Text(f"{value:#x}" if value > 9 else str(int(value)), UNARY)  # 7.bit_count is no Python
        return Text(str(value), ATOM if value >= 0 else UNARY)

    # ------------------------------------------------------------------------------------------ kinds

    def _expr(self, expr: k.Expr) -> Text:
        match expr:
            case k.At(_, var, index):
                return self._item(self.slot(var), self.expr(index))
            case k.Lookup(_, table, index):
                return self._item(self.module.table(table), self.expr(index))
            case k.Intrinsic():
                return self._mask(expr)
            case k.Op():
                return self._operation(expr)
            case k.If():
                return self._if(expr)
            case k.Fold():
                return self._fold(expr)
            case k.Closure():
                return self._closure(expr)
            case k.Let(_, local, value, body):
                return self._let(local, value, body)
            case k.Call():
                return self._call(expr)
            case k.Need():
                return self._need(expr)
            case k.Trial():
                return self._trial(expr)
        raise AssertionError(expr)

    def _item(self, array: str, index: Text) -> Text:
        return Text(f"{array}[{index.text}]", ATOM, index.fragile, index.depth + 1)

    def parts(self, exprs: tuple[k.Expr, ...]) -> list[Text]:
        """The values of expressions that are all evaluated, from the left."""
        texts: list[Text] = []
        for expr in exprs:
            mark = len(self.out)
            text = self.expr(expr)
            texts = [*self.settled(texts, mark), text]
        return texts

    def _operation(self, op: k.Op) -> Text:
        if op.op in ("and", "or"):
            return self._connected(op, self.expr)
        if op.op in ("eq", "ne") and op.args[1] == build.truth(True):
            inner = self.expr(op.args[0])
            return inner if op.op == "eq" else joined("not {}", NOT, (inner, NOT))
        if op.op == "not":
            return joined("not {}", NOT, (self.test(op.args[0]), NOT))
        if op.op == "subset":
            return self._subset(op)
        texts = self.parts(op.args)
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
            case "in":
                return self._in(op, texts)
        raise AssertionError(op.op)

    def _subset(self, op: k.Op) -> Text:
        """With what lies outside the larger set, if that has a name already."""
        inner, outer = op.args
        assert isinstance(outer.type, k.Set)
        outside = k.Op(outer.type, "diff", (build.full(outer.type.size), outer))
        if self.known.get(self.key(outside)) is None:
            one, two = self.parts(op.args)
            return joined("not {} & ~{}", NOT, (one, INTER), (two, UNARY))
        one, two = self.parts((inner, outside))
        return joined("not {} & {}", NOT, (one, INTER), (two, SHIFT))

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
        name = self.named(element)
        if items.fragile:
            items = Text(self.named(items))
        return joined(f"{name} >= 0 and {{}} >> {name} & 1", AND, (items, SHIFT))

    def _connected(self, op: k.Op, part: Callable[[k.Expr], Text]) -> Text:
        raise NotImplementedError

    def _if(self, expr: k.If) -> Text:
        raise NotImplementedError

    def _need(self, need: k.Need) -> Text:
        raise NotImplementedError

    def _let(self, local: int, value: k.Expr, body: k.Expr) -> Text:
        raise NotImplementedError

    def _call(self, call: k.Call) -> Text:
        raise NotImplementedError

    def _trial(self, trial: k.Trial) -> Text:
        raise NotImplementedError

    def needs_value(self, local: int, name: str) -> None:
        """A local is read that may not have been set."""
        raise NotImplementedError

    def code(self, code: k.Code) -> None:
        raise NotImplementedError

    def _fold(self, fold: k.Fold) -> Text:
        raise NotImplementedError

    def _closure(self, closure: k.Closure) -> Text:
        raise NotImplementedError

    def _mask(self, mask: k.Intrinsic) -> Text:
        raise NotImplementedError
