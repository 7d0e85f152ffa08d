"""Random rules files whose variables are lists, maps, bags, sets, options, records and tuples in each other,
with all statements and expressions on them. Well typed; in play they may well fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from tests.oracles.kinds import BOOL, HUE, PLAYER, SMALL, SPOT, Kind, countable, head, list_of, map_of, option
from tests.oracles.nested_decisions import Acts, Decisions
from tests.oracles.nested_places import Asked, Scope


class Writer(Decisions):
    """Writes one rules file."""

    known: Scope  # what has a name once a turn has begun

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
        secret = self.number(0, 3) == 0
        for name, kind in self.state.items():
            initial = f" = {self.literal(kind, sparse=True)}" if self.number(0, 1) else ""
            hidden = self.one("", " hidden", " secret to ann") if secret and name[0] == "s" else ""
            lines.append(f"{name}: {kind.written}{hidden}{initial}")
        if secret:
            lines += self.of_each()
        elif self.number(0, 3) == 0:
            lines += self.remembered()
        if self.number(0, 7) == 0:
            lines += self.only_once()
        if self.number(0, 1):
            self.consts["fixed"] = self.one(*self.inside(self.state))
        consts = "".join(map(self.const, self.consts))
        turn = self.turn()
        own = [
            self.one(self.fun, self.fun, self.rule, self.rule, self.deep)() for _ in range(self.number(0, 4))
        ]
        text = (
            self.kinds.declared()
            + consts
            + "state:\n"
            + indented(lines, 1)
            + "".join(own)
            + self.course(turn)
        )
        return f'game "Generated"\nplayers {", ".join(self.players)}\n' + head(text) + text

    def const(self, name: str) -> str:
        kind, typed = self.consts[name], self.number(0, 1) == 1
        written = f"{name}: {kind.written}" if typed else name
        return f"const {written} = {self.literal(kind, sparse=typed)}\n"

    def of_each(self) -> list[str]:
        """What each player has, and only that player sees."""
        lines = ["each o in Player:"]
        for name in ("mine_too", "own"):
            kind = self.kinds.any(self.number(0, 2))
            if kind.grows:  # in a map of maps only the inner keys have a name
                kind = HUE
            initial = f" = {self.literal(kind)}" if self.number(0, 1) else ""
            lines.append(f"    {name}: {kind.written}{self.one('', ' secret to o', ' secret to o')}{initial}")
            self.state[name] = map_of(PLAYER, kind)
        return lines

    def only_once(self) -> list[str]:
        """A map without a value under two keys."""
        kind = self.one(map_of(PLAYER, option(HUE)), map_of(HUE, option(SPOT)), map_of(BOOL, list_of(HUE, 2)))
        self.unique["once"] = self.state["once"] = kind
        return [f"once: {kind.written} unique"]

    def remembered(self) -> list[str]:
        """Histories, of some variables and of all."""
        some = self.random.sample(list(self.state), self.number(1, 2))
        self.histories = ["seen", "past"]
        self.uses |= {"seen": set(some), "past": set(self.state)}
        return [f"history seen of {', '.join(some)}", "history past"]

    def uses_of(self, text: str) -> set[str]:
        """The variables that a piece of text mentions, itself or through functions and rules; all, if it asks
        what could be.
        """
        words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
        if words & {"can", "after"}:
            return set(self.state)
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
        if params and self.number(0, 3) == 0 and ":" in typed[-1]:
            typed[-1] += f" = {self.literal(list(params.values())[-1])}"
            self.spared.add(name)
        self.named[name] = list(params)
        if self.number(0, 1):
            gives = f" -> {result.written}" if self.number(0, 1) else ""
            text = f"fun {name}({', '.join(typed)}){gives}: {self.expr(result, scope, 2)}\n"
        else:
            with self.without_rules():
                then, other = self.expr(result, scope, 1), self.expr(result, scope, 2)
                lines = [f"if {self.bool_(scope, 2)}:", f"    return {then}", f"return {other}"]
            text = f"fun {name}({', '.join(typed)}) -> {result.written}:\n" + indented(lines, 1)
        self.uses[name] = self.uses_of(text)
        self.funs[name] = (list(params.values()), result)
        return text

    @contextmanager
    def without_rules(self) -> Iterator[None]:
        """What a rule keeps while it is tried out has no place in a function of several statements."""
        kept, self.rules = self.rules, {}
        yield
        self.rules = kept

    def deep(self) -> str:
        """A function that calls itself."""
        with self.without_rules():
            return self._deep()

    def _deep(self) -> str:
        name, down, more = self.name("deep"), self.name("a"), self.name("a")
        plain = [kind for kind in self.inside(self.state) if simple(kind)]
        other, result = self.one(*plain), self.one(*plain)
        scope: Scope = {**self.state, down: SMALL, more: other}
        base, test = self.expr(result, scope, 1), self.one(f"{down} == 0", self.bool_(scope, 1))
        less = self.one(f"{down} - 1", f"({down} + 2) % 3")
        inner = {**scope, f"{name}({less}, {self.expr(other, scope, 1)})": result}
        then = [self.expr(result, inner, 2) for _ in range(3)]
        found = next((x for x in then if name in x), [*inner][-1])
        typed = f"{down}: {SMALL.written}, {more}: {other.written}"
        text = f"fun {name}({typed}) recursive at most {self.number(1, 4)} -> {result.written}:"
        if self.number(0, 1):
            text += f" {base} if {test} else {found}\n"
        else:
            text += "\n" + indented([f"if {test}:", f"    return {base}", f"return {found}"], 1)
        self.uses[name] = self.uses_of(text)
        self.funs[name] = ([SMALL, other], result)
        return text

    def rule(self) -> str:
        name = self.name("rule")
        params = [
            (self.name("b"), self.one(*self.inside(self.state)), self.number(0, 2) == 0)
            for _ in range(self.number(0, 2))
        ]
        result = self.one(*self.inside(self.state)) if self.number(0, 4) else None
        inout = {p: kind for p, kind, io in params if io}
        hidden = {n for n in self.state if n.startswith("s") and inout and self.number(0, 1)}
        kept = self.state, self.funs, self.rules, self.histories, self.asked
        self._hide(hidden)
        scope: Scope = {**self.state, **{p: kind for p, kind, _ in params}, "q": PLAYER}
        self.changing, self.calm = inout, bool(inout) or self.number(0, 1) == 1
        if self.calm:
            self.calm_rules.add(name)
        lines = self.block(scope, 2, 1, actor="" if self.calm else "q")
        if not self.calm and self.number(0, 3) == 0:
            early = "return" + (f" {self.expr(result, scope, 1)}" if result is not None else "")
            lines.append(f"if {self.bool_(scope, 1)}: {early}")
            lines += self.block(scope, 1, 0, actor="q")
        self.calm = False
        if result is not None:
            lines.append(f"return {self.expr(result, scope, 2)}")
        self.state, self.funs, self.rules, self.histories, self.asked = kept
        typed = [f"{'inout ' if io else ''}{p}: {kind.written}" for p, kind, io in params]
        gives = f" -> {result.written}" if result is not None else ""
        text = f"rule {name}({', '.join(['q: Player', *typed])}){gives}:\n" + indented(lines, 1)
        self.uses[name] = self.uses_of(text)
        self.rules[name] = ([(kind, io) for _, kind, io in params], result)
        self.changing = {}
        return text

    def _hide(self, names: set[str]) -> None:
        """What is given as `inout` is not used by its own name as well."""

        def free(name: str) -> bool:
            return not self.uses[name] & names

        self.state = {n: k for n, k in self.state.items() if n not in names}
        self.funs = {n: f for n, f in self.funs.items() if free(n)}
        self.rules = {n: r for n, r in self.rules.items() if free(n)}
        self.histories = [n for n in self.histories if free(n)]
        if self.asked is not None and not free(self.asked.name):
            self.asked = None

    def turn(self) -> list[str]:
        """How a turn begins: with an action of which the rest of the file may ask whether it could be."""
        scope: Scope = {**self.state, "p": PLAYER}
        self.changing, self.known = {}, {}
        way = self.number(0, 4)
        if way == 4:  # one may ask from anywhere
            scope = {**self.state, "q": PLAYER}
        params, inner = self.params(scope)
        name, condition = self.name("act"), f" if {self.bool_(inner, 2)}" if self.number(0, 1) else ""
        own = {n: kind for n, kind in inner.items() if n not in scope}
        kinds, acts = tuple(own.values()), Acts(()) if way == 1 else self.acts(inner, own)
        match way:
            case 0:
                lines = [f"{self.sealed()}choose {name}{params}{condition}", *acts.lines]
                self.known = own
            case 1:
                lines = [f"choose {name}{params}{condition}", "else:", f"    {self.store(scope)}"]
                self.known = {n: option(kind) for n, kind in own.items()}
            case _:
                head = "choose:" if way < 4 else self.together_head(scope, "q")
                lines = [head, f"    {name}{params}{condition}:", *("        " + x for x in acts.lines)]
                lines += [f"    {self.name('arm')}:", f"        {self.store(scope)}"]
        self.uses[name] = set(self.state)
        self.asked = Asked(name, kinds, acts.part, acts.parts, by=way == 4)
        return lines

    def course(self, turn: list[str]) -> str:
        scope: Scope = {**self.state, "p": PLAYER, **self.known}
        self.changing = {}
        start = self.one([], self.block(dict(self.state), 2, 1, actor=self.players[0]))
        self.changing = {}
        self.turning = True
        lines = [*turn]
        if self.asked is not None and self.number(0, 2) == 0:
            lines += [f"flag = {self.asking(self.asked, scope, 1)}"]
        lines += self.block(scope, 4, 2, actor="")
        lines += [f"n = {self.int_(scope, 2)} % 3"]
        lines += [
            f"if {self.bool_(scope, 2)}:",
            "    end " + self.one("tie", f"win({self.expr(PLAYER, scope, 1)})"),
        ]
        turns = "for p in turns():"
        return "rules:\n" + indented([*start, turns, *("    " + line for line in lines)], 1)


def simple(kind: Kind) -> bool:
    """What functions that call themselves take and give."""
    return (kind.head == "set" or countable(kind)) and "option" not in (
        kind.head,
        *(p.head for p in kind.parts),
    )


def indented(lines: list[str], depth: int) -> str:
    return "".join("    " * depth + line + "\n" for line in lines)


def write(seed: int) -> str:
    return Writer(Random(seed)).file()
