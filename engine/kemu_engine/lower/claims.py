"""Lowers properties, which read the state and never change the game."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_grammar.check.builtins import ACTOR
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import numbered
from kemu_engine.lower.statements.cfg_builder import CfgLowering
from kemu_engine.lower.statements.endings import Endings
from kemu_engine.lower.values.context import Env
from kemu_engine.lower.values.reps import Const, FiniteValue
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import text_of

ASKED = 200  # steps of a claim


class Claims:
    def __init__(self, control: CfgLowering, endings: Endings) -> None:
        self.control = control
        self.statements = control.statements
        self.expressions = control.expressions
        self.coercions = control.coercions
        self.builder = control.builder
        self.evaluator = control.evaluator
        self.players = endings.players
        self.expressions.result_expr = endings.asked

    def applies(self, condition: t.Expr | None) -> bool:
        """Whether an `if` before the colon holds in this instance."""
        return condition is None or self.evaluator.truth(condition, {})

    # ------------------------------------------------------------------------------------------ properties

    def properties(self, declared: tuple[t.Property, ...]) -> tuple[k.Property, ...]:
        made: list[k.Property] = []
        for p in declared:
            if self.applies(p.condition):
                self.builder.context = p.cites
                for scope in self.evaluator.scopes(p.each, {}):
                    self.evaluator.work.spend(ASKED, p.span)
                    names = [text_of(scope[n]) for c in p.each for n in c.targets]
                    name = f"{p.name}({', '.join(names)})" if names else p.name
                    made += self._property(p, name, {n: Const(v) for n, v in scope.items()})
        return tuple(made)

    def _property(self, p: t.Property, name: str, scope: Env) -> Iterator[k.Property]:
        bound = (
            None
            if p.bound is None
            else self.evaluator.number(
                p.bound, {n: b.value for n, b in scope.items() if isinstance(b, Const)}
            )
        )
        origin = self.builder.origin(p.span)
        places = [
            (self._stop(label, block), block, inner)
            for label in p.labels
            for block, inner in self.labelled(label, p.span)
        ] or [("", -1, {})]
        count: dict[str, int] = {}
        for stop, block, inner in places:
            number = count[stop] = count.get(stop, 0) + 1
            label = name if len(places) == 1 else f"{name} at {numbered(stop, number)}"
            exprs = self._measured(p, {**self._actor(block), **inner, **scope})
            blocks: tuple[int, ...] = () if block < 0 else (block,)
            if p.form == "initially":
                blocks += tuple(dict.fromkeys(other for _, other, _ in places if other != block))
            yield k.Property(label, p.form, exprs, bound, blocks, p.expect, p.lemma, origin)

    def _actor(self, block: int) -> Env:
        """Whoever is to act at a decision, by the name that claims have for him."""
        stop = self.builder.blocks[block] if block >= 0 else None
        declared = {*self.evaluator.names, *self.control.analysis.state}
        if stop is None or not isinstance(stop.exit, k.Decide) or ACTOR in declared:
            return {}
        return {ACTOR: FiniteValue(stop.exit.actor, self.players)}

    def _stop(self, label: str, block: int) -> str:
        """What one of several stops is called: by the rule it is in, and by its label or first action."""
        stop = self.builder.blocks[block]
        assert stop is not None, "claims are lowered when the rules are"
        rule = stop.name.rpartition(".")[0]
        if label == rule and isinstance(stop.exit, k.Decide):
            label = stop.exit.arms[0].name
        return label if rule in (label, "rules", "") else f"{rule}.{label}"

    def labelled(self, label: str, span: t.Span) -> list[tuple[int, Env]]:
        found = self.control.labels.get(label)
        if not found:
            refuse("E0745", span, f"this instance has no decision with the action `{label}`")
        return list(found)

    def _measured(self, p: t.Property, scope: Env) -> tuple[k.Expr, ...]:
        if p.value is None:
            return ()
        if p.form in ("terminates", "ends_almost_surely", "at_most", "at_least", "maximize"):
            parts = p.value.items if isinstance(p.value, t.Tuple) else (p.value,)
            return tuple(self.expressions.number(x, scope) for x in parts)
        return (self.expressions.truth(p.value, scope),)
