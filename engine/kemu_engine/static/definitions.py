"""The values of an instance's names: constants and domains are worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import NoReturn

from kemu_grammar.check.builtins import FUNCTIONS
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import names_in

from kemu_engine.static.closures.base import Evaluation
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import admit
from kemu_engine.static.values import LARGEST, Domain, Row, Value

CHAIN = 1000  # definitions that each need the next


class Definitions:
    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.conditional: frozenset[str] = frozenset()  # names that some `under` defines
        self._open: list[str] = []

    def value(self, name: str, span: t.Span) -> Value:
        """The value of an option, member, domain or constant; computed once."""
        known, work = self.evaluation.known, self.evaluation.work
        if name in known:
            return known[name]
        declaration = self.evaluation.names.get(name)
        if name in self._open:
            refuse("E0702", span, f"`{name}` is defined by itself")
        if len(self._open) > CHAIN:
            refuse("E0706", span, f"definitions depend on each other more than {CHAIN:,} deep")
        self._open.append(name)
        work.enter(name)
        try:
            if isinstance(declaration, t.Const):
                value = self._constant(declaration)
            elif isinstance(declaration, t.Domain):
                value = self._domain(declaration)
            else:
                self.unknown(name, span)
        finally:
            self._open.pop()
            work.leave()
        known[name] = value
        return value

    def unknown(self, name: str, span: t.Span) -> NoReturn:
        """Says why a name, which the checker knows, has no value."""
        names = self.evaluation.names
        if name in self.conditional and name not in names:
            refuse("E0728", span, f"`{name}` is defined only `under` a condition that does not hold here")
        if name in FUNCTIONS or isinstance(names.get(name), t.Fun | t.Record):
            refuse("E0725", span, f"`{name}` is a function and must be called; `turns` works only in a `for`")
        refuse(
            "E0701",
            span,
            f"`{name}` is known only during play, but this needs a value known before play starts",
        )

    def _constant(self, d: t.Const) -> Value:
        value = self.evaluation.eval(d.value, {})
        if d.type is None:
            return value
        return admit(self.evaluation.types.make(d.type, {}), value, d.value.span)

    def _domain(self, d: t.Domain) -> Domain:
        if d.value is not None:
            elements = self.evaluation.elements(d.value, {})
            if not elements:
                refuse("E0704", d.span, f"the domain `{d.name}` is empty")
            return Domain.of(d.name, elements)
        fields = tuple(name for name, _ in d.fields)
        rows = self._rows(d, fields)
        if not rows:
            refuse("E0704", d.span, f"the domain `{d.name}` is empty")
        return Domain.of(d.name, (Row(row, fields) for row in rows))

    def _rows(self, d: t.Domain, fields: tuple[str, ...]) -> list[tuple[Value, ...]]:
        """The elements of a domain that is a product."""
        rows: list[tuple[Value, ...]] = [()]
        for at, (_, kind) in enumerate(d.fields):
            more: Iterable[tuple[Value, ...]]
            if isinstance(kind, t.RangeType) and names_in(kind) & set(fields[:at]):
                numbers = t.Range(kind.low, kind.high, span=kind.span)
                more = (self._numbers(numbers, dict(zip(fields, row, strict=False))) for row in rows)
            else:
                more = repeat(self.evaluation.types.domain(kind, {}))
            found: list[tuple[Value, ...]] = []
            for row, values in zip(rows, more, strict=False):
                if len(found) + len(values) > LARGEST:
                    refuse("E0705", d.span, f"the domain `{d.name}` has more than {LARGEST:,} elements")
                found += ((*row, v) for v in values)
            rows = found
        return rows

    def _numbers(self, numbers: t.Range, earlier: dict[str, Value]) -> tuple[Value, ...]:
        """The numbers of a field that depends on the fields before it; perhaps none."""
        found: tuple[Value, ...] = self.evaluation.eval(numbers, earlier)
        return found
