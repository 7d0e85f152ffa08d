"""Serves: the public interface, the command line, drawing and the table.

    >>> import kemu
    >>> game = kemu.load("a-game", level="basic")       # or a path to a rules file
    >>> state = game.initial()
    >>> state = state.apply(state.actions()[0])

Everything public is a name of this module; what is imported for it is imported at its first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kemu_engine.batch.batch import Batch as Batch
    from kemu_engine.batch.explore import explore as explore
    from kemu_engine.batch.perft import perft as perft
    from kemu_engine.lower.settings import SettingError as SettingError
    from kemu_engine.play.action import Action as Action
    from kemu_engine.play.game import Game as Game
    from kemu_engine.play.record import Record as Record
    from kemu_engine.play.record import RecordError as RecordError
    from kemu_engine.play.record import load as load_record  # noqa: F401
    from kemu_engine.play.record import record as record
    from kemu_engine.play.record import replay as replay
    from kemu_engine.play.record import save as save_record  # noqa: F401
    from kemu_engine.play.state import FaultError as FaultError
    from kemu_engine.play.state import IllegalAction as IllegalAction
    from kemu_engine.play.state import Result as Result
    from kemu_engine.play.state import State as State
    from kemu_engine.play.trace import trace as trace
    from kemu_engine.play.view import view as view
    from kemu_grammar.source.diagnostics import RulesError as RulesError
    from kemu_verifier.goal.verdict import Verdict as Verdict

    from kemu.base.library import BadInput as BadInput
    from kemu.service.api import games as games
    from kemu.service.api import load as load
    from kemu.service.api import verify as verify

WHERE = {
    "Action": "kemu_engine.play.action",
    "BadInput": "kemu.base.library",
    "Batch": "kemu_engine.batch.batch",
    "FaultError": "kemu_engine.play.state",
    "Game": "kemu_engine.play.game",
    "IllegalAction": "kemu_engine.play.state",
    "Record": "kemu_engine.play.record",
    "RecordError": "kemu_engine.play.record",
    "Result": "kemu_engine.play.state",
    "RulesError": "kemu_grammar.source.diagnostics",
    "SettingError": "kemu_engine.lower.settings",
    "State": "kemu_engine.play.state",
    "Verdict": "kemu_verifier.goal.verdict",
    "explore": "kemu_engine.batch.explore",
    "games": "kemu.service.api",
    "load": "kemu.service.api",
    "load_record": "kemu_engine.play.record:load",
    "perft": "kemu_engine.batch.perft",
    "record": "kemu_engine.play.record",
    "replay": "kemu_engine.play.record",
    "save_record": "kemu_engine.play.record:save",
    "trace": "kemu_engine.play.trace",
    "verify": "kemu.service.api",
    "view": "kemu_engine.play.view",
}
"""The module that each public name comes from, and its name there if that is another."""

__all__ = list(WHERE)


def __getattr__(name: str) -> Any:
    if name not in WHERE:
        raise AttributeError(f"module 'kemu' has no attribute {name!r}")
    module, _, attribute = WHERE[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return sorted(WHERE)
