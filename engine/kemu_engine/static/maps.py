"""Maps that are known: which keys they must have, and what those have that are not given."""

from __future__ import annotations

from collections.abc import Iterable

from kemu_grammar.syntax.ast import Span

from kemu_engine.static.problems import refuse
from kemu_engine.static.values import FrozenMap, Value, text_of

TOLD = 3  # keys that a message names


def filled(value: Value, keys: tuple[Value, ...], default: tuple[Value, ...], span: Span) -> FrozenMap:
    """The map with just these keys, in their order; `default`, if there is one, where none is given."""
    if not isinstance(value, FrozenMap):
        refuse("E0730", span, "a map takes a map or `{key: value}`")
    no_others(value, keys, span)
    if not default:
        complete(value, keys, span)
    return FrozenMap({key: value[key] if key in value else default[0] for key in keys})


def complete(given: Iterable[Value], keys: tuple[Value, ...], span: Span) -> None:
    """Refuses a map that lacks keys."""
    there = frozenset(given)
    lacking = [key for key in keys if key not in there]
    if lacking:
        mends = "a default, `map[K, V = 0]`, is for such keys; `|=` changes only what is given"
        message = f"this map says nothing of {_told(lacking)}; {mends}"
        refuse("E0730", span, message)


def no_others(given: Iterable[Value], keys: tuple[Value, ...], span: Span) -> None:
    """Refuses a map with keys that are none."""
    own = frozenset(keys)
    strange = [key for key in given if key not in own]
    if strange:
        refuse("E0730", span, f"{_told(strange)} {'is' if len(strange) == 1 else 'are'} not among its keys")


def _told(keys: list[Value]) -> str:
    shown = [f"`{text_of(key)}`" for key in keys[:TOLD]]
    if len(keys) > TOLD:
        shown.append(f"{len(keys) - TOLD} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
