"""What every node of the tree has."""

from __future__ import annotations

from dataclasses import dataclass, field

from kemu_grammar.source.span import NOWHERE, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    span: Span = field(default=NOWHERE, compare=False, repr=False)
