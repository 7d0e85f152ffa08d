"""All that can happen in a little game, and what is true of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from tests.oracles.little import (
    DRAW,
    PLACES,
    Claim,
    Expr,
    Fault,
    Little,
    Values,
    carried_out,
    fitting,
    legal,
    replaced,
    value,
)

State = tuple[Any, ...]  # the stop, which of the actions it goes on with, who acts, the place, and the values
KEPT = ("own", "s", "o", "m", "l", "b", "r")
CHOOSE, ROLL, THEN, END = "choose", "roll", "then", "end"


class Meaning:
    """The states of a game, and where steps lead; None is a fault."""

    def __init__(self, game: Little, most: int) -> None:
        """Raises OverflowError if there are more states."""
        self.game, self.names = game, (*KEPT, *game.ranges)
        self.after: dict[State, list[State | None]] = {}
        self.taken: set[str] = set()
        self.faults: set[str] = set()
        first = {name: at for name, (_, _, at) in game.ranges.items()}
        own = (game.own[2],) * len(game.players)
        begun = {"p": 0, "own": own, "s": frozenset(), "o": None, "l": (), "r": (0, False)}
        begun |= {"m": (0,) * PLACES, "b": (1,) * PLACES}
        todo = [self._arrived(CHOOSE, begun | first)]
        while todo:
            state = todo.pop()
            if state is not None and state not in self.after:
                if len(self.after) >= most:
                    raise OverflowError
                self.after[state] = list(self._next(state))
                todo += self.after[state]

    def values(self, state: State) -> Values:
        """Of the variables, and who acts."""
        return {"p": state[2], "x": state[3], **dict(zip(self.names, state[4:], strict=True))}

    def _frozen(self, stop: str, v: Values, at: int = -1) -> State:
        return (stop, at, v["p"], v.get("x") if stop == THEN else None, *(v[name] for name in self.names))

    def _arrived(self, stop: str, v: Values, at: int = -1) -> State | None:
        """At the next stop, if play can go on there."""
        game = self.game
        try:
            if stop == ROLL and game.dice == DRAW and not sum(v["b"]):
                raise Fault
            if stop in (CHOOSE, THEN) and not legal(game, self._menu(at), v):
                self.faults.add("stuck")
                return None
        except Fault:
            self.faults.add("fault")
            return None
        return self._frozen(stop, v, at)

    def _menu(self, at: int) -> tuple[Any, ...]:
        return self.game.actions if at < 0 else self.game.actions[at].then

    def _next(self, state: State) -> Iterator[State | None]:
        v, game = self.values(state), self.game
        stop, at = state[:2]
        if stop in (CHOOSE, THEN):
            for action, given in legal(game, self._menu(at), v):
                self.taken.add(action.name)
                yield self._done(lambda: self._acted(action, given))  # noqa: B023
        elif stop == ROLL and game.dice == DRAW:
            for place, many in enumerate(v["b"]):
                if many:
                    drawn = {"o": place, "b": replaced(v["b"], place, many - 1)}
                    yield self._done(lambda: self._over(carried_out(game, game.after, v | drawn)))  # noqa: B023
        elif stop == ROLL:
            for d in range(1, game.dice + 1):
                yield self._done(lambda: self._over(carried_out(game, game.after, v | {"d": d})))  # noqa: B023

    def _done(self, step: Callable[[], State | None]) -> State | None:
        try:
            return step()
        except Fault:
            self.faults.add("fault")
            return None

    def _acted(self, action: Any, v: Values) -> State | None:
        game = self.game
        v = carried_out(game, action.code, v)
        if action.then:
            return self._arrived(THEN, v, game.actions.index(action))
        if game.dice:
            return self._arrived(ROLL, v)
        return self._over(carried_out(game, game.after, v))

    def _over(self, v: Values) -> State | None:
        if value(self.game, self.game.over, v):
            return self._frozen(END, v)
        return self._arrived(CHOOSE, v | {"p": (v["p"] + 1) % len(self.game.players)})

    # What is true

    def truth(self) -> dict[str, str]:
        """The verdicts, by the keys of questions."""
        found = {claim.name: self._claim(claim) for claim in self.game.claims}
        found["no_fault"] = _said(bad="fault" in self.faults)
        found["never_stuck"] = _said(bad="stuck" in self.faults)
        found["terminates"] = _said(bad=bool(self._kept(chance=False)))
        if self.game.dice:
            found["ends_almost_surely"] = _said(bad=bool(self._kept(chance=True)))
        for action in self.game.actions:
            for each in (action, *action.then):
                key = f"action_possible({each.name})"
                found[key] = "possible" if each.name in self.taken else "impossible"
        return found | of_winding(self.game)

    def greatest(self, e: Expr) -> int:
        """The greatest value of an expression."""
        return max(self._value(e, state) for state in self.after if state[0] != ROLL)

    def _value(self, e: Expr, state: State) -> Any:
        return value(self.game, e, self.values(state))

    def _claim(self, claim: Claim) -> str:
        seen = [state for state in self.after if state[0] != ROLL or claim.form == "everywhere"]
        match claim.form:
            case "maximize":
                return "proved"
            case "terminates":
                return _said(bad=bool(self._kept(chance=False)))
            case "at most":
                return _said(bad=any(self._value(claim.e, state) > claim.bound for state in seen))
            case "at least":
                return _said(bad=any(self._value(claim.e, state) < claim.bound for state in seen))
        cases = {state for state in seen if self._value(claim.e, state)}
        match claim.form:
            case "always" | "everywhere":
                return _said(bad=len(cases) < len(seen))
            case "never":
                return _said(bad=bool(cases))
            case "at_end":
                return _said(bad=any(state[0] == END and state not in cases for state in seen))
            case "possible":
                return "possible" if cases else "impossible"
            case "always possible":
                return _said(bad=len(reaching(self.after, cases)) < len(self.after))
        raise AssertionError(claim.form)

    def _kept(self, chance: bool) -> set[State]:
        """Where play can be kept for ever; with `chance`, whatever is rolled."""
        return kept(self.after, lambda state: chance and state[0] == ROLL)


def _said(bad: bool) -> str:
    return "refuted" if bad else "proved"


Graph = dict[Any, list[Any]]


def kept(after: Graph, every: Callable[[Any], bool]) -> set[Any]:
    """Where one can stay for ever, if some step stays there, or of those named all."""
    inside = set(after)
    while True:
        stay = {
            state
            for state in inside
            if after[state] and (all if every(state) else any)(x in inside for x in after[state])
        }
        if stay == inside:
            return inside
        inside = stay


def reaching(after: Graph, goals: Iterable[Any]) -> set[Any]:
    """From where one can come to one of these."""
    before: Graph = {}
    for state, ends in after.items():
        for end in ends:
            before.setdefault(end, []).append(state)
    found, todo = set(goals), list(goals)
    while todo:
        more = set(before.get(todo.pop(), ())) - found
        found |= more
        todo += more
    return found


# Rules by themselves


OVER, BROKEN = "over", "broken"


def of_winding(game: Little) -> dict[str, str]:
    """What is true of the rule by itself, begun in any state."""
    if game.winding is None:
        return {}
    after: Graph = {OVER: [], BROKEN: []}
    spans = [range(low, high + 1) for low, high, _ in game.ranges.values()]
    for numbers in product(*spans):
        v = dict(zip(game.ranges, numbers, strict=True))
        if not value(game, game.winding.test, v):
            after[numbers] = [OVER]
            continue
        found = legal(game, game.winding.arms, v)
        after[numbers] = [_wound(game, action.code, v) for action, _ in found] or [BROKEN]
    round_, broken, over = kept(after, lambda _: False), reaching(after, [BROKEN]), reaching(after, [OVER])
    said = {}
    for claim in game.winding.claims:
        begun = {
            numbers
            for numbers in product(*spans)
            if value(game, claim.e, dict(zip(game.ranges, numbers, strict=True)))
        }
        bad = {
            "returns": begun & (round_ | broken),
            "never returns": begun & (over | broken),
            "can return": begun - over,
        }[claim.form]
        said[claim.name] = _said(bad=bool(bad))
    return said


def _wound(game: Little, code: tuple[Expr, ...], v: Values) -> Any:
    try:
        v = carried_out(game, code, v)
    except Fault:
        return BROKEN
    return tuple(fitting(v[name], *game.ranges[name][:2]) for name in game.ranges)
