"""What is possible, as a person reads it: few actions one by one, many in groups that can be narrowed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from kemu_engine.play.action import Action

from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.trace import filled
from kemu.table.input import short

MOST = 60  # actions that are listed one by one; of more, groups
MOST_LINES = 8  # of a group


def overview(actions: Sequence[Action]) -> str:
    """Many actions in a line: how one is typed, and, if they have several names, those with how many there
    are of each: `, such as `land tonga`: expand (3), land (27), restart`."""
    counts: dict[str, int] = {}
    for action in actions:
        counts[action.name] = counts.get(action.name, 0) + 1
    most = max(counts, key=lambda name: counts[name])
    such = f", such as `{short(next(each.text for each in actions if each.name == most))}`"
    if len(counts) == 1:
        return such
    named = (name if count == 1 else f"{name} ({count})" for name, count in counts.items())
    return f"{such}: {', '.join(named)}"


def menu(actions: Sequence[tuple[int, Action]], width: int) -> list[str]:
    """The actions with their numbers, in columns; where there are very many, what they begin with."""
    if len(actions) > MOST:
        return [line for name, group in groups(actions) for line in begun(name, group, width)]
    digits = max((len(str(number)) for number, _ in actions), default=0)
    rows = [[f"{number:>{digits}}  {action.text}"] for number, action in actions]
    return [line for line in beside(rows, width) if line]


def groups(actions: Sequence[tuple[int, Action]]) -> list[tuple[str, list[tuple[int, Action]]]]:
    return [(name, list(each)) for name, each in groupby(actions, lambda pair: pair[1].name)]


def begun(name: str, actions: Sequence[tuple[int, Action]], width: int) -> list[str]:
    """The actions of one name: those with one argument by it, others by their first with how many have it."""
    if len(actions) == 1:
        return [f"{actions[0][0]}  {actions[0][1].text}"]
    firsts: dict[str, int] = {}
    for _, action in actions:
        firsts[action.args[0]] = firsts.get(action.args[0], 0) + 1
    items = [first if count == 1 else f"{first} ({count})" for first, count in firsts.items()]
    first, last = actions[0][0], actions[-1][0]
    head = f"{first}-{last}  {name}, {counted(len(actions), 'action')}"
    if any(count > 1 for count in firsts.values()):
        head += ", by first argument"
    lines = filled(items, width - 2)
    cut = ["..."] if len(lines) > MOST_LINES else []
    return [head, *(f"  {line}" for line in [*lines[:MOST_LINES], *cut])]
