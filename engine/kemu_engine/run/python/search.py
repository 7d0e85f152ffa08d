"""Text of a search for patterns that lie in sets."""

from __future__ import annotations

from kemu_engine.opt.nodes import Pattern
from kemu_engine.opt.sets.pattern_match import prefixes
from kemu_engine.run.python.text import Block


def searching(name: str, wanted: tuple[tuple[Pattern, int], ...]) -> Block:
    """A Python function of the sets that are asked about."""
    patterns = dict(wanted)
    number = 1 + max((of for pattern in patterns for of, _ in pattern), default=0)
    body: Block = ["found = 0"]
    names: dict[Pattern, str] = {}
    inner = {pattern[:-1] for pattern in prefixes(patterns)}
    for prefix in prefixes(patterns):
        (of, by) = prefix[-1]
        text = f"s{of}" if not by else f"s{of} >> {by}" if by > 0 else f"s{of} << {-by}"
        if len(prefix) > 1:
            text = f"{names[prefix[:-1]]} & {text}"
        if prefix in inner:
            names[prefix] = f"at{len(names)}"
            body.append(f"{names[prefix]} = {text}")
            text = names[prefix]
        if prefix in patterns:
            body.append(f"found |= {text} & {patterns[prefix]:#x}")
    return [f"def {name}({', '.join(f's{of}' for of in range(number))}):", [*body, "return found"]]
