"""An example, statement by statement, for people: the line, what it changed, the board where that shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from textwrap import wrap

from kemu_engine.play.examples import Part
from kemu_engine.play.game import Game
from kemu_engine.play.state import FaultError, State
from kemu_engine.play.stepping import stepped
from kemu_engine.play.trace import Change
from kemu_engine.play.view import Picture, view
from kemu_grammar.game.marked import Marked

from kemu.render.trace import boards, written
from kemu.render.turn import who

Look = Callable[[State], list[Picture]]
INDENT = "        "


def stops(game: Game, rules: Marked, parts: Iterable[Part], width: int) -> Iterator[list[str]]:
    """The run of an example in blocks of lines: its beginning, each step, each statement."""
    look: Look = lru_cache(4)(view)
    shown: State | None = None
    rule = "rules"
    for part in parts:
        yield ["", f"{who(part.before)}: {part.text}"] if part.before else ["at the beginning"]
        for each in stepped(game, part, rules.locals):
            lines = []
            if each.statement is not None:
                here, rule = rule, rules.rules[each.statement]
                lines = [source(game, rules, each.statement) + (f"   ({rule})" if rule != here else "")]
            lines += told(each.changes, width)
            if each.state is not None and differs(each.state, shown, look):
                lines += ["", *(line.text for line in boards(each.state, shown, look, width)), ""]
                shown = each.state
            yield lines


def source(game: Game, rules: Marked, statement: int) -> str:
    """The first line of a statement, with its number."""
    span = rules.statements[statement].span
    line = game.program.sources[span.file].splitlines()[span.line - 1]
    text = line[span.column - 1 :].split("  #")[0].rstrip()
    return f"{span.line:>5} | {' ' * (span.column - 1)}{text}"


def told(changes: Iterable[Change], width: int) -> list[str]:
    """What a statement changed; places that become the same together."""
    alike: dict[tuple[str, str], list[Change]] = {}
    for each in changes:
        alike.setdefault((each.old, each.new), []).append(each)
    texts = [
        f"{group[0].where} = {new}" if not old else written(group) for (old, new), group in alike.items()
    ]
    lines = [wrap(text, width, initial_indent=INDENT, subsequent_indent=INDENT + "  ") for text in texts]
    return [line for some in lines for line in some]


def differs(state: State, shown: State | None, look: Look) -> bool:
    """Whether the board looks otherwise than when it was shown last."""
    try:
        return bool(look(state)) and (shown is None or look(state) != look(shown))
    except FaultError:
        return False
