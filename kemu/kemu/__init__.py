"""Kemu: the rules of a board game are written once, then played and proved (docs/python.md).

    >>> import kemu
    >>> game = kemu.load("a-game", level="basic")       # or a path to a rules file
    >>> state = game.initial()
    >>> state = state.apply(state.actions()[0])         # or by number: state.step(state.legal()[0])

Everything public is a name of this module, and imported at its first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from kemu.api import (
        Action,
        BadInput,
        Batch,
        Change,
        Depth,
        Diagnostic,
        Explored,
        FaultError,
        Game,
        IllegalAction,
        Mark,
        Origin,
        OutOfRoom,
        Picture,
        Record,
        RecordError,
        Result,
        RulesError,
        SettingError,
        Span,
        State,
        StateError,
        Step,
        Trace,
        TraceStep,
        Verdict,
        explore,
        games,
        load,
        load_record,
        perft,
        record,
        replay,
        save_record,
        trace,
        verify,
        view,
    )

__all__ = [
    "Action",
    "BadInput",
    "Batch",
    "Change",
    "Depth",
    "Diagnostic",
    "Explored",
    "FaultError",
    "Game",
    "IllegalAction",
    "Mark",
    "Origin",
    "OutOfRoom",
    "Picture",
    "Record",
    "RecordError",
    "Result",
    "RulesError",
    "SettingError",
    "Span",
    "State",
    "StateError",
    "Step",
    "Trace",
    "TraceStep",
    "Verdict",
    "__version__",
    "explore",
    "games",
    "load",
    "load_record",
    "perft",
    "record",
    "replay",
    "save_record",
    "trace",
    "verify",
    "view",
]

if not TYPE_CHECKING:  # a type checker that saw this would take any name for a public one

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module 'kemu' has no attribute {name!r}")
        from kemu import api

        return getattr(api, name)

    def __dir__():
        return sorted(__all__)
