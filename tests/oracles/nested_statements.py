"""Random statements, for rules files with lists, maps, bags, sets, options, records and tuples in each
other.
"""

from __future__ import annotations

from tests.oracles.kinds import BOOL, HUE, SMALL, Kind, countable, set_of, tuple_of
from tests.oracles.nested_expressions import Expressions
from tests.oracles.nested_places import Scope

LOCALS = ("here", "there", "mine", "yours")  # several blocks use the same


class Statements(Expressions):
    """Writes statements."""

    turning = False  # whether it is the loop over turns

    def choose(self, scope: Scope, actor: str) -> list[str]:
        raise NotImplementedError

    def together(self, scope: Scope, depth: int) -> list[str]:
        raise NotImplementedError

    def menu(self, scope: Scope, depth: int, actor: str) -> list[str]:
        raise NotImplementedError

    # ---------------------------------------------------------------------------------------- statements

    def block(self, scope: Scope, most: int, depth: int, actor: str) -> list[str]:
        """Lines; `scope` takes up their locals. `actor`: who chooses ("": whose turn it is)."""
        return [line for _ in range(self.number(1, most)) for line in self.statement(scope, depth, actor)]

    def inner(self, scope: Scope, most: int, depth: int, actor: str) -> list[str]:
        """A block of its own: what is declared in it is known in it."""
        kept = dict(self.changing)
        lines = self.block(dict(scope), most, depth, actor)
        self.changing = kept
        return ["    " + line for line in lines]

    def statement(self, scope: Scope, depth: int, actor: str) -> list[str]:
        self.budget -= 1
        kinds = ["store"] * 5 + ["more"] * 3 + ["local", "keep", "roll", "draw", "deal", "move", "move"]
        kinds += ["note"] * 2 * bool(self.histories) + ["assert"]
        if self.calm:  # what a rule with `inout` does at a stop is seen when it returns
            kinds = [x for x in kinds if x not in ("roll", "draw", "deal")]
            kinds += ["for", "if"] * (depth > 0 and self.budget > 0)
            kinds += ["call"] * (self.rules.keys() & self.calm_rules != set())
        elif depth > 0 and self.budget > 0:
            kinds += ["if", "if", "for", "for", "repeat", "while", "choose", "menu", "menu", "together"]
            kinds += ["call"] * 3 * bool(self.rules)
        kinds += ["again"] * (self.turning and not self.calm)
        match self.one(*kinds):
            case "store":
                return [self.store(scope)]
            case "more":
                return [self.more(scope)]
            case "local":
                return self.local(scope)
            case "keep":
                return self.keep(scope)
            case "roll":
                name = self.name("die")
                line = f"{name} = roll {self.one('0..1', 'Hue', '2 of 0..1', '[false, true]')}"
                scope[name] = (
                    {"1": SMALL, "e": HUE, "]": BOOL}[line[-1]]
                    if "of" not in line
                    else tuple_of(SMALL, SMALL)
                )
                return [line]
            case "draw":
                return self.draw(scope)
            case "deal":
                return self.deal(scope)
            case "note":
                return [f"{self.one('note', 'note', 'note', 'forget')} {self.one(*self.histories)}"]
            case "again":
                return [f"if {self.bool_(scope, 2)}:", "    again"]
            case "move":
                return self.move(scope)
            case "call":
                return self.call(scope)
            case "if":
                lines = [f"if {self.bool_(scope, 2)}:", *self.inner(scope, 2, depth - 1, actor)]
                if self.number(0, 3) == 0:
                    lines += [f"elif {self.bool_(scope, 1)}:", *self.inner(scope, 1, depth - 1, actor)]
                if self.number(0, 1):
                    lines += ["else:", *self.inner(scope, 2, depth - 1, actor)]
                return lines
            case "for":
                return self.loop(scope, depth, actor)
            case "repeat":
                lines = self.inner(scope, 2, depth - 1, actor)
                return [
                    f"repeat at most {self.number(1, 2)}:",
                    f"    if {self.bool_(scope, 1)}: break",
                    *lines,
                ]
            case "while":
                return self.lasting(scope, depth, actor)
            case "assert":
                return [f"assert {self.name('sure')}: {self.bool_(scope, 1)} implies {self.bool_(scope, 1)}"]
            case "choose":
                return self.choose(scope, actor)
            case "together":
                return self.together(scope, depth)
        return self.menu(scope, depth, actor)

    def lasting(self, scope: Scope, depth: int, actor: str) -> list[str]:
        """A `while`, which mostly ends at last."""
        test, lines = self.bool_(scope, 1), self.inner(scope, 2, depth - 1, actor)
        if self.number(0, 5) == 0:
            return [
                f"while {test}:",
                *lines,
                f"    if {self.bool_(scope, 1)}: {self.one('break', 'continue')}",
            ]
        left = self.name("left")
        more = self.one("", f" {self.one('and', 'or')} {test}") if self.number(0, 2) == 0 else ""
        return [f"{left}: 0..3 = {self.number(1, 3)}", f"while {left} > 0{more}:", f"    {left} -= 1", *lines]

    def target(self, scope: Scope, kind: Kind) -> str | None:
        """A place of that type that can be changed."""
        found = self.places({n: k for n, k in scope.items() if n in self.state or n in self.changing}, kind)
        return self.walked(*self.one(*found), scope, 1) if found else None

    def store(self, scope: Scope) -> str:
        kind = self.one(*self.inside(self.places_to_change(scope)))
        target = self.target(scope, kind)
        if target and kind.default and self.number(0, 1):
            return f"{target} = {self.some_pairs(kind, scope, 2)}"
        if target and kind.head == "bag" and self.number(0, 3) == 0:
            return f"{target} = {self.one('{}', self.counted(kind, scope))}"
        return f"{target or 'flag'} = {self.expr(kind if target else BOOL, scope, 3)}"

    def counted(self, kind: Kind, scope: Scope) -> str:
        """A bag of things counted on the way."""
        name = self.name("k")
        keys = self.some_values(kind.parts[0], 2) or [self.literal(kind.parts[0])]
        many = self.int_({**scope, name: kind.parts[0]}, 1)
        return f"{{{name}: {many} % 2 for {name} in [{', '.join(keys)}]}}"

    def more(self, scope: Scope) -> str:
        """`+=` and its kin."""
        kinds = [
            k
            for k in self.inside(self.places_to_change(scope))
            if k.head in ("range", "set", "list", "bag", "map") and not k.grows
        ]
        kind = self.one(*kinds)
        target = self.target(scope, kind) or "n"
        match kind.head if target != "n" else "range":
            case "set":
                return f"{target} {self.one('|=', '&=', '-=')} {self.expr(kind, scope, 2)}"
            case "list":
                more, one = self.expr(kind, scope, 2), self.expr(kind.parts[0], scope, 2)
                return f"{target} += {self.one(more, f'[{one}]')}"
            case "map":
                return f"{target} |= {self.one(self.some_pairs(kind, scope, 2), self.expr(kind, scope, 2))}"
            case "bag":
                key = self.expr(kind.parts[0], scope, 1)
                return (
                    f"{target}[{key}] {self.one('=', '+=', '-=')} {self.one('1', '1', self.int_(scope, 1))}"
                )
        return f"{target} {self.one('+=', '-=')} {self.one('1', '1', self.int_(scope, 1))}"

    def local(self, scope: Scope) -> list[str]:
        """A local that changes."""
        kind = self.one(*self.inside(self.state)) if self.number(0, 2) else self.kinds.any(2)
        name = self.one(*LOCALS)
        if name in scope:
            name = self.name("x")
        line = f"{name}: {kind.written} = {self.expr(kind, scope, 2)}"
        scope[name] = kind
        self.changing = {**self.changing, name: kind}
        return [line, *([self.store(scope)] if self.number(0, 1) else [])]

    def keep(self, scope: Scope) -> list[str]:
        """A local that is given once."""
        kind = self.one(*self.inside(self.state))
        found = self.place(kind, scope, 1)
        if found is None:
            return ["pass"]
        name = self.name("kept")
        scope[name] = kind
        return [f"{name} = {found}"]

    def draw(self, scope: Scope) -> list[str]:
        kinds = [k for k in self.inside(self.places_to_change(scope)) if k.head in ("set", "bag")]
        if not kinds:
            return ["pass"]
        kind = self.one(*kinds)
        zone = self.target(scope, kind)
        assert zone is not None
        if self.number(0, 2) == 0:
            target = self.target(scope, kind.parts[0])
            if target is not None:
                return [f"{target} = draw from {zone}"]
        name = self.name("card")
        line = f"draw {name} from {zone}"
        if self.number(0, 2) == 0:
            line += f" if {self.bool_({**scope, name: kind.parts[0]}, 1)}"
        scope[name] = kind.parts[0]
        return [line]

    def deal(self, scope: Scope) -> list[str]:
        """Things drawn and put into a zone."""
        zones = self.zones(scope)
        sources = [k for k in zones if k.head in ("set", "bag")]
        if not sources:
            return ["pass"]
        kind = self.one(*sources)
        source = self.target(scope, kind)
        target = self.target(scope, self.one(*(k for k in zones if k.parts[0] == kind.parts[0])))
        return [f"draw {self.number(1, 2)} from {source} to {self.one('box', target, target, target)}"]

    def zones(self, scope: Scope) -> list[Kind]:
        return [
            k
            for k in self.inside(self.places_to_change(scope))
            if k.head in ("set", "bag", "list", "option") and k.parts[0].head != "option"
        ]

    def move(self, scope: Scope) -> list[str]:
        """A thing from a zone into another that holds such things."""
        zones = self.zones(scope)
        if not zones:
            return ["pass"]
        kind = self.one(*zones)
        others = [k for k in zones if k.parts[0] == kind.parts[0]]
        source, target = self.target(scope, kind), self.target(scope, self.one(*others))
        if self.number(0, 5) == 0:
            target = "box"
        match self.number(0, 5):
            case 0 if target == "box" or kind.head == "bag":
                return [f"move all from {source} to {target}"]
            case 1 | 2 | 3 if kind.head == "bag":
                if kind.size > 1 and self.number(0, 1):
                    thing = self.literal(kind.parts[0])
                    filled = f"{source} = {{{thing}: {self.number(2, kind.size)}}}"
                    return [filled, f"move all {thing} from {source} to {target}"]
                return [f"move all {self.expr(kind.parts[0], scope, 1)} from {source} to {target}"]
        return [f"move {self.expr(kind.parts[0], scope, 1)} from {source} to {target}"]

    def call(self, scope: Scope) -> list[str]:
        name = self.one(*(n for n in self.rules if not self.calm or n in self.calm_rules))
        called, result = self.call_of(name, self.rules, scope, 2), self.rules[name][1]
        if called is None:
            return ["pass"]
        match self.number(0, 2):
            case 0:
                return [called]
            case 1 if result is not None:
                target = self.target(scope, result)
                if target is not None:
                    return [f"{target} = {called}"]
        if result is None:
            return [called]
        kept = self.name("given")
        scope[kept] = result
        return [f"{kept} = {called}"]

    def loop(self, scope: Scope, depth: int, actor: str) -> list[str]:
        kind = self.some_kind(scope)
        name = self.name("v")
        inner = {**scope, name: kind}
        source = self.collection(kind, scope, 2)
        targets = name
        if kind.head == "tuple" and self.number(0, 1):
            targets = f"{name}, {name}b"
            inner = {**scope, name: kind.parts[0], f"{name}b": kind.parts[1]}
        condition = f" if {self.bool_(inner, 1)}" if self.number(0, 2) == 0 else ""
        condition += f" if {self.bool_(inner, 0)}" if condition and self.number(0, 3) == 0 else ""
        if actor and targets == name and countable(kind) and kind.head != "option" and self.number(0, 2) == 0:
            source, condition = self.expr(set_of(kind), scope, 2), f" in order of {actor}"
        lines = self.inner(inner, 2, depth - 1, actor)
        if self.number(0, 3) == 0:
            lines += [f"    if {self.bool_(inner, 1)}:", "        " + self.one("break", "continue")]
        return [f"for {targets} in {source}{condition}:", *lines]
