"""Work done in copies of this process, several side by side, each within limits of its own."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MEMORY = 4 << 30  # bytes that a copy may take


@dataclass(frozen=True, slots=True)
class Task:
    """What a copy works out, in so many seconds of processor time at most."""

    key: Any
    work: Callable[[], Any]
    seconds: int


@dataclass(frozen=True, slots=True)
class Done:
    """What a task came to; `value` is None if the copy died, which `died` tells the cause of."""

    key: Any
    value: Any
    died: str | None


def side_by_side(tasks: list[Task], copies: int) -> Iterator[Done]:
    """What the tasks come to, as they end."""
    with tempfile.TemporaryDirectory() as folder:
        waiting, running = list(reversed(tasks)), dict[int, tuple[Task, Path]]()
        while waiting or running:
            while waiting and len(running) < copies:
                task = waiting.pop()
                answer = Path(folder) / str(len(waiting))
                running[_copy(task, answer)] = (task, answer)
            process, status = os.wait()
            if process in running:
                task, answer = running.pop(process)
                died = _cause(os.waitstatus_to_exitcode(status))
                yield Done(task.key, None if died else pickle.loads(answer.read_bytes()), died)


def _cause(code: int) -> str | None:
    if code == -signal.SIGXCPU or code == -signal.SIGKILL:
        return "time"
    return f"exit {code}" if code else None


def _copy(task: Task, answer: Path) -> int:
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (task.seconds, task.seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        answer.write_bytes(pickle.dumps(task.work()))
        code = 0
    finally:
        os._exit(code)
