"""All that can happen in a little game, and what is true of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import Any

from tests.oracles.little import (
    PLACES,
    Action,
    Claim,
    Done,
    Expr,
    Fault,
    Little,
    Values,
    carried_out,
    fitting,
    legal,
    or_none,
    replaced,
    value,
)
from tests.oracles.little_secrets import secrets
from tests.oracles.little_text import FILE, lines

State = tuple[Any, ...]  # the stop, which of the actions it goes on with, who acts, the place, and the values
KEPT = ("own", "s", "o", "m", "l", "b", "r")
DEAL, CHOOSE, CHANCE, THEN, END = "deal", "choose", "chance", "then", "end"


class Meaning:
    """The states of a game, and where steps lead; None is a fault. `steps`: the same with what the step is
    called."""

    def __init__(self, game: Little, most: int) -> None:
        """Raises OverflowError if there are more states."""
        self.game, self.names = game, (*KEPT, *game.ranges)
        self.steps: dict[State, list[tuple[str, State | None]]] = {}
        self.taken: set[str] = set()
        self.faults: set[str] = set()
        self.done: Done = set()  # what some step carried out
        self.begun: Done = set()  # the same of steps that ran into a fault
        first = {name: at for name, (_, _, at) in game.ranges.items()}
        own = (game.own[2],) * len(game.players)
        begun = {"p": 0, "own": own, "s": frozenset(), "o": None, "l": (), "r": (0, False)}
        begun |= {"m": (0,) * PLACES, "b": (1,) * PLACES}
        self.deals = [(name, i) for name in game.dealt for i in range(len(own) if name == "own" else 1)]
        self.first = self._dealt(0, begun | first)
        todo = [self.first]
        while todo:
            state = todo.pop()
            if state is not None and state not in self.steps:
                if len(self.steps) >= most:
                    raise OverflowError
                self.steps[state] = list(self._next(state))
                todo += [after for _, after in self.steps[state]]
        self.after: Graph = {state: [after for _, after in some] for state, some in self.steps.items()}

    def values(self, state: State) -> Values:
        """Of the variables, and who acts."""
        return {"p": state[2], "x": state[3], **dict(zip(self.names, state[4:], strict=True))}

    def menu(self, state: State) -> tuple[Action, ...]:
        """The actions that are on offer, legal or not."""
        return self._menu(state[1]) if state[0] in (CHOOSE, THEN) else ()

    def _frozen(self, stop: str, v: Values, at: int = -1) -> State:
        return (stop, at, v["p"], v.get("x") if stop == THEN else None, *(v[name] for name in self.names))

    def _arrived(self, stop: str, v: Values, at: int = -1) -> State | None:
        """At the next stop, if play can go on there."""
        game = self.game
        try:
            if stop == CHANCE and game.chance == ("draw",) and not sum(v["b"]):
                raise Fault
            if stop in (CHOOSE, THEN) and not legal(game, self._menu(at), v):
                self.faults.add("stuck")
                return None
        except Fault:
            self.faults.add("fault")
            return None
        return self._frozen(stop, v, at)

    def _dealt(self, at: int, v: Values) -> State | None:
        return self._arrived(DEAL, v, at) if at < len(self.deals) else self._arrived(CHOOSE, v)

    def _menu(self, at: int) -> tuple[Action, ...]:
        return self.game.actions if at < 0 else self.game.actions[at].then

    def _next(self, state: State) -> Iterator[tuple[str, State | None]]:
        """The steps from a state, each with its name."""
        v, game = self.values(state), self.game
        stop, at = state[:2]
        match (stop, *game.chance) if stop == CHANCE else (stop,):
            case ("choose" | "then",):
                for action, given in legal(game, self._menu(at), v):
                    self.taken.add(action.name)
                    where = "" if action.param is None else f"({given[action.param]})"
                    yield f"{action.name}{where}", self._acted(action, given)
            case ("deal",):
                name, player = self.deals[at]
                low, high, _ = game.own if name == "own" else game.ranges[name]
                for n in range(low, high + 1):
                    now = replaced(v["own"], player, n) if name == "own" else n
                    yield str(n), self._dealt(at + 1, v | {name: now})
            case (_, "roll", sides):
                for d in range(1, sides + 1):
                    yield str(d), self._round_over(v | {"d": d})
            case (_, "draw"):
                for place, many in enumerate(v["b"]):
                    if many:
                        drawn = {"o": place, "b": replaced(v["b"], place, many - 1)}
                        yield str(place), self._round_over(v | drawn)
            case (_, "reveal", what, _):
                shown = or_none(game, what, v)
                yield str(shown), self._round_over(v | {"d": shown})

    def _noted(self, step: Callable[[Done], State | None]) -> State | None:
        """Where a step leads; what it does is noted."""
        done: Done = set()
        after = None
        try:
            after = step(done)
        except Fault:
            self.faults.add("fault")
        (self.begun if after is None else self.done).update(done)
        return after

    def _acted(self, action: Action, v: Values) -> State | None:
        game = self.game

        def step(done: Done) -> State | None:
            now = carried_out(game, action.code, v, done)
            if action.then:
                return self._arrived(THEN, now, game.actions.index(action))
            return self._arrived(CHANCE, now) if game.chance else self._over(now, done)

        return self._noted(step)

    def _round_over(self, v: Values) -> State | None:
        return self._noted(lambda done: self._over(v, done))

    def _over(self, v: Values, done: Done) -> State | None:
        v = carried_out(self.game, self.game.after, v, done)
        if value(self.game, self.game.over, v):
            return self._frozen(END, v)
        return self._arrived(CHOOSE, v | {"p": (v["p"] + 1) % len(self.game.players)})

    # What is true

    def truth(self) -> dict[str, str]:
        """The verdicts, by the keys of questions."""
        found = {claim.name: self._claim(claim) for claim in self.game.claims} | secrets(self)
        found["no_fault"] = _said(bad="fault" in self.faults)
        found["never_stuck"] = _said(bad="stuck" in self.faults)
        found["terminates"] = _said(bad=bool(self._kept(chance=False)))
        if self.game.chance or self.game.dealt:
            found["ends_almost_surely"] = _said(bad=bool(self._kept(chance=True)))
        for action in self.game.actions:
            for each in (action, *action.then):
                key = f"action_possible({each.name})"
                found[key] = "possible" if each.name in self.taken else "impossible"
        found["result_determined"] = "proved"
        for line, here in lines(self.game).items():
            if here in self.done or here not in self.begun:
                key = f"branch_possible({FILE} {line})"
                found[key] = "possible" if here in self.done else "impossible"
        return found | of_winding(self.game)

    def greatest(self, e: Expr) -> int:
        """The greatest value of an expression."""
        return max(self._value(e, state) for state in self.after if state[0] not in (DEAL, CHANCE))

    def _value(self, e: Expr, state: State) -> Any:
        return value(self.game, e, self.values(state))

    def _claim(self, claim: Claim) -> str:
        return judged(claim, self._spoken_of(claim), self.after, self._value)

    def _spoken_of(self, claim: Claim) -> list[State]:
        """The states that a claim is about."""

        def there(state: State) -> bool:
            if claim.at:
                return claim.at in [action.name for action in self.menu(state)]
            return state[0] not in (DEAL, CHANCE) or claim.form == "everywhere"

        return spoken_of(claim, self.after, [self.first], there)

    def _kept(self, chance: bool) -> set[State]:
        """Where play can be kept for ever; with `chance`, whatever is rolled."""
        return kept(self.after, lambda state: chance and state[0] in (DEAL, CHANCE))


def _said(bad: bool) -> str:
    return "refuted" if bad else "proved"


Graph = dict[Any, list[Any]]


def spoken_of(claim: Claim, after: Graph, begun: Iterable[Any], there: Callable[[Any], bool]) -> list[Any]:
    """The states of a kind that a claim is about: all of them, or those that a play comes to first."""
    if claim.form != "initially":
        return [state for state in after if there(state)]
    found, todo = set(), list(begun)
    while todo:
        state = todo.pop()
        if state is not None and state not in found:
            found.add(state)
            todo += [] if there(state) else after[state]
    return [state for state in found if there(state)]


def judged(claim: Claim, seen: Sequence[Any], after: Graph, value: Callable[[Expr, Any], Any]) -> str:
    """What is true of a claim about these states; `value`: of an expression in a state."""
    match claim.form:
        case "maximize":
            return "proved"
        case "terminates":
            return _said(bad=bool(kept(after, lambda _: False)))
        case "at most":
            return _said(bad=any(value(claim.e, state) > claim.bound for state in seen))
        case "at least":
            return _said(bad=any(value(claim.e, state) < claim.bound for state in seen))
    cases = {state for state in seen if value(claim.e, state)}
    match claim.form:
        case "always" | "everywhere" | "initially":
            return _said(bad=len(cases) < len(seen))
        case "never":
            return _said(bad=bool(cases))
        case "at_end":
            return _said(bad=any(state[0] == END and state not in cases for state in seen))
        case "possible":
            return "possible" if cases else "impossible"
        case "always possible":
            steps = {state: [x for x in more if x is not None] for state, more in after.items()}
            return _said(bad=len(reaching(steps, cases)) < len(steps))
    raise AssertionError(claim.form)


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
