"""How far a state is from one in which an expression holds: a number that is 0 where it does, as a kernel
expression (branch distance, as search-based testing has it: Korel 1990, Tracey et al. 1998).

Comparisons of numbers give by how much they fail, those of elements 1; `and` and `all` add up, `or` and `any`
take the least. What cannot be looked into is 0 or 1.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.facts import nested

DEEP = 4
"""Functions within functions that are looked into."""
FAR = 1_000
"""Where nothing is there that could come near."""
NUMBER = k.Int(-(1 << 40), 1 << 40)
ZERO, ONE = k.Const(NUMBER, 0), k.Const(NUMBER, 1)


def distance(program: k.Program, expr: k.Expr, wanted: bool, deep: int = DEEP) -> k.Expr:
    """How far a truth value is from being as wanted; functions are looked into so `deep`."""
    match expr:
        case k.Op(_, "not", (inner,)):
            return distance(program, inner, not wanted, deep)
        case k.Op(_, "and" | "or" as op, args):
            parts = tuple(distance(program, arg, wanted, deep) for arg in args)
            return _joined("add" if (op == "and") == wanted else "min", parts)
        case k.Op(_, "eq" | "ne" | "lt" | "le" as op, (left, right)):
            return _compared(program, expr, op, left, right, wanted)
        case k.Op(_, "subset", (left, right)) if wanted:
            return k.Op(NUMBER, "card", (k.Op(left.type, "diff", (left, right)),))
        case k.Fold(_, "any" | "all" as op, binder, over, where, body):
            inside = distance(program, body, wanted, deep)
            if (op == "all") == wanted:
                return k.Fold(NUMBER, "sum", binder, over, where, inside)
            some = k.Fold(k.BOOL, "any", binder, over, where, k.Const(k.BOOL, 1))
            least = k.Fold(NUMBER, "min", binder, over, where, inside)
            return k.If(NUMBER, some, least, k.Const(NUMBER, FAR))
        case k.If(_, test, then, other):
            return k.If(
                NUMBER, test, distance(program, then, wanted, deep), distance(program, other, wanted, deep)
            )
        case k.Let(_, _, _, body):
            return replace(expr, type=NUMBER, body=distance(program, body, wanted, deep))
        case k.Need(_, _, value, _):
            return replace(expr, type=NUMBER, value=distance(program, value, wanted, deep))
        case k.Call(_, function, args) if (
            deep
            and (returned := _returned(program.functions[function])) is not None
            and not nested(program, expr)
        ):
            made = distance(program, returned, wanted, deep - 1)
            for param, arg in reversed(list(zip(program.functions[function].params, args, strict=True))):
                made = k.Let(NUMBER, param, arg, made)
            return made
    return k.If(NUMBER, expr, *((ZERO, ONE) if wanted else (ONE, ZERO)))


def _compared(program: k.Program, expr: k.Expr, op: str, left: k.Expr, right: k.Expr, wanted: bool) -> k.Expr:
    different = op in ("eq", "ne") and (op == "eq") != wanted
    if different or not _numbers(program, left, right):
        return k.If(NUMBER, expr, *((ZERO, ONE) if wanted else (ONE, ZERO)))
    apart = k.Op(NUMBER, "sub", (left, right) if wanted else (right, left))
    if op in ("eq", "ne"):
        return k.Op(NUMBER, "abs", (apart,))
    if (op == "lt") == wanted:  # strictly less, or the other way round not even equal
        apart = k.Op(NUMBER, "add", (apart, ONE))
    return k.Op(NUMBER, "max", (ZERO, apart))


def _numbers(program: k.Program, *sides: k.Expr) -> bool:
    """Whether they are integers that count something, not elements of a domain."""
    return all(isinstance(side.type, k.Int) and not _texts(program, side) for side in sides)


def _texts(program: k.Program, expr: k.Expr) -> bool:
    match expr:
        case k.Load(_, var) | k.At(_, var, _):
            return bool(program.vars[var].texts)
        case k.Local(_, local):
            return bool(program.locals[local].texts)
        case k.Fold(_, "first"):
            return True
        case k.If(_, _, then, other):
            return _texts(program, then) or _texts(program, other)
        case k.Let(_, _, _, inner) | k.Need(_, _, inner, _):
            return _texts(program, inner)
    return False


def _joined(op: str, parts: tuple[k.Expr, ...]) -> k.Expr:
    made = parts[0]
    for part in parts[1:]:
        made = k.Op(NUMBER, "add" if op == "add" else "min", (made, part))
    return made


def _returned(function: k.Function) -> k.Expr | None:
    """What a function returns, if that is all it does."""
    match function.body:
        case (k.Return(value),):
            return value
    return None
