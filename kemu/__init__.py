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
    from engine.action import Action as Action
    from engine.batch import Batch as Batch
    from engine.explore import explore as explore
    from engine.game import Game as Game
    from engine.instantiate import SettingError as SettingError
    from engine.perft import perft as perft
    from engine.record import Record as Record
    from engine.record import RecordError as RecordError
    from engine.record import load as load_record  # noqa: F401
    from engine.record import record as record
    from engine.record import replay as replay
    from engine.record import save as save_record  # noqa: F401
    from engine.state import FaultError as FaultError
    from engine.state import IllegalAction as IllegalAction
    from engine.state import Result as Result
    from engine.state import State as State
    from engine.trace import trace as trace
    from engine.view import view as view
    from grammar.diagnostics import RulesError as RulesError
    from kemu.api import games as games
    from kemu.api import load as load
    from kemu.api import verify as verify
    from kemu.find import BadInput as BadInput
    from verifier.verdict import Verdict as Verdict

WHERE = {
    "Action": "engine.action",
    "BadInput": "kemu.find",
    "Batch": "engine.batch",
    "FaultError": "engine.state",
    "Game": "engine.game",
    "IllegalAction": "engine.state",
    "Record": "engine.record",
    "RecordError": "engine.record",
    "Result": "engine.state",
    "RulesError": "grammar.diagnostics",
    "SettingError": "engine.instantiate",
    "State": "engine.state",
    "Verdict": "verifier.verdict",
    "explore": "engine.explore",
    "games": "kemu.api",
    "load": "kemu.api",
    "load_record": "engine.record:load",
    "perft": "engine.perft",
    "record": "engine.record",
    "replay": "engine.record",
    "save_record": "engine.record:save",
    "trace": "engine.trace",
    "verify": "kemu.api",
    "view": "engine.view",
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
