"""Kernel expressions to symbolic values.

Binders unroll with constant elements, so that lookups fold; functions are read once for each tuple of
arguments and state.
A Need adds (path condition, fault) to `faults`, in the order of evaluation; the path condition says when it
is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from kemu_engine.kernel import nodes as k

from kemu_verifier.symbolic.deadline import Deadline
from kemu_verifier.symbolic.facts import Facts
from kemu_verifier.symbolic.havoc import Hiding
from kemu_verifier.symbolic.terms import FALSE, TRUE, Lin, Lit, Terms
from kemu_verifier.symbolic.uninterpreted import Unknowns
from kemu_verifier.symbolic.values import (
    INDEX,
    Cases,
    Number,
    Numbers,
    TooLarge,
    Value,
    constant,
    fixed,
)

SPLIT = 8  # a function is read separately for each tuple of argument values, if there are at most so many
SPLIT_SUMS = 128  # the same for one that counts: of a place that is known it counts few things
MOST_NODES = 6_000_000


@dataclass(slots=True)
class Env:
    """Where code runs: state variables (an array is a tuple of values), what each was last written by,
    locals, and the condition under which play is here."""

    vars: list[Any]
    versions: list[int]
    locals: dict[int, Value]
    live: Lit = TRUE

    def copy(self, live: Lit) -> Env:
        return Env(list(self.vars), list(self.versions), dict(self.locals), live)


class Expressions:
    """Evaluates expressions of one program."""

    def __init__(self, program: k.Program, terms: Terms, hidden: frozenset[int] = frozenset()) -> None:
        self.program = program
        self.terms = terms
        self.numbers = Numbers(terms)
        self.facts = Facts(program)
        self.hiding = Hiding(program, self.facts, hidden, terms.linear)
        self.unknowns = Unknowns(self.hiding, terms)
        self.faults: list[tuple[Lit, int]] = []
        self.deadline: Deadline | None = None  # for reading more of the program
        self.most = MOST_NODES
        self._tables: dict[int, list[Value]] = {}
        self._memo: dict[Any, tuple[Value, list[tuple[Lit, int]]]] = {}
        self._cases: dict[type, Callable[[Any, Env, Lit], Value]] = {
            k.Const: lambda e, env, path: const(e.type, e.value),
            k.Local: lambda e, env, path: env.locals[e.id] if e.id in env.locals else default(e.type),
            k.Load: lambda e, env, path: env.vars[e.var],
            k.At: self._at,
            k.Times: self._unread,
            k.Lookup: self._lookup,
            k.Op: self._op,
            k.If: self._if,
            k.Fold: self._fold,
            k.Closure: self._closure,
            k.Let: self._let,
            k.Call: self._call,
            k.Need: self._need,
            k.Trial: self._trial,
        }

    def expr(self, expr: k.Expr, env: Env, path: Lit) -> Value:
        if self.hiding.hidden or self.hiding.untried:
            asked = self.hiding.presence(expr)
            if asked is not None:
                there = self._there(asked, env, path)
                return -there if isinstance(expr, k.Op) and expr.op == "eq" else there
            if self.hiding.covers(expr):
                unknown = self.unknowns.value(expr, env.locals, env.versions)
                return self._times(expr, unknown, env) if isinstance(expr, k.Times) else unknown
        return self._cases[type(expr)](expr, env, path)

    def _times(self, expr: k.Times, unknown: Value, env: Env) -> Value:
        """How often the present is in a hidden history: never, where that is empty."""
        return self.numbers.merge(env.vars[expr.var], constant(0), unknown)

    def _unread(self, expr: k.Times, env: Env, path: Lit) -> Value:
        name = self.program.vars[expr.var].name
        raise TooLarge(f"the history `{name}` is left out: proofs look at the rest of the state only")

    def _there(self, asked: k.At | k.Load, env: Env, path: Lit) -> Lit:
        """Whether a hidden variable, or an element of one, has a value."""
        held = env.vars[asked.var]
        if isinstance(asked, k.At):
            held = self._pick(self.index(asked.index, env, path), held)
        assert isinstance(held, int)
        return held

    def has_value(self, expr: k.Expr, env: Env) -> Lit:
        """Whether what is put into a hidden variable is a value, not `none`."""
        if isinstance(expr.type, k.Int) and expr.type.low > -1:
            return TRUE
        if isinstance(expr, k.Const | k.Local):
            return -self.numbers.equal_const(self.number(expr, env, env.live), -1)
        return self.unknowns.truth(expr, env.locals, env.versions)

    def truth(self, expr: k.Expr, env: Env, path: Lit) -> Lit:
        value = self.expr(expr, env, path)
        assert isinstance(value, int)
        return value

    def number(self, expr: k.Expr, env: Env, path: Lit) -> Number:
        value = self.expr(expr, env, path)
        assert isinstance(value, Cases | Lin)
        return value

    def index(self, expr: k.Expr, env: Env, path: Lit) -> Number:
        """A number of which every value will count, so that it is kept in one-hot form if that may be."""
        outer, self.numbers.wide = self.numbers.wide, INDEX
        try:
            return self.number(expr, env, path)
        finally:
            self.numbers.wide = outer

    def set(self, expr: k.Expr, env: Env, path: Lit) -> tuple[Lit, ...]:
        value = self.expr(expr, env, path)
        assert isinstance(value, tuple)
        return value

    def fault(self, path: Lit, fault: int) -> None:
        if path != FALSE:
            self.faults.append((path, fault))

    def check_size(self) -> None:
        """Raises TooLarge if there is no more room or time."""
        if len(self.terms.kind) > self.most:
            raise TooLarge(f"the symbolic reading of the rules grows beyond {self.most} terms")
        if self.deadline is not None and self.deadline.passed:
            much = "much memory" if Deadline.crowded else "long"
            size = len(self.terms.kind)
            raise TooLarge(f"the symbolic reading of the rules takes too {much}: {size} terms so far")

    # ------------------------------------------------------------------------------------------ access

    def _at(self, expr: k.At, env: Env, path: Lit) -> Value:
        return self._pick(self.index(expr.index, env, path), env.vars[expr.var])

    def _lookup(self, expr: k.Lookup, env: Env, path: Lit) -> Value:
        values = self._tables.get(id(expr))
        if values is None:
            table = self.program.tables[expr.table]
            values = self._tables[id(expr)] = [const(expr.type, value) for value in table.values]
        return self._pick(self.index(expr.index, env, path), values)

    def _pick(self, index: Number, options: list[Value]) -> Value:
        at = fixed(index)
        if at is None:
            return self.numbers.select(index, options)
        return options[at] if 0 <= at < len(options) else options[0]

    # ------------------------------------------------------------------------------------------ operations

    def _op(self, expr: k.Op, env: Env, path: Lit) -> Value:
        op = expr.op
        if op in ("and", "or"):
            return self._logic(expr, env, path)
        if op == "in":
            members = expr.args[1]
            return self._member(self.index(expr.args[0], env, path), self.set(members, env, path))
        args = [self.expr(arg, env, path) for arg in expr.args]
        numbers, terms = self.numbers, self.terms
        if op == "not":
            return -args[0]  # type: ignore[operator]
        if op in ("eq", "ne"):
            same = numbers.equal(args[0], args[1])
            return same if op == "eq" else -same
        if op == "le":
            return numbers.less_equal(args[0], args[1])  # type: ignore[arg-type]
        if op == "lt":
            return -numbers.less_equal(args[1], args[0])  # type: ignore[arg-type]
        if op in ("neg", "abs"):
            return numbers.unary(op, args[0])  # type: ignore[arg-type]
        if op == "single":
            return self._single(expr.type, args[0])  # type: ignore[arg-type]
        if op == "card":
            return numbers.total(0, [(1, lit) for lit in args[0]], [])  # type: ignore[union-attr]
        if op in ("union", "inter", "diff", "subset"):
            pairs: Iterable[tuple[Lit, Lit]] = zip(args[0], args[1], strict=True)  # type: ignore[arg-type]
            if op == "union":
                return tuple(terms.either(a, b) for a, b in pairs)
            if op == "subset":
                return terms.conj([-terms.both(a, -b) for a, b in pairs])
            return tuple(terms.both(a, b if op == "inter" else -b) for a, b in pairs)
        return numbers.binary(op, args[0], args[1])  # type: ignore[arg-type]

    def _logic(self, expr: k.Op, env: Env, path: Lit) -> Lit:
        sign = 1 if expr.op == "and" else -1  # a or b is not (not a and not b)
        lits: list[Lit] = []
        follow = self.facts.can_fault(expr)
        for arg in expr.args:
            lit = sign * self.truth(arg, env, path)
            if lit == FALSE:
                return sign * FALSE
            lits.append(lit)
            if follow:
                path = self.terms.both(path, lit)
        return sign * self.terms.conj(lits)

    def _member(self, index: Number, members: tuple[Lit, ...]) -> Lit:
        at = fixed(index)
        if at is not None:
            return members[at] if 0 <= at < len(members) else FALSE
        pairs = self.numbers.cases(index).pairs
        both = self.terms.both
        return self.terms.disj([both(lit, members[i]) for i, lit in pairs if 0 <= i < len(members)])

    def _single(self, type_: k.Type, index: Number) -> Value:
        assert isinstance(type_, k.Set)
        guards = dict(self.numbers.cases(index).pairs)
        return tuple(guards.get(i, FALSE) for i in range(type_.size))

    def _if(self, expr: k.If, env: Env, path: Lit) -> Value:
        test = self.truth(expr.test, env, path)
        if test in (TRUE, FALSE):
            return self.expr(expr.then if test == TRUE else expr.other, env, path)
        follow = self.facts.can_fault(expr)
        then = self.expr(expr.then, env, self.terms.both(path, test) if follow else path)
        other = self.expr(expr.other, env, self.terms.both(path, -test) if follow else path)
        return self.numbers.merge(test, then, other)

    def _let(self, expr: k.Let, env: Env, path: Lit) -> Value:
        env.locals[expr.local] = self.expr(expr.value, env, path)
        return self.expr(expr.body, env, path)

    def _need(self, expr: k.Need, env: Env, path: Lit) -> Value:
        test = self.truth(expr.test, env, path)
        self.fault(self.terms.both(path, -test), expr.fault)
        return self.expr(expr.value, env, self.terms.both(path, test))

    def _trial(self, expr: k.Trial, env: Env, path: Lit) -> Value:
        after = self.tried(expr.body, env.copy(path))
        if after.live == FALSE:
            return default(expr.type)
        return self.expr(expr.test, after, after.live)

    def tried(self, code: k.Code, env: Env) -> Env:
        raise NotImplementedError  # symbolic/statements.py

    # ------------------------------------------------------------------------------------------ binders

    def _fold(self, fold: k.Fold, env: Env, path: Lit) -> Value:
        members = self.set(fold.over, env, path)
        terms, found = self.terms, []
        follow = self.facts.can_fault(fold.where) or self.facts.can_fault(fold.body)
        stops = {"any": 1, "all": -1, "first": 1}.get(fold.op)  # the sign of the body that ends the search
        for element, member in enumerate(members):
            if member == FALSE:
                continue
            env.locals[fold.binder] = constant(element)
            here = terms.both(path, member) if follow else path
            chosen = terms.both(member, self.truth(fold.where, env, here))
            if chosen == FALSE:
                continue
            here = terms.both(path, chosen) if follow else path
            body = self.expr(fold.body, env, here)
            found.append((element, chosen, body))
            if stops is not None:
                assert isinstance(body, int)
                hit = stops * body
                if chosen == TRUE and hit == TRUE:
                    break
                if follow:
                    path = terms.both(path, -terms.both(chosen, hit))
        self.check_size()
        return self._folded(fold, found)

    def _folded(self, fold: k.Fold, found: list[tuple[int, Lit, Any]]) -> Value:
        terms, numbers = self.terms, self.numbers
        match fold.op:
            case "any":
                return terms.disj([terms.both(chosen, body) for _, chosen, body in found])
            case "all":
                return terms.conj([-terms.both(chosen, -body) for _, chosen, body in found])
            case "count":
                return numbers.total(0, [(1, terms.both(chosen, body)) for _, chosen, body in found], [])
            case "sum":
                return self._sum([(chosen, body) for _, chosen, body in found])
            case "set":
                return self._image(fold.type, [(chosen, body) for _, chosen, body in found])
            case "first":
                return self._first([(element, terms.both(chosen, body)) for element, chosen, body in found])
            case "min" | "max":
                return numbers.extreme(fold.op, [(chosen, body) for _, chosen, body in found])
            case "union":
                raise AssertionError("only optimised programs have unions")

    def _sum(self, items: list[tuple[Lit, Number]]) -> Value:
        pairs: list[tuple[int, Lit]] = []
        lins = []
        for chosen, body in items:
            if isinstance(body, Cases):
                pairs += [(v, self.terms.both(chosen, lit)) for v, lit in body.pairs if v]
            else:
                lins.append(self.terms.ite_lin(chosen, body, Lin(0)))
        return self.numbers.total(0, pairs, lins)

    def _image(self, type_: k.Type, items: list[tuple[Lit, Number]]) -> Value:
        assert isinstance(type_, k.Set)
        bits: list[list[Lit]] = [[] for _ in range(type_.size)]
        for chosen, body in items:
            for value, lit in self.numbers.cases(body).pairs:
                if 0 <= value < type_.size:
                    bits[value].append(self.terms.both(chosen, lit))
        return tuple(map(self.terms.disj, bits))

    def _first(self, hits: list[tuple[int, Lit]]) -> Value:
        none_yet, pairs = TRUE, []
        for element, hit in hits:
            pairs.append((element, self.terms.both(none_yet, hit)))
            none_yet = self.terms.both(none_yet, -hit)
        return self.numbers.collect([(-1, none_yet), *pairs])

    def _closure(self, expr: k.Closure, env: Env, path: Lit) -> Value:
        reached = list(self.set(expr.seed, env, path))
        steps: dict[int, tuple[Lit, ...]] = {}
        met: dict[int, list[tuple[Lit, int]]] = {}  # faults in the step of an element, if it is reached
        for _ in range(len(reached)):
            sources: list[list[Lit]] = [[lit] for lit in reached]
            for element, lit in enumerate(reached):
                if lit == FALSE:
                    continue
                if element not in steps:
                    env.locals[expr.binder] = constant(element)
                    outer, self.faults = self.faults, []
                    steps[element] = self.set(expr.step, env, TRUE)
                    met[element], self.faults = self.faults, outer
                for target, bit in enumerate(steps[element]):
                    if bit != FALSE:
                        sources[target].append(self.terms.both(lit, bit))
            new = [self.terms.disj(lits) for lits in sources]
            if new == reached:
                break
            reached = new
        for element, faults in met.items():
            for lit, fault in faults:
                self.fault(self.terms.conj([path, reached[element], lit]), fault)
        return tuple(reached)

    # ------------------------------------------------------------------------------------------ functions

    def _call(self, expr: k.Call, env: Env, path: Lit) -> Value:
        args = [self.expr(arg, env, path) for arg in expr.args]
        count = 1
        for arg in args:
            count *= len(arg.pairs) if isinstance(arg, Cases) else 1
        if 1 < count <= (SPLIT_SUMS if self.facts.counts(expr.function) else SPLIT):
            return self._split(expr.function, args, env, path)
        return self._apply(expr.function, tuple(args), env, path)

    def _split(self, function: int, args: list[Value], env: Env, path: Lit) -> Value:
        """The function for each tuple of values of the arguments, joined by their guards."""
        follow = self.facts.can_fault(self.program.functions[function].body)
        choices = [arg.pairs if isinstance(arg, Cases) else None for arg in args]
        guards: list[Lit] = []
        values: list[Value] = []
        for combination in product(*(pairs or (None,) for pairs in choices)):
            given = tuple(
                arg if c is None else constant(c[0]) for arg, c in zip(args, combination, strict=True)
            )
            guard = self.terms.conj([c[1] for c in combination if c is not None])
            if guard == FALSE:
                continue
            guards.append(guard)
            values.append(self._apply(function, given, env, self.terms.both(path, guard) if follow else path))
        if len(values) > SPLIT:
            return self.numbers.select(Cases(tuple(enumerate(guards))), values)
        result = values[0] if values else default(self.program.functions[function].type)
        for guard, value in zip(guards[1:], values[1:], strict=True):
            result = self.numbers.merge(guard, value, result)
        return result

    def _apply(self, number: int, args: tuple[Value, ...], env: Env, path: Lit) -> Value:
        reads = self.facts.function_reads(number)
        key = (number, args, tuple(env.versions[var] for var in sorted(reads)))
        known = self._memo.get(key)
        if known is None:
            known = self._memo[key] = self._read_function(number, args, env)
        value, faults = known
        for lit, fault in faults:
            self.fault(self.terms.both(path, lit), fault)
        return value

    def _read_function(
        self, number: int, args: tuple[Value, ...], env: Env
    ) -> tuple[Value, list[tuple[Lit, int]]]:
        function = self.program.functions[number]
        outer, self.faults = self.faults, []
        inner = Env(env.vars, env.versions, dict(zip(function.params, args, strict=True)), TRUE)
        if len(function.body) == 1 and isinstance(function.body[0], k.Return):
            value = self.expr(function.body[0].value, inner, TRUE)
        else:
            value = self.returned(function, inner)
        faults, self.faults = self.faults, outer
        return value, faults

    def returned(self, function: k.Function, env: Env) -> Value:
        raise NotImplementedError  # symbolic/statements.py


def const(type_: k.Type, value: int) -> Value:
    if isinstance(type_, k.Bool):
        return TRUE if value else FALSE
    if isinstance(type_, k.Set):
        return bits(value, type_.size)
    return constant(value)


@lru_cache(maxsize=4096)
def bits(value: int, size: int) -> tuple[Lit, ...]:
    """A set that is known, member by member."""
    return tuple(TRUE if value >> i & 1 else FALSE for i in range(size))


def default(type_: k.Type) -> Value:
    """Some value of the type, where none will ever be looked at."""
    return const(type_, type_.low if isinstance(type_, k.Int) else 0)
