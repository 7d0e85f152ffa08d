"""Simulations on a cluster, by Ray, which is optional (`pip install 'ray[client]'`)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from kemu.base.library import BadInput
from kemu.service.simulation import Games, Spread, played
from kemu.service.statistics import Tally

MISSING = "a cluster needs Ray, which is not installed: `pip install 'ray[client]'` installs it"
AHEAD = 2  # tasks for each processor that are given out at once


def by_cluster(address: str) -> Spread:
    """Plays games on the cluster at that address, as Ray has it: `auto`, `local` (one that is begun here) or
    `ray://HOST:10001`. Kemu of the same version has to be installed on its machines. Raises BadInput."""
    try:
        import ray
    except ImportError:
        raise BadInput(MISSING) from None
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
        processors = int(ray.cluster_resources().get("CPU", 1))
    except Exception as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        raise BadInput(f"there is no cluster at {address!r}: {reason[0]}") from error

    def spread(games: Games, tasks: Iterator[range]) -> Iterator[Tally]:
        yield from _spread(ray, games, tasks, AHEAD * max(1, processors))

    return spread


def _spread(ray: Any, games: Games, tasks: Iterator[range], most: int) -> Iterator[Tally]:
    """Gives tasks out, at most so many at once, and gathers what comes of them."""
    task = ray.remote(played)
    packed = ray.put(games.packed())
    waiting: list[Any] = []
    try:
        while True:
            for numbers in tasks:
                waiting.append(task.remote(packed, numbers))
                if len(waiting) >= most:
                    break
            if not waiting:
                return
            done, waiting = ray.wait(waiting, num_returns=1)
            try:
                yield from ray.get(done)
            except ray.exceptions.RayError as error:
                last = str(error).strip().splitlines()[-1]
                raise BadInput(f"the cluster gave up: {last}; does it have this version of Kemu?") from error
    finally:
        for each in waiting:
            ray.cancel(each)
        ray.shutdown()
