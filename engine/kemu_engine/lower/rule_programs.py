"""Lowers claims about a rule by itself, `from any if C: run rule(args) returns`: each becomes a program of
its own, over the same state, that begins in any state with C, runs the rule and ends where it has returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kemu_grammar.game.game import Game
from kemu_grammar.syntax import ast as t

from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.text import RUN
from kemu_engine.lower.lowering import Instance, Lowering
from kemu_engine.lower.state_domain import proper
from kemu_engine.lower.values.context import Scope
from kemu_engine.lower.values.dependence import Analysis
from kemu_engine.lower.values.reps import Const
from kemu_engine.lower.views import Views
from kemu_engine.static.problems import refuse
from kemu_engine.static.values import text_of

START = "start"  # the stop at which the rule has not begun yet


def runs(instance: Instance, declared: Sequence[t.Property]) -> Iterator[k.Property]:
    """The claims of an instance, all lowered together: rules that several run have the same blocks."""
    evaluator = instance.evaluator
    scopes = [
        (d, scope)
        for d in declared
        if d.condition is None or evaluator.truth(d.condition, {})
        for scope in evaluator.scopes(d.each, {})
    ]
    if not scopes:
        return
    lowering = instance.lowering()
    made = [_begun(instance, lowering, d, {n: Const(v) for n, v in scope.items()}) for d, scope in scopes]
    lowering.control.close()
    lowering.endings.finish()
    views = Views(lowering.control, lowering.endings).views(instance.game.views, drawn=False)
    for (d, scope), (entry, guards, measure) in zip(scopes, made, strict=True):
        names = [text_of(scope[n]) for c in d.each for n in c.targets]
        name = f"{d.name}({', '.join(names)})" if names else d.name
        origin = lowering.builder.origin(d.span)
        run = k.Run(instance.with_blocks(lowering, entry, views=views), guards)
        yield k.Property(name, d.form, measure, None, (), d.expect, d.lemma, origin, run)


def _begun(
    instance: Instance, lowering: Lowering, d: t.Property, scope: Scope
) -> tuple[int, tuple[k.Expr, ...], tuple[k.Expr, ...]]:
    """The block where the run begins, what holds there, and the measure of `returns by`."""
    control, builder, expressions = lowering.control, lowering.builder, lowering.control.expressions
    assert d.run is not None and isinstance(d.run.value, t.Name)
    builder.context = d.cites
    control.statements.frame, control.statements.counts = "", {}
    if any(var is not None for var in expressions.histories.values()):
        refuse("E0767", d.span, "cannot start from an arbitrary state: it would have an arbitrary history")
    typed = [
        one
        for variable in instance.game.state
        for one in proper(builder, lowering.places[variable.name], instance.kind(variable), variable.span)
    ]
    guards = (
        build.both(*typed),
        *(expressions.truth(part, scope) for part in conjuncts(d.start)),
    )
    entry = control.new()
    control.start(entry)
    control.statements.out = []
    known = {n: b.value for n, b in scope.items() if isinstance(b, Const)}
    args = ", ".join(text_of(instance.evaluator.eval(a, known)) for a in d.run.args)
    text = f"{d.run.value.id}({args})" if args else d.run.value.id
    empty = builder.fault("empty_draw", "the claim does not speak of this state", d.span)
    local = builder.local(RUN, k.Int(0, 0), (text,))
    weight = build.when(build.both(*guards), build.integer(1), build.integer(0))
    target = control.new()
    domain = builder.domain(RUN, (text,))
    leave = k.Chance(RUN, local.id, weight, domain, target, empty, builder.origin(d.run.span))
    control.stop(START, leave)
    control.start(target)
    call = t.Do(d.run, span=d.run.span)
    control.block((call, t.End("tie", None, span=d.run.span)), scope)
    parts = d.value.items if isinstance(d.value, t.Tuple) else () if d.value is None else (d.value,)
    return entry, guards, tuple(expressions.number(part, scope) for part in parts)


def conjuncts(condition: t.Expr | None) -> list[t.Expr]:
    """The parts of a condition joined by `and`."""
    if condition is None:
        return []
    if isinstance(condition, t.Logic) and condition.op == "and":
        return [part for item in condition.items for part in conjuncts(item)]
    return [condition]


# ------------------------------------------------------------------------------------------ forgetting


def forgotten(game: Game, names: Sequence[str], analysis: Analysis) -> Game:
    """The game in which these functions are read off variables that nothing changes: they may be any of
    their arguments alone."""
    declared = dict(game.names)
    variables = list(game.state)
    for name in names:
        fun, here = declared[name], analysis.names[name]  # `under` an option it may be another
        assert isinstance(fun, t.Fun) and isinstance(here, t.Fun)
        read = sorted(analysis.fun_reads(here) & analysis.state)
        if read:
            words = f"what is forgotten depends on its arguments alone; `{name}` reads `{read[0]}`"
            refuse("E0768", fun.span, words)
        variable, declared[name] = _unknown(fun)
        variables.append(variable)
    unders = tuple(
        replace(u, declarations=tuple(d for d in u.declarations if getattr(d, "name", "") not in names))
        for u in game.unders
    )
    return replace(game, names=declared, state=tuple(variables), unders=unders)


def total(game: Game, names: Sequence[str], abstract: k.Program, real: k.Program) -> None:
    """Refuses functions that may meet a fault, with them or where they are called: what is put in their
    place does not."""
    known = {(fault.code, _place(abstract, fault)) for fault in abstract.faults}
    more = next((f for f in real.faults if (f.code, _place(real, f)) not in known), None)
    if more is not None:
        words = f"what is forgotten has a value for all arguments, without a fault: {more.message}"
        refuse("E0768", game.names[names[0]].span, words)


def _place(program: k.Program, fault: k.Fault) -> t.Span | None:
    return program.origins[fault.origin].span if fault.origin >= 0 else None


def _unknown(fun: t.Fun) -> tuple[t.StateVariable, t.Fun]:
    """The variable that holds a function's values, and the function that reads it."""
    if fun.result is None:
        refuse("E0768", fun.span, f"`forgetting` needs the type of the result: `fun {fun.name}(...) -> T`")
    kind: t.Type = fun.result
    value: t.Expr = t.Name(f"{fun.name}()", span=fun.span)
    for p in reversed(fun.params):
        if p.type is None:
            refuse("E0768", p.span, f"`forgetting` needs the type of each parameter: `{p.name}: T`")
        kind = t.GenericType("map", (p.type, kind), span=fun.span)
    for p in fun.params:
        value = t.Index(value, t.Name(p.name, span=fun.span), span=fun.span)
    return t.StateVariable(f"{fun.name}()", kind, span=fun.span), replace(fun, body=value)
