"""What random expressions are made of: literals, and the places in variables that have a type."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TypeVar

from tests.oracles.kinds import Kind, Kinds, countable, values

MOST_INDICES = 3  # in each other
MOST_PARTS = 8  # of an index

T = TypeVar("T")
Scope = dict[str, Kind]
"""The names that can be read, and their types."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An action of which may be asked whether it could be: its parameters, of what kind and how many the
    parts of its path are, and whether `by` says of whom.
    """

    name: str
    params: tuple[Kind, ...]
    part: Kind | None = None
    parts: int = 0
    by: bool = False


class Places:
    """Writes places and literals of a type."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.players = ["ann", "bob", "cid"][: self.number(2, 3)]
        self.kinds = Kinds(random)
        self.state: Scope = {}
        self.consts: Scope = {}
        self.funs: dict[str, tuple[list[Kind], Kind]] = {}
        self.count = 0
        self.budget = 14
        self.uses: dict[str, set[str]] = {}
        self.rules: dict[str, tuple[list[tuple[Kind, bool]], Kind | None]] = {}
        self.named: dict[str, list[str]] = {}  # of functions
        self.spared: set[str] = set()  # those whose last parameter need not be given
        self.unique: Scope = {}  # maps without a value under two keys
        self.calm = False  # whether what is being written never stops
        self.calm_rules: set[str] = set()  # those that never stop
        self.indices = 0  # of how many parts an index is being written
        self.changing: Scope = {}  # the parameters and locals that may be changed
        self.histories: list[str] = []
        self.asked: Asked | None = None

    def expr(self, kind: Kind, scope: Scope, depth: int) -> str:
        raise NotImplementedError

    def int_(self, scope: Scope, depth: int) -> str:
        raise NotImplementedError

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def one(self, *choices: T) -> T:
        return self.random.choice(choices)

    def name(self, start: str) -> str:
        self.count += 1
        return f"{start}{self.count}"

    # ---------------------------------------------------------------------------------------- what is written

    def literal(self, kind: Kind, sparse: bool = False) -> str:
        """A value that is known before play. `sparse`: where its type is known, maps may rely on their
        defaults.
        """
        if countable(kind) and kind.head != "record":
            return self.one(*values(kind, self.players))
        match kind.head:
            case "set":
                return self.braces(self.some_values(kind.parts[0], 2))
            case "bag":
                things = self.some_values(kind.parts[0], min(kind.size, 2)) or [self.literal(kind.parts[0])]
                return self.braces([f"{x}: {self.number(1, kind.size // len(things))}" for x in things])
            case "list":
                items = [self.literal(kind.parts[0], sparse) for _ in range(self.number(0, self.room(kind)))]
                return f"[{', '.join(items)}]"
            case "map":
                keys = values(kind.parts[0], self.players)
                self.random.shuffle(keys)
                if kind.default and sparse:
                    keys = keys[: self.number(0, 2)]
                inner = replace(kind.parts[1], size=1) if kind.grows else kind.parts[1]
                return self.braces([f"{k}: {self.literal(inner, sparse)}" for k in keys])
        items = [self.literal(part, sparse) for part in kind.parts]
        return f"{kind.name}({', '.join(items)})"

    def room(self, kind: Kind) -> int:
        return min(kind.size, 2)

    def some_values(self, kind: Kind, most: int) -> list[str]:
        all_ = values(kind, self.players)
        return self.random.sample(all_, self.number(0, min(most, len(all_))))

    def braces(self, items: list[str]) -> str:
        return f"{{{', '.join(items)}}}"

    # ---------------------------------------------------------------------------------------- places

    def places(self, scope: Scope, wanted: Kind, whole: bool = True) -> list[tuple[str, tuple[object, ...]]]:
        """The ways from a variable to a part of that type: its name, and what is gone through."""
        found: list[tuple[str, tuple[object, ...]]] = []
        for name, kind in scope.items():
            found += [(name, steps) for steps in self.ways(kind, wanted) if whole or steps]
        return found

    def ways(self, kind: Kind, wanted: Kind) -> list[tuple[object, ...]]:
        found: list[tuple[object, ...]] = [()] if kind == wanted else []
        match kind.head:
            case "map" | "list":
                found += [((kind,), *rest) for rest in self.ways(kind.parts[-1], wanted)]
            case "bag" if wanted.head == "range" and wanted.low >= 0:
                found.append(((kind,),))
            case "tuple":
                for i, part in enumerate(kind.parts):
                    found += [(f"[{i}]", *rest) for rest in self.ways(part, wanted)]
            case "record":
                for name, part in zip(kind.fields, kind.parts, strict=True):
                    found += [(f".{name}", *rest) for rest in self.ways(part, wanted)]
        return found

    def walked(self, name: str, steps: tuple[object, ...], scope: Scope, depth: int) -> str:
        for step in steps:
            if isinstance(step, str):
                name += step
            else:
                assert isinstance(step, tuple)
                name += f"[{self.index(step[0], scope, depth)}]"
        return name

    def index(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Written out, a part of a part is long if its indices are such parts, too: not too many of them."""
        self.indices += 1
        found = self._index(kind, scope, depth if self.indices < MOST_INDICES else -2)
        self.indices -= 1
        return found if found.count("[") < MOST_PARTS else self._index(kind, scope, -2)

    def _index(self, kind: Kind, scope: Scope, depth: int) -> str:
        if kind.head != "list":
            return self.expr(kind.parts[0], scope, depth) if depth > -2 else self.literal(kind.parts[0])
        if depth < 0:
            return self.one("0", "0", "n", "-1")
        return self.one("0", "0", "1", "-1", "n", "n - 1", "-n", self.int_(scope, depth))

    def place(self, kind: Kind, scope: Scope, depth: int) -> str | None:
        """A variable of that type or a part of one."""
        found = self.places(scope, kind)
        return self.walked(*self.one(*found), scope, depth) if found else None

    def inside(self, scope: Scope) -> list[Kind]:
        """The types of variables and of their parts."""
        found: dict[Kind, None] = {}
        waiting = list(scope.values())
        while waiting:
            kind = waiting.pop()
            if kind not in found:
                found[kind] = None
                waiting += (
                    kind.parts[1:]
                    if kind.head == "map"
                    else ()
                    if kind.head in ("set", "bag", "option")
                    else kind.parts
                )
        return list(found)
