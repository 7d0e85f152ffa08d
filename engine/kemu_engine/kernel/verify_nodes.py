"""Whether the expressions and statements of a kernel program keep the kernel's contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import is_

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.interval import fits, hull, meets, of_fold, of_operation
from kemu_engine.kernel.liveness import Reads
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.kernel.values import is_of

WORD = (1 << 63) - 1
UNARY = {"neg", "abs", "not", "card", "single"}
ANY_INT = k.Int(-WORD, WORD)


def alike(one: k.Type, other: k.Type) -> bool:
    """Whether two types are of the same kind; sets need the same size."""
    return type(one) is type(other) and (not isinstance(one, k.Set) or one == other)


def guarded(expr: k.Expr) -> bool:
    """Whether a Need stands in the value's way, so that less is possible than its type says."""
    match expr:
        case k.Need():
            return True
        case k.Let():
            return guarded(expr.body)
        case k.If():
            return guarded(expr.then) or guarded(expr.other)
        case k.Op() | k.Intrinsic():
            return any(map(guarded, expr.args))
        case _:
            return False


def goes_on(old: k.Program, new: k.Program) -> bool:
    """Whether a program has all that another one declares, under the same numbers, and perhaps more."""
    names = ("players", "vars", "locals", "tables", "domains", "faults")
    both = [(getattr(old, name), getattr(new, name)) for name in names]
    return (
        all(len(a) <= len(b) and all(map(is_, a, b)) for a, b in both)
        and len(old.origins) <= len(new.origins)
        and len(old.functions) == len(new.functions)
        and all(
            (a.params, a.type) == (b.params, b.type)
            for a, b in zip(old.functions, new.functions, strict=True)
        )
    )


class Nodes:
    """Gathers problems, each with the place where it was found.

    `before`: what has looked at the program that this one was made from; those of its expressions and blocks
    that are still there are as well formed as they were.
    """

    def __init__(self, program: k.Program, before: Nodes | None = None) -> None:
        self.program = program
        self.found: list[str] = []
        self.calls: dict[int, set[int]] = {}  # function to the functions that it calls
        self.function = -1  # the function being checked
        self.trying = False  # within a Trial
        self._place: list[str] = []
        self._seen: dict[tuple[int, int], k.Expr] = {}
        self._sound: dict[int, k.Block] = {}
        self.reads: Reads = Reads() if before is None else before.reads
        if before is not None and not before.found and goes_on(before.program, program):
            self._seen, self._sound, self.calls = before._seen, before._sound, before.calls

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        self._place.append(place)
        yield
        self._place.pop()

    def say(self, wrong: bool, what: str, *parts: object) -> bool:
        """Notes a problem if there is one, with the parts in their places; gives whether there is none."""
        if wrong:
            self.found.append(": ".join([*self._place, what.format(*map(_shown, parts))]))
        return not wrong

    def alike(self, one: k.Type, other: k.Type) -> bool:
        return alike(one, other)

    def fits(self, inner: k.Type, outer: k.Type) -> bool:
        return fits(inner, outer)

    # ---------------------------------------------------------------------------------------- small things

    def number(self, number: int, items: Sequence[object], what: str) -> bool:
        return self.say(not 0 <= number < len(items), "there is no {} {}", what, number)

    def origin(self, origin: int) -> None:
        self.say(not -1 <= origin < len(self.program.origins), "there is no origin {}", origin)

    def distinct(self, what: str, names: list[str]) -> None:
        if len({*names}) == len(names):
            return
        for name, count in Counter(names).items():
            self.say(count > 1, "{} times the {} {}", count, what, name)

    def kind(self, type_: k.Type) -> None:
        match type_:
            case k.Int(low, high):
                self.say(low > high, "{} is empty", type_)
                self.say(not self.fits(type_, ANY_INT), "{} needs more than 63 bits", type_)
            case k.Set(size):
                self.say(size < 0, "{} has a negative size", type_)
            case k.History(vars):
                self.say(not vars, "a history of nothing")
                for var in vars:
                    if self.number(var, self.program.vars, "variable"):
                        kept = self.program.vars[var]
                        self.say(isinstance(kept.type, k.History), "a history of the history {}", kept.name)

    def texts(self, type_: k.Type, texts: tuple[str, ...]) -> None:
        if not texts:
            return
        match type_:
            case k.Int(low, high):
                wanted = high - low + 1
            case k.Set(size):
                wanted = size
            case k.Bool() | k.History():
                wanted = 0
        self.say(len(texts) != wanted, "{} texts for {}", len(texts), type_)
        self.distinct("text", list(texts))

    # ---------------------------------------------------------------------------------------- values

    def truth(self, expr: k.Expr) -> None:
        self.expr(expr)
        self.say(not isinstance(expr.type, k.Bool), "a truth value is wanted, not {}", expr)

    def integer(self, expr: k.Expr) -> None:
        self.expr(expr)
        self.say(not isinstance(expr.type, k.Int), "an integer is wanted, not {}", expr)

    def size_of(self, expr: k.Expr) -> int | None:
        """Checks a set; its size."""
        self.expr(expr)
        self.say(not isinstance(expr.type, k.Set), "a set is wanted, not {}", expr)
        return expr.type.size if isinstance(expr.type, k.Set) else None

    def within(self, expr: k.Expr, type_: k.Type, what: str) -> None:
        """Checks a value that has to be of a type; a Need in it may see to that."""
        self.expr(expr)
        good = self.fits(expr.type, type_) or (self.alike(expr.type, type_) and guarded(expr))
        self.say(not good, "{} is {}, which may be outside {}", what, expr, type_)

    def expr(self, expr: k.Expr) -> None:
        """Checks an expression and all that is in it, once for every function and once outside."""
        key = (id(expr), self.function)
        if key not in self._seen:
            self._seen[key] = expr
            self.kind(expr.type)
            self._expr(expr)

    def _expr(self, expr: k.Expr) -> None:
        program = self.program
        match expr:
            case k.Const(type_, value):
                if not is_of(value, type_):  # said only if need be: a set may have thousands of digits
                    self.say(
                        True, "constant {} is no {}", value if abs(value) < 1 << 64 else f"{value:#x}", type_
                    )
            case k.Local(type_, local):
                if self.number(local, program.locals, "local"):
                    self._reads(expr, program.locals[local].type)
            case k.Load() | k.At():
                self._variable(expr)
            case k.Times(_, var):
                self.history(var)
                self.contains(expr, k.Int(0, Snapshots.MOST))
            case k.Lookup(_, table, index):
                if self.number(table, program.tables, "table"):
                    values = program.tables[table].values
                    self.within(index, k.Int(0, len(values) - 1), "the index of a table")
                    self.say(
                        not any(is_of(value, expr.type) for value in values), "no value is {}", expr.type
                    )
            case k.Op():
                self._operation(expr)
            case k.If(_, test, then, other):
                self.truth(test)
                self.expr(then)
                self.expr(other)
                self.say(
                    not self.alike(then.type, other.type), "the branches of an If are of different kinds"
                )
                self.contains(expr, hull(then.type, other.type))
            case k.Fold():
                self._fold(expr)
            case k.Closure(_, seed, binder, step):
                size = self.size_of(seed)
                self.binder(binder, size or 0)
                self.size_of(step)
                self.contains(expr, seed.type)
                self.contains(expr, step.type)
            case k.Let(_, local, value, body):
                self._fitting(local, value)
                self.expr(body)
                self.contains(expr, body.type)
            case k.Call():
                self._call(expr)
            case k.Need(_, test, value, fault):
                self.truth(test)
                self.expr(value)
                self.number(fault, program.faults, "fault")
                self._reads(expr, value.type)
            case k.Trial(_, body, test):
                outer, self.trying = self.trying, True
                self.code(body, laps=False)
                self.trying = outer
                self.expr(test)
                (self.contains if isinstance(expr.type, k.Set) else self._reads)(expr, test.type)
            case k.Intrinsic():
                self.intrinsic(expr)

    def intrinsic(self, expr: k.Intrinsic) -> None:
        self.say(True, "{} is of optimised programs only", expr)

    def union(self, fold: k.Fold) -> None:
        self.say(True, "{} is of optimised programs only", fold)

    def _reads(self, expr: k.Expr, source: k.Type) -> None:
        """What is read may be known to be less than all that its source can hold, but not of another kind."""
        good = self.alike(expr.type, source) and meets(expr.type, source)
        self.say(not good, "{} reads {}", expr, source)

    def contains(self, expr: k.Expr, natural: k.Type) -> None:
        self.say(not self.fits(natural, expr.type), "{} may be {}", expr, natural)

    def _variable(self, expr: k.Load | k.At) -> None:
        if self.number(expr.var, self.program.vars, "variable"):
            var = self.program.vars[expr.var]
            self.say(isinstance(var.type, k.History), "{} is read in the wrong way", var.name)
            self._reads(expr, var.type)
            if isinstance(expr, k.At):
                self.within(expr.index, k.Int(0, (var.length or 0) - 1), f"the index of {var.name}")
            self.say(
                (var.length is None) != isinstance(expr, k.Load), "{} is read in the wrong way", var.name
            )

    def history(self, var: int) -> None:
        """Checks that a variable is a history."""
        if self.number(var, self.program.vars, "variable"):
            kept = self.program.vars[var]
            self.say(not isinstance(kept.type, k.History), "{} is no history", kept.name)

    def _operation(self, op: k.Op) -> None:
        for arg in op.args:
            self.expr(arg)
        types = [arg.type for arg in op.args]
        count = len(types)
        good = count >= 2 if op.op in ("and", "or") else count == (1 if op.op in UNARY else 2)
        if good:
            match op.op:
                case "and" | "or" | "not":
                    good = all(isinstance(type_, k.Bool) for type_ in types)
                case "eq" | "ne":
                    good = self.alike(types[0], types[1])
                case "in":
                    good = isinstance(types[0], k.Int) and isinstance(types[1], k.Set)
                case "single":
                    good = isinstance(op.type, k.Set) and isinstance(types[0], k.Int)
                case "union" | "inter" | "diff" | "subset" | "card":
                    good = all(isinstance(type_, k.Set) and self.alike(type_, types[0]) for type_ in types)
                case _:
                    good = all(isinstance(type_, k.Int) for type_ in types)
        if self.say(not good, "{} of {}", op.op, types):
            if op.op in ("div", "mod"):
                zero = self.fits(k.Int(0, 0), types[1]) and not guarded(op.args[1])
                self.say(zero, "the divisor of {} is {}, which may be 0", op.op, op.args[1])
            self.contains(op, of_operation(op))
            if op.op == "single" and isinstance(op.type, k.Set):
                self.within(op.args[0], k.Int(0, op.type.size - 1), "the element of a set")

    def _fold(self, fold: k.Fold) -> None:
        if fold.op == "union":
            self.union(fold)
            return
        size = self.size_of(fold.over)
        self.truth(fold.where)
        if fold.op in ("any", "all", "count", "first"):
            self.truth(fold.body)
            good = isinstance(fold.body.type, k.Bool)
        else:
            self.integer(fold.body)
            good = isinstance(fold.body.type, k.Int)
        if size is not None and good:
            self.binder(fold.binder, size)
            self.contains(fold, of_fold(fold))
            if isinstance(fold.type, k.Set):
                self.within(fold.body, k.Int(0, fold.type.size - 1), "the element of a set")
            self.say((fold.op == "set") != isinstance(fold.type, k.Set), "{} gives {}", fold.op, fold.type)

    def binder(self, local: int, size: int) -> None:
        if self.number(local, self.program.locals, "local") and size > 0:
            info = self.program.locals[local]
            self.say(
                not self.fits(k.Int(0, size - 1), info.type),
                "binder {} cannot be all of 0..{}",
                info.name,
                size - 1,
            )

    def _fitting(self, local: int, value: k.Expr) -> None:
        self.expr(value)
        if self.number(local, self.program.locals, "local"):
            info = self.program.locals[local]
            self.within(value, info.type, f"what {info.name} becomes")

    def _call(self, call: k.Call) -> None:
        if not self.number(call.function, self.program.functions, "function"):
            return
        function = self.program.functions[call.function]
        self.calls.setdefault(self.function, set()).add(call.function)
        good = self.say(
            len(call.args) != len(function.params), "{} of {} values", function.name, len(call.args)
        )
        for local, arg in zip(function.params, call.args, strict=False):
            self._fitting(local, arg)
        if good:
            self._reads(call, function.type)

    # ---------------------------------------------------------------------------------------- statements

    def code(self, code: k.Code, laps: bool, writes: bool = True) -> None:
        """Checks code. `laps`: it may Break and Continue; `writes`: it may change state."""
        for statement in code:
            self._statement(statement, laps, writes)

    def _statement(self, statement: k.Stmt, laps: bool, writes: bool) -> None:
        match statement:
            case k.Assign(local, value, origin):
                self.origin(origin)
                self._fitting(local, value)
            case k.Store() | k.Put() | k.Fill():
                self.say(not writes, "a function changes state")
                self._write(statement)
            case k.Note() | k.Forget():
                self.say(not writes, "a function changes state")
                self.origin(statement.origin)
                self.history(statement.var)
            case k.When(test, then, other):
                self.truth(test)
                self.code(then, laps, writes)
                self.code(other, laps, writes)
            case k.For(local, over, body):
                self.binder(local, self.size_of(over) or 0)
                self.code(body, True, writes)
            case k.Loop(bound, body, fault):
                self.say(bound < 0, "a Loop has a negative bound")
                self.number(fault, self.program.faults, "fault")
                self.code(body, True, writes)
            case k.Break() | k.Continue():
                self.say(not laps, "a {} outside loops", type(statement).__name__)
            case k.Return(value):
                self.say(self.trying, "a Return in a Trial")
                if self.say(self.function < 0, "a Return outside functions"):
                    self.within(value, self.program.functions[self.function].type, "the value returned")
            case k.Check(test, fault):
                self.truth(test)
                self.number(fault, self.program.faults, "fault")

    def _write(self, statement: k.Store | k.Put | k.Fill) -> None:
        self.origin(statement.origin)
        self.expr(statement.value)
        if not self.number(statement.var, self.program.vars, "variable"):
            return
        var = self.program.vars[statement.var]
        self.say(isinstance(var.type, k.History), "{} is written in the wrong way", var.name)
        self.within(statement.value, var.type, f"what is written to {var.name}")
        self.say(
            (var.length is None) != isinstance(statement, k.Store), "{} is written in the wrong way", var.name
        )
        if isinstance(statement, k.Put):
            self.within(statement.index, k.Int(0, (var.length or 0) - 1), f"the index of {var.name}")
        if isinstance(statement, k.Fill):
            self.binder(statement.binder, var.length or 0)


def _shown(part: object) -> str:
    if isinstance(part, list):
        return ", ".join(map(_shown, part))
    if isinstance(part, k.Expr):
        what = part.op if isinstance(part, k.Op | k.Fold) else type(part).__name__
        return f"{what}: {part.type}"
    return str(part)
