"""The public names (`import kemu`), all of them: what a name is, its own module says."""

from kemu_engine.batch.explore import Explored
from kemu_engine.batch.perft import Depth, OutOfRoom
from kemu_engine.kernel.nodes import Origin
from kemu_engine.lower.settings import SettingError
from kemu_engine.play.game import StateError
from kemu_engine.play.information import InformationState
from kemu_engine.play.record import Record, RecordError, Step
from kemu_engine.play.state import FaultError, IllegalAction, Result
from kemu_engine.play.trace import Change
from kemu_engine.play.view import Mark, Picture
from kemu_grammar.source.diagnostics import Diagnostic, RulesError
from kemu_grammar.source.span import Span
from kemu_verifier.goal.verdict import Verdict

from kemu.api.action import Action
from kemu.api.game import Game, State
from kemu.api.loading import games, load
from kemu.api.playing import (
    Trace,
    TraceStep,
    draw,
    load_record,
    record,
    replay,
    save_record,
    scene,
    trace,
    view,
)
from kemu.api.proving import verify
from kemu.api.searching import Batch, explore, perft
from kemu.base.library import BadInput

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
    "InformationState",
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
    "draw",
    "explore",
    "games",
    "load",
    "load_record",
    "perft",
    "record",
    "replay",
    "save_record",
    "scene",
    "trace",
    "verify",
    "view",
]

for _name in __all__:
    globals()[_name].__module__ = "kemu"  # where people, and pickles, find it
