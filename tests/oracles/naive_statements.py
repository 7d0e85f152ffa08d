"""The naive evaluator's statements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_decisions import Decisions
from tests.oracles.naive_expressions import Turns
from tests.oracles.naive_paths import PARTS
from tests.oracles.naive_places import without
from tests.oracles.naive_stops import Anew, Ended, Leave, Next, Required, Returned, Run, Stop
from tests.oracles.naive_types import Env
from tests.oracles.naive_values import Bag, Fault, Member, Record, elements, text

LAPS = 2_000  # of a loop without a stop: more are a loop that never comes to one


class Statements(Decisions):
    open: Counter[str]
    """How many calls of a function that calls itself are inside each other."""

    def enter(
        self, name: str, args: Sequence[t.Expr], caller: Env, named: dict[str, t.Expr] | None = None
    ) -> Run:
        """Runs a fun or a rule; the generator's value is what it returns."""
        found = self.funs[name]
        all_given = dict(zip((p.name for p in found.params), args, strict=False)) | (named or {})
        env: Env = {}
        for param in found.params:
            if param.inout:
                env["@" + param.name] = (caller, *self.place(all_given[param.name], caller))
        for param in found.params:
            given = all_given.get(param.name, param.default)
            assert given is not None
            value = self.eval(given, caller if param.name in all_given else {})
            env[param.name] = value if param.type is None else self.fit(value, param.type, env)
            if param.type is not None:
                env["#" + param.name] = param.type
        if isinstance(found, t.Fun) and found.recursive is not None:
            if self.open[name] == self.eval(found.recursive, {}):
                raise Fault("too deep")
            self.open[name] += 1
        try:
            if not isinstance(found.body, tuple):
                return self.result(self.eval(found.body, env), found.result)
            yield from self.block(found.body, env)
        except Returned as returned:
            return self.result(returned.value, found.result)
        finally:
            self.open[name] -= isinstance(found, t.Fun) and found.recursive is not None
        return None

    def result(self, value: Any, kind: t.Type | None) -> Any:
        return value if kind is None else self.fit(value, kind, {})

    def block(self, block: t.Block, env: Env) -> Run:
        """A name that gets its first value here is known until the end."""
        before = set(env)
        try:
            for number, statement in enumerate(block):
                yield from self.do(statement, env, block[number + 1 :])
        finally:
            for name in set(env) - before:
                del env[name]

    def do(self, s: t.Statement, env: Env, following: t.Block) -> Run:
        match s:
            case t.Pass():
                pass
            case t.Note(t.Name(history)):
                self.vars[history] = [*self.vars[history], self.present(history)]
            case t.Forget(t.Name(history)):
                self.vars[history] = []
            case t.Assign(target, op, value, kind):
                found = yield from self.value(value, env, target)
                if op != "=":
                    name, steps = self.place(target, env)
                    old = self.needed(self.stands(name, steps, env))
                    self.write(name, steps, self.binary(op[0], old, self.needed(found)), env)
                elif kind is not None:
                    assert isinstance(target, t.Name)
                    env["#" + target.id] = kind
                    env[target.id] = self.fit(found, kind, env)
                else:
                    self.store(target, found, env)
            case t.Do(value):
                yield from self.value(value, env, None)
            case t.If(branches, other):
                for test, body in branches:
                    if self.truth(test, env):
                        yield from self.block(body, env)
                        return
                yield from self.block(other, env)
            case t.For(targets, source, (), body, order_of) if order_of is not None:
                yield from self.ordered(targets[0], elements(self.eval(source, env)), body, order_of, env)
            case t.Move(what, whole, source, target):
                self.move(None if what is None else self.some(what, env), whole, source, target, env)
            case t.Deal(number, source, target):
                for _ in range(self.eval(number, env)):
                    drawn = yield from self.value(t.Draw(source), env, None)
                    self.lay(drawn, target, env)
            case t.For(targets, source, conditions, body):
                found = self.eval(source, env)
                if isinstance(found, Turns):
                    yield from self.turns(targets[0], found, conditions, body, env)
                else:
                    yield from self.loop(self.laps(targets, found, conditions, env), body, env)
            case t.Repeat(bound, body):
                yield from self.loop(self.bounded(self.eval(bound, env)), body, env)
            case t.While(test, body):
                yield from self.loop(self.lasting(test, env), body, env)
            case t.Path():
                self.walk(s, env[PARTS], env)
            case t.Assert(name, condition):
                if not self.trying and not self.truth(condition, env):
                    raise Fault(f"the assertion {name}")
            case t.Break():
                raise Leave
            case t.Continue():
                raise Next
            case t.Again():
                raise Anew
            case t.Return(value):
                if isinstance(value, t.Expr | None):
                    raise Returned(None if value is None else self.eval(value, env))
            case t.Require(condition):
                if self.trying:
                    raise Required(self.some(condition, env))
            case t.End():
                raise Ended(self.keys(s, env))
            case t.Choose():
                yield from self.choose(s, env, following)
            case _:
                raise NotImplementedError(s)

    def loop(self, laps: Iterator[Env], body: t.Block, env: Env) -> Run:
        for bound in laps:
            env |= bound
            try:
                yield from self.block(body, env)
            except Leave:
                return
            except Next:
                continue

    def laps(
        self, targets: tuple[str, ...], source: Any, conditions: tuple[t.Expr, ...], env: Env
    ) -> Iterator[Env]:
        """The source is frozen; the conditions are tested as each lap comes."""
        for value in elements(source):
            bound = self.bind(targets, value)
            if all(self.truth(c, env | bound) for c in conditions):
                yield bound

    def turns(
        self, target: str, source: Turns, conditions: tuple[t.Expr, ...], body: t.Block, env: Env
    ) -> Run:
        silent, stops, players = 0, self.stops, iter(source)
        env["#actor"] = env[target] = next(players)
        while True:
            silent, stops = 0 if self.stops > stops else silent + 1, self.stops
            if silent > LAPS:
                raise Fault("a loop without a stop")
            try:
                if all(self.truth(c, env) for c in conditions):
                    yield from self.block(body, env)
            except Leave:
                return
            except Anew:
                continue
            except Next:
                pass
            env["#actor"] = env[target] = next(players)

    def lasting(self, test: t.Expr, env: Env) -> Iterator[Env]:
        silent, stops = 0, self.stops
        while self.truth(test, env):
            yield {}
            silent, stops = 0 if self.stops > stops else silent + 1, self.stops
            if silent > LAPS:
                raise Fault("a loop without a stop")

    def bounded(self, bound: int) -> Iterator[Env]:
        for _ in range(bound):
            yield {}
        raise Fault("overrun")

    def value(self, value: t.Value, env: Env, target: t.Expr | None) -> Run:
        """The value of a right-hand side: an expression, a rule call, or what chance brings."""
        match value:
            case t.Roll(faces, None):
                found = elements(self.eval(faces, env))
                return (yield from self.chance([(text(x), 1, x) for x in found]))
            case t.Roll(faces, count):  # one die after another
                dice = []
                for _ in range(self.eval(count, env)):
                    dice.append((yield from self.value(t.Roll(faces), env, None)))  # noqa: PERF401
                return Record(dice)
            case t.Draw(source, condition):
                pile, steps = self.place(source, env)
                bag = self.stands(pile, steps, env)
                name = target.id if isinstance(target, t.Name) else "it"
                likely = [
                    (text(x), bag[x] if isinstance(bag, Bag) else 1, x)
                    for x in elements(bag)
                    if condition is None or self.truth(condition, env | {name: x})
                ]
                if not likely:
                    raise Fault("nothing to draw from")
                drawn = yield from self.chance(likely)
                self.write(pile, steps, without(self.stands(pile, steps, env), drawn, 1), env)
                return drawn
            case t.Call(t.Name(name), args, named) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, args, env, dict(named)))
            case t.Name(name) if isinstance(self.funs.get(name), t.Rule):
                return (yield from self.enter(name, [], env))
        assert not isinstance(value, t.Roll | t.Draw)
        return self.eval(value, env)

    def chance(self, likely: list[tuple[str, int, Any]]) -> Run:
        self.stops += 1
        done = yield Stop("chance", None, tuple((x, weight) for x, weight, _ in likely), dict(self.vars))
        return next(value for x, _, value in likely if x == done)

    def keys(self, s: t.End, env: Env) -> dict[Member, tuple[int, ...]]:
        """What the players are ranked by at an end."""
        match s.kind, s.value:
            case "tie", _:
                return dict.fromkeys(self.players, (0,))
            case "win", winner:
                assert winner is not None
                found = self.some(winner, env)
                return {p: (int(p == found),) for p in self.players}
            case "pays", amounts:
                assert amounts is not None
                return {p: (n,) for p, n in self.eval(amounts, env).items()}
        assert s.value is not None
        items = s.value.items if isinstance(s.value, t.Tuple) else (s.value,)
        return {p: tuple(int(self.key(x, p, env)) for x in items) for p in self.players}

    def key(self, e: t.Expr, p: Member, env: Env) -> Any:
        if isinstance(e, t.Name) and e.id in self.funs:
            return self.call(e.id, [t.Name("p")], {"p": p})
        if isinstance(e, t.Name) and e.id in self.vars:
            return self.part(self.vars[e.id], p)
        return self.eval(e, env | {"p": p})
