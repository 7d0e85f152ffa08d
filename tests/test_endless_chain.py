"""Tongiaki's endless chains with the real cards: whole games from the opening, two players.

Where the rulebook's test strikes a chain (T18 in spec/tongiaki/rules.md), is it one that the mover cannot
end, and are there others? The same games are played with the chain never struck, and all that he can do is
looked at. What holds of any map is in spec/tongiaki/chain/chain.kemu.
"""

from __future__ import annotations

import pytest
from kemu_engine.play.state import State

from tests.instances import with_settings

pytestmark = pytest.mark.slow

OPENING = "settle((tonga, 0)); settle((tonga, 1)); settle((tonga, 2)); settle((tonga, 3))"
POND = (
    "restart; tubuai; lay_at((tonga, 3)); settle((tubuai, 0)); restart; w13; lay_at((tubuai, 1)); w15;"
    " lay_at((w13, 5)); w16; lay_at((tubuai, 4)); w01; lay_at((tubuai, 5)); nauru; lay_at((tonga, 0));"
    " settle((nauru, 1))"
)
"""Blue begins anew on Tubuai; yellow lays four waters around it, all of which lead back."""

SIX = (
    "expand(tubuai); add({(tubuai, 1)}); expand(nauru); add({(nauru, 0)}); expand(tubuai);"
    " add({(tubuai, 0), (tubuai, 1)}); expand(nauru); add({(nauru, 1), (nauru, 2)}); expand(tubuai);"
    " add({(tubuai, 0), (tubuai, 1)})"
)
FOUR = (
    "expand(tubuai); add({(tubuai, 0)}); expand(nauru); add({(nauru, 0)}); expand(tubuai);"
    " add({(tubuai, 0), (tubuai, 1)})"
)
"""Blue's boats on Tubuai: three on each of its two beaches; or three and one."""

ROYAL = (
    "restart; tubuai; lay_at((tonga, 3)); settle((tubuai, 0)); restart; w01; lay_at((tubuai, 2)); w16;"
    " lay_at((tubuai, 4)); w13; lay_at((w16, 5)); nauru; lay_at((tubuai, 1)); settle((nauru, 1));"
    " expand(tubuai); add({(tubuai, 1)}); found(nauru); expand(tubuai); add({(tubuai, 0), (tubuai, 1)});"
    " two_on_tonga; settle((tonga, 0)); settle((tonga, 1)); expand(tubuai); add({(tubuai, 0), (tubuai, 1)})"
)
"""Two of Tubuai's jetties lead to Nauru, where yellow has a king, who turns blue's boats back."""


RING = (
    "restart; tubuai; lay_at((tonga, 5)); settle((tubuai, 0)); restart; w15; lay_at((tubuai, 1)); w01;"
    " lay_at((w15, 4)); w03; lay_at((w01, 3)); w06; lay_at((w03, 4)); w07; lay_at((w06, 4)); w02;"
    " lay_at((w07, 5)); w10; lay_at((w07, 3)); w11; lay_at((w10, 4)); w12; lay_at((w11, 3)); w05;"
    " lay_at((w12, 4)); w04; lay_at((w05, 5)); rarotonga; lay_at((w04, 2)); settle((rarotonga, 0));"
    " expand(tubuai); add({(tubuai, 1)}); restart; w13; lay_at((rarotonga, 5)); w16; lay_at((w05, 2)); w09;"
    " lay_at((w16, 5)); samoa; lay_at((tonga, 2)); settle((samoa, 0))"
)
"""One beach of Tubuai leads to Rarotonga, the other back; so do those of Rarotonga, the other way round."""

EIGHT = (
    "expand(tubuai); add({(tubuai, 0), (tubuai, 1)}); expand(samoa); add({(samoa, 2)}); expand(tubuai);"
    " add({(tubuai, 0), (tubuai, 1)}); emigrate((tubuai, 1)); land(blue, (rarotonga, 0));"
    " land(blue, (rarotonga, 1)); land(blue, (rarotonga, 0)); emigrate((tubuai, 4)); land(blue, (tubuai, 0));"
    " land(blue, (tubuai, 1)); land(blue, (tubuai, 0)); expand(samoa); add({(samoa, 1), (samoa, 2)});"
    " expand(tubuai); add({(tubuai, 0), (tubuai, 1)})"
)
"""Blue's boats: five on Tubuai, three of them on one beach, and three on Rarotonga."""


def after(reading: str, *parts: str) -> State:
    state = with_settings("tongiaki", {"T18": reading, "T8": "no"}, players=2).initial()
    for part in parts:
        for text in part.split("; "):
            state = state.apply(text)
    return state


def chain(state: State) -> tuple[set[State], set[State]]:
    """All that can follow while the chain lasts; and where it is over."""
    seen, over, waiting = {state}, set[State](), [state]
    while waiting:
        here = waiting.pop()
        if here.label not in ("emigrate", "land"):
            over.add(here)
            continue
        for choice in range(len(here.choices)):
            following = here.follow(choice)
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return seen, over


@pytest.mark.parametrize(
    ("boats", "states"),
    [((POND, SIX), 7), ((ROYAL,), 7), ((RING, EIGHT), 25)],
    ids=["six boats", "with a royal island", "two islands"],
)
def test_a_chain_that_nothing_ends(boats: tuple[str, ...], states: int) -> None:
    """[L7] [L11] Whatever the mover does, the chain goes on, and comes back to where it was."""
    state = after("no_matter", OPENING, *boats)
    assert (state.actor, state.label) == ("blue", "emigrate")
    seen, over = chain(state)
    assert len(seen) == states and not over
    way = [state]
    while way[-1].follow(0) not in way:
        way.append(way[-1].follow(0))


def test_a_chain_that_is_struck_though_the_mover_could_end_it() -> None:
    """[T18] With four boats they come to rest, two on each beach."""
    seen, over = chain(after("no_matter", OPENING, POND, FOUR))
    assert over and any(state.label == "land" for state in seen)
    for boats in (FOUR, SIX):
        state = after("straight_back", OPENING, POND, boats).apply("emigrate((tubuai, 1))")
        assert lost(state) == {"tubuai"}


def test_when_two_islands_are_struck() -> None:
    """[L11] At once, or when the chain has gone round a hundred times."""
    first = "emigrate((tubuai, 1))"
    at_once = after("no_way_out", OPENING, RING, EIGHT.partition(first)[0] + first)
    assert lost(at_once) == {"tubuai", "rarotonga"}
    state, voyages = after("straight_back", OPENING, RING, EIGHT), 0
    while not lost(state):
        voyages += state.label == "emigrate"
        state = state.follow(0)
    assert voyages == 101 and lost(state) == {"tubuai", "rarotonga"}


def lost(state: State) -> set[str]:
    """The islands that have left the game."""
    place, pile = state["place"], state["pile"]
    assert isinstance(place, dict) and isinstance(pile, list)
    return {card for card, cell in place.items() if cell == "none" and card not in pile}
