"""Tongiaki's endless chains with the real cards: whole games from the opening, two players.

Where the rulebook's test strikes a chain (T18 in spec/tongiaki/rules.md), is it one that the mover cannot
end? The same games are played with the chain never struck, and all that he can do is looked at. What holds of
any map is in spec/tongiaki/chain/chain.kemu.
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


def after(reading: str, *parts: str) -> State:
    state = with_settings("tongiaki", {"T18": reading}, players=2).initial()
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


@pytest.mark.parametrize("boats", [(POND, SIX), (ROYAL,)], ids=["six boats", "with a royal island"])
def test_a_chain_that_nothing_ends(boats: tuple[str, ...]) -> None:
    """[L7] Whatever the mover does, the chain goes on, and comes back to where it was."""
    state = after("no_matter", OPENING, *boats)
    assert (state.actor, state.label) == ("blue", "emigrate")
    seen, over = chain(state)
    assert len(seen) == 7 and not over
    way = [state]
    while way[-1].follow(0) not in way:
        way.append(way[-1].follow(0))


def test_a_chain_that_is_struck_though_the_mover_could_end_it() -> None:
    """[T18] With four boats they come to rest, two on each beach."""
    seen, over = chain(after("no_matter", OPENING, POND, FOUR))
    assert over and any(state.label == "land" for state in seen)
    state = after("every_way_back", OPENING, POND, FOUR).apply("emigrate((tubuai, 1))")
    assert state["place"]["tubuai"] == "none"  # type: ignore[index,call-overload]
    state = after("every_way_back", OPENING, POND, SIX).apply("emigrate((tubuai, 1))")
    assert state["place"]["tubuai"] == "none"  # type: ignore[index,call-overload]
