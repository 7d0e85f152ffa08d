"""What has changed from one message to the next; `site/together.js` puts it together again.

A change is `{"to": value}`; of an object `{"keys": {name: change}, "gone": [name]}`; of a list `{"items":
{index: change}}`, if as many stay, or `{"cuts": [[at, drop, values]]}`: at these places of the old list, in
their order, so many are left out and the values put in."""

from __future__ import annotations

from typing import Any

from msgspec import json

Change = dict[str, Any]
Cut = list[Any]  # where, how many go, what comes
Known = dict[tuple[int, int], tuple[list[Any], list[Any], Change | None]]
"""Changes from one list to another, by their ids; while they stand here nothing else has these."""
LONG = 8  # of a list whose changes are kept for others


def changes(old: Any, new: Any, known: Known | None = None) -> Change | None:
    """From plain data to plain data; None if they are the same. `known`: what is the same for others."""
    if _same(old, new):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        return _of_objects(old, new, known)
    if isinstance(old, list) and isinstance(new, list):
        if known is None or len(new) < LONG:
            return _of_lists(old, new, known)
        pair = (id(old), id(new))
        if pair not in known:
            known[pair] = (old, new, _of_lists(old, new, known))
        return known[pair][2]
    return {"to": new}


def _same(old: Any, new: Any) -> bool:
    """Whether they are told by the same text: `1 == True` is true in Python only."""
    return old is new or (old == new and json.encode(old) == json.encode(new))


def _of_objects(old: dict[str, Any], new: dict[str, Any], known: Known | None) -> Change | None:
    found: Change = {}
    keys = {}
    for name, value in new.items():
        if name not in old:
            keys[name] = {"to": value}
        elif (was := old[name]) is not value and (change := changes(was, value, known)) is not None:
            keys[name] = change
    if keys:
        found["keys"] = keys
    if gone := [name for name in old if name not in new]:
        found["gone"] = gone
    return found or None


def _of_lists(old: list[Any], new: list[Any], known: Known | None) -> Change | None:
    both = enumerate(zip(old, new, strict=False))
    differ = [at for at, (one, other) in both if one is not other and not _same(one, other)]
    if len(old) == len(new):
        cuts = _cuts(old, new, differ[0]) if len(differ) > 1 else None
        if cuts is None or sum(len(put) for _, _, put in cuts) >= len(differ):
            found = {str(at): changes(old[at], new[at], known) for at in differ}
            items = {at: each for at, each in found.items() if each is not None}
            whole = len(items) * 2 > len(new) and all("to" in each for each in items.values())
            return {"to": new} if whole else {"items": items} if items else None
        return {"cuts": cuts}
    return {"cuts": _cuts(old, new, differ[0] if differ else min(len(old), len(new)))}


def _cuts(old: list[Any], new: list[Any], first: int) -> list[Cut]:
    """What is to be done from a place on, if what is the same object stays."""
    places = {id(old[at]): at for at in range(len(old) - 1, first - 1, -1)}
    found: list[Cut] = []
    at, put = first, []
    for each in new[first:]:
        there = at if at < len(old) and old[at] is each else places.get(id(each), -1)
        if there < at:
            put.append(each)
            continue
        if put or there > at:
            found.append([at, there - at, put])
        at, put = there + 1, []
    if put or at < len(old):
        found.append([at, len(old) - at, put])
    return found
