"""Calls of functions, records, built-ins and methods: how many arguments, of what kinds, with what result."""

from __future__ import annotations

from typing import cast

from kemu_grammar.check.builtins import ADVICE, BEFORE, FOREIGN, FUNCTIONS, METHODS, Builtin
from kemu_grammar.check.context import Env, Kinds
from kemu_grammar.check.foreign import die, foreign_call
from kemu_grammar.check.scope import Report, Symbols
from kemu_grammar.source.kinds import (
    BOOL,
    INT,
    PLAYER,
    POINT,
    TEXT,
    UNKNOWN,
    Kind,
    compatible,
    describe,
    element,
    join,
    list_of,
    option,
    plain,
    set_of,
    tuple_of,
)
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.ast import Expr, Span


class Calls:
    """Part of Inference."""

    symbols: Symbols
    report: Report
    before: t.Fun | t.Rule | None

    @property
    def _infer(self) -> Kinds:
        return cast(Kinds, self)

    def call(self, e: t.Call, env: Env) -> Kind:
        """The kind of a call that stands inside an expression: rules may not be called there."""
        d = self.callee(e, env)
        if isinstance(d, t.Rule):
            self.arguments(e, env)
            message = f"`{d.name}` is a rule, so its call must stand alone or be a whole right-hand side"
            self.report.add("E0502", e.span, message)
            return UNKNOWN
        return self.called(e, env)

    def callee(self, e: t.Call, env: Env) -> t.Declaration | None:
        """The declaration that is called, if it is one."""
        if not isinstance(e.value, t.Name) or hidden(e.value.id, env):
            return None
        if e.value.id == BEFORE and self.before is not None and BEFORE not in self.symbols.table:
            return self.before
        symbol = self.symbols.table.get(e.value.id)
        return (
            symbol.declaration
            if symbol is not None and symbol.role not in ("member", "row", "player")
            else None
        )

    def called(self, e: t.Call, env: Env) -> Kind:
        """The kind of a call of anything, rules included."""
        if isinstance(e.value, t.Field):
            return self.method(e, e.value, env)
        if not isinstance(e.value, t.Name):
            self._infer.kind(e.value, env)
            self.report.add("E0314", e.value.span, "only a function with a name can be called")
            self.arguments(e, env)
            return UNKNOWN
        d, name = self.callee(e, env), e.value.id
        if name in self.symbols.unclear and not hidden(name, env):
            self.arguments(e, env)
            return UNKNOWN
        match d:
            case t.Fun() | t.Rule():
                self.declared_call(e, d, env)
                return self._infer.result_kind(d)
            case t.Record():
                self.fields_call(e, d.name, d.fields, env)
                return Kind("row", name, self._infer.row_parts(name))
            case t.Domain() | t.Enum() | t.Table():
                self.arguments(e, env)
                return element(self._infer.symbol_kind(name))
        if name in FUNCTIONS and not hidden(name, env) and d is None:
            return self.builtin(e, name, FUNCTIONS[name], env)
        if d is None and name not in env and name not in self.symbols.table and foreign_call(e, self.report):
            self.arguments(e, env)
            return UNKNOWN
        self.arguments(e, env)
        if d is not None or name in env or name in self.symbols.table:
            self.report.add("E0314", e.value.span, f"`{name}` is not a function")
        else:
            self.unknown(e.value, env)
        return UNKNOWN

    def unknown(self, name: t.Name, env: Env) -> None:
        symbols = self.symbols.table.values()
        known = [s.name for s in symbols if s.role in ("fun", "rule", "record", "domain")]
        if name.id == BEFORE:
            self.report.add(
                "E0301", name.span, "`before` can be used only in an `under` block, for what it replaces"
            )
            return
        foreign, advice = FOREIGN.get(name.id), ADVICE.get(name.id)
        if foreign in FUNCTIONS:
            self.report.add("E0301", name.span, f"unknown function `{name.id}`", fix=(name.span, foreign))
        elif advice is not None:
            self.report.add("E0301", name.span, f"there is no function `{name.id}`; {advice}")
        else:
            self.report.unknown("E0301", "unknown function", name.id, name.span, [*known, *FUNCTIONS])

    def arguments(self, e: t.Call, env: Env) -> list[Kind]:
        kinds = [self._infer.kind(a, env) for a in e.args if not isinstance(a, t.Arrow)]
        for _, value in e.named:
            self._infer.kind(value, env)
        return kinds

    # -------------------------------------------------------------------------------- funs and rules

    def declared_call(self, e: t.Call, d: t.Fun | t.Rule, env: Env) -> None:
        names = [p.name for p in d.params]
        given: dict[str, Expr] = dict(zip(names, e.args, strict=False))
        if len(e.args) > len(names):
            message = f"`{d.name}` takes {_count(len(names), 'argument')}, but is given {len(e.args)}"
            self.report.add("E0312", _stretch(e.args[len(names) :]), message, self.declared_here(d))
        for name, value in e.named:
            if name not in names:
                self.report.unknown(
                    "E0311", f"`{d.name}` has no parameter", name, self.report.locate(e.span, name), names
                )
            elif name in given:
                self.report.add("E0311", value.span, f"`{name}` is given twice")
            given[name] = value
        missing = [p.name for p in d.params if p.name not in given and p.default is None]
        if missing and len(e.args) <= len(names) and all(n in names for n, _ in e.named):
            words = " and ".join(f"`{m}`" for m in missing)
            self.report.add("E0312", e.span, f"`{d.name}` also needs {words}", self.declared_here(d))
        for p in d.params:
            if p.name in given:
                wanted = self._infer.silently(lambda p=p: self._infer.type_kind(p.type))  # type: ignore[misc]
                self.argument(given[p.name], wanted, p.name, d.name, env)
        for extra in e.args[len(names) :]:
            self._infer.kind(extra, env)

    def declared_here(self, d: t.Fun | t.Rule) -> tuple[tuple[Span | None, str], ...]:
        return ((self.report.locate(d.span, d.name), "declared here"),)

    def argument(self, e: Expr, wanted: Kind, name: str, owner: str, env: Env) -> None:
        kind = self._infer.kind(e, env)
        if kind.form == "function" and wanted.form not in ("function", "unknown"):
            self._infer.uncalled(e)
        elif not self._infer.assignable(kind, wanted):
            message = f"`{name}` of `{owner}` must be {describe(wanted)}, but this is {describe(kind)}"
            self.report.add("E0405", e.span, message)

    def fields_call(self, e: t.Call, owner: str, fields: tuple[tuple[str, t.Type], ...], env: Env) -> None:
        columns = self._infer.columns(owner)
        given = [*zip(columns, e.args, strict=False), *e.named]
        for name, _ in e.named:
            if name not in columns:
                self.report.unknown(
                    "E0311", f"`{owner}` has no field", name, self.report.locate(e.span, name), columns
                )
        if len(e.args) + len(e.named) != len(fields):
            message = (
                f"`{owner}` has {_count(len(fields), 'field')}, but is given {len(e.args) + len(e.named)}"
            )
            self.report.add("E0312", e.span, message)
        for name, value in given:
            self.argument(value, columns.get(name, UNKNOWN), name, owner, env)

    # ------------------------------------------------------------------------------------- built-ins

    def builtin(self, e: t.Call, name: str, b: Builtin, env: Env) -> Kind:
        for key, value in e.named:
            if key not in b.named:
                self.report.unknown(
                    "E0311", f"`{name}` has no parameter", key, self.report.locate(e.span, key), b.named
                )
            elif name == "turns":
                self._infer.player(value, env, "the player who begins")
            else:
                self._infer.kind(value, env)
        self.arity(e, name, b)
        kinds: list[Kind] = []
        for i, arg in enumerate(e.args):
            wants = b.wants[min(i, len(b.wants) - 1)] if b.wants else "any"
            if isinstance(arg, t.Arrow) and wants == "arrow":
                kinds.append(self.step(arg, element(kinds[0]) if kinds else UNKNOWN, env))
            else:
                kinds.append(self.wanted(arg, wants, name, env))
        return self.given(b, kinds, len(e.args))

    def arity(self, e: t.Call, name: str, b: Builtin) -> None:
        n = len(e.args)
        if n >= b.least and (b.most is None or n <= b.most):
            return
        if b.least == b.most:
            wanted = _count(b.least, "argument") if b.least else "no arguments"
        else:
            wanted = f"at least {b.least}" if b.most is None else f"{b.least} to {b.most} arguments"
        self.report.add("E0312", e.span, f"`{name}` takes {wanted}, but is given {n}")

    def step(self, arrow: t.Arrow, kind: Kind, env: Env) -> Kind:
        """The function that `closure` applies."""
        if len(arrow.params) != 1:
            self.report.add("E0312", arrow.span, "the step of a closure takes one element")
        scope = {**env, **self._infer.bind(arrow.params, kind if len(arrow.params) == 1 else UNKNOWN)}
        return set_of(self._infer.collection(arrow.body, scope))

    def wanted(self, e: Expr, wants: str, name: str, env: Env) -> Kind:
        infer = self._infer
        if wants == "number":
            infer.number(e, env, f"an argument of `{name}`")
            return INT
        if wants == "text":
            kind = plain(infer.kind(e, env))
            if kind.form not in ("text", "unknown", "none"):
                self.report.add("E0405", e.span, f"`{name}` takes a text, but this is {describe(kind)}")
            return TEXT
        if wants == "player":
            infer.player(e, env, f"an argument of `{name}`")
            return PLAYER
        if wants == "history":
            self._infer.history(e, env)
            return UNKNOWN
        if wants in ("any", "arrow"):
            return infer.kind(e, env)
        kind = infer.collection_kind(e, env)
        inner = element(kind)
        if wants == "truths" and plain(inner).form not in ("bool", "unknown", "none"):
            self.report.add(
                "E0401",
                _element(e).span,
                f"`{name}` takes truth values, but each of these is {describe(inner)}",
            )
        elif wants == "numbers" and plain(inner).form in ("bool", "element", "text", "word", "set"):
            hint = "; `len({...})` counts" if inner.form == "bool" else ""
            self.report.add(
                "E0402", _element(e).span, f"`{name}` adds numbers, but this is {describe(inner)}{hint}"
            )
            return list_of(UNKNOWN)
        return kind

    def given(self, b: Builtin, kinds: list[Kind], count: int) -> Kind:
        first = plain(kinds[0]) if kinds else UNKNOWN
        inner = element(first)
        match b.gives:
            case "bool":
                return BOOL
            case "int":
                return INT
            case "text":
                return TEXT
            case "player":
                return PLAYER
            case "players":
                return list_of(PLAYER)
            case "points":
                return list_of(POINT)
            case "ring":
                return list_of(INT)
            case "element":
                return inner
            case "element?":
                return option(inner)
            case "first":
                return inner if count == 1 else join(*kinds)
            case "list":
                return list_of(inner)
            case "words":
                return list_of(TEXT)
            case "set" | "bag":
                return Kind(b.gives, "", (inner,))
            case "pairs":
                return list_of(tuple_of(inner, inner))
            case "numbered":
                return list_of(tuple_of(INT, inner))
            case "zip":
                return list_of(tuple_of(*(element(k) for k in kinds)))
            case "subsets":
                return list_of(set_of(inner))
            case "lists":
                alike = count == 1 or all(element(k) == inner for k in kinds)
                return list_of(list_of(inner if alike else UNKNOWN))  # each has one of each
            case "flat":
                return set_of(element(inner))
            case "closure":
                return set_of(join(inner, element(kinds[1])) if count > 1 else inner)
        return UNKNOWN

    def method(self, e: t.Call, f: t.Field, env: Env) -> Kind:
        if "random" not in env and "random" not in self.symbols.table and die(e, self.report):
            return INT
        kind = plain(self._infer.kind(f.value, env))
        kinds = self.arguments(e, env)
        b = METHODS.get(f.name)
        end = f.span
        span = Span(end.file, end.end_line, end.end_column - len(f.name), end.end_line, end.end_column)
        if b is None and not e.named and self._infer.apart(e, f, e.args, kind):
            return UNKNOWN
        if b is None:
            told = isinstance(f.value, t.Name) and not (f.value.id in env or f.value.id in self.symbols.table)
            if not told:  # that it is an unknown name
                self.report.unknown("E0303", "unknown method", f.name, span, METHODS)
            return UNKNOWN
        wanted = ("map",) if f.name == "find" else ("list", "tuple", "point", "row")
        if kind.form not in (*wanted, "unknown"):
            self.report.add(
                "E0303", span, f"`{f.name}` is a method of a {wanted[0]}, but this is {describe(kind)}"
            )
            return UNKNOWN
        self.arity(e, f.name, b)
        if f.name == "find" and len(kind.parts) == 2 and kinds:
            held = plain(kind.parts[1])
            if not (compatible(held, kinds[0]) or compatible(element(held), kinds[0])):
                self.report.add(
                    "E0405",
                    e.args[0].span,
                    f"the map is searched for {describe(held)}, but this is {describe(kinds[0])}",
                )
            return option(kind.inner)
        if f.name == "with":
            return kind
        return INT if b.gives == "int" else UNKNOWN


def _element(e: Expr) -> Expr:
    return e.element if isinstance(e, t.Comprehension) else e


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _stretch(items: tuple[Expr, ...]) -> Span:
    first, last = items[0].span, items[-1].span
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def hidden(name: str, env: Env) -> bool:
    """Whether a local stands for what is called so elsewhere."""
    return name in env and env[name].role != "gone"
