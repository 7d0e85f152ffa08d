"""Blocks of the control graph as Python code: parts one by one, with what stops and jumps left to others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.regions import Graph
from kemu_engine.opt.predicate_pushdown import Domain
from kemu_engine.run.python.statements import Statements

if TYPE_CHECKING:
    from kemu_engine.run.python.module import Module


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal actions of an arm. `form`: a "mask" of the values of its parameter, a "list" of tuples of
    values (of values, if there is one parameter), or whether it is legal at all ("once"). `text`: what holds
    it."""

    arm: int
    form: Literal["mask", "list", "once"]
    text: str


class Flow(Statements):
    """Writes parts of the control graph."""

    def __init__(self, module: Module, uses: Counter[int] | None, graph: Graph) -> None:
        super().__init__(module, uses)
        self.graph = graph

    def part(self, head: int) -> None:
        """The code of the part that begins at a block."""
        self.forget()
        self.from_block(head, None)

    def from_block(self, number: int, merge: int | None) -> None:
        """A block and what follows up to the end of the part, or to `merge`."""
        block = self.program.blocks[number]
        self.code(block.code)
        exit = block.exit
        match exit:
            case k.Goto(target):
                self.go(number, target, merge)
            case k.Split(test, then, other):
                self._split(number, test, then, other, merge)
            case k.Switch():
                self._switch(number, exit, merge)
            case k.Fail(fault):
                self.line(f"fault({fault})")
            case k.Decide():
                self.decide(number, exit, merge)
            case k.Chance():
                self.chance(number, exit, merge)
            case k.End():
                self.end(number, exit)

    def go(self, number: int, target: int, merge: int | None) -> None:
        """On from one block to another."""
        target = self.graph.after(target)
        if target in self.graph.heads:
            self.jump(target)
        elif target != merge:
            self.from_block(target, merge)

    def _split(self, number: int, test: k.Expr, then: int, other: int, merge: int | None) -> None:
        if isinstance(test, k.Const):
            self.go(number, then if test.value else other, merge)
            return
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        text = self.test(test)
        before = dict(self.versions)
        with self.branch() as lines:
            self.facts.assume(test, True)
            self.go(number, then, joint)
        with self.branch() as others:
            self.facts.assume(test, False)
            self.go(number, other, joint)
        if lines:
            self.block(f"if {text.text}:", lines)
            if others:
                self.block("else:", others)
        elif others:
            self.block(f"if not {text.at(4)}:", others)
        elif text.fragile:
            self.line(text.text)
        self.merged(before)
        if inner is not None:
            self.from_block(inner, merge)

    def merged(self, before: dict[tuple[str, int], int]) -> None:
        """Forgets what has been set since, on one way or another."""
        for (kind, number), version in list(self.versions.items()):
            if before.get((kind, number)) != version:
                self.touch(*(((number,), ()) if kind == "local" else ((), (number,))))

    def _switch(self, number: int, switch: k.Switch, merge: int | None) -> None:
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        name = self.local(switch.local)
        before = dict(self.versions)
        info = self.program.locals[switch.local].type
        assert isinstance(info, k.Int)
        values = [value for value in range(len(switch.targets)) if info.low <= value <= info.high]
        for value in values:
            with self.branch() as lines:
                self.facts.assume(build.eq(k.Local(info, switch.local), build.integer(value)), True)
                self.go(number, switch.targets[value], joint)
            if len(values) == 1:
                self.out += lines
            elif value == values[-1]:
                self.block("else:", lines)
            else:
                self.block(f"{'if' if value == values[0] else 'elif'} {name} == {value}:", lines)
        self.merged(before)
        if inner is not None:
            self.from_block(inner, merge)

    # ------------------------------------------------------------------------------------------ decisions

    def offers(self, number: int, decide: k.Decide) -> list[Offer]:
        """Works out the legal actions, arm by arm."""
        return [self._offer(number, at, arm) for at, arm in enumerate(decide.arms)]

    def _offer(self, block: int, number: int, arm: k.Arm) -> Offer:
        always = arm.guard == build.truth(True)
        if not arm.params:
            return Offer(number, "once", self._once(arm))
        domains = self.module.optimized.domains[block, number].params
        if len(arm.params) == 1 and arm.legal == domains[0].where == build.truth(True):
            name = self.names.give(arm.name, f"{arm.name}_legal")
            return Offer(number, "mask", self._guarded(arm, name, domains[0].over, always))
        name = self.names.give(f"{arm.name}s", f"{arm.name}_legal")
        self.line(f"{name} = []")
        before = dict(self.versions)
        if always:
            self._bind(arm, domains, [], name)
        else:
            text = self.test(arm.guard)
            with self.branch() as lines:
                self.facts.assume(arm.guard, True)
                self._bind(arm, domains, [], name)
            self.block(f"if {text.text}:", lines)
        self.merged(before)
        return Offer(number, "list", name)

    def _once(self, arm: k.Arm) -> str:
        both = build.both(arm.guard, arm.legal)
        if isinstance(both, k.Const):
            return "True" if both.value else "False"
        name = self.names.give(f"may_{arm.name}")
        self.line(f"{name} = {self.expr(both).text}")
        return name

    def _guarded(self, arm: k.Arm, name: str, over: k.Expr, always: bool) -> str:
        if always:
            text = self.expr(over)
            if text.text.isidentifier():
                return text.text
            self.line(f"{name} = {text.text}")
            return name
        guard = self.test(arm.guard)
        with self.branch() as lines:
            self.facts.assume(arm.guard, True)
            self.line(f"{name} = {self.expr(over).text}")
        self.line(f"{name} = 0")
        self.block(f"if {guard.text}:", lines)
        return name

    def _bind(self, arm: k.Arm, domains: tuple[Domain, ...], values: list[str], name: str) -> None:
        depth = len(values)
        if depth == len(arm.params):
            shown = ", ".join(values)
            add = f"{name}.append({f'({shown})' if len(values) > 1 else shown})"
            if arm.legal == build.truth(True):
                self.line(add)
            else:
                self.block(f"if {self.test(arm.legal).text}:", [add])
            return
        param = arm.params[depth]
        over, where = domains[depth].over, domains[depth].where
        later = [expr for each in arm.params[depth + 1 :] for expr in (each.over, each.where)]
        binders = frozenset(each.local for each in arm.params[depth:])
        with self.elements(param.local, over, where, (*later, arm.legal), binders) as (value, body):
            around, self.out = self.out, body
            self._bind(arm, domains, [*values, value], name)
            self.out = around

    def count(self, offers: list[Offer]) -> str:
        """How many actions there are, as text."""
        terms = []
        once = 0
        for offer in offers:
            if offer.text == "True":
                once += 1
            elif offer.text != "False":
                form = {"mask": "{}.bit_count()", "list": "len({})", "once": "({} != 0)"}[offer.form]
                terms.append(form.format(offer.text))
        return " + ".join([*terms, *([str(once)] if once or not terms else [])])

    # ------------------------------------------------------------------------------------ left to others

    def jump(self, head: int) -> None:
        raise NotImplementedError

    def decide(self, number: int, decide: k.Decide, merge: int | None) -> None:
        raise NotImplementedError

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        raise NotImplementedError

    def end(self, number: int, end: k.End) -> None:
        raise NotImplementedError
