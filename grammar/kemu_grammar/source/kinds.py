"""Simple kinds of values: enough to tell a number from a truth value and a card from a player, and no more.

`UNKNOWN` goes with everything, so that nothing sound is ever refused; ranges and sizes are an instance's
business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Form = Literal[
    "unknown", "bool", "int", "text", "none", "element", "word", "point", "row", "option", "set", "list",
    "bag", "map", "tuple", "function", "history",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """`element`: of the enum, table or option `name`. `row`: of the product or record `name`. `parts`:
    what an option, a set, a list or a bag holds; key and value of a map; the items of a tuple or row."""

    form: Form
    name: str = ""
    parts: tuple[Kind, ...] = ()

    @property
    def inner(self) -> Kind:
        return self.parts[0] if self.parts else UNKNOWN


UNKNOWN = Kind("unknown")
BOOL = Kind("bool")
INT = Kind("int")
TEXT = Kind("text")
NONE = Kind("none")
POINT = Kind("point")
PLAYER = Kind("element", "Player")
COLLECTIONS = frozenset({"set", "list", "bag", "map"})
VECTORS = frozenset({"point", "row", "tuple"})


def option(inner: Kind) -> Kind:
    return inner if inner.form in ("option", "unknown") else Kind("option", "", (inner,))


def set_of(inner: Kind) -> Kind:
    return Kind("set", "", (inner,))


def list_of(inner: Kind) -> Kind:
    return Kind("list", "", (inner,))


def map_of(key: Kind, value: Kind) -> Kind:
    return Kind("map", "", (key, value))


def tuple_of(*items: Kind) -> Kind:
    return Kind("tuple", "", items)


def plain(kind: Kind) -> Kind:
    """Without the `?`."""
    return kind.inner if kind.form == "option" else kind


def element(kind: Kind) -> Kind:
    """What a loop over it yields."""
    kind = plain(kind)
    if kind.form in COLLECTIONS:
        return kind.inner
    if kind.form == "tuple" and kind.parts:
        return join(*kind.parts)
    return UNKNOWN


def compatible(a: Kind, b: Kind) -> bool:
    """Whether one value could be of both kinds, or be compared with one of the other. True in doubt."""
    a, b = plain(a), plain(b)
    if "unknown" in (a.form, b.form) or "none" in (a.form, b.form):
        return True
    if a.form in COLLECTIONS and b.form in COLLECTIONS:
        if a.form == b.form == "map":
            return all(compatible(x, y) for x, y in zip(a.parts, b.parts, strict=False))
        return compatible(a.inner, b.inner)
    if {a.form, b.form} <= VECTORS | {"list"}:
        return "list" in (a.form, b.form) or _vectors(a, b)
    if a.form != b.form:
        return {a.form, b.form} == {"element", "word"} and "option " in a.name + b.name
    return a.name == b.name or a.form in ("word", "function")


def _vectors(a: Kind, b: Kind) -> bool:
    if "point" in (a.form, b.form):
        return True
    if len(a.parts) != len(b.parts):
        return False
    return all(compatible(x, y) for x, y in zip(a.parts, b.parts, strict=True))


def join(*kinds: Kind) -> Kind:
    """The kind of a value that is one of these."""
    if not kinds:
        return UNKNOWN
    result, missing = kinds[0], False
    for kind in kinds:
        missing = missing or kind.form in ("none", "option")
    known = [plain(k) for k in kinds if k.form != "none"]
    if not known:
        return NONE
    result = known[0]
    for kind in known[1:]:
        result = _join(result, kind)
    return option(result) if missing else result


def _join(a: Kind, b: Kind) -> Kind:
    if a == b:
        return a
    if a.form == b.form and a.form in COLLECTIONS and len(a.parts) == len(b.parts):
        return Kind(a.form, "", tuple(_inner(x, y) for x, y in zip(a.parts, b.parts, strict=True)))
    if a.form == b.form == "tuple" and len(a.parts) == len(b.parts):
        return Kind("tuple", "", tuple(join(x, y) for x, y in zip(a.parts, b.parts, strict=True)))
    return UNKNOWN


def _inner(a: Kind, b: Kind) -> Kind:
    return UNKNOWN if "unknown" in (a.form, b.form) else join(a, b)


def describe(kind: Kind) -> str:
    """In the author's terms: "a number", "an element of Dir", "a set"."""
    match kind.form:
        case "bool":
            return "a truth value"
        case "int":
            return "a number"
        case "text":
            return "a text"
        case "none":
            return "`none`"
        case "element" if kind.name == "Player":
            return "a player"
        case "element" if kind.name.startswith("option "):
            return f"the option `{kind.name.removeprefix('option ')}`"
        case "element" | "row":
            return f"an element of `{kind.name}`"
        case "word":
            return "a word of an option"
        case "point":
            return "a point"
        case "option":
            return f"{describe(kind.inner)} or `none`"
        case "function":
            return "a function"
        case "unknown":
            return "something"
    return f"a {kind.form}"
