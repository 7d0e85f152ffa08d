"""Where a parameter of an action is picked: on what of a view shows its values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from functools import lru_cache

from kemu_engine.kernel import nodes as k
from kemu_engine.play.state import State

from kemu.render.scene.data import Pick

NUMBER = re.compile(r"-?\d+")


def picks(state: State, drawn: Mapping[str, Set[str]]) -> tuple[Pick, ...]:
    """For each parameter of the actions that can be done now, the domains on whose shapes it is picked. What
    could be two parameters of an action is the one that has fewer values: a die is no number of a point.
    `drawn`: the elements that are, by domain."""
    stop, program = state.stop, state.program
    if not isinstance(stop, k.Decide):
        return ()
    now = {choice.arm for choice in state.choices}
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


def shown(drawn: Mapping[str, Set[str]], texts: Set[str]) -> set[str]:
    """The domains to which things with these texts belong, of the elements that are drawn, by domain: what
    only reads the same, the number of a column or a point of another grid, is something else."""
    numbers, names = _kind(frozenset(texts))
    if numbers:
        return {name for name, elements in drawn.items() if name and elements <= texts}
    alike = {name: elements for name, elements in drawn.items() if texts <= elements or elements <= texts}
    if names:
        return {*alike}
    closest = min((abs(len(texts) - len(elements)) for elements in alike.values()), default=0)
    return {name for name, elements in alike.items() if abs(len(texts) - len(elements)) == closest}


@lru_cache(1 << 10)
def _kind(texts: Set[str]) -> tuple[bool, bool]:
    """Whether they are numbers, whether they are names."""
    return all(map(NUMBER.fullmatch, texts)), all(text.isidentifier() for text in texts)
