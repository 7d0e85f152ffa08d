"""Makes little games with loops up: looping.py says what they mean."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.oracles.little import Claim
from tests.oracles.looping import Arm, Code, Expr, Looping
from tests.oracles.looping_meaning import Meaning

MOST = 400
"""States of a game."""
ALONE = 3_000
"""Ways to fill the variables, where claims are about rules by themselves."""
ONE: Expr = ("n", 1)
AWAY: Expr = ("n", 50)
"""Makes numbers positive."""


class Writer:
    """Makes a game up."""

    def __init__(self, random: Random, alone: bool) -> None:
        self.random, self.alone = random, alone
        self.ranges: dict[str, tuple[int, int, int]] = {}
        self.bounds: dict[str, tuple[int, int]] = {}
        self.count = 0
        self.rules: dict[str, Code] = {}
        self.funs: dict[str, Code] = {}
        self.asserted: list[str] = []
        self.tried = False  # nothing may stop
        self.places = 3
        self.most = 2

    def game(self) -> Looping:
        random = self.random
        self.places = random.choice((2, 3) if self.alone else (2, 3, 3, 4))
        self.most = random.choice((1, 2) if self.alone else (2, 3, 6))
        for name in ("a", "b", "c")[: random.choice((1, 2) if self.alone else (2, 3))]:
            low = random.choice((0, 0, 0, -1))
            high = low + random.choice((2, 3, 4) if self.alone else (2, 3, 5, 9))
            self.ranges[name] = low, high, random.choice((low, high, random.randint(low, high)))
            self.bounds[name] = low, high
        names = list(self.ranges)
        if random.random() < 0.3:
            self.funs["f0"] = self._fun(names)
        if random.random() < 0.3:
            self.tried = True
            self.rules["tried"] = self._code(2, names, False, "tried")
            self.tried = False
        if random.random() < 0.5 or self.alone:
            self.rules["part"] = self._code(3 if self.alone else 2, names, False, "rule")
        if not self.alone and random.random() < 0.6:
            return self._sown(names)
        begin = self._code(2, names, False, "") if random.random() < 0.3 else ()
        turn = [self._choose(names, 2, False, ""), *self._code(2, names, False, "")]
        if random.random() < 0.7:
            turn.insert(0, ("if", self._truth(names, 1), (("end", "tie"),), ()))
        return Looping(
            self.places, self.most, self.ranges, self.bounds, self.rules, self.funs, begin, tuple(turn),
            asserted=tuple(self.asserted),
        )  # fmt: skip

    def _sown(self, names: list[str]) -> Looping:
        """A game in which something is taken up and put down lap by lap, with something odd in it."""
        random = self.random
        few, each = random.choice((2, 3, 3)), random.choice((1, 1, 2))
        self.places = few if not (self.rules or self.funs) else max(few, self.places)  # they name places
        self.most = self.places * each + 1
        self.bounds |= {
            "x0": (0, self.places - 1),
            "k0": (0, self.most),
            "j0": (0, self.places - 1),
            "y0": (0, 9),
        }
        fill: Expr = ("for", "y0", ("places",), None, (("set m", ("v", "y0"), ("n", each)),))
        inner, hand, at = [*names, "x0", "k0", "j0"], ("v", "k0"), ("v", "j0")
        step = (
            "if",
            ("<", at, ("n", self.places - 1)),
            (("set", "j0", ("+", at, ONE)),),
            (("set", "j0", ("n", 0)),),
        )
        lay: Expr = ("set m", at, ("+", ("m", at), ONE))
        lay = ("if", ("<", ("m", at), ("n", self.most)), (lay,), ()) if random.random() < 0.5 else lay
        less: Expr = ("set", "k0", ("-", hand, ONE))
        kind = random.choice(("while", "while", "for", "repeat"))
        lap: list[Expr] = [step, lay, *([less] if kind != "for" else [])]
        if random.random() < 0.2:
            random.shuffle(lap)
        if random.random() < 0.6:
            odd = self._odd(inner)
            lap[random.randint(0, len(lap)) : 0] = odd
        take: list[Expr] = [("local", "k0", ("m", ("v", "x0"))), ("local", "j0", ("v", "x0")),
                            ("set m", ("v", "x0"), ("n", 0))]  # fmt: skip
        if kind == "while":
            sow: Expr = ("while", ("<", ("n", 0), hand), tuple(lap))
        elif kind == "for":
            self.bounds["i0"] = 0, self.most
            sow = ("for", "i0", ("upto", 1, hand), None, tuple(lap))
        else:
            done: Expr = ("if", ("==", hand, ("n", 0)), (("break",),), ())
            sow = ("repeat", self.most + 1, (done, *lap))
        if random.random() < 0.15:
            more = (
                "while",
                ("<", ("n", 0), ("v", "a")),
                (("set", "a", ("-", ("v", "a"), ONE)), *self._odd(names)),
            )
            code = [*take, sow, more]
        else:
            code = [*take, sow, *(self._code(1, inner, False, "") if random.random() < 0.3 else [])]
        again = ("v", "x0")
        arms = [Arm("sow", "x0", ("<", ("n", 0), ("m", again)), (), None, tuple(code))]
        arms.append(Arm("stop", None, ("==", ONE, ONE), (), None, (("end", "tie"),)))
        if random.random() < 0.3:
            arms.append(self._arm(names, 1, False, ""))
        turn: list[Expr] = [("choose", tuple(arms), None)]
        return Looping(
            self.places, self.most, self.ranges, self.bounds, self.rules, self.funs, (fill,), tuple(turn),
            asserted=tuple(self.asserted),
        )  # fmt: skip

    def _odd(self, names: list[str]) -> list[Expr]:
        """Something that seldom stands in a lap."""
        roll = self.random.random()
        if roll < 0.3:
            return [("if", self._truth(names, 1), self._leaving(names, ""), ())]
        if roll < 0.5:
            return self._move(list(self.ranges))
        return self._some(1, names, True, "")

    def _new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    # Statements; `names`: the numbers that may be read; `loop`: whether in one; `rule`: whether in a rule

    def _code(self, depth: int, names: list[str], loop: bool, rule: str) -> Code:
        names, found = list(names), list[Expr]()
        for _ in range(self.random.choice((1, 1, 2, 2, 3))):
            found += self._some(depth, names, loop, rule)
            if found[-1][0] in ("break", "continue", "return", "end"):
                break
        return tuple(found)

    def _some(self, depth: int, names: list[str], loop: bool, rule: str) -> list[Expr]:
        random, roll = self.random, self.random.random()
        if not depth:
            roll = 0.5 + roll / 2
        if depth and roll < 0.4:
            return self._loop(depth, names, rule)
        if depth and roll < 0.55:
            other = self._code(depth - 1, names, loop, rule) if random.random() < 0.3 else ()
            leaving = loop and random.random() < 0.5
            then: Code = self._leaving(names, rule) if leaving else self._code(depth - 1, names, loop, rule)
            return [("if", self._truth(names, 1), then, other)]
        if not self.tried and depth and roll < 0.63:
            return [self._choose(names, depth - 1, loop, rule)]
        if not self.tried and 0.63 < roll < 0.66:
            name = self._new("d")
            self.bounds[name] = 1, 2
            names.append(name)
            return [("roll", name, 2)]
        if not self.tried and 0.66 < roll < 0.69 and self.rules and rule == "":
            return [("call", random.choice([name for name in self.rules if name]))]
        if not self.tried and 0.69 < roll < 0.71:
            name = self._new("sure")
            self.asserted.append(name)
            return [("assert", name, self._truth(names, 1))]
        return self._move(names) if random.random() < 0.65 else [self._set(names)]

    def _leaving(self, names: list[str], rule: str) -> Code:
        ways: list[Expr] = [("break",), ("continue",)]
        ways += [("return",)] if rule == "rule" else []
        ways += [] if self.tried else [("end", "tie")]
        return (*([self._set(names)] if self.random.random() < 0.3 else []), self.random.choice(ways))

    def _loop(self, depth: int, names: list[str], rule: str) -> list[Expr]:
        random, roll = self.random, self.random.random()
        if roll < 0.5:
            name = self._new("i")
            overs: list[Expr] = [("places",), ("s",)]
            if self._own(names):
                overs += [("upto", random.randint(0, 1), ("v", random.choice(self._own(names))))] * 2
            over = random.choice(overs)
            element = over[0] != "upto"
            self.bounds[name] = 0, self.places - 1 if element else 9
            inner = [*names, name]
            cond = self._truth(inner, 0) if random.random() < 0.3 else None
            return [("for", name, over, cond, self._code(depth - 1, inner, True, rule))]
        if roll < 0.7:
            body = self._code(depth - 1, names, True, rule)
            stop: Expr = ("if", self._truth(names, 1), (("break",),), ())
            body = (stop, *body) if random.random() < 0.5 else (*body, stop)
            return [("repeat", random.randint(1, 5), body)]
        if self.tried:
            return [self._set(names)]
        # a hand that is emptied, or any test
        if random.random() < 0.6:
            name = self._new("k")
            source = random.choice(self._own(names) or list(self.ranges))
            self.bounds[name] = 0, max(self.bounds[source][1], 1)
            start: list[Expr] = [("local", name, ("v", source))] if self.bounds[source][0] >= 0 else []
            start = start or [("local", name, ("n", random.randint(0, self.bounds[name][1])))]
            if random.random() < 0.5 and source in self.ranges and self.bounds[source][0] == 0:
                start.append(("set", source, ("n", 0)))
            inner = [*names, name]
            less: Expr = ("set", name, ("-", ("v", name), ONE))
            body = list(self._code(depth - 1, inner, True, rule))
            body.insert(0 if random.random() < 0.7 else len(body), less)
            if body[-1] == less and len(body) > 1 and body[-2][0] in ("break", "continue", "return", "end"):
                body = [less, *body[:-1]]
            names.append(name)
            return [*start, ("while", ("<", ("n", 0), ("v", name)), tuple(body))]
        return [("while", self._truth(names, 1), self._code(depth - 1, names, True, rule))]

    def _own(self, names: list[str]) -> list[str]:
        """The variables and locals whose least value is 0."""
        return [name for name in names if self.bounds[name][0] == 0]

    def _set(self, names: list[str]) -> Expr:
        random, roll = self.random, self.random.random()
        if roll < 0.2:
            return (random.choice(("put", "take")), self._place(names))
        if roll < 0.45:
            at = self._place(names)
            room = ("<", ("m", at), ("n", self.most))
            up = ("set m", at, ("+", ("m", at), ONE))
            return ("if", room, (up,), ()) if random.random() < 0.7 else ("set m", at, ("n", 0))
        name = random.choice([each for each in names if each in self.ranges or each.startswith("k")])
        low, high = self.bounds[name]
        if random.random() < 0.7:
            sign = random.choice("+-")
            room = ("<", ("v", name), ("n", high)) if sign == "+" else ("<", ("n", low), ("v", name))
            return ("if", room, (("set", name, (sign, ("v", name), ONE)),), ())
        fitting = [each for each in names if low <= self.bounds[each][0] <= self.bounds[each][1] <= high]
        if random.random() < 0.9:
            return ("set", name, ("v", random.choice(fitting)) if fitting else ("n", max(low, 0)))
        return ("set", name, self._number(names, 1))

    def _move(self, names: list[str]) -> list[Expr]:
        """Something goes from one place to another, as a rule with room for it."""
        random = self.random
        one, other = random.choice(list(self.ranges)), random.choice(list(self.ranges))
        at: Expr = self._place(names)
        to_map = random.random() < 0.4
        low, high = self.bounds[one][0], self.bounds[other][1]
        less: Expr = ("set", one, ("-", ("v", one), ONE))
        more: Expr = ("set", other, ("+", ("v", other), ONE))
        there: Expr = ("<", ("n", low), ("v", one))
        room: Expr = ("<", ("v", other), ("n", high))
        if to_map:
            more, room = ("set m", at, ("+", ("m", at), ONE)), ("<", ("m", at), ("n", self.most))
            if random.random() < 0.4:
                less, there = ("set m", at, ("-", ("m", at), ONE)), ("<", ("n", 0), ("m", at))
                more, room = ("set", other, ("+", ("v", other), ONE)), ("<", ("v", other), ("n", high))
        both = (less, more) if random.random() < 0.9 else (less,)
        safe = random.random()
        if safe < 0.94:
            return [("if", ("and", there, room), both, ())]
        return [("if", there, both, ())] if safe < 0.97 else list(both)

    def _choose(self, names: list[str], depth: int, loop: bool, rule: str) -> Expr:
        random = self.random
        arms = tuple(self._arm(names, depth, loop, rule) for _ in range(random.choice((1, 2, 2))))
        if depth < 2 and random.random() < 0.6:
            arms = (*arms, Arm(self._new("go"), None, ("==", ONE, ONE), (), None, (("pass",),)))
        other: Code | None = None
        roll = random.random()
        if roll < 0.25 and loop:
            other = (("break",),)
        elif roll < 0.55:
            other = (("end", "tie"),)
        elif roll < 0.7:
            other = self._code(0, names, loop, rule)
        return ("choose", arms, other)

    def _arm(self, names: list[str], depth: int, loop: bool, rule: str) -> Arm:
        random, name = self.random, self._new("act")
        param = self._new("x") if random.random() < 0.4 else None
        if param:
            self.bounds[param] = 0, self.places - 1
        inner = [*names, param] if param else names
        before: Code = ()
        require = None
        if random.random() < 0.25:
            self.tried = True
            before = self._code(min(depth, 1), inner, False, "")
            self.tried = False
            if before[-1][0] in ("break", "continue", "return", "end"):
                before = (("pass",),)
            require = self._truth(inner, 1)
            local = [each[1] for each in before if each[0] == "local"]
            inner = [each for each in inner if each not in local]
        guard = ("==", ONE, ONE) if random.random() < 0.4 else self._truth(inner, 1)
        return Arm(name, param, guard, before, require, self._code(depth, inner, loop, rule))

    # Functions

    def _fun(self, names: list[str]) -> Code:
        random, name, at = self.random, self._new("k"), self._new("i")
        self.bounds[name] = 0, 9
        self.bounds[at] = 0, self.places - 1
        inner = [*names, name, at]
        step: Expr = ("set", name, ("+", ("v", name), random.choice((ONE, ("m", ("v", at))))))
        lap: list[Expr] = [("if", self._truth(inner, 1), (random.choice((("break",), ("continue",),
                           ("give", ("v", name)))),), ()), step]  # fmt: skip
        if random.random() < 0.3:
            lap = [("repeat", 4, (("if", ("<", ("n", 2), ("v", name)), (("break",),), ()), step))]
        over = random.choice((("places",), ("s",)))
        return (("local", name, ("n", 0)), ("for", at, over, None, tuple(lap)), ("give", ("v", name)))

    # Expressions

    def _place(self, names: list[str]) -> Expr:
        some = [name for name in names if self.bounds[name] == (0, self.places - 1)]
        if some and self.random.random() < 0.8:
            return ("v", self.random.choice(some))
        return ("n", self.random.randrange(self.places))

    def _number(self, names: list[str], depth: int) -> Expr:
        random = self.random
        if depth and random.random() < 0.4:
            return (random.choice("+-"), self._number(names, depth - 1), self._number(names, depth - 1))
        some: list[Expr] = [("n", random.randint(0, 4)), *(("v", name) for name in names)]
        some += [("len s",), ("m", self._place(names)), ("sum m",), ("most m",)]
        some += [("fun", name) for name in self.funs]
        return random.choice(some)

    def _truth(self, names: list[str], depth: int) -> Expr:
        random, roll = self.random, self.random.random()
        if depth and roll < 0.3:
            return (random.choice(("and", "or")), self._truth(names, 0), self._truth(names, 0))
        if roll < 0.4:
            return ("not", self._truth(names, 0))
        if roll < 0.5:
            return ("in s", self._place(names))
        if roll < 0.6:
            return ("any m", random.randint(0, self.most))
        if roll < 0.65 and "tried" in self.rules and not self.tried:
            return ("after", "tried", self._truth(list(self.ranges), 0))
        return (random.choice(("<", "<", "==")), self._number(names, 1), self._number(names, 0))

    # Claims: at the edge of what is true

    def claims(self, meaning: Meaning) -> tuple[Claim, ...]:
        random, names, found = self.random, list(self.ranges), list[Claim]()
        seen, self.funs, self.tried = meaning.spoken_of(), {}, True  # nothing that may meet a fault
        if not seen:
            return ()
        for number in range(9):
            e = self._linear(names) if number else ("sum m",)
            values = [meaning.value(e, state) for state in seen]
            roll, at = random.random(), len(found)
            if roll < 0.3:
                bound = max(values) - (random.random() < 0.3)
                found.append(Claim(f"c{at}", "at most", ("+", e, AWAY), bound + AWAY[1]))
            elif roll < 0.6:
                bound = min(values) + (random.random() < 0.3)
                found.append(Claim(f"c{at}", "at least", ("+", e, AWAY), bound + AWAY[1]))
            elif roll < 0.75:
                n = max(0, random.choice(values) + random.choice((-1, 0, 0, 1)))
                form = random.choice(("never", "possible"))
                found.append(Claim(f"c{at}", form, ("==", e, ("n", n))))
            else:
                test, then = self._truth(names, 0), self._linear(names)
                among = [meaning.value(then, state) for state in seen if meaning.value(test, state)]
                if among:
                    limit = max(among) - (random.random() < 0.3) + AWAY[1]
                    e = ("or", ("not", test), ("not", ("<", ("n", limit), ("+", then, AWAY))))
                    form = random.choice(("always", "always", "everywhere", "at_end", "initially"))
                    label = self._label(meaning) if form == "initially" or random.random() < 0.2 else ""
                    if form == "initially" and not label:
                        continue
                    form = "always" if label and form in ("everywhere", "at_end") else form
                    found.append(
                        Claim(f"c{at}", form, e, at=label, lemma=random.random() < 0.2 and form == "always")
                    )
        e = self._linear(names)
        found.append(Claim("ends", "terminates", e))
        found.append(Claim("again", "always possible", self._truth(names, 1)))
        if random.random() < 0.5:
            found.append(Claim("most", "maximize", self._linear(names)))
        return tuple(found)

    def _label(self, meaning: Meaning) -> str:
        names = sorted({arm.name for state in meaning.after if state[0] == "choose" for arm in state[1][0]})
        return self.random.choice(names) if names else ""

    def _linear(self, names: list[str]) -> Expr:
        """Something that may be kept: a sum of what is there."""
        some: list[Expr] = [*(("v", name) for name in names), ("sum m",), ("len s",), ("most m",)]
        picked = self.random.sample(some, min(len(some), self.random.choice((1, 1, 2, 2, 3))))
        e = picked[0]
        for each in picked[1:]:
            e = (self.random.choice("++-"), e, each)
        return e

    def about_rules(self) -> tuple[Claim, ...]:
        """Claims about the rule by itself."""
        names = list(self.ranges)
        forms = ("returns", "never returns", "can return")
        tests = [
            self._truth(names, 1),
            ("and", self._truth(names, 0), self._truth(names, 0)),
            ("==", ONE, ONE),
        ]
        return tuple(
            Claim(f"alone{i}", form, self.random.choice(tests), at="part") for i, form in enumerate(forms)
        )


def looping(seed: int, attempt: int = 0, alone: bool | None = None) -> tuple[Looping, Meaning]:
    """Game number so and so, one of many that it could be. Raises OverflowError."""
    random = Random(f"{seed}.{attempt}")
    by_itself = random.random() < 0.25 if alone is None else alone
    writer = Writer(random, by_itself)
    game = writer.game()
    try:
        meaning = Meaning(game, MOST)
    except KeyError:  # a local that nobody has set: its rules are refused
        raise OverflowError from None
    game = replace(game, claims=writer.claims(meaning))
    if by_itself and "part" in game.rules:
        size = (game.most + 1) ** game.places * 2**game.places
        for low, high, _ in game.ranges.values():
            size *= high - low + 1
        if size <= ALONE:
            game = replace(game, alone=writer.about_rules())
    meaning.game = game
    return game, meaning
