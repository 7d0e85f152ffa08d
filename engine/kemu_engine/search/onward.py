"""How a player would go on after an action, as long as it is still for him to decide: read in the trees that
a search has grown."""

from __future__ import annotations

from kemu_engine.play.state import FaultError, State
from kemu_engine.run.wasm.programs.tree import root
from kemu_engine.search.mcts import Search
from kemu_engine.search.thought import Branch, Thought, together

MOST = 6
"""Actions that are told of."""
SURE = 16
"""Games in which an action must have been tried to be told of."""


def onward(search: Search, state: State, number: int, trees: int | None = None) -> tuple[str, ...]:
    """What whoever decides in the state would do after his action of that number, until somebody else is to
    decide, or chance, or too little is known. Just after `search.think(state)`; `trees`: how many grew then;
    None: all. Nothing where there is no tree, as in Python or with secrets."""
    player, found = state.player, list[str]()
    nodes = [root(each) for each in search._searchers[:trees]]
    while nodes := [each for each in nodes if each.children == len(state.choices)]:
        nodes = [each.child(number) for each in nodes]
        try:
            state = state.follow(number)
        except FaultError:
            break
        nodes = [each for each in nodes if each.children == len(state.choices)]
        if not nodes or len(found) == MOST or not state.is_decision or state.player != player:
            break
        kids = [[each.child(at) for at in range(each.children)] for each in nodes]
        thought = together([Thought(tuple(Branch(*kid.told(player)) for kid in each), 0) for each in kids])
        number = thought.best
        if thought.branches[number].visits < SURE and not thought.branches[number].proved:
            break
        found.append(state.moves()[number].text)
    return tuple(found)
