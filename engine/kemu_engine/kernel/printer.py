"""A program as readable text, for tests and for whoever looks at what a pass has made of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.build import TRUE
from kemu_engine.kernel.values import elements

INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "//", "mod": "%", "eq": "==", "ne": "!=", "lt": "<",
    "le": "<=", "and": "and", "or": "or", "in": "in", "union": "|", "inter": "&", "diff": "-", "subset": "<=",
}  # fmt: skip
MANY = 12
"""Elements of a set that are listed."""


def printed(program: k.Program) -> str:
    """The functions and blocks of a program."""
    return "\n".join(_Printer(program).program())


def expression(program: k.Program, expr: k.Expr) -> str:
    """One expression."""
    return _Printer(program).expr(expr)


class _Printer:
    """Names of locals are told apart by their numbers where one name has several."""

    def __init__(self, program: k.Program) -> None:
        self._program = program
        names = [info.name for info in program.locals]
        self._locals = [name if names.count(name) == 1 else f"{name}_{at}" for at, name in enumerate(names)]

    def program(self) -> Iterator[str]:
        for function in self._program.functions:
            params = ", ".join(self._locals[param] for param in function.params)
            yield f"fun {function.name}({params}):"
            yield from self._indented(function.body)
        for number, block in enumerate(self._program.blocks):
            live = ", ".join(self._locals[local] for local in block.live)
            yield f"block {number}{f' {block.name}' if block.name else ''}{f' keeps {live}' if live else ''}:"
            yield from self._indented(block.code)
            yield from (f"    {line}" for line in self._exit(block.exit))

    def _indented(self, code: k.Code) -> Iterator[str]:
        yield from (f"    {line}" for statement in code for line in self.statement(statement))

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr) -> str:
        program = self._program
        match expr:
            case k.Const():
                return self._constant(expr)
            case k.Local(_, local):
                return self._locals[local]
            case k.Load(_, var):
                return program.vars[var].name
            case k.At(_, var, index):
                return f"{program.vars[var].name}[{self.expr(index)}]"
            case k.Times(_, var):
                return f"times({program.vars[var].name})"
            case k.Lookup(_, table, index):
                return f"{program.tables[table].name}_{table}[{self.expr(index)}]"
            case k.Op():
                return self._operation(expr)
            case k.If(_, test, then, other):
                return f"({self.expr(then)} if {self.expr(test)} else {self.expr(other)})"
            case k.Fold(_, op, binder, over, where, body):
                asked = "" if where == TRUE else f" if {self.expr(where)}"
                return f"{op}({self.expr(body)} for {self._locals[binder]} in {self.expr(over)}{asked})"
            case k.Closure(_, seed, binder, step):
                return f"closure({self.expr(seed)}, {self._locals[binder]}: {self.expr(step)})"
            case k.Let(_, local, value, body):
                return f"(let {self._locals[local]} = {self.expr(value)}: {self.expr(body)})"
            case k.Call(_, function, args):
                return f"{program.functions[function].name}({self._all(args)})"
            case k.Need(_, test, value, fault):
                return f"need({self.expr(test)}, {self.expr(value)}, {program.faults[fault].code})"
            case k.Trial(_, body, test):
                lines = "; ".join(line.strip() for each in body for line in self.statement(each))
                return f"trial({lines}: {self.expr(test)})"
            case k.Intrinsic():
                return self._intrinsic(expr)

    def _all(self, exprs: tuple[k.Expr, ...]) -> str:
        return ", ".join(map(self.expr, exprs))

    def _constant(self, const: k.Const) -> str:
        match const.type:
            case k.Bool():
                return "true" if const.value else "false"
            case k.Set(size) if const.value == (1 << size) - 1 and size:
                return f"all {size}"
            case k.Set():
                items = elements(const.value)
                more = ", ..." if len(items) > MANY else ""
                return f"{{{', '.join(map(str, items[:MANY]))}{more}}}"
        return str(const.value)

    def _operation(self, op: k.Op) -> str:
        if op.op in INFIX:
            return f"({f' {INFIX[op.op]} '.join(map(self.expr, op.args))})"
        return f"{op.op}({self._all(op.args)})"

    def _intrinsic(self, expr: k.Intrinsic) -> str:
        """By its class and what it has beside its arguments."""
        beside = []
        for each in fields(expr):
            value = getattr(expr, each.name)
            if each.name == "local":
                return f"({self._locals[value]} := {self._all(expr.args)})"
            if each.name == "var":
                beside.append(self._program.vars[value].name)
            elif each.name == "table":
                beside.append(f"{self._program.tables[value].name}_{value}")
            elif each.name not in ("type", "args"):
                beside.append(f"{len(value)} {each.name}")
        return f"{type(expr).__name__}{f'[{beside[0]}]' if beside else ''}({self._all(expr.args)})"

    # ------------------------------------------------------------------------------------------ statements

    def statement(self, statement: k.Stmt) -> Iterator[str]:
        program = self._program
        match statement:
            case k.Assign(local, value):
                yield f"{self._locals[local]} := {self.expr(value)}"
            case k.Store(var, value):
                yield f"{program.vars[var].name} = {self.expr(value)}"
            case k.Put(var, index, value):
                yield f"{program.vars[var].name}[{self.expr(index)}] = {self.expr(value)}"
            case k.Fill(var, binder, value):
                yield f"{program.vars[var].name}[{self._locals[binder]}] = {self.expr(value)} for all"
            case k.Note(var) | k.Forget(var):
                yield f"{type(statement).__name__.lower()} {program.vars[var].name}"
            case k.When(test, then, other):
                yield f"if {self.expr(test)}:"
                yield from self._indented(then)
                if other:
                    yield "else:"
                    yield from self._indented(other)
            case k.For(local, over, body):
                yield f"for {self._locals[local]} in {self.expr(over)}:"
                yield from self._indented(body)
            case k.Loop(bound, body, fault):
                yield f"loop {bound}, {program.faults[fault].code}:"
                yield from self._indented(body)
            case k.Break() | k.Continue():
                yield type(statement).__name__.lower()
            case k.Return(value):
                yield f"return {self.expr(value)}"
            case k.Check(test, fault):
                yield f"check {self.expr(test)}, {program.faults[fault].code}"

    def _exit(self, exit: k.Exit) -> Iterator[str]:
        match exit:
            case k.Goto(block):
                yield f"goto {block}"
            case k.Split(test, then, other):
                yield f"if {self.expr(test)} goto {then} else {other}"
            case k.Switch(local, targets):
                yield f"switch {self._locals[local]}: {', '.join(map(str, targets))}"
            case k.Decide():
                told = "" if exit.told == "at once" else f" told {exit.told}"
                yield f"decide {exit.label} by {self.expr(exit.actor)}{told}"
                yield from map(self._arm, exit.arms)
                stuck = self._program.faults[exit.stuck].code if exit.other < 0 else f"goto {exit.other}"
                yield f"else {stuck}"
            case k.Chance():
                told = "" if exit.told is None else f" told {self.expr(exit.told)}"
                yield f"chance {exit.label}: {self._locals[exit.local]} by {self.expr(exit.weight)}{told}"
                yield f"goto {exit.target}"
            case k.End(form):
                yield f"end {form}"
            case k.Fail(fault):
                yield f"fail {self._program.faults[fault].code}"

    def _arm(self, arm: k.Arm) -> str:
        params = []
        for param in arm.params:
            asked = "" if param.where == TRUE else f" if {self.expr(param.where)}"
            params.append(f"{self._locals[param.local]} in {self.expr(param.over)}{asked}")
        tests = [test for test in (arm.guard, arm.legal) if test != TRUE]
        legal = f" if {' and '.join(map(self.expr, tests))}" if tests else ""
        return f"  {arm.name}({', '.join(params)}){legal} goto {arm.target}"
