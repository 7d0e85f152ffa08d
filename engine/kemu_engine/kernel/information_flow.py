"""What secrets flow into: an analysis of the program, for all plays at once.

Denning and Denning 1977, "Certification of Programs for Secure Information Flow": what is worked out from a
secret is one, and so is whatever is written where a secret decided that play comes there. Nothing that
everybody sees may be one. What is told by `reveal`, by an action or by an open outcome is none from then on.
Faults are left out: that there are none is a question of its own.
"""

from __future__ import annotations

from dataclasses import replace

from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import targets
from kemu_engine.kernel.sight import secret
from kemu_engine.kernel.walk import asked, expressions, within


class InformationFlow:
    """`locals`, `vars`: those that may hold something secret; `leaks`: what becomes public by it."""

    def _begin(self, program: k.Program) -> None:
        """Nothing is secret, and nothing known."""
        self.program = program
        self.vars: set[int] = set()
        self.locals: set[int] = set()
        self.blocks: set[int] = set()  # where play is because of a secret
        self.leaks: list[str] = []
        self._reads: set[int] = set()  # functions that read what is secret
        self._last = _Postdominators(program)

    def __init__(self, program: k.Program) -> None:
        self._begin(program)
        self.vars = {
            at for at, var in enumerate(program.vars)
            if var.seen is not None and not var.local
        }  # fmt: skip
        size = -1
        while size != (size := len(self.vars) + len(self.locals) + len(self.blocks)):
            self._look_at_functions()
            self.leaks.clear()
            for number, block in enumerate(program.blocks):
                self._code(block.code, number in self.blocks)
                self._exit(number, block.exit)
        self.leaks = list(dict.fromkeys(self.leaks))

    # ------------------------------------------------------------------------------------------ expressions

    def secret(self, expr: k.Expr) -> bool:
        """Whether its value may depend on a secret."""
        return any(self._leaf(part) for part in within(expr))

    def _leaf(self, part: k.Expr) -> bool:
        match part:
            case k.Local(_, local):
                return local in self.locals
            case k.Load(_, var) | k.At(_, var):
                return var in self.vars
            case k.Call(_, function):
                return function in self._reads
        return False

    def _look_at_functions(self) -> None:
        """Which of them read what is secret, those that they call included; their locals are their own."""
        size = -1
        while size != (size := len(self._reads)):
            for number, function in enumerate(self.program.functions):
                if any(self._leaf(part) for expr in expressions(function.body) for part in within(expr)):
                    self._reads.add(number)

    # ------------------------------------------------------------------------------------------ code

    def _code(self, code: k.Code, by: bool) -> bool:
        """Notes what code writes; `by`: whether a secret decided that it runs. Whether it may leave a loop or
        go on to its next lap because of a secret."""
        left = False
        for statement in code:
            by = by or left
            match statement:
                case k.Assign(local=local, value=value):
                    if by or self.secret(value):
                        self.locals.add(local)
                case k.Store(var=var, value=value):
                    self._write(var, by or self.secret(value))
                case k.Put(var=var, index=index, value=value):
                    self._write(var, by or self.secret(index) or self.secret(value))
                case k.Fill(var=var, value=value):
                    self._write(var, by or self.secret(value))
                case k.Note(var=var) | k.Forget(var=var):
                    self._write(var, by)
                case k.When(test, then, other):
                    inner = by or self.secret(test)
                    one, two = self._code(then, inner), self._code(other, inner)
                    left |= one or two
                case k.For(local=local, over=over, body=body):
                    inner = by or self.secret(over)
                    if inner:
                        self.locals.add(local)
                    if self._code(body, inner):
                        self._code(body, True)
                case k.Loop(body=body):
                    if self._code(body, by):
                        self._code(body, True)
                case k.Break() | k.Continue() | k.Return():
                    left |= by
        return left

    def _write(self, var: int, secretly: bool) -> None:
        known = self.program.vars[var]
        if not secretly or var == self.program.result:
            return
        if known.local:
            self.vars.add(var)
        elif known.seen is None:
            self.leaks.append(f"`{known.name}` depends on a secret")

    # ------------------------------------------------------------------------------------------ exits

    def _exit(self, number: int, exit: k.Exit) -> None:
        by = number in self.blocks
        match exit:
            case k.Split(test):
                if self.secret(test):
                    self._parts_at(number)
            case k.Switch(local=local):
                if local in self.locals:
                    self._parts_at(number)
            case k.Chance():
                self._stops(exit.label, by)
                if by or exit.told is not None:
                    self.locals.add(exit.local)
            case k.Decide():
                self._stops(exit.label, by)
                self._decision(number, exit)

    def _decision(self, number: int, decide: k.Decide) -> None:
        if self.secret(decide.actor):
            self.leaks.append(f"who acts at `{decide.label}` depends on a secret")
        if decide.other >= 0 and any(map(self.secret, asked(decide))):
            self.leaks.append(f"whether somebody acts at `{decide.label}` depends on a secret")
            self._parts_at(number)
        if decide.told != "never":
            return
        self.locals.update(param.local for arm in decide.arms for param in arm.params)
        if len(decide.arms) > 1:
            self._parts_at(number)

    def _stops(self, label: str, by: bool) -> None:
        if by:
            self.leaks.append(f"whether play comes to `{label}` depends on a secret")

    def _parts_at(self, number: int) -> None:
        """A secret decides where play goes on: all blocks up to where its ways meet again."""
        self.blocks |= self._last.between(number)


def marked(program: k.Program) -> k.Program:
    """The program with what the flow of secrets may come to marked: locals, and variables of rules, which
    then nobody sees."""
    if not secret(program):
        return program
    flow = InformationFlow(program)
    locals_ = tuple(replace(info, secret=at in flow.locals) for at, info in enumerate(program.locals))
    vars_ = tuple(
        replace(var, seen=(0,) * (var.length or 1)) if var.local and at in flow.vars else var
        for at, var in enumerate(program.vars)
    )
    return replace(program, locals=locals_, vars=vars_)


class _Postdominators:
    """Where the ways that part at a block meet again. All ends are one; what leads to a fault is none. Where
    play cannot come to an end any more, it may as well be over at each block: such ways meet nowhere else."""

    def __init__(self, program: k.Program) -> None:
        count = len(program.blocks)
        self.end = count
        self.onward = [self._onward(program, number) for number in range(count)]
        ending, size = {self.end}, 0
        while size != (size := len(ending)):
            ending.update(number for number, ways in enumerate(self.onward) if not ending.isdisjoint(ways))
        for number in set(range(count)) - ending:
            self.onward[number].append(self.end)
        everything = frozenset(range(count + 1))
        after = [everything] * count + [frozenset({count})]
        changed = True
        while changed:
            changed = False
            for number in reversed(range(count)):
                ways = [after[each] for each in self.onward[number]]
                found = frozenset({number}) | (frozenset.intersection(*ways) if ways else frozenset({count}))
                if found != after[number]:
                    after[number], changed = found, True
        self.after = after

    def _onward(self, program: k.Program, number: int) -> list[int]:
        exit = program.blocks[number].exit
        if isinstance(exit, k.End):
            return [self.end]
        return [each for each in targets(exit) if not isinstance(program.blocks[each].exit, k.Fail)]

    def between(self, number: int) -> set[int]:
        """The blocks on the ways from a block to where they all meet."""
        meeting = self.after[number] - {number}
        found, waiting = set[int](), [each for each in self.onward[number] if each not in meeting]
        while waiting:
            block = waiting.pop()
            if block in found or block == self.end:
                continue
            found.add(block)
            waiting += [each for each in self.onward[block] if each not in meeting]
        return found
