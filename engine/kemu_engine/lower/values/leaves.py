"""The scalars that a value of a record, or an element of a list, is stored as."""

from __future__ import annotations

from collections.abc import Iterator

from kemu_grammar.syntax import ast as t

from kemu_engine.lower.values.coerce import Coercions
from kemu_engine.lower.values.layout import is_scalar
from kemu_engine.lower.values.reps import Place, RecordPlace, Rep, Scalar, Tup
from kemu_engine.static.problems import refuse
from kemu_engine.static.types import RecordType, Type


def leaf_types(kind: Type, span: t.Span) -> list[Type]:
    if is_scalar(kind):
        return [kind]
    if isinstance(kind, RecordType):
        return [x for _, inner in kind.fields for x in leaf_types(inner, span)]
    refuse("E0716", span, "this type does not fit here: it holds a list, a bag or a map")


def leaf_reps(rep: Rep, kind: Type, coercions: Coercions, span: t.Span) -> list[Rep]:
    if isinstance(kind, RecordType):
        parts = coercions.parts(rep, len(kind.fields), span)
        return [
            x
            for (_, inner), p in zip(kind.fields, parts, strict=True)
            for x in leaf_reps(p, inner, coercions, span)
        ]
    return [rep]


def assemble(kind: Type, parts: Iterator[Rep]) -> Rep:
    if isinstance(kind, RecordType):
        return Tup(
            tuple(assemble(inner, parts) for _, inner in kind.fields), tuple(n for n, _ in kind.fields)
        )
    return next(parts)


def leaves(place: Place) -> list[Scalar]:
    match place:
        case Scalar():
            return [place]
        case RecordPlace(fields=fields):
            return [x for _, p in fields for x in leaves(p)]
    return []
