"""Random rules files: small, well typed, everything in them bounded; in play they may well fault.

One frame (players, an enum, a grid, a dozen state variables of all kinds) is filled with random funs, rules
and a random course of turns.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

from tests.oracles import nested

T = TypeVar("T")
Scope = dict[str, list[str]]  # type -> names that can be read

HUES = ["red", "green", "blue"]
STATE = """\
state:
    n: 0..5 = {n}
    m: -9..9 = {m}
    flag: bool
    hue: Hue?
    who: Player?
    hues: set[Hue] = {hues}
    spots: set[Spot]
    owner: map[Spot, Player?]
    level: map[Hue, 0..3] = {{h: {level} for h in Hue}}
    score: map[Player, -99..99] = {{p: 0 for p in Player}}
    pile: bag[Hue] = {{h: {pile} for h in Hue}}
    pot: bag[Hue, 2]
    row: list[Hue, 3]
"""


HISTORIES = """\
    history seen of flag, who
    history met of hue, hues, owner
    history past
"""


class Writer:
    """Writes one rules file; `histories`: with some of what has been."""

    def __init__(self, random: Random, histories: bool = False) -> None:
        self.random = random
        self.histories = ["seen", "met", "past"] if histories else []
        self.players = ["ann", "bob", "cid"][: self.number(2, 3)]
        self.count = 0
        self.funs: list[str] = []
        self.rules: list[str] = []
        self.budget = 30

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def one(self, *choices: T) -> T:
        return choices[self.number(0, len(choices) - 1)]

    def name(self, start: str) -> str:
        self.count += 1
        return f"{start}{self.count}"

    # ---------------------------------------------------------------------------------------- the file

    def file(self) -> str:
        state = STATE.format(
            n=self.number(0, 5), m=self.number(-3, 3), hues=self.one("{}", "{red}", "{green, blue}"),
            level=self.number(0, 3), pile=self.number(0, 2),
        )  # fmt: skip
        head = f'game "Generated"\nplayers {", ".join(self.players)}\nenum Hue: red, green, blue\n'
        head += "domain Spot = grid(1..2, 1..2)\n" + state + HISTORIES * bool(self.histories)
        funs = [self.fun() for _ in range(self.number(0, 2))]
        rules = [self.rule() for _ in range(self.number(0, 2))]
        rank = f"fun rank_fun(p: Player): {self.int_({'Player': ['p']}, 2)}\n"
        return head + "".join(funs) + rank + "".join(rules) + self.course()

    def fun(self) -> str:
        kind = self.one("int", "bool", "set")
        body = {"int": self.int_, "bool": self.bool_, "set": self.hues}[kind]
        text = body({"Hue": ["a"], "int": ["b"]}, 2)
        name = f"{kind}_fun{len(self.funs)}"
        self.funs.append(name)
        return f"fun {name}(a: Hue, b: -2..4): {text}\n"

    def rule(self) -> str:
        scope: Scope = {"Hue": ["a"], "Player": ["q"]}
        lines = self.block(scope, 2, 2, actor="q")
        lines.append(f"return {self.int_(scope, 1)}")
        name = f"act{len(self.rules)}"
        self.rules.append(name)
        return f"rule {name}(q: Player, a: Hue) -> -9..9:\n" + indented(lines, 1)

    def course(self) -> str:
        scope: Scope = {"Player": ["p"]}
        condition = f" if {self.bool_(scope, 1)}" if self.number(0, 5) == 0 else ""
        lines = self.choose(scope, "") if self.number(0, 3) else ["may choose wait", *self.choose(scope, "")]
        lines += [
            f"m = {self.int_(scope, 3)} % 7 - 3",
            f"n = {self.int_(scope, 3)} % {self.one('6', '-5 + 4')}",
        ]
        lines += [f"flag = {self.bool_(scope, 3)}", f"hues = {self.hues(scope, 2)}"]
        lines += self.block(scope, 3, 2, actor="")
        lines += [f"if {self.bool_(scope, 2)}:", "    " + self.end(scope)]
        start = self.one([], self.block({}, 2, 1, actor=self.players[0]))
        turns = f"for p in turns({self.one('', 'from=' + self.one(*self.players))}){condition}:"
        return "rules:\n" + indented([*start, turns, *("    " + line for line in lines)], 1)

    # ---------------------------------------------------------------------------------------- statements

    def block(self, scope: Scope, most: int, depth: int, actor: str) -> list[str]:
        """Lines; `scope` takes up their locals. `actor`: who chooses ("": whose turn it is)."""
        return [line for _ in range(self.number(1, most)) for line in self.statement(scope, depth, actor)]

    def statement(self, scope: Scope, depth: int, actor: str) -> list[str]:
        self.budget -= 1
        if self.histories and self.number(0, 3) == 0:
            return [f"{self.one('note', 'note', 'note', 'forget')} {self.one(*self.histories)}"]
        kinds = ["store"] * 6 + ["local", "declare", "roll", "dice", "draw", "move", "row"]
        if depth > 0 and self.budget > 0:
            kinds += ["if", "if", "for", "repeat", "choose", "choose", "menu"] + ["call"] * bool(self.rules)
        match self.one(*kinds):
            case "store":
                return [self.store(scope)]
            case "local":
                text, name = self.int_(scope, 2), self.name("x")
                scope["int"] = [*scope.get("int", []), name]
                return [f"{name} = {text}"]
            case "declare":
                text, name = self.int_(scope, 2), self.name("y")
                scope["int"] = [*scope.get("int", []), name]
                return [f"{name}: -9..9 = {text}", f"{name} += {self.int_(scope, 1)}"]
            case "roll":
                name = self.name("die")
                scope["int"] = [*scope.get("int", []), name]
                return [f"{name} = roll {self.number(0, 1)}..{self.number(1, 3)}"]
            case "dice":
                name, of = self.name("dice"), self.number(1, 3)
                self.count += 1
                scope["int"] = [*scope.get("int", []), f"x{self.count}"]
                return [f"{name} = roll 2 of 1..{of}", f"x{self.count} = {name}[0] - {name}[1]"]
            case "move":
                if self.number(0, 1):
                    return [f"move {self.one('1', '2', 'len(row)')} from n to m"]
                return [f"move {self.hue(scope, 1)} from {self.one('pile to pot', 'pot to pile')}"]
            case "draw":
                name = self.name("card")
                lines = [f"draw {name} from pile" + self.one("", f" if {name} != {self.hue(scope, 0)}")]
                scope["Hue"] = [*scope.get("Hue", []), name]
                return lines
            case "row":
                return [f"row = row + [{self.hue(scope, 1)}]"]
            case "call":
                rule, name = self.one(*self.rules), self.name("z")
                called = f"{rule}({self.player(scope, 1)}, {self.hue(scope, 1)})"
                if self.number(0, 1):
                    return [called]
                scope["int"] = [*scope.get("int", []), name]
                return [f"{name} = {called}"]
            case "if":
                return self.branches(scope, depth, actor)
            case "for":
                name = self.name("v")
                kind = self.one("Hue", "Spot", "Player", "int")
                inner = with_(scope, kind, name)
                condition = f" if {self.bool_(inner, 1)}" if self.number(0, 1) else ""
                if actor and kind in ("Hue", "Spot") and self.number(0, 1):
                    condition = f" in order of {actor}"
                lines = self.block(inner, 2, depth - 1, actor) + self.one(
                    [], [f"if {self.bool_(inner, 1)}:", "    " + self.one("break", "continue")]
                )
                return [
                    f"for {name} in {self.over(kind, scope, 1)}{condition}:",
                    *("    " + x for x in lines),
                ]
            case "repeat":
                lines = self.block(dict(scope), 2, depth - 1, actor)
                stop = f"if {self.bool_(scope, 1)}: break"
                return [f"repeat at most {self.number(1, 3)}:", *("    " + x for x in [stop, *lines])]
            case "choose":
                return self.choose(scope, actor)
        return self.menu(scope, depth, actor)

    def branches(self, scope: Scope, depth: int, actor: str) -> list[str]:
        lines = [f"if {self.bool_(scope, 2)}:"]
        lines += ["    " + x for x in self.block(dict(scope), 2, depth - 1, actor)]
        if self.number(0, 2) == 0:
            lines += [f"elif {self.bool_(scope, 1)}:"]
            lines += ["    " + x for x in self.block(dict(scope), 1, depth - 1, actor)]
        if self.number(0, 2) == 0:
            lines += ["else:", *("    " + x for x in self.block(dict(scope), 2, depth - 1, actor))]
        return lines

    def store(self, scope: Scope) -> str:
        match self.number(0, 13):
            case 0:
                return f"n = {self.int_(scope, 2)} % 6"
            case 1:
                return self.one(
                    f"m {self.one('+=', '-=')} {self.int_(scope, 1)}", f"m = {self.int_(scope, 2)} // 3"
                )
            case 2:
                return f"flag = {self.bool_(scope, 2)}"
            case 3:
                return f"hue = {self.maybe_hue(scope, 2)}"
            case 4:
                return f"who = {self.one('none', self.player(scope, 1))}"
            case 5:
                return f"hues = {self.hues(scope, 2)}"
            case 6:
                return f"hues {self.one('|=', '&=', '-=')} {self.hues(scope, 1)}"
            case 7:
                return f"spots = {self.spots(scope, 2)}"
            case 8 | 9:
                return f"owner[{self.spot(scope)}] = {self.one('none', self.player(scope, 1))}"
            case 10:
                return (
                    f"level[{self.hue(scope, 1)}] = {self.int_(scope, 2)}{self.one('', ' % 4', ' % -4 + 3')}"
                )
            case 11:
                inner = with_(scope, "Hue", "h")
                value = self.one(self.int_(inner, 2), "level[first(hues - {h})]")
                return f"level = {{h: {value} % 4 for h in Hue}}"
            case 12:
                return f"score[{self.player(scope, 1)}] {self.one('=', '+=')} {self.int_(scope, 1)}"
        return f"owner = {{s: {self.one('none', self.player(scope, 1), 'who', 'owner[s]')} for s in Spot}}"

    def end(self, scope: Scope) -> str:
        match self.number(0, 3):
            case 0:
                return "end tie"
            case 1:
                return f"end win({self.player(scope, 1)})"
            case 2:
                return self.one("end rank(score)", "end rank((rank_fun, score))")
        return f"end pays({{q: {self.int_(with_(scope, 'Player', 'q'), 1)} for q in Player}})"

    # ---------------------------------------------------------------------------------------- decisions

    def choose(self, scope: Scope, actor: str) -> list[str]:
        params, inner = self.params(scope)
        by = f" by {actor}" if actor else ""
        may = self.one("", "", "may ")
        condition = f" if {self.condition(inner)}" if self.number(0, 2) else ""
        line = f"{may}choose {self.name('act')}{params}{by}{condition}"
        if may:
            return [line]
        if self.number(0, 2) == 0:
            return [line, "else:", *("    " + x for x in self.block(dict(scope), 1, 0, actor))]
        scope.update(inner)
        return [line]

    def menu(self, scope: Scope, depth: int, actor: str) -> list[str]:
        lines = [self.one("", "may ") + ("choose by " + actor if actor else "choose") + ":"]
        for _ in range(self.number(1, 3)):
            params, inner = self.params(scope)
            condition = f" if {self.condition(inner)}" if self.number(0, 2) else ""
            body = self.block(dict(inner), 2, depth - 1, actor)
            if self.number(0, 3) == 0:
                body = [self.store(inner), f"require {self.bool_(inner, 2)}"]
            lines += [f"    {self.name('arm')}{params}{condition}:", *("        " + x for x in body)]
        return lines

    def params(self, scope: Scope) -> tuple[str, Scope]:
        params, inner = [], dict(scope)
        for _ in range(self.number(0, 2)):
            name, kind = self.name("c"), self.one("Hue", "Spot", "Player", "int")
            params.append(f"{name} in {self.over(kind, inner, 1)}")
            inner = with_(inner, kind, name)
        return (f"({', '.join(params)})" if params else ""), inner

    def condition(self, scope: Scope) -> str:
        return " and ".join(self.bool_(scope, 1) for _ in range(self.number(1, 2)))

    # ---------------------------------------------------------------------------------------- expressions

    def over(self, kind: str, scope: Scope, depth: int) -> str:
        """What a binder of that type runs over."""
        match kind:
            case "Hue":
                return self.one("Hue", self.hues(scope, depth))
            case "Spot":
                return self.one("Spot", self.spots(scope, depth))
            case "Player":
                return "Player"
        return f"{self.number(0, 1)}..{self.number(1, 3)}"

    def int_(self, scope: Scope, depth: int) -> str:
        leaves = [str(self.number(0, 4)), "n", "m", "len(row)", *scope.get("int", [])]
        leaves += [f"{s}.{self.one('x', 'y')}" for s in scope.get("Spot", [])]
        leaves += [f"times({history})" for history in self.histories]
        if depth <= 0 or self.number(0, 3) == 0:
            return self.one(*leaves)
        deeper = depth - 1
        match self.number(0, 13):
            case 0 | 1:
                return f"({self.int_(scope, deeper)} {self.one('+', '-', '*')} {self.int_(scope, deeper)})"
            case 2:
                divisor = self.one("2", "3", "(-2)", "(-3)")
                return f"({self.int_(scope, deeper)} {self.one('//', '%')} {divisor})"
            case 3:
                return f"-{self.int_(scope, deeper)}"
            case 4:
                return f"abs({self.int_(scope, deeper)})"
            case 5:
                return f"{self.one('min', 'max')}({self.int_(scope, deeper)}, {self.int_(scope, deeper)})"
            case 6:
                return f"len({self.one(self.hues, self.spots)(scope, deeper)})"
            case 7:
                return f"level[{self.hue(scope, deeper)}]"
            case 8:
                return f"{self.one('score', 'score')}[{self.player(scope, deeper)}]"
            case 9:
                return f"pile[{self.hue(scope, deeper)}]"
            case 10:
                fold = self.one("sum", "sum", "sum", "min", "max")
                return f"{fold}({self.each(scope, deeper, self.int_)})"
            case 11:
                then, other = self.int_(scope, deeper), self.int_(scope, deeper)
                return f"({then} if {self.bool_(scope, deeper)} else {other})"
            case 12:
                called = [f for f in self.funs if f.startswith("int")]
                if called:
                    return f"{self.one(*called)}({self.hue(scope, 0)}, {self.int_(scope, 0)})"
                return f"row.count({self.hue(scope, deeper)})"
        return f"sign({self.int_(scope, deeper)})"

    def each(self, scope: Scope, depth: int, element: Callable[[Scope, int], str]) -> str:
        name, kind = self.name("i"), self.one("Hue", "Spot", "Player")
        inner = with_(scope, kind, name)
        condition = f" if {self.bool_(inner, depth)}" if self.number(0, 1) else ""
        return f"{element(inner, depth)} for {name} in {self.over(kind, scope, depth)}{condition}"

    def bool_(self, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self.one("flag", "hue is some", "who is none", "n < 3", "n >= 3", "m != 0", "true")
        deeper = depth - 1
        ops = ("==", "!=", "<", "<=", ">", ">=")
        match self.number(0, 12):
            case 0 | 1:
                return f"{self.int_(scope, deeper)} {self.one(*ops)} {self.int_(scope, deeper)}"
            case 2:
                a, b, c = (self.int_(scope, deeper) for _ in range(3))
                return f"{a} {self.one(*ops)} {b} {self.one(*ops)} {c}"
            case 3:
                return f"({self.bool_(scope, deeper)} {self.one('and', 'or')} {self.bool_(scope, deeper)})"
            case 4:
                return f"not ({self.bool_(scope, deeper)})"
            case 5:
                return f"({self.bool_(scope, deeper)} implies {self.bool_(scope, deeper)})"
            case 6:
                return f"{self.hue(scope, deeper)} {self.one('in', 'not in')} {self.hues(scope, deeper)}"
            case 7:
                return f"{self.one('any', 'all')}({self.each(scope, deeper, self.bool_)})"
            case 8:
                return f"owner[{self.spot(scope)}] {self.one('==', '!=')} {self.player(scope, deeper)}"
            case 9:
                a, b = (self.maybe_hue(scope, deeper) for _ in range(2))
                return f"{a} {self.one('==', '!=')} {b}"
            case 10:
                return f"(hue is some and level[hue] {self.one(*ops)} {self.int_(scope, deeper)})"
            case 11:
                return f"{self.hues(scope, deeper)} {self.one('==', '<=', '!=')} {self.hues(scope, deeper)}"
        called = [f for f in self.funs if f.startswith("bool")]
        return f"{self.one(*called)}({self.hue(scope, 0)}, {self.int_(scope, 0)})" if called else "flag"

    def hue(self, scope: Scope, depth: int) -> str:
        leaves = HUES + scope.get("Hue", []) * 2
        if depth <= 0 or self.number(0, 7):
            return self.one(*leaves)
        return self.one("hue", "row[0]", f"only({self.hues(scope, depth - 1)} & hues)", "row[n]")

    def maybe_hue(self, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.number(0, 1):
            return self.one("hue", "hue", *HUES)
        return self.one(f"first({self.hues(scope, depth - 1)})", f"({self.hue(scope, 0)} if flag else none)")

    def player(self, scope: Scope, depth: int) -> str:
        leaves = self.players + scope.get("Player", []) * 2
        if depth <= 0 or self.number(0, 4):
            return self.one(*leaves)
        return self.one("who", f"left({self.player(scope, depth - 1)})")

    def spot(self, scope: Scope) -> str:
        known = scope.get("Spot", [])
        return self.one(*known, "only({s for s in Spot if s.x == 1 and s.y == 2})", "first(Spot)")

    def hues(self, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self.one("hues", "{red, blue}", "Hue")
        match self.number(0, 4):
            case 0 | 1:
                a, b = (self.hues(scope, depth - 1) for _ in range(2))
                return f"({a} {self.one('|', '&', '-')} {b})"
            case 2:
                return f"{{{self.hue(scope, depth - 1)}, {self.hue(scope, 0)}}}"
            case 3:
                called = [f for f in self.funs if f.startswith("set")]
                return f"{self.one(*called)}({self.hue(scope, 0)}, n)" if called else "hues"
        name = self.name("h")
        return f"{{{name} for {name} in Hue if {self.bool_(with_(scope, 'Hue', name), depth - 1)}}}"

    def spots(self, scope: Scope, depth: int) -> str:
        if depth <= 0:
            return self.one("spots", "Spot")
        if self.number(0, 1):
            a, b = (self.spots(scope, depth - 1) for _ in range(2))
            return f"({a} {self.one('|', '&', '-')} {b})"
        name = self.name("s")
        return f"{{{name} for {name} in Spot if {self.bool_(with_(scope, 'Spot', name), depth - 1)}}}"


def with_(scope: Scope, kind: str, name: str) -> Scope:
    return scope | {kind: [*scope.get(kind, []), name]}


def indented(lines: list[str], depth: int) -> str:
    return "".join("    " * depth + line + "\n" for line in lines)


def write(seed: int, histories: bool = False) -> str:
    """With histories, or one in four, plain types and more of everything else; the others with types in each
    other.
    """
    if histories or seed % 4 == 0:
        return Writer(Random(seed), histories or seed % 3 == 0).file()
    return nested.write(seed)


sources = st.integers(0, 2**48).map(write)
"""The texts of rules files."""
with_histories = st.builds(write, st.integers(0, 2**48), st.booleans())
"""The same, half of them with histories."""
