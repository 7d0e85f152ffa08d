"""Random expressions of a type, for rules files with lists, maps, bags, sets, options, records and tuples in
each other.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TypeVar

from tests.oracles.kinds import (
    BOOL,
    HUE,
    PLAYER,
    SMALL,
    Kind,
    Kinds,
    countable,
    list_of,
    map_of,
    may_be_none,
    option,
    set_of,
    tuple_of,
    values,
)

T = TypeVar("T")
Scope = dict[str, Kind]
"""The names that can be read, and their types."""
COMPARED = ("==", "!=", "<", "<=", ">", ">=")


class Expressions:
    """Writes expressions of a type."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.players = ["ann", "bob", "cid"][: self.number(2, 3)]
        self.kinds = Kinds(random)
        self.state: Scope = {}
        self.consts: Scope = {}
        self.funs: dict[str, tuple[list[Kind], Kind]] = {}
        self.count = 0

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def one(self, *choices: T) -> T:
        return self.random.choice(choices)

    def name(self, start: str) -> str:
        self.count += 1
        return f"{start}{self.count}"

    # ---------------------------------------------------------------------------------------- what is written

    def literal(self, kind: Kind) -> str:
        """A value that is known before play."""
        if countable(kind) and kind.head != "record":
            return self.one(*values(kind, self.players))
        match kind.head:
            case "set":
                return self.braces(self.some_values(kind.parts[0], 2))
            case "bag":
                things = self.some_values(kind.parts[0], min(kind.size, 2)) or [self.literal(kind.parts[0])]
                return self.braces([f"{x}: {self.number(1, max(kind.size // 2, 1))}" for x in things])
            case "list":
                items = [self.literal(kind.parts[0]) for _ in range(self.number(0, self.room(kind)))]
                return f"[{', '.join(items)}]"
            case "map":
                keys = values(kind.parts[0], self.players)
                self.random.shuffle(keys)
                inner = replace(kind.parts[1], size=1) if kind.grows else kind.parts[1]
                return self.braces([f"{k}: {self.literal(inner)}" for k in keys])
        items = [self.literal(part) for part in kind.parts]
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
        if kind.head != "list":
            return self.expr(kind.parts[0], scope, depth)
        if depth < 0:
            return self.one("0", "0", "n", "-1")
        return self.one("0", "0", "1", "-1", "n", "n - 1", "-n", self.int_(scope, depth))

    def place(self, kind: Kind, scope: Scope, depth: int) -> str | None:
        """A variable of that type or a part of one."""
        found = self.places(scope, kind)
        return self.walked(*self.one(*found), scope, depth) if found else None

    # ---------------------------------------------------------------------------------------- any type

    def expr(self, kind: Kind, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.number(0, 3) == 0:
            names = self.consts if self.number(0, 9) == 0 else scope
            found = self.place(kind, names, depth - 1) if depth > -2 and self.number(0, 3) else None
            return found if found is not None else self.literal(kind)
        match self.number(0, 9):
            case 0 | 1 | 2:
                found = self.place(kind, scope, depth - 1)
                return found if found is not None else self.made(kind, scope, depth)
            case 3:
                then, other = self.expr(kind, scope, depth - 1), self.expr(kind, scope, depth - 1)
                return f"({then} if {self.bool_(scope, depth - 1)} else {other})"
            case 4:
                called = [name for name, (_, result) in self.funs.items() if result == kind]
                return (
                    self.called(self.one(*called), scope, depth) if called else self.made(kind, scope, depth)
                )
            case 5:
                return self.part(kind, scope, depth - 1)
        return self.made(kind, scope, depth)

    def called(self, fun: str, scope: Scope, depth: int) -> str:
        return f"{fun}({', '.join(self.expr(kind, scope, depth - 1) for kind in self.funs[fun][0])})"

    def part(self, kind: Kind, scope: Scope, depth: int) -> str:
        """A part of a value that is made on the way."""
        match self.number(0, 3):
            case 0:
                held = self.expr(list_of(kind, 2), scope, depth)
                if held == "[]":
                    held = f"[{self.literal(kind)}]"
                return f"({held})[{self.one('0', 'n', '-1', 'n - 1')}]"
            case 1:
                key = self.one(HUE, BOOL, PLAYER)
                return f"({self.expr(map_of(key, kind), scope, depth)})[{self.expr(key, scope, 0)}]"
            case 2:
                pair = tuple_of(kind, self.one(BOOL, HUE))
                return f"({self.expr(pair, scope, depth)})[0]"
        if may_be_none(kind):
            return f"only({self.collection(kind, scope, depth)})"
        return self.made(kind, scope, depth)

    def made(self, kind: Kind, scope: Scope, depth: int) -> str:
        """A value put together, by its type."""
        deeper = depth - 1
        match kind.head:
            case "bool":
                return self.bool_(scope, depth)
            case "range":
                if self.number(0, 5) == 0:
                    return self.int_(scope, deeper)
                shift = f" + {kind.low}" if kind.low else ""
                return f"({self.int_(scope, deeper)} % {kind.high - kind.low + 1}{shift})"
            case "named":
                return self.element(kind, scope, deeper)
            case "option":
                inner = kind.parts[0]
                if self.number(0, 2) == 0:
                    return f"first({self.collection(inner, scope, deeper)})"
                return self.one("none", self.expr(inner, scope, deeper))
            case "set":
                return self.set_(kind, scope, depth)
            case "bag":
                return self.literal(kind)
            case "map":
                inner = kind.parts[1]
                return self.mapped(kind.parts[0], inner, scope, deeper)
            case "list":
                return self.list_(kind, scope, depth)
        items = [self.expr(part, scope, deeper) for part in kind.parts]
        if kind.head == "record" and self.number(0, 3) == 0:
            items = [f"{n}={x}" for n, x in zip(kind.fields, items, strict=True)]
        return f"{kind.name}({', '.join(items)})"

    def mapped(self, key: Kind, value: Kind, scope: Scope, depth: int) -> str:
        name = self.name("k")
        keys = values(key, self.players)
        if self.number(0, 1):
            self.random.shuffle(keys)
        over = f"[{', '.join(keys)}]"
        if key.head == "range":
            over = key.written
        if key.head == "named" and self.number(0, 3):
            over = key.name
        return f"{{{name}: {self.expr(value, {**scope, name: key}, depth)} for {name} in {over}}}"

    def element(self, kind: Kind, scope: Scope, depth: int) -> str:
        match self.number(0, 4):
            case 0 if kind == PLAYER:
                return f"{self.one('left', 'right')}({self.expr(kind, scope, depth)})"
            case 0 if kind == HUE:
                pair = Kind("named", name="Duo")
                return f"{self.expr(pair, scope, depth)}.hue"
            case 1:
                return f"only({self.expr(set_of(kind), scope, depth)})"
            case 2:
                found = self.place(option(kind), scope, depth)
                return found or self.literal(kind)
            case 3:
                return (
                    f"{self.one('min', 'max')}({self.number(0, 1)}, 1)"
                    if kind == SMALL
                    else self.literal(kind)
                )
        return self.one(*values(kind, self.players))

    # ---------------------------------------------------------------------------------------- collections

    def collection(self, kind: Kind, scope: Scope, depth: int) -> str:
        """Something of such elements that can be gone through."""
        match self.number(0, 6):
            case 0 | 1:
                return self.expr(list_of(kind, self.number(1, 3)), scope, depth)
            case 2 if countable(kind) and len(values(kind, self.players)) < 7:
                return self.expr(map_of(kind, self.one(BOOL, SMALL)), scope, depth)
            case 3 if countable(kind):
                return self.expr(Kind("bag", (kind,), 3), scope, depth)
            case 4 if kind.head == "named":
                return kind.name
            case 4 if kind.head == "range":
                return kind.written
            case 5 if countable(kind) and kind.head != "option":
                return self.known_collection(kind, scope, depth)
        if countable(kind) and kind.head != "option":
            return self.expr(set_of(kind), scope, depth)
        return self.known_collection(kind, scope, depth)

    def known_collection(self, kind: Kind, scope: Scope, depth: int) -> str:
        """A variable that holds such elements, if there is one."""
        wanted = [
            k for k in self.inside(scope)
            if k.head in ("list", "set", "bag", "map") and k.parts[0] == kind
        ]  # fmt: skip
        if wanted:
            found = self.place(self.one(*wanted), scope, depth)
            assert found is not None
            return found
        return self.expr(list_of(kind, 2), scope, depth)

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

    def set_(self, kind: Kind, scope: Scope, depth: int) -> str:
        inner, deeper = kind.parts[0], depth - 1
        match self.number(0, 5):
            case 0 | 1:
                a, b = self.expr(kind, scope, deeper), self.expr(kind, scope, deeper)
                return f"({a} {self.one('|', '&', '-')} {b})"
            case 2:
                return self.braces([self.expr(inner, scope, deeper) for _ in range(self.number(1, 2))])
            case 3:
                return f"set({self.collection(inner, scope, deeper)})"
        name = self.name("v")
        if self.number(0, 1):
            other = self.some_kind(scope)
            more = {**scope, name: other}
            source = self.collection(other, scope, deeper)
            return f"{{{self.expr(inner, more, deeper)} for {name} in {source}}}"
        test = self.bool_({**scope, name: inner}, deeper)
        return f"{{{name} for {name} in {self.collection(inner, scope, deeper)} if {test}}}"

    def some_kind(self, scope: Scope) -> Kind:
        """The type of what some variable holds, or of anything small."""
        parts = [k.parts[0] for k in self.inside(scope) if k.head in ("list", "map", "set", "bag")]
        return self.one(*parts, HUE, BOOL, SMALL)

    def list_(self, kind: Kind, scope: Scope, depth: int) -> str:
        inner, deeper = kind.parts[0], depth - 1
        match self.number(0, 5):
            case 0:
                return f"({self.expr(kind, scope, deeper)} + {self.expr(kind, scope, deeper)})"
            case 1:
                return f"({self.expr(kind, scope, deeper)} + [{self.expr(inner, scope, deeper)}])"
            case 2:
                low, high = (self.one("", "0", "1", "-1", "n", "n - 1", str(kind.size)) for _ in range(2))
                return f"({self.expr(kind, scope, deeper)})[{low}:{high}]"
            case 3 if kind.size > 1:
                name = self.name("i")
                over, key = self.one(("0..1", SMALL), ("[false, true]", BOOL), ("Cool", HUE))
                return f"[{self.expr(inner, {**scope, name: key}, deeper)} for {name} in {over}]"
        return (
            f"[{', '.join(self.expr(inner, scope, deeper) for _ in range(self.number(0, self.room(kind))))}]"
        )

    # ---------------------------------------------------------------------------------------- numbers, truths

    def int_(self, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.number(0, 4) == 0:
            ranges = [k for k in self.inside(scope) if k.head == "range"]
            found = (
                self.place(self.one(*ranges), scope, depth - 1)
                if ranges and depth > -2 and self.number(0, 2)
                else None
            )
            return found or self.one(str(self.number(0, 3)), "n")
        deeper = depth - 1
        match self.number(0, 9):
            case 0 | 1:
                return f"({self.int_(scope, deeper)} {self.one('+', '-', '*')} {self.int_(scope, deeper)})"
            case 2 | 3:
                return f"len({self.collection(self.some_kind(scope), scope, deeper)})"
            case 4:
                bags = [k for k in self.inside(scope) if k.head == "bag"]
                if bags:
                    kind = self.one(*bags)
                    return f"{self.place(kind, scope, deeper)}[{self.expr(kind.parts[0], scope, 0)}]"
            case 5:
                kind = self.some_kind(scope)
                source = self.expr(list_of(kind, 2), scope, deeper)
                return f"({source}).{self.one('count', 'count', 'index')}({self.expr(kind, scope, deeper)})"
            case 6 | 7:
                fold = self.one("sum", "sum", "min", "max")
                return f"{fold}({self.each(scope, deeper, 'int')})"
            case 8:
                a, b = self.int_(scope, deeper), self.int_(scope, deeper)
                return f"({a} if {self.bool_(scope, deeper)} else {b})"
        return f"{self.one('min', 'max')}({self.int_(scope, deeper)}, {self.int_(scope, deeper)})"

    def each(self, scope: Scope, depth: int, of: str) -> str:
        name, kind = self.name("e"), self.some_kind(scope)
        inner = {**scope, name: kind}
        condition = f" if {self.bool_(inner, depth - 1)}" if self.number(0, 2) == 0 else ""
        body = self.int_(inner, depth) if of == "int" else self.bool_(inner, depth)
        return f"{body} for {name} in {self.collection(kind, scope, depth)}{condition}"

    def bool_(self, scope: Scope, depth: int) -> str:
        if depth <= 0:
            options = self.place(option(HUE), scope, 0)
            return self.one(
                self.place(BOOL, scope, 0) or "flag",
                f"n {self.one(*COMPARED)} 1",
                *([f"{options} is some"] if options else []),
            )
        deeper = depth - 1
        match self.number(0, 11):
            case 0 | 1 | 2 | 3:
                kind = self.one(*self.inside(scope))
                a, b = self.expr(kind, scope, deeper), self.expr(kind, scope, deeper)
                return f"({a} {self.one('==', '==', '!=')} {b})"
            case 4 | 5:
                kind = self.some_kind(scope)
                element, source = self.expr(kind, scope, deeper), self.collection(kind, scope, deeper)
                return f"({element} {self.one('in', 'in', 'not in')} {source})"
            case 6:
                return f"{self.one('any', 'all')}({self.each(scope, deeper, 'bool')})"
            case 7:
                a, b = self.bool_(scope, deeper), self.bool_(scope, deeper)
                return f"({a} {self.one('and', 'or', 'implies')} {b})"
            case 8:
                return f"(not ({self.bool_(scope, deeper)}))"
            case 9:
                options = [k for k in self.inside(scope) if k.head == "option"]
                if options:
                    return f"({self.expr(self.one(*options), scope, deeper)} is {self.one('some', 'none')})"
            case 10:
                sets = [k for k in self.inside(scope) if k.head == "set"]
                if sets:
                    kind = self.one(*sets)
                    a, b = self.expr(kind, scope, deeper), self.expr(kind, scope, deeper)
                    return f"({a} {self.one('<=', '>=')} {b})"
        return f"({self.int_(scope, deeper)} {self.one(*COMPARED)} {self.int_(scope, deeper)})"
