"""How many examples of random tests: some in every run, thirty times as many in a soak run.

.venv/bin/python -m pytest --hypothesis-profile=soak tests/verifier/symbolic
"""

from __future__ import annotations

from hypothesis import HealthCheck, settings

TIMES = 30


def register() -> None:
    """The profiles. No test times: a machine that does other things besides is no fault of ours."""
    settings.register_profile("kemu", deadline=None)
    settings.register_profile("soak", deadline=None, max_examples=TIMES * settings.default.max_examples)
    settings.load_profile("kemu")


def number(count: int) -> int:
    """So many, or `TIMES` as many in a soak run."""
    return count * (settings.default.max_examples // settings.get_profile("kemu").max_examples)


def examples(count: int) -> settings:
    """So many examples, or `TIMES` as many in a soak run; making one may take its time."""
    return settings(max_examples=number(count), suppress_health_check=list(HealthCheck))
