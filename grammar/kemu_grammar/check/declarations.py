"""The kinds of what is declared: types, domains, tables, constants, state variables, results of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from kemu_grammar.check.builtins import FOREIGN_TYPES, TYPES
from kemu_grammar.check.context import Env, Kinds
from kemu_grammar.check.scope import Local, Report, Symbols, article
from kemu_grammar.source.kinds import (
    BOOL,
    INT,
    PLAYER,
    TEXT,
    UNKNOWN,
    Kind,
    compatible,
    element,
    map_of,
    option,
    plain,
    set_of,
    tuple_of,
)
from kemu_grammar.syntax import ast as t

DEEPEST = 25  # definitions that refer to definitions, before a kind is given up


class Declared:
    """Part of Inference. Kinds are worked out when first asked for, silently: their own declarations
    report."""

    symbols: Symbols
    report: Report

    def __init__(self) -> None:
        self._kinds: dict[int, Kind] = {}
        self._open: set[int] = set()
        self._fields: dict[str, dict[str, Kind]] = {}

    # ----------------------------------------------------------------------------------------- types

    def type_kind(self, kind: t.Type | None) -> Kind:
        """The kind that a type describes; reports names that are no types."""
        match kind:
            case None:
                return UNKNOWN
            case t.RangeType():
                return INT
            case t.OptionType(inner=inner):
                return option(self.type_kind(inner))
            case t.GenericType(head=head, args=args):
                kinds = [self.type_kind(a) for a in args]
                if head == "map":
                    return map_of(kinds[0], kinds[1])
                return tuple_of(*kinds) if head == "tuple" else Kind(head, "", (kinds[0],))
            case t.HistoryType():
                return Kind("history")
            case t.NamedType(name=name):
                return self.named_type(name, kind.span)
        raise AssertionError(kind)

    def named_type(self, name: str, span: t.Span) -> Kind:
        basic = {"bool": BOOL, "int": INT, "text": TEXT, "Player": PLAYER}.get(name)
        if basic is not None:
            return basic
        symbol = self.symbols.table.get(name)
        if symbol is None or symbol.role not in ("domain", "enum", "record", "table", "const"):
            types = [
                s.name for s in self.symbols.table.values() if s.role in ("domain", "enum", "record", "table")
            ]
            what = "unknown type" if symbol is None else f"{article(symbol.role)} is not a type:"
            own = FOREIGN_TYPES.get(name)
            if symbol is None and own is not None:
                self.report.add("E0310", span, f"{what} `{name}`", fix=(span, own))
                return UNKNOWN
            self.report.unknown("E0310", what, name, span, [*types, *TYPES])
            return UNKNOWN
        return (
            Kind("row", name, self.row_parts(name))
            if symbol.role == "record"
            else element(self.symbol_kind(name))
        )

    def row_parts(self, name: str) -> tuple[Kind, ...]:
        return tuple(self.columns(name).values())

    def columns(self, name: str) -> dict[str, Kind]:
        """The fields of a record or product, the columns of a table."""
        if name not in self._fields:
            self._fields[name] = {}
            d = self.symbols.table[name].declaration
            given = (
                d.columns
                if isinstance(d, t.Table)
                else d.fields
                if isinstance(d, t.Record | t.Domain)
                else ()
            )
            self._fields[name] = {n: self.quietly(k) for n, k in given}
        return self._fields[name]

    def quietly(self, kind: t.Type | None) -> Kind:
        return self.silently(lambda: self.type_kind(kind))

    def fields_of(self, kind: Kind) -> dict[str, Kind] | None:
        """What may follow the dot; None if that cannot be told."""
        if kind.form == "point":
            return dict.fromkeys(("x", "y", "q", "r"), INT)
        if kind.form == "row":
            return self.columns(kind.name)
        if kind.form == "element":
            symbol = self.symbols.table.get(kind.name)
            columns = self.columns(kind.name) if symbol is not None and symbol.role == "table" else {}
            return {"name": TEXT, **columns}
        return None

    # --------------------------------------------------------------------------------------- symbols

    def silently(self, work: Callable[[], Kind]) -> Kind:
        report, self.report = self.report, Report({})
        try:
            return work()
        finally:
            self.report = report

    def symbol_kind(self, name: str) -> Kind:
        """The kind of a global name as an expression."""
        symbol = self.symbols.table[name]
        if name in self.symbols.unclear:
            return UNKNOWN
        d = symbol.declaration
        match d:
            case t.Fun() | t.Rule():
                return Kind("function", name)
            case t.Option():
                return self.option_kind(d)
            case t.Players():
                return PLAYER
            case t.Enum() | t.Table():
                own = Kind("element", d.name)
                return set_of(own) if symbol.role in ("enum", "table") else own
            case t.Record():
                return Kind("function", name)
        return self.known(d, lambda: self.made(d))

    def known(self, d: t.Declaration, work: Callable[[], Kind]) -> Kind:
        """Works out a kind once; what refers to itself, or too far, is unknown."""
        if id(d) in self._kinds:
            return self._kinds[id(d)]
        if id(d) in self._open or len(self._open) > DEEPEST:
            return UNKNOWN
        self._open.add(id(d))
        try:
            kind = self.silently(work)
        except RecursionError:  # deep expressions in definitions in definitions
            kind = UNKNOWN
        finally:
            self._open.discard(id(d))
        self._kinds[id(d)] = kind
        return kind

    def made(self, d: t.Declaration) -> Kind:
        infer = cast(Kinds, self)
        match d:
            case t.Domain(value=None, name=name):
                return set_of(Kind("row", name, self.row_parts(name)))
            case t.Domain(value=value) if value is not None:
                return set_of(element(infer.kind(value, {})))
            case t.Const(type=type_, value=value):
                return infer.kind(value, {}) if type_ is None else self.type_kind(type_)
            case t.StateVariable(type=type_, each=each):
                kind = self.type_kind(type_)
                return kind if each is None else map_of(element(infer.kind(each[1], {})), kind)
        return UNKNOWN

    def option_kind(self, d: t.Option) -> Kind:
        if d.values == "bool":
            return BOOL
        if isinstance(d.values, t.RangeType) or all(isinstance(v, int) for v in d.values):
            return INT
        return Kind("element", f"option {d.name}")

    # ------------------------------------------------------------------------------------- functions

    def result_kind(self, d: t.Fun | t.Rule) -> Kind:
        """What a call gives."""
        if d.result is not None:
            return self.quietly(d.result)
        return self.known(d, lambda: self.returned(d))

    def returned(self, d: t.Fun | t.Rule) -> Kind:
        infer = cast(Kinds, self)
        env: Env = {p.name: Local(self.type_kind(p.type), "parameter") for p in d.params}
        if isinstance(d, t.Fun) and not isinstance(d.body, tuple):
            return infer.kind(d.body, env)
        return UNKNOWN

    def assignable(self, value: Kind, target: Kind) -> bool:
        """Whether a value may be stored in a place of this kind."""
        if plain(target).form == "bag" and plain(value).form == "map":
            return compatible(target.inner, value.inner)
        return compatible(value, target)
