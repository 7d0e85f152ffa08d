"""Checking: names, kinds, and who may act where, over all declarations of a game."""

from __future__ import annotations

from kemu_grammar.check.claims import Claims, cycles
from kemu_grammar.check.foreign import optional, ranges
from kemu_grammar.check.infer import Inference
from kemu_grammar.check.scope import Local, Report, article, collect
from kemu_grammar.check.statements import StatementChecker
from kemu_grammar.check.views import Views
from kemu_grammar.source.diagnostics import Diagnostic
from kemu_grammar.source.kinds import Kind, describe
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import nodes

REPLACED = (t.Domain, t.Const, t.Fun, t.Rule)  # what an `under` may replace or add


def check(
    declarations: tuple[t.Declaration, ...],
    players: t.Players | None,
    sources: dict[str, str],
    proofs: str = "",
) -> tuple[Diagnostic, ...]:
    """What is wrong with the declarations of a game, its libraries and its file of proofs, in the order of
    the text."""
    report = Report(sources, proofs)
    symbols = collect(declarations, report)
    infer = Inference(symbols, report)
    acting = StatementChecker(infer)
    players = players or t.Players(())
    for d in declarations:
        _declaration(d, infer, acting)
    instances = {d.name: d for d in declarations if isinstance(d, t.Instance)}
    claims = Claims(infer, acting, players.names, instances)
    infer.set_in_rules = _set_in_rules(declarations)
    for d in declarations:
        _claim(d, claims, infer, players)
    for names, span in cycles(acting.calls):
        way = ", which calls ".join(f"`{n}`" for n in names[1:])
        report.add("E0505", span, f"a rule cannot call itself: `{names[0]}` calls {way}")
    acting.unread()
    acting.asked()
    order = {file: i for i, file in enumerate(sources)}
    return tuple(sorted(report.found, key=lambda d: (order.get(d.span.file, 99), d.span.line, d.span.column)))


def _declaration(d: t.Declaration, infer: Inference, acting: StatementChecker) -> None:
    infer.place = "instance"
    match d:
        case t.Players(low=low, high=high):
            for end in (low, high):
                if end is not None:
                    infer.number(end, {}, "the number of players")
        case t.Needs(condition=condition) | t.Check(condition=condition):
            infer.truth(condition, {}, "a truth value is expected here")
        case t.Domain(value=value, fields=fields):
            if value is not None:
                infer.collection(value, {})
            _fields(d, fields, infer)
        case t.Record(fields=fields):
            _fields(d, fields, infer)
        case t.Table():
            _table(d, infer)
        case t.Const(type=type_, value=value):
            wanted = infer.type_kind(type_)
            kind = infer.kind(value, {})
            if not infer.assignable(kind, wanted):
                infer.report.add(
                    "E0405",
                    value.span,
                    f"`{d.name}` must be {describe(wanted)}, but this is {describe(kind)}",
                )
        case t.State(variables=variables):
            for v in variables:
                _variable(v, infer)
        case t.Fun() | t.Rule() | t.Rules():
            if isinstance(d, t.Fun) and d.recursive is not None:
                infer.number(d.recursive, {}, "how deep it may go")
            acting.definition(d)
        case t.Under():
            _under(d, infer, acting)


def _set_in_rules(declarations: tuple[t.Declaration, ...]) -> dict[str, t.Span]:
    """The names that rules give values to, and where they first do."""
    found: dict[str, t.Span] = {}
    for d in declarations:
        for node in nodes(d) if isinstance(d, t.Rule | t.Rules) else ():
            if isinstance(node, t.Assign) and isinstance(node.target, t.Name):
                found.setdefault(node.target.id, node.target.span)
    return found


def _fields(d: t.Declaration, fields: tuple[tuple[str, t.Type], ...], infer: Inference) -> None:
    """The fields of a product may depend on those before them."""
    seen: set[str] = set()
    env: dict[str, Local] = {}
    for name, type_ in fields:
        kind = infer.type_kind(type_)
        _sizes(type_, env, infer)
        if isinstance(d, t.Domain):
            env[name] = Local(kind)
        if name in seen:
            infer.report.add(
                "E0302", infer.report.locate(d.span, name, last=True), f"two fields are called `{name}`"
            )
        seen.add(name)


def _table(d: t.Table, infer: Inference) -> None:
    _fields(d, d.columns, infer)
    kinds = tuple(infer.columns(d.name).values())
    for row, values in d.rows:
        for (name, _), kind, value in zip(d.columns, kinds, values, strict=False):
            given = infer.kind(value, {})
            if not infer.assignable(given, kind):
                message = f"`{name}` of `{row}` must be {describe(kind)}, but this is {describe(given)}"
                infer.report.add("E0405", value.span, message)


def _history(v: t.StateVariable, of: t.HistoryType, infer: Inference) -> None:
    """What a history is of: state variables that everybody sees."""
    declared = [each.declaration for each in infer.symbols.table.values()]
    variables = {d.name: d for d in declared if isinstance(d, t.StateVariable)}
    if not of.variables:
        plain = [d for d in variables.values() if not isinstance(d.type, t.HistoryType)]
        if not plain:
            infer.report.add("E0411", v.span, "there is no state variable that this could be a history of")
        for secret in [d for d in plain if d.secret is not None][:1]:
            message = f"`{secret.name}` is secret: say what this is a history of, `{v.name} of ...`"
            infer.report.add("E0411", v.span, message)
    named: set[str] = set()
    for name in of.variables:
        found = variables.get(name.id)
        if found is None:
            infer.report.unknown("E0411", "no state variable is called", name.id, name.span, variables)
        elif isinstance(found.type, t.HistoryType):
            infer.report.add("E0411", name.span, f"`{name.id}` is a history itself")
        elif found.secret is not None:
            message = f"`{name.id}` is secret: how often it has been would tell of it"
            infer.report.add("E0411", name.span, message)
        elif name.id in named:
            infer.report.add("E0411", name.span, f"`{name.id}` is named twice")
        named.add(name.id)


def _variable(v: t.StateVariable, infer: Inference) -> None:
    if isinstance(v.type, t.HistoryType):
        _history(v, v.type, infer)
        return
    env: dict[str, Local] = {}
    if v.each is not None:
        env |= infer.bind((v.each[0],), infer.collection(v.each[1], {}))
    ranges(v.type, infer.symbols, infer.report)
    wanted = infer.type_kind(v.type)
    _sizes(v.type, env, infer)
    if v.unique and wanted.form not in ("map", "unknown"):
        message = f"only a map can be `unique`, but this is {describe(wanted)}"
        infer.report.add("E0407", infer.report.locate(v.span, "unique"), message)
    if v.secret is not None and not isinstance(v.secret, t.Nothing):
        infer.players(v.secret, env, "who sees a secret")
    if v.initial is not None and not optional(v.type, wanted, v.initial, infer.report):
        kind = infer.kind(v.initial, env)
        if kind.form == "function" and wanted.form != "function":
            infer.uncalled(v.initial)
        elif not infer.assignable(kind, wanted):
            infer.report.add(
                "E0405",
                v.initial.span,
                f"`{v.name}` must be {describe(wanted)}, but this is {describe(kind)}",
            )


def _sizes(kind: t.Type, env: dict[str, Local], infer: Inference) -> None:
    """The numbers in a type: ends of ranges, sizes of lists and bags."""
    match kind:
        case t.RangeType(low=low, high=high):
            infer.number(low, env, "the end of a range")
            infer.number(high, env, "the end of a range")
        case t.OptionType(inner=inner):
            _sizes(inner, env, infer)
        case t.GenericType(args=args, size=size, binder=binder, default=default):
            inside = env
            if binder is not None:
                inside = {**env, **infer.bind((binder,), infer.silently(lambda: infer.type_kind(args[0])))}
            for arg in args:
                _sizes(arg, inside, infer)
            if size is not None:
                infer.number(size, inside, "a size")
            if default is not None:
                wanted = infer.silently(lambda: infer.type_kind(args[1]))
                if not optional(args[1], wanted, default, infer.report):
                    _default(default, wanted, env, infer)


def _default(default: t.Expr, wanted: Kind, env: dict[str, Local], infer: Inference) -> None:
    """What a map has under keys that are not given."""
    kind = infer.kind(default, env)
    if not infer.assignable(kind, wanted):
        message = f"the default must be {describe(wanted)}, but it is {describe(kind)}"
        infer.report.add("E0405", default.span, message)


def _under(d: t.Under, infer: Inference, acting: StatementChecker) -> None:
    infer.truth(d.condition, {}, "a truth value is expected here")
    for inner in d.declarations:
        symbol = infer.symbols.table.get(getattr(inner, "name", ""))
        base = symbol.declaration if symbol is not None else None
        if base is not None and base is not inner and isinstance(inner, REPLACED):
            assert symbol is not None
            _same_shape(inner, base, symbol.role, infer)
            infer.before = base if isinstance(base, t.Fun | t.Rule) else None
        _declaration(inner, infer, acting)
        infer.before = None


def _same_shape(
    new: t.Domain | t.Const | t.Fun | t.Rule, base: t.Declaration, role: str, infer: Inference
) -> None:
    """A replacement is of the same sort, and called like what it replaces."""
    report = infer.report
    note = ((report.locate(base.span, new.name), "this is what it replaces"),)
    if type(new) is not type(base):
        message = f"a {type(new).__name__.lower()} cannot replace {article(role)}"
        report.add("E0307", report.locate(new.span, new.name), message, note)
    elif (
        isinstance(new, t.Fun | t.Rule)
        and isinstance(base, t.Fun | t.Rule)
        and len(new.params) != len(base.params)
    ):
        message = f"`{new.name}` must have as many parameters as what it replaces: {len(base.params)}"
        report.add("E0307", report.locate(new.span, new.name), message, note)


def _claim(d: t.Declaration, claims: Claims, infer: Inference, players: t.Players) -> None:
    match d:
        case t.Option():
            claims.option(d)
        case t.Instance():
            claims.instance(d, players)
        case t.Property():
            claims.property(d)
        case t.Example():
            claims.example(d)
        case t.View():
            Views(claims).view(d)
        case t.Under(declarations=declarations):
            for inner in declarations:
                _claim(inner, claims, infer, players)
