"""What a page is told of a game: the position as its viewer sees it, as plain data (kemu/web/README.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from kemu_engine.play.state import State

from kemu.findings.phrases import Phrases
from kemu.render.scene.data import as_json
from kemu.render.scene.scene import scene
from kemu.render.turn import who
from kemu.table.session import Session
from kemu.table.visibility import WATCHING, Sight, has_secrets

FORMAT, VERSION = "kemu-table", 1


@dataclass(slots=True)
class Seated:
    """A game, and who sits before the page. `viewer`: the player whose eyes it has where there are secrets;
    `phrases`: what is said of moves beside the rules file."""

    session: Session
    rules: str
    phrases: Phrases = field(default_factory=Phrases)
    viewer: str = WATCHING
    sights: dict[str, Sight] = field(default_factory=dict)

    def __post_init__(self) -> None:
        people = self.session.people
        if len(people) == 1:
            self.viewer = people[0]

    @property
    def hands_over(self) -> str:
        """The player who must come to the page before anything of his is shown; "" if nobody need."""
        session = self.session
        if session.waits and has_secrets(session.game) and session.state.actor != self.viewer:
            return session.state.actor or ""
        return ""

    @property
    def sight(self) -> Sight:
        """The game as the page may show it."""
        if self.viewer not in self.sights:
            self.sights[self.viewer] = Sight(self.session.game, self.viewer)
        return self.sights[self.viewer]

    def message(self) -> dict[str, Any]:
        """The whole position. Raises FaultError."""
        session, state = self.session, self.session.state
        acts = session.waits and not self.hands_over
        return {
            "format": FORMAT,
            "version": VERSION,
            "step": len(session.steps),
            "scene": self._scene(state, acts),
            "actions": [_action(each.name, each.args, each.text) for each in state.actions()] if acts else [],
            "parameters": _parameters(state) if acts else {},
            "log": [self._told(number) for number in range(len(session.steps))],
            "facts": self.sight.facts(state),
            "seats": dict(session.seats),
            "waits": acts,
            "over": state.is_end,
            "hand_over": self.hands_over,
        }

    def _scene(self, state: State, acts: bool) -> dict[str, Any]:
        found = scene(self.sight.position(state))
        if not acts and not state.is_end:  # what another may do can tell what he holds
            found = replace(found, status=who(state), picks=())
        return as_json(found)

    def _told(self, number: int) -> dict[str, Any]:
        """A step as the viewer may know it."""
        session = self.session
        step, before = session.steps[number], session.states[number]
        text = step.text if session.opened(number) else self.sight.told(before, step.text)
        words = self.phrases.said(before.label if before.is_chance else "", text)
        return {"who": who(before), "player": step.actor or "", "text": text, "words": words}


def _action(name: str, args: tuple[str, ...], text: str) -> dict[str, Any]:
    return {"name": name, "args": list(args), "text": text}


def _parameters(state: State) -> dict[str, list[str]]:
    """The names of the parameters of each action."""
    arms = getattr(state.stop, "arms", ())
    return {arm.name: [param.name for param in arm.params] for arm in arms}
