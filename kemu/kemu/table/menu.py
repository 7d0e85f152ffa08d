"""What is possible, as a person reads it: few actions one by one, many in groups that can be narrowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from kemu_engine.play.action import Action

from kemu.base.words import counted
from kemu.render.board import beside
from kemu.render.trace import filled
from kemu.table.input import short, words

MOST_ROWS = 12  # of actions that are listed one by one, so that the board above stays on the screen
MOST_LINES = 8  # of a group
MANY = 500  # actions that no screen shows one by one
MOST_WORDED = 6  # rows, if what each action is in words stands beside it

Said = Callable[[str], str]
"""What an action is in words, given its text; "" if nobody knows."""


def untold(text: str) -> str:
    return ""


def overview(actions: Sequence[Action], said: Said = untold) -> str:
    """Many actions in a line: how one is typed, with what it is in words, and, if they have several names,
    those with how many there are of each: `, such as `land tonga`: expand (3), land (27), restart`."""
    counts: dict[str, int] = {}
    for action in actions:
        counts[action.name] = counts.get(action.name, 0) + 1
    most = max(counts, key=lambda name: counts[name])
    first = next(each.text for each in actions if each.name == most)
    words_ = said(first)
    such = f", such as `{short(first)}`" + (f" ({words_})" if words_ else "")
    if len(counts) == 1:
        return such
    named = (name if count == 1 else f"{name} ({count})" for name, count in counts.items())
    return f"{such}: {', '.join(named)}"


def menu(actions: Sequence[tuple[int, Action]], width: int, said: Said = untold, sign: str = "") -> list[str]:
    """The actions with their numbers, a `sign` before each, in columns, and in words where there is room;
    where there are many, what they begin with."""
    if one_by_one(actions, width):
        plain = columns(actions, width, sign=sign)
        worded = columns(actions, width, said, sign) if len(plain) <= MOST_WORDED else plain
        return worded if len(worded) <= MOST_WORDED else plain
    return [line for name, group in groups(actions) for line in begun(name, group, width, sign)]


def one_by_one(actions: Sequence[tuple[int, Action]], width: int) -> bool:
    """Whether they are few enough to be listed with their numbers."""
    return len(actions) <= MANY and len(columns(actions, width)) <= MOST_ROWS


def columns(
    actions: Sequence[tuple[int, Action]], width: int, said: Said = untold, sign: str = ""
) -> list[str]:
    digits = len(sign) + max((len(str(number)) for number, _ in actions), default=0)
    rows = [
        [f"{f'{sign}{number}':>{digits}}  {': '.join(filter(None, [action.text, said(action.text)]))}"]
        for number, action in actions
    ]
    return [line for line in beside(rows, width) if line]


def fewer(actions: Sequence[Action]) -> str:
    """What to type after `?` to be told fewer of these."""
    first = actions[0]
    if len({action.name for action in actions}) > 1:
        return max(actions, key=lambda each: sum(each.name == other.name for other in actions)).name
    at = open_argument(actions)
    return " ".join([short(Action(first.name, first.args[:at]).text), *words(first.args[at])[:1]])


def open_argument(actions: Sequence[Action]) -> int:
    """The first argument that is not the same in all."""
    ways = [{action.args[at] for action in actions} for at in range(len(actions[0].args))]
    return next((at for at, texts in enumerate(ways) if len(texts) > 1), 0)


def groups(actions: Sequence[tuple[int, Action]]) -> list[tuple[str, list[tuple[int, Action]]]]:
    return [(name, list(each)) for name, each in groupby(actions, lambda pair: pair[1].name)]


def begun(name: str, actions: Sequence[tuple[int, Action]], width: int, sign: str = "") -> list[str]:
    """The actions of one name, by their first argument that is not the same in all, with how many have it."""
    if len(actions) == 1:
        return [f"{sign}{actions[0][0]}  {actions[0][1].text}"]
    at = open_argument([action for _, action in actions])
    texts: dict[str, int] = {}
    for _, action in actions:
        texts[action.args[at]] = texts.get(action.args[at], 0) + 1
    items = [text if count == 1 else f"{text} ({count})" for text, count in texts.items()]
    first, last = actions[0][0], actions[-1][0]
    same = " ".join([name, *actions[0][1].args[:at]])
    head = f"{sign}{first}-{last}  {same}, {counted(len(actions), 'action')}"
    if any(count > 1 for count in texts.values()):
        head += f", by {'first' if at == 0 else 'next'} argument"
    lines = filled(items, width - 2)
    cut = ["..."] if len(lines) > MOST_LINES else []
    return [head, *(f"  {line}" for line in [*lines[:MOST_LINES], *cut])]
