"""Kernel expressions as Python expressions, with lines before them where one expression is not enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine import kernel as k
from engine import make
from engine.generated.inline import substituted, tried
from engine.generated.nodes import Mask, children, size
from engine.generated.scope import DEEP, Scope
from engine.generated.text import (
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
    Block,
    Names,
    Text,
    joined,
)
from engine.generated.work import assigned, holds, written

if TYPE_CHECKING:
    from engine.generated.module import Module

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
        names = Names()
        names.taken = module.names.taken.copy()
        super().__init__(module.work, module.traiter, names, uses)
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
        found = self.recall(expr)
        if found is not None:
            return found
        text = self._expr(expr)
        if text.depth > DEEP:
            text = Text(self.named(text))
        hint = self.module.function(expr.function).name if type(expr) is k.Call else ""
        return self.define(expr, text, f"{hint}_" if hint else "")

    def test(self, expr: k.Expr) -> Text:
        """An expression of which only counts whether it is true."""
        match expr:
            case k.Op(_, "ne", (mask, k.Const(k.Set(), 0))) if self.known.get(self.key(expr)) is None:
                return self.expr(mask)
        return self.expr(expr)

    def local(self, local: int) -> str:
        name = self.local_names.get(local)
        if name is None:
            name = self.local_names[local] = self.give(local)
        return name

    def give(self, local: int) -> str:
        """A new name for a local; none is all in capitals, as constants are."""
        title = self.work.locals[local].name
        title = title.lower() if title.isupper() else title
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
        self.names.taken.discard(name)
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
            return Text(f"{value:#x}" if value > 9 else str(int(value)))
        return Text(str(value), ATOM if value >= 0 else UNARY)

    # ------------------------------------------------------------------------------------------ kinds

    def _expr(self, expr: k.Expr) -> Text:
        match expr:
            case k.At(_, var, index):
                return self._item(self.slot(var), self.expr(index))
            case k.Lookup(_, table, index):
                return self._item(self.module.table(table), self.expr(index))
            case Mask():
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
            return self._connected(op)
        if op.op in ("eq", "ne") and op.args[1] == make.truth(True):
            inner = self.expr(op.args[0])
            return inner if op.op == "eq" else joined("not {}", NOT, (inner, NOT))
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
            case "not":
                return joined("not {}", NOT, (texts[0], NOT))
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
        mark = len(self.out)
        name = self.named(element)
        (items,) = self.settled([items], mark)
        return joined(f"{name} >= 0 and {{}} >> {name} & 1", AND, (items, SHIFT))

    # ------------------------------------------------------------------------------------------ laziness

    @contextmanager
    def aside(self) -> Iterator[Block]:
        """Code whose lines are kept apart; what it finds out stays known."""
        around = self.out
        self.out = []
        self.lazy += 1
        yield self.out
        self.lazy -= 1
        self.out = around

    def _connected(self, op: k.Op) -> Text:
        sign, level = (" and ", AND) if op.op == "and" else (" or ", OR)
        texts = [self.test(op.args[0])]
        known, facts = self.known.mark(), self.facts.known.mark()
        self.facts.assume(op.args[0], op.op == "and")
        for arg in op.args[1:]:
            if self.facts.outcome(arg) is (op.op == "and") and self.traits.of(arg).total:
                continue
            with self.aside() as lines:
                text = self.test(arg)
            if lines:
                name = self.names.give("t")
                self.line(f"{name} = {sign.join(each.at(NOT) for each in texts)}")
                lines.append(f"{name} = {text.text}")
                self.block(f"if {name}:" if op.op == "and" else f"if not {name}:", lines)
                texts = [Text(name)]
            else:
                texts.append(text)
            self.facts.assume(arg, op.op == "and")
        self.known.back(known)
        self.facts.known.back(facts)
        if len(texts) == 1:
            return texts[0]
        return joined(sign.join("{}" for _ in texts), level, *((text, NOT) for text in texts))

    def _if(self, expr: k.If) -> Text:
        outcome = self.facts.outcome(expr.test)
        if outcome is not None and self.traits.of(expr.test).total:
            return self.expr(expr.then if outcome else expr.other)
        test = self.test(expr.test)
        (then, one), (other, two) = (
            self.supposing(expr.test, outcome, lambda part=part: self.expr(part))  # type: ignore[misc]
            for part, outcome in ((expr.then, True), (expr.other, False))
        )
        if one or two:
            name = self.names.give("t")
            self.block(f"if {test.text}:", [*one, f"{name} = {then.text}"])
            self.block("else:", [*two, f"{name} = {other.text}"])
            return Text(name)
        return joined("{} if {} else {}", TERNARY, (then, OR), (test, OR), (other, TERNARY))

    def supposing(self, test: k.Expr, outcome: bool, write: Callable[[], Text]) -> tuple[Text, Block]:
        """A value worked out only if a test came out so, and the lines before it."""
        known, facts = self.known.mark(), self.facts.known.mark()
        self.facts.assume(test, outcome)
        with self.aside() as lines:
            text = write()
        self.known.back(known)
        self.facts.known.back(facts)
        return text, lines

    def _need(self, need: k.Need) -> Text:
        if self.facts.outcome(need.test) is True and self.traits.of(need.test).total:
            return self.expr(need.value)
        test = self.test(need.test)
        fault = f"fault({need.fault})"
        if not self.lazy or self.out:
            self.block(f"if not {test.at(NOT)}:", [fault])
            self.facts.assume(need.test, True)
            return self.expr(need.value)
        self.facts.assume(need.test, True)
        with self.aside() as lines:
            value = self.expr(need.value)
        if lines:
            self.block(f"if not {test.at(NOT)}:", [fault])
            self.out += lines
            return value
        text = joined("{} if {} else " + fault, TERNARY, (value, OR), (test, OR))
        return Text(text.text, text.level, True, text.depth)

    # ------------------------------------------------------------------------------------------ binding

    def _let(self, local: int, value: k.Expr, body: k.Expr) -> Text:
        if size(value, 16) < 16 and self.sure(value) and not tried(body):
            return self.expr(substituted(body, local, value))
        key = self.key(value)
        text = self.expr(value)
        before = self.local_names.get(local)
        name = text.text
        if not text.plain:
            name = self.give(local)
            self.line(f"{name} = {text.text}")
        self.local_names[local] = name
        self.touch((local,))
        self.call_it(key, local, name)
        if isinstance(value.type, k.Int):
            low, high = self.facts.interval(value)
            self.facts.known.note(self.key(k.Local(value.type, local)), (low, high))
        result = self.expr(body)
        self.touch((local,))
        if before is None:
            del self.local_names[local]
        else:
            self.local_names[local] = before
        return result

    def _call(self, call: k.Call) -> Text:
        texts = self.parts(call.args)
        function = self.module.function(call.function)
        slots = [self.slot(var) if not masks else self.mask_slot(var) for var, masks in function.slots]
        given = ", ".join([*(text.text for text in texts), *slots])
        depth = 1 + max((text.depth for text in texts), default=0)
        fragile = not self.traits.of(call).total or any(text.fragile for text in texts)
        return Text(f"{function.name}({given})", ATOM, fragile, depth)

    def _trial(self, trial: k.Trial) -> Text:
        """Runs the code on copies under other names."""
        slots, masks = dict(self.slots), dict(self.mask_slots)
        names, versions = dict(self.local_names), dict(self.versions)
        known, facts = self.known.mark(), self.facts.known.mark()
        copies: list[str] = []
        for var in sorted(written(trial.body)):
            old, array = self.slot(var), self.work.program.vars[var].length is not None
            name = self.names.give(f"{old}_tried")
            copies.append(f"{name} = {old}{'[:]' if array else ''}")
            if self.module.masked(var):
                old = self.mask_slot(var)
                self.mask_slots[var] = self.names.give(f"{old}_tried")
                copies.append(f"{self.mask_slots[var]} = {old}[:]")
            self.slots[var] = name
        for local in sorted(assigned(trial.body)):
            old = self.local(local) if local in self.local_names else "0"
            self.local_names[local] = self.give(local)
            copies.append(f"{self.local_names[local]} = {old}")
            if old != "0":
                self.needs_value(local, old)
        self.out += copies
        self.code(trial.body)
        text = Text(self.named(self.expr(trial.test)))
        self.slots, self.mask_slots, self.local_names, self.versions = slots, masks, names, versions
        self.known.back(known)
        self.facts.known.back(facts)
        return text

    def sure(self, expr: k.Expr) -> bool:
        """Whether an expression gives a value here for sure: it is total, or what might fault in it is known
        not to."""
        if self.traits.of(expr).total or self.known.get(self.key(expr)) is not None:
            return True
        match expr:
            case k.Need(_, test, value):
                return self.facts.outcome(test) is True and self.sure(test) and self.sure(value)
            case k.At(_, var, index):
                length = self.work.program.vars[var].length or 0
                return holds(k.Int(-length, length - 1), index.type) and self.sure(index)
            case k.Lookup(_, table, index):
                length = len(self.work.tables[table].values)
                return holds(k.Int(-length, length - 1), index.type) and self.sure(index)
            case k.Op(_, op, args):
                return op not in ("div", "mod", "single") and all(map(self.sure, args))
            case k.If():
                return all(map(self.sure, children(expr)))
        return False

    def needs_value(self, local: int, name: str) -> None:
        """A local is read that may not have been set."""
        raise NotImplementedError

    def code(self, code: k.Code) -> None:
        raise NotImplementedError

    def _fold(self, fold: k.Fold) -> Text:
        raise NotImplementedError

    def _closure(self, closure: k.Closure) -> Text:
        raise NotImplementedError

    def _mask(self, mask: Mask) -> Text:
        raise NotImplementedError
