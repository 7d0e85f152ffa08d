"""Makes little games up.

Half of the games have secrets. In most of these what everybody sees is kept apart from them: the writer has
`kept`, the names that must not be read where something would come out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

from tests.oracles.little import BAG, LIST, MAP, PLACES, RECORD, Action, Claim, Expr, Little, Winding

TRY = "try"  # among the names of a place: that what may fault can stand there
FORMS = ("always", "never", "at_end", "possible", "always possible", "maximize", "everywhere", "at most")
FORMS += ("at least", "terminates", "initially")
AT = ("always", "never", "possible", "at most", "at least")  # also said of some decisions only
NUMERIC = ("maximize", "at most", "at least", "terminates")
Names = Sequence[Any]  # what may be read besides the variables: "own", "x", "y", "d", TRY, ("own of", 1)


def little(seed: int, attempt: int = 0) -> Little:
    """Game number so and so, one of many that it could be."""
    return Writer(Random(f"{seed}.{attempt}")).game()


class Writer:
    """Makes a game up."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ranges: dict[str, tuple[int, int, int]] = {}
        self.has = ""
        self.names: list[str] = []  # of actions that are there already
        self.plain = False  # numbers only
        self.secrets: dict[str, tuple[Any, ...]] = {}
        self.discreet = False
        self.kept: frozenset[str] = frozenset()

    def game(self) -> Little:
        random = self.random
        players = ("ann", "bob", "eve")[: random.choice((2, 2, 3))]
        hiding = random.random() < 0.5
        for name in ("a", "b_", "c")[: random.randint(1, 3)]:
            low, width = random.choice((0, 0, 0, -2, 1)), random.choice((1, 2) if hiding else (1, 2, 3, 5, 9))
            self.ranges[name] = low, low + width, low + random.randint(0, width)
        width = random.randint(1, 2 if hiding else 3)
        own = (0, width, random.randint(0, width))
        self.has = "".join(each for each in "omlbr" if random.random() < 0.25)
        dealt = self._secrets(len(players)) if hiding else ()
        self.kept = frozenset(self.secrets) if self.discreet else frozenset()
        chance = self._chance(players)
        bump = self._plainly(lambda: self._code(1, [])) if random.random() < 0.3 else ()
        sealed = hiding and random.random() < 0.2
        actions = tuple(self._action(f"act{i}", "x", 0.25) for i in range(random.randint(2, 4)))
        number = chance[:1] == ("roll",) or (chance[:1] == ("reveal",) and chance[1] != ("o",))
        more: list[Any] = ["own", TRY, "can", *(["d"] if number else []), *(["after"] if bump else [])]
        after = self._code(2, more) if random.random() < 0.6 or chance[:1] == ("roll",) else ()
        over = ("and", self._truth(1, ["own"]), self._truth(1, ["own"]))
        self.kept = frozenset()
        claims = self._claims(players, actions)
        winding = self._plainly(self._winding) if random.random() < 0.2 else None
        tie = random.random() < 0.5
        return Little(
            players, self.ranges, own, self.has, actions, self.secrets, dealt, sealed, chance,
            after, bump, over, tie, claims, winding,
        )  # fmt: skip

    def _secrets(self, players: int) -> tuple[str, ...]:
        """Chooses secrets; which of them are dealt."""
        random = self.random
        self.discreet = random.random() < 0.5
        among = ["own", "own", "s", *self.has, *self.ranges]
        for name in random.sample(among, min(len(among) - 1, random.choice((1, 1, 2, 3)))):
            who = random.randrange(players)
            kinds: Names = (("hidden",), ("to", who), ("others", who))
            self.secrets[name] = random.choice(
                (("own",), ("own",), ("other",), ("hidden",)) if name == "own" else kinds
            )
        dice = [name for name in self.secrets if name == "own" or name in self.ranges]
        return tuple(name for name in dice if random.random() < 0.7)

    def _chance(self, players: tuple[str, ...]) -> tuple[Any, ...]:
        random = self.random
        if {"o", "b"} <= set(self.has) and random.random() < 0.5:
            return ("draw",)
        shown: list[Expr] = [("name", name) for name in self.secrets if name in self.ranges]
        shown += [("own",)] * 2 if "own" in self.secrets else []
        shown += [("o",)] if "o" in self.secrets else []
        if shown and random.random() < 0.4:
            to = None if random.random() < 0.6 else random.randrange(len(players))
            return ("reveal", random.choice(shown), to)
        return ("roll", random.choice((2, 3))) if random.random() < 0.4 else ()

    def _plainly(self, make: Any) -> Any:
        self.plain = True
        try:
            return make()
        finally:
            self.plain = False

    # Claims

    def _claims(self, players: tuple[str, ...], actions: tuple[Action, ...]) -> tuple[Claim, ...]:
        random, found = self.random, []
        places = [each.name for action in actions for each in (action, *action.then)]
        for i, form in enumerate(random.sample(FORMS, 4)):
            of = ("own of", random.randrange(len(players)))
            e = self._number(1, [of]) if form in NUMERIC else self._truth(2, [of])
            lemma = form in ("always", "never") and random.random() < 0.3
            placed = form == "initially" or (form in AT and random.random() < 0.25)
            at = random.choice(places) if placed else ""
            found.append(Claim(f"claim{i}", form, e, random.randint(0, 5), lemma, at))
        return tuple(found)

    def _winding(self) -> Winding:
        random = self.random
        arms = tuple(self._action(f"turn{i}", None, 0) for i in range(random.randint(1, 2)))
        endings = random.sample(("returns", "never returns", "can return"), 2)
        claims = tuple(Claim(f"wind{i}", form, self._truth(1, [])) for i, form in enumerate(endings))
        return Winding(self._truth(1, []), arms, claims)

    # Actions

    def _action(self, name: str, param: str | None, nested: float) -> Action:
        random = self.random
        param = param if param and random.random() < 0.4 else None
        more = [*([] if self.plain else ["own"]), *([param] if param else [])]
        public = [name for name in self.ranges if name not in self.kept]
        room = bool(public) and random.random() < 0.5
        guard = self._room(public[0], "-") if room else self._guard(2, more)
        code = self._code(2, [*more, TRY])
        require = self._guard(1, more) if not self.plain and random.random() < 0.2 else None
        then: tuple[Action, ...] = ()
        if random.random() < nested:
            then = tuple(self._nested(f"{name}then{i}", more) for i in range(random.randint(1, 2)))
        self.names += [] if self.plain else [name]
        return Action(name, param, guard, code, require, then)

    def _nested(self, name: str, more: list[Any]) -> Action:
        random = self.random
        param = "y" if random.random() < 0.4 else None
        more = [*more, *([param] if param else [])]
        return Action(name, param, self._guard(1, more), self._code(1, [*more, TRY]))

    def _guard(self, depth: int, more: list[Any]) -> Expr:
        """What is legal may rest on what a player sees of his own."""
        before = self.kept
        self.kept -= {"own"} if self.secrets.get("own") == ("own",) else set()
        found = self._truth(depth, more)
        self.kept = before
        return found

    def _room(self, name: str, sign: str, by: int = 0) -> Expr:
        """Whether a number can still become more, or less, by so much."""
        low, high, _ = self.ranges[name]
        if sign == "+":
            return ("<", ("name", name), ("number", high + 1 - by))
        return ("<", ("number", low - 1 + by), ("name", name))

    # Statements

    def _code(self, depth: int, more: Names) -> tuple[Expr, ...]:
        return tuple(self._statement(depth, more) for _ in range(self.random.randint(1, 2)))

    def _statement(self, depth: int, more: Names) -> Expr:
        random, roll = self.random, self.random.random()
        if depth and roll < 0.3:
            return ("if", self._truth(1, more), *self._code(depth - 1, more))
        if not self.plain:
            if roll < 0.42:
                with self._into("s"):
                    return (random.choice(("put", "take")), self._place(more))
            if roll < 0.52:
                with self._into("own"):
                    return ("set own", self._step(("own",), more))
            if self.has and roll < 0.75:
                name = random.choice(self.has)
                with self._into(name):
                    return self._of_parts(name, more)
        name = random.choice(list(self.ranges))
        with self._into(name):
            if random.random() < 0.7:
                sign, by = random.choice("+-"), random.randint(1, 2)
                step = ("set", name, (sign, ("name", name), ("number", by)))
                return ("if", self._room(name, sign, by), step)
            return ("set", name, self._step(("name", name), more))

    @contextmanager
    def _into(self, name: str) -> Iterator[None]:
        """What goes into a secret may come out of one."""
        before = self.kept
        self.kept = frozenset() if name in self.secrets else self.kept
        yield
        self.kept = before

    def _of_parts(self, name: str, more: Names) -> Expr:
        random = self.random
        match name:
            case "o":
                return ("set o", None if random.random() < 0.4 else self._place(more))
            case "m":
                at = self._place(more)
                room = ("<", ("m", at), ("number", MAP))
                up = ("set m", at, ("+", ("m", at), ("number", 1)))
                return ("if", room, up) if random.random() < 0.5 else ("set m", at, self._number(1, more))
            case "l":
                add = ("append", ("number", random.randint(0, LIST[0])))
                room = ("<", ("len l",), ("number", LIST[1]))
                return random.choice((("clear",), add, ("if", room, add)))
            case "b":
                at = self._place(more)
                safe = ("if", ("<", ("number", 0), ("b", at)), ("less", at))
                room = ("if", ("<", ("len b",), ("number", BAG)), ("more", at))
                return random.choice((("more", at), ("less", at), safe, room, room))
            case _:
                n = ("number", random.randint(0, RECORD))
                step = self._step(("r.n",), more)
                return random.choice(
                    (("set r.n", step), ("set r.t", self._truth(1, more)), ("set r", n, self._truth(0, more)))
                )

    def _step(self, now: Expr, more: Names) -> Expr:
        by = ("number", self.random.randint(1, 2)) if self.random.random() < 0.7 else self._number(0, more)
        return (self.random.choice("+-"), now, by) if self.random.random() < 0.8 else by

    # Expressions

    def _open(self, names: Iterable[str]) -> list[str]:
        """Those that may be read here."""
        return [name for name in names if name not in self.kept]

    def _place(self, more: Names) -> Expr:
        some: list[Expr] = [("name", each) for each in ("x", "y") if each in more]
        some += [("o",)] if "o" in self.has and "o" not in self.kept and TRY in more else []
        return self.random.choice(some) if some and self.random.random() < 0.8 else self._constant()

    def _constant(self) -> Expr:
        return ("number", self.random.randrange(PLACES))

    def _number(self, depth: int, more: Names) -> Expr:
        random = self.random
        if depth and random.random() < 0.4:
            return (random.choice("+-"), self._number(depth - 1, more), self._number(depth - 1, more))
        some: list[Expr] = [
            ("number", random.randint(0, 4)),
            *(("name", name) for name in self._open(self.ranges)),
        ]
        if self.plain:
            return random.choice(some)
        some += [
            each if isinstance(each, tuple) else ("own",)
            for each in more
            if isinstance(each, tuple) or (each == "own" and each not in self.kept)
        ]
        some += [("size",) for _ in self._open("s")]
        some += [*(("name", each) for each in ("x", "y", "d") if each in more)]
        for name in self._open(self.has):
            some += {
                "o": [("o",)] if TRY in more else [],
                "m": [("m", self._place(more)), ("m", self._constant())],
                "l": [("len l",), *([("l", random.randrange(LIST[1]))] if TRY in more else [])],
                "b": [("len b",), ("b", self._place(more))],
                "r": [("r.n",)],
            }[name]
        if "after" in more and random.random() < 0.2:
            return ("after", self._plainly(lambda: self._number(1, [])))
        return random.choice(some)

    def _truth(self, depth: int, more: Names) -> Expr:
        random, roll = self.random, self.random.random()
        if depth and roll < 0.35:
            return (random.choice(("and", "or")), self._truth(depth - 1, more), self._truth(depth - 1, more))
        if roll < 0.45:
            return ("not", self._truth(0, more))
        if not self.plain:
            if "can" in more and roll < 0.55 and self.names:
                return ("can", random.choice(self.names))
            if "after" in more and roll < 0.6:
                return ("after", self._plainly(lambda: self._truth(1, [])))
            if roll < 0.6 and "s" not in self.kept:
                return ("in", ("name", "x") if "x" in more else self._constant())
            parts: dict[str, Expr] = {
                "o": ("some",) if random.random() < 0.5 else ("o is", random.randrange(PLACES)),
                "l": ("in l", random.randint(0, LIST[0])),
                "r": ("r.t",),
            }
            among = [each for each in self._open(self.has) if each in parts]
            if among and roll < 0.75:
                return parts[random.choice(among)]
        return (random.choice(("<", "<", "==")), self._number(1, more), self._number(1, more))
