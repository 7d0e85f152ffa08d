"""What may lie beside a rules file."""

from __future__ import annotations

from pathlib import Path

PROOFS = "proofs.kemu"
"""The claims about the game; the file says `proves "rules-file.kemu"`."""
FILE = "rules.md"
"""The statements of the rulebook."""


def beside(file: str | Path) -> Path | None:
    """The statements that belong to a rules file, if there are any."""
    path = Path(file).parent / FILE
    return path if path.is_file() else None
