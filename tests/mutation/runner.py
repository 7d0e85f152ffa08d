"""Runs a room's tests in this process: all, to see which lines each reaches, or some on a mutant."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import pytest

from tests.mutation.mutants import Mutant

QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly")
Lines = dict[str, frozenset[int]]
"""By file."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What a test reaches, and the seconds that it took."""

    test: str
    lines: Lines
    seconds: float


# ------------------------------------------------------------------------------------------ what tests reach


class _Watch:
    """Notes the lines of a room that each test carries out."""

    def __init__(self, room: Path) -> None:
        self.room = f"{room.resolve()}/"
        self.found: list[Reach] = []
        self.failed: list[str] = []
        self._lines: dict[str, set[int]] = {}
        self._watched: dict[CodeType, set[int] | None] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, None, None]:
        self._lines, self._watched = {}, {}
        before = time.process_time()
        sys.settrace(self._enter)
        yield
        sys.settrace(None)
        lines = {file: frozenset(lines) for file, lines in self._lines.items()}
        self.found.append(Reach(item.nodeid, lines, time.process_time() - before))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)

    def _enter(self, frame: FrameType, event: str, arg: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code not in self._watched:
            inside = code.co_filename.startswith(self.room)
            self._watched[code] = self._lines.setdefault(code.co_filename, set()) if inside else None
        lines = self._watched[code]
        if lines is None:
            return None

        def note(frame: FrameType, event: str, arg: object) -> Callable[..., Any]:
            lines.add(frame.f_lineno)
            return note

        lines.add(frame.f_lineno)
        return note


def watched(room: Path, tests: Path) -> tuple[list[Reach], list[str]]:
    """What every test of a file reaches of a room, and those that fail as things are."""
    watch = _Watch(room)
    pytest.main([*QUIET, str(tests)], plugins=[watch])
    return watch.found, watch.failed


# ------------------------------------------------------------------------------------------ tests on a mutant


class _Changed(MetaPathFinder):
    """Has one file imported with another text."""

    def __init__(self, mutant: Mutant) -> None:
        self.file, self.text = str(mutant.file.resolve()), mutant.text()

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin != self.file:
            return None
        spec.loader = _Loader(name, self.file, self.text)
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, file: str, text: str) -> None:
        super().__init__(name, file)
        self.text = text

    def get_code(self, name: str) -> CodeType:
        code: CodeType = compile(self.text, self.path, "exec")
        return code


class _Chosen:
    """Some tests in a given order, and the first of them that fails."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: at for at, test in enumerate(tests)}
        self.failed: str | None = None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (i for i in items if i.nodeid in self.order), key=lambda item: self.order[item.nodeid]
        )

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self.failed is None:
            self.failed = report.nodeid


def killed_by(mutant: Mutant, tests: Sequence[str]) -> str | None:
    """The first of the tests that the mutant fails; None if it passes them all."""
    sys.meta_path.insert(0, _Changed(mutant))
    chosen = _Chosen(tests)
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    code = pytest.main(["-x", *QUIET, *files], plugins=[chosen])
    return None if code == pytest.ExitCode.OK else chosen.failed or "import"
