"""Random rules files whose variables are lists, maps, bags, sets, options, records and tuples in each other,
with all statements and expressions on them. Well typed; in play they may well fault.
"""

from __future__ import annotations

from random import Random

from tests.oracles.kinds import (
    BOOL,
    HUE,
    NAMED,
    PLAYER,
    SMALL,
    SPOT,
    Kind,
    countable,
    head,
    list_of,
    map_of,
    set_of,
    tuple_of,
)
from tests.oracles.nested_expressions import Expressions, Scope

LOCALS = ("here", "there", "mine", "yours")  # several blocks use the same


class Writer(Expressions):
    """Writes one rules file."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.rules: dict[str, tuple[list[tuple[Kind, bool]], Kind, str]] = {}
        self.uses: dict[str, set[str]] = {}
        self.budget = 14
        self.calm = False  # whether the rule being written never stops
        self.changing: Scope = {}  # the parameters and locals that the rule being written may change

    # ---------------------------------------------------------------------------------------- the file

    def file(self) -> str:
        for _ in range(self.number(0, 2)):
            self.kinds.record()
        self.state = {"n": SMALL, "flag": BOOL}
        for i, depth in enumerate((3, self.number(1, 3), self.number(0, 2))):
            self.state[f"s{i}"] = self.kinds.any(depth)
        kin = self.one(*self.inside(self.state))
        self.state["s3"] = self.one(kin, kin, list_of(kin, 2), map_of(HUE, kin) if kin.head != "map" else kin)
        lines = []
        for name, kind in self.state.items():
            initial = f" = {self.literal(kind)}" if self.number(0, 1) else ""
            lines.append(f"{name}: {kind.written}{initial}")
        if self.number(0, 1):
            self.consts["fixed"] = self.one(*self.inside(self.state))
        consts = "".join(
            f"const {name}{self.one('', ': ' + kind.written)} = {self.literal(kind)}\n"
            for name, kind in self.consts.items()
        )
        funs = [self.fun() for _ in range(self.number(0, 2))]
        rules = [self.rule() for _ in range(self.number(0, 2))]
        own = self.kinds.declared() + consts + "state:\n" + indented(lines, 1) + "".join(funs + rules)
        own += self.course()
        return f'game "Generated"\nplayers {", ".join(self.players)}\n' + head(own) + own

    def uses_of(self, text: str) -> set[str]:
        """The variables that a piece of text mentions, itself or through functions and rules."""
        words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
        found = words & self.state.keys()
        for name in words & self.uses.keys():
            found |= self.uses[name]
        return found

    def fun(self) -> str:
        name = self.name("fun")
        params = {self.name("a"): self.one(*self.inside(self.state)) for _ in range(self.number(0, 2))}
        result = self.one(*self.inside(self.state))
        scope = {**self.state, **params}
        typed = [f"{p}: {kind.written}" if self.number(0, 2) else p for p, kind in params.items()]
        if self.number(0, 1):
            gives = f" -> {result.written}" if self.number(0, 1) else ""
            text = f"fun {name}({', '.join(typed)}){gives}: {self.expr(result, scope, 2)}\n"
        else:
            then, other = self.expr(result, scope, 1), self.expr(result, scope, 2)
            lines = [f"if {self.bool_(scope, 2)}:", f"    return {then}", f"return {other}"]
            text = f"fun {name}({', '.join(typed)}) -> {result.written}:\n" + indented(lines, 1)
        self.uses[name] = self.uses_of(text)
        self.funs[name] = (list(params.values()), result)
        return text

    def rule(self) -> str:
        name = self.name("rule")
        params = [
            (self.name("b"), self.one(*self.inside(self.state)), self.number(0, 2) == 0)
            for _ in range(self.number(0, 2))
        ]
        result = self.one(*self.inside(self.state))
        hidden = {
            n
            for n in self.state
            if n.startswith("s") and any(io for _, _, io in params) and self.number(0, 1)
        }
        kept = self.state
        self.state = {n: k for n, k in self.state.items() if n not in hidden}
        funs = self.funs
        self.funs = {n: f for n, f in funs.items() if not self.uses[n] & hidden}
        scope: Scope = {**self.state, **{p: kind for p, kind, _ in params}, "q": PLAYER}
        self.changing = {p: kind for p, kind, io in params if io}
        self.calm = bool(self.changing)
        lines = self.block(scope, 2, 1, actor="" if self.calm else "q")
        self.calm = False
        lines.append(f"return {self.expr(result, scope, 2)}")
        self.state, self.funs = kept, funs
        typed = [f"{'inout ' if io else ''}{p}: {kind.written}" for p, kind, io in params]
        text = f"rule {name}({', '.join(['q: Player', *typed])}) -> {result.written}:\n" + indented(lines, 1)
        self.uses[name] = self.uses_of(text)
        self.rules[name] = ([(kind, io) for _, kind, io in params], result, text)
        self.changing = {}
        return text

    def course(self) -> str:
        scope: Scope = {**self.state, "p": PLAYER}
        self.changing = {}
        start = self.one([], self.block(dict(self.state), 2, 1, actor=self.players[0]))
        self.changing = {}
        lines = self.choose(scope, "") if self.number(0, 2) else self.menu(scope, 1, "")
        lines += self.block(scope, 4, 2, actor="")
        lines += [f"n = {self.int_(scope, 2)} % 3"]
        lines += [
            f"if {self.bool_(scope, 2)}:",
            "    end " + self.one("tie", f"win({self.expr(PLAYER, scope, 1)})"),
        ]
        turns = "for p in turns():"
        return "rules:\n" + indented([*start, turns, *("    " + line for line in lines)], 1)

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
        kinds = ["store"] * 5 + ["more"] * 3 + ["local", "keep", "roll", "draw", "move", "move"]
        if self.calm:  # what a rule with `inout` does at a stop is seen when it returns
            kinds = [x for x in kinds if x not in ("roll", "draw")] + ["for", "if"] * (
                depth > 0 and self.budget > 0
            )
        elif depth > 0 and self.budget > 0:
            kinds += ["if", "if", "for", "for", "repeat", "choose", "menu"] + ["call"] * 3 * bool(self.rules)
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
            case "move":
                return self.move(scope)
            case "call":
                return self.call(scope)
            case "if":
                lines = [f"if {self.bool_(scope, 2)}:", *self.inner(scope, 2, depth - 1, actor)]
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
            case "choose":
                return self.choose(scope, actor)
        return self.menu(scope, depth, actor)

    def target(self, scope: Scope, kind: Kind) -> str | None:
        """A place of that type that can be changed."""
        found = self.places({n: k for n, k in scope.items() if n in self.state or n in self.changing}, kind)
        return self.walked(*self.one(*found), scope, 1) if found else None

    def places_to_change(self, scope: Scope) -> Scope:
        return {n: k for n, k in scope.items() if n in self.state or n in self.changing}

    def store(self, scope: Scope) -> str:
        kind = self.one(*self.inside(self.places_to_change(scope)))
        target = self.target(scope, kind)
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
            k for k in self.inside(self.places_to_change(scope)) if k.head in ("range", "set", "list", "bag")
        ]
        kind = self.one(*kinds)
        target = self.target(scope, kind) or "n"
        match kind.head if target != "n" else "range":
            case "set":
                return f"{target} {self.one('|=', '&=', '-=')} {self.expr(kind, scope, 2)}"
            case "list":
                more, one = self.expr(kind, scope, 2), self.expr(kind.parts[0], scope, 2)
                return f"{target} += {self.one(more, f'[{one}]')}"
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

    def move(self, scope: Scope) -> list[str]:
        """A thing from a zone into another that holds such things."""
        zones = [
            k
            for k in self.inside(self.places_to_change(scope))
            if k.head in ("set", "bag", "list", "option") and k.parts[0].head != "option"
        ]
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
            case 1 if kind.head == "bag":
                what = self.expr(kind.parts[0], scope, 1)
                if not what.startswith(("(", "-")):  # that is read as a call, or as a difference
                    return [f"move all {what} from {source} to {target}"]
        return [f"move {self.expr(kind.parts[0], scope, 1)} from {source} to {target}"]

    def call(self, scope: Scope) -> list[str]:
        name = self.one(*self.rules)
        params, result, _ = self.rules[name]
        args, taken = [self.expr(PLAYER, scope, 1)], set(self.uses[name])
        for kind, inout in params:
            if not inout:
                args.append(self.expr(kind, scope, 2))
                continue
            free = {n: k for n, k in self.places_to_change(scope).items() if n not in taken}
            found = self.places(free, kind)
            if not found:
                return ["pass"]
            way = self.one(*found)
            taken.add(way[0])
            args.append(self.walked(*way, dict(scope), 1))
        called = f"{name}({', '.join(args)})"
        match self.number(0, 2):
            case 0:
                return [called]
            case 1:
                target = self.target(scope, result)
                if target is not None:
                    return [f"{target} = {called}"]
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
        if actor and targets == name and countable(kind) and kind.head != "option" and self.number(0, 2) == 0:
            source, condition = self.expr(set_of(kind), scope, 2), f" in order of {actor}"
        lines = self.inner(inner, 2, depth - 1, actor)
        if self.number(0, 3) == 0:
            lines += [f"    if {self.bool_(inner, 1)}:", "        " + self.one("break", "continue")]
        return [f"for {targets} in {source}{condition}:", *lines]

    # ---------------------------------------------------------------------------------------- decisions

    def choose(self, scope: Scope, actor: str) -> list[str]:
        params, inner = self.params(scope)
        by = f" by {actor}" if actor else ""
        condition = f" if {self.bool_(inner, 2)}" if self.number(0, 2) == 0 else ""
        line = f"choose {self.name('act')}{params}{by}{condition}"
        if self.number(0, 2):
            return [line, "else:", *self.inner(scope, 1, 0, actor)]
        if self.number(0, 2) == 0:
            return [f"may {line}"]
        scope.update(inner)
        return [line]

    def menu(self, scope: Scope, depth: int, actor: str) -> list[str]:
        lines = [self.one("", "may ") + ("choose by " + actor if actor else "choose") + ":"]
        for _ in range(self.number(1, 2)):
            params, inner = self.params(scope)
            condition = f" if {self.bool_(inner, 2)}" if self.number(0, 3) == 0 else ""
            body = self.inner(inner, 2, depth - 1, actor)
            if self.number(0, 3) == 0:
                body = ["    " + self.store(inner), f"    require {self.bool_(inner, 2)}"]
            lines += [f"    {self.name('arm')}{params}{condition}:", *("    " + x for x in body)]
        return lines

    def params(self, scope: Scope) -> tuple[str, Scope]:
        params, inner = [], dict(scope)
        for _ in range(self.number(0, 2)):
            name = self.name("c")
            kinds = [k for k in (self.some_kind(scope), HUE, SPOT) if countable(k) and k.head != "option"]
            kind = self.one(*kinds)
            sources = [self.expr(set_of(kind), inner, 2), *([kind.name] if kind.name in NAMED else [])]
            params.append(f"{name} in {self.one(*sources)}")
            inner = {**inner, name: kind}
        return (f"({', '.join(params)})" if params else ""), inner


def indented(lines: list[str], depth: int) -> str:
    return "".join("    " * depth + line + "\n" for line in lines)


def write(seed: int) -> str:
    return Writer(Random(seed)).file()
