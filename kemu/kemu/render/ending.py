"""How a game ended, for those who played it: the lines of the rules that ended it, and what they retell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kemu_engine.kernel import nodes as k
from kemu_engine.play.ending import Reason
from kemu_grammar.source.keywords import MARK

from kemu.render.definitions import Definition, definitions
from kemu.render.refusal import quote, statements

CONDITION = re.compile(r"\s*(if|elif|else)\b")
NEAR = 3  # lines between a condition and what it led to that are shown whole
MOST_STATEMENTS = 5


def end(program: k.Program, stop: k.Exit, reasons: Sequence[Reason], width: int) -> list[str]:
    """The conditions that ended the game, those first that asked for something; what the last function asked
    for means that cites the rulebook; and the statements."""
    if not isinstance(stop, k.End) or stop.origin < 0 or not program.origins[stop.origin].span.line:
        return []
    origin = program.origins[stop.origin]
    parts = [part for each in reasons if each.asked or each.places for part in conditional(program, each)]
    parts = parts or [last(program.sources.get(origin.span.file, ""), origin.span.line)]
    asked = [name for each in reasons for name in each.asked]
    parts += [(each.line, each.lines) for each in telling(definitions(program.sources, " ".join(asked)))]
    numbers = dict.fromkeys(found[1] for _, lines in parts for line in lines for found in MARK.finditer(line))
    shown = [part for line, lines in parts for part in quote(line, lines, width)]
    cited = [*numbers][:MOST_STATEMENTS] or origin.cites
    return [*shown, *statements(program.sources, cited, width)]


def conditional(program: k.Program, reason: Reason) -> list[tuple[int, Sequence[str]]]:
    """The line of the condition and that of what it led to, with those between if they are few."""
    source = program.sources.get(reason.statement.file, "").splitlines()
    at, then = (reason.condition or reason.statement).line, reason.statement.line
    if then - at <= NEAR:
        return [(at, source[at - 1 : then])]
    return [(at, source[at - 1 : at]), (then, source[then - 1 : then])]


def last(source: str, line: int) -> tuple[int, Sequence[str]]:
    """The line that ended the game, with the condition above it."""
    lines = source.splitlines()[:line]
    above, ended = lines[-2:]
    first = line - 1 if CONDITION.match(above) and indented(above) < indented(ended) else line
    return first, lines[first - 1 :]


def telling(found: Sequence[Definition]) -> list[Definition]:
    """The last one that cites the rulebook, else the first."""
    citing = [each for each in found if any(map(MARK.search, each.lines))]
    return citing[-1:] or [*found[:1]]


def indented(line: str) -> int:
    return len(line) - len(line.lstrip())
