"""Lowers examples: where they may begin, what is done, what is expected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import nodes as k
from kemu_engine.lower.beginnings import Place, Start
from kemu_engine.lower.claims import Claims
from kemu_engine.lower.statements.cfg_builder import Frame
from kemu_engine.lower.values.context import Binding, Env, Scope
from kemu_engine.lower.values.reps import (
    Bag,
    FiniteValue,
    Map,
    Num,
    Pairs,
    RecordPlace,
    Rep,
    Scalar,
    Seq,
    SetOf,
    Truth,
    Tup,
)
from kemu_engine.lower.writing import Piece, Writing
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import text_of

CHAINED = 20  # steps of a call in a chain of calls
MOST_PLACES = 64  # stops and chains of calls at which an example may begin


@dataclass(frozen=True, slots=True)
class Chain:
    """Calls that lead to a rule: by the local in which each rule keeps where it returns to, and what names
    stand for on the way; those of the rule itself first, the others as `rule.name` as well."""

    sites: dict[int, int]
    scope: Env


class Examples:
    def __init__(self, claims: Claims) -> None:
        self.claims = claims
        self.writing = Writing(claims.control)
        self.control = claims.control
        self.statements = claims.statements
        self.expressions = claims.expressions
        self.coercions = claims.coercions
        self.builder = claims.builder
        self.evaluator = claims.evaluator

    def examples(self, declared: tuple[t.Example, ...]) -> list[tuple[k.Example, Start | None]]:
        """Those of this instance, and how those begin that name a stop."""
        made: list[tuple[k.Example, Start | None]] = []
        for e in declared:
            if self.claims.applies(e.condition):
                self.builder.context = e.cites
                made.append(self._example(e))
        return made

    def _example(self, e: t.Example) -> tuple[k.Example, Start | None]:
        with self.statements.into() as given:
            self.statements.counts, self.statements.frame = {}, "example"
            for s in e.given:
                self.statements.run(s, {})
        start = None if e.label is None else self._start(e, e.label, tuple(given))
        steps = tuple(self._step(s) for s in e.steps)
        expect = tuple(self._expectation(x) for x in e.expect)
        origin = self.builder.origin(e.span)
        return k.Example(e.title, -1, tuple(given), steps, expect, origin), start

    # ------------------------------------------------------------------------------------------ beginnings

    def _start(self, e: t.Example, label: str, given: k.Code) -> Start:
        places: list[Place] = []
        refused: RulesError | None = None
        for block, scope in self.claims.labelled(label, e.span):
            for chain in self._chains(self.control.owners[block], scope):
                try:
                    places.append(self._place(e, block, chain))
                except RulesError as problem:
                    refused = refused or problem
                if len(places) == MOST_PLACES:
                    break
        if not places and refused is not None:
            raise refused
        return Start(label, tuple(places), given, e.span)

    def _chains(self, frame: Frame | None, scope: Env) -> Iterator[Chain]:
        """The chains of calls by which play may come to a place in a rule, in the order of the file."""
        if frame is None:
            yield Chain({}, {**_qualified("rules", scope), **scope})
            return
        for site, (caller, outer) in enumerate(frame.callers):
            self.evaluator.work.spend(CHAINED)
            for chain in self._chains(caller, outer):
                sites = {frame.selector.id: site} if len(frame.sites) > 1 else {}
                own = {**_qualified(frame.rule.name, scope), **scope}
                yield Chain({**chain.sites, **sites}, {**chain.scope, **own})

    def _place(self, e: t.Example, block: int, chain: Chain) -> Place:
        values: dict[int, int] = {}
        with self.statements.into() as code:
            self.statements.frame = "example"
            for name, value in e.locals:
                if name not in chain.scope:
                    refuse("E0746", value.span, f"this decision has no `{name}`")
                rep = self.expressions.lower(value, chain.scope)
                values |= self._given(name, chain.scope[name], rep, value.span)
        for s in code:
            if isinstance(s, k.Assign) and isinstance(s.value, k.Const):
                values[s.local] = s.value.value
        opening = self.control.openings.get(block)
        premises = () if opening is None else (k.Premise(opening.test, opening.message),)
        code += () if opening is None else opening.code
        presumed = {**self.control.presumed.get(-1, {}), **self.control.presumed.get(block, {})}
        return Place(block, chain.sites, values, tuple(code), *_names(chain.scope), presumed, premises)

    def _given(self, name: str, binding: Binding, rep: Rep, span: t.Span) -> dict[int, int]:
        """The locals that a name stands for, with their values; code for what is more than locals."""
        if isinstance(binding, Scalar | RecordPlace | Seq | Bag | Map):
            self.statements.storing.store(binding, rep, span)
            return {}
        if isinstance(binding, Tup):
            parts = self.coercions.parts(rep, len(binding.items), span)
            found: dict[int, int] = {}
            for item, part in zip(binding.items, parts, strict=True):
                found |= self._given(name, item, part, span)
            return found
        expr, given = self._sought(name, binding, rep, span)
        if not isinstance(given, k.Const) or given.value < 0:
            refuse("E0746", span, f"`{name}` cannot have this value")
        if isinstance(expr, k.Const):
            return {}
        local, shift = _local(expr)
        if local is None:
            refuse("E0746", span, f"`{name}` is worked out from other values, it cannot be set")
        return {local: int(given.value) - shift}

    def _sought(self, name: str, binding: Rep, rep: Rep, span: t.Span) -> tuple[k.Expr, k.Expr]:
        """What a name stands for, and what that shall be."""
        if isinstance(binding, SetOf):
            return binding.expr, self.coercions.set(rep, span, binding.values).expr
        if isinstance(binding, Truth):
            return binding.expr, self.coercions.truth(rep, span)
        fam = self.coercions.as_finite(rep)
        target = None if isinstance(binding, Pairs) else self.coercions.as_finite(binding)
        if fam is None or target is None:
            refuse("E0746", span, f"`{name}` cannot be set here")
        return target.index, self.coercions.remap(fam, target.values)

    # ----------------------------------------------------------------------------- steps and expectations

    def _step(self, s: t.Step) -> k.Step:
        args = [text_of(self.evaluator.eval(a, {})) for a in s.args]
        if s.kind == "chance":
            text = args[0] if len(args) == 1 else "(" + ", ".join(args) + ")"
        else:
            text = f"{s.name}({', '.join(args)})" if args else s.name
        players = [p.name for p in self.evaluator.known["Player"].elements]
        if s.actor is not None and s.actor not in players:
            refuse("E0747", s.span, f"there is no player `{s.actor}` in this instance")
        actor = None if s.actor is None else players.index(s.actor)
        return k.Step(s.kind, text, actor, self.builder.origin(s.span))

    def _expectation(self, x: t.Expectation) -> k.Expectation:
        value = None if x.value is None else self.expressions.truth(x.value, {})
        steps = [self._step(s) for s in x.steps]
        texts = tuple(step.text for step in steps)
        actors = tuple(step.actor for step in steps if step.actor is not None)
        sides = () if x.value is None else tuple(self._sides(x.value))
        return k.Expectation(x.kind, value, texts, self.builder.origin(x.span), sides, actors, x.after)

    def _sides(self, value: t.Expr) -> Iterator[k.Sides]:
        """The comparisons in an expectation, as far as both sides can be written."""
        if isinstance(value, t.Logic) and value.op == "and":
            for item in value.items:
                yield from self._sides(item)
        if not isinstance(value, t.Compare):
            return
        left = value.first
        for op, right in value.rest:
            test = self.expressions.truth(t.Compare(left, ((op, right),), span=value.span), {})
            shown = [self._shown(side) for side in (left, right)]
            if shown[0] and shown[1]:
                yield k.Sides(test, shown[0], shown[1])
            left = right

    def _shown(self, side: t.Expr) -> tuple[Piece, ...]:
        """How the value of an expression is written; nothing for one that cannot be."""
        try:
            rep = self.expressions.lower(side, {})
            pieces = tuple(self.writing.pieces(rep, side.span))
        except RulesError:
            return ()
        if isinstance(rep, Seq):
            return ("[", *pieces, "]")
        return ("{", *pieces, "}") if isinstance(rep, SetOf | Bag) else pieces


def _qualified(rule: str, scope: Env) -> Scope:
    return {f"{rule}.{name}": binding for name, binding in scope.items()}


def _names(scope: Env) -> tuple[dict[int, str], dict[str, str]]:
    """How locals can be named, by their numbers, and local variables, by their names."""
    locals_: dict[int, str] = {}
    vars_: dict[str, str] = {}
    for name, binding in scope.items():
        _, dot, own = name.rpartition(".")
        if dot and " " not in name:
            shortest = own if scope.get(own) is binding else name
            vars_[name] = shortest
            for local in _locals(binding):
                locals_.setdefault(local, shortest)
    return locals_, vars_


def _locals(binding: Binding) -> Iterator[int]:
    """The locals that a name stands for."""
    match binding:
        case Scalar(var=var, local=True):
            yield var
        case FiniteValue(index=expr) | Num(expr=expr) | Truth(expr=expr) | SetOf(expr=expr):
            local, _ = _local(expr)
            if local is not None:
                yield local
        case RecordPlace(fields=fields):
            for _, inner in fields:
                yield from _locals(inner)
        case Tup(items=items):
            for item in items:
                yield from _locals(item)


def _local(expr: k.Expr) -> tuple[int | None, int]:
    """The local and the shift in `local + shift`."""
    match expr:
        case k.Local(id=number):
            return number, 0
        case k.Op(op="add", args=(k.Local(id=number), k.Const(value=shift))):
            return number, shift
    return None, 0
