"""Lowers what could be: `safe(p) after step(a, b)`, `can take(c) by q`, tried on a copy of the state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import zip_longest

from kemu_grammar.check.builtins import FUNCTIONS, RESULTS
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.decisions import conjuncts, last_parameter
from kemu_engine.lower.statements.paths import path_at
from kemu_engine.lower.statements.requirements import required, required_in
from kemu_engine.lower.statements.together import chooses
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.dependence import PLAY, assigned, is_turns
from kemu_engine.lower.values.reps import Const, FiniteValue, Num, Rep, SetOf, Truth
from kemu_engine.static.problems import refuse


@dataclass(frozen=True, slots=True)
class Offer:
    """An action where a decision offers it. `following`: what play does next if it is taken; `turns`: the
    variable of the turns in which the decision stands.
    """

    choose: t.Choose
    arm: t.Arm
    following: t.Block
    turns: str | None


class Trials:
    def __init__(self, control: CfgLowering, flow: Sequence[t.Block]) -> None:
        """`flow`: the blocks of the rules in which decisions stand."""
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.builder = control.builder
        self._offers = [offer for block in flow for offer in _offers(block, None)]
        self._open: list[object] = []

    def after(self, e: t.After, env: Env) -> Rep:
        """What `value` would be if the rule had run."""
        assert isinstance(e.action, t.Call)
        rule = self.statements.rule_of(e.action)
        assert rule is not None, "behind `after` a rule is called"
        if self.control.framed(rule):
            message = f"`{rule.name}` decides, draws, ends or returns early, so it cannot be tried"
            refuse("E0778", e.action.span, message)
        with self.statements.trial() as code:
            asking = self._asking(rule, f"`after {rule.name}`", e.span)
            result = self.statements.rules.inline(rule, e.action, dict(env), asking)
            if result is not None:
                self.statements.meet(result)
            rep = self.expressions.lower(e.value, env)
        return self._tried(rep, tuple(code), e.value.span)

    def _tried(self, rep: Rep, code: k.Code, span: t.Span) -> Rep:
        """What is read when the code has been tried, as a value of now."""
        match rep:
            case Const():
                tried = k.Trial(k.BOOL, code, build.TRUE)  # which may fault
                return self.control.coercions.after((tried,), rep) if code else rep
            case Truth(expr):
                return Truth(k.Trial(expr.type, code, expr))
            case Num(expr):
                return Num(k.Trial(expr.type, code, expr))
            case FiniteValue(index, values):
                return FiniteValue(k.Trial(index.type, code, index), values)
        message = "what would be after a rule is a truth value, a number or an element, not something larger"
        refuse("E0791", span, message)

    def can(self, e: t.Can, env: Env) -> Rep:
        """Whether the action would be legal now."""
        offers = [offer for offer in self._offers if offer.arm.name == e.name]
        if not offers:
            return Truth(build.FALSE)  # in this instance there is no such action
        if len(offers) > 1:
            refuse("E0777", e.span, f"several decisions offer `{e.name}`, so which is meant is not clear")
        (offer,) = offers
        scope = dict(env)
        who = None if e.actor is None else self._given(e.actor, env)
        asked = None if e.args is None else [self._given(a, env) for a in e.args]
        first = self.control.coercions.all_faulty(*([] if who is None else [who]), *(asked or ()))
        tests = [] if who is None else [*self._actor(e, offer, who, scope)]
        self._known(e, offer, scope)
        tests += self._together(offer, scope)
        with self._asking(offer.arm, f"`can {e.name}`", e.span):
            tests.append(self._legal(e, offer, asked or [None] * len(offer.arm.params), scope))
        return Truth(self.control.coercions.evaluated(first, build.both(*tests)))

    def _given(self, e: t.Expr, env: Env) -> Rep:
        """Who is asked, or for which parameter."""
        rep = self.expressions.lower(e, env)
        fam = self.control.coercions.as_finite(rep)
        return rep if fam is None else self.control.coercions.some(fam, e.span)

    # ------------------------------------------------------------------------------------- who, and where

    @contextmanager
    def _asking(self, what: object, told: str, span: t.Span) -> Iterator[None]:
        if any(one is what for one in self._open):
            refuse("E0779", span, f"to answer {told}, it would have to be answered already")
        self._open.append(what)
        try:
            yield
        finally:
            self._open.pop()

    def _actor(self, e: t.Can, offer: Offer, who: Rep, scope: Scope) -> Iterator[k.Expr]:
        """Lets the names of the decision's actor stand for who is asked; conditions if it has no name."""
        match offer.choose.actor:
            case None if offer.turns is not None:
                scope[offer.turns] = who
            case t.Name(id=name) if name not in self.control.evaluator.known:
                scope[name] = who
            case actor if actor is not None:
                yield self.expressions.operations.equal(self.expressions.lower(actor, scope), who, e.span)

    def _together(self, offer: Offer, scope: Scope) -> Iterator[k.Expr]:
        """That the player is among those who choose together."""
        clause = offer.choose.together
        if clause is not None and clause.targets[0] in scope:
            for test in chooses(clause):
                yield self.expressions.truth(test, scope)

    def _known(self, e: t.Can, offer: Offer, scope: Scope) -> None:
        """That every name which the action's conditions use has a value here."""
        free, arm = self.control.analysis.free, offer.arm
        tried = _tried(_following(offer))
        clause = offer.choose.together
        who = () if clause is None or clause.targets[0] not in scope else (clause.source, *clause.conditions)
        parts = [*who, *(p.source for p in arm.params), *conjuncts(arm.condition), *tried]
        used = frozenset().union(*map(free, parts)) - {p.name for p in arm.params} - assigned(tried).keys()
        lacking = [name for name in sorted(used) if name not in scope and self._is_local(name)]
        if lacking:
            names = " and ".join(f"`{name}`" for name in lacking)
            refuse("E0776", e.span, f"whether `{e.name}` is legal depends on {names}: no value here")

    def _is_local(self, name: str) -> bool:
        evaluator, known = self.control.evaluator, (FUNCTIONS, RESULTS, (PLAY, "before", "box"))
        state = (self.expressions.places, self.expressions.histories)
        elsewhere = (*state, evaluator.known, evaluator.names, *known)
        return not any(name in names for names in elsewhere)

    # ------------------------------------------------------------------------------------------ legality

    def _legal(self, e: t.Can, offer: Offer, asked: Sequence[Rep | None], scope: Scope) -> k.Expr:
        arm, free = offer.arm, self.control.analysis.free
        names = [p.name for p in arm.params]
        conditions = conjuncts(arm.condition)
        guard = [self.expressions.truth(c, scope) for c in conditions if not free(c) & set(names)]
        if build.FALSE in guard:
            return build.both(*guard)
        return build.both(*guard, self._param(offer, 0, asked, scope, e))

    def _param(self, offer: Offer, at: int, asked: Sequence[Rep | None], scope: Scope, e: t.Can) -> k.Expr:
        """Whether the parameters from `at` on have values with which the action is legal."""
        arm = offer.arm
        if at == len(arm.params):
            return self._path(offer, asked[at:], dict(scope))
        p, free = arm.params[at], self.control.analysis.free
        names = [one.name for one in arm.params]
        source = self.statements.iterables.source(p.source, scope, known=True)
        coercions = self.control.coercions
        first = coercions.faulty(SetOf(source.over, source.values or ()))
        if source.values is None or source.size == 0:
            return coercions.evaluated(first, build.FALSE)
        given = asked[at]
        index: k.Expr = self.builder.local(f"{arm.name}.{p.name}", k.Int(0, source.size - 1))
        there: k.Expr = build.TRUE
        binder = index
        if given is not None:
            fam = coercions.as_finite(given)
            if fam is None:
                refuse("E0710", e.span, f"this is no value of `{p.name}`")
            place = coercions.remap(fam, source.values)
            there = build.both(build.le(build.integer(0), place), build.lt(place, build.integer(source.size)))
            index = build.clamped(place, 0, source.size - 1)
            there = build.both(there, build.member(index, source.over))
        inner = {**scope, p.name: source.item(index)}
        here = [c for c in conjuncts(arm.condition) if last_parameter(free(c), names) == at]
        where = build.both(source.holds(index), *(self.expressions.truth(c, inner) for c in here))
        rest = build.FALSE if where == build.FALSE else self._param(offer, at + 1, asked, inner, e)
        if given is not None:
            return coercions.evaluated(first, build.both(there, where, rest))
        assert isinstance(binder, k.Local)
        return coercions.evaluated(first, build.fold("any", binder.id, source.over, where, rest))

    def _path(self, offer: Offer, asked: Sequence[Rep | None], scope: Scope) -> k.Expr:
        """Whether some path begins with the parts that are asked for, and what is required holds then."""
        choices, coercions, following = self.control.choices, self.control.coercions, _following(offer)
        parts = choices.paths.parts(offer.arm.name, following, scope)
        if len(asked) > len(parts.params):
            return build.FALSE
        if parts.legal == build.FALSE:  # but what is asked on the way may fault
            ways = SetOf(parts.params[0].over, ())
            return coercions.evaluated(coercions.faulty(ways), build.FALSE)
        test = required(self.control, following, scope)
        if isinstance(test.type, k.Int):
            test = build.eq(test, choices.offer(offer.arm, dict(scope), following).most())
        legal = build.both(parts.legal, test)
        for p, given in reversed([*zip_longest(parts.params, asked)]):
            fam = None if given is None else coercions.as_finite(given)
            if fam is None:
                legal = build.fold("any", p.local, p.over, p.where, legal)
                continue
            place, last = coercions.remap(fam, parts.values), len(parts.values)
            at = build.clamped(
                build.when(build.lt(place, build.integer(0)), build.integer(last), place), 0, last
            )
            there = build.both(build.member(at, p.over), build.lt(at, build.integer(last)))
            legal = k.Let(k.BOOL, p.local, at, build.both(there, legal))
        return legal


def _following(offer: Offer) -> t.Block:
    return offer.following if offer.arm.body is None else offer.arm.body


def _tried(block: t.Block) -> t.Block:
    """What stands between an action and its `require` or its path, and that; nothing if there is neither."""
    return max(required_in(block), block[: path_at(block) + 1], key=len)


def _offers(block: t.Block, turns: str | None) -> Iterator[Offer]:
    """The actions that decisions in a block offer, those in blocks inside it included."""
    for i, s in enumerate(block):
        match s:
            case t.Choose(arms=arms, other=other):
                for arm in arms:
                    yield Offer(s, arm, block[i + 1 :], turns)
                    yield from _offers(arm.body or (), turns)
                yield from _offers(other or (), turns)
            case t.If(branches=branches, other=other):
                for _, body in branches:
                    yield from _offers(body, turns)
                yield from _offers(other, turns)
            case t.For(targets=targets, body=body):
                yield from _offers(body, targets[0] if is_turns(s) else turns)
            case t.While(body=body) | t.Repeat(body=body):
                yield from _offers(body, turns)
