"""Lowers `end`: the keys by which players are ranked, and what `winner` and `winners` mean."""

from __future__ import annotations

from dataclasses import replace

from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.lower.statements.statements import StraightLineLowering
from kemu_engine.lower.values.context import Env, ExpressionLowering, Scope
from kemu_engine.lower.values.reps import Const, FiniteValue, Map, Num, Pairs, Rep, SetOf, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Atom, FrozenMap


class Endings:
    """Keys are kept in the state variable `result`, `width` for each player, compared in order, higher is
    better.
    """

    def __init__(
        self, statements: StraightLineLowering, players: tuple[Atom, ...], flow: list[t.Block]
    ) -> None:
        self.statements = statements
        self.expressions: ExpressionLowering = statements.expressions
        self.builder = statements.builder
        self.players = players
        self.kinds = {end.kind for block in flow for end in ends(block)}
        self.width = max((width(end) for block in flow for end in ends(block)), default=1)
        self.var = len(self.builder.vars)
        size = len(players) * self.width
        labels = tuple(
            p.name if self.width == 1 else f"{p.name}, {i + 1}" for p in players for i in range(self.width)
        )
        self.builder.vars.append(k.Var("result", k.Int(0, 1), size, (0,) * size, labels))
        self.low, self.high = 0, 1

    def finish(self) -> None:
        """Gives the variable the interval that the ends need."""
        var = self.builder.vars[self.var]
        self.builder.vars[self.var] = k.Var(
            var.name, k.Int(self.low, self.high), var.length, var.initial, var.labels
        )

    def _put(self, player: int, part: int, value: k.Expr, origin: int) -> None:
        low, high = build.interval(value)
        self.low, self.high = min(self.low, low), max(self.high, high)
        at = build.integer(player * self.width + part)
        self.statements.out.append(k.Put(self.var, at, value, origin))

    def end(self, s: t.End, scope: Scope) -> None:
        origin = self.builder.origin(s.span)
        match s.kind:
            case "tie":
                pass
            case "win":
                assert s.value is not None
                winner = self.statements.keep("winner", self.expressions.lower(s.value, scope))
                who = self.expressions.key(winner, self.players, s.value.span)
                won, lost = (len(self.players) - 1, -1) if "pays" in self.kinds else (1, 0)
                for i in range(len(self.players)):
                    first = build.eq(who, build.integer(i))
                    self._put(i, 0, build.when(first, build.integer(won), build.integer(lost)), origin)
            case "rank" | "pays":
                assert s.value is not None
                parts = _parts(s)
                for i, player in enumerate(self.players):
                    for j, part in enumerate(parts):
                        self._put(i, j, self._score(part, player, scope), origin)

    def _score(self, part: t.Expr, player: Atom, scope: Env) -> k.Expr:
        """A part of the rank of one player: a function of a player, a map of players, or an expression."""
        inner = {**scope, "this player": Const(player)}
        who = t.Name("this player", span=part.span)
        declaration = self.expressions.evaluator.names.get(part.id) if isinstance(part, t.Name) else None
        if isinstance(declaration, t.Fun):
            return self.expressions.number(t.Call(part, (who,), span=part.span), inner)
        if isinstance(part, t.MapOf):
            known = {k_.id: v for k_, v in part.pairs if isinstance(k_, t.Name)}
            if player.name not in known:
                refuse("E0744", part.span, f"what does {player.name} get?")
            return self.expressions.number(known[player.name], scope)
        held = self.expressions.lower(part, scope)
        keys = held.keys if isinstance(held, Map | Pairs) else None
        if isinstance(held, Const) and isinstance(held.value, FrozenMap):
            keys = tuple(held.value)
        if keys is not None and player not in keys:
            refuse("E0744", part.span, f"what does {player.name} get?")
        return self.expressions.number(t.Index(part, who, span=part.span), inner)

    # ------------------------------------------------------------------------------- what is asked afterwards

    def asked(self, name: str, span: t.Span) -> Rep:
        """`winner`: the one first, or none. `winners`: all who are first. `payoff`: what each gets."""
        if name == "payoff":
            if {"rank", "pays"} <= self.kinds:
                refuse(
                    "E0780", span, "this game has ends by rank and by payment, which have no common measure"
                )
            paid = Tup(tuple(Num(self._payoff(i)) for i in range(len(self.players))), None, True)
            return Pairs(self.players, self.statements.coercions.sequence(paid, span).get)
        first = [
            build.both(*(self._beats(i, j, False) for j in range(len(self.players)) if j != i))
            for i in range(len(self.players))
        ]
        if name == "winners":
            expr: k.Expr = build.mask(len(self.players), 0)
            for i, test in enumerate(first):
                one = build.mask(len(self.players), 1 << i)
                expr = build.set_op("union", expr, build.when(test, one, build.mask(len(self.players), 0)))
            return SetOf(expr, self.players)
        index: k.Expr = build.integer(0)
        for i in range(len(self.players)):
            alone = build.both(*(self._beats(i, j, True) for j in range(len(self.players)) if j != i))
            index = build.when(alone, build.integer(i + 1), index)
        return FiniteValue(index, (None, *self.players))

    def _payoff(self, player: int) -> k.Expr:
        """What `end pays` gave; else how many are ranked behind the player, less how many before."""
        if "pays" in self.kinds:
            return self._key(player, 0)
        total: k.Expr = build.integer(0)
        for other in range(len(self.players)):
            if other != player:
                behind = build.when(self._beats(player, other, True), build.integer(1), build.integer(0))
                before = build.when(self._beats(other, player, True), build.integer(1), build.integer(0))
                total = build.add(total, build.sub(behind, before))
        return total

    def _key(self, player: int, part: int) -> k.Expr:
        return k.At(k.Int(self.low, self.high), self.var, build.integer(player * self.width + part))

    def _beats(self, i: int, j: int, strictly: bool) -> k.Expr:
        """Whether player i ranks above player j, or not below."""
        answer: k.Expr = build.truth(not strictly)
        for part in reversed(range(self.width)):
            a, b = self._key(i, part), self._key(j, part)
            answer = build.either(build.lt(b, a), build.both(build.eq(a, b), answer))
        return answer


def ends(node: object) -> list[t.End]:
    found = [node] if isinstance(node, t.End) else []
    for child in children(node):
        found += ends(child)
    return found


def width(end: t.End) -> int:
    return len(_parts(end)) if end.kind == "rank" else 1


def _parts(end: t.End) -> tuple[t.Expr, ...]:
    """What decides first, second, and so on: of a map of tuples, a map for each place."""
    value = end.value
    parts = value.items if isinstance(value, t.Tuple) else () if value is None else (value,)
    return tuple(x for part in parts for x in _columns(part))


def _columns(part: t.Expr) -> tuple[t.Expr, ...]:
    if isinstance(part, t.Comprehension) and part.kind == "map" and isinstance(part.element, t.Tuple):
        return tuple(replace(part, element=x) for x in part.element.items)
    return (part,)
