"""What can be chosen before a game begins; kept for the next time, since reading the rules takes longer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kemu.base import program_cache
from kemu.base.library import find, library
from kemu.base.opening import nearest, offered, opened
from kemu.base.program_cache import Asked

if TYPE_CHECKING:
    from kemu_grammar.game.game import Game


def choices(name: str) -> dict[str, Any]:
    """Title and doc of the game that a name or path means, and its options. Raises BadInput, RulesError,
    OSError."""
    asked = Asked(nearest(find(name)), nearest(library()), (), None, None, "choices")
    found: dict[str, Any] | None = program_cache.get(asked)
    if found is None:
        rules = opened(name)
        found = {"title": rules.title, "doc": rules.doc, "options": options(rules)}
        program_cache.put(asked, rules, found)
    return found


def options(rules: Game) -> list[dict[str, Any]]:
    """The options that a player may want, with their values as texts; none where any number of a range will
    do. `default` is "" where it follows from others."""
    from kemu_engine.static.values import text_of
    from kemu_grammar.syntax.ast import RangeType
    from kemu_verifier.diff.readings import values

    found = []
    for option in offered(rules, rules.options.values()):
        default = option.default
        known = isinstance(default, str | int)
        found.append(
            {
                "name": option.name,
                "kind": option.kind,
                "text": option.text,
                "values": [] if isinstance(option.values, RangeType) else list(map(text_of, values(option))),
                "default": text_of(default) if known else "",
            }
        )
    low, high = (getattr(each, "value", None) for each in (rules.players.low, rules.players.high))
    if isinstance(low, int) and isinstance(high, int):
        counts = [str(count) for count in range(low, high + 1)]
        found.insert(0, {"name": "players", "kind": "players", "text": "", "values": counts, "default": ""})
    return found
