"""How the values are written that an action may be of: each in its own way, and as one argument."""

from __future__ import annotations

from collections.abc import Sequence

from kemu_grammar.syntax.ast import Span

from kemu_engine.static.problems import refuse
from kemu_engine.static.values import Value, text_of

SIGNS = frozenset(",()")
"""Signs by which the text of an action is read; in a text of the rules file they would be taken for these."""


def written(name: str, values: Sequence[Value], span: Span) -> tuple[str, ...]:
    """The texts of what the parameter of this name runs through. Raises RulesError if they leave open which
    action is meant.
    """
    texts = tuple(map(text_of, values))
    if len(set(texts)) != len(texts):
        refuse("E0740", span, f"two values of `{name}` are written the same way")
    for value in values:
        if isinstance(value, str) and (not value.strip() or SIGNS & set(value)):
            message = f'"{value}", a value of `{name}`, cannot be told from what stands around it'
            refuse("E0740", span, message)
    return texts
