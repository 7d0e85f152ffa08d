"""What is said to somebody who is to decide: why an action is not legal, the rule about it, where things can
be done."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from kemu_engine.kernel import nodes as k
from kemu_engine.play.refusal import refusal
from kemu_engine.play.state import State

from kemu.base.library import shown
from kemu.render.refusal import explained, refused
from kemu.table.attempt import asked_elsewhere, attempted, nearest
from kemu.table.input import narrowed, some
from kemu.table.menu import open_argument
from kemu.table.visibility import Sight


@dataclass(frozen=True, slots=True)
class Advice:
    """At a decision, as the person at the screen sees it."""

    state: State
    sight: Sight

    def against(self, typed: str) -> list[str]:
        """Why an action that was typed is not legal, and what is legal close to it; nothing if it is like
        none."""
        attempt = attempted(typed, self.state)
        if attempt is None:
            return self.elsewhere(typed)
        found = refusal(self.state, attempt.arm, attempt.args)
        if found is None:
            return []
        close = nearest(attempt, self.state.actions(), self.drawn_at())
        near = f"Nearest: {some(close)}. " if close else ""
        return [f"{attempt.text}: {refused(self.state.program, found)}.", f"{near}`why` shows the rule."]

    def elsewhere(self, typed: str) -> list[str]:
        """What is asked, if something was typed that is to be done at other times."""
        name = asked_elsewhere(typed, self.state.program)
        offered = list(dict.fromkeys(action.name for action in self.state.actions()))
        if name is None or name in offered:
            return []
        return [f"`{name}` cannot be done now: {self.state.actor} chooses {some(offered)}."]

    def why(self, typed: str, width: int) -> list[str]:
        """The rule about an action that was typed, or about all that are offered."""
        attempt = attempted(typed, self.state)
        if typed and attempt is None:
            return [f"{shown(typed)} is no action here; `?` lists what is possible."]
        found = None if attempt is None else refusal(self.state, attempt.arm, attempt.args)
        told = [] if attempt is None or found is None else [refused(self.state.program, found)]
        lines = [part for text in told for part in wrap(f"{text}.", width, break_on_hyphens=False)]
        stop = self.state.stop
        assert isinstance(stop, k.Decide)
        arms = stop.arms if attempt is None else (attempt.arm,)
        return [*lines, *explained(self.state.program, arms, found, width)]

    def places(self, typed: str) -> set[str]:
        """What the possible actions that begin as typed speak of next, as far as it is drawn."""
        actions = self.state.actions()
        begun = set(narrowed(typed, [action.text for action in actions]))
        offered: set[str] = set()
        for name in {action.name for action in actions}:
            alike = [action for action in actions if action.name == name and action.text in begun]
            if alike and alike[0].args:
                at = open_argument(alike)
                offered |= {action.args[at] for action in alike}
        return offered & self.drawn_at().keys()

    def drawn_at(self) -> dict[str, tuple[int, int]]:
        """Where the first view that shows something draws it."""
        marks = [mark for picture in self.sight.pictures(self.state) for mark in picture.marks]
        return {mark.element: (mark.x, mark.y) for mark in reversed(marks)}
