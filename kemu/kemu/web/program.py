"""A program as plain data, for the page that has no server: all that play and pictures ask of it, shared
parts once (site/here/kernel.js reads it).

Expressions stand in one list, `nodes`, each an array: its tag, its form, and the rest, in which numbers stand
for other nodes; statements and exits are arrays of the same kind, where they are. The form says how a value
is kept: `b` truth, `n` a number, `N` one that can pass 2^53, `s` a set of at most 30 elements, `S` a larger
one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.snapshots import Snapshots

from kemu.render.owners import reads
from kemu.render.turn import players_on_turn
from kemu.render.words import names_of_keys

SAFE = 1 << 53
SMALL = 30
Data = list[Any]


def form(type_: k.Type) -> str:
    """How the page keeps a value of the type."""
    match type_:
        case k.Bool():
            return "b"
        case k.Int(low, high):
            return "n" if low > -SAFE and high < SAFE else "N"
        case k.Set(size):
            return "s" if size <= SMALL else "S"
        case k.History():
            return "h"


def number(value: int) -> int | str:
    """An integer for JSON: as a text where the page could not read it as a number."""
    value = int(value)
    return value if -SAFE < value < SAFE else f"{value:#x}" if value >= 0 else str(value)


class Writer:
    """Writes the parts of one program."""

    def __init__(self, program: k.Program) -> None:
        self.program = program
        self.nodes: list[Data] = []
        self.texts: list[tuple[str, ...]] = []
        self.tables: set[int] = set()
        self.faults: set[int] = set()
        self._functions: dict[int, Data] = {}
        self._known: dict[str, int] = {}
        self._seen: dict[int, tuple[k.Expr, int]] = {}
        self._lists: dict[tuple[str, ...], int] = {}

    def listed(self, texts: tuple[str, ...]) -> int:
        """The number of a list of texts; -1 for none."""
        if not texts:
            return -1
        if texts not in self._lists:
            self._lists[texts] = len(self.texts)
            self.texts.append(texts)
        return self._lists[texts]

    # ---------------------------------------------------------------------------------------- expressions

    def expr(self, expr: k.Expr) -> int:
        """The number of an expression."""
        known = self._seen.get(id(expr))
        if known is None:
            made = self._expr(expr)
            key = json.dumps(made)
            if key not in self._known:
                self._known[key] = len(self.nodes)
                self.nodes.append(made)
            known = self._seen[id(expr)] = expr, self._known[key]
        return known[1]

    def _expr(self, expr: k.Expr) -> Data:
        kept = form(expr.type)
        match expr:
            case k.Const(_, value):
                return ["const", kept, number(value)]
            case k.Local(_, local):
                return ["local", kept, local]
            case k.Load(_, var):
                return ["load", kept, var]
            case k.At(_, var, index):
                return ["at", kept, var, self.expr(index)]
            case k.Times(_, var):
                return ["times", kept, var]
            case k.Lookup(_, table, index):
                self.tables.add(table)
                return ["lookup", kept, table, self.expr(index)]
            case k.Op(_, op, args):
                return [op, kept, *map(self.expr, args)]
            case k.If(_, test, then, other):
                return ["if", kept, *map(self.expr, (test, then, other))]
            case k.Fold(_, op, binder, over, where, body):
                low = expr.type.low if isinstance(expr.type, k.Int) else 0
                return ["fold", kept, op, binder, *map(self.expr, (over, where, body)), number(low)]
            case k.Closure(_, seed, binder, step):
                return ["closure", kept, self.expr(seed), binder, self.expr(step)]
            case k.Let(_, local, value, body):
                return ["let", kept, local, self.expr(value), self.expr(body)]
            case k.Call(_, function, args):
                self._function(function)
                return ["call", kept, function, *map(self.expr, args)]
            case k.Need(_, test, value, fault):
                return ["need", kept, self.expr(test), self.expr(value), self._fault(fault)]
            case k.Trial(_, body, test):
                return ["trial", kept, self.code(body), self.expr(test)]
            case _:
                raise ValueError(f"the page does not know {type(expr).__name__}")

    def _function(self, number: int) -> None:
        if number not in self._functions:
            function = self.program.functions[number]
            self._functions[number] = [function.params, form(function.type), self.code(function.body)]

    def functions(self) -> list[Data | None]:
        """Those that are called by what was written; nothing in the place of others."""
        return [self._functions.get(at) for at in range(len(self.program.functions))]

    def _fault(self, fault: int) -> int:
        self.faults.add(fault)
        return fault

    # ---------------------------------------------------------------------------------------- statements

    def code(self, code: k.Code) -> list[Data]:
        return [self._statement(each) for each in code]

    def _statement(self, statement: k.Stmt) -> Data:
        match statement:
            case k.Assign(local, value):
                return ["assign", local, self.expr(value)]
            case k.Store(var, value):
                return ["store", var, self.expr(value)]
            case k.Put(var, index, value):
                return ["put", var, self.expr(index), self.expr(value)]
            case k.Fill(var, binder, value):
                return ["fill", var, binder, self.expr(value)]
            case k.Note(var):
                return ["note", var]
            case k.Forget(var):
                return ["forget", var]
            case k.When(test, then, other):
                return ["when", self.expr(test), self.code(then), self.code(other)]
            case k.For(local, over, body):
                return ["for", local, self.expr(over), self.code(body)]
            case k.Loop(bound, body, fault):
                return ["loop", bound, self.code(body), self._fault(fault)]
            case k.Break():
                return ["break"]
            case k.Continue():
                return ["continue"]
            case k.Return(value):
                return ["return", self.expr(value)]
            case k.Check(test, fault):
                return ["check", self.expr(test), self._fault(fault)]

    def exit(self, exit: k.Exit) -> Data:
        match exit:
            case k.Goto(block):
                return ["goto", block]
            case k.Split(test, then, other):
                return ["split", self.expr(test), then, other]
            case k.Switch(local, targets):
                return ["switch", local, targets]
            case k.Decide(label, actor, arms, other, stuck):
                menu = [self._arm(arm) for arm in arms]
                return ["decide", label, self.expr(actor), menu, other, self._fault(stuck), exit.told]
            case k.Chance(label, local, weight, domain, target, empty):
                told = None if exit.told is None else self.expr(exit.told)
                texts = self.listed(self.program.domains[domain].texts)
                return ["chance", label, local, self.expr(weight), texts, target, self._fault(empty), told]
            case k.End(how):
                return ["end", how, names_of_keys(self.program, exit)]
            case k.Fail(fault):
                return ["fail", self._fault(fault)]

    def _arm(self, arm: k.Arm) -> Data:
        params = [
            [
                each.name,
                each.local,
                self.expr(each.over),
                self.expr(each.where),
                self.listed(self.program.domains[each.domain].texts),
            ]
            for each in arm.params
        ]
        return [arm.name, params, self.expr(arm.guard), self.expr(arm.legal), arm.target]

    # ---------------------------------------------------------------------------------------- state

    def var(self, var: k.Var) -> Data:
        vars_ = var.type.vars if isinstance(var.type, k.History) else ()
        low = var.type.low if isinstance(var.type, k.Int) else 0
        initial: object = 0
        if isinstance(var.initial, tuple):
            initial = _repeated(list(map(number, var.initial)))
        elif not isinstance(var.initial, Snapshots):
            initial = number(var.initial)
        seen = None if var.seen is None else [number(each) for each in var.seen]
        return [
            var.name, form(var.type), var.length, initial, self.listed(var.labels), self.listed(var.texts),
            seen, int(var.local), number(low), vars_,
        ]  # fmt: skip

    # ---------------------------------------------------------------------------------------- views

    def view(self, view: k.View) -> Data:
        spots = [
            [
                each.element, each.domain, *map(self.expr, (each.when, each.x, each.y, each.glyph)),
                self.listed(each.texts), [self._read(read) for read in reads(each.glyph)],
            ]
            for each in view.spots
        ]  # fmt: skip
        lines = [[self.expr(each.when), self._pieces(each.parts), each.block] for each in view.lines]
        return [view.name, view.ground, spots, lines, [self._figure(each) for each in view.figures]]

    def _read(self, read: k.Load | k.At) -> Data:
        low = read.type.low if isinstance(read.type, k.Int) else 0
        index = self.expr(read.index) if isinstance(read, k.At) else -1
        return [self.expr(read), read.var, index, number(low)]

    def _pieces(self, parts: Iterable[k.Piece]) -> Data:
        return [each if isinstance(each, str) else self._piece(*each) for each in parts]

    def _piece(self, expr: k.Expr, texts: tuple[str, ...]) -> Data:
        low = expr.type.low if isinstance(expr.type, k.Int) else 0
        return [self.expr(expr), self.listed(texts), number(low)]

    def _figure(self, figure: k.Figure) -> Data:
        points = [
            [
                self.expr(each.x),
                self.expr(each.y),
                [[self.expr(part) for part in step] for step in each.steps],
            ]
            for each in figure.points
        ]
        named = [
            None if each is None else [self.expr(each.index), self.listed(each.texts)]
            for each in (figure.fill, figure.edge)
        ]
        return [
            figure.shape, figure.element, figure.domain, self.expr(figure.when), points, *named,
            [self.expr(each) for each in figure.size],
            None if figure.turn is None else [self.expr(each) for each in figure.turn],
            figure.laid, self.expr(figure.count), self._pieces(figure.parts), figure.owner,
        ]  # fmt: skip


def _repeated(values: list[Any]) -> object:
    """`{"all": x}` for a list of nothing but x."""
    return {"all": values[0]} if len(values) > 2 and len(set(map(str, values))) == 1 else values


def as_data(program: k.Program, views: Iterable[tuple[k.View, ...]]) -> dict[str, Any]:
    """The program, with the views of each who may sit before the page."""
    w = Writer(program)
    blocks = [
        [w.code(each.code), w.exit(each.exit), each.live, players_on_turn(program, at)]
        for at, each in enumerate(program.blocks)
    ]
    seen = [[w.view(view) for view in each] for each in views]
    return {
        "game": program.game,
        "settings": dict(program.settings),
        "players": program.players,
        "vars": [w.var(each) for each in program.vars],
        "locals": "".join(form(each.type) for each in program.locals),
        "tables": [
            list(map(number, each.values)) if at in w.tables else [] for at, each in enumerate(program.tables)
        ],
        "functions": w.functions(),
        "faults": [each.message if at in w.faults else "" for at, each in enumerate(program.faults)],
        "blocks": blocks,
        "entry": program.entry,
        "result": program.result,
        "width": program.width,
        "views": seen,
        "nodes": w.nodes,
        "texts": w.texts,
    }
