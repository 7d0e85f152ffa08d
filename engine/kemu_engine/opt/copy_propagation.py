"""Copy propagation: where a local was given a constant or another local's value, that is read.

Calls of rules leave many of them. Within the code of a block, as long as neither of the two is set.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import interval
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import Ids, overwritten, parts, rebuilt, rewritten, tried
from kemu_engine.opt.constant_folding import folded

Names = dict[int, k.Expr]


def propagate_copies(program: k.Program) -> k.Program:
    """The program without locals that are only another name."""
    copies = _Copies(program)
    functions = tuple(replace(each, body=copies.code(each.body, {})) for each in program.functions)
    blocks = tuple(map(copies.block, program.blocks))
    changed = replace(program, functions=functions, blocks=blocks)
    read = _read(changed)
    return rewritten(changed, lambda code: _kept(code, read))


def _read(program: k.Program) -> Ids:
    """The locals that anybody reads."""
    found = {local for block in program.blocks for local in block.live}
    found |= {block.exit.local for block in program.blocks if isinstance(block.exit, k.Switch)}
    found |= {part.id for part in parts(program) if isinstance(part, k.Local)}
    return frozenset(found)


def _kept(code: k.Code, read: Ids) -> k.Code:
    """Without names that nobody reads."""
    kept: list[k.Stmt] = []
    for each in code:
        match each:
            case k.Assign(local, k.Const() | k.Local()) if local not in read:
                continue
            case k.When(test, then, other):
                kept.append(k.When(test, _kept(then, read), _kept(other, read)))
            case k.For() | k.Loop():
                kept.append(replace(each, body=_kept(each.body, read)))
            case _:
                kept.append(each)
    return tuple(kept)


class _Copies:
    """Rewrites code of a program, given what is known before it."""

    def __init__(self, program: k.Program) -> None:
        self.program = program

    def block(self, block: k.Block) -> k.Block:
        known: Names = {}
        code = self.code(block.code, known)
        return replace(block, code=code, exit=self._exit(block.exit, known))

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

    def code(self, code: k.Code, known: Names) -> k.Code:
        """The code; `known` is changed to what is known after it."""
        return tuple(self._statement(each, known) for each in code)

    def _statement(self, statement: k.Stmt, known: Names) -> k.Stmt:
        match statement:
            case k.Assign(local, value):
                value = self._expr(value, known)
                self._forget(known, {local})
                own = self.program.locals[local].type
                named = isinstance(value, k.Const) or (isinstance(value, k.Local) and value.id != local)
                if named and isinstance(value.type, type(own)) and interval.integers_fit(value.type, own):
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
                branches = [self.code(branch, dict(known)) for branch in (then, other)]
                self._forget(known, overwritten(statement.then + statement.other))
                return k.When(test, *branches)
            case k.For(local, over, body):
                over = self._expr(over, known)
                self._forget(known, {local} | overwritten(body))
                return k.For(local, over, self.code(body, dict(known)))
            case k.Loop():
                self._forget(known, overwritten(statement.body))
                return replace(statement, body=self.code(statement.body, dict(known)))
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
