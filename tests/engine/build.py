"""Kernel programs written by hand in tests: expressions find their types, programs have defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import Snapshots
from kemu_grammar.syntax.ast import Span

YES = k.Const(k.BOOL, 1)
NO = k.Const(k.BOOL, 0)


def num(value: int) -> k.Const:
    return k.Const(k.Int(value, value), value)


def subset(size: int, *members: int) -> k.Const:
    return k.Const(k.Set(size), sum(1 << member for member in members))


def every(size: int) -> k.Const:
    return subset(size, *range(size))


def _bounds(expr: k.Expr) -> tuple[int, int]:
    assert isinstance(expr.type, k.Int), expr
    return expr.type.low, expr.type.high


def op(name: Any, *args: k.Expr) -> k.Op:
    """An operation; the interval of its value from those of its arguments."""
    return k.Op(_type(name, args), name, args)


def _type(name: str, args: Sequence[k.Expr]) -> k.Type:
    if name in ("eq", "ne", "lt", "le", "and", "or", "not", "in", "subset"):
        return k.BOOL
    if name in ("union", "inter", "diff"):
        return args[0].type
    if name == "card":
        assert isinstance(args[0].type, k.Set)
        return k.Int(0, args[0].type.size)
    (low, high), (low2, high2) = _bounds(args[0]), _bounds(args[-1])
    corners = {
        "add": [low + low2, high + high2],
        "sub": [low - high2, high - low2],
        "mul": [a * b for a in (low, high) for b in (low2, high2)],
        "neg": [-low, -high],
        "abs": [0, -low, high],
        "min": [min(low, low2), min(high, high2)],
        "max": [max(low, low2), max(high, high2)],
        "div": [a // b for a in (low, high) for b in (low2, -1, 1, high2) if low2 <= b <= high2 and b],
        "mod": [0, low2 + 1, high2 - 1],
    }[name]
    return k.Int(min(corners), max(corners))


class Builder:
    """Collects the parts of a program; variables, locals, blocks and faults are known by the numbers it
    gives."""

    def __init__(self, game: str = "a test", players: Sequence[str] = ("north", "south")) -> None:
        self.game, self.players = game, tuple(players)
        self.vars: list[k.Var] = []
        self.locals: list[k.LocalInfo] = []
        self.tables: list[k.Table] = []
        self.domains: list[k.Domain] = []
        self.functions: list[k.Function] = []
        self.faults: list[k.Fault] = []
        self.origins: list[k.Origin] = []
        self.blocks: list[k.Block] = []
        self.examples: list[k.Example] = []
        self.views: list[k.View] = []

    # state, locals, names

    def var(self, name: str, type_: k.Type, initial: int | tuple[int, ...] | Snapshots, **more: Any) -> int:
        length = len(initial) if isinstance(initial, tuple) else None
        self.vars.append(k.Var(name, type_, length, initial, **more))
        return len(self.vars) - 1

    def local(self, name: str, type_: k.Type, **more: Any) -> int:
        self.locals.append(k.LocalInfo(name, type_, **more))
        return len(self.locals) - 1

    def table(self, *values: int) -> int:
        self.tables.append(k.Table(f"table{len(self.tables)}", values))
        return len(self.tables) - 1

    def domain(self, *texts: str) -> int:
        self.domains.append(k.Domain(f"Domain{len(self.domains)}", texts))
        return len(self.domains) - 1

    def function(self, name: str, params: Sequence[int], type_: k.Type, *body: k.Stmt) -> int:
        self.functions.append(k.Function(name, tuple(params), type_, body))
        return len(self.functions) - 1

    def fault(self, code: str, message: str = "", line: int = 0) -> int:
        self.faults.append(k.Fault(code, message or code, self.origin(line) if line else -1))
        return len(self.faults) - 1

    def origin(self, line: int, *cites: str) -> int:
        self.origins.append(k.Origin(Span("rules.kemu", line, 1, line, 10), cites))
        return len(self.origins) - 1

    # reading

    def load(self, var: int) -> k.Load:
        return k.Load(self.vars[var].type, var)

    def at(self, var: int, index: k.Expr) -> k.At:
        return k.At(self.vars[var].type, var, index)

    def get(self, local: int) -> k.Local:
        return k.Local(self.locals[local].type, local)

    def lookup(self, table: int, index: k.Expr) -> k.Lookup:
        values = self.tables[table].values
        return k.Lookup(k.Int(min(values), max(values)), table, index)

    def fit(self, value: k.Expr, low: int, high: int, code: str = "out_of_range") -> k.Need:
        """The value, if it lies in low..high."""
        test = op("and", op("le", num(low), value), op("le", value, num(high)))
        return k.Need(k.Int(low, high), test, value, self.fault(code))

    def fold(self, name: Any, over: k.Expr, body: k.Expr, binder: int, where: k.Expr = YES) -> k.Fold:
        assert isinstance(over.type, k.Set)
        size = over.type.size
        types: dict[str, k.Type] = {"any": k.BOOL, "all": k.BOOL, "count": k.Int(0, size)}
        types |= {"first": k.Int(-1, size - 1), "min": body.type, "max": body.type, "set": over.type}
        if name == "sum":
            low, high = _bounds(body)
            types["sum"] = k.Int(min(0, size * low), max(0, size * high))
        return k.Fold(types[name], name, binder, over, where, body)

    # control

    def hole(self) -> int:
        """A number for a block that is filled in later."""
        self.blocks.append(k.Block((), k.Goto(-1)))
        return len(self.blocks) - 1

    def block(self, code: Sequence[k.Stmt], exit: k.Exit, at: int | None = None, **more: Any) -> int:
        number = self.hole() if at is None else at
        self.blocks[number] = k.Block(tuple(code), exit, **more)
        return number

    def param(
        self, name: str, local: int, domain: int, over: k.Expr | None = None, where: k.Expr = YES
    ) -> k.Param:
        size = len(self.domains[domain].texts)
        return k.Param(name, local, every(size) if over is None else over, where, domain)

    def arm(
        self, name: str, target: int, *params: k.Param, guard: k.Expr = YES, legal: k.Expr = YES
    ) -> k.Arm:
        return k.Arm(name, params, guard, legal, target)

    def decide(self, label: str, actor: k.Expr, *arms: k.Arm, other: int = -1) -> k.Decide:
        return k.Decide(
            label, actor, arms, other, self.fault("stuck", "nothing can be done") if other < 0 else -1
        )

    def chance(
        self, label: str, local: int, domain: int, target: int, weight: k.Expr | None = None
    ) -> k.Chance:
        empty = self.fault("empty_draw", "nothing can be drawn")
        return k.Chance(label, local, num(1) if weight is None else weight, domain, target, empty)

    def program(self, entry: int, result: int, width: int = 1, **more: Any) -> k.Program:
        lists = {
            name: tuple(getattr(self, name))
            for name in [
                "vars",
                "locals",
                "tables",
                "domains",
                "functions",
                "faults",
                "origins",
                "blocks",
                "examples",
                "views",
            ]
        }
        return k.Program(
            self.game, (), self.players, entry=entry, result=result, width=width, **{**lists, **more}
        )
