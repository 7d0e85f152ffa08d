"""Small functions put where they are called, small static folds written out, constants worked out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.walk import expressions, rebuilt, recoded, size, within
from kemu_engine.opt.program import Work

SMALL = 80
"""Nodes of a function that is put in its callers' place."""
ALONE = 400
"""Nodes of one that has only one caller."""
FEW = 4
"""Elements of a set that is written out."""
WRITTEN_OUT = 160
"""Nodes that a fold may have once it is written out."""


class Inliner:
    """Rewrites the functions and blocks of a program; a function after those that it calls."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self._done: set[int] = set()
        self._called = calls(work.program)

    def program(self) -> None:
        for number in range(len(self.work.functions)):
            self.function(number)
        self.work.blocks = [
            replace(block, code=self.code(block.code), exit=self._exit(block.exit))
            for block in self.work.blocks
        ]

    def code(self, code: k.Code) -> k.Code:
        """Code with its expressions rewritten, and small static loops lap by lap."""
        return tuple(part for each in recoded(code, self.top) for part in laps(each))

    def top(self, expr: k.Expr) -> k.Expr:
        return self.expr(expr, {}, False)

    def _exit(self, exit: k.Exit) -> k.Exit:
        match exit:
            case k.Split():
                return replace(exit, test=self.top(exit.test))
            case k.Chance():
                return replace(exit, weight=self.top(exit.weight))
            case k.Decide():
                return replace(exit, actor=self.top(exit.actor), arms=tuple(map(self._arm, exit.arms)))
            case _:
                return exit

    def _arm(self, arm: k.Arm) -> k.Arm:
        params = tuple(replace(p, over=self.top(p.over), where=self.top(p.where)) for p in arm.params)
        return replace(arm, params=params, guard=self.top(arm.guard), legal=self.top(arm.legal))

    def function(self, number: int) -> k.Function:
        """The function as rewritten."""
        if number not in self._done:
            self._done.add(number)
            function = self.work.functions[number]
            self.work.functions[number] = replace(function, body=self.code(reached(function.body)))
        return self.work.functions[number]

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr, given: Mapping[int, k.Expr], copied: bool) -> k.Expr:
        """The expression with locals replaced as `given`; `copied`: its binders get new locals."""
        match expr:
            case k.Local(type_, local):
                value = given.get(local, expr)
                if value is not expr and isinstance(value, k.Local) and narrower(type_, value.type):
                    return replace(value, type=type_)
                return value
            case k.Call(_, number, args) if type(expr) is k.Call:
                return self._call(expr, tuple(self.expr(arg, given, copied) for arg in args), number)
            case k.Fold():
                binder, inner = self._binder(expr.binder, given, copied)
                fold = replace(
                    expr,
                    binder=binder,
                    over=self.expr(expr.over, given, copied),
                    where=self.expr(expr.where, inner, copied),
                    body=self.expr(expr.body, inner, copied),
                )
                return self._written_out(fold)
            case k.Closure():
                binder, inner = self._binder(expr.binder, given, copied)
                seed, step = self.expr(expr.seed, given, copied), self.expr(expr.step, inner, copied)
                return replace(expr, binder=binder, seed=seed, step=step)
            case k.Let(_, local, value, body):
                value = self.expr(value, given, copied)
                if simple(value) and not tried(body):
                    return self.expr(body, {**given, local: value}, copied)
                binder, inner = self._binder(local, given, copied)
                return replace(expr, local=binder, value=value, body=self.expr(body, inner, copied))
            case k.Trial() if copied:
                raise AssertionError("a Trial is not copied")
        return folded(rebuilt(expr, lambda part: self.expr(part, given, copied)))

    def _binder(
        self, binder: int, given: Mapping[int, k.Expr], copied: bool
    ) -> tuple[int, Mapping[int, k.Expr]]:
        if not copied:
            return binder, {local: value for local, value in given.items() if local != binder}
        fresh = self.work.fresh(binder)
        return fresh, {**given, binder: k.Local(self.work.locals[binder].type, fresh)}

    def _call(self, call: k.Call, args: tuple[k.Expr, ...], number: int) -> k.Expr:
        function = self.function(number)
        body = inlined(function, ALONE if self._called[number] == 1 else SMALL)
        if body is None:
            return replace(call, args=args)
        given: dict[int, k.Expr] = {}
        kept: list[tuple[int, k.Expr]] = []
        for param, arg in zip(function.params, args, strict=True):
            if simple(arg):
                given[param] = arg
            else:
                local = self.work.fresh(param)
                given[param] = k.Local(arg.type, local)
                kept.append((local, arg))
        value = self.expr(body, given, True)
        for local, arg in reversed(kept):
            value = k.Let(value.type, local, arg, value)
        return value

    def _written_out(self, fold: k.Fold) -> k.Expr:
        """A fold over few elements known from the start, element by element."""
        if not isinstance(fold.over, k.Const) or fold.op in ("set", "min", "max") or tried(fold):
            return fold
        elements = [i for i in range(fold.over.value.bit_length()) if fold.over.value >> i & 1]
        if len(elements) > FEW or len(elements) * size(fold) > WRITTEN_OUT:
            return fold
        found = []
        for element in elements:
            given = {fold.binder: build.integer(element)}
            found.append((element, self.expr(fold.where, given, True), self.expr(fold.body, given, True)))
        match fold.op:
            case "any":
                return build.either(*(build.both(where, body) for _, where, body in found))
            case "all":
                return build.both(*(build.either(build.no(where), body) for _, where, body in found))
            case "count" | "sum":
                value: k.Expr = build.integer(0)
                for _, where, body in found:
                    one = body if fold.op == "sum" else build.when(body, build.integer(1), build.integer(0))
                    value = build.add(value, build.when(where, one, build.integer(0)))
                return value if isinstance(value, k.Const) else replace_type(value, fold.type)
            case "first":
                value = build.integer(-1)
                for element, where, body in reversed(found):
                    value = build.when(build.both(where, body), build.integer(element), value)
                return value
        return fold


def reached(code: k.Code) -> k.Code:
    """The code up to what leaves it for good."""
    for at, statement in enumerate(code, 1):
        if isinstance(statement, k.Return):
            return code[:at]
    return code


def laps(statement: k.Stmt) -> Iterator[k.Stmt]:
    """A statement, or the laps of a loop over few elements known from the start."""
    match statement:
        case k.When(test, then, other):
            yield k.When(test, unrolled(then), unrolled(other))
        case k.Loop():
            yield replace(statement, body=unrolled(statement.body))
        case k.For(local, over, body):
            body = unrolled(body)
            if (
                not isinstance(over, k.Const)
                or not 0 < over.value.bit_count() <= FEW
                or not straight(body, local)
            ):
                yield replace(statement, body=body)
                return
            if over.value.bit_count() * sum(size(expr) for expr in expressions(body)) > WRITTEN_OUT:
                yield replace(statement, body=body)
                return
            for element in range(over.value.bit_length()):
                if over.value >> element & 1:
                    value = build.integer(element)
                    yield from recoded(body, lambda expr, value=value: substituted(expr, local, value))  # type: ignore[misc]
            yield k.Assign(local, value)
        case _:
            yield statement


def unrolled(code: k.Code) -> k.Code:
    return tuple(part for each in code for part in laps(each))


def straight(code: k.Code, local: int) -> bool:
    """Whether code neither leaves the loop around it nor sets its local, not even in a Trial."""
    for statement in code:
        match statement:
            case k.Break() | k.Continue():
                return False
            case k.Assign() if statement.local == local:
                return False
            case k.When():
                if not straight(statement.then + statement.other, local):
                    return False
            case k.For() | k.Loop():
                return False
    return not any(tried(expr) for expr in expressions(code))


def substituted(expr: k.Expr, local: int, value: k.Expr) -> k.Expr:
    """The expression with a value, which reads no local bound in it, in the place of a local."""
    if isinstance(expr, k.Local):
        return value if expr.id == local else expr
    return folded(rebuilt(expr, lambda part: substituted(part, local, value)))


def replace_type(value: k.Expr, type_: k.Type) -> k.Expr:
    """The value under the narrower of two types."""
    return replace(value, type=type_) if narrower(type_, value.type) else value


def narrower(one: k.Type, other: k.Type) -> bool:
    if isinstance(one, k.Int) and isinstance(other, k.Int):
        return one != other and one.low >= other.low and one.high <= other.high
    return False


def simple(value: k.Expr) -> bool:
    """Whether a value can be worked out where it is used as well as before."""
    return isinstance(value, k.Const | k.Local | k.Load) or (size(value, 9) < 9 and not build.faults(value))


def parts(program: k.Program) -> Iterator[k.Expr]:
    """All expressions that play depends on, and what is in them."""
    for code in [each.body for each in program.functions] + [each.code for each in program.blocks]:
        for expr in expressions(code):
            yield from within(expr)
    for block in program.blocks:
        for expr in asked(block.exit):
            yield from within(expr)


def calls(program: k.Program) -> Counter[int]:
    """How many places there are at which play calls each of the functions."""
    found: Counter[int] = Counter()
    waiting = [part for block in program.blocks for expr in asked(block.exit) for part in within(expr)]
    waiting += [part for block in program.blocks for expr in expressions(block.code) for part in within(expr)]
    while waiting:
        part = waiting.pop()
        if isinstance(part, k.Call):
            found[part.function] += 1
            if found[part.function] == 1:
                body = program.functions[part.function].body
                waiting += [each for expr in expressions(body) for each in within(expr)]
    return found


def asked(exit: k.Exit) -> list[k.Expr]:
    """The expressions of an exit."""
    match exit:
        case k.Split():
            return [exit.test]
        case k.Chance():
            return [exit.weight]
        case k.Decide():
            found = [exit.actor]
            for arm in exit.arms:
                found += [arm.guard, arm.legal]
                for param in arm.params:
                    found += [param.over, param.where]
            return found
        case _:
            return []


def inlined(function: k.Function, most: int) -> k.Expr | None:
    """The value of a function that is put in its callers' place, if it has so many nodes at most."""
    if len(function.body) == 1 and isinstance(function.body[0], k.Return):
        value = function.body[0].value
        if size(value) <= most and not tried(value):
            return value
    return None


def tried(expr: k.Expr) -> bool:
    """Whether there is a Trial in it."""
    return any(isinstance(part, k.Trial) for part in within(expr))


def folded(expr: k.Expr) -> k.Expr:
    """The expression with what is known of its parts worked out."""
    if isinstance(expr, k.Need):
        return build.need(expr.test, expr.value, expr.fault) if expr.test == build.TRUE else expr
    if isinstance(expr, k.If):
        return build.when(expr.test, expr.then, expr.other) if isinstance(expr.test, k.Const) else expr
    if not isinstance(expr, k.Op):
        return expr
    args = expr.args
    match expr.op:
        case "and":
            return build.both(*args)
        case "or":
            return build.either(*args)
        case "not":
            return build.no(args[0])
        case "eq":
            return build.eq(*args)
        case "ne":
            return build.ne(*args)
        case "lt":
            return build.lt(*args)
        case "le":
            return build.le(*args)
        case "add":
            return replace_type(build.add(*args), expr.type)
        case "mul":
            return replace_type(build.mul(*args), expr.type)
        case "in":
            return build.member(*args)
        case "card":
            return build.card(args[0])
        case "union" | "inter" | "diff":
            return build.set_op(expr.op, *args)
    return expr
