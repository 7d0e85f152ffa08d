"""Which examples random tests try: the same few in every run, thirty times as many new ones in a soak run.

.venv/bin/python -m pytest --hypothesis-profile=soak tests/verifier/symbolic
"""

from __future__ import annotations

from typing import TypeVar

from hypothesis import HealthCheck, settings

TIMES = 30
Known = TypeVar("Known")


def register() -> None:
    """The profiles. What a run of the tests says depends on the code alone: no test times, no seed is new."""
    settings.register_profile("kemu", deadline=None, derandomize=True)
    many = TIMES * settings.default.max_examples
    settings.register_profile("soak", deadline=None, derandomize=False, max_examples=many)
    settings.load_profile("kemu")


def number(count: int) -> int:
    """So many, or `TIMES` as many in a soak run."""
    return count * (settings.default.max_examples // settings.get_profile("kemu").max_examples)


def as_far(first: int, known: list[Known]) -> list[Known]:
    """The first so many of the things that are known, or all of them in a soak run."""
    return known[: len(known) if number(1) > 1 else first]


def examples(count: int) -> settings:
    """So many examples, or `TIMES` as many in a soak run; making one may take its time."""
    return settings(max_examples=number(count), suppress_health_check=list(HealthCheck))
