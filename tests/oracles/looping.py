"""Little random games with loops, and what they mean: played statement by statement, in plain Python.

A game is code: loops of every kind, one in another, with choices, rolls, ends, faults and `return` in them;
rules that are called, or tried; functions with loops. `looping_writer.py` makes one up and writes its rules.

Statements and expressions are tuples whose first element says what they are. What is left to be done is a
stack of frames, a tuple, so that a position is what is left, and the values of the names. All that can happen
is in `looping_meaning.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.oracles.little import Claim, Fault, fitting, replaced

Expr = tuple[Any, ...]
Code = tuple[Expr, ...]
Values = dict[str, Any]  # of variables, of parameters and locals; "p" is who acts
Frame = tuple[Any, ...]
Stack = tuple[Frame, ...]
LOOPS = ("for", "while", "repeat", "turns")
CHOOSE, ROLL, END = "choose", "roll", "end"
LONG = 5_000  # frames of one run
State = tuple[Any, ...]  # the stop, what is left, and the values


@dataclass(frozen=True)
class Arm:
    """An action: what is done before its `require`, if there is one, and behind it."""

    name: str
    param: str | None
    guard: Expr
    before: Code
    require: Expr | None
    code: Code


@dataclass(frozen=True)
class Looping:
    """`ranges`: of the number variables and locals: low, high, and of variables at first. `most`: the
    greatest number in the map. `rules`, `funs`: by name. `begin`: before the first turn. `alone`: claims
    about rules by themselves, each with the rule in `at`. `asserted`: the names of assertions."""

    places: int
    most: int
    ranges: dict[str, tuple[int, int, int]]
    bounds: dict[str, tuple[int, int]]
    rules: dict[str, Code]
    funs: dict[str, Code]
    begin: Code
    turn: Code
    claims: tuple[Claim, ...] = ()
    alone: tuple[Claim, ...] = ()
    asserted: tuple[str, ...] = ()

    @property
    def first(self) -> Values:
        """The values at first."""
        begun: Values = {name: at for name, (_, _, at) in self.ranges.items()}
        return begun | {"m": (0,) * self.places, "s": frozenset(), "p": 0}


class Plays:
    """Plays one game."""

    def __init__(self, game: Looping) -> None:
        self.game = game
        self.failed: set[str] = set()  # assertions that did not hold

    # Expressions

    def value(self, e: Expr, v: Values) -> Any:
        """The value of an expression. Raises Fault."""
        match e:
            case ("n", n):
                return n
            case ("v", name):
                return v[name]
            case ("m", at):
                return v["m"][self.value(at, v)]
            case ("len s",):
                return len(v["s"])
            case ("sum m",):
                return sum(v["m"])
            case ("in s", a):
                return self.value(a, v) in v["s"]
            case ("any m", k):
                return any(n > k for n in v["m"])
            case ("most m",):
                return max(v["m"])
            case ("not", a):
                return not self.value(a, v)
            case ("and", a, b):
                return self.value(a, v) and self.value(b, v)
            case ("or", a, b):
                return self.value(a, v) or self.value(b, v)
            case ("<", a, b):
                return self.value(a, v) < self.value(b, v)
            case ("==", a, b):
                return self.value(a, v) == self.value(b, v)
            case ("+", a, b):
                return self.value(a, v) + self.value(b, v)
            case ("-", a, b):
                return self.value(a, v) - self.value(b, v)
            case ("fun", name):
                return self.called(self.game.funs[name], v)
            case ("after", name, a):
                return self.value(a, self.tried(self.game.rules[name], v))
        raise AssertionError(e)

    def called(self, code: Code, v: Values) -> Any:
        """What a function gives."""
        machine = Run(self, (("code", code, 0),), dict(v))
        machine.go()
        return machine.given

    def tried(self, code: Code, v: Values) -> Values:
        """The values after code that stops nowhere."""
        machine = Run(self, (("call",), ("code", code, 0)), dict(v), tries=True)
        assert machine.go() is None
        return machine.v

    def legal(self, arms: tuple[Arm, ...], v: Values) -> list[tuple[Arm, Values]]:
        """The actions that are legal. Raises Fault."""
        found = []
        for arm in arms:
            for x in range(self.game.places) if arm.param else (None,):
                given = v | {arm.param: x} if arm.param else v
                if self.value(arm.guard, given) and (
                    arm.require is None or self.value(arm.require, self.tried(arm.before, given))
                ):
                    found.append((arm, given))
        return found

    # From stop to stop

    def onward(self, stack: Stack, v: Values) -> State | None:
        """The next stop, or where play has run out (None as its kind); None is a fault."""
        run = Run(self, stack, dict(v))
        try:
            run.go()
        except Fault:
            return None
        return run.at

    def steps(self, state: State) -> list[tuple[str, State | None]]:
        """The steps from a state, by their texts."""
        stop, told, stack, _ = state
        v = dict(state[3])
        if stop == CHOOSE:
            found = []
            for arm, given in self.legal(told[0], v):
                text = arm.name if arm.param is None else f"{arm.name}({given[arm.param]})"
                code = (*arm.before, *arm.code)
                found.append((text, self.onward((*stack, ("code", code, 0)), given)))
            return found
        if stop == ROLL:
            name, sides = told
            return [(str(n), self.onward(stack, v | {name: n})) for n in range(1, sides + 1)]
        return []


class Run:
    """One run from what is left to the next stop."""

    def __init__(self, player: Plays, stack: Stack, v: Values, tries: bool = False) -> None:
        self.player, self.game, self.stack, self.v, self.tries = player, player.game, list(stack), v, tries
        self.at: State | None = None
        self.given: Any = None
        self.over = False
        self.seen: set[Any] = set()

    def go(self) -> State | None:
        """Runs on. Raises Fault; OverflowError if that takes too long."""
        left = LONG
        while self.stack and not self.over:
            left -= 1
            if not left:
                raise OverflowError
            self._frame(self.stack.pop())
        if not self.over and self.at is None and not self.tries:
            self._stop(None, None)
        return self.at

    def _stop(self, kind: str | None, told: Any) -> None:
        self.at = kind, told, tuple(self.stack), tuple(sorted(self.v.items(), key=lambda item: item[0]))
        self.over = True

    def _of(self, e: Expr) -> Any:
        return self.player.value(e, self.v)

    def _frame(self, frame: Frame) -> None:
        match frame:
            case ("code", code, at):
                if at < len(code):
                    self.stack.append(("code", code, at + 1))
                    self._statement(code[at])
            case ("for", name, left, cond, body):
                if left:
                    self.stack.append(("for", name, left[1:], cond, body))
                    self.v[name] = left[0]
                    if cond is None or self._of(cond):
                        self.stack.append(("code", body, 0))
            case ("while", test, body):
                here = tuple(self.stack), frame, tuple(sorted(self.v.items(), key=lambda item: item[0]))
                if here in self.seen:
                    raise Silent
                self.seen.add(here)
                if self._of(test):
                    self.stack += [frame, ("code", body, 0)]
            case ("repeat", left, body):
                if not left:
                    raise Fault
                self.stack += [("repeat", left - 1, body), ("code", body, 0)]
            case ("turns", body, begun):
                self.v["p"] = 1 - self.v["p"] if begun else 0
                self.stack += [("turns", body, True), ("code", body, 0)]

    def _statement(self, statement: Expr) -> None:
        v, game = self.v, self.game
        match statement:
            case ("set" | "local", name, e):
                v[name] = fitting(self._of(e), *game.bounds[name])
            case ("set m", at, e):
                now = fitting(self._of(e), 0, game.most)
                v["m"] = replaced(v["m"], self._of(at), now)
            case ("put", e):
                v["s"] = v["s"] | {self._of(e)}
            case ("take", e):
                v["s"] = v["s"] - {self._of(e)}
            case ("if", test, then, other):
                self.stack.append(("code", then if self._of(test) else other, 0))
            case ("for", name, over, cond, body):
                self.stack.append(("for", name, self._elements(over), cond, body))
            case ("while", test, body):
                self.stack.append(("while", test, body))
            case ("repeat", n, body):
                self.stack.append(("repeat", n, body))
            case ("turns", body):
                self.stack.append(("turns", body, False))
            case ("break",):
                while self.stack.pop()[0] not in LOOPS:
                    pass
            case ("continue",):
                while self.stack[-1][0] not in LOOPS:
                    self.stack.pop()
            case ("call", name):
                self.stack += [("call",), ("code", game.rules[name], 0)]
            case ("return",):
                while self.stack.pop() != ("call",):
                    pass
            case ("give", e):
                self.given, self.over = self._of(e), True
            case ("assert", name, e):
                if not self.tries and not self._of(e):
                    self.player.failed.add(name)
                    raise Fault
            case ("roll", name, sides):
                self._stop(ROLL, (name, sides))
            case ("end", _):
                self._stop(END, None)
            case ("choose", arms, other):
                self._choose(arms, other)
            case ("pass",):
                pass
            case _:
                raise AssertionError(statement)

    def _elements(self, over: Expr) -> tuple[int, ...]:
        match over:
            case ("places",):
                return tuple(range(self.game.places))
            case ("s",):
                return tuple(sorted(self.v["s"]))
            case ("upto", low, e):
                return tuple(range(low, self._of(e) + 1))
        raise AssertionError(over)

    def _choose(self, arms: tuple[Arm, ...], other: Code | None) -> None:
        if self.player.legal(arms, self.v):
            self._stop(CHOOSE, (arms, other))
        elif other is None:
            raise Stuck
        else:
            self.stack.append(("code", other, 0))


class Stuck(Fault):
    """Nothing is legal."""


class Silent(Fault):
    """A loop goes round for ever without a stop."""
