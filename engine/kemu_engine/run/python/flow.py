"""Blocks of the control graph as Python code: parts one by one, with what stops and jumps left to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.actions import has_path
from kemu_engine.kernel.limits import MOST_ACTIONS
from kemu_engine.kernel.regions import Regions
from kemu_engine.opt.optimized import Domain
from kemu_engine.run.python.emitter import Emitter


@dataclass(frozen=True, slots=True)
class Offer:
    """The legal actions of an arm. `form`: a "mask" of the values of its parameter, a "list" of tuples of
    values (of values, if there is one parameter), or whether it is legal at all ("once"). `text`: what holds
    it."""

    arm: int
    form: Literal["mask", "list", "once"]
    text: str


class Stops(Protocol):
    """What happens where parts end. `merge`: the block at which ways come together again, if any."""

    def jump(self, head: int) -> None:
        """On to another part."""

    def decide(self, number: int, decide: k.Decide, merge: int | None) -> None:
        """At a decision."""

    def chance(self, number: int, chance: k.Chance, merge: int | None) -> None:
        """At a chance node."""

    def end(self, number: int, end: k.End) -> None:
        """The game is over."""


class Flow:
    """Writes parts of the control graph."""

    def __init__(self, emit: Emitter, graph: Regions, stops: Stops) -> None:
        self.module, self.program, self.scope = emit.module, emit.module.program, emit.scope
        self.values, self.frame = emit.values, emit.frame
        self.loops, self.statements = emit.loops, emit.statements
        self.graph = graph
        self.stops = stops

    def part(self, head: int) -> None:
        """The code of the part that begins at a block."""
        self.scope.forget()
        self.from_block(head, None)

    def from_block(self, number: int, merge: int | None) -> None:
        """A block and what follows up to the end of the part, or to `merge`."""
        block = self.program.blocks[number]
        self.statements.code(block.code)
        exit = block.exit
        match exit:
            case k.Goto(target):
                self.go(number, target, merge)
            case k.Split(test, then, other):
                self._split(number, test, then, other, merge)
            case k.Switch():
                self._switch(number, exit, merge)
            case k.Fail(fault):
                self.scope.line(f"fault({fault})")
            case k.Decide():
                self.stops.decide(number, exit, merge)
            case k.Chance():
                self.stops.chance(number, exit, merge)
            case k.End():
                self.stops.end(number, exit)

    def go(self, number: int, target: int, merge: int | None) -> None:
        """On from one block to another."""
        target = self.graph.after(target)
        if target in self.graph.heads:
            self.stops.jump(target)
        elif target != merge:
            self.from_block(target, merge)

    def _split(self, number: int, test: k.Expr, then: int, other: int, merge: int | None) -> None:
        if isinstance(test, k.Const):
            self.go(number, then if test.value else other, merge)
            return
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        text = self.values.test(test)
        before = self.scope.versions.mark()
        with self.scope.branch() as lines:
            self.scope.ranges.assume(test, True)
            self.go(number, then, joint)
        with self.scope.branch() as others:
            self.scope.ranges.assume(test, False)
            self.go(number, other, joint)
        if lines:
            self.scope.block(f"if {text.text}:", lines)
            if others:
                self.scope.block("else:", others)
        elif others:
            self.scope.block(f"if not {text.at(4)}:", others)
        elif text.fragile:
            self.scope.line(text.text)
        self.scope.versions.merge(before)
        if inner is not None:
            self.from_block(inner, merge)

    def _switch(self, number: int, switch: k.Switch, merge: int | None) -> None:
        inner = self.graph.merge(number)
        joint = merge if inner is None else inner
        name = self.frame.local(switch.local)
        before = self.scope.versions.mark()
        info = self.program.locals[switch.local].type
        assert isinstance(info, k.Int)
        values = [value for value in range(len(switch.targets)) if info.low <= value <= info.high]
        for value in values:
            with self.scope.branch() as lines:
                self.scope.ranges.assume(build.eq(k.Local(info, switch.local), build.integer(value)), True)
                self.go(number, switch.targets[value], joint)
            if len(values) == 1:
                self.scope.out += lines
            elif value == values[-1]:
                self.scope.block("else:", lines)
            else:
                self.scope.block(f"{'if' if value == values[0] else 'elif'} {name} == {value}:", lines)
        self.scope.versions.merge(before)
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
        domains = self.module.optimized.domains[block, number]
        if len(arm.params) == 1 and domains[0].where == build.truth(True):
            name = self.scope.names.give(arm.name, f"{arm.name}_legal")
            return Offer(number, "mask", self._guarded(arm, name, domains[0].over, always))
        name = self.scope.names.give(f"{arm.name}s", f"{arm.name}_legal")
        self.scope.line(f"{name} = []")
        before = self.scope.versions.mark()
        if always:
            self._bind(arm, domains, [], name)
        else:
            text = self.values.test(arm.guard)
            with self.scope.branch() as lines:
                self.scope.ranges.assume(arm.guard, True)
                self._bind(arm, domains, [], name)
            self.scope.block(f"if {text.text}:", lines)
        self.scope.versions.merge(before)
        return Offer(number, "list", name)

    def _once(self, arm: k.Arm) -> str:
        both = build.both(arm.guard, arm.legal)
        if isinstance(both, k.Const):
            return "True" if both.value else "False"
        name = self.scope.names.give(f"may_{arm.name}")
        self.scope.line(f"{name} = {self.values.expr(both).text}")
        return name

    def _guarded(self, arm: k.Arm, name: str, over: k.Expr, always: bool) -> str:
        if always:
            text = self.values.expr(over)
            if text.text.isidentifier():
                return text.text
            self.scope.line(f"{name} = {text.text}")
            return name
        guard = self.values.test(arm.guard)
        with self.scope.branch() as lines:
            self.scope.ranges.assume(arm.guard, True)
            self.scope.line(f"{name} = {self.values.expr(over).text}")
        self.scope.line(f"{name} = 0")
        self.scope.block(f"if {guard.text}:", lines)
        return name

    def _bind(self, arm: k.Arm, domains: tuple[Domain, ...], values: list[str], name: str) -> None:
        depth = len(values)
        if depth == len(arm.params):
            shown = ", ".join(values)
            self.scope.line(f"{name}.append({f'({shown})' if len(values) > 1 else shown})")
            if has_path(self.program, arm):
                self.scope.block(f"if len({name}) > {MOST_ACTIONS}:", ["raise MemoryError"])
            return
        param = arm.params[depth]
        self.statements.code(domains[depth].before)
        over, where = domains[depth].over, domains[depth].where
        with self.loops.elements(param.local, over, where) as (value, body):
            around, self.scope.out = self.scope.out, body
            self._bind(arm, domains, [*values, value], name)
            self.scope.out = around

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
