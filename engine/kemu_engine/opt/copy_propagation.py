"""Locals that are only another name: where one was given a constant or another local's value, that is read.

Calls of rules leave many of them. Within the code of a block, as long as neither of the two is set.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, assigned, expressions, holds, rebuilt, within
from kemu_engine.opt.inline import asked, folded, tried
from kemu_engine.opt.program import Work

Names = dict[int, k.Expr]


class Copies:
    """Rewrites the blocks and functions of a program."""

    def __init__(self, work: Work) -> None:
        self.work = work

    def program(self) -> None:
        work = self.work
        work.functions = [replace(each, body=self._code(each.body, {})) for each in work.functions]
        blocks = []
        for block in work.blocks:
            known: Names = {}
            code = self._code(block.code, known)
            blocks.append(replace(block, code=code, exit=self._exit(block.exit, known)))
        work.blocks = blocks
        read = self._read()
        work.functions = [replace(each, body=self._kept(each.body, read)) for each in work.functions]
        work.blocks = [replace(each, code=self._kept(each.code, read)) for each in work.blocks]

    def _read(self) -> Ids:
        """The locals that anybody reads."""
        found = {local for block in self.work.blocks for local in block.live}
        exprs = [expr for each in self.work.functions for expr in expressions(each.body)]
        for block in self.work.blocks:
            exprs += [*expressions(block.code), *asked(block.exit)]
            if isinstance(block.exit, k.Switch):
                found.add(block.exit.local)
        found |= {part.id for expr in exprs for part in within(expr) if isinstance(part, k.Local)}
        return frozenset(found)

    def _kept(self, code: k.Code, read: Ids) -> k.Code:
        """Without names that nobody reads."""
        kept: list[k.Stmt] = []
        for each in code:
            match each:
                case k.Assign(local, k.Const() | k.Local()) if local not in read:
                    continue
                case k.When(test, then, other):
                    kept.append(k.When(test, self._kept(then, read), self._kept(other, read)))
                case k.For() | k.Loop():
                    kept.append(replace(each, body=self._kept(each.body, read)))
                case _:
                    kept.append(each)
        return tuple(kept)

    def _exit(self, exit: k.Exit, known: Names) -> k.Exit:
        """Only of exits that do not stop: behind a stop locals may be unset."""
        return replace(exit, test=self._expr(exit.test, known)) if isinstance(exit, k.Split) else exit

    def _expr(self, expr: k.Expr, known: Names) -> k.Expr:
        if not known or tried(expr):
            return expr
        match expr:
            case k.Local(_, local):
                return known.get(local, expr)
            case k.Fold() | k.Closure():
                known = _without(known, {expr.binder})
            case k.Let():
                known = _without(known, {expr.local})
        return folded(rebuilt(expr, lambda part: self._expr(part, known)))

    def _code(self, code: k.Code, known: Names) -> k.Code:
        """The code; `known` is changed to what is known after it."""
        return tuple(self._statement(each, known) for each in code)

    def _statement(self, statement: k.Stmt, known: Names) -> k.Stmt:
        match statement:
            case k.Assign(local, value):
                value = self._expr(value, known)
                self._forget(known, {local})
                own = self.work.locals[local].type
                named = isinstance(value, k.Const) or (isinstance(value, k.Local) and value.id != local)
                if named and isinstance(value.type, type(own)) and holds(own, value.type):
                    known[local] = value
                return replace(statement, value=value)
            case k.Store() | k.Return():
                return replace(statement, value=self._expr(statement.value, known))
            case k.Put():
                index, value = self._expr(statement.index, known), self._expr(statement.value, known)
                return replace(statement, index=index, value=value)
            case k.Check():
                return replace(statement, test=self._expr(statement.test, known))
            case k.Fill():
                inner = _without(known, {statement.binder})
                self._forget(known, {statement.binder})
                return replace(statement, value=self._expr(statement.value, inner))
            case k.When(test, then, other):
                test = self._expr(test, known)
                branches = [self._code(branch, dict(known)) for branch in (then, other)]
                self._forget(known, assigned(statement.then + statement.other))
                return k.When(test, *branches)
            case k.For(local, over, body):
                over = self._expr(over, known)
                self._forget(known, {local} | assigned(body))
                return k.For(local, over, self._code(body, dict(known)))
            case k.Loop():
                self._forget(known, assigned(statement.body))
                return replace(statement, body=self._code(statement.body, dict(known)))
            case _:
                return statement

    def _forget(self, known: Names, locals: set[int] | frozenset[int]) -> None:
        left = _without(known, locals)
        known.clear()
        known.update(left)


def _without(known: Names, locals: set[int] | frozenset[int]) -> Names:
    """What is still known where these are set."""
    return {
        local: value
        for local, value in known.items()
        if local not in locals and not (isinstance(value, k.Local) and value.id in locals)
    }
