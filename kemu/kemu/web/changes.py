"""What has changed from one message to the next; `site/together.js` puts it together again.

A change is `{"to": value}`; of an object `{"keys": {name: change}, "gone": [name]}`; of a list of the same
length `{"items": {index: change}}`, of another `{"at": index, "drop": number, "put": values}`."""

from __future__ import annotations

from typing import Any

Change = dict[str, Any]


def changes(old: Any, new: Any) -> Change | None:
    """From plain data to plain data; None if they are the same."""
    if old is new:
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        found: Change = {}
        keys = {}
        for name, value in new.items():
            if name not in old:
                keys[name] = {"to": value}
            elif (change := changes(old[name], value)) is not None:
                keys[name] = change
        gone = [name for name in old if name not in new]
        if keys:
            found["keys"] = keys
        if gone:
            found["gone"] = gone
        return found or None
    if isinstance(old, list) and isinstance(new, list):
        return _of_lists(old, new)
    return None if type(old) is type(new) and old == new else {"to": new}


def _of_lists(old: list[Any], new: list[Any]) -> Change | None:
    if old == new:
        return None
    if len(old) == len(new):
        items = {
            str(at): change
            for at, (one, other) in enumerate(zip(old, new, strict=True))
            if (change := changes(one, other)) is not None
        }
        whole = all("to" in change for change in items.values()) and len(items) * 2 > len(new)
        return ({"to": new} if whole else {"items": items}) if items else None
    short = min(len(old), len(new))
    first = next((at for at in range(short) if old[at] != new[at]), short)
    last = next((at for at in range(short - first) if old[-1 - at] != new[-1 - at]), short - first)
    return {"at": first, "drop": len(old) - first - last, "put": new[first : len(new) - last]}


def changed(old: Any, change: Change) -> Any:
    """The new data."""
    if "to" in change:
        return change["to"]
    if "items" in change:
        return [changed(each, change["items"].get(str(at), {})) for at, each in enumerate(old)]
    if "at" in change:
        at = change["at"]
        return [*old[:at], *change["put"], *old[at + change["drop"] :]]
    if not change:
        return old
    kept = {name: value for name, value in old.items() if name not in change.get("gone", ())}
    return kept | {name: changed(old.get(name), each) for name, each in change.get("keys", {}).items()}
