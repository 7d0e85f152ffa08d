"""Lowers loops whose laps may stop to blocks: turns, `for`, `in order of`, `while`, `repeat`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.decisions import ACTOR
from kemu_engine.lower.statements.flow import FlowLowering
from kemu_engine.lower.values.context import Scope
from kemu_engine.lower.values.reps import Const
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import text_of


class Loops:
    def __init__(self, control: FlowLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.coercions = control.coercions
        self.builder = control.builder
        self.evaluator = control.evaluator

    def while_(self, s: t.While, scope: Scope) -> None:
        head, body, leave = self.control.new(), self.control.new(), self.control.new()
        self.control.finish(k.Goto(head))
        self.control.start(head)
        test = self.expressions.truth(s.test, scope)
        self.control.finish(k.Split(test, body, leave))
        self.control.start(body)
        self.control.loop(head, leave, s.body, dict(scope))
        self.control.start(leave)

    def repeat(self, s: t.Repeat, scope: Scope) -> None:
        bound = self.statements.laps(s, scope)
        lap = self.builder.local(f"{self.statements.frame}.lap", k.Int(0, bound))
        self.statements.out.append(k.Assign(lap.id, build.integer(0)))
        self.control.presume(lap, build.integer(1))
        head, body, over, leave = (
            self.control.new(),
            self.control.new(),
            self.control.new(),
            self.control.new(),
        )
        self.control.finish(k.Goto(head))
        self.control.start(head)
        self.control.finish(k.Split(build.lt(lap, build.integer(bound)), body, over))
        self.control.start(over)
        self.control.finish(
            k.Fail(self.builder.fault("overrun", f"the loop runs more than {bound} times", s.span))
        )
        self.control.start(body)
        following = build.extreme("min", build.add(lap, build.integer(1)), build.integer(bound))
        self.statements.out.append(k.Assign(lap.id, following))
        self.control.loop(head, leave, s.body, dict(scope))
        self.control.start(leave)

    def turns(self, s: t.For, scope: Scope) -> None:
        """`for p in turns(from=q)`: the players in order of seats, round and round."""
        assert isinstance(s.source, t.Call)
        players = self.evaluator.known["Player"].elements
        given = dict(s.source.named).get("from") or (s.source.args[0] if s.source.args else None)
        first = Const(players[0]) if given is None else self.expressions.lower(given, scope)
        name = s.targets[0]
        local = self.builder.local(
            f"{self.statements.frame}.{name}", k.Int(0, len(players) - 1), tuple(p.name for p in players)
        )
        index = self.expressions.key(first, players, s.span)
        self.statements.out.append(k.Assign(local.id, index))
        rep = self.coercions.family(local, players) if len(players) > 1 else Const(players[0])
        scope[name] = rep
        inner: Scope = {**scope, ACTOR: rep}
        head, body, again, leave = (
            self.control.new(),
            self.control.new(),
            self.control.new(),
            self.control.new(),
        )
        self.control.finish(k.Goto(head))
        self.control.start(head)
        tests = build.both(*(self.expressions.truth(c, inner) for c in s.conditions))
        self.control.finish(k.Goto(body) if tests == build.TRUE else k.Split(tests, body, again))
        self.control.start(body)
        self.control.loop(again, leave, s.body, inner, anew=body)
        self.control.start(again)
        following = build.mod(build.add(local, build.integer(1)), build.integer(len(players)))
        self.statements.out.append(k.Assign(local.id, following))
        self.control.finish(k.Goto(head))
        self.control.start(leave)

    def through(self, s: t.For, scope: Scope) -> None:
        """A loop over a frozen set whose laps may stop: the rest of the set is a local."""
        source = self.statements.iterables.source(s.source, scope)
        if source.size == 0:
            self.statements.nothing(source)
            return
        frame = self.statements.frame
        texts = tuple(map(str, range(source.size))) if source.values is None else _texts(source.values)
        rest = self.builder.local(f"{frame}.rest of {s.targets[0]}", k.Set(source.size), texts)
        at = self.builder.local(f"{frame}.{s.targets[0]}", k.Int(0, source.size - 1), texts)
        binder = self.builder.local("element", k.Int(0, source.size - 1))
        holds = source.holds(binder)
        over = (
            source.over
            if holds == build.TRUE
            else build.fold("set", binder.id, source.over, holds, binder, source.size)
        )
        self.statements.out.append(k.Assign(rest.id, over))
        later = build.fold("set", binder.id, over, build.lt(at, binder), binder, source.size)
        self.control.presume(rest, later)
        item = self.statements.frozen(source, s)(at)
        head, body, leave = self.control.new(), self.control.new(), self.control.new()
        self.control.finish(k.Goto(head))
        self.control.start(head)
        self.control.finish(k.Split(build.ne(build.card(rest), build.integer(0)), body, leave))
        self.control.start(body)
        first = build.fold("first", binder.id, rest, build.TRUE, build.TRUE)
        self.statements.out.append(k.Assign(at.id, build.clamped(first, 0, source.size - 1)))
        self.statements.out.append(
            k.Assign(rest.id, build.set_op("diff", rest, build.single(at, source.size)))
        )
        inner = dict(self.statements.iterables.bind(s.targets, item, scope, s.span))
        for name in s.targets:
            scope[name] = inner[name]
        tests = build.both(*(self.expressions.truth(c, inner) for c in s.conditions))
        if tests != build.TRUE:
            go = self.control.new()
            self.control.finish(k.Split(tests, go, head))
            self.control.start(go)
        self.control.loop(head, leave, s.body, inner)
        self.control.start(leave)

    def ordered(self, s: t.For, scope: Scope) -> None:
        """`for x in S in order of q`: q chooses the order."""
        source = self.statements.iterables.source(s.source, scope, known=True)
        if source.values is None or s.order is None:
            refuse("E0736", s.span, "`in order of` runs through a set")
        if source.size == 0:
            self.statements.nothing(source)
            return
        size, frame = source.size, self.statements.frame
        texts = _texts(source.values)
        rest = self.builder.local(f"{frame}.rest of {s.targets[0]}", k.Set(size), texts)
        binder = self.builder.local("element", k.Int(0, size - 1))
        holds = source.holds(binder)
        over = (
            source.over
            if holds == build.TRUE
            else build.fold("set", binder.id, source.over, holds, binder, size)
        )
        self.statements.out.append(k.Assign(rest.id, over))
        head, pick, leave = self.control.new(), self.control.new(), self.control.new()
        self.control.finish(k.Goto(head))
        self.control.start(head)
        self.control.finish(k.Split(build.ne(build.card(rest), build.integer(0)), pick, leave))
        self.control.start(pick)
        self.control.choices.order(s, replace(source, over=over), rest, scope, head, leave)
        self.control.start(leave)


def _texts(values: tuple[Any, ...]) -> tuple[str, ...]:
    return tuple(map(text_of, values))
