"""Why something can be done, why a step did what it did: lines of the rules, the rulebook's statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kemu_engine.interp.frame import Log
from kemu_engine.interp.machine import Machine
from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State
from kemu_engine.play.trace import changes

from kemu.render.alike import one_rule
from kemu.render.reasons import Line, effect, line_of, line_of_arm, statements
from kemu.table.session import Session
from kemu.table.visibility import Sight

MOST = 12
"""Changes of a step that are told."""


def offered(state: State) -> dict[str, Any]:
    """What the rules say of what can be done at a decision."""
    names = {action.name for action in state.actions()}
    stop = state.stop
    arms = stop.arms if isinstance(stop, k.Decide) and one_rule(state.machine, state.block) else ()
    return _told(state.program, [line_of_arm(state.program, arm) for arm in arms if arm.name in names])


def everywhere(machine: Machine) -> dict[str, Any]:
    """What the rules say of every action and every outcome, for a page that has no rules file: `lines`, the
    statements that they cite, and of each stop, by its block, the numbers of the lines of its actions; none
    where they might tell a secret."""
    program = machine.program
    found: dict[Line, int] = {}
    stops: dict[int, list[int]] = {}
    for at, block in enumerate(program.blocks):
        if isinstance(block.exit, k.Decide):
            told = [line_of_arm(program, arm) for arm in block.exit.arms]
        elif isinstance(block.exit, k.Chance):
            told = [line_of(program, block.exit.origin)]
        else:
            continue
        if not one_rule(machine, at):
            told = [None for _ in told]
        stops[at] = [-1 if line is None else found.setdefault(line, len(found)) for line in told]
    cites = dict.fromkeys(cite for line in found for cite in line.cites)
    lines = [{"line": each.number, "text": each.text, "doc": each.doc, "cites": each.cites} for each in found]
    return {"lines": lines, "stops": stops, "statements": statements(program, cites)}


def behind(session: Session, number: int, sight: Sight) -> dict[str, Any]:
    """What the rules say of a step, and what of its effects the viewer sees."""
    before, step = session.states[number], session.steps[number]
    program, stop = before.program, before.stop
    lines: list[Line | None] = []
    index = before.index(step.text)
    told_of = session.opened(number) or sight.told(before, step.text) == step.text
    if told_of and sight.shows_rule(before):
        if isinstance(stop, k.Decide):
            lines.append(line_of_arm(program, stop.arms[before.choices[index].arm]))
        elif isinstance(stop, k.Chance):
            lines.append(line_of(program, stop.origin))
    log: Log = []
    before.follow(index, log)
    seer = None if sight.viewer is None else before.seat(sight.viewer or None)
    result = program.vars[program.result].name
    seen = [each for each in changes(program, log, seer) if each.where.split("[")[0] != result]
    told = [
        {
            "text": effect(each),
            "cites": list(each.origin.cites) if each.origin else [],
            "line": each.origin.span.line if each.origin else 0,
        }
        for each in seen[:MOST]
    ]
    more = [cite for each in seen for cite in (each.origin.cites if each.origin else ())]
    return _told(program, lines, more) | {"changes": told}


def _told(program: k.Program, lines: Iterable[Line | None], more: Sequence[str] = ()) -> dict[str, Any]:
    """The lines, each once, with the statements that they cite and `more`."""
    found = list(dict.fromkeys(line for line in lines if line is not None))
    cites = dict.fromkeys([*(cite for line in found for cite in line.cites), *more])
    return {
        "changes": [],
        "lines": [{"line": each.number, "text": each.text, "doc": each.doc} for each in found],
        "statements": [
            {"number": number, "text": text} for number, text in statements(program, cites).items()
        ],
    }
