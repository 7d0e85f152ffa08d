"""What is written on: how wide it is, and whether it takes colour."""

from __future__ import annotations

import os
import shutil
import sys
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


NARROWEST, PIPED = 40, 100


def width() -> int:
    """The columns to write in: those of the terminal (or of COLUMNS); a moderate number where there is
    none."""
    return max(NARROWEST, shutil.get_terminal_size((PIPED, 24)).columns)


def fitted(text: str, indent: str = "  ") -> str:
    """A line of text in as many lines as it needs here, no word broken."""
    return "\n".join(wrap(text, width(), subsequent_indent=indent, break_on_hyphens=False))


def console(stderr: bool = False) -> Console:
    """A console that takes text as it is, without markup or guesses about what to highlight."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        file=stream, width=None if stream.isatty() else width(), markup=False, highlight=False, emoji=False
    )


def terminal() -> bool:
    """Whether someone watches stderr, so that progress is worth showing."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
