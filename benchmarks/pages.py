"""What was measured goes into a page of docs/, between two marks there."""

from __future__ import annotations

from pathlib import Path


def put(page: Path, name: str, text: str) -> None:
    """Puts `text` in the place of what stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->`."""
    begin, end = (f"<!-- {name}: {word} -->" for word in ("begin", "end"))
    before, mark, rest = page.read_text("utf-8").partition(begin)
    _, closed, after = rest.partition(end)
    if not mark or not closed:
        raise SystemExit(f"{page} has no marks {begin} and {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", "utf-8")
