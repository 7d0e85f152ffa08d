"""Random expressions of a type, for rules files with lists, maps, bags, sets, options, records and tuples in
each other.
"""

from __future__ import annotations

from tests.oracles.kinds import (
    BOOL,
    HUE,
    PLAYER,
    SMALL,
    Kind,
    countable,
    list_of,
    map_of,
    may_be_none,
    option,
    set_of,
    tuple_of,
    values,
)
from tests.oracles.nested_known import Known
from tests.oracles.nested_places import Asked, Scope

COMPARED = ("==", "!=", "<", "<=", ">", ">=")


class Expressions(Known):
    """Writes expressions of a type."""

    # ---------------------------------------------------------------------------------------- any type

    def expr(self, kind: Kind, scope: Scope, depth: int) -> str:
        if depth <= 0 or self.number(0, 3) == 0:
            names = self.consts if self.number(0, 9) == 0 else scope
            found = self.place(kind, names, depth - 1) if depth > -2 and self.number(0, 3) else None
            return found if found is not None else self.literal(kind)
        if kind.head in ("range", "named") and self.number(0, 9) == 0:
            then = self.after(kind, scope, depth - 1)
            if then is not None:
                return then
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
        args = [self.expr(kind, scope, depth - 1) for kind in self.funs[fun][0]]
        names = self.named.get(fun, [])
        if fun in self.spared and self.number(0, 1):
            args.pop()
        elif names and self.number(0, 4) == 0:
            args[-1] = f"{names[-1]}={args[-1]}"
        return f"{fun}({', '.join(args)})"

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
                if not kind.grows and self.number(0, 4) == 0:
                    return f"({self.expr(kind, scope, deeper)} | {self.some_pairs(kind, scope, deeper)})"
                return self.mapped(*kind.parts, scope, deeper)
            case "list":
                return self.list_(kind, scope, depth)
        items = [self.expr(part, scope, deeper) for part in kind.parts]
        if kind.head == "record" and self.number(0, 3) == 0:
            items = [f"{n}={x}" for n, x in zip(kind.fields, items, strict=True)]
        return f"{kind.name}({', '.join(items)})"

    def mapped(self, key: Kind, value: Kind, scope: Scope, depth: int) -> str:
        name = self.name("k")
        keys = values(key, self.players)
        if len(keys) < 5 and self.number(0, 2) == 0:
            self.random.shuffle(keys)
            return self.braces([f"{k}: {self.expr(value, scope, depth)}" for k in keys])
        if self.number(0, 1):
            self.random.shuffle(keys)
        over = f"[{', '.join(keys)}]"
        if key.head == "range":
            over = key.written
        if key.head == "named" and self.number(0, 3):
            over = key.name
        return f"{{{name}: {self.expr(value, {**scope, name: key}, depth)} for {name} in {over}}}"

    def some_pairs(self, kind: Kind, scope: Scope, depth: int) -> str:
        """A map that has some of the keys of a type, perhaps none."""
        key, value = kind.parts
        keys = self.some_values(key, 2)
        if not keys or self.number(0, 2):
            return self.braces([f"{k}: {self.expr(value, scope, depth)}" for k in keys])
        name = self.name("k")
        return (
            f"{{{name}: {self.expr(value, {**scope, name: key}, depth)} for {name} in [{', '.join(keys)}]}}"
        )

    def element(self, kind: Kind, scope: Scope, depth: int) -> str:
        match self.number(0, 4):
            case 0 if kind == PLAYER:
                ways = ["left", "right", *(["other"] if len(self.players) == 2 else [])]
                return f"{self.one(*ways)}({self.expr(kind, scope, depth)})"
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
            case 4 if kind == PLAYER and self.number(0, 1):
                return f"others({self.expr(kind, scope, depth)})"
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

    def set_(self, kind: Kind, scope: Scope, depth: int) -> str:
        inner, deeper = kind.parts[0], depth - 1
        match self.number(0, 5):
            case 0 | 1:
                a, b = self.expr(kind, scope, deeper), self.expr(kind, scope, deeper)
                return f"({a} {self.one('|', '&', '-')} {b})"
            case 2:
                return self.braces([self.expr(inner, scope, deeper) for _ in range(self.number(1, 2))])
            case 3:
                if countable(inner) and inner.head != "option" and self.number(0, 1):
                    return self.one(self.known_set(inner), self.reached(kind, scope, deeper))
                return f"set({self.collection(inner, scope, deeper)})"
        name = self.name("v")
        if self.number(0, 3) == 0:
            more, other = self.name("w"), self.some_kind(scope)
            first, second = self.collection(other, scope, deeper), self.collection(inner, scope, deeper)
            return f"{{{more} for {name} in {first} for {more} in {second}}}"
        if self.number(0, 1):
            other = self.some_kind(scope)
            more = {**scope, name: other}
            source = self.collection(other, scope, deeper)
            return f"{{{self.expr(inner, more, deeper)} for {name} in {source}}}"
        test = self.bool_({**scope, name: inner}, deeper)
        return f"{{{name} for {name} in {self.collection(inner, scope, deeper)} if {test}}}"

    def reached(self, kind: Kind, scope: Scope, depth: int) -> str:
        """What can be reached from somewhere."""
        name, (inner,) = self.name("x"), kind.parts
        step = self.expr(kind, {**scope, name: inner}, depth - 1)
        return f"closure({self.expr(kind, scope, depth - 1)}, {name} -> {step})"

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
            case 4:
                return f"({self.known_list(inner)})[:{kind.size}]"
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
        if self.number(0, 7) == 0:
            then = self.after(SMALL, scope, deeper)
            if then is not None:
                return then
        if self.histories and self.number(0, 5) == 0:
            return f"times({self.one(*self.histories)})"
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
            case 9 if self.number(0, 2):
                a = self.int_(scope, deeper)
                own = f"abs({a})", f"sign({a})", f"(+{a})", f"(-{a})", "(n ** 2)"
                return self.one(self.one(*own), self.known_number(), self.known_number())
        return f"{self.one('min', 'max')}({self.int_(scope, deeper)}, {self.int_(scope, deeper)})"

    def each(self, scope: Scope, depth: int, of: str) -> str:
        name, kind = self.name("e"), self.some_kind(scope)
        inner = {**scope, name: kind}
        condition = f" if {self.bool_(inner, depth - 1)}" if self.number(0, 2) == 0 else ""
        condition += f" if {self.bool_(inner, 0)}" if condition and self.number(0, 3) == 0 else ""
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
        if self.number(0, 5) == 0:
            could = self.could_be(scope, deeper)
            if could:
                return could
        match self.number(0, 11):
            case 0 | 1 | 2 | 3:
                kind = self.one(*self.inside(scope))
                if kind.default and self.number(0, 1):
                    return f"({self.place(kind, scope, deeper)} == {self.some_pairs(kind, scope, deeper)})"
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
                odd = f"{self.one('even', 'odd')}({self.int_(scope, deeper)})"
                negated = f"(not ({self.bool_(scope, deeper)}))"
                return self.one(negated, negated, odd, f"({self.known_truth()})")
            case 9:
                options = [k for k in self.inside(scope) if k.head == "option"]
                once = [(n, k) for n, k in self.unique.items() if n in scope]
                if once and self.number(0, 1):
                    ((name, kind),) = once
                    wanted = kind.parts[1].parts[0]
                    return f"({name}.find({self.expr(wanted, scope, deeper)}) is {self.one('some', 'none')})"
                if options:
                    return f"({self.expr(self.one(*options), scope, deeper)} is {self.one('some', 'none')})"
            case 10:
                sets = [k for k in self.inside(scope) if k.head == "set"]
                if sets:
                    kind = self.one(*sets)
                    a, b = self.expr(kind, scope, deeper), self.expr(kind, scope, deeper)
                    return f"({a} {self.one('<=', '>=')} {b})"
        return f"({self.int_(scope, deeper)} {self.one(*COMPARED)} {self.int_(scope, deeper)})"

    # ---------------------------------------------------------------------------------------- what could be

    def could_be(self, scope: Scope, depth: int) -> str | None:
        """What would be after a rule, or whether an action would be legal."""
        if self.asked is not None and self.number(0, 1):
            return self.asking(self.asked, scope, depth)
        return self.after(BOOL, scope, depth)

    def asking(self, asked: Asked, scope: Scope, depth: int) -> str:
        """Whether an action would be legal."""
        name, kinds = asked.name, [*asked.params]
        if asked.part is not None:
            kinds += [asked.part] * self.number(0, asked.parts)
        args = ", ".join(self.expr(kind, scope, depth - 1) for kind in kinds)
        given = f"({args})" if kinds and self.number(0, 1) else ""
        named = not asked.by and scope.get("p") == PLAYER
        by = "" if named and self.number(0, 1) else f" by {self.one('ann', 'bob')}"
        if by and self.number(0, 1):
            by = f" by {self.expr(PLAYER, scope, depth - 1)}"
        return f"(can {name}{given}{by})"

    def after(self, kind: Kind, scope: Scope, depth: int) -> str | None:
        """What a truth value, a number or an element would be after a rule."""
        known = [name for name in self.rules if name in self.calm_rules]
        if not known:
            return None
        rule = self.one(*known)
        kept, self.rules = self.rules, self.rules if self.number(0, 3) == 0 else {}  # of what is given to it
        called = self.call_of(rule, kept, scope, depth)
        self.rules = kept
        changed = {name: found for name, found in scope.items() if name in self.uses[rule]}
        kinds = [k for k in self.inside(changed) if k.head == kind.head == "range"] or [kind]
        value = (
            self.place(self.one(*kinds) if kind == SMALL else kind, changed, 0) if self.number(0, 3) else None
        )
        return f"({value or self.expr(kind, scope, depth)} after {called})" if called else None

    def call_of(
        self,
        name: str,
        rules: dict[str, tuple[list[tuple[Kind, bool]], Kind | None]],
        scope: Scope,
        depth: int,
    ) -> str | None:
        """A call of a rule; none if there is nothing to give it."""
        params, _ = rules[name]
        args, taken = [self.expr(PLAYER, scope, depth - 1)], set(self.uses[name])
        for kind, inout in params:
            if not inout:
                args.append(self.expr(kind, scope, depth))
                continue
            free = {n: k for n, k in self.places_to_change(scope).items() if n not in taken}
            found = self.places(free, kind)
            if not found:
                return None
            way = self.one(*found)
            taken.add(way[0])
            args.append(self.walked(*way, dict(scope), depth - 1))
        return f"{name}({', '.join(args)})"

    def places_to_change(self, scope: Scope) -> Scope:
        return {n: k for n, k in scope.items() if n in self.state or n in self.changing}
