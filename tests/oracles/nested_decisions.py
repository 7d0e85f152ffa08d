"""Random decisions and paths, for rules files with values of all types in each other."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.oracles.kinds import (
    BOOL,
    HUE,
    NAMED,
    PLAYER,
    SMALL,
    SPOT,
    Kind,
    countable,
    number,
    option,
    set_of,
    values,
)
from tests.oracles.nested_places import Scope
from tests.oracles.nested_statements import Statements

MOST_WAYS = 4  # on from a part of a path


@dataclass(frozen=True, slots=True)
class Acts:
    """What an action does before it may stop; of what kind the parts of its path are, and how many at most;
    the name of how many more there might have been.
    """

    lines: tuple[str, ...]
    part: Kind | None = None
    parts: int = 0
    left: str = ""


class Decisions(Statements):
    """Writes decisions."""

    def choose(self, scope: Scope, actor: str) -> list[str]:
        params, inner = self.params(scope)
        by = f" by {actor}" if actor else ""
        condition = f" if {self.bool_(inner, 2)}" if self.number(0, 2) == 0 else ""
        action, sealed = self.name("act"), self.sealed()
        line = f"choose {action}{params}{by}{condition}"
        if self.number(0, 2) == 0:
            own = {n: kind for n, kind in inner.items() if n not in scope}
            scope.update(inner)
            if sealed and own and self.number(0, 2):
                return [sealed + line, f"{self.name('die')} = roll 0..1", *self.used(scope, own)]
            return [sealed + line, *(self.acts(scope, own).lines if self.number(0, 1) else [])]
        lines = [sealed + line, "else:", *self.inner(scope, 1, 0, actor)]
        if self.number(0, 3) == 0:
            lines = [f"{sealed}may {line}"]
        scope.update({name: option(kind) for name, kind in inner.items() if name not in scope})
        scope[f"({action} is {self.one('some', 'none')})"] = BOOL
        return lines

    def sealed(self) -> str:
        return self.one("", "", "sealed ")

    def used(self, scope: Scope, own: Scope) -> list[str]:
        """That a name still counts."""
        name, kind = self.one(*own.items())
        return [f"if {name} == {self.literal(kind)}:", f"    {self.store(scope)}"]

    def together(self, scope: Scope, depth: int) -> list[str]:
        name = self.name("q")
        inner = {**scope, name: PLAYER}
        lines = [
            self.one("", "", "may ") + self.together_head(inner, name),
            *self.menu(inner, depth, name)[1:],
        ]
        if self.number(0, 2) == 0:
            lines += [
                f"    {self.name('arm')}:",
                f"        if {self.bool_(inner, 1)}: {self.one('break', 'continue')}",
            ]
        if self.number(0, 2):
            lines += ["else:", *self.inner(inner, 2, depth - 1, name)]
        return lines

    def together_head(self, inner: Scope, name: str) -> str:
        scope = {n: kind for n, kind in inner.items() if n != name}
        source = self.one("Player", self.literal(set_of(PLAYER)), self.expr(set_of(PLAYER), scope, 2))
        condition = f" if {self.bool_(inner, 2)}" if self.number(0, 2) == 0 else ""
        return f"choose together for {name} in {source}{condition}:"

    def menu(self, scope: Scope, depth: int, actor: str) -> list[str]:
        lines = [self.sealed() + self.one("", "may ") + ("choose by " + actor if actor else "choose") + ":"]
        for _ in range(self.number(1, 2)):
            params, inner = self.params(scope)
            condition = f" if {self.bool_(inner, 2)}" if self.number(0, 3) == 0 else ""
            if self.number(0, 2):
                body = self.inner(inner, 2, depth - 1, actor)
            else:
                kept = dict(self.changing)
                own = {n: kind for n, kind in inner.items() if n not in scope}
                body = ["    " + x for x in self.acts(inner, own).lines]
                body += self.inner(inner, 1, depth - 1, actor) if self.number(0, 1) else []
                self.changing = kept
            lines += [f"    {self.name('arm')}{params}{condition}:", *("    " + x for x in body)]
        return lines

    def params(self, scope: Scope) -> tuple[str, Scope]:
        params, inner = [], dict(scope)
        for _ in range(self.number(0, 2)):
            name = self.name("c")
            kind = self.counted_kind(scope)
            sources = [self.expr(set_of(kind), inner, 2), *([kind.name] if kind.name in NAMED else [])]
            params.append(f"{name} in {self.one(*sources)}")
            inner = {**inner, name: kind}
        return (f"({', '.join(params)})" if params else ""), inner

    def counted_kind(self, scope: Scope) -> Kind:
        kinds = [k for k in (self.some_kind(scope), HUE, SPOT) if countable(k) and k.head != "option"]
        return self.one(*kinds)

    # ---------------------------------------------------------------------------------------- what is tried

    def acts(self, scope: Scope, own: Scope) -> Acts:
        """What an action with these parameters does up to a `require`: it is tried out. `scope` takes up its
        locals.
        """
        kept, self.calm = self.calm, True
        lines = self.block(scope, 1, 1, "") if self.number(0, 1) else [self.store(scope)]
        acts = self.path(scope, lines) if self.number(0, 1) else Acts((*lines,))
        lines = [*acts.lines, *(self.block(scope, 1, 1, "") if self.number(0, 3) == 0 else [])]
        self.calm = kept
        if acts.left:
            own = {**own, acts.left: SMALL}
        if acts.part is None or self.number(0, 1):
            lines.append("require " + self.one(self.bool_(scope, 2), "most " + self.worth(scope, own)))
        return replace(acts, lines=(*lines,))

    def worth(self, scope: Scope, own: Scope) -> str:
        """A number that is not the same for all values of these parameters."""
        if not own or self.number(0, 3) == 0:
            return self.int_(scope, 2)
        name, kind = self.one(*own.items())
        if kind.head == "range" and self.number(0, 1):
            return self.one(name, f"(-{name})", f"({name} + {self.int_(scope, 1)})")
        other = self.one("1", self.int_(scope, 1))
        return f"({self.number(0, 3)} if {name} == {self.literal(kind)} else {other})"

    def path(self, scope: Scope, before: list[str]) -> Acts:
        """A path, which mostly comes to an end by itself."""
        name, bound = self.name("b"), self.one(1, 2, 2, 3)
        kinds = [k for k in (self.counted_kind(scope), HUE, SMALL, BOOL) if number(k) <= MOST_WAYS]
        kind = self.one(*kinds)
        everything = self.braces(values(kind, self.players))
        source = self.one(everything, everything, self.expr(set_of(kind), scope, 2))
        conditions, laps, left = "", [], ""
        if self.number(0, 3):
            left = self.name("left")
            before = [*before, f"{left}: 0..{bound} = {self.one(bound, self.number(1, bound))}"]
            conditions, laps = f" if {left} > 0", [f"    {left} -= 1"]
            if self.number(0, 1):
                before = [*before, f"{left}b: set[{kind.written}] = {source}"]
                source, laps = f"{left}b", [*laps, f"    {left}b -= {{{name}}}"]
        inner = {**scope, name: kind}
        if self.number(0, 2) == 0:
            conditions += f" if {self.bool_(inner, 1)}"
        laps += self.inner(inner, 1, 1, "")
        if self.number(0, 3) == 0:
            laps.append(f"    if {self.bool_(inner, 1)}: {self.one('break', 'continue')}")
        stops = self.one("", ", may stop")
        head = f"path {name} in {source}{conditions} at most {bound}{stops}:"
        return Acts((*before, head, *laps), kind, bound, left)
