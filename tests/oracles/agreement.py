"""One rules file through all readers: naive evaluator, interpreter, generated Python, WebAssembly; sometimes
formulas.
"""

from __future__ import annotations

import json
import re
import traceback
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from kemu_engine.batch.playout import Playout, stepwise
from kemu_engine.interp.frame import Faulted, TooMany
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.limits import NotCovered
from kemu_engine.kernel.stop import Stop as Halt
from kemu_engine.kernel.verify import problems
from kemu_engine.kernel.walk import parts
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_engine.play.state import State
from kemu_engine.run.python.loader import GeneratedMachine
from kemu_engine.run.python.writer import remembers
from kemu_engine.run.wasm.programs.player import NotInstalled, Player
from kemu_grammar.game.game import read_parsed
from kemu_grammar.source.diagnostics import RulesError
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.parser import parse
from kemu_verifier.symbolic.values import TooLarge

from tests.oracles.layout import held
from tests.oracles.naive import Naive
from tests.oracles.naive_stops import Stop
from tests.oracles.naive_values import Fault
from tests.verifier.lockstep import Lockstep

LONGEST = 8  # actions and outcomes of one game
WIDEST = 3  # choices that are followed at one stop
FORMULAS = 10  # of so many files one is read into formulas, too
SMALL = 1_000  # nodes of a program that is
BLOCKS = "kemu_engine.interp.machine.MOST_BLOCKS", 20_000  # without a stop, of a run that may go on for ever
CHANCES = 300  # of chance in a row, in a game that may go on so for ever
WASM, STEPS = "kemu_engine.run.wasm.programs.play", "kemu_engine.batch.playout"
LIBRARY = Path("spec")
REFUSED = frozenset({"E0304", "E0709", "E0729", "E0774"})
"""What may be wrong with a file made at random: a name that nobody reads, a number that never fits, an
expression too large when written out; a map or a bag whose type nobody says."""


class Difference(AssertionError):
    """Two readers do not agree."""


def agree(source: str, seed: int) -> str:
    """Raises Difference if two readers do; gives "same", or the code of the error that a file has."""
    try:
        module = parse(source, "generated.kemu")
        program = instantiate(read_parsed(module, LIBRARY), {}, None)
    except RulesError as error:
        codes = {d.code for d in error.diagnostics}
        if codes <= REFUSED:
            return min(codes)
        raise Difference(f"refused: {error.diagnostics[0]}") from None
    found = problems(program)
    expect(found == [], f"not well formed: {'; '.join(found)}")
    with patch(*BLOCKS), patch(f"{WASM}.IN_A_ROW", CHANCES), patch(f"{STEPS}.IN_A_ROW", CHANCES):
        along(module, program, Random(seed))
        by_webassembly(program, seed)
    if seed % FORMULAS == 0:
        by_formulas(program, Random(seed))
    return "same"


def expect(holds: bool, message: str) -> None:
    if not holds:
        raise Difference(message)


# ------------------------------------------------------------------------------------------ stop by stop


def along(module: t.Module, program: k.Program, random: Random) -> None:
    """A game in lockstep; at each stop some of the choices are looked at, and one is followed."""
    game = Game(program, checked=True)
    generated = GeneratedMachine(program)
    naive = Naive(module)
    history: list[str] = []
    state, stop = begun(game, generated), ahead(naive, history)
    compare(game, naive, state, stop, history)
    for _ in range(LONGEST):
        if state is None or isinstance(stop, Fault) or not stop.choices:
            return
        after: dict[int, tuple[State | None, Stop | Fault]] = {}
        first = random.randrange(len(stop.choices))
        for number in range(first, first + min(WIDEST, len(stop.choices))):
            at = number % len(stop.choices)
            longer = [*history, stop.choices[at][0]]
            after[at] = followed(state, at, generated), ahead(naive, longer)
            compare(game, naive, *after[at], longer)
        if stop.told == "together":
            untold(state, [found for found, _ in after.values() if found is not None], history)
        at = next((at for at, (found, _) in after.items() if found is not None), first)
        history.append(stop.choices[at][0])
        state, stop = after[at]


def begun(game: Game, generated: Machine) -> State | None:
    """The first stop, if Python and the interpreter have the same."""
    one, other = arrived(game.machine, None), arrived(generated, None)
    expect(one == other, f"interpreter and Python differ in the beginning: {one} {other}")
    return State.at(game.machine, one) if isinstance(one, Halt) else None


def followed(state: State, at: int, generated: Machine) -> State | None:
    stop = Halt(state.block, state.vars, state.locals, state.player, state.choices)
    one, other = arrived(state.machine, stop, at), arrived(generated, stop, at)
    expect(one == other, f"interpreter and Python differ after {state.moves()[at]}: {one} {other}")
    return State.at(state.machine, one) if isinstance(one, Halt) else None


def arrived(machine: Machine, stop: Halt | None, at: int = 0) -> Halt | tuple[int, k.Fault] | str:
    try:
        return machine.begin() if stop is None else machine.follow(stop, stop.choices[at])
    except Faulted as faulted:
        return faulted.index, faulted.fault
    except TooMany:  # it goes on for ever and notes a history in every lap: no state comes back
        return "endless"


def ahead(naive: Naive, history: list[str]) -> Stop | Fault:
    try:
        return naive.play(history)
    except Fault as fault:
        return fault.with_traceback(None)


def compare(game: Game, naive: Naive, state: State | None, stop: Stop | Fault, history: list[str]) -> None:
    """Both fault, or both wait at the same kind of stop for the same choices with the same values about."""
    if state is None or isinstance(stop, Fault):
        told = f"only the naive evaluator faults: {stop}" if state is not None else "only the program faults"
        expect(state is None and isinstance(stop, Fault), f"{told}; after {history}")
        return
    kind = "end" if state.is_end else "chance" if state.is_chance else "decision"
    expect((kind, state.actor) == (stop.kind, stop.actor), f"{kind} is {stop.kind} after {history}")
    found = [(a.text, w) for a, w in state.outcomes()] or [(a.text, 1) for a in state.actions()]
    expect(found == list(stop.choices), f"{found} is {stop.choices} after {history}")
    if isinstance(state.stop, k.Decide):
        told = "together" if stop.told == "last of all" else stop.told
        expect(state.stop.told == told, f"{state.stop.told} is {told} after {history}")
    secret(naive, state, history)
    known = {var.name for var in game.program.vars}
    for name, value in stop.vars.items():
        if isinstance(naive.types[name], t.HistoryType):
            if name not in known:  # nothing ever notes it
                expect(not value, f"{name} after {history} is not kept")
                continue
            noted = sum(each["times"] for each in state[name])  # type: ignore[union-attr,call-overload,index,misc]
            expect(noted == len(value), f"{name} after {history}: {noted} noted, not {len(value)}")
            continue
        for var, wanted in held(naive, name, naive.types[name], value).items():
            expect(state[var] == wanted, f"{var} after {history}: {state[var]}, not {wanted}")
    if state.result is not None:
        expect(state.result.places == stop.places, f"the places after {history}")
    saved = json.loads(json.dumps(state.to_json()))
    expect(game.state(saved) == state, f"saved and loaded after {history}")


def secret(naive: Naive, state: State, history: list[str]) -> None:
    """Players see state variables, now and in what they know, and nothing with which rules are worked out."""
    for player in state.program.players:
        for name, value in state.observation(player)["vars"].items():  # type: ignore[union-attr]
            if name.split(".")[0] in naive.secrets:
                whole, told = state[name], f"{player} sees {name}: {value} after {history}"
                expect(value == covered(whole, naive.unseen(name.split(".")[0], player)), told)
        known = state.information_state(player)
        seen = [*state.observation(player)["vars"], *(name for stop in known.stops for name, _ in stop.sees)]  # type: ignore[misc]
        names = {re.split(r"[.\[]", name)[0] for name in seen} - {"result"}
        expect(names <= set(naive.types), f"{player} sees {names - set(naive.types)} after {history}")


def covered(value: Any, keys: set[str] | None) -> Any:
    """What is seen of a variable by somebody who sees nothing under these keys; None: nothing at all."""
    if isinstance(value, dict):
        return {k: "?" if keys is None or k.split(", ")[0] in keys else x for k, x in value.items()}
    return "?" if keys is None else value


def untold(before: State, after: list[State], history: list[str]) -> None:
    """Whatever a player has chosen while others are still to choose, they see the same."""
    for player in set(before.program.players) - {before.actor}:
        seen = {str(state.information_state(player)) for state in after}
        expect(len(seen) <= 1, f"{player} sees what {before.actor} chose after {history}: {seen}")


# ------------------------------------------------------------------------------------------ whole games


def by_webassembly(program: k.Program, seed: int) -> None:
    """Random games by a WebAssembly module and from state to state."""
    try:
        bulk = Player(program)
    except (NotCovered, NotInstalled):
        return
    game = Game(program, reader="interpreter")
    for index, played in enumerate(bulk.playouts(seed, 0, 3, LONGEST)):
        decisions, branching, outcomes, ending, told = played
        if ending == "lost":
            continue
        try:
            one = stepwise(game, seed, index, LONGEST)
        except TooMany:
            continue
        expect((decisions, branching, outcomes, ending) == counted(one), f"WebAssembly: {played}, not {one}")
        if ending == "fault" and told >= 0:
            expect(program.faults[told] == one.fault, f"WebAssembly: {program.faults[told]}, not {one}")


# ------------------------------------------------------------------------------------------ formulas


def by_formulas(program: k.Program, random: Random) -> None:
    """A random game by the interpreter, each step of it also as what the verifier proves things of: all but
    histories.
    """
    if remembers(program) or sum(1 for _ in parts(program)) > SMALL:
        return
    try:
        side = Lockstep(program)
        stop = arrived(side.machine, None)
        for _ in range(LONGEST):
            if not isinstance(stop, Halt) or not stop.choices:
                return
            assert side.check_arrival((stop.block, stop.vars, stop.locals)) is not None
            choice = random.choice(stop.choices)
            side.check_step(stop, choice)
            stop = arrived(side.machine, stop, stop.choices.index(choice))
    except (NotCovered, TooLarge):
        return
    except AssertionError as error:
        raise Difference(f"formulas: {traceback.extract_tb(error.__traceback__)[-1].line}") from error


def counted(one: Playout) -> tuple[int, int, int, str]:
    return one.decisions, one.branching, one.outcomes, one.ending
