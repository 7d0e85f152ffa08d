"""Lowers the flow of a game, statements that may stop, into a graph of blocks: the state machine that nobody
writes by hand.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kemu_grammar.check.builtins import SINK
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.decisions import DecisionLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.statements.events import EventLowering
from kemu_engine.lower.statements.flow import Opening
from kemu_engine.lower.statements.loops import Loops
from kemu_engine.lower.statements.moves import put
from kemu_engine.lower.statements.reveals import RevealLowering
from kemu_engine.lower.statements.rules_in_place import argument
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.statements.together import TogetherLowering
from kemu_engine.lower.values.context import Binding, Env, Scope
from kemu_engine.lower.values.dependence import Analysis, assigned, is_turns
from kemu_engine.lower.values.infer_local import infer
from kemu_engine.lower.values.reps import Place, Rep, composite
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import Type

BLOCKED = 1000  # steps of a statement that is made of blocks, without what stands in it
MOST_DRAWN = 1_000  # by one statement


@dataclass(slots=True)
class Frame:
    """A rule that may stop: its blocks are made once, or once for each place that it changes by an `inout`
    parameter (`places`); `sites` are the blocks to which it returns, `callers` the rules that call it there
    (None: `rules:`) and what names stand for at the calls."""

    rule: t.Rule
    entry: int
    leave: int
    params: dict[str, Place]
    places: dict[str, Binding]
    selector: k.Local
    result: tuple[Place, Type] | None = None
    sites: list[int] = field(default_factory=list)
    callers: list[tuple[Frame | None, Env]] = field(default_factory=list)


@dataclass(slots=True)
class Lap:
    """Where `break` and `continue` of a loop made of blocks go; of one over turns, `again` as well."""

    leave: int
    again: int
    anew: int | None = None


class CfgLowering:
    def __init__(self, statements: StraightLineLowering, analysis: Analysis, endings: Endings) -> None:
        self.statements = statements
        self.expressions = statements.expressions
        self.coercions = statements.coercions
        self.builder = statements.builder
        self.evaluator = statements.evaluator
        self.analysis = analysis
        self.endings = endings
        self.choices = DecisionLowering(self)
        self.events = EventLowering(self)
        self.reveals = RevealLowering(self.events)
        self.loops = Loops(self)
        self.here: int | None = None  # the block that is being filled; None: nothing arrives here
        self.laps: list[Lap] = []
        self.frames: dict[tuple[Hashable, ...], Frame] = {}
        self.open: Frame | None = None
        self.labels: dict[str, list[tuple[int, Env]]] = {}
        self.owners: dict[int, Frame | None] = {}  # by stop the rule in which it stands
        self.openings: dict[int, Opening] = {}
        self.presumed: dict[int, dict[int, k.Expr]] = {}
        self._names: dict[str, int] = {}
        self._control: dict[int, tuple[Any, bool]] = {}

    # ------------------------------------------------------------------------------------------ blocks

    def new(self) -> int:
        self.builder.blocks.append(None)
        return len(self.builder.blocks) - 1

    def start(self, block: int) -> None:
        self.here = block
        self.statements.out = []

    def finish(self, leave: k.Exit, name: str = "") -> None:
        """Ends the current block."""
        if self.here is not None:
            self.builder.blocks[self.here] = k.Block(tuple(self.statements.out), leave, (), name)
        self.here = None
        self.statements.out = []

    def label(self, label: str, block: int, scope: Env) -> None:
        """Lets claims and examples speak of a stop, and of the names that live there."""
        self.labels.setdefault(label, []).append((block, dict(scope)))

    def decision(self, names: Sequence[str], block: int, scope: Env) -> None:
        """The labels of a decision: its actions, and the rule in which it stands."""
        rule = self.statements.frame
        for label in [*names, *([rule] if rule != "rules" and rule not in names else [])]:
            self.label(label, block, scope)

    def stop(self, label: str, leave: k.Exit) -> int:
        """A block of its own for a stop, reached from here."""
        block = self.new()
        self.finish(k.Goto(block))
        self.builder.blocks[block] = k.Block((), leave, (), self.unique(label))
        self.owners[block] = self.open
        return block

    def presume(self, local: k.Local, value: k.Expr, stop: int = -1) -> None:
        """What a local without a name holds where an example begins, at one stop or anywhere else."""
        self.presumed.setdefault(stop, {})[local.id] = value

    def unique(self, label: str) -> str:
        name = f"{self.statements.frame}.{label}" if self.statements.frame else label
        self._names[name] = self._names.get(name, 0) + 1
        return name if self._names[name] == 1 else f"{name}#{self._names[name]}"

    # ----------------------------------------------------------------------------------------- the whole flow

    def game(self, rules: t.Rules) -> int:
        """Lowers `rules:`; gives the block where play begins."""
        entry = self.new()
        self.statements.frame = "rules"
        self.statements.counts = assigned(rules.body)
        self.builder.context = rules.cites
        self.start(entry)
        self.block(rules.body, {})
        if self.here is not None:
            message = "the rules end without saying how the game ends"
            self.finish(k.Fail(self.builder.fault("no_end", message, rules.span)))
        self.close()
        return entry

    def close(self) -> None:
        """Once all calls are known: where every rule returns to."""
        for frame in self.frames.values():
            self._return_block(frame)

    def _return_block(self, frame: Frame) -> None:
        known = self.builder.locals[frame.selector.id]
        self.builder.locals[frame.selector.id] = replace(known, type=k.Int(0, len(frame.sites) - 1))
        leave: k.Exit = k.Goto(frame.sites[0])
        if len(frame.sites) > 1:
            leave = k.Switch(frame.selector.id, tuple(frame.sites))
        block = self.builder.blocks[frame.leave]
        code = block.code if block is not None else ()
        self.builder.blocks[frame.leave] = k.Block(code, leave)

    def block(self, body: t.Block, scope: Scope) -> None:
        at = 0
        while at < len(body) and self.here is not None:  # else nothing arrives here
            s, at = body[at], at + 1
            if isinstance(s, t.Choose) and s.together is not None:
                self.evaluator.work.spend(BLOCKED, s.span)
                TogetherLowering(self).choose(s, scope)
            elif isinstance(s, t.Choose):
                self.evaluator.work.spend(BLOCKED, s.span)
                following = self.choices.following(s, body[at:])
                body = (*body[:at], *following)
                self.choices.choose(s, scope, following)
            elif isinstance(s, t.Require):
                pass  # the action that led here was tried
            elif self.controls(s):
                self.run(s, scope)
            else:
                self.statements.run(s, scope)

    def controls(self, node: Any) -> bool:
        """Whether a statement needs blocks: it may stop, leaves the rule, or leaves a loop made of blocks."""
        if id(node) not in self._control:
            self._control[id(node)] = node, self._needs_blocks(node, loops=0)
        return self._control[id(node)][1]

    def _needs_blocks(self, node: Any, loops: int) -> bool:
        match node:
            case t.Roll() | t.Draw() | t.Reveal():
                return True
            case t.Choose() | t.Deal() | t.End() | t.Return() | t.While() | t.Again():
                return True
            case t.Break() | t.Continue():
                return loops == 0
            case t.For() if node.order is not None or is_turns(node):
                return True
            case t.For(body=body) | t.Repeat(body=body):
                return any(self._needs_blocks(s, loops + 1) for s in body)
            case t.If(branches=branches, other=other):
                blocks = [b for _, b in branches] + [other]
                return any(self._needs_blocks(s, loops) for b in blocks for s in b)
            case t.Assign(value=value) | t.Do(value=value):
                if isinstance(value, t.Event):
                    return True
                rule = self.statements.rule_of(value)
                return rule is not None and self.framed(rule)
        return False

    def framed(self, rule: t.Rule) -> bool:
        """Whether a rule has blocks of its own: it needs them for more than a `return` at its very end."""
        body = rule.body[:-1] if rule.body and isinstance(rule.body[-1], t.Return) else rule.body
        return any(self.controls(s) for s in body)

    # ------------------------------------------------------------------------------------------ statements

    def run(self, s: t.Statement, scope: Scope) -> None:
        self.evaluator.work.spend(BLOCKED, s.span)
        match s:
            case t.If():
                self._if(s, scope)
            case t.For() if is_turns(s):
                self.loops.turns(s, scope)
            case t.For() if s.order is not None:
                self.loops.ordered(s, scope)
            case t.For():
                self.loops.through(s, scope)
            case t.While():
                self.loops.while_(s, scope)
            case t.Repeat():
                self.loops.repeat(s, scope)
            case t.Break():
                self.finish(k.Goto(self._lap(s).leave))
            case t.Continue():
                self.finish(k.Goto(self._lap(s).again))
            case t.Again():
                self.finish(k.Goto(next(lap.anew for lap in reversed(self.laps) if lap.anew is not None)))
            case t.Deal():
                self._deal(s, scope)
            case t.Return():
                self._return(s, scope)
            case t.End():
                self.endings.end(s, scope)
                block = self.new()
                self.finish(k.Goto(block))
                ending = k.End(s.kind, self.builder.origin(s.span))
                self.builder.blocks[block] = k.Block((), ending, (), self.unique(f"end {s.kind}"))
            case t.Assign(value=t.Roll() as roll):
                rep = self.events.roll(roll, s, scope)
                self.statements.give(s.target, s.op, rep, s.type, scope, s.span)
            case t.Assign(value=t.Draw() as draw):
                rep = self.events.draw(draw, s, scope)
                self.statements.give(s.target, s.op, rep, s.type, scope, s.span)
            case t.Assign(value=t.Reveal() as shown):
                rep = self.reveals.reveal(shown, s, scope)
                self.statements.give(s.target, s.op, rep, s.type, scope, s.span)
            case t.Do(value=t.Reveal() as shown):
                self.reveals.reveal(shown, None, scope)
            case t.Do(value=t.Roll() as roll):
                self.events.roll(roll, None, scope)
            case t.Do(value=t.Draw() as draw):
                self.events.draw(draw, None, scope)
            case t.Assign() | t.Do():
                self._call(s, scope)
            case _:
                raise AssertionError(f"this statement needs no blocks: {s}")

    def _deal(self, s: t.Deal, scope: Scope) -> None:
        number = self.evaluator.number(s.number, self.statements.known(scope))
        if not 0 <= number <= MOST_DRAWN:
            refuse("E0742", s.number.span, f"from 0 to {MOST_DRAWN} are drawn at once, not {number:,}")
        draw = t.Draw(s.source, span=s.span)
        for _ in range(number):
            drawn = self.events.draw(draw, t.Assign(s.target, "=", draw, span=s.span), scope)
            if not (isinstance(s.target, t.Name) and s.target.id == SINK):
                put(self.statements, self.expressions.place(s.target, scope), drawn, build.integer(1), s.span)
                self.statements.remains(s.target, scope, s.span)

    def _lap(self, s: t.Statement) -> Lap:
        assert self.laps, f"no loop to leave: {s}"
        return self.laps[-1]

    def _if(self, s: t.If, scope: Scope) -> None:
        after = self.new()
        arrives = False
        for test, body in s.branches:
            holds = self.expressions.truth(test, scope)
            if holds == build.FALSE:
                continue
            then, other = self.new(), self.new()
            if holds == build.TRUE:
                self.block(body, dict(scope))
                arrives |= self._join(after)
                break
            self.finish(k.Split(holds, then, other))
            self.start(then)
            self.block(body, dict(scope))
            arrives |= self._join(after)
            self.start(other)
        else:
            self.block(s.other, dict(scope))
            arrives |= self._join(after)
        if arrives:
            self.start(after)

    def _join(self, after: int) -> bool:
        """Goes on at `after` if anything arrives here."""
        arrives = self.here is not None
        self.finish(k.Goto(after))
        return arrives

    def loop(self, again: int, leave: int, body: t.Block, scope: Scope, anew: int | None = None) -> None:
        """The laps of a loop: the body, then `again`."""
        self.laps.append(Lap(leave, again, anew))
        self.block(body, scope)
        self.laps.pop()
        self.finish(k.Goto(again))

    # --------------------------------------------------------------------------------------- rules with stops

    def _call(self, s: t.Assign | t.Do, scope: Scope) -> None:
        assert isinstance(s.value, t.Call)
        rule = self.statements.rule_of(s.value)
        assert rule is not None
        call, outer = self.statements.rules.pinned(rule, s.value, scope)
        args = self.statements.calls.functions.arguments(rule, call, outer)
        kept = {name: a if composite(a) else self.statements.keep(name, a) for name, a in args.items()}
        given = {p.name: argument(rule, call, p) for p in rule.params if p.inout}
        variables = self.expressions.places
        names = (
            x.id if isinstance(x, t.Name) and x.id in variables else len(self.frames) for x in given.values()
        )
        key = (id(rule), *names)
        frame = self.frames.get(key)
        if frame is None:
            places = self.statements.rules.places(given, outer)
            frame = self.frames[key] = self._frame(rule, kept, places)
        for name, place in frame.params.items():
            self.statements.storing.store(place, kept[name], s.span)
        site = self.new()
        self.statements.out.append(k.Assign(frame.selector.id, build.integer(len(frame.sites))))
        frame.sites.append(site)
        frame.callers.append((self.open, dict(scope)))
        self.finish(k.Goto(frame.entry))
        if len(frame.sites) == 1:
            self._lower_frame(frame)
        self.start(site)
        if isinstance(s, t.Assign):
            if frame.result is None:
                refuse("E0738", s.value.span, f"the rule `{rule.name}` returns nothing")
            result = self.expressions.read(frame.result[0])
            result = result if composite(result) else self.statements.keep("result", result)
            self.statements.give(s.target, s.op, result, s.type, scope, s.span)

    def _frame(self, rule: t.Rule, args: dict[str, Rep], places: dict[str, Binding]) -> Frame:
        params: dict[str, Place] = {}
        for p, (name, kind, _) in zip(rule.params, self.evaluator.functions.parameters(rule), strict=True):
            if p.inout:
                continue
            made = kind or infer(self.evaluator.known, args[name], name, p.span)
            params[name] = self.statements.new_local(f"{rule.name}.{name}", made, p.span)
        selector = self.builder.local(f"{rule.name}.return", k.Int(0, 63))
        return Frame(rule, self.new(), self.new(), params, places, selector)

    def _lower_frame(self, frame: Frame) -> None:
        rule, s = frame.rule, self.statements
        saved = (s.frame, s.counts, self.laps, self.open, self.builder.context)
        s.frame, s.counts, self.laps, self.open = rule.name, assigned(rule.body), [], frame
        self.builder.context = rule.cites
        scope: Scope = {**frame.params, **frame.places}
        if rule.result is not None:
            frame.result = self._result(rule, self.evaluator.types.make(rule.result, {}))
        self.start(frame.entry)
        self.block(rule.body, scope)
        self.finish(k.Goto(frame.leave))
        self.start(frame.leave)
        self.builder.blocks[frame.leave] = k.Block(tuple(s.out), k.Goto(frame.leave))
        self.here, s.out = None, []
        s.frame, s.counts, self.laps, self.open, self.builder.context = saved

    def _result(self, rule: t.Rule, kind: Type) -> tuple[Place, Type]:
        return self.statements.new_local(f"{rule.name}.result", kind, rule.span), kind

    def _return(self, s: t.Return, scope: Scope) -> None:
        frame = self.open
        assert frame is not None, f"no rule to return from: {s}"
        if s.value is not None:
            rep = self.expressions.lower(s.value, scope)
            if frame.result is None:
                frame.result = self._result(frame.rule, infer(self.evaluator.known, rep, "result", s.span))
            self.statements.storing.store(frame.result[0], rep, s.span)
        self.finish(k.Goto(frame.leave))
