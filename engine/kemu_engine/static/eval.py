"""The evaluator of instance time: expressions and pure functions on values that are known.

It computes domains, constants and checks, and it tabulates pure functions for play time: one evaluator for
all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NoReturn

from kemu_grammar.check.builtins import FUNCTIONS
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in

from kemu_engine.static import operators
from kemu_engine.static.builtins import BUILTINS
from kemu_engine.static.context import Env
from kemu_engine.static.eval_statements import StatementEvaluator
from kemu_engine.static.problems import StaticFault, called_from, refuse
from kemu_engine.static.types import Type, TypeMaker, admit
from kemu_engine.static.values import (
    LARGEST,
    Atom,
    Domain,
    FrozenMap,
    Row,
    Seq,
    Value,
    arranged,
    exact,
    iterate,
    text_of,
)
from kemu_engine.static.weights import PER_STEP, SMALL, Weights
from kemu_engine.static.work import Work

CALL = 3  # steps of a call, besides those of its arguments and of the function's body
MEMBERSHIP = ("in", "not in")  # look only a little into a set, map or domain
REMEMBERED = 1_000_000  # things in results of pure functions that are kept, and in what they were given
ADMITTED = 2  # things in an argument that are brought into a type in the time of a step
BUILT = 2  # things in what a built-in function makes in the time of a step
SLOW = {"sorted": 1, "min": 1, "max": 1, "text": 2}  # the same for functions that look at more than identity
DEPTH = 300  # nested calls of functions
DEEPEST = 100  # of one that may call itself during play
CHAIN = 1000  # definitions that each need the next


class Evaluator:
    """Evaluates against the global names of one instance.

    `names`: the surviving declarations; `known`: values of options, players, enum members, table rows;
    `before`: what an
    `under` replaced, by the name of the replacement.
    """

    def __init__(
        self, names: dict[str, t.Declaration], known: dict[str, Value], before: dict[int, t.Fun | t.Rule]
    ) -> None:
        self.names = names
        self.known = known
        self.before = before
        self.conditional: frozenset[str] = frozenset()  # names that some `under` defines
        self.types = TypeMaker(self)
        self._bodies = StatementEvaluator(self)
        self.work = Work()
        self.weights = Weights(self.work)
        self.depth = 0
        self._open: list[str] = []
        self._results: dict[Any, Value] = {}
        self._remembered = 0  # things in them, and in the arguments
        self.levels: dict[
            int, int
        ] = {}  # how often one is open of the functions that say how often they may be
        self._typed: set[int] = set()  # functions with a type for every parameter
        self._parameters: dict[int, tuple[tuple[str, Type | None, t.Expr | None], ...]] = {}
        self._visit: dict[type, Callable[[Any, Env], Value]] = {
            t.Number: lambda e, env: e.value,
            t.Truth: lambda e, env: e.value,
            t.Nothing: lambda e, env: None,
            t.Text: self._text,
            t.Name: self._name,
            t.Field: lambda e, env: operators.field(self.eval(e.value, env), e.name, e.span),
            t.Index: self._index,
            t.Slice: self._slice,
            t.Call: self._call,
            t.Tuple: lambda e, env: self.weights.made(tuple(self.eval(x, env) for x in e.items), e.span),
            t.ListOf: lambda e, env: self.weights.made(Seq(self.eval(x, env) for x in e.items), e.span),
            t.SetOf: lambda e, env: self.weights.made(frozenset(self._some(x, env) for x in e.items), e.span),
            t.MapOf: self._map,
            t.Comprehension: self._comprehension,
            t.Unary: lambda e, env: operators.unary(e.op, self.eval(e.operand, env), e.span),
            t.Binary: self._binary,
            t.Compare: self._compare,
            t.Logic: self._logic,
            t.Presence: lambda e, env: (self.eval(e.value, env) is not None) == e.some,
            t.Choice: lambda e, env: self.eval(e.then if self.truth(e.test, env) else e.other, env),
            t.Range: self._range,
            t.After: self._of_play,
            t.Can: self._of_play,
        }

    # ------------------------------------------------------------------------------------------ expressions

    def _of_play(self, e: t.After | t.Can, env: Env) -> Value:
        word = "after" if isinstance(e, t.After) else "can"
        refuse("E0701", e.span, f"`{word}` asks about play, but this needs a value known before play starts")

    def eval(self, expr: t.Expr, env: Env) -> Value:
        """The value of an expression. Raises StaticFault, or RulesError for what is no fault of values."""
        work = self.work
        work.steps += 1
        if work.steps > work.most:
            work.spend(0, expr.span)
        return self._visit[type(expr)](expr, env)

    def truth(self, expr: t.Expr, env: Env) -> bool:
        value = self.eval(expr, env)
        if value is True or value is False:
            return value
        if value is None:
            raise StaticFault("missing_value", "none where a truth value is wanted", expr.span)
        refuse("E0710", expr.span, f"expected a truth value, but this is {text_of(value)}")

    def number(self, expr: t.Expr, env: Env) -> int:
        value = self.eval(expr, env)
        if value is None:
            raise StaticFault("missing_value", "none where a number is wanted", expr.span)
        if isinstance(value, bool) or not isinstance(value, int):
            refuse("E0710", expr.span, f"expected a number, but this is {text_of(value)}")
        return int(value)

    def elements(self, expr: t.Expr, env: Env) -> tuple[Value, ...]:
        value = self.eval(expr, env)
        if value is None:
            raise StaticFault("missing_value", "none where a collection is wanted", expr.span)
        self.weights.used(value, expr.span, 1 if isinstance(value, frozenset) else PER_STEP)
        try:
            return iterate(value)
        except TypeError as error:
            refuse("E0710", expr.span, str(error))

    def _name(self, e: t.Name, env: Env) -> Value:
        if e.id in env:
            return env[e.id]
        return self.global_value(e.id, e.span)

    def global_value(self, name: str, span: t.Span) -> Value:
        """The value of an option, member, domain or constant; computed once."""
        if name in self.known:
            return self.known[name]
        declaration = self.names.get(name)
        if name in self._open:
            refuse("E0702", span, f"`{name}` is defined by itself")
        if len(self._open) > CHAIN:
            refuse("E0706", span, f"definitions depend on each other more than {CHAIN:,} deep")
        self._open.append(name)
        self.work.enter(name)
        try:
            if isinstance(declaration, t.Const):
                value = self.eval(declaration.value, {})
                if declaration.type is not None:
                    value = admit(self.types.make(declaration.type, {}), value, declaration.value.span)
            elif isinstance(declaration, t.Domain):
                value = self._domain(declaration)
            else:
                self.unknown(name, span)
        finally:
            self._open.pop()
            self.work.leave()
        self.known[name] = value
        return value

    def unknown(self, name: str, span: t.Span) -> NoReturn:
        """Says why a name, which the checker knows, has no value."""
        if name in self.conditional and name not in self.names:
            refuse("E0728", span, f"`{name}` is defined only `under` a condition that does not hold here")
        if name in FUNCTIONS or isinstance(self.names.get(name), t.Fun | t.Record):
            refuse("E0725", span, f"`{name}` is a function and must be called; `turns` works only in a `for`")
        refuse(
            "E0701",
            span,
            f"`{name}` is known only during play, but this needs a value known before play starts",
        )

    def _domain(self, d: t.Domain) -> Domain:
        if d.value is not None:
            elements = self.elements(d.value, {})
            if not elements:
                refuse("E0704", d.span, f"the domain `{d.name}` is empty")
            return Domain.of(d.name, elements)
        fields = tuple(name for name, _ in d.fields)
        rows: list[tuple[Value, ...]] = [()]
        for at, (_, kind) in enumerate(d.fields):
            more: Iterable[tuple[Value, ...]]
            if isinstance(kind, t.RangeType) and names_in(kind) & set(fields[:at]):
                more = (self._numbers(kind, dict(zip(fields, row, strict=False))) for row in rows)
            else:
                more = repeat(self.types.domain(kind, {}))
            found: list[tuple[Value, ...]] = []
            for row, values in zip(rows, more, strict=False):
                if len(found) + len(values) > LARGEST:
                    refuse("E0705", d.span, f"the domain `{d.name}` has more than {LARGEST:,} elements")
                found += ((*row, v) for v in values)
            rows = found
        if not rows:
            refuse("E0704", d.span, f"the domain `{d.name}` is empty")
        return Domain.of(d.name, (Row(row, fields) for row in rows))

    def _numbers(self, kind: t.RangeType, earlier: Env) -> Seq:
        """The numbers of a field that depends on the fields before it; perhaps none."""
        value: Seq = self._range(t.Range(kind.low, kind.high, span=kind.span), earlier)
        return value

    def _some(self, e: t.Expr, env: Env) -> Value:
        value = self.eval(e, env)
        if value is None:
            raise StaticFault("missing_value", "none in a set", e.span)
        return value

    def _map(self, e: t.MapOf, env: Env) -> Value:
        return self.weights.made(
            in_order_of_keys({self.eval(k, env): self.eval(v, env) for k, v in e.pairs}), e.span
        )

    def _text(self, e: t.Text, env: Env) -> str:
        parts: list[str] = []
        for p in e.parts:
            if not isinstance(p, str):
                value = self.eval(p, env)
                self.weights.used(value, p.span)
                p = text_of(value)
            parts.append(p)
            if sum(map(len, parts)) > LARGEST:
                refuse("E0705", e.span, f"a text of more than {LARGEST:,} characters")
        return "".join(parts)

    def _index(self, e: t.Index, env: Env) -> Value:
        value, key = self.eval(e.value, env), self.eval(e.index, env)
        if type(key) not in SMALL:
            self.weights.used(key, e.span)
        return operators.index(value, key, e.span)

    def _slice(self, e: t.Slice, env: Env) -> Value:
        low = None if e.low is None else self.number(e.low, env)
        high = None if e.high is None else self.number(e.high, env)
        return self.weights.made(operators.cut(self.eval(e.value, env), low, high, e.span), e.span)

    def _binary(self, e: t.Binary, env: Env) -> Value:
        if e.op == "implies":
            return not self.truth(e.left, env) or self.truth(e.right, env)
        left, right = self.eval(e.left, env), self.eval(e.right, env)
        if type(left) not in SMALL:
            self.weights.used(left, e.span)
            self.weights.used(right, e.span)
        value = operators.binary(e.op, left, right, e.span)
        return self.weights.made(value, e.span) if isinstance(value, (Seq, frozenset)) else value

    def _compare(self, e: t.Compare, env: Env) -> bool:
        left = self.eval(e.first, env)
        for op, operand in e.rest:
            right = self.eval(operand, env)
            if type(left) not in SMALL:
                self.weights.used(left, e.span)
            if type(right) not in SMALL and (op not in MEMBERSHIP or isinstance(right, tuple)):
                self.weights.used(right, e.span)
            if not operators.compare(op, left, right, e.span):
                return False
            left = right
        return True

    def _logic(self, e: t.Logic, env: Env) -> bool:
        if e.op == "and":
            return all(self.truth(x, env) for x in e.items)
        return any(self.truth(x, env) for x in e.items)

    def _range(self, e: t.Range, env: Env) -> Value:
        low, high = self.number(e.low, env), self.number(e.high, env)
        if high - low >= LARGEST:
            refuse("E0705", e.span, f"the range {low}..{high} has more than {LARGEST:,} numbers")
        return Seq(range(low, high + 1))

    def _comprehension(self, e: t.Comprehension, env: Env) -> Value:
        if e.kind == "map":
            assert e.key is not None
            pairs: dict[Value, Value] = {}
            for scope in self.scopes(e.clauses, env):
                key = self.eval(e.key, scope)
                self.weights.used(key, e.key.span)
                pairs[key] = self.eval(e.element, scope)
                if len(pairs) > LARGEST:
                    refuse("E0705", e.span, f"more than {LARGEST:,} keys")
            return self.weights.made(in_order_of_keys(pairs), e.span)
        values: list[Value] = []
        for scope in self.scopes(e.clauses, env):
            values.append(self.eval(e.element, scope))
            if len(values) > LARGEST:
                refuse("E0705", e.span, f"more than {LARGEST:,} elements")
        return self.weights.made(frozenset(values) if e.kind == "set" else Seq(values), e.span)

    def scopes(self, clauses: tuple[t.Clause, ...], env: Env) -> Iterator[Env]:
        """The environments through which the clauses of a comprehension run."""
        if not clauses:
            yield env
            return
        clause = clauses[0]
        for value in self.elements(clause.source, env):
            scope = {**env, **operators.unpack(clause.targets, value, clause.span)}
            if all(self.truth(c, scope) for c in clause.conditions):
                if len(clauses) == 1:
                    yield scope
                else:
                    yield from self.scopes(clauses[1:], scope)

    # ------------------------------------------------------------------------------------------ calls

    def _call(self, e: t.Call, env: Env) -> Value:
        if isinstance(e.value, t.Field):
            args = [self.eval(a, env) for a in e.args]
            value = self.eval(e.value.value, env)
            self.weights.used(value, e.span)
            return self.weights.made(operators.method(value, e.value.name, args, e.span), e.span)
        assert isinstance(e.value, t.Name)
        name = e.value.id
        declaration = self.names.get(name)
        if isinstance(declaration, t.Fun):
            return self.call(
                declaration,
                [self.eval(a, env) for a in e.args],
                {k: self.eval(v, env) for k, v in e.named},
                e.span,
                env,
            )
        if name == "before" and "before" in env:
            return self.call(env["before"], [self.eval(a, env) for a in e.args], {}, e.span, env)
        if isinstance(declaration, t.Record):
            return self.record(declaration, [self.eval(a, env) for a in in_order(declaration, e)], e.span)
        if name == "closure":
            return self._closure(e, env)
        only = e.args[0] if len(e.args) == 1 else None
        if name in ("any", "all", "first") and isinstance(only, t.Comprehension) and only.kind != "map":
            return self._lazy(name, only, env)
        if name not in BUILTINS:
            self.unknown(name, e.span)
        args = [self.eval(a, env) for a in e.args]
        named = {k: self.eval(v, env) for k, v in e.named}
        for value in (*args, *named.values()):
            self.weights.used(value, e.span, SLOW.get(name, PER_STEP))
        return self.weights.made(BUILTINS[name](self, e.span, *args, **named), e.span, BUILT)

    def _lazy(self, name: str, e: t.Comprehension, env: Env) -> Value:
        """any, all, first over a comprehension stop as soon as they know."""
        if name == "first" and e.kind == "set" and not self._in_order(e, env):
            return next(iter(iterate(self._comprehension(e, env))), None)
        for scope in self.scopes(e.clauses, env):
            if name == "first":
                return self.eval(e.element, scope)
            if self.truth(e.element, scope) == (name == "any"):
                return name == "any"
        return None if name == "first" else name == "all"

    def _in_order(self, e: t.Comprehension, env: Env) -> bool:
        """Whether the elements of a set come in its order."""
        clause = e.clauses[0]
        plain = len(e.clauses) == 1 and isinstance(e.element, t.Name) and clause.targets == (e.element.id,)
        if not plain:
            return False
        elements = self.elements(clause.source, env)
        return arranged(elements) is elements

    def _closure(self, e: t.Call, env: Env) -> frozenset[Value]:
        arrow = e.args[1]
        assert isinstance(arrow, t.Arrow)
        found = set(self.elements(e.args[0], env))
        todo = list(found)
        while todo:
            value = todo.pop()
            for new in self.elements(arrow.body, {**env, arrow.params[0]: value}):
                if new not in found:
                    found.add(new)
                    todo.append(new)
            if len(found) > LARGEST:
                refuse("E0705", e.span, f"a closure of more than {LARGEST:,} elements")
        return frozenset(found)

    def record(self, declaration: t.Record, args: list[Value], span: t.Span) -> Row:
        kinds = [self.types.make(kind, {}) for _, kind in declaration.fields]
        return Row(
            (admit(k, a, span) for k, a in zip(kinds, args, strict=True)),
            tuple(n for n, _ in declaration.fields),
        )

    def parameters(self, fun: t.Fun | t.Rule) -> tuple[tuple[str, Type | None, t.Expr | None], ...]:
        """Name, type and default of each parameter; made once."""
        known = self._parameters.get(id(fun))
        if known is None:
            known = self._parameters[id(fun)] = tuple(
                (p.name, None if p.type is None else self.types.make(p.type, {}), p.default)
                for p in fun.params
            )
            if all(kind is not None for _, kind, _ in known):
                self._typed.add(id(fun))
        return known

    def call(self, fun: t.Fun, args: list[Value], named: dict[str, Value], span: t.Span, env: Env) -> Value:
        """A pure function applied to values."""
        scope: dict[str, Value] = {}
        for i, (name, kind, default) in enumerate(self.parameters(fun)):
            if i < len(args):
                value = args[i]
            elif name in named:
                value = named[name]
            elif default is not None:
                value = self.eval(default, {})
            else:
                raise AssertionError(f"{fun.name} wants {name}")
            if type(value) not in SMALL:
                self.weights.used(value, span, ADMITTED)
            scope[name] = value if kind is None else admit(kind, value, span)
        if id(fun) not in self._typed and not all(map(self.weights.brief, scope.values())):
            return self._applied(fun, scope, span)
        # equal arguments are the same arguments; how deep one may still go is part of what is asked
        key = (id(fun), *map(exact, scope.values()), *self.levels.items())
        if key not in self._results:
            weight = sum(map(self.weights.of, scope.values()))
            result = self._applied(fun, scope, span)
            if self._remembered >= REMEMBERED:
                return result
            self._remembered += weight + self.weights.of(result)
            self._results[key] = result
        return self._results[key]

    def _applied(self, fun: t.Fun, scope: dict[str, Value], span: t.Span) -> Value:
        if id(fun) in self.before:
            scope["before"] = self.before[id(fun)]
        if self.depth >= DEPTH:
            refuse("E0706", span, f"`{fun.name}` calls itself more than {DEPTH} deep")
        bound = self.bound(fun)
        if bound is not None and self.levels.get(id(fun), 0) == bound:
            raise StaticFault(*too_deep(fun, bound), span)
        self.depth += 1
        self.work.enter(fun.name)
        self.work.steps += CALL
        try:
            with self.inside(fun):
                return self._value(fun, scope)
        except (StaticFault, RulesError) as error:
            called_from(error, span)
            raise
        finally:
            self.depth -= 1
            self.work.leave()

    def _value(self, fun: t.Fun, scope: dict[str, Value]) -> Value:
        if isinstance(fun.body, tuple):
            result = self._bodies.run(fun, fun.body, scope)
        else:
            result = self.eval(fun.body, scope)
        return result if fun.result is None else admit(self.types.make(fun.result, {}), result, fun.span)

    @contextmanager
    def inside(self, fun: t.Fun) -> Iterator[None]:
        """While a function's body is gone through, here or elsewhere."""
        if fun.recursive is None:
            yield
            return
        before = self.levels
        self.levels = {**before, id(fun): before.get(id(fun), 0) + 1}
        try:
            yield
        finally:
            self.levels = before

    def bound(self, fun: t.Fun) -> int | None:
        """How many calls of a function there may be inside each other, if it says so."""
        if fun.recursive is None:
            return None
        bound = self.number(fun.recursive, {})
        if not 1 <= bound <= DEEPEST:
            refuse("E0727", fun.recursive.span, f"a function calls itself 1 to {DEEPEST} deep, not {bound:,}")
        return bound


def too_deep(fun: t.Fun, bound: int) -> tuple[str, str]:
    """The fault of a call beyond the bound: its code, and what it says."""
    return "too_deep", f"`{fun.name}` calls itself more than {bound} deep"


def in_order_of_keys(pairs: dict[Value, Value]) -> FrozenMap:
    """A map that is only written: like a set, its keys have one order."""
    return FrozenMap({key: pairs[key] for key in arranged(pairs)})


def in_order(record: t.Record, e: t.Call) -> list[t.Expr]:
    """What a call of a record gives its fields, in their order."""
    given = dict(e.named)
    return [*e.args, *(given[name] for name, _ in record.fields[len(e.args) :])]


def atoms(enum: str, names: tuple[str, ...], number: int) -> tuple[Atom, ...]:
    """The members of the `number`th enum of a game."""
    return tuple(Atom(enum, name, (number, i)) for i, name in enumerate(names))
