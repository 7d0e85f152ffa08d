"""The naive evaluator's paths: loops whose laps are chosen in advance, as parts of an action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from kemu_grammar.syntax import ast as t

from tests.oracles.naive_expressions import Expressions
from tests.oracles.naive_stops import Leave, Next, Run
from tests.oracles.naive_types import Env
from tests.oracles.naive_values import Fault, elements, same

PARTS = "parts of the path"
"""Under this name an environment has them."""


class Paths(Expressions):
    trying = False

    def block(self, block: t.Block, env: Env) -> Run:
        raise NotImplementedError

    def tried(self, env: Env) -> AbstractContextManager[Env]:
        raise NotImplementedError

    def do(self, s: t.Statement, env: Env, following: t.Block) -> Run:
        raise NotImplementedError

    def paths(self, action: t.Block, env: Env, wanted: Sequence[Any]) -> Iterator[Env]:
        """The parts that an action may have if they begin with what is wanted; the longer ones first where
        they begin alike. An action without a path has none.
        """
        at = next((i for i, s in enumerate(action) if isinstance(s, t.Choose | t.Path)), len(action))
        if at == len(action) or not isinstance(path := action[at], t.Path):
            yield {}
            return
        bound = self.eval(path.bound, {})

        def extend(parts: tuple[Any, ...]) -> Iterator[Env]:
            ways = self.onward(path, action[:at], env, parts)
            if len(parts) == bound:
                if ways:
                    raise Fault("overrun")
            else:
                for x in ways:
                    if len(parts) >= len(wanted) or same(x, wanted[len(parts)]):
                        yield from extend((*parts, x))
            if len(parts) >= max(1, len(wanted)) and (path.stops or not ways):
                yield {PARTS: parts}

        yield from extend(())

    def onward(self, path: t.Path, before: t.Block, env: Env, parts: Sequence[Any]) -> list[Any]:
        """What may come next, tried out."""
        with self.tried(env) as inner:
            for s in before:
                for _ in self.do(s, inner, ()):
                    raise AssertionError("nothing stops before the end of a path")
            if self.walk(path, parts, inner):
                return []
            ways = elements(self.eval(path.source, inner))
            return [x for x in ways if all(self.truth(c, inner | {path.name: x}) for c in path.conditions)]

    def walk(self, path: t.Path, parts: Sequence[Any], env: Env) -> bool:
        """A lap for each part; whether `break` has ended the path."""
        for part in parts:
            env[path.name] = part
            try:
                for _ in self.block(path.body, env):
                    raise AssertionError("nothing stops in a path")
            except Leave:
                return True
            except Next:
                continue
        return False
