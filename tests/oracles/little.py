"""Little random games that say twice what they mean: as a rules file, and in plain Python.

A game is a number of actions, each with a guard, statements, perhaps a `require` and a second choice; perhaps
a roll, a draw or something that is revealed, perhaps statements after it; and a condition under which it is
over. Variables may be secrets, and dealt before play. Here is what a game is made of, and what its
expressions and statements mean; `little_meaning.py` has all that can happen in it, `little_secrets.py` what
players know, `little_text.py` its rules file, `little_writer.py` makes one up.

Expressions and statements are tuples whose first element says what they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

PLACES = 3
MAP, LIST, BAG, RECORD = 2, (2, 3), 3, 3  # the greatest numbers in them; a list's elements, and how many
Expr = tuple[Any, ...]
Values = dict[
    str, Any
]  # of variables; "p" is who acts, "x", "y" the places chosen, "d" what was rolled, shown
Done = set[tuple[int, int]]  # statements that were carried out, each by what it stands in and where there


class Fault(Exception):
    """A number does not fit where it is written, something is missing, there is no room."""


@dataclass(frozen=True)
class Action:
    """`param`: the name of the place that is chosen, if one is. `then`: what is chosen afterwards."""

    name: str
    param: str | None
    guard: Expr
    code: tuple[Expr, ...]
    require: Expr | None = None
    then: tuple[Action, ...] = ()


@dataclass(frozen=True)
class Claim:
    """`at`: the name of an action, if it speaks of the decisions that offer it."""

    name: str
    form: str
    e: Expr
    bound: int = 0
    lemma: bool = False
    at: str = ""


@dataclass(frozen=True)
class Winding:
    """A rule by itself: a loop of choices; and claims about it, each with where it begins and its ending."""

    test: Expr
    arms: tuple[Action, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Little:
    """`secrets`: of variables that not everybody sees who does: ("to", 0), ("others", 0), of the number that
    each player has ("own",), ("other",); ("hidden",) is nobody. `dealt`: the variables that are rolled before
    play. `chance`, once in a round: none, ("roll", sides), ("draw",) of o from b, or ("reveal", what, to whom
    or None). `sealed`: whether only who acts is told which action it was."""

    players: tuple[str, ...]
    ranges: dict[str, tuple[int, int, int]]  # of the number variables: low, high, at first
    own: tuple[int, int, int]  # of the number that each player has
    has: str  # which of the variables o, m, l, b, r there are
    actions: tuple[Action, ...]
    secrets: dict[str, tuple[Any, ...]]
    dealt: tuple[str, ...]
    sealed: bool
    chance: tuple[Any, ...]
    after: tuple[Expr, ...]
    bump: tuple[Expr, ...]  # the rule that `after` tries
    over: Expr
    tie: bool
    claims: tuple[Claim, ...]
    winding: Winding | None


def value(game: Little, e: Expr, v: Values) -> Any:
    """The value of an expression. Raises Fault."""

    def of(part: Expr) -> Any:
        return value(game, part, v)

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
            return of(a) in v["s"]
        case ("not", a):
            return not of(a)
        case ("and", a, b):
            return of(a) and of(b)
        case ("or", a, b):
            return of(a) or of(b)
        case ("<", a, b):
            return of(a) < of(b)
        case ("==", a, b):
            return or_none(game, a, v) == or_none(game, b, v)
        case ("+", a, b):
            return of(a) + of(b)
        case ("-", a, b):
            return of(a) - of(b)
        case _:
            return _of_parts(game, e, v)


def _of_parts(game: Little, e: Expr, v: Values) -> Any:
    """Of options, maps, lists, bags and records; and of what is only tried."""
    match e:
        case ("some",):
            return v["o"] is not None
        case ("o is", n):
            return v["o"] == n
        case ("o",):
            return _there(v["o"])
        case ("m", at):
            return v["m"][value(game, at, v)]
        case ("len l",):
            return len(v["l"])
        case ("in l", n):
            return n in v["l"]
        case ("l", n):
            return _there(v["l"][n] if n < len(v["l"]) else None)
        case ("b", at):
            return v["b"][value(game, at, v)]
        case ("len b",):
            return sum(v["b"])
        case ("r.n",):
            return v["r"][0]
        case ("r.t",):
            return v["r"][1]
        case ("can", name):
            named = [each for each in game.actions if each.name == name]
            return any(True for _ in can_be_done(game, named, v))
        case ("after", a):
            return value(game, a, carried_out(game, game.bump, v))
    raise AssertionError(e)


def or_none(game: Little, e: Expr, v: Values) -> Any:
    """The value, where none is one."""
    return v["o"] if e == ("o",) else value(game, e, v)


def _there(it: Any) -> Any:
    if it is None:
        raise Fault
    return it


def legal(game: Little, among: list[Action] | tuple[Action, ...], v: Values) -> list[tuple[Action, Values]]:
    """Which of these actions can be done, each with its place. Raises Fault."""
    return list(can_be_done(game, among, v))


def can_be_done(game: Little, among: Iterable[Action], v: Values) -> Iterator[tuple[Action, Values]]:
    """The same one by one: of those after the last that is wanted nothing is worked out."""
    for action in among:
        for x in range(PLACES) if action.param else (None,):
            given = v | {action.param: x} if action.param else v
            if value(game, action.guard, given) and (
                action.require is None or value(game, action.require, carried_out(game, action.code, given))
            ):
                yield action, given


def carried_out(
    game: Little, code: tuple[Any, ...], v: Values, done: Done | None = None, begin: int = 0
) -> Values:
    """The values after some statements, those of `code` from `begin` on. What was carried out is put into
    `done`. Raises Fault."""
    v = dict(v)

    def of(part: Expr) -> Any:
        return value(game, part, v)

    for at in range(begin, len(code)):
        if done is not None:
            done.add((id(code), at))
        match code[at]:
            case ("set", name, e):
                v[name] = fitting(of(e), *game.ranges[name][:2])
            case ("set own", e):
                now = fitting(of(e), *game.own[:2])
                v["own"] = tuple(now if i == v["p"] else each for i, each in enumerate(v["own"]))
            case ("put", e):
                v["s"] = v["s"] | {of(e)}
            case ("take", e):
                v["s"] = v["s"] - {of(e)}
            case ("if", test, *_):
                if of(test):
                    v = carried_out(game, code[at], v, done, 2)
            case ("set o", e):
                v["o"] = None if e is None else or_none(game, e, v)
            case ("set m", key, e):
                now = fitting(of(e), 0, MAP)
                v["m"] = replaced(v["m"], of(key), now)
            case ("append", e):
                v["l"] = (*v["l"], fitting(of(e), 0, LIST[0]))
                fitting(len(v["l"]), 0, LIST[1])
            case ("clear",):
                v["l"] = ()
            case ("more", key):
                v["b"] = replaced(v["b"], of(key), v["b"][of(key)] + 1)
                fitting(sum(v["b"]), 0, BAG)
            case ("less", key):
                v["b"] = replaced(v["b"], of(key), fitting(v["b"][of(key)] - 1, 0, BAG))
            case ("set r.n", e):
                v["r"] = fitting(of(e), 0, RECORD), v["r"][1]
            case ("set r.t", e):
                v["r"] = v["r"][0], of(e)
            case ("set r", e, t):
                v["r"] = fitting(of(e), 0, RECORD), of(t)
            case statement:
                raise AssertionError(statement)
    return v


def replaced(row: tuple[int, ...], at: int, now: int) -> tuple[int, ...]:
    """The row with another number at one place."""
    return (*row[:at], now, *row[at + 1 :])


def fitting(n: int, low: int, high: int) -> int:
    """The number, if it lies there. Raises Fault."""
    if not low <= n <= high:
        raise Fault
    return n
