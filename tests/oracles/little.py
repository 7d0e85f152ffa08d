"""Little random games that say twice what they mean: as a rules file, and in plain Python.

A game is a number of actions, each with a guard and statements, perhaps a roll, perhaps statements after it,
and a condition under which it ends. Expressions are tuples whose first element says what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

PLACES = 3
Expr = tuple[Any, ...]
Values = dict[str, Any]  # of variables; "p" is who acts, "x" the place chosen, "d" the number rolled


class Fault(Exception):
    """A number does not fit where it is written."""


@dataclass(frozen=True)
class Action:
    name: str
    chooses: bool  # a place x
    guard: Expr
    code: tuple[Expr, ...]


@dataclass(frozen=True)
class Little:
    players: tuple[str, ...]
    ranges: dict[str, tuple[int, int, int]]  # of the number variables: low, high, at first
    own: tuple[int, int, int]  # of the number that each player has
    actions: tuple[Action, ...]
    dice: int  # sides; 0: nobody rolls
    after: tuple[Expr, ...]
    over: Expr
    tie: bool
    claims: tuple[tuple[str, str, Expr], ...]  # name, form, expression


# What expressions and statements mean


def value(e: Expr, v: Values) -> Any:
    """The value of an expression."""
    match e:
        case ("number", n):
            return n
        case ("name", name):
            return v[name]
        case ("own",):
            return v["own"][v["p"]]
        case ("own of", p):
            return v["own"][p]
        case ("size",):
            return len(v["s"])
        case ("in", a):
            return value(a, v) in v["s"]
        case ("not", a):
            return not value(a, v)
        case ("and", a, b):
            return value(a, v) and value(b, v)
        case ("or", a, b):
            return value(a, v) or value(b, v)
        case ("<", a, b):
            return value(a, v) < value(b, v)
        case ("==", a, b):
            return value(a, v) == value(b, v)
        case ("+", a, b):
            return value(a, v) + value(b, v)
        case ("-", a, b):
            return value(a, v) - value(b, v)
    raise AssertionError(e)


def carried_out(game: Little, code: tuple[Expr, ...], v: Values) -> Values:
    """The values after some statements. Raises Fault."""
    v = dict(v)
    for statement in code:
        match statement:
            case ("set", name, e):
                low, high, _ = game.ranges[name]
                v[name] = _fitting(value(e, v), low, high)
            case ("set own", e):
                now = _fitting(value(e, v), game.own[0], game.own[1])
                v["own"] = tuple(now if i == v["p"] else each for i, each in enumerate(v["own"]))
            case ("put", e):
                v["s"] = v["s"] | {value(e, v)}
            case ("take", e):
                v["s"] = v["s"] - {value(e, v)}
            case ("if", test, *then):
                if value(test, v):
                    v = carried_out(game, tuple(then), v)
    return v


def _fitting(n: int, low: int, high: int) -> int:
    if not low <= n <= high:
        raise Fault
    return n


# States: what is next ("choose", "roll", "end"), and the values


State = tuple[Any, ...]


def frozen(stop: str, v: Values, names: tuple[str, ...]) -> State:
    return (stop, v["p"], v["own"], v["s"], *(v[name] for name in names))


class Meaning:
    """All that can happen in a game."""

    def __init__(self, game: Little, most: int) -> None:
        self.game, self.names = game, tuple(game.ranges)
        self.after: dict[State, list[State | None]] = {}
        self.taken: set[str] = set()
        self.faults: set[str] = set()
        first = {name: at for name, (_, _, at) in game.ranges.items()}
        begun = first | {"p": 0, "own": (game.own[2],) * len(game.players), "s": frozenset()}
        todo = [self._arrived(begun)]
        while todo:
            state = todo.pop()
            if state is not None and state not in self.after:
                if len(self.after) >= most:
                    raise OverflowError
                self.after[state] = list(self._next(state))
                todo += self.after[state]

    def values(self, state: State) -> Values:
        _, p, own, s, *rest = state
        return {"p": p, "own": own, "s": s, **dict(zip(self.names, rest, strict=True))}

    def _legal(self, v: Values) -> Iterator[tuple[Action, Values]]:
        for action in self.game.actions:
            for x in range(PLACES) if action.chooses else (None,):
                if value(action.guard, v | {"x": x}):
                    yield action, v | {"x": x}

    def _arrived(self, v: Values) -> State | None:
        """At the next decision, if there is an action."""
        if any(True for _ in self._legal(v)):
            return frozen("choose", v, self.names)
        self.faults.add("stuck")
        return None

    def _next(self, state: State) -> Iterator[State | None]:
        v = self.values(state)
        if state[0] == "choose":
            for action, given in self._legal(v):
                self.taken.add(action.name)
                yield self._after(given, action.code, rolled=False)
        elif state[0] == "roll":
            for d in range(1, self.game.dice + 1):
                yield self._after(v | {"d": d}, self.game.after, rolled=True)

    def _after(self, v: Values, code: tuple[Expr, ...], rolled: bool) -> State | None:
        try:
            v = carried_out(self.game, code, v)
            if self.game.dice and not rolled:
                return frozen("roll", v, self.names)
            if not self.game.dice:
                v = carried_out(self.game, self.game.after, v)
        except Fault:
            self.faults.add("fault")
            return None
        if value(self.game.over, v):
            return frozen("end", v, self.names)
        return self._arrived(v | {"p": (v["p"] + 1) % len(self.game.players)})

    # What is true

    def truth(self) -> dict[str, str]:
        """The verdicts, by the keys of questions."""
        found = {name: self._claim(form, e) for name, form, e in self.game.claims}
        found["no_fault"] = _said(bad="fault" in self.faults)
        found["never_stuck"] = _said(bad="stuck" in self.faults)
        found["terminates"] = _said(bad=bool(self._kept(chance=False)))
        if self.game.dice:
            found["ends_almost_surely"] = _said(bad=bool(self._kept(chance=True)))
        for action in self.game.actions:
            key = f"action_possible({action.name})"
            found[key] = "possible" if action.name in self.taken else "impossible"
        return found

    def greatest(self, e: Expr) -> int:
        return max(value(e, self.values(state)) for state in self.after if state[0] != "roll")

    def _claim(self, form: str, e: Expr) -> str:
        seen = [state for state in self.after if state[0] != "roll"]
        cases = {state for state in seen if form != "maximize" and value(e, self.values(state))}
        match form:
            case "always":
                return _said(bad=len(cases) < len(seen))
            case "never":
                return _said(bad=bool(cases))
            case "at_end":
                return _said(bad=any(state[0] == "end" and state not in cases for state in seen))
            case "possible":
                return "possible" if cases else "impossible"
            case "always possible":
                return _said(bad=len(self._reaching(cases)) < len(self.after))
            case _:
                return "proved"

    def _reaching(self, goals: set[State]) -> set[State]:
        found, grown = set(goals), True
        while grown:
            more = {state for state, after in self.after.items() if state not in found and found & set(after)}
            grown = bool(more)
            found |= more
        return found

    def _kept(self, chance: bool) -> set[State]:
        """Where play can be kept for ever; with `chance`, whatever is rolled."""
        inside = set(self.after)
        while True:
            need = {True: all, False: any}
            stay = {
                state
                for state in inside
                if self.after[state]
                and need[chance and state[0] == "roll"](x in inside for x in self.after[state])
            }
            if stay == inside:
                return inside
            inside = stay


def _said(bad: bool) -> str:
    return "refuted" if bad else "proved"


# Rules files


def rules(game: Little) -> str:
    """The game as a rules file."""
    lines = [
        'game "Little"',
        f"players {', '.join(game.players)}",
        f"domain Place = 0..{PLACES - 1}",
        "state:",
    ]
    lines += [f"    {name}: {low}..{high} = {at}" for name, (low, high, at) in game.ranges.items()]
    low, high, at = game.own
    lines += [f"    own: map[Player, {low}..{high} = {at}]", "    s: set[Place]"]
    lines += ["rules:", "    for p in turns():", "        choose:"]
    for action in game.actions:
        head = f"{action.name}(x in Place)" if action.chooses else action.name
        lines += [f"            {head} if {text(action.guard)}:", *_lines(action.code, 16)]
    if game.dice:
        lines.append(f"        d = roll 1..{game.dice}")
    lines += _lines(game.after, 8) if game.after else []
    lines += [f"        if {text(game.over)}:", f"            end {'tie' if game.tie else 'win(p)'}"]
    lines += [f"property {name}: {form} {text(e)}" for name, form, e in game.claims]
    return "\n".join(lines) + "\n"


def _lines(code: tuple[Expr, ...], by: int) -> list[str]:
    found = []
    for statement in code:
        match statement:
            case ("set", name, e):
                found.append(f"{name} = {text(e)}")
            case ("set own", e):
                found.append(f"own[p] = {text(e)}")
            case ("put", e):
                found.append(f"s |= {{{text(e)}}}")
            case ("take", e):
                found.append(f"s = s - {{{text(e)}}}")
            case ("if", test, *then):
                found += [f"if {text(test)}:", *_lines(tuple(then), 4)]
    return [" " * by + line for line in found] or [" " * by + "pass"]


def text(e: Expr) -> str:
    """An expression as rules write it."""
    match e:
        case ("number" | "name", it):
            return str(it)
        case ("own",):
            return "own[p]"
        case ("own of", p):
            return f"own[{('ann', 'bob', 'eve')[p]}]"
        case ("size",):
            return "len(s)"
        case ("in", a):
            return f"({text(a)} in s)"
        case ("not", a):
            return f"(not {text(a)})"
        case (sign, a, b):
            return f"({text(a)} {sign} {text(b)})"
    raise AssertionError(e)


# Random games


def little(seed: int) -> Little:
    """Game number so and so."""
    return Writer(Random(seed)).game()


class Writer:
    """Makes a game up."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.ranges: dict[str, tuple[int, int, int]] = {}
        self.dice = 0

    def game(self) -> Little:
        random = self.random
        players = ("ann", "bob", "eve")[: random.choice((2, 2, 3))]
        for name in ("a", "b", "c")[: random.randint(1, 3)]:
            low, width = random.choice((0, 0, 0, -2, 1)), random.choice((1, 2, 3, 5, 9))
            self.ranges[name] = low, low + width, low + random.randint(0, width)
        width = random.randint(1, 3)
        own = (0, width, random.randint(0, width))
        dice = random.choice((0, 0, 2, 3))
        actions = tuple(self._action(f"act{i}") for i in range(random.randint(2, 4)))
        self.dice = dice
        after = self._code(2, ["name"], "d" if dice else None) if random.random() < 0.6 or dice else ()
        over = ("and", self._truth(1, ["own"]), self._truth(1, ["own"]))
        self.dice = 0
        return Little(
            players,
            self.ranges,
            own,
            actions,
            dice,
            after,
            over,
            random.random() < 0.5,
            self._claims(players),
        )

    def _claims(self, players: tuple[str, ...]) -> tuple[tuple[str, str, Expr], ...]:
        forms = ["always", "never", "at_end", "possible", "always possible", "maximize"]
        found = []
        for i, form in enumerate(self.random.sample(forms, 4)):
            of = ("own of", self.random.randrange(len(players)))
            found.append(
                (f"claim{i}", form, self._number(1, [of]) if form == "maximize" else self._truth(2, [of]))
            )
        return tuple(found)

    def _action(self, name: str) -> Action:
        chooses = self.random.random() < 0.4
        more = ["own", *(["x"] if chooses else [])]
        guard = (
            self._truth(2, more) if self.random.random() < 0.5 else self._room(next(iter(self.ranges)), "-")
        )
        return Action(name, chooses, guard, self._code(2, more, "x" if chooses else None))

    def _room(self, name: str, sign: str, by: int = 0) -> Expr:
        """Whether a number can still become more, or less, by so much."""
        low, high, _ = self.ranges[name]
        if sign == "+":
            return ("<", ("name", name), ("number", high + 1 - by))
        return ("<", ("number", low - 1 + by), ("name", name))

    def _code(self, depth: int, more: list[Any], place: str | None) -> tuple[Expr, ...]:
        return tuple(self._statement(depth, more, place) for _ in range(self.random.randint(1, 2)))

    def _statement(self, depth: int, more: list[Any], place: str | None) -> Expr:
        random, roll = self.random, self.random.random()
        if depth and roll < 0.3:
            return ("if", self._truth(1, more), *self._code(depth - 1, more, place))
        if roll < 0.5:
            where = ("name", "x") if place == "x" else ("number", random.randrange(PLACES))
            return (random.choice(("put", "take")), where)
        if roll < 0.65:
            return ("set own", self._step(("own",), more))
        name = random.choice(list(self.ranges))
        if random.random() < 0.7:
            sign, by = random.choice("+-"), random.randint(1, 2)
            step = ("set", name, (sign, ("name", name), ("number", by)))
            return ("if", self._room(name, sign, by), step)
        return ("set", name, self._step(("name", name), more))

    def _step(self, now: Expr, more: list[Any]) -> Expr:
        by = ("number", self.random.randint(1, 2)) if self.random.random() < 0.7 else self._number(0, more)
        return (self.random.choice("+-"), now, by) if self.random.random() < 0.8 else by

    def _number(self, depth: int, more: list[Any]) -> Expr:
        random = self.random
        if depth and random.random() < 0.4:
            return (random.choice("+-"), self._number(depth - 1, more), self._number(depth - 1, more))
        own = [
            each if isinstance(each, tuple) else ("own",)
            for each in more
            if isinstance(each, tuple) or each == "own"
        ]
        some = [("number", random.randint(0, 4)), ("size",), *(("name", name) for name in self.ranges), *own]
        some += [("name", "d")] if self.dice else []
        some += [("name", "x")] if "x" in more else []
        return random.choice(some)

    def _truth(self, depth: int, more: list[Any]) -> Expr:
        random, roll = self.random, self.random.random()
        if depth and roll < 0.35:
            return (random.choice(("and", "or")), self._truth(depth - 1, more), self._truth(depth - 1, more))
        if roll < 0.45:
            return ("not", self._truth(0, more))
        if roll < 0.6:
            return ("in", ("name", "x") if "x" in more else ("number", random.randrange(PLACES)))
        return (random.choice(("<", "<", "==")), self._number(1, more), self._number(1, more))
