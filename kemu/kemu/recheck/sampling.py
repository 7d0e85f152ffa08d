"""Whether proof conditions say what the program does: their parts are worked out in states of random plays
and compared with what the interpreter does there. Where they speak of what is hidden, a solver is asked
whether it can be such that they say so."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kemu_engine.interp.frame import Faulted
from kemu_engine.kernel.snapshots import EMPTY
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.steps import Steps

from kemu.recheck.claims import Claim
from kemu.recheck.plays import Wrong
from kemu.recheck.smtlib import (
    DEFINITION,
    SYMBOL,
    Values,
    asserted,
    compiled,
    constant,
    holds,
    primed,
    run,
)
from kemu.recheck.structure import Proof, place, symbols_in


@dataclass(frozen=True, slots=True)
class Walk:
    """A step of a random play; `taken`: what it leads to (play/steps.py); `decisions` made before."""

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
    """Compares the conditions of a section with the interpreter. `claims` by the name under which conditions
    know them; `answer`: that of a solver to a text of SMT-LIB. `steps` is how many were compared, `open` how
    often the solver did not know."""

    def __init__(
        self, game: Game, proof: Proof, claims: Mapping[str, Claim], answer: Callable[[str], str]
    ) -> None:
        self.game = game
        self.proof = proof
        self.parts = parts = proof.parts
        self.symbols = symbols = proof.symbols
        self.claims = claims
        self.answer = answer
        self.steps = 0
        self.open = 0
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
            named = {f"|{name}|": symbols.get(f"|{name}|", {}) for name in inside}
            chosen = {symbol for symbol, meaning in named.items() if {"choice", "unknown"} & meaning.keys()}
            self._needs[title] = chosen.union(*(self._needs.get(name, set()) for name in inside))
        self._alike = Counter(map(place, symbols.values()))
        for title in self._code:
            if title.startswith("step from "):
                head = title.removeprefix("step from ").rpartition(" to ")[0]
                self._edges.setdefault(head, []).append(title)
                defined = {found.group(1) for line in parts[title] if (found := DEFINITION.match(line))}
                self._written[title] = [symbol for symbol in symbols if primed(symbol) in defined]
        on_steps = [
            title for title in self._code if title.startswith("step from ") or " in a step from " in title
        ]
        self._loose = {title for title in on_steps if proof.loose(title)}

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
                raise Wrong(f"a choice that can be made at {stop} is not among those in the conditions")
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
        plain = {s: m for s, m in self.symbols.items() if not {"choice", "unknown"} & m.keys()}
        values: Values = {s: encoded(state, decisions, m) for s, m in plain.items()}
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
                    raise Wrong(f"the conditions for {name} say something false of a state at {stop}")

    def _bad_step(self, stop: str, fault: int | None, values: Values) -> None:
        for name, claim in self.claims.items():
            title = f"bad for {name} in a step from {stop}"
            if title in self._code and claim.fault is not None:
                met = fault is not None and claim.fault(fault)
                if title in self._loose:
                    said = not met or self._can([title], values, {"|bad|": True})
                else:
                    run(self._code[title], values)
                    bad = bool(values["|bad|"])
                    said = bad == met or (bad and fault is not None and self.proof.partial)
                if not said:
                    raise Wrong(f"the conditions for {name} say something false of a step from {stop}")

    def _steps(self, head: str, target: str, values: Values, later: Values | None) -> None:
        """The parts on what a step does; `later` are the values after the one that was made."""
        here = [] if later is None else [t for t in self._edges.get(head, ()) if led_to(t) == target]
        for title in self._edges.get(head, ()):
            if title not in self._loose:
                run(self._code[title], values)
                # a part of the state does not know of faults in what is hidden
                taken = bool(values["|taken|"]) and not (self.proof.partial and later is None)
                if taken != (title in here):
                    raise Wrong(
                        f"a step from {head} leads to {target or 'a fault'}, but the conditions differ"
                    )
                for symbol, value in self._wanted(title, later).items() if taken else ():
                    if values[primed(symbol)] != value:
                        raise Wrong(f"after a step from {head}, {symbol} is not what the conditions say")
        self._kept([title for title in here if ", for types " in title], values, later or {})
        loose = [title for title in here if title in self._loose]
        if loose and not self._possible(loose, values, later or {}):
            raise Wrong(f"whatever is hidden, a step from {head} does not lead where the conditions say")
        if self._edges and later is not None and not here:
            raise Wrong(f"no condition covers the steps from {head} to {target}")

    def _wanted(self, title: str, later: Values | None) -> dict[str, int | bool]:
        """The values that a part on a step should give."""
        written = [symbol for symbol in self._written[title] if not self._unset(title, symbol)]
        return {symbol: later[symbol] for symbol in written} if later is not None else {}

    def _possible(self, titles: list[str], values: Values, later: Values) -> bool:
        """Whether what is hidden can be such that the step of which these parts speak leads there."""
        wanted = {symbol: value for title in titles for symbol, value in self._wanted(title, later).items()}
        return self._can(
            titles, values, {"|taken|": True} | {primed(symbol): wanted[symbol] for symbol in wanted}
        )

    def _can(self, titles: list[str], values: Values, wanted: Mapping[str, int | bool]) -> bool:
        """Whether what is hidden can be such that these parts give what is wanted."""
        sums = {
            each: None for title in titles for each in self.proof.sums(title) if f"|{each}|" not in values
        }
        lines = list(dict.fromkeys(line for title in [*sums, *titles] for line in self.parts[title]))
        made = {found.group(1) for line in lines if (found := DEFINITION.match(line))}
        out = ["(set-logic ALL)"]
        for symbol in sorted(symbols_in(lines) - made):
            if symbol in values:
                sort = "Bool" if isinstance(values[symbol], bool) else "Int"
                out.append(f"(define-fun {symbol} () {sort} {constant(values[symbol])})")
            else:
                out += self._free(symbol)
        out += [*lines, *(f"(assert (= {symbol} {constant(value)}))" for symbol, value in wanted.items())]
        answer = self.answer("\n".join([*out, "(check-sat)"]) + "\n")
        self.open += answer not in ("sat", "unsat")
        return answer != "unsat"

    def _free(self, symbol: str) -> list[str]:
        """Declares a symbol of which it is not known what it is."""
        meaning = self.symbols.get(symbol, {})
        if meaning.get("is", "int") != "int":
            return [f"(declare-const {symbol} Bool)"]
        inside = f"(<= {constant(meaning.get('low', 0))} {symbol} {constant(meaning.get('high', 0))})"
        bounds = [inside] if "low" in meaning else []
        return [f"(declare-const {symbol} Int)", *(f"(assert {text})" for text in bounds)]

    def _kept(self, titles: list[str], values: Values, later: Values) -> None:
        """What the conditions on types do not speak of, the step does not change."""
        spoken = {place(self.symbols[symbol]) for title in titles for symbol in self._written[title]}
        for symbol, meaning in self.symbols.items() if titles else ():
            one_of_many = meaning.get("is") == "value" and self._alike[place(meaning)] > 1
            typed = "var" in meaning and (one_of_many or meaning["is"] == "int")
            if typed and place(meaning) not in spoken and values[symbol] != later[symbol]:
                raise Wrong(f"no condition on types covers {symbol}, which a step changes")

    def _unset(self, title: str, symbol: str) -> bool:
        """Whether the symbol is of a local that the step does not set."""
        kept = f"(define-fun {primed(symbol)} () Bool {symbol})"
        return "local" in self.symbols.get(symbol, {}) and kept in self.parts[title]


def led_to(title: str) -> str:
    """The stop to which the step leads that a part speaks of."""
    return title.rpartition(", for ")[0].rpartition(" to ")[2]


def encoded(state: State, decisions: int, meaning: Mapping[str, Any]) -> int | bool:
    """The value of a symbol in a state; of a local that is not alive, whatever."""
    if "clock" in meaning:
        return decisions
    if "local" in meaning:
        live = state.program.blocks[state.block].live
        value = state.locals[live.index(meaning["local"])] if meaning["local"] in live else 0
    else:
        cells = state.vars[meaning["var"]]
        if meaning["is"] == "empty":
            return bool(cells == EMPTY)
        value = cells[meaning["element"]] if isinstance(cells, tuple) else cells
    match meaning["is"]:
        case "bool":
            return bool(value)
        case "member":
            return bool(value >> meaning["value"] & 1)
        case "value":
            return bool(value == meaning["value"])
        case "some":
            return bool(value != -1)
    return int(value)


def sample(sampler: Sampler, steps: Iterable[Walk]) -> None:
    """Compares the opening and all these steps. Raises Wrong."""
    sampler.opening()
    for walk in steps:
        try:
            sampler.check(walk)
        except (FaultError, Faulted) as error:
            raise Wrong(str(error)) from None
