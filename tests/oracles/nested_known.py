"""Random expressions of what is known before play, by the functions that need that."""

from __future__ import annotations

from tests.oracles.kinds import HUE, SMALL, Kind, countable, set_of
from tests.oracles.nested_places import Places


class Known(Places):
    """Writes expressions that depend on no state."""

    def some_list(self, kind: Kind, least: int = 1) -> str:
        return f"[{', '.join(self.literal(kind) for _ in range(self.number(least, 3)))}]"

    def known_list(self, kind: Kind) -> str:
        """A list of such elements."""
        a, b = self.name("a"), self.name("b")
        of, other = self.some_list(kind), self.some_list(HUE)
        ways = [
            f"reversed({of})",
            f"[{b} for {a}, {b} in enumerate({of})]",
            f"[{a} for {a}, {b} in zip({of}, {other})]",
            f"[{a} for {b}, {a} in pairs({of})]",
            f"{of}.with({self.one('0', '-1')}, {self.literal(kind)})",
            f"[{a}[1] for {a} in product({other}, {of})]",
        ]
        if countable(kind):
            ways += [f"sorted({of})", f"list({self.literal(set_of(kind))})"]
        if kind == SMALL:
            ways += [f"range({self.number(0, 3)})", f"range({self.number(0, 1)}, 3, {self.number(1, 2)})"]
        return self.one(*ways)

    def known_set(self, kind: Kind) -> str:
        """A set of such elements, of which there is no option."""
        a, b = self.name("a"), self.name("b")
        one, other = (self.literal(set_of(kind)) for _ in range(2))
        return self.one(
            f"union([{one}, {other}])",
            f"union({{{one}, {other}}})",
            f"{{{b} for {a} in subsets({self.some_list(kind)}, {self.number(1, 2)}) for {b} in {a}}}",
            f"set({self.known_list(kind)})",
        )

    def known_number(self) -> str:
        a = self.name("a")
        return self.one(
            f'len(words("{self.one("", "one", "one two")}"))',
            f'int("{self.one("red", "blue")}" == "red")',
            f"len(tuple({self.some_list(HUE)}))",
            f"len(bag({self.some_list(HUE)}))",
            f"sum(range({self.number(0, 3)}))",
            f"len(range(0, 3, {self.number(1, 2)}))",
            f"len(hexes({self.number(0, 1)}))",
            f"sum({a}.x for {a} in grid(0..1, 1..{self.number(1, 2)}))",
        )

    def known_truth(self) -> str:
        a = self.name("a")
        return self.one(
            f'text({self.literal(HUE)}) == "{self.one("red", "green")}"',
            f'upper("{self.one("a", "b")}") == "A"',
            f'"{{{self.literal(HUE)}}}!" == "red!"',
            f'any("{{{a}}}" == text({self.literal(SMALL)}) for {a} in 0..2)',
            f'{self.literal(HUE)}.name == "red"',
        )
