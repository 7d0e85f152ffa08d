"""Longer explanations of the diagnostics, one a code, each with what is wrong and what is right.

Codes: E01 text, E02 syntax, E03 names, E04 kinds, E05 acting, E06 claims, E07 making an instance, E08 the
statements of the rulebook and what cites them.
"""

from __future__ import annotations

from textwrap import indent

from grammar.explanations.acting import ACTING
from grammar.explanations.acts import ACTS
from grammar.explanations.claims import CLAIMS
from grammar.explanations.entry import Explanation
from grammar.explanations.instance import INSTANCE
from grammar.explanations.kinds import KINDS
from grammar.explanations.lowering import LOWERING
from grammar.explanations.names import NAMES
from grammar.explanations.parts import PARTS
from grammar.explanations.statements import STATEMENTS
from grammar.explanations.syntax import SYNTAX
from grammar.explanations.text import TEXT

REGISTRY: dict[str, Explanation] = {
    **TEXT, **SYNTAX, **NAMES, **KINDS, **ACTING, **CLAIMS, **INSTANCE, **LOWERING, **ACTS, **PARTS,
    **STATEMENTS
}  # fmt: skip


def explain(code: str) -> str | None:
    """The explanation of a code as text, None if there is none."""
    found = REGISTRY.get(code.upper())
    if found is None:
        return None
    parts = [f"{code.upper()}: {found.title}", found.text]
    for i, (word, rules) in enumerate((("Wrong:", found.wrong), ("Right:", found.right))):
        if rules:
            parts += [word, indent(rules, "    ")]
        if rules and found.files is not None:
            parts += [f"{found.name}:", indent(found.files[i].strip(), "    ")]
    return "\n\n".join(parts)
