"""Lowers decisions: `choose`, `may choose`, `in order of`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from kemu_grammar.check.builtins import taken
from kemu_grammar.check.statements import may_skip
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in, replaced

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.sight import called
from kemu_engine.lower.expressions.iterables import Source
from kemu_engine.lower.statements.arguments import written
from kemu_engine.lower.statements.flow import FlowLowering
from kemu_engine.lower.statements.path_laps import PARTS
from kemu_engine.lower.statements.paths import PathLowering
from kemu_engine.lower.statements.requirements import (
    condition_of,
    greatest,
    required,
    required_in,
)
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.dependence import assigned
from kemu_engine.lower.values.reps import Const, Scalar, SetOf
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import ElementType, OptionOf
from kemu_engine.static.values import text_of

ACTOR = (
    "turns variable"  # under this name a scope keeps whose turn it is; no name of a rules file has a space
)


@dataclass(frozen=True, slots=True)
class Offered:
    """What an arm offers: its parameters, those of its path included; the last ones, `walked` of them, always
    have a value. `asked`: what `require` asks of an action, a truth value, or a number of which there has to
    be most.
    """

    guard: k.Expr
    params: tuple[k.Param, ...]
    legal: k.Expr
    asked: k.Expr = build.TRUE
    walked: int = 0
    told: tuple[k.Condition, ...] = ()

    def most(self) -> k.Expr:
        """The greatest number that is asked of any action."""
        return greatest(self.guard, self.params, self.walked, self.legal, self.asked)


class DecisionLowering:
    def __init__(self, control: FlowLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.builder = control.builder
        self.paths = PathLowering(control)

    # ------------------------------------------------------------------------------------------ decisions

    def choose(self, s: t.Choose, scope: Scope, following: t.Block) -> None:
        """`following`: the statements behind it, which a choice of one action tries if they `require`."""
        actor = self._actor(s, scope)
        after = self.control.new()
        arms: list[k.Arm] = []
        inside: list[tuple[t.Arm, Scope, int]] = []
        never: list[int] = []
        names = [arm.name for arm in s.arms]
        for arm in s.arms:
            target = self.control.new()
            inner = dict(scope)
            made = self.arm(arm, inner, target, following if arm.body is None else arm.body)
            if made is not None:
                arms.append(made)
                if made.legal != build.FALSE:
                    inside.append((arm, inner, target))
                else:
                    never.append(target)
        label = called(arm.name for arm in arms)
        skipped = self._skipped(s, scope, following)
        passed = after if skipped is None or not s.optional else self.control.new()
        if s.optional:
            arms.append(k.Arm("pass", (), build.TRUE, build.TRUE, passed, self.builder.origin(s.span)))
        other = -1 if s.other is None else self.control.new()
        stuck = self.builder.fault("stuck", "nothing is legal here, and no `else:` says what then", s.span)
        told: Literal["at once", "never"] = "never" if s.sealed else "at once"
        leave = k.Decide(label, actor, tuple(arms), other, stuck, self.builder.origin(s.span), told)
        block = self.control.stop(label, leave)
        self.control.decision(names, block, scope)
        for target in never:
            self.control.start(target)
            self.control.finish(k.Fail(stuck))
        if passed != after:
            self.control.start(passed)
            self._skip(skipped)
            self.control.finish(k.Goto(after))
        self._bodies(s, inside, other, after, scope, skipped)

    def following(self, s: t.Choose, rest: t.Block) -> t.Block:
        """What stands behind a decision. If play may go on without its one action, `swap is some` asks there
        whether that was chosen, unless something else is called `swap`."""
        action = s.arms[0].name
        if not skips(s) or action not in names_in(rest) or action in assigned(rest) or self._declared(action):
            return rest
        for some in (True, False):
            asked = t.Presence(t.Name(action), some)
            rest = replaced(rest, asked, t.Presence(t.Name(taken(action)), some))
        return rest

    def _declared(self, name: str) -> bool:
        """Whether there is something of this name that has a value."""
        evaluator = self.control.evaluator
        known = name in evaluator.known or name in self.expressions.places
        return known or not isinstance(evaluator.names.get(name), t.Fun | t.Rule | None)

    def _skipped(self, s: t.Choose, scope: Env, following: t.Block) -> dict[str, Scalar] | None:
        """The parameters of a choice of one action if play may go on without it, and whether it was taken, if
        that is asked: options, kept in locals."""
        if not skips(s):
            return None
        options: dict[str, Scalar] = {}
        action = s.arms[0].name
        if taken(action) in names_in(following):
            local = self.builder.local(f"{self.statements.frame}.{action}", k.Int(-1, 0), ("none", action))
            options[taken(action)] = Scalar(OptionOf(ElementType(action, (action,))), local.id, None, True)
        inner = dict(scope)
        for p in s.arms[0].params:
            source = self.control.statements.iterables.source(p.source, inner)
            values = source.values or (None,)
            kind = OptionOf(ElementType(p.name, values))
            texts = ("none", *map(text_of, values))
            name = f"{self.statements.frame}.{p.name}"
            local = self.builder.local(name, k.Int(-1, len(values) - 1), texts)
            options[p.name] = Scalar(kind, local.id, None, True)
            probe = self.builder.local(p.name, k.Int(0, len(values) - 1))
            inner[p.name] = self.control.coercions.family(probe, values)
        return options

    def _skip(self, skipped: dict[str, Scalar] | None) -> None:
        for place in (skipped or {}).values():
            self.statements.storing.put(place, build.integer(-1), -1)

    def _bodies(
        self,
        s: t.Choose,
        inside: list[tuple[t.Arm, Scope, int]],
        other: int,
        after: int,
        scope: Scope,
        skipped: dict[str, Scalar] | None,
    ) -> None:
        arrives = s.optional
        for arm, inner, target in inside:
            self.control.start(target)
            if skipped is not None:
                for name, place in skipped.items():
                    value = Const(arm.name) if name == taken(arm.name) else self.expressions.read(inner[name])
                    self.statements.storing.store(place, value, arm.span)
            elif arm.body is None:
                names = [*(p.name for p in arm.params), *([PARTS] if PARTS in inner else [])]
                scope.update({name: inner[name] for name in names})
            else:
                self.control.block(arm.body, inner)
            arrives |= self.control.here is not None
            self.control.finish(k.Goto(after))
        if s.other is not None:
            self.control.start(other)
            self.control.block(s.other, dict(scope))
            if self.control.here is not None:
                self._skip(skipped)
            arrives |= self.control.here is not None
            self.control.finish(k.Goto(after))
        scope.update(skipped or {})
        if arrives:
            self.control.start(after)

    def _actor(self, s: t.Choose, scope: Env) -> k.Expr:
        players = self.control.evaluator.known["Player"].elements
        if s.actor is not None:
            return self.expressions.key(self.expressions.lower(s.actor, scope), players, s.actor.span)
        if ACTOR in scope:
            return self.expressions.key(self.expressions.read(scope[ACTOR]), players, s.span)
        if len(players) == 1:
            return build.integer(0)
        raise AssertionError(f"nobody chooses: {s}")

    def arm(self, arm: t.Arm, scope: Scope, target: int, following: t.Block) -> k.Arm | None:
        """The kernel's arm; its parameters are bound in `scope`. None if it is never legal here."""
        offer = self.offer(arm, scope, following)
        legal, told = offer.legal, offer.told
        if legal == build.FALSE:  # but what is asked on the way may fault
            asked = [offer.guard, *(x.over for x in offer.params), *(x.where for x in offer.params)]
            if not any(map(build.faults, asked)):
                return None
        else:
            asked_of = offer.asked
            if isinstance(asked_of.type, k.Int):
                most = offer.most()
                held = self.builder.local(f"most of {arm.name}", most.type)
                self.control.statements.out.append(k.Assign(held.id, most))
                self.control.presume(held, most)
                asked_of = build.eq(asked_of, held)
            for s in required_in(following)[-1:]:
                told += (k.Condition(len(offer.params), asked_of, self.builder.origin(condition_of(s).span)),)
            legal = build.both(legal, asked_of)
        origin = self.builder.origin(arm.span)
        return k.Arm(arm.name, offer.params, offer.guard, legal, target, origin, told)

    def offer(self, arm: t.Arm, scope: Scope, following: t.Block) -> Offered:
        """What an arm offers; its parameters are bound in `scope`."""
        conditions = conjuncts(arm.condition)
        names = [p.name for p in arm.params]
        free = self.control.analysis.free
        told: list[k.Condition] = []
        guards = [self._told(told, 0, c, scope) for c in conditions if not free(c) & set(names)]
        guard = build.both(*guards)
        params: list[k.Param] = []
        never = build.FALSE in guards
        for i in range(len(arm.params)):
            if never:
                break
            here = [c for c in conditions if last_parameter(free(c), names) == i]
            params.append(self._param(arm, i, here, scope, told))
            never = params[-1].where == build.FALSE
        if never:
            return Offered(guard, tuple(params), build.FALSE, told=tuple(told))
        parts = self.paths.parts(arm.name, following, scope)
        told += [replace(each, params=len(params) + each.params) for each in parts.told]
        asked = build.TRUE if parts.legal == build.FALSE else required(self.control, following, scope)
        walked = len(parts.params[1:])
        return Offered(guard, (*params, *parts.params), parts.legal, asked, walked, tuple(told))

    def _told(self, told: list[k.Condition], params: int, condition: t.Expr, scope: Scope) -> k.Expr:
        """A condition lowered, and noted with its place in the rules file."""
        test = self.expressions.truth(condition, scope)
        told.append(k.Condition(params, test, self.builder.origin(condition.span)))
        return test

    def _param(
        self, arm: t.Arm, number: int, conditions: list[t.Expr], scope: Scope, told: list[k.Condition]
    ) -> k.Param:
        p = arm.params[number]
        source = self.control.statements.iterables.source(p.source, scope, known=True)
        if source.values is None:
            refuse(
                "E0739", p.source.span, f"`{p.name}` runs through a set or a range, not a list that changes"
            )
        if source.size == 0:
            local = self.builder.local(f"{arm.name}.{p.name}", k.Int(0, 0), ("none",))
            first = self.control.coercions.faulty(SetOf(source.over, ()))
            never = self.control.coercions.evaluated(first, build.mask(1, 0))
            return k.Param(p.name, local.id, never, build.FALSE, self.builder.domain(p.name, ("none",)))
        texts = written(p.name, source.values, p.source.span)
        local = self.builder.local(f"{arm.name}.{p.name}", k.Int(0, source.size - 1), texts)
        scope[p.name] = source.item(local)
        holds = source.holds(local)
        among = build.both(build.member(local, source.over), holds)
        told.append(k.Condition(number + 1, among, self.builder.origin(p.source.span)))
        where = build.both(holds, *(self._told(told, number + 1, c, scope) for c in conditions))
        return k.Param(p.name, local.id, source.over, where, self.builder.domain(p.name, texts))

    def order(self, s: t.For, source: Source, rest: k.Local, scope: Scope, head: int, leave: int) -> None:
        """The decision of `for x in S in order of q`: which of the rest comes next, as long as there are
        several.
        """
        assert source.values is not None and s.order is not None
        texts = tuple(map(text_of, source.values))
        at = self.builder.local(
            f"{self.statements.frame}.{s.targets[0]}", k.Int(0, max(source.size - 1, 0)), texts
        )
        inner = dict(self.control.statements.iterables.bind(s.targets, source.item(at), scope, s.span))
        where = build.both(*(self.expressions.truth(c, inner) for c in s.conditions))
        param = k.Param(s.targets[0], at.id, rest, where, self.builder.domain(s.targets[0], texts))
        actor = self._actor(t.Choose(s.order, (), span=s.span), scope)
        body, several = self.control.new(), self.control.new()
        self._last_one(source, rest, at, where, body, several, leave)
        if source.size > 1:
            self.control.start(several)
            name = f"next_{s.targets[0]}"
            arm = k.Arm(name, (param,), build.TRUE, build.TRUE, body, self.builder.origin(s.span))
            stuck = self.builder.fault("stuck", "nothing is legal here", s.span)
            decide = k.Decide(name, actor, (arm,), leave, stuck, self.builder.origin(s.span))
            block = self.control.stop(name, decide)
            self.control.decision((name,), block, scope)
            self.control.presume(rest, source.over, block)
        self.control.presume(rest, build.set_op("diff", source.over, build.single(at, max(source.size, 1))))
        self.control.start(body)
        self.statements.out.append(
            k.Assign(rest.id, build.set_op("diff", rest, build.single(at, max(source.size, 1))))
        )
        self.control.loop(head, leave, s.body, inner)

    def _last_one(
        self, source: Source, rest: k.Local, at: k.Local, where: k.Expr, body: int, several: int, leave: int
    ) -> None:
        """The order of a single thing is no question: it goes straight to the body. That nothing is left then
        is said outright, so that no reading of the rules has to find it out."""
        alone = self.control.new()
        one = build.eq(build.card(rest), build.integer(1))
        self.control.finish(k.Goto(alone) if source.size <= 1 else k.Split(one, alone, several))
        self.control.start(alone)
        binder = self.builder.local("element", k.Int(0, max(source.size - 1, 0)))
        first = build.fold("first", binder.id, rest, build.TRUE, build.TRUE)
        self.statements.out.append(k.Assign(at.id, build.clamped(first, 0, max(source.size - 1, 0))))
        self.statements.out.append(k.Assign(rest.id, build.mask(max(source.size, 1), 0)))
        self.control.finish(k.Goto(body) if where == build.TRUE else k.Split(where, body, leave))


def conjuncts(condition: t.Expr | None) -> list[t.Expr]:
    """The conditions that together make one."""
    if condition is None:
        return []
    if isinstance(condition, t.Logic) and condition.op == "and":
        return [c for item in condition.items for c in conjuncts(item)]
    return [condition]


def skips(s: t.Choose) -> bool:
    """Whether it offers one action, without a block of its own, and play may go on without that."""
    return len(s.arms) == 1 and s.arms[0].body is None and may_skip(s)


def last_parameter(free: frozenset[str], names: list[str]) -> int:
    """The last parameter that a condition mentions, -1 if none."""
    return max((i for i, n in enumerate(names) if n in free), default=-1)
