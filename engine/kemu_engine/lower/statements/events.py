"""Lowers events: `roll` and `draw`, and who is told what comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.flow import FlowLowering
from kemu_engine.lower.statements.moves import take
from kemu_engine.lower.statements.rules_in_place import owner
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.dependence import root
from kemu_engine.lower.values.reps import Bag, Const, Place, Rep, Scalar, SetOf, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import SetType
from kemu_engine.static.values import Value, text_of

MOST_DICE = 100


class EventLowering:
    def __init__(self, control: FlowLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.builder = control.builder
        self.players: tuple[Value, ...] = tuple(control.evaluator.known["Player"].elements)

    def roll(self, roll: t.Roll, s: t.Assign | None, scope: Scope) -> Rep:
        source = self.statements.iterables.source(roll.faces, scope)
        if not source.values or not source.fixed():
            refuse("E0742", roll.faces.span, "the faces of a die are known before play")
        count = (
            1
            if roll.count is None
            else self.control.evaluator.number(roll.count, self.statements.known(scope))
        )
        if not 1 <= count <= MOST_DICE:
            refuse("E0742", roll.span, f"from 1 to {MOST_DICE} dice are rolled at once, not {count}")
        dice = [self._die(roll, s, source.values, scope) for _ in range(count)]
        return dice[0] if roll.count is None else Tup(tuple(dice))

    def _die(self, roll: t.Roll, s: t.Assign | None, values: tuple[Value, ...], scope: Env) -> Rep:
        texts = tuple(map(text_of, values))
        secret = s is not None and self._kept_from_some(owner(root(s.target), scope))
        local = self.builder.local(f"{self.statements.frame}.roll", k.Int(0, len(values) - 1), texts)
        told = self._nobody() if secret else None
        self.label(self.chance("roll", local, build.integer(1), texts, roll.span, told), "roll", s, scope)
        return self.control.coercions.family(local, values)

    def label(self, block: int, word: str, s: t.Assign | None, scope: Env) -> None:
        """Claims speak of a chance node by its word, or by the name that the outcome gets."""
        self.control.label(word, block, scope)
        if s is not None and isinstance(s.target, t.Name):
            self.control.label(s.target.id, block, scope)

    def _nobody(self) -> k.Expr:
        return build.mask(len(self.players), 0)

    def chance(
        self,
        label: str,
        local: k.Local,
        weight: k.Expr,
        texts: Sequence[str],
        span: t.Span,
        told: k.Expr | None = None,
    ) -> int:
        target = self.control.new()
        empty = self.builder.fault("empty_draw", "there is nothing to draw", span)
        domain = self.builder.domain(label, tuple(texts))
        leave = k.Chance(label, local.id, weight, domain, target, empty, self.builder.origin(span), told)
        block = self.control.stop(label, leave)
        self.control.start(target)
        return block

    def draw(self, draw: t.Draw, s: t.Assign | None, scope: Scope) -> Rep:
        """A thing out of a bag or a set, each as likely as it is frequent there."""
        zone = self.expressions.place(draw.source, scope)
        values, weight = self._weights(zone, draw)
        texts = tuple(map(text_of, values))
        secret = self._secret(draw, s, scope)
        local = self.builder.local(f"{self.statements.frame}.draw", k.Int(0, len(values) - 1), texts)
        rep = self.control.coercions.family(local, values)
        weigh = weight(local)
        if draw.condition is not None:
            name = s.target.id if s is not None and isinstance(s.target, t.Name) else "it"
            test = self.expressions.truth(draw.condition, {**scope, name: rep})
            weigh = build.when(test, weigh, build.integer(0))
        told = self._nobody() if secret else None
        self.label(self.chance("draw", local, weigh, texts, draw.span, told), "draw", s, scope)
        take(self.statements, zone, rep, build.integer(1), draw.span)
        return rep

    def _weights(self, zone: Place, draw: t.Draw) -> tuple[tuple[Value, ...], Callable[[k.Expr], k.Expr]]:
        if isinstance(zone, Bag):
            return zone.values, zone.count
        if isinstance(zone, Scalar) and isinstance(zone.kind, SetType):
            items = self.expressions.read(zone)
            assert isinstance(items, SetOf | Const)
            made = self.control.coercions.set(items, draw.span, zone.kind.values)
            return zone.kind.values, lambda i: build.when(
                build.member(i, made.expr), build.integer(1), build.integer(0)
            )
        refuse("E0743", draw.source.span, "things are drawn from a bag or a set")

    def _secret(self, draw: t.Draw, s: t.Assign | None, scope: Env) -> bool:
        """What is drawn into state that not everyone sees, or out of it into a name, is not seen by all."""
        name = None if s is None else owner(root(s.target), scope)
        into_state = name in self.expressions.places
        return self._kept_from_some(name if into_state else owner(root(draw.source), scope))

    def _kept_from_some(self, name: str | None) -> bool:
        """Whether this is a state variable that not everyone sees."""
        return any(v.seen is not None and v.name.split(".")[0] == name for v in self.builder.vars)
