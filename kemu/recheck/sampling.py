"""Whether proof conditions say what the program does: their parts are worked out in states of random plays
and compared with what the interpreter does there."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.frame import Faulted
from engine.game import Game
from engine.state import FaultError, State
from kemu.recheck.claims import Claim
from kemu.recheck.plays import Wrong
from kemu.recheck.smtlib import DEFINITION, SYMBOL, Values, asserted, compiled, holds, primed, run
from kemu.recheck.structure import place
from verifier.steps import Steps


@dataclass(frozen=True, slots=True)
class Walk:
    """A step of a random play; `taken`: what it leads to (verifier/steps.py); `decisions` made before."""

    state: State
    index: int
    taken: tuple[State | None, int, int]
    decisions: int


def walks(game: Game, seed: int, seconds: float) -> Iterator[Walk]:
    """Steps of random plays, reproducible but for when time runs out."""
    chance, steps, end = random.Random(seed), Steps(game), time.monotonic() + seconds
    while True:
        state, decisions = steps.begin()[0], 0
        if state is None:
            return
        while state is not None and not state.is_end and state.choices:
            if time.monotonic() > end:
                return
            index = chance.randrange(len(state.choices))
            taken = steps.follow(state, index)
            yield Walk(state, index, taken, decisions)
            decisions += state.is_decision
            state = taken[0]


class Sampler:
    """Compares parts of conditions with the interpreter. `parts`: title to lines, `symbols` what symbols
    stand for, `claims` by the name under which conditions know them."""

    def __init__(
        self,
        game: Game,
        parts: Mapping[str, tuple[str, ...]],
        symbols: Mapping[str, Mapping[str, Any]],
        claims: Mapping[str, Claim],
    ) -> None:
        self.game = game
        self.parts = parts
        self.symbols = symbols
        self.claims = claims
        self.steps = 0
        here = {title: lines for title, lines in parts.items() if not title.endswith(", after")}
        self._code = {title: compiled(lines) for title, lines in here.items()}
        sums = [title for title in self._code if title.startswith("sum ")]
        self._sums = sorted(sums, key=lambda title: int(title.split()[1]))  # inner ones first
        self._names = [block.name for block in game.program.blocks]
        self._edges: dict[str, list[str]] = {}
        self._written: dict[str, list[str]] = {}  # the symbols that a part on a step gives values to
        self._needs: dict[str, set[str]] = {}  # the choices that a sum looks at
        for title in self._sums:
            inside = set(SYMBOL.findall("\n".join(parts[title]))) - {title}
            chosen = {f"|{name}|" for name in inside if "choice" in symbols.get(f"|{name}|", {})}
            self._needs[title] = chosen.union(*(self._needs.get(name, set()) for name in inside))
        self._alike = Counter(map(place, symbols.values()))
        for title in self._code:
            if title.startswith("step from "):
                head = title.removeprefix("step from ").rpartition(" to ")[0]
                self._edges.setdefault(head, []).append(title)
                defined = {found.group(1) for line in parts[title] if (found := DEFINITION.match(line))}
                self._written[title] = [symbol for symbol in symbols if primed(symbol) in defined]

    def opening(self) -> None:
        """The same of the opening."""
        after, fault, _ = Steps(self.game).begin()
        self._bad_step("the opening", fault if after is None else None, {})
        if after is not None:
            self._steps("the opening", self._names[after.block], {}, self.values(after, 0))

    def check(self, walk: Walk) -> None:
        """Raises Wrong where a part says something else than the interpreter."""
        state, stop = walk.state, self._names[walk.state.block]
        values = self.values(state, walk.decisions)
        self._known(stop, values)
        self._bad(stop, state, values)
        choice = state.choices[walk.index]
        for symbol, meaning in self.symbols.items():
            if meaning.get("choice") == state.block:
                values[symbol] = (meaning["arm"], tuple(meaning["values"])) == (choice.arm, choice.values)
        for title, needs in self._needs.items():
            if needs and needs <= values.keys():
                run(self._code[title], values)
        for text in asserted(self.parts.get(f"choice at {stop}", ())):
            if not holds(text, values):
                raise Wrong(f"at {stop} a choice that can be made is not among those of the conditions")
        after, fault, _ = walk.taken
        self._bad_step(stop, fault if after is None else None, values)
        later = None if after is None else self.values(after, walk.decisions + state.is_decision)
        target = "" if after is None else self._names[after.block]
        self._steps(f"{stop}, arm {choice.arm}", target, values, later)
        if after is not None and after.is_end and later is not None:
            self._known(target, later)
            self._bad(target, after, later)
        self.steps += 1

    def values(self, state: State, decisions: int) -> Values:
        """The values of the symbols, and of the sums."""
        values = {s: encoded(state, decisions, m) for s, m in self.symbols.items() if "choice" not in m}
        for title in self._sums:
            if not self._needs[title]:
                run(self._code[title], values)
        return values

    def _known(self, stop: str, values: Values) -> None:
        title = f"known at {stop}"
        if title in self._code:
            run(self._code[title], values)
            for line in self.parts[title]:
                symbol = line.split("(define-fun ")[1].split(" () ")[0]
                if "#" in symbol and not values[symbol]:
                    raise Wrong(f"an invariant at {stop} does not hold in a state that was reached")

    def _bad(self, stop: str, state: State, values: Values) -> None:
        for name, claim in self.claims.items():
            title = f"bad for {name} at {stop}"
            if title in self._code and claim.state is not None:
                run(self._code[title], values)
                if bool(values["|bad|"]) != claim.state(state):
                    raise Wrong(f"the conditions for {name} say of a state at {stop} what is not so")

    def _bad_step(self, stop: str, fault: int | None, values: Values) -> None:
        for name, claim in self.claims.items():
            title = f"bad for {name} in a step from {stop}"
            if title in self._code and claim.fault is not None:
                run(self._code[title], values)
                if bool(values["|bad|"]) != (fault is not None and claim.fault(fault)):
                    raise Wrong(f"the conditions for {name} say of a step from {stop} what is not so")

    def _steps(self, head: str, target: str, values: Values, later: Values | None) -> None:
        """The parts on what a step does; `later` are the values after the one that was made."""
        made = False
        for title in self._edges.get(head, ()):
            led = title.rpartition(", for ")[0].rpartition(" to ")[2]
            run(self._code[title], values)
            if bool(values["|taken|"]) != (led == target):
                raise Wrong(f"a step from {head} leads to {target or 'a fault'}, but the conditions differ")
            if led == target and later is not None:
                made = True
                if title.endswith(", for types"):
                    self._kept(title, values, later)
                for symbol in self._written[title]:
                    if values[primed(symbol)] != later[symbol] and not self._unset(title, symbol):
                        raise Wrong(f"after a step from {head}, {symbol} is not what the conditions say")
        if self._edges and later is not None and not made:
            raise Wrong(f"no condition speaks of the steps from {head} to {target}")

    def _kept(self, title: str, values: Values, later: Values) -> None:
        """What the condition on types does not speak of, the step does not change."""
        spoken = {place(self.symbols[symbol]) for symbol in self._written[title]}
        for symbol, meaning in self.symbols.items():
            one_of_many = meaning.get("is") == "value" and self._alike[place(meaning)] > 1
            typed = "var" in meaning and (one_of_many or meaning["is"] == "int")
            if typed and place(meaning) not in spoken and values[symbol] != later[symbol]:
                raise Wrong(f"no condition on types speaks of {symbol}, which a step changes")

    def _unset(self, title: str, symbol: str) -> bool:
        """Whether the symbol is of a local that the step does not set."""
        kept = f"(define-fun {primed(symbol)} () Bool {symbol})"
        return "local" in self.symbols.get(symbol, {}) and kept in self.parts[title]


def encoded(state: State, decisions: int, meaning: Mapping[str, Any]) -> int | bool:
    """The value of a symbol in a state; of a local that is not alive, whatever."""
    if "clock" in meaning:
        return decisions
    if "local" in meaning:
        live = state.program.blocks[state.block].live
        value = state.locals[live.index(meaning["local"])] if meaning["local"] in live else 0
    else:
        cells = state.vars[meaning["var"]]
        value = cells[meaning["element"]] if isinstance(cells, tuple) else cells
    match meaning["is"]:
        case "bool":
            return bool(value)
        case "member":
            return bool(value >> meaning["value"] & 1)
        case "value":
            return bool(value == meaning["value"])
    return int(value)


def sample(sampler: Sampler, steps: Iterable[Walk]) -> int:
    """Compares the opening and all these steps; how many these were. Raises Wrong."""
    sampler.opening()
    for walk in steps:
        try:
            sampler.check(walk)
        except (FaultError, Faulted) as error:
            raise Wrong(str(error)) from None
    return sampler.steps
