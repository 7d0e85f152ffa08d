"""One explanation of a diagnostic, and how it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Explanation:
    """`wrong` and `right` are rules, without the lines that every game has; empty where no short example
    helps. `files`: what stands in a file beside the wrong and beside the right rules; `name`: that file's.
    """

    title: str
    text: str
    wrong: str = ""
    right: str = ""
    files: tuple[str, str] | None = None
    name: str = "tiles.csv"


def explanation(
    title: str,
    text: str,
    wrong: str = "",
    right: str = "",
    files: tuple[str, str] | None = None,
    name: str = "tiles.csv",
) -> Explanation:
    """An explanation as it is written in the source: indented, and broken into lines."""
    return Explanation(
        title,
        " ".join(text.split()),
        plain(wrong),
        plain(right),
        files and (plain(files[0]), plain(files[1])),
        name,
    )


def plain(text: str) -> str:
    """Lines without the indentation that they have in the source."""
    return dedent(text).strip("\n")
