"""Expressions that are evaluated only if need be, or whose parts are evaluated under other names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import children, overwritten, written
from kemu_engine.run.python.text import AND, ATOM, NOT, OR, TERNARY, Block, Text, joined
from kemu_engine.run.python.values import Values


class ShortCircuit:
    """Writes what is lazy, what may fault, and what binds locals; `code` writes that of Trials."""

    def __init__(self, values: Values, code: Callable[[k.Code], None]) -> None:
        self.module, self.program = values.module, values.program
        self.scope, self.frame = values.scope, values.frame
        self.values = values
        self.code = code

    @contextmanager
    def aside(self) -> Iterator[Block]:
        """Code whose lines are kept apart; what it finds out stays known."""
        around = self.scope.out
        self.scope.out = []
        self.scope.lazy += 1
        yield self.scope.out
        self.scope.lazy -= 1
        self.scope.out = around

    def connected(self, op: k.Op, part: Callable[[k.Expr], Text]) -> Text:
        """`and`, `or`; `part` writes a part, whose value may become that of the whole."""
        sign, level = (" and ", AND) if op.op == "and" else (" or ", OR)
        texts = [part(op.args[0])]
        known, ranges = self.scope.known.mark(), self.scope.ranges.known.mark()
        self.scope.ranges.assume(op.args[0], op.op == "and")
        for arg in op.args[1:]:
            if self.scope.ranges.outcome(arg) is (op.op == "and") and self.scope.traits.of(arg).total:
                continue
            with self.aside() as lines:
                text = part(arg)
            if lines:
                name = self.scope.names.give("t")
                self.scope.line(f"{name} = {sign.join(each.at(NOT) for each in texts)}")
                lines.append(f"{name} = {text.text}")
                self.scope.block(f"if {name}:" if op.op == "and" else f"if not {name}:", lines)
                texts = [Text(name)]
            else:
                texts.append(text)
            self.scope.ranges.assume(arg, op.op == "and")
        self.scope.known.back(known)
        self.scope.ranges.known.back(ranges)
        if len(texts) == 1:
            return texts[0]
        return joined(sign.join("{}" for _ in texts), level, *((text, NOT) for text in texts))

    def if_(self, expr: k.If) -> Text:
        outcome = self.scope.ranges.outcome(expr.test)
        if outcome is not None and self.scope.traits.of(expr.test).total:
            return self.values.expr(expr.then if outcome else expr.other)
        test = self.values.test(expr.test)
        (then, one), (other, two) = (
            self.supposing(expr.test, outcome, lambda part=part: self.values.expr(part))  # type: ignore[misc]
            for part, outcome in ((expr.then, True), (expr.other, False))
        )
        if one or two:
            name = self.scope.names.give("t")
            self.scope.block(f"if {test.text}:", [*one, f"{name} = {then.text}"])
            self.scope.block("else:", [*two, f"{name} = {other.text}"])
            return Text(name)
        return joined("{} if {} else {}", TERNARY, (then, OR), (test, OR), (other, TERNARY))

    def supposing(self, test: k.Expr, outcome: bool, write: Callable[[], Text]) -> tuple[Text, Block]:
        """A value worked out only if a test came out so, and the lines before it."""
        known, ranges = self.scope.known.mark(), self.scope.ranges.known.mark()
        self.scope.ranges.assume(test, outcome)
        with self.aside() as lines:
            text = write()
        self.scope.known.back(known)
        self.scope.ranges.known.back(ranges)
        return text, lines

    def need(self, need: k.Need) -> Text:
        if self.scope.ranges.outcome(need.test) is True and self.scope.traits.of(need.test).total:
            return self.values.expr(need.value)
        test = self.values.test(need.test)
        fault = f"fault({need.fault})"
        if not self.scope.lazy or self.scope.out:
            self.scope.block(f"if not {test.at(NOT)}:", [fault])
            self.scope.ranges.assume(need.test, True)
            return self.values.expr(need.value)
        self.scope.ranges.assume(need.test, True)
        with self.aside() as lines:
            value = self.values.expr(need.value)
        if lines:
            self.scope.block(f"if not {test.at(NOT)}:", [fault])
            self.scope.out += lines
            return value
        text = joined("{} if {} else " + fault, TERNARY, (value, OR), (test, OR))
        return Text(text.text, text.level, True, text.depth)

    # ------------------------------------------------------------------------------------------ binding

    def let(self, local: int, value: k.Expr, body: k.Expr) -> Text:
        text = self.values.expr(value)
        if local in self.scope.traits.named:
            self.scope.define(local, Text(self.scope.named(text, "t")))
            return self.values.expr(body)
        before = self.scope.local_names.get(local)
        name = text.text
        if not text.plain:
            name = self.frame.give(local)
            self.scope.line(f"{name} = {text.text}")
        self.scope.local_names[local] = name
        self.scope.touch((local,))
        if isinstance(value.type, k.Int):
            low, high = self.scope.ranges.interval(value)
            self.scope.ranges.known.note(self.scope.key(k.Local(value.type, local)), (low, high))
        result = self.values.expr(body)
        self.scope.touch((local,))
        if before is None:
            del self.scope.local_names[local]
        else:
            self.scope.local_names[local] = before
        return result

    def call(self, call: k.Call) -> Text:
        texts = self.values.parts(call.args)
        function = self.module.function(call.function)
        slots = [
            self.frame.slot(var) if not masks else self.frame.mask_slot(var) for var, masks in function.slots
        ]
        given = ", ".join([*(text.text for text in texts), *slots])
        depth = 1 + max((text.depth for text in texts), default=0)
        fragile = not self.scope.traits.of(call).total or any(text.fragile for text in texts)
        return Text(f"{function.name}({given})", ATOM, fragile, depth)

    def trial(self, trial: k.Trial) -> Text:
        """Runs the code on copies under other names."""
        slots, masks = dict(self.scope.slots), dict(self.scope.mask_slots)
        names, versions = dict(self.scope.local_names), self.scope.versions.mark()
        known, ranges = self.scope.known.mark(), self.scope.ranges.known.mark()
        copies: list[str] = []
        for var in sorted(written(trial.body)):
            old, array = self.frame.slot(var), self.program.vars[var].length is not None
            name = self.scope.names.give(f"{old}_tried")
            copies.append(f"{name} = {old}{'[:]' if array else ''}")
            if self.module.masked(var):
                old = self.frame.mask_slot(var)
                self.scope.mask_slots[var] = self.scope.names.give(f"{old}_tried")
                copies.append(f"{self.scope.mask_slots[var]} = {old}[:]")
            self.scope.slots[var] = name
        for local in sorted(overwritten(trial.body) - self.scope.traits.named.keys()):
            old = self.frame.local(local) if local in self.scope.local_names else "0"
            self.scope.local_names[local] = self.frame.give(local)
            copies.append(f"{self.scope.local_names[local]} = {old}")
            if old != "0":
                self.frame.needs_value(local, old)
        self.scope.out += copies
        self.code(trial.body)
        text = Text(self.scope.named(self.values.expr(trial.test)))
        self.scope.slots, self.scope.mask_slots, self.scope.local_names = slots, masks, names
        self.scope.versions.back(versions)
        self.scope.known.back(known)
        self.scope.ranges.known.back(ranges)
        return text

    def sure(self, expr: k.Expr) -> bool:
        """Whether an expression gives a value here for sure: it is total, or what might fault in it is known
        not to."""
        expr = self.scope.traits.meaning(expr)
        if self.scope.traits.of(expr).total:
            return True
        match expr:
            case k.Need(_, test, value):
                return self.scope.ranges.outcome(test) is True and self.sure(test) and self.sure(value)
            case k.At() | k.Lookup() | k.Op():
                return self.scope.traits.defined(expr) and all(map(self.sure, children(expr)))
            case k.If():
                return all(map(self.sure, children(expr)))
        return False
