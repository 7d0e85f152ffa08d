"""Sets that version 1 of the language went through in the order in which they are written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kemu_grammar.game.game import Game
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.versions import changed_since
from kemu_grammar.syntax import ast as t
from kemu_grammar.syntax.walk import children

from kemu_engine.lower.instantiate import Instance
from kemu_engine.lower.settings import SettingError
from kemu_engine.static.eval import Evaluator
from kemu_engine.static.problems import StaticFault
from kemu_engine.static.values import Value, arranged, text_of
from kemu_engine.support.stack import deep


def reordered(game: Game) -> tuple[Diagnostic, ...]:
    """The first place in each file that does not say for which version it is written, where a set is gone
    through that is written out in another order than that of its elements.
    """
    told: dict[str, Diagnostic] = {}
    parts = (*game.names.values(), game.rules, *game.unders, *game.properties, *game.examples)
    with deep():
        try:
            evaluator = Instance(game, {}, None).evaluator
            for written in _gone_through(parts):
                file = written.span.file
                order = () if file in told or file in game.versioned else _order(written, evaluator)
                if order:
                    told[file] = _told(written, order)
        except (RulesError, SettingError, StaticFault, RecursionError):
            return ()
    return tuple(told.values())


def _gone_through(node: Any) -> Iterator[t.SetOf]:
    """Sets that are written where something goes through them."""
    match node:
        case (
            t.For(source=t.SetOf() as written)
            | t.Clause(source=t.SetOf() as written)
            | t.Parameter(source=t.SetOf() as written)
            | t.Call(value=t.Name(id="first"), args=(t.SetOf() as written, *_))
        ):
            yield written
    for child in children(node):
        yield from _gone_through(child)


def _order(written: t.SetOf, evaluator: Evaluator) -> tuple[Value, ...]:
    """The elements in their order, if they are written in another and are known before play."""
    try:
        values = tuple(dict.fromkeys(evaluator.eval(item, {}) for item in written.items))
    except (RulesError, StaticFault, TypeError):
        return ()
    order = tuple(arranged(values))
    return () if order == values else order


def _told(written: t.SetOf, order: tuple[Value, ...]) -> Diagnostic:
    message = f"this set is gone through as {', '.join(map(text_of, order))}: {changed_since(1)}"
    note = "write a list, `[...]`, to keep the order; `language 2` says that the file is right as it stands"
    return Diagnostic("E0775", written.span, message, ((None, note),))
