"""Games that benchmarks/bots.py has played, a line of JSON each: the game, ours, theirs, the points, and
which search played it.

A search is named by a hash of the sources that say what it does with so many random games (`SEARCH`).
Words about them (comments, docstrings), what only makes it faster, and the version of Python are no part of
that.
Lines without a name are from before there were names.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "engine" / "kemu_engine"
SEARCH = (
    "kernel/standing.py",
    "run/wasm/programs/averages.py",
    "run/wasm/programs/gains.py",
    "run/wasm/programs/mcts.py",
    "run/wasm/programs/mcts_code.py",
    "run/wasm/programs/play.py",
    "run/wasm/programs/rollout.py",
    "run/wasm/programs/searcher.py",
    "run/wasm/programs/transpositions.py",
    "search/doubts.py",
    "search/mcts.py",
    "search/thought.py",
)

Key = tuple[str, str, str]
"""The game, the kind of bot that is ours, the other one."""


def named(sources: Iterable[str]) -> str:
    """The name of a search that is written so."""
    found = sha256()
    for source in sources:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                body[:] = [each for each in body if not is_text(each)]
        found.update(repr(shape(tree)).encode())
    return found.hexdigest()[:8]


def shape(node: object) -> object:
    """A tree as plain data. What is not there is left out: later versions of Python have more of that."""
    if isinstance(node, list):
        return [shape(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    parts = {name: shape(part) for name, part in ast.iter_fields(node) if part not in (None, [])}
    return type(node).__name__, parts


def is_text(node: ast.AST) -> bool:
    """Whether it is a text that stands by itself: a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def todays() -> str:
    """The name of the search as it is now."""
    return named((ENGINE / each).read_text("utf-8") for each in SEARCH)


@dataclass(slots=True)
class Kept:
    """The games of a ledger. `path`: where they are kept; None: nowhere. `search`: by whom those are that are
    added."""

    path: Path | None
    search: str
    found: dict[Key, dict[str, list[float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.path is None or not self.path.exists():
            return
        for line in self.path.read_text("utf-8").splitlines():
            game, ours, theirs, points, *search = json.loads(line)
            self._points((game, ours, theirs), *search).append(points)

    def _points(self, key: Key, search: str = "") -> list[float]:
        return self.found.setdefault(key, {}).setdefault(search, [])

    def own(self, key: Key) -> list[float]:
        """The points of the games of this search."""
        return self.found.get(key, {}).get(self.search, [])

    def earlier(self, key: Key) -> tuple[str, list[float]]:
        """The search before, and the points of its games, if there is none of this one: the last one that
        began to play them ("" if it has no name)."""
        found = self.found.get(key, {})
        return ("", []) if self.search in found or not found else [*found.items()][-1]

    def add(self, key: Key, points: float) -> None:
        self._points(key, self.search).append(points)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*key, points, self.search]) + "\n")
