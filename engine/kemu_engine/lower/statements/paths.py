"""Lowers paths: a loop in an action whose laps are chosen in advance, one parameter of the action each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.expressions.iterables import Source
from kemu_engine.lower.statements.arguments import written
from kemu_engine.lower.statements.flow import FlowLowering
from kemu_engine.lower.statements.path_laps import PARTS, laps
from kemu_engine.lower.values.context import Env, Scope
from kemu_engine.lower.values.reps import Num, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Value

MOST_PARTS = 64


@dataclass(frozen=True, slots=True)
class Walk:
    """The path of an action: the statements before it, and what is gone through, the same in every lap.
    Of a part's values the last, `over`, says that the path is over.
    """

    path: t.Path
    before: t.Block
    scope: Env
    source: Source
    bound: int

    @property
    def over(self) -> int:
        return self.source.size


@dataclass(frozen=True, slots=True)
class Parts:
    """The parameters for a path, and what they choose from. `legal`: never false where there is something to
    choose from, but a fault where the path is longer than it may be. `told`: where its parts come from.
    """

    params: tuple[k.Param, ...] = ()
    values: tuple[Value, ...] = ()
    legal: k.Expr = build.TRUE
    told: tuple[k.Condition, ...] = ()


def path_at(block: t.Block) -> int:
    """Where the path of an action stands in what follows the action; -1: it has none."""
    end = next((i for i, s in enumerate(block) if isinstance(s, t.Choose)), len(block))
    return next((i for i, s in enumerate(block[:end]) if isinstance(s, t.Path)), -1)


class PathLowering:
    def __init__(self, control: FlowLowering) -> None:
        self.control = control
        self.statements = control.statements
        self.builder = control.builder

    def parts(self, action: str, following: t.Block, scope: Scope) -> Parts:
        """The parameters for the path of an action, bound in `scope`; none if it has none."""
        walk = self._walk(following, scope)
        if walk is None:
            return Parts()
        values = walk.source.values or ()
        if not values:
            local = self.builder.local(f"{action}.{walk.path.name}", k.Int(0, 0), ("none",))
            domain = self.builder.domain(walk.path.name, ("none",))
            never = k.Param(walk.path.name, local.id, self._ways(walk, ()), build.FALSE, domain)
            return Parts((never,), legal=build.FALSE)
        texts = written(walk.path.name, values, walk.path.source.span)
        params: list[k.Param] = []
        chosen: list[k.Local] = []
        domain = self.builder.domain(walk.path.name, (*texts, ""))
        for _ in range(walk.bound):
            ways = self._ways(walk, chosen)
            if chosen:
                over = build.eq(chosen[-1], build.integer(walk.over))
                ways = build.when(over, build.mask(walk.over + 1, 1 << walk.over), ways)
            local = self.builder.local(f"{action}.{walk.path.name}", k.Int(0, walk.over), (*texts, ""))
            chosen.append(local)
            params.append(k.Param(walk.path.name, local.id, ways, build.TRUE, domain))
        scope[PARTS] = Tup(tuple(map(Num, chosen)))
        first = build.member(chosen[0], params[0].over)
        source = self.builder.origin(walk.path.source.span)
        told = [k.Condition(n, build.TRUE if n > 1 else first, source) for n in range(1, walk.bound + 1)]
        return Parts(tuple(params), values, self._ends(walk, chosen), tuple(told))

    def _walk(self, following: t.Block, scope: Scope) -> Walk | None:
        at = path_at(following)
        if at < 0:
            return None
        path, before = following[at], following[:at]
        assert isinstance(path, t.Path)
        if any(self.control.controls(s) for s in (*before, path)) or self.control.analysis.stops(path):
            refuse("E0741", path.span, "nothing may stop between an action and the end of its path")
        bound = self.control.evaluator.number(path.bound, self.statements.known(scope))
        if not 1 <= bound <= MOST_PARTS:
            refuse("E0727", path.bound.span, f"a path has from 1 to {MOST_PARTS} parts, not {bound:,}")
        inner = dict(scope)
        with self.statements.trial():
            for s in before:
                self.statements.run(s, inner)
            source = self.statements.iterables.source(path.source, inner, known=True)
        if source.values is None:
            message = f"`{path.name}` runs through a set or a range, not a list that changes"
            refuse("E0739", path.source.span, message)
        return Walk(path, before, dict(scope), source, bound)

    def _ways(self, walk: Walk, chosen: Sequence[k.Local]) -> k.Expr:
        """What may come after these parts, found out by trying them; `over` if that is nothing, or if the
        player may stop.
        """
        ends = build.mask(walk.over + 1, 1 << walk.over)
        with self.statements.trial() as code:
            left, found = self._onward(walk, chosen)
            if not chosen:
                return k.Trial(found.type, tuple(code), found) if code else found
            ways = self.builder.local(f"{walk.path.name} ways", k.Set(walk.over + 1))
            nothing = build.eq(build.card(ways), build.integer(0))
            more = (k.Assign(ways.id, found), k.When(nothing, (k.Assign(ways.id, ends),)))
            self.statements.out.append(k.Assign(ways.id, ends))
            self.statements.out += more if left is None else [k.When(build.no(left), more)]
        return k.Trial(ways.type, tuple(code), build.set_op("union", ways, ends) if walk.path.stops else ways)

    def _onward(self, walk: Walk, chosen: Sequence[k.Local]) -> tuple[k.Local | None, k.Expr]:
        """Runs the laps of these parts; whether `break` has ended the path, and what else may come next."""
        inner: Scope = {**walk.scope, PARTS: Tup(tuple(map(Num, chosen)))}
        for s in walk.before:
            self.statements.run(s, inner)
        left = laps(self.statements, self.statements.iterables, walk.path, inner)
        path = walk.path
        source = self.statements.iterables.source(path.source, inner, known=True)
        binder = self.builder.local(path.name, k.Int(0, max(walk.over - 1, 0)))
        if source.size == 0:
            return left, build.after(source.over, build.mask(1, 0))
        inner[path.name] = source.item(binder)
        tests = (self.statements.expressions.truth(c, inner) for c in path.conditions)
        where = build.both(source.holds(binder), *tests)
        return left, build.fold("set", binder.id, source.over, where, binder, walk.over + 1)

    def _ends(self, walk: Walk, chosen: Sequence[k.Local]) -> k.Expr:
        """That nothing may come after all these parts, which is a fault otherwise."""
        message = f"the path goes on after {walk.bound} parts, which should be the most"
        fault = self.builder.fault("overrun", message, walk.path.span)
        with self.statements.trial() as code:
            left, found = self._onward(walk, chosen)
        none = build.eq(build.card(found), build.integer(0))
        if left is not None:
            none = build.either(left, none)
        test = k.Trial(k.BOOL, tuple(code), build.need(none, build.TRUE, fault))
        return build.either(build.eq(chosen[-1], build.integer(walk.over)), test)
