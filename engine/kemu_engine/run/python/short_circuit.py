"""Expressions that are evaluated only if need be, or whose parts are evaluated under other names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import assigned, children, size, tried, written
from kemu_engine.opt.constant_folding import substituted
from kemu_engine.run.python.expressions import Expressions
from kemu_engine.run.python.text import AND, ATOM, NOT, OR, TERNARY, Block, Text, joined


class Lazy(Expressions):
    """Writes what is lazy, what may fault, and what binds locals."""

    @contextmanager
    def aside(self) -> Iterator[Block]:
        """Code whose lines are kept apart; what it finds out stays known."""
        around = self.out
        self.out = []
        self.lazy += 1
        yield self.out
        self.lazy -= 1
        self.out = around

    def _connected(self, op: k.Op, part: Callable[[k.Expr], Text]) -> Text:
        """`and`, `or`; `part` writes a part, whose value may become that of the whole."""
        sign, level = (" and ", AND) if op.op == "and" else (" or ", OR)
        texts = [part(op.args[0])]
        known, facts = self.known.mark(), self.facts.known.mark()
        self.facts.assume(op.args[0], op.op == "and")
        for arg in op.args[1:]:
            if self.facts.outcome(arg) is (op.op == "and") and self.traits.of(arg).total:
                continue
            with self.aside() as lines:
                text = part(arg)
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
        if not text.plain:
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
            old, array = self.slot(var), self.program.vars[var].length is not None
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
            case k.At() | k.Lookup() | k.Op():
                return self.traits.defined(expr) and all(map(self.sure, children(expr)))
            case k.If():
                return all(map(self.sure, children(expr)))
        return False
