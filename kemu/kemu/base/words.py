"""Words for lists and numbers."""

from __future__ import annotations


def listed(names: list[str], last: str = "and") -> str:
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def counted(number: int, thing: str) -> str:
    """`1 game`, `1,000 games`, `2 properties`."""
    many = thing.removesuffix("y") + "ies" if thing.endswith("ty") else thing + "s"
    return f"{number:,} {thing if number == 1 else many}"
