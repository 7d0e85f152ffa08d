"""What a page makes of the changes that it is told (kemu/web/changes.py), in Python."""

from __future__ import annotations

from typing import Any

from kemu.web.changes import Change


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
