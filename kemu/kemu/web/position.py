"""What a page is told of a game: the position as its viewer sees it, as plain data (kemu/web/README.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from kemu_engine.kernel.text import UNSEEN
from kemu_engine.play.state import State

from kemu.findings.phrases import Phrases
from kemu.render.scene.scene import Scenes, begun
from kemu.render.turn import who
from kemu.table.session import Session
from kemu.table.visibility import WATCHING, Sight, has_secrets

FORMAT, VERSION = "kemu-table", 1

Told = tuple[State, str, bool, dict[str, Any]]
"""An entry of the log: the state after the step, whose eyes it is for, whether all is told, what it says."""


@dataclass(slots=True)
class Seated:
    """A game, and who sits before the page. `viewer`: the player whose eyes it has where there are secrets;
    `phrases`: what is said of moves beside the rules file."""

    session: Session
    rules: str
    phrases: Phrases = field(default_factory=Phrases)
    viewer: str = WATCHING
    sights: dict[str, Sight] = field(default_factory=dict)
    scenes: dict[str | None, Scenes] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)

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
    def decides(self) -> bool:
        """Whether it is for the viewer to decide."""
        return self.session.waits and not self.hands_over

    @property
    def sight(self) -> Sight:
        """The game as the page may show it."""
        if self.viewer not in self.sights:
            self.sights[self.viewer] = Sight(self.session.game, self.viewer)
        return self.sights[self.viewer]

    def message(self) -> dict[str, Any]:
        """The whole position. Raises FaultError."""
        session, state = self.session, self.session.state
        acts = self.decides
        return {
            "format": FORMAT,
            "version": VERSION,
            "step": len(session.steps),
            "scene": self._scene(state, acts),
            "actions": [_action(each.name, each.args, each.text) for each in state.actions()] if acts else [],
            "parameters": _parameters(state) if acts else {},
            "log": self._log(),
            "facts": self.sight.facts(state),
            "seats": dict(session.seats),
            "waits": acts,
            "over": state.is_end,
            "hand_over": self.hands_over,
            "undo": session.can_undo,
        }

    def _scene(self, state: State, acts: bool) -> dict[str, Any]:
        seer, seen = self.sight.viewer, self.sight.position(state)
        if seer not in self.scenes:
            self.scenes[seer] = begun(seen)
        found = self.scenes[seer].as_json(seen)
        if acts or state.is_end:
            return found
        # what another may do can tell what he holds
        return {name: each for name, each in found.items() if name != "picks"} | {"status": who(state)}

    def _log(self) -> list[dict[str, Any]]:
        """What happened; entries that still hold are not made again."""
        session = self.session
        del self.told[len(session.steps) :]
        for number in range(len(session.steps)):
            key = (session.states[number + 1], self.viewer, session.opened(number))
            kept = self.told[number] if number < len(self.told) else None
            if kept is None or kept[0] is not key[0] or kept[1:3] != key[1:]:
                self.told[number : number + 1] = [(*key, self._entry(number, key[2]))]
        return [entry for *_, entry in self.told]

    def _entry(self, number: int, opened: bool) -> dict[str, Any]:
        """A step as the viewer may know it: of a secret one what he saw of it."""
        session = self.session
        step, before, after = session.steps[number], session.states[number], session.states[number + 1]
        text = step.text if opened else self.sight.told(before, step.text)
        words = self.phrases.said(before.label if before.is_chance else "", text)
        if text == UNSEEN:
            known = self.sight.facts(before)
            words = "; ".join(each for each in self.sight.facts(after) if each not in known)
        return {"who": who(before), "player": step.actor or "", "text": text, "words": words}


@lru_cache(1 << 14)
def _action(name: str, args: tuple[str, ...], text: str) -> dict[str, Any]:
    return {"name": name, "args": list(args), "text": text}


def _parameters(state: State) -> dict[str, list[str]]:
    """The names of the parameters of each action."""
    arms = getattr(state.stop, "arms", ())
    return {arm.name: [param.name for param in arm.params] for arm in arms}
