"""The naive evaluator's decisions: what is legal, and what could be."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_paths import PARTS, Paths
from tests.oracles.naive_stops import Leave, Next, Required, Run, Stop, Told
from tests.oracles.naive_types import Env
from tests.oracles.naive_values import Fault, elements, same, text

Chosen = Generator[Stop, str | None, tuple[t.Block, Env]]
Offered = tuple[t.Choose, t.Arm, t.Block, str]
"""An arm, what stands behind its decision, and the variable that says whose turn it is."""


class Decisions(Paths):
    stops = 0  # that were met, without those of trials

    arms: dict[str, Offered]

    def value(self, value: t.Value, env: Env, target: t.Expr | None) -> Run:
        raise NotImplementedError

    def choose(self, s: t.Choose, env: Env, following: t.Block) -> Run:
        if s.together is not None:
            yield from self.together(s, s.together, env)
            return
        body, bound = yield from self.chosen(s, env, following)
        if body is s.other:
            yield from self.block(body, env)
            env |= skipped(s)
            return
        env |= skipped(s) | bound
        yield from self.block(body, env)

    def together(self, s: t.Choose, clause: t.Clause, env: Env) -> Run:
        """Those who choose are found first; they choose; then their blocks are run as laps."""
        (name,) = clause.targets
        asked = [env | {name: player} for player in self.players]
        asked = [one for one in asked if self._chooses(clause, one)]
        chosen: list[tuple[t.Block, Env]] = []
        for number, one in enumerate(asked):
            told: Told = "together" if number + 1 < len(asked) else "last of all"
            body, bound = yield from self.chosen(s, one, (), told)
            chosen.append((body, {name: one[name]} | bound))
        for body, bound in chosen:
            try:
                yield from self.block(body, env | bound)
            except Leave:
                return
            except Next:
                continue

    def _chooses(self, clause: t.Clause, env: Env) -> bool:
        inside = env[clause.targets[0]] in elements(self.eval(clause.source, env))
        return inside and all(self.truth(test, env) for test in clause.conditions)

    def chosen(self, s: t.Choose, env: Env, following: t.Block, told: Told = "at once") -> Chosen:
        """The block of what a player has chosen, and the values of its parameters."""
        actor = env.get("#actor") if s.actor is None else self.eval(s.actor, env)
        if actor is None:
            raise Fault("nobody chooses")
        legal: dict[str, tuple[t.Block, Env]] = {}
        for arm in s.arms:
            for bound in self.actions(s, arm, following, env):
                args = ", ".join(map(text, [*(bound[p.name] for p in arm.params), *bound.get(PARTS, ())]))
                given = bound if arm.body is not None else bound | {arm.name: True}
                legal[f"{arm.name}({args})" if args else arm.name] = (arm.body or (), given)
        if s.optional:
            legal["pass"] = ((), {})
        if not legal:
            if s.other is None:
                raise Fault("nothing is legal")
            return s.other, {}
        self.stops += 1
        told = "never" if s.sealed else told
        done = yield Stop("decision", actor.text, tuple((x, 1) for x in legal), dict(self.vars), told=told)
        assert done is not None
        return legal[done]

    def actions(
        self, s: t.Choose, arm: t.Arm, following: t.Block, env: Env, wanted: list[Any] | None = None
    ) -> Iterator[Env]:
        """The legal bindings of an arm's parameters, the last fastest, or the one that is wanted. Each
        condition is tested as soon as the parameters that it mentions are bound."""
        action = acted(s, arm, following)
        asked = action[: position(action, t.Require) + 1]
        found = self.bindings(arm, action, env, wanted or [])
        match asked:
            case ():
                yield from found
            case (*_, t.Require(most=True)):
                numbers: list[int] = []
                for bound in found:
                    numbers = numbers or [
                        self.required(asked, env | x) for x in self.bindings(arm, action, env, [])
                    ]
                    if self.required(asked, env | bound) == max(numbers):
                        yield bound
            case _:
                yield from (bound for bound in found if self.required(asked, env | bound))

    def bindings(self, arm: t.Arm, action: t.Block, env: Env, wanted: Sequence[Any]) -> Iterator[Env]:
        """The values of the parameters and the parts of the path, whatever is required then."""
        names = [p.name for p in arm.params]
        levels: list[list[t.Expr]] = [[] for _ in range(len(names) + 1)]
        for condition in conjuncts(arm.condition):
            mentioned = names_in(condition)
            levels[max([names.index(n) + 1 for n in names if n in mentioned], default=0)].append(condition)

        def extend(depth: int, bound: Env) -> Iterator[Env]:
            if not all(self.truth(c, env | bound) for c in levels[depth]):
                return
            if depth == len(names):
                for parts in self.paths(action, env | bound, wanted[depth:]):
                    yield bound | parts
                return
            for value in elements(self.eval(arm.params[depth].source, env | bound)):
                if depth >= len(wanted) or same(value, wanted[depth]):
                    yield from extend(depth + 1, bound | {names[depth]: value})

        yield from extend(0, {})

    def required(self, asked: t.Block, env: Env) -> Any:
        """What a `require` speaks of, after what stands before it: tried out, then taken back."""
        with self.tried(env) as inner:
            try:
                next(self.block(asked, inner))
            except Required as required:
                return required.value
        raise AssertionError("it comes to its `require`")

    @contextmanager
    def tried(self, env: Env) -> Iterator[Env]:
        """What is done meanwhile is done to copies."""
        kept = self.vars, self.trying
        self.vars, self.trying = dict(self.vars), True
        try:
            yield copied(env)
        finally:
            self.vars, self.trying = kept

    # ---------------------------------------------------------------------------------------- what could be

    def after(self, e: t.After, env: Env) -> Any:
        with self.tried(env) as inner:
            for _ in self.value(e.action, inner, None):
                raise AssertionError("what is only tried never stops")
            return self.eval(e.value, inner)

    def can(self, e: t.Can, env: Env) -> bool:
        s, arm, following, turn = self.arms[e.name]
        wanted = None if e.args is None else [self.some(x, env) for x in e.args]
        inner = copied(env)
        if e.actor is not None:
            by, actor = self.some(e.actor, env), t.Name(turn) if s.actor is None else s.actor
            if isinstance(actor, t.Name) and actor.id not in self.globals | self.vars:
                inner[actor.id] = by
            elif self.eval(actor, inner) != by:
                return False
        if s.together is not None and s.together.targets[0] in inner and not self._chooses(s.together, inner):
            return False
        return any(True for _ in self.actions(s, arm, following, inner, wanted))

    # ---------------------------------------------------------------------------------------- orders

    def ordered(self, name: str, left: Sequence[Any], body: t.Block, by: t.Expr, env: Env) -> Run:
        """A player chooses which comes next; the last one needs no asking."""
        left = list(left)
        while left:
            picked = left[0]
            if len(left) > 1:
                actor = self.some(by, env)
                legal = {f"next_{name}({text(x)})": x for x in left}
                self.stops += 1
                done = yield Stop("decision", actor.text, tuple((x, 1) for x in legal), dict(self.vars))
                assert done is not None
                picked = legal[done]
            left.remove(picked)
            env[name] = picked
            try:
                yield from self.block(body, env)
            except Leave:
                return
            except Next:
                continue


def conjuncts(e: t.Expr | None) -> tuple[t.Expr, ...]:
    if e is None:
        return ()
    if isinstance(e, t.Logic) and e.op == "and":
        return tuple(part for item in e.items for part in conjuncts(item))
    return (e,)


def names_in(node: Any) -> set[str]:
    """All names that a piece of the tree mentions."""
    if isinstance(node, t.Name):
        return {node.id}
    if isinstance(node, tuple):
        return set().union(*map(names_in, node)) if node else set()
    if isinstance(node, t.Node):
        return set().union(*(names_in(getattr(node, f)) for f in node.__dataclass_fields__ if f != "span"))
    return set()


def skipped(s: t.Choose) -> Env:
    """The parameters of a single action that was not chosen, and its name: whether it was."""
    (arm, *_) = s.arms
    return {} if arm.body is not None else dict.fromkeys([arm.name, *(p.name for p in arm.params)])


def acted(s: t.Choose, arm: t.Arm, following: t.Block) -> t.Block:
    """The statements of an action: its block, or what stands behind the decision, up to the next one."""
    if arm.body is None and (s.optional or s.other is not None):
        return ()
    body = following if arm.body is None else arm.body
    end = position(body, t.Choose)
    return body if end < 0 else body[:end]


def position(block: t.Block, kind: type[t.Statement]) -> int:
    """Where the first statement of a kind stands in a block itself; -1: nowhere."""
    return next((i for i, s in enumerate(block) if isinstance(s, kind)), -1)


def copied(env: Env) -> Env:
    """An environment that can be changed, with those of the callers that it changes."""
    return {
        name: (copied(value[0]), *value[1:]) if name.startswith("@") else value for name, value in env.items()
    }


def offered(block: t.Block, turn: str = "") -> Iterator[Offered]:
    """The actions of a block, those of blocks in it too."""
    for number, s in enumerate(block):
        match s:
            case t.Choose(arms=arms, other=other):
                for arm in arms:
                    yield s, arm, block[number + 1 :], turn
                    yield from offered(arm.body or (), turn)
                yield from offered(other or (), turn)
            case t.For(targets, t.Call(t.Name("turns")), _, body):
                yield from offered(body, targets[0])
            case t.For(body=body) | t.Repeat(body=body) | t.While(body=body):
                yield from offered(body, turn)
            case t.If(branches, other):
                for _, body in branches:
                    yield from offered(body, turn)
                yield from offered(other, turn)
