"""Walks over expressions, code and programs of the kernel: what is in them, and the same with parts changed.

Whoever looks for something in a program takes one of these; those who need to know where they are (which
locals are bound, what has been set) match the nodes themselves and leave the rest to `children` or `rebuilt`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from operator import is_
from typing import Any, TypeVar

from kemu_engine.kernel import nodes as k

Ids = frozenset[int]
NONE: Ids = frozenset()
N = TypeVar("N")
Change = Callable[[k.Expr], k.Expr]

# ----------------------------------------------------------------------------------------- expressions


def children(expr: k.Expr) -> tuple[k.Expr, ...]:
    """The expressions right below one; those in the code of a Trial are not among them."""
    match expr:
        case k.Const() | k.Local() | k.Load() | k.Times():
            return ()
        case k.At() | k.Lookup():
            return (expr.index,)
        case k.Op() | k.Call() | k.Intrinsic():
            return expr.args
        case k.If():
            return (expr.test, expr.then, expr.other)
        case k.Fold():
            return (expr.over, expr.where, expr.body)
        case k.Closure():
            return (expr.seed, expr.step)
        case k.Let():
            return (expr.value, expr.body)
        case k.Need():
            return (expr.test, expr.value)
        case k.Trial():
            return (expr.test,)


def rebuilt(expr: k.Expr, change: Change) -> k.Expr:
    """The expression with `change` done to those right below it, and to those in the code of a Trial; itself
    if they all stay themselves."""
    match expr:
        case k.Const() | k.Local() | k.Load() | k.Times():
            return expr
        case k.At() | k.Lookup():
            index = change(expr.index)
            return expr if index is expr.index else replace(expr, index=index)
        case k.Op():
            args = tuple(map(change, expr.args))
            return expr if all(map(is_, args, expr.args)) else k.Op(expr.type, expr.op, args)
        case k.Call() | k.Intrinsic():
            args = tuple(map(change, expr.args))
            return expr if all(map(is_, args, expr.args)) else replace(expr, args=args)
        case k.Trial():
            return replace(expr, body=recoded(expr.body, change), test=change(expr.test))
    below = children(expr)
    parts = tuple(map(change, below))
    if all(map(is_, parts, below)):
        return expr
    match expr:
        case k.If():
            return k.If(expr.type, *parts)
        case k.Fold():
            return k.Fold(expr.type, expr.op, expr.binder, *parts)
        case k.Closure():
            return k.Closure(expr.type, parts[0], expr.binder, parts[1])
        case k.Let():
            return k.Let(expr.type, expr.local, *parts)
        case k.Need():
            return k.Need(expr.type, parts[0], parts[1], expr.fault)


def within(expr: k.Expr) -> Iterator[k.Expr]:
    """The expression and all in it, the code of Trials included."""
    waiting = [expr]
    while waiting:
        item = waiting.pop()
        yield item
        waiting += children(item)
        if isinstance(item, k.Trial):
            waiting += expressions(item.body)


def within_calls(functions: Sequence[k.Function | None], expr: k.Expr) -> Iterator[k.Expr]:
    """The expression and all in it, the code of Trials and of the functions that it calls included."""
    waiting, called = [expr], set[int]()
    while waiting:
        for part in within(waiting.pop()):
            yield part
            if isinstance(part, k.Call) and part.function not in called:
                called.add(part.function)
                function = functions[part.function]
                waiting += expressions(function.body) if function is not None else ()


def size(expr: k.Expr, most: int = 1000) -> int:
    """How many nodes there are, counted up to `most`."""
    number = 0
    for number, _ in enumerate(within(expr), 1):
        if number >= most:
            break
    return number


def tried(expr: k.Expr) -> bool:
    """Whether there is a Trial in it."""
    return any(isinstance(part, k.Trial) for part in within(expr))


# ------------------------------------------------------------------------------------------------- code


def recoded(code: k.Code, change: Change) -> k.Code:
    """The code with `change` done to its expressions; itself if they all stay themselves."""
    made = tuple(_restated(statement, change) for statement in code)
    return code if all(map(is_, made, code)) else made


def _restated(statement: k.Stmt, change: Change) -> k.Stmt:
    match statement:
        case k.Assign() | k.Store() | k.Fill() | k.Return():
            return _with(statement, value=change(statement.value))
        case k.Put():
            return _with(statement, index=change(statement.index), value=change(statement.value))
        case k.When(test, then, other):
            return _with(
                statement, test=change(test), then=recoded(then, change), other=recoded(other, change)
            )
        case k.For():
            return _with(statement, over=change(statement.over), body=recoded(statement.body, change))
        case k.Loop():
            return _with(statement, body=recoded(statement.body, change))
        case k.Check():
            return _with(statement, test=change(statement.test))
        case _:
            return statement


def _with(node: N, **parts: Any) -> N:
    """The node with other parts; itself if they are the same."""
    same = all(getattr(node, name) is part for name, part in parts.items())
    return node if same else replace(node, **parts)  # type: ignore[type-var]


def expressions(code: k.Code) -> Iterator[k.Expr]:
    """The expressions that stand in code, in its order; not those within them."""
    for statement in code:
        match statement:
            case k.Assign() | k.Store() | k.Fill() | k.Return():
                yield statement.value
            case k.Put():
                yield statement.index
                yield statement.value
            case k.When():
                yield statement.test
                yield from expressions(statement.then + statement.other)
            case k.For():
                yield statement.over
                yield from expressions(statement.body)
            case k.Loop():
                yield from expressions(statement.body)
            case k.Check():
                yield statement.test


def statements(code: k.Code) -> Iterator[k.Stmt]:
    """The statements of code and of all code in it, but for that of Trials."""
    for statement in code:
        yield statement
        match statement:
            case k.When(_, then, other):
                yield from statements(then + other)
            case k.For() | k.Loop():
                yield from statements(statement.body)


def written(code: k.Code) -> Ids:
    """The state variables that code may write."""
    return frozenset(each.var for each in statements(code) if isinstance(each, k.Writing))


def assigned(code: k.Code) -> Ids:
    """The locals that code may set for what comes after it."""
    return _set(code, False)


def overwritten(code: k.Code) -> Ids:
    """The locals that may have another value after code than before: the binders of Fills, too."""
    return _set(code, True)


def _set(code: k.Code, binders: bool) -> Ids:
    found: set[int] = set()
    for statement in statements(code):
        match statement:
            case k.Assign() | k.For():
                found.add(statement.local)
            case k.Fill() if binders:
                found.add(statement.binder)
    return frozenset(found)


def read(vars: Sequence[k.Var], node: Any) -> Ids:
    """The state variables that a node reads or writes itself, by what is in the program as `vars`: with a
    history all that it is of."""
    match node:
        case k.Load(var=var) | k.At(var=var) | k.Store(var=var) | k.Put(var=var) | k.Fill(var=var):
            return frozenset({var})
        case k.Forget(var=var):
            return frozenset({var})
        case k.Times(var=var) | k.Note(var=var):
            return frozenset({var, *noted(vars, var)})
    return NONE


def noted(vars: Sequence[k.Var], history: int) -> tuple[int, ...]:
    """The variables whose values are noted in a history."""
    type_ = vars[history].type
    return type_.vars if isinstance(type_, k.History) else ()


# --------------------------------------------------------------------------------------------- programs


def asked(exit: k.Exit) -> list[k.Expr]:
    """The expressions of an exit."""
    match exit:
        case k.Split():
            return [exit.test]
        case k.Chance():
            return [exit.weight] if exit.told is None else [exit.weight, exit.told]
        case k.Decide():
            found = [exit.actor]
            for arm in exit.arms:
                found += [arm.guard, arm.legal]
                for param in arm.params:
                    found += [param.over, param.where]
            return found
        case _:
            return []


def reexited(exit: k.Exit, change: Change) -> k.Exit:
    """The exit with `change` done to its expressions; itself if they all stay themselves."""
    match exit:
        case k.Split():
            return _with(exit, test=change(exit.test))
        case k.Chance():
            told = None if exit.told is None else change(exit.told)
            return _with(exit, weight=change(exit.weight), told=told)
        case k.Decide():
            actor, arms = change(exit.actor), tuple(_rearmed(arm, change) for arm in exit.arms)
            return _with(exit, actor=actor, arms=exit.arms if all(map(is_, arms, exit.arms)) else arms)
        case _:
            return exit


def _rearmed(arm: k.Arm, change: Change) -> k.Arm:
    params = tuple(_with(param, over=change(param.over), where=change(param.where)) for param in arm.params)
    kept = arm.params if all(map(is_, params, arm.params)) else params
    return _with(arm, params=kept, guard=change(arm.guard), legal=change(arm.legal))


def codes(program: k.Program) -> Iterator[k.Code]:
    """The code of functions and blocks, but for that of Trials."""
    for function in program.functions:
        yield function.body
    for block in program.blocks:
        yield block.code


def roots(program: k.Program) -> Iterator[k.Expr]:
    """The expressions that play depends on; not those within them."""
    for function in program.functions:
        yield from expressions(function.body)
    for block in program.blocks:
        yield from expressions(block.code)
        yield from asked(block.exit)


def parts(program: k.Program) -> Iterator[k.Expr]:
    """All expressions that play depends on, and what is in them."""
    for expr in roots(program):
        yield from within(expr)


def rewritten(
    program: k.Program, code: Callable[[k.Code], k.Code], exit: Callable[[k.Exit], k.Exit] = lambda exit: exit
) -> k.Program:
    """The program with its code and its exits changed, functions first."""
    functions = tuple(_with(each, body=code(each.body)) for each in program.functions)
    blocks = tuple(_with(each, code=code(each.code), exit=exit(each.exit)) for each in program.blocks)
    return replace(program, functions=functions, blocks=blocks)


# ---------------------------------------------------------------------------------------------- all of it

EXPRESSIONS = k.Expr.__args__
NODES = (*k.Expr.__args__, *k.Stmt.__args__, *k.Exit.__args__, k.Block, k.Arm, k.Param)


def below(node: Any) -> Iterator[Any]:
    """The nodes (expressions, statements, exits and their arms, blocks) right below one, or in a tuple."""
    if isinstance(node, EXPRESSIONS):
        if isinstance(node, k.Trial):
            yield from node.body
        yield from children(node)
        return
    values = node if isinstance(node, tuple) else [getattr(node, each.name) for each in fields(node)]
    for value in values:
        if isinstance(value, NODES):
            yield value
        elif isinstance(value, tuple) and any(isinstance(item, NODES) for item in value):
            yield from value


def nodes(root: Any) -> Iterator[Any]:
    """A node, or all nodes of a tuple, and every node in it; functions are not entered."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if is_dataclass(node):
            yield node
        waiting += below(node)


def nodes_with_calls(program: k.Program, root: Any) -> Iterator[Any]:
    """The same, and the nodes of functions that are called, each once."""
    entered: set[int] = set()
    waiting = [root]
    while waiting:
        for node in nodes(waiting.pop()):
            yield node
            if isinstance(node, k.Call) and node.function not in entered:
                entered.add(node.function)
                waiting.append(program.functions[node.function].body)
