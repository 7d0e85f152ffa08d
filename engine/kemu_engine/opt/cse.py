"""Common-subexpression elimination: a value that has been worked out already gets a name, and is read by it.

Value numbering with versions, in the order of evaluation, over the regions of the control-flow graph of whole
games: what is worked out for sure before, of locals and variables that have not been set since. A value that
is wanted again behind a stop is worked out anew there, under the same name: code that plays through the stop
still has it. Locals that hold a value of a rule are names of it as long as neither has changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.cfg import Stopping, reached
from kemu_engine.kernel.regions import Regions
from kemu_engine.kernel.walk import overwritten, rebuilt, size, tried, written
from kemu_engine.opt.analysis.expression_analysis import ExpressionAnalysis
from kemu_engine.opt.analysis.range_analysis import Key, ScopedTable
from kemu_engine.opt.analysis.versions import Versions
from kemu_engine.opt.constant_folding import substituted
from kemu_engine.opt.draft import Draft
from kemu_engine.opt.nodes import Below, Named
from kemu_engine.opt.optimized import Domain, Optimized
from kemu_engine.opt.provisional_names import ProvisionalNames

SMALL = 16
"""Nodes of a value that stands in the place of its Let."""


def eliminate_common_subexpressions(optimized: Optimized) -> Optimized:
    """The program with names for values that are wanted more than once."""
    sharing = _Sharing(optimized.draft, optimized.traits)
    return sharing.names.settled(sharing.all(optimized))


@dataclass(frozen=True, slots=True)
class Available:
    """A value that has been worked out: in which part, and the local that has it. `version`: of a local that
    may be set again."""

    part: int
    local: int
    version: int | None


class _Sharing:
    """Goes through a program in the order of evaluation, and gives a name to whatever is worked out in it."""

    def __init__(self, draft: Draft, traits: ExpressionAnalysis) -> None:
        self.draft, self.traits, self.named = draft, traits, traits.named
        self.names = ProvisionalNames(draft, traits)
        self._known: ScopedTable[Key, Available] = ScopedTable()
        self._versions = Versions(traits)
        self._part = -1  # the part, from stop to stop, that is being gone through
        self._blocks: dict[int, k.Block] = {}
        self._domains: dict[tuple[int, int], tuple[Domain, ...]] = {}

    def all(self, optimized: Optimized) -> Optimized:
        """The functions, the graph, and what is asked beside it."""
        program = optimized.program
        functions = []
        for each in program.functions:
            self._known = ScopedTable()
            functions.append(replace(each, body=self.code(each.body)))
        self._graph(program, optimized.domains)
        asked = []
        for expr in optimized.asked:
            self._known = ScopedTable()
            asked.append(self.expr(expr))
        blocks = tuple(self._blocks.get(at, block) for at, block in enumerate(program.blocks))
        made = replace(program, functions=tuple(functions), blocks=blocks)
        domains = {**optimized.domains, **self._domains}
        return replace(optimized, program=made, domains=domains, asked=tuple(asked))

    # ------------------------------------------------------------------------------------------ what is known

    def _key(self, expr: k.Expr) -> Key:
        return (*self._versions.key(expr), expr.type)

    def _local_key(self, expr: k.Expr, local: int) -> Key:
        """That of an expression whose value a local holds."""
        return (*self._versions.key(expr), self.draft.locals[local].type)

    def _found(self, key: Key) -> Available | None:
        """A value that has been worked out, if it can still be had."""
        found = self._known.get(key)
        if found is None or found.version is None:
            return found
        return found if found.version == self._versions.of_local(found.local) else None

    def _held(self, key: Key, local: int) -> None:
        """A local has this value, as long as it is not set again."""
        version = None if local in self.named else self._versions.of_local(local)
        self._known.note(key, Available(self._part, local, version))

    @contextmanager
    def _perhaps(self) -> Iterator[None]:
        """What may not be evaluated: what is found out in it is forgotten after it."""
        known = self._known.mark()
        yield
        self._known.back(known)

    # ------------------------------------------------------------------------------------------ expressions

    def expr(self, expr: k.Expr) -> k.Expr:
        """The expression, or the name of its value."""
        if isinstance(expr, k.Const | k.Local | k.Load):
            return expr
        if isinstance(expr, k.Let) and expr.local not in self.named and self._small(expr):
            return self.expr(substituted(expr.body, expr.local, expr.value))
        key = self._key(expr)
        found = self._found(key)
        if found is not None:
            self.names.want(found.local)
            if found.part == self._part:
                return k.Local(expr.type, found.local)
        made = self._parts(expr)
        if isinstance(expr, k.Let) and expr.local in self.named:
            return made  # what is within has the same value
        if found is not None and found.local in self.names:
            self._known.note(key, replace(found, part=self._part))
            return Named(expr.type, (made,), found.local)
        defined = self.names.named(made)
        self._known.note(key, Available(self._part, defined.local, None))
        return defined

    def _small(self, let: k.Let) -> bool:
        return size(let.value, SMALL) < SMALL and self.traits.of(let.value).total and not tried(let.body)

    def _parts(self, expr: k.Expr) -> k.Expr:
        """The expression with its parts gone through, in the order in which they are evaluated."""
        match expr:
            case k.Op(_, "and" | "or", (first, *rest)):
                args = [self.expr(first)]
                with self._perhaps():
                    args += [self.expr(each) for each in rest]
                return replace(expr, args=tuple(args))
            case k.Op(_, "subset", (inner, outer)):
                return self._subset(expr, inner, outer)
            case k.If(_, test, then, other):
                test = self.expr(test)
                with self._perhaps():
                    then = self.expr(then)
                with self._perhaps():
                    other = self.expr(other)
                return replace(expr, test=test, then=then, other=other)
            case k.Fold(_, _, binder, over, where, body):
                over = self._walked(over)
                with self._perhaps(), self._bound(binder):
                    where, body = self.expr(where), self.expr(body)
                return replace(expr, over=over, where=where, body=body)
            case k.Closure(_, seed, binder, step):
                seed = self.expr(seed)
                with self._perhaps(), self._bound(binder):
                    step = self.expr(step)
                return replace(expr, seed=seed, step=step)
            case k.Let(_, local, value, body):
                key, value = self._local_key(value, local), self.expr(value)
                with self._bound(local):
                    if not isinstance(value, k.Const | k.Local | k.Load):
                        self._held(key, local)
                    return replace(expr, value=value, body=self.expr(body))
            case k.Trial():
                return self._trial(expr)
            case _:
                return rebuilt(expr, self.expr)

    def _subset(self, expr: k.Op, inner: k.Expr, outer: k.Expr) -> k.Expr:
        """With what lies outside the larger set, if that has a name already."""
        assert isinstance(outer.type, k.Set)
        outside = k.Op(outer.type, "diff", (build.full(outer.type.size), outer))
        if inner.type != outer.type or self._found(self._key(outside)) is None:
            return rebuilt(expr, self.expr)
        common = k.Op(outer.type, "inter", (self.expr(inner), self.expr(outside)))
        return k.Op(k.BOOL, "eq", (common, build.mask(outer.type.size, 0)))

    def _walked(self, over: k.Expr) -> k.Expr:
        """A set whose elements are gone through: how it is made up tells writers how to do that."""
        row = isinstance(over, k.Op) and any(isinstance(part, Below) for part in over.args)
        if isinstance(over, k.Lookup | Below) or row:
            return self._parts(over)
        return self.expr(over)

    @contextmanager
    def _bound(self, local: int) -> Iterator[None]:
        """Where a binder has its value."""
        self._versions.touch((local,))
        yield
        self._versions.touch((local,))

    def _trial(self, trial: k.Trial) -> k.Expr:
        """On a copy of state and locals."""
        versions = self._versions.mark()
        with self._perhaps():
            made = replace(trial, body=self.code(trial.body), test=self.expr(trial.test))
        self._versions.back(versions)
        return made

    # ------------------------------------------------------------------------------------------ code

    def code(self, code: k.Code) -> k.Code:
        return tuple(map(self._statement, code))

    def _statement(self, statement: k.Stmt) -> k.Stmt:
        match statement:
            case k.Assign(local, value):
                return self._assign(statement)
            case k.Store(var, value):
                value = self.expr(value)
                self._versions.touch(vars=(var,))
                return replace(statement, value=value)
            case k.Put(var, index, value):
                index, value = self.expr(index), self.expr(value)
                self._versions.touch(vars=(var,))
                return replace(statement, index=index, value=value)
            case k.Fill(var, binder, value):
                with self._perhaps(), self._bound(binder):
                    value = self.expr(value)
                self._versions.touch(vars=(var,))
                return replace(statement, value=value)
            case k.Note(var) | k.Forget(var):
                self._versions.touch(vars=(var,))
                return statement
            case k.When(test, then, other):
                test = self.expr(test)
                with self._perhaps():
                    one = self.code(then)
                with self._perhaps():
                    two = self.code(other)
                self._versions.touch(overwritten(then + other), written(then + other))
                return k.When(test, one, two)
            case k.For(local, over, body):
                over = self._walked(over)
                return k.For(local, over, self._laps(body, overwritten(body) | {local}))
            case k.Loop(_, body):
                return replace(statement, body=self._laps(body, overwritten(body)))
            case k.Return(value):
                return k.Return(self.expr(value))
            case k.Check(test):
                return replace(statement, test=self.expr(test))
            case _:
                return statement

    def _assign(self, assign: k.Assign) -> k.Stmt:
        local, value = assign.local, assign.value
        plain = isinstance(value, k.Const | k.Local | k.Load)
        key, reads_itself = self._local_key(value, local), local in self.traits.of(value).locals
        made = self.expr(value)
        if local not in self.named:
            self._versions.touch((local,))
        if not plain and not reads_itself:
            self._held(key, local)
        return replace(assign, value=made)

    def _laps(self, body: k.Code, locals: frozenset[int]) -> k.Code:
        """The body of a loop, at whose head what it sets may be anything, as it may be after it."""
        self._versions.touch(locals, written(body))
        with self._perhaps():
            made = self.code(body)
        self._versions.touch(locals, written(body))
        return made

    # ------------------------------------------------------------------------------------------ the graph

    def _graph(self, program: k.Program, domains: Mapping[tuple[int, int], tuple[Domain, ...]]) -> None:
        """All blocks, region by region of the graph of whole games."""
        self._source, self._given = program.blocks, domains
        self._regions = Regions(program.blocks, program.entry, True)
        self._parts_of = parts(program)
        for head in sorted(self._regions.heads, key=self._regions.rank.__getitem__):
            self._known = ScopedTable()
            self._from(head, None)

    def _from(self, number: int, merge: int | None) -> None:
        """A block and what follows up to the end of its region, or to `merge`."""
        self._part = self._parts_of.get(number, number)
        block, inner = self._source[number], self._regions.merge(number)
        joint = merge if inner is None else inner
        code, exit = self.code(block.code), block.exit
        before = self._versions.mark()
        match exit:
            case k.Goto(target):
                self._go(target, merge)
            case k.Split(test):
                exit = replace(exit, test=self.expr(test))
                before = self._versions.mark()
                for target in self._regions.following(number):
                    self._way(target, joint)
            case k.Switch():
                for target in exit.targets:
                    self._way(target, joint)
            case k.Decide():
                exit = self._decide(number, exit)
                if exit.other >= 0:
                    self._way(exit.other, joint)
                for arm in exit.arms:
                    self._way(arm.target, joint, [param.local for param in arm.params])
            case k.Chance(_, local, weight, _, target):
                with self._perhaps(), self._bound(local):
                    exit = replace(exit, weight=self.expr(weight))
                self._versions.touch((local,))
                self._go(target, merge)
        self._blocks[number] = replace(block, code=code, exit=exit)
        if isinstance(exit, k.Split | k.Switch | k.Decide):
            self._versions.merge(before)
            if inner is not None:
                self._from(inner, merge)

    def _go(self, target: int, merge: int | None) -> None:
        target = self._regions.after(target)
        if target not in self._regions.heads and target != merge:
            self._from(target, merge)

    def _way(self, target: int, merge: int | None, locals: Iterable[int] = ()) -> None:
        """One way of several, on which these locals are set."""
        with self._perhaps():
            self._versions.touch(locals)
            self._go(target, merge)

    def _decide(self, number: int, decide: k.Decide) -> k.Decide:
        """Who decides is not asked for wherever nobody wants to know."""
        with self._perhaps():
            actor = self.expr(decide.actor)
        arms = []
        for at, arm in enumerate(decide.arms):
            guard, legal = self.expr(arm.guard), arm.legal
            with nullcontext() if guard == build.truth(True) else self._perhaps():
                if arm.params:
                    locals = tuple(param.local for param in arm.params)
                    self._domains[number, at] = self._loops(locals, self._given[number, at])
                else:
                    legal = self.expr(legal)
            arms.append(replace(arm, guard=guard, legal=legal))
        return replace(decide, actor=actor, arms=tuple(arms))

    def _loops(self, locals: tuple[int, ...], domains: tuple[Domain, ...]) -> tuple[Domain, ...]:
        """The domains of the parameters of an arm, loops within each other."""
        if not domains:
            return ()
        first, rest = domains[0], domains[1:]
        before, over = self.code(first.before), self._walked(first.over)
        with self._perhaps(), self._bound(locals[0]):
            where = self.expr(first.where)
            return (Domain(before, over, where), *self._loops(locals[1:], rest))


def parts(program: k.Program) -> dict[int, int]:
    """Of each block the one at which its part begins, where play may also begin at a stop."""
    stops = [at for at, block in enumerate(program.blocks) if isinstance(block.exit, Stopping)]
    graph = Regions(program.blocks, program.entry, False, stops)

    def on(block: int) -> list[int]:
        return [each for each in graph.following(block) if each not in graph.heads]

    return {block: head for head in graph.heads for block in reached([head], on)}
