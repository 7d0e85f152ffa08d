"""What is said to somebody who is to decide: why an action is not legal, the rule about it, where things can
be done."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from kemu_engine.kernel import nodes as k
from kemu_engine.play.refusal import Refusal, refusal
from kemu_engine.play.state import State

from kemu.base.library import shown as quoted
from kemu.render.board import Element
from kemu.render.refusal import explained, refused
from kemu.table.attempt import Attempt, asked_elsewhere, attempted, known, nearest
from kemu.table.drawn import Drawn
from kemu.table.input import NUMBER, narrowed, some, words
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
        found = self._refusal(attempt)
        if found is None:
            return []
        drawn = Drawn(self.state, self.sight)
        places = [drawn.places(param) for param in attempt.arm.params]
        close = nearest(attempt, self.state.actions(), places)
        near = f"Nearest: {some(close)}. " if close else ""
        return [f"{attempt.text}: {refused(self.state.program, found)}.", f"{near}`why` shows the rule."]

    @property
    def numbers(self) -> bool:
        """Whether an action here may be typed as a number: what it takes first begins with one."""
        domains = self.state.program.domains
        taken = (text for arm in self.arms for each in arm.params[:1] for text in domains[each.domain].texts)
        return any(NUMBER.fullmatch(word) for text in taken for word in words(text)[:1])

    def forbids(self, typed: str) -> bool:
        """Whether what was typed reads like an action that is not legal here, though it may be short for one
        that is: `1` where only 10 is possible."""
        attempt = attempted(typed, self.state)
        return (
            attempt is not None
            and known(attempt, self.state.program.domains) > 0
            and self._refusal(attempt) is not None
        )

    def _refusal(self, attempt: Attempt) -> Refusal | None:
        """What is not met, unless the words of the rules might tell a secret."""
        return refusal(self.state, attempt.arm, attempt.args) if self.sight.shows_rule(self.state) else None

    def elsewhere(self, typed: str) -> list[str]:
        """What is asked, if something was typed that is to be done at other times."""
        arms = asked_elsewhere(typed, self.state.program)
        offered = list(dict.fromkeys(action.name for action in self.state.actions()))
        if not arms or arms[0].name in offered:
            return []
        return [f"`{arms[0].name}` cannot be done now: {self.state.actor} chooses {some(offered)}."]

    def why(self, typed: str, width: int) -> list[str]:
        """The rule about an action that was typed, or about all that are offered."""
        attempt = attempted(typed, self.state)
        if typed and attempt is None:
            arms = asked_elsewhere(typed, self.state.program)
            told = self.elsewhere(typed) or [
                f"{quoted(typed)} is no action here; `?` lists what is possible."
            ]
            lines = [part for text in told for part in wrap(text, width, break_on_hyphens=False)]
            return [*lines, *explained(self.state.program, arms, None, width)]
        if not self.sight.shows_rule(self.state):
            return wrap("Which rule this is might tell a secret, so it is not shown.", width)
        found = None if attempt is None else self._refusal(attempt)
        told = [] if attempt is None or found is None else [refused(self.state.program, found)]
        shown = [part for text in told for part in wrap(f"{text}.", width, break_on_hyphens=False)]
        about = self.arms if attempt is None else (attempt.arm,)
        return [*shown, *explained(self.state.program, about, found, width)]

    def only(self, width: int) -> list[str]:
        """The rule about what is to be done, if that is a single action without a choice in it."""
        actions = self.state.actions()
        if len(actions) > 1 or actions[0].args or not self.sight.shows_rule(self.state):
            return []
        arms = [arm for arm in self.arms if arm.name == actions[0].name]
        return explained(self.state.program, arms, None, width, most=0)

    def places(self, typed: str) -> set[Element]:
        """What the possible actions that begin as typed speak of next, as far as it is drawn."""
        actions = self.state.actions()
        begun = set(narrowed(typed, [action.text for action in actions]))
        drawn = Drawn(self.state, self.sight)
        offered: set[Element] = set()
        for arm in self.arms:
            alike = [action for action in actions if action.name == arm.name and action.text in begun]
            if alike and alike[0].args:
                at = open_argument(alike)
                offered |= drawn.elements(arm.params[at], {action.args[at] for action in alike})
        return offered

    @property
    def arms(self) -> tuple[k.Arm, ...]:
        """What is offered here."""
        assert isinstance(self.state.stop, k.Decide)
        return self.state.stop.arms
