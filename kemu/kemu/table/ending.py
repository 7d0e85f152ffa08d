"""Why a game at the table ended, and where the board shows it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kemu_engine.lower.settings import SettingError
from kemu_engine.play.ending import Reason, reasons
from kemu_engine.play.state import IllegalAction
from kemu_grammar.game.game import Game
from kemu_grammar.game.marked import marked
from kemu_grammar.source.diagnostics import RulesError

from kemu.base.library import BadInput
from kemu.base.opening import made, wanted
from kemu.render.board import Element
from kemu.table.drawn import Drawn
from kemu.table.session import Session
from kemu.table.visibility import Sight, has_secrets

MOST_PLACES = 12  # that decided a game; of more, none is marked
PLACE = re.compile(r"(\w+)\[(.*)\]")


def behind(session: Session, rules: Game) -> list[Reason]:
    """The conditions that ended the game; none if they cannot be found out, or are nobody's business."""
    game = session.game
    if has_secrets(game) or not session.steps or session.states[0] != game.initial():
        return []
    leaving_marks = marked(rules)
    texts = tuple(f"{name}={value}" for name, value in game.settings.items())
    try:
        with_marks = made(leaving_marks.game, wanted(leaving_marks.game, texts, len(game.players), None))
        return reasons(with_marks, leaving_marks, [step.text for step in session.steps])
    except (BadInput, IllegalAction, RulesError, SettingError):  # the rules are others now
        return []


def decided(session: Session, sight: Sight, found: Sequence[Reason]) -> set[Element]:
    """What the views show of the places that the conditions read, if these are few."""
    drawn = Drawn(session.state, sight)
    places = [place for each in found for text in each.places for place in PLACE.findall(text)]
    if len(places) > MOST_PLACES:
        return set()
    indices = {var.name: frozenset(var.labels) for var in session.game.program.vars}
    return {element for name, at in places for element in drawn.among(indices.get(name, frozenset()), {at})}
