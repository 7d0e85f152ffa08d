"""Where the board shows what an argument of an action may be."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State
from kemu_engine.play.view import Mark

from kemu.render.board import Element
from kemu.render.scene.picks import shown
from kemu.table.visibility import Sight


@dataclass(frozen=True, slots=True)
class Drawn:
    """The pictures of a position, as the person at the screen sees them."""

    state: State
    sight: Sight

    def elements(self, param: k.Param, texts: Set[str]) -> set[Element]:
        """Those of the texts of the parameter that are drawn."""
        return self.among(self._texts(param), texts)

    def among(self, every: Set[str], texts: Set[str]) -> set[Element]:
        """Those of the texts that are drawn; `every`: what they are taken from."""
        marks = self._marks(shown(self._elements(), every))
        return {(mark.domain, mark.element) for mark in marks if mark.element in texts}

    def places(self, param: k.Param) -> dict[str, tuple[int, int]]:
        """Where the first view that shows something of the parameter draws it."""
        marks = self._marks(shown(self._elements(), self._texts(param)))
        return {mark.element: (mark.x, mark.y) for mark in reversed(marks)}

    def _marks(self, domains: Set[str]) -> list[Mark]:
        marks = [mark for picture in self.sight.pictures(self.state) for mark in picture.marks]
        return [mark for mark in marks if mark.glyph and mark.domain in domains]

    def _texts(self, param: k.Param) -> frozenset[str]:
        return frozenset(self.state.program.domains[param.domain].texts)

    def _elements(self) -> dict[str, set[str]]:
        """All that the views may show as text, by domain."""
        found: dict[str, set[str]] = {}
        for view in self.state.program.views:
            for spot in view.spots:
                found.setdefault(spot.domain, set()).add(spot.element)
        return found
