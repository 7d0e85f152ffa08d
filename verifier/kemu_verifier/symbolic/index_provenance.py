"""Whether what is chosen says at which place of an array something is looked at or changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import onward
from kemu_engine.kernel.walk import below, nodes

from kemu_verifier.symbolic.havoc import Hiding, free


class Pointing:
    """Answers for one program, of which some variables are hidden: those do not count, nor what becomes an
    unknown as a whole, nor what merely depends on which way play goes. A hint only: nothing rests on it."""

    def __init__(self, program: k.Program, hiding: Hiding) -> None:
        self.program = program
        self.hiding = hiding
        self._known: dict[tuple[int, frozenset[int]], bool] = {}

    def points(self, target: int, chosen: Iterable[int]) -> bool:
        """Whether these locals, or what is worked out of them, point to places on some way from a block to
        the next stops."""
        code = self._until_stops(target)
        return self._looks(code, self._follow(code, frozenset(chosen)))

    def _until_stops(self, target: int) -> tuple[Any, ...]:
        found, seen, waiting = list[Any](), set[int](), [target]
        while waiting:
            number = waiting.pop()
            if number in seen:
                continue
            seen.add(number)
            block = self.program.blocks[number]
            found += block.code
            if isinstance(block.exit, k.Split):
                found.append(block.exit.test)
            waiting += onward(block.exit)
        return tuple(found)

    def _follow(self, code: tuple[Any, ...], chosen: frozenset[int]) -> frozenset[int]:
        """These locals, and those that something is put into which is worked out of them."""
        found, count = set(chosen), 0
        while len(found) > count:
            count = len(found)
            for node in nodes(code):
                match node:
                    case k.Assign(local=local, value=value) | k.Let(local=local, value=value):
                        told = value
                    case k.For(local=local, over=told):
                        pass
                    case _:
                        continue
                if not found.isdisjoint(free(told)) and not self.hiding.covers(told):
                    found.add(local)
        return frozenset(found)

    def _looks(self, root: Any, chosen: frozenset[int]) -> bool:
        """Whether an index in an expression or code depends on one of the locals."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, k.Expr.__args__) and self.hiding.covers(node):
                continue
            if isinstance(node, k.Writing) and node.var in self.hiding.hidden:
                continue
            if isinstance(node, k.At | k.Put) and not chosen.isdisjoint(free(node.index)):
                if not self.hiding.covers(node.index):
                    return True
            elif isinstance(node, k.Call) and self._called(node, chosen):
                return True
            waiting += below(node)
        return False

    def _called(self, call: k.Call, chosen: frozenset[int]) -> bool:
        """The same of a function, for those of its parameters that depend on the locals."""
        function = self.program.functions[call.function]
        given = frozenset(
            param
            for param, arg in zip(function.params, call.args, strict=True)
            if not chosen.isdisjoint(free(arg)) and not self.hiding.covers(arg)
        )
        key = call.function, given
        if given and key not in self._known:
            self._known[key] = self._looks(function.body, self._follow(function.body, given))
        return bool(given) and self._known[key]
