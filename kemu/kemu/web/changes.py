"""What has changed from one message to the next; `site/together.js` puts it together again.

A change is `{"to": value}`; of an object `{"keys": {name: change}, "gone": [name]}`; of a list `{"items":
{index: change}}`, if as many stay, or `{"cuts": [[at, drop, values]]}`: at these places of the old list, in
their order, so many are left out and the values put in."""

from __future__ import annotations

from typing import Any

Change = dict[str, Any]
Cut = list[Any]  # where, how many go, what comes
Known = dict[tuple[int, int], tuple[list[Any], list[Any], Change | None]]
"""Changes from one list to another, by their ids; while they stand here nothing else has these."""
LONG = 8  # of a list whose changes are kept for others


def changes(old: Any, new: Any, known: Known | None = None) -> Change | None:
    """From plain data to plain data; None if they are the same. `known`: what is the same for others."""
    if old is new or (type(old) is type(new) and old == new):
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


def _of_objects(old: dict[str, Any], new: dict[str, Any], known: Known | None) -> Change | None:
    found: Change = {}
    keys = {}
    for name, value in new.items():
        if name not in old:
            keys[name] = {"to": value}
        elif (change := changes(old[name], value, known)) is not None:
            keys[name] = change
    if keys:
        found["keys"] = keys
    if gone := [name for name in old if name not in new]:
        found["gone"] = gone
    return found or None


def _of_lists(old: list[Any], new: list[Any], known: Known | None) -> Change | None:
    differ = [
        at for at, one in enumerate(zip(old, new, strict=False)) if one[0] is not one[1] and one[0] != one[1]
    ]
    if len(old) == len(new):
        cuts = _cuts(old, new, differ[0]) if len(differ) > 1 else None
        if cuts is None or sum(len(put) for _, _, put in cuts) >= len(differ):
            items = {str(at): changes(old[at], new[at], known) for at in differ}
            whole = len(items) * 2 > len(new) and all(each and "to" in each for each in items.values())
            return {"to": new} if whole else {"items": items}
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


def changed(old: Any, change: Change) -> Any:
    """The new data."""
    if "to" in change:
        return change["to"]
    if "items" in change:
        new = list(old)
        for at, each in change["items"].items():
            new[int(at)] = changed(old[int(at)], each)
        return new
    if "cuts" in change:
        new, last = [], 0
        for at, drop, put in change["cuts"]:
            new += old[last:at]
            new += put
            last = at + drop
        return new + old[last:]
    if not change:
        return old
    kept = {name: value for name, value in old.items() if name not in change.get("gone", ())}
    return kept | {name: changed(old.get(name), each) for name, each in change.get("keys", {}).items()}
