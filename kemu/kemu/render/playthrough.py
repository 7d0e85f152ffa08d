"""A playthrough: a random game written down so that any change in its rules shows, and nothing else does.

Model: the integration playthroughs of OpenSpiel (M. Lanctot and others, 2019). Every step has the position's
digest and all that is possible in it; boards are drawn at the first step of each turn and at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from textwrap import wrap

from kemu_engine.batch.playout import walk
from kemu_engine.kernel.snapshots import Snapshots
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State

from kemu.base.words import counted
from kemu.render.trace import boards, squeezed
from kemu.render.words import ending, instance

WITHIN = "\u00a0"  # stands for a space inside an action until lines are broken
WIDTH = 100  # columns, whatever the terminal
MOST = 400  # signs of a list of actions that is written out
BEGINNING = 200  # signs of a longer one


def playthrough(game: Game, command: str, seed: int, steps: int) -> Iterator[str]:
    """The lines of random game 0 of a seed, of its first `steps` actions and outcomes; `command` is what
    writes them again."""
    yield from (f"# {game.title}: {instance(game)}", f"# {command}")
    turn: str | None = None  # who was on turn when the board was last drawn
    drawn: list[str] = []
    number = 0
    try:
        for state, chosen in walk(game, seed, 0):
            cut = number == steps and not state.is_end
            yield from ("", heading(state, number, cut))
            if cut or state.is_end or (state.actor is not None and state.actor != turn) or not number:
                turn, board = state.actor, drawing(state)
                yield from [] if board == drawn else board
                drawn = board
            if cut or state.is_end:
                yield from closing(state)
                return
            yield from possible(state)
            yield f"> {state.moves()[chosen].text}"
            number += 1
    except FaultError as error:
        yield from ("", f"fault after {counted(number, 'step')}: {error.code}: {error.message}")


def heading(state: State, number: int, cut: bool) -> str:
    where = f"position {digest(state)}"
    if state.is_end or cut:
        return f"== {'the end' if state.is_end else 'cut off'} after {counted(number, 'step')}, {where}"
    return f"-- {number + 1}. {state.actor or 'chance'} at {state.label}, {where}"


def digest(state: State) -> str:
    """Eight hexadecimal digits that follow from who acts where, and from the state variables of the rules
    file."""
    program = state.program
    named = [v.name for i, v in enumerate(program.vars) if not v.local and i != program.result]
    held = [state.actor, state.label, {name: state.value(name) for name in named}]
    return short(json.dumps(held, ensure_ascii=False, sort_keys=True))


def short(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:8]


def drawing(state: State) -> list[str]:
    """The views, as everybody sees them; of a game without views its variables."""
    lines = [part for line in boards(state, width=WIDTH) for part in squeezed(line, WIDTH)]
    if lines:
        return lines
    return [part for line in _variables(state) for part in wrapped(line)]


def _variables(state: State) -> Iterator[str]:
    """The variables in words; of a history how much was noted."""
    result = state.program.vars[state.program.result]
    for var, cells in zip(state.program.vars, state.vars, strict=True):
        if not var.local and var is not result:
            value = f"{len(cells)} noted" if isinstance(cells, Snapshots) else json.dumps(state[var.name])
            yield f"{var.name}: {value}"


def possible(state: State) -> Iterator[str]:
    """The actions or outcomes: all of them, or their beginning and a digest of the whole."""
    texts = [move.text for move in state.moves()]
    thing = "outcome" if state.is_chance else "action"
    weights = [choice.weight for choice in state.choices]
    written = "; ".join(grouped(state, weights if len(set(weights)) > 1 else []))
    if len(written) > MOST:
        told = wrap(written, BEGINNING)[0].rstrip(" |;")
        written = f"{told} | ... ({short('|'.join(texts) + str(weights))})"
    yield from wrapped(f"{counted(len(texts), thing)}: {written}")


def grouped(state: State, weights: Sequence[int]) -> list[str]:
    """`take: 0 (0, 1) | 0 (0, 2)`: actions of one name together, in their order; outcomes with how often each
    comes, `ace x4`, where that differs."""
    moves = state.moves()
    if state.is_chance:
        counts = [f" x{weight}" for weight in weights] or [""] * len(moves)
        return [listed([move.text + count for move, count in zip(moves, counts, strict=True)])]
    out = []
    for name, group in groupby(moves, lambda move: move.name):
        args = [" ".join(move.args) for move in group]
        out.append(name if args == [""] else f"{name}: {listed(args)}")
    return out


def listed(texts: Sequence[str]) -> str:
    return " | ".join(text.replace(" ", WITHIN) for text in texts)


def closing(state: State) -> Iterator[str]:
    if state.result is not None:
        yield ending(state.result)
        places = ", ".join(f"{player} {place}" for player, place in state.result.places.items())
        yield f"places: {places}"


def wrapped(text: str) -> list[str]:
    """The text in lines that fit, broken at spaces outside of actions."""
    lines = wrap(text, WIDTH, subsequent_indent="    ", break_on_hyphens=False)
    return [line.replace(WITHIN, " ") for line in lines]
