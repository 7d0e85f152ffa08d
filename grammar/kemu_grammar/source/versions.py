"""The versions of the language, and what a new one changed."""

from __future__ import annotations

LANGUAGE = 2
"""The version that is read."""

CHANGES = {
    2: "since version 2 `=` gives a map all its keys (`|=` changes some), and a set is gone through in the"
    " order of its elements",
}
"""What each version changed in rules that were right before, in a sentence."""


def changed_since(version: int) -> str:
    """What has changed since a version."""
    return "; ".join(told for number, told in CHANGES.items() if number > version)
