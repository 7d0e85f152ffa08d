"""Longer explanations of the diagnostics, one a code, each with what is wrong and what is right.

Codes: E01 text, E02 syntax, E03 names, E04 kinds, E05 acting, E06 claims, E07 making an instance, E08 the
statements of the rulebook and what cites them.
"""

from __future__ import annotations

from textwrap import indent

from kemu_grammar.explain.acting import ACTING
from kemu_grammar.explain.acts import ACTS
from kemu_grammar.explain.claims import CLAIMS
from kemu_grammar.explain.entry import Explanation
from kemu_grammar.explain.examples import EXAMPLES
from kemu_grammar.explain.instance import INSTANCE
from kemu_grammar.explain.kinds import KINDS
from kemu_grammar.explain.lowering import LOWERING
from kemu_grammar.explain.names import NAMES
from kemu_grammar.explain.parts import PARTS
from kemu_grammar.explain.statements import STATEMENTS
from kemu_grammar.explain.syntax import SYNTAX
from kemu_grammar.explain.text import TEXT

REGISTRY: dict[str, Explanation] = {
    **TEXT, **SYNTAX, **NAMES, **KINDS, **ACTING, **CLAIMS, **INSTANCE, **LOWERING, **ACTS, **PARTS,
    **EXAMPLES, **STATEMENTS
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
