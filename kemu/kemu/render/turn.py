"""Who does something in a position, whose turn it is, and what is done, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

INDENT = re.compile(r"(\s*)(?=[^\s#])")
RULE = re.compile(r"\s*(?:rule\s+(\w+)|rules\s*:)")
LOOP = re.compile(r"\s*for\s+(\w+)\s+in\s+(turns\b)?")


def who(state: State, before: State | None = None) -> str:
    """Who is to decide, or where chance is; and whose turn it is, if it is another's: `chance at roll`,
    `blue, in red's turn`. Of chance that is said only if nobody would think so, after what happened at the
    stop `before`."""
    actor, player = state.actor or chance(state), on_turn(state)
    known = {None, actor}
    if before is not None and state.is_chance:
        known.add(on_turn(before) or before.actor)
    return actor if player in known else f"{actor}, in {player}'s turn"


def chance(state: State) -> str:
    """Where chance is; or that the run of a rule begins."""
    if state.reveals:
        return "shown"
    return state.label if state.starts_run else f"chance at {state.label}"


def on_turn(state: State) -> str | None:
    """The player of the `for ... in turns()` that play is in; None outside of such a loop, and where the
    rules leave it open."""
    program, found = state.program, None
    for at in _players_on_turn(state.machine, state.block):
        value = state.locals[at]
        found = program.players[value] if 0 <= value < len(program.players) else found
    return found


@lru_cache(maxsize=1 << 10)
def _players_on_turn(machine: Machine, block: int) -> list[int]:
    return players_on_turn(machine.program, block)


def players_on_turn(program: k.Program, block: int) -> list[int]:
    """Which of a stop's live locals are the players of such loops, the innermost last."""
    loops = turns("\n".join(program.sources.values()), going_through_players(program))
    infos = [program.locals[local] for local in program.blocks[block].live]
    return [
        at
        for at, info in enumerate(infos)
        if info.name in loops and info.texts == program.players and not info.secret
    ]


def going_through_players(program: k.Program) -> frozenset[str]:
    """The names of locals that hold players, and of loops through them: `rules.p`, `rules.q`."""
    held = (info.name for info in program.locals if info.texts and set(info.texts) <= set(program.players))
    return frozenset(re.sub(r"(?<=\.)rest of |\.\d+$", "", name) for name in held)


@lru_cache(maxsize=16)
def turns(source: str, players: frozenset[str]) -> frozenset[str]:
    """The variables of loops through turns, as a program calls its locals: `rules.p`. Not those of a loop
    that goes through players once more, or is followed by something that need not be the end: it may be
    over, though its variable has a value. Nor those that loops of other kinds have too."""
    found: set[str] = set()
    others: set[str] = set()
    loops: list[tuple[int, str]] = []  # those that the line may belong to, with their indentation
    for indent, rule, line in lines(source):
        loops = [(at, name) for at, name in loops if name.split(".")[0] == rule]
        after = {name for at, name in loops if indent <= at and not line.strip().startswith("end ")}
        if loop := LOOP.match(line):
            name = f"{rule}.{loop[1]}"
            after |= {outer for _, outer in loops if name in players}
            if loop[2]:
                found.add(name)
                loops.append((indent, name))
            else:
                others.add(name)
        found -= after
        loops = [(at, name) for at, name in loops if name not in after]
    return frozenset(found - others)


def lines(source: str) -> Iterator[tuple[int, str, str]]:
    """The lines that say something, each with its indentation and the rule that it stands in."""
    rule, level = "", -1
    for line in source.splitlines():
        if indented := INDENT.match(line):
            indent = len(indented[1])
            if indent <= level:
                rule, level = "", -1
            if header := RULE.match(line):
                rule, level = header[1] or "rules", indent
            yield indent, rule, line
