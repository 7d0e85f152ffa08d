"""A trace for people: every decision, the board after it, what changed, and the statement that did it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby, pairwise
from textwrap import wrap

from kemu_engine.play.game import Game
from kemu_engine.play.masked_view import masked
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.trace import Change, Trace, TraceStep
from kemu_engine.play.view import Picture, view
from rich.cells import cell_len

from kemu.base.words import counted
from kemu.render.board import (
    UNBOUNDED,
    Colour,
    Element,
    Place,
    across,
    beside,
    columns_of,
    draw,
    flowing,
    widest,
)
from kemu.render.broken_line import held, moved, named
from kemu.render.turn import who
from kemu.render.words import citation, ending, fault, ranked_by, worded

MOST_CHANGES = 6
WIDE = 36  # beside boards that are narrower, text may take up so much


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a block: of a board, which stays as it is, or of text, which may be wrapped."""

    text: str
    board: bool = False


Block = list[Line]


def lines(game: Game, trace: Trace, width: int, full: bool = False) -> list[str]:
    """The trace in text. Unless `full`, a long one keeps its first and last boards, and of the middle only
    who did what."""
    steps = told(trace, width, full)
    if not full and len(steps) > 2:
        head, tail = kept([draw() for draw in (*steps[:2], *steps[-2:])], width)
        if len(steps) > head + tail:
            every = rounds(trace.steps)
            before, skipped = every[: head - 1], every[head - 1 : len(steps) - tail - 1]
            first, last = ([draw() for draw in some] for some in (steps[:head], steps[-tail:]))
            middle = summary(skipped, 1 + sum(map(len, before)), width)
            return [*laid_out(first, width), "", *middle, "", *laid_out(last, width), *closing(game, trace)]
    return [*laid_out([draw() for draw in steps], width), *closing(game, trace)]


def told(trace: Trace, width: int, full: bool) -> list[Callable[[], Block]]:
    """What draws the start, if there is one, and every step."""
    begin = [] if trace.start is None else [partial(opening, trace, trace.start, width, full)]
    every = rounds(trace.steps)
    look = lru_cache(2)(looking(trace))  # the state after a step is that before the next
    names = named(trace.fault, trace.final) if trace.player is None else frozenset[str]()
    steps = zip(headlines(every, 1), map(joined, every), strict=True)
    return [*begin, *(partial(block, head, step, width, full, look, names) for head, step in steps)]


def looking(trace: Trace) -> Callable[[State], list[Picture]]:
    """The views as whoever sees the trace may be shown them."""
    player = trace.player
    if player is None:
        return view
    return lambda state: view(masked(state, state.seat(player)))


def rounds(steps: Sequence[TraceStep]) -> list[Sequence[TraceStep]]:
    """The steps, those that players chose together in one group."""
    starts = [
        at for at, step in enumerate(steps) if not at or not steps[at - 1].before.together_with(step.before)
    ]
    return [steps[first:last] for first, last in pairwise([*starts, len(steps)])]


def joined(steps: Sequence[TraceStep]) -> TraceStep:
    """Steps that belong together as one."""
    changes = tuple(change for step in steps for change in step.changes)
    return replace(steps[0], after=steps[-1].after, changes=changes)


def kept(blocks: list[Block], width: int) -> tuple[int, int]:
    """How many steps an abridged trace keeps at its beginning and at its end: of boards whole rows."""
    if not any(line.board for block in blocks for line in block):
        return (10, 20)
    fit = across(fitted(blocks, width), width)
    return (2, 4) if fit <= 2 else (fit, fit)


def laid_out(blocks: list[Block], width: int) -> list[str]:
    """Boards side by side, what belongs to each below it; without boards one thing after the other."""
    if any(line.board for block in blocks for line in block):
        return beside(fitted(blocks, width), width)
    out = []
    for head, *rest in blocks:
        out += [*wrap(head.text, width, subsequent_indent="    "), *(f"    {line.text}" for line in rest)]
    return out


def opening(trace: Trace, start: State, width: int, full: bool) -> Block:
    whole = everything(start) if start.starts_run and trace.player is None else []
    board = boards(start, None, looking(trace), width)
    return [Line("at the start"), *board, *whole, *changed(trace.opening, start, full)]


def everything(state: State) -> Block:
    """All of a state in which the run of a rule begins: views need not show it whole."""
    values, program = state.to_json()["vars"], state.program
    assert isinstance(values, dict)
    own = (var.name for at, var in enumerate(program.vars) if not var.local and at != program.result)
    return [Line(f"{name}: {text}") for name in own if (text := worded(values[name]))]


def block(
    head: str,
    step: TraceStep,
    width: int,
    full: bool,
    look: Callable[[State], list[Picture]] = view,
    names: frozenset[str] = frozenset(),
) -> Block:
    """One step: who did what, the board after it, what changed; of locals those of these names."""
    after = step.after or step.before
    own = [Line(text) for text in moved(step, names)]
    return [Line(head), *boards(after, step.before, look, width), *changed(step.changes, after, full), *own]


def boards(
    state: State,
    before: State | None = None,
    look: Callable[[State], list[Picture]] = view,
    width: int = UNBOUNDED,
    colours: Callable[[State], Mapping[str, Mapping[Place, Colour]]] | None = None,
    offered: Set[Element] = frozenset(),
) -> Block:
    """All views of a state, those places marked that looked otherwise in `before`, and those that show
    something `offered`; `look` draws them up. Several have titles, and stand side by side as far as they fit.
    `colours`: of places, by view; of a state."""
    try:
        earlier = {} if before is None else {each.name: each for each in look(before)}
        pictures = look(state)
        painted = {} if colours is None else colours(state)
    except FaultError as error:
        return [Line(f"(no picture: {error.message})")]
    drawn = [draw(each, earlier.get(each.name), width, painted.get(each.name), offered) for each in pictures]
    if len(pictures) == 1:
        texts = [Line(text.rstrip()) for text in pictures[0].lines if text.strip()]
        return [*(Line(text, True) for text in drawn[0]), *texts]
    blocks = [titled(each, lines, width) for each, lines in zip(pictures, drawn, strict=True)]
    shown = [block for block in blocks if len(block) > 1]
    laid = min((flowing(shown, width, gap) for gap in (3, 2)), key=len)
    return [Line(text, True) for text in laid]


def titled(picture: Picture, drawn: list[str], width: int) -> list[str]:
    """One view of several: its name, its board, its lines of text below, not much wider than the board."""
    room = min(max(WIDE, widest([drawn])), width)
    texts = [part for text in picture.lines for part in squeezed(Line(text.rstrip()), room) if part]
    return [f"{picture.name}:", *drawn, *texts]


def changed(changes: Sequence[Change], state: State, full: bool) -> Block:
    """What was written, a line each, with the statement that wrote it. The result is told at the end, not
    here."""
    result = state.program.vars[state.program.result].name
    named = [change for change in changes if change.where.split("[")[0] != result]
    alike = [list(group) for _, group in groupby(named, lambda each: (each.old, each.new, each.origin))]
    shown = alike if full or len(alike) <= MOST_CHANGES + 1 else alike[:MOST_CHANGES]
    out = [Line(f"{written(group)} {citation(group[0].origin)}".rstrip()) for group in shown]
    rest = len(named) - sum(map(len, shown))
    return [*out, Line(f"and {counted(rest, 'change')} more")] if rest else out


def written(alike: Sequence[Change]) -> str:
    """`stone[(1, 3)] = red`, and `total: 3 -> 8` for what was something before; several places in a row."""
    where, first = ", ".join(change.where for change in alike), alike[0]
    if first.old in ("none", "false", "{}"):
        return f"{where} = {first.new}"
    return f"{where}: {first.old} -> {first.new}"


def fitted(blocks: list[Block], width: int) -> list[list[str]]:
    """The blocks as text of one width: that of the widest board, so that several stand in a row; long text
    is wrapped to it."""
    every = [line for block in blocks for line in block]
    boards = [columns_of(line.text) for line in every if line.board]
    texts = [min(cell_len(line.text), WIDE) for line in every if not line.board]
    common = min(max([*boards, *texts], default=0), width)
    return [[part for line in block for part in squeezed(line, common)] for block in blocks]


def squeezed(line: Line, width: int) -> list[str]:
    if line.board or cell_len(line.text) <= width:
        return [line.text]
    return wrap(line.text, width, subsequent_indent="  ", break_on_hyphens=False)


def summary(every: Sequence[Sequence[TraceStep]], number: int, width: int, whole: bool = False) -> list[str]:
    """Who did what in these rounds, without boards; `whole` if no others are shown."""
    steps = counted(sum(map(len, every)), "step")
    head = f"{steps}:" if whole else f"... {steps} without boards:"
    return [head, *filled(headlines(every, number), width)]


def headlines(every: Sequence[Sequence[TraceStep]], number: int) -> list[str]:
    """Who did what in these rounds, numbered from there: `3. blue, red's turn: throw`, `4-5. ann: bid(1),
    ben: bid(2)`."""
    found, earlier = [], None
    for steps in every:
        last = number + len(steps) - 1
        acts = []
        for step in steps:
            acts.append(f"{who(step.before, earlier)}: {step.text}")
            earlier = step.before
        found.append(f"{number}{f'-{last}' if len(steps) > 1 else ''}. {', '.join(acts)}")
        number = last + 1
    return found


def filled(items: Sequence[str], width: int) -> list[str]:
    """The items in lines, none of them broken, unless it is longer than a line."""
    lines: list[str] = []
    for item in items:
        if lines and cell_len(lines[-1]) + 2 + cell_len(item) <= width:
            lines[-1] += "  " + item
        else:
            lines.append(item)
    return lines


def closing(game: Game, trace: Trace) -> list[str]:
    """How it ends: the result, the fault, or nothing if the game could go on."""
    final = trace.final
    if trace.fault is not None:
        names = named(trace.fault, final) if trace.player is None else frozenset[str]()
        before = held(trace.steps[-1].before, names) if trace.steps else ""
        return ["", *fault(trace.fault, game), *([f"before this step: {before}"] if before else [])]
    if final is not None and final.result is not None:
        return ["", f"end: {ending(final.result, ranked_by(final))}"]
    return []
