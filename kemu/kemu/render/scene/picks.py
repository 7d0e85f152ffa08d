"""Where a parameter of an action is picked: on what of a view shows its values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

from kemu.render.scene.data import Board, Pick

NUMBER = re.compile(r"-?\d+")


def picks(state: State, boards: Iterable[Board]) -> tuple[Pick, ...]:
    """For each parameter of the actions that can be done now, the domains on whose shapes it is picked. What
    could be two parameters of an action is the one that has fewer values: a die is no number of a point."""
    stop, program = state.stop, state.program
    if not isinstance(stop, k.Decide):
        return ()
    now = {choice.arm for choice in state.choices}
    every = (shape for board in boards for shape in board.shapes)
    drawn = {(each.domain, each.element) for each in every if each.element}
    found = []
    for at, arm in enumerate(stop.arms):
        if at in now:
            texts = [frozenset(program.domains[param.domain].texts) for param in arm.params]
            places = [shown(drawn, each) for each in texts]
            for number, param in enumerate(arm.params):
                others = range(len(texts))
                closer = (places[each] for each in others if len(texts[each]) < len(texts[number]))
                if own := places[number] - set().union(*closer):
                    found.append(Pick(arm.name, param.name, tuple(sorted(own))))
    return tuple(found)


def shown(drawn: Iterable[tuple[str, str]], texts: Set[str]) -> set[str]:
    """The domains to which things with these texts belong, of the elements that are drawn: what only reads
    the same, the number of a column or a point of another grid, is something else."""
    found: dict[str, set[str]] = {}
    for domain, element in drawn:
        found.setdefault(domain, set()).add(element)
    if all(map(NUMBER.fullmatch, texts)):
        return {name for name, elements in found.items() if name and elements <= texts}
    alike = {name: elements for name, elements in found.items() if texts <= elements or elements <= texts}
    if all(text.isidentifier() for text in texts):
        return {*alike}
    closest = min((abs(len(texts) - len(elements)) for elements in alike.values()), default=0)
    return {name for name, elements in alike.items() if abs(len(texts) - len(elements)) == closest}
