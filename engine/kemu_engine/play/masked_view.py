"""Views as somebody sees them who does not see everything: with `?` for what is read from secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import build
from kemu_engine.kernel import nodes as k
from kemu_engine.kernel.alike import Alike, follows_all
from kemu_engine.kernel.text import UNSEEN
from kemu_engine.kernel.walk import within, within_calls
from kemu_engine.play.state import State


def masked(state: State, seer: int) -> State:
    """The same state with the views that this player (or, by the number after the last, somebody without a
    seat) may be shown."""
    machine = _machine(state.machine, seer) if state.machine.secret else state.machine
    return replace(state, machine=machine)


@lru_cache(maxsize=128)
def _machine(machine: Machine, seer: int) -> Machine:
    """One that plays the same program with these views; the same one again if it was made not long ago."""
    return Machine(replace(machine.program, views=without_secrets(machine.program, seer, machine.alike)))


def without_secrets(program: k.Program, seer: int, alike: Alike) -> tuple[k.View, ...]:
    """The views with `?` for what is read from state that the player does not see; without what is there
    only because of it, or might tell which of the stops that are `alike` to him this one is."""
    return tuple(_view(program, each, seer, alike) for each in program.views)


def _view(program: k.Program, each: k.View, seer: int, alike: Alike) -> k.View:
    shown = (spot for spot in each.spots if not secret(program, (spot.when, spot.x, spot.y), seer))
    spots = tuple(
        replace(spot, glyph=build.integer(0), texts=(UNSEEN,))
        if secret(program, (spot.glyph,), seer)
        else spot
        for spot in shown
    )
    said = (line for line in each.lines if not secret(program, (line.when,), seer))
    lines = [replace(line, parts=hidden(program, line.parts, seer)) for line in said]
    figures = tuple(
        _figure(program, figure, seer)
        for figure in each.figures
        if not secret(program, _placing(figure), seer)
    )
    if not follows_all(program, seer):
        lines = [*_telling_no_stop(lines, alike)]
    return k.View(each.name, spots, tuple(lines), figures, each.ground)


def _telling_no_stop(lines: Sequence[k.Line], alike: Alike) -> Iterator[k.Line]:
    """The lines without those of one stop that are not there at all that it may be taken for."""
    places: dict[object, set[int]] = {}
    for line in lines:
        places.setdefault(_wording(line), set()).add(line.block)
    for line in lines:
        if line.block < 0 or places[_wording(line)].issuperset(alike[line.block]):
            yield line


def _wording(line: k.Line) -> object:
    """Which line of the rules file it is, what is hidden in it, and what it reads but for what rules hold."""
    read = (line.when, *(piece if isinstance(piece, str) else piece[0] for piece in line.parts))
    return line.origin, tuple(None if _reads_locals(part) else part for part in read)


def _reads_locals(part: str | k.Expr) -> bool:
    return not isinstance(part, str) and any(isinstance(each, k.Local) for each in within(part))


def _placing(figure: k.Figure) -> Iterator[k.Expr]:
    """What says whether, where and how large something is drawn."""
    yield from (figure.when, figure.count, *figure.size, *(figure.turn or ()))
    for point in figure.points:
        yield from (point.x, point.y, *chain.from_iterable(point.steps))


def _figure(program: k.Program, figure: k.Figure, seer: int) -> k.Figure:
    """What is drawn, without colours that the player does not see and with `?` for such texts."""
    parts = hidden(program, figure.parts, seer)
    symbol = figure.shape == "symbol" and parts != figure.parts
    return replace(
        figure,
        shape="text" if symbol else figure.shape,
        fill=_colour(program, figure.fill, seer),
        edge=_colour(program, figure.edge, seer),
        parts=(UNSEEN,) if symbol else parts,
    )


def _colour(program: k.Program, named: k.Named | None, seer: int) -> k.Named | None:
    return named if named is not None and not secret(program, (named.index,), seer) else None


def hidden(program: k.Program, parts: tuple[k.Piece, ...], seer: int) -> tuple[k.Piece, ...]:
    """The pieces of a line, one `?` for those in a row that the player does not see."""
    kept: list[k.Piece] = []
    for part in parts:
        if isinstance(part, str) or not secret(program, part[:1], seer):
            kept.append(part)
        elif kept[-1:] != [UNSEEN]:
            kept.append(UNSEEN)
    return tuple(kept)


def secret(program: k.Program, exprs: Iterable[k.Expr], seer: int) -> bool:
    """Whether something of the view reads what the player does not see, in functions that it calls, too."""
    return any(hides(program, part, seer) for expr in exprs for part in within_calls(program.functions, expr))


def hides(program: k.Program, part: k.Expr, seer: int) -> bool:
    if isinstance(part, k.Local):
        return program.locals[part.id].secret
    if not isinstance(part, k.Load | k.At):
        return False
    seen = program.vars[part.var].seen
    if seen is None:
        return False
    if isinstance(part, k.At) and isinstance(part.index, k.Const):
        return not seen[part.index.value] >> seer & 1
    return not all(mask >> seer & 1 for mask in seen)
