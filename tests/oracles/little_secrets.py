"""What players of a little game know: all pairs of plays that look alike to somebody are gone through.

After docs/secrets.md: two plays look alike to a player if he has seen and was told the same in both, in
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.oracles.little_meaning import Meaning, State

PAIRS = 20_000
"""Of states in which two plays that look alike can be: if there are more, the question is left."""


def secrets(meaning: Meaning) -> dict[str, str]:
    """Whether `informed` and `no_leak` hold, of what could be decided."""
    nobody = len(meaning.game.players)
    asked = {"informed": range(nobody), "no_leak": (nobody,)}
    found = {}
    for key, seers in asked.items():
        said = [_alike(meaning, seer) for seer in seers]
        if False in said or None not in said:
            found[key] = "refuted" if False in said else "proved"
    return found


def _alike(meaning: Meaning, seer: int) -> bool | None:
    """Whether a player may do the same in all plays that look alike to him; whether all that follows from
    them looks the same to somebody without a seat, whose number is that after the last. None: there are too
    many."""
    seated = seer < len(meaning.game.players)
    number = {state: at for at, state in enumerate(meaning.after)}
    sight = {state: _sees(meaning, state, seer) for state in meaning.after}
    asked = {state: _asked(meaning, state) for state in meaning.after}
    may = {state: _may(meaning, state, seer) for state in meaning.after}
    steps = {
        state: [(_told(meaning, state, name, seer), after) for name, after in some if after is not None]
        for state, some in meaning.steps.items()
    }
    todo = [] if meaning.first is None else [(meaning.first, meaning.first)]
    met = set(todo)
    while todo:
        for heard, one in steps[(pair := todo.pop())[0]]:
            for heard_too, other in steps[pair[1]]:
                if heard != heard_too:
                    continue
                same = sight[one] == sight[other]
                if not seated and not (same and asked[one] == asked[other]):
                    return False
                if seated and same and may[one] != may[other]:
                    return False
                both = (one, other) if number[one] <= number[other] else (other, one)
                if same and asked[one] == asked[other] and both not in met:
                    met.add(both)
                    todo.append(both)
        if len(met) > PAIRS:
            return None
    return True


def _sees(meaning: Meaning, state: State, seer: int) -> tuple[Any, ...]:
    """What he sees of the variables."""
    game, v = meaning.game, meaning.values(state)
    shown = []
    for name in meaning.names:
        match game.secrets.get(name):
            case None:
                shown.append(v[name])
            case ("to", who) if who == seer:
                shown.append(v[name])
            case ("others", who) if who != seer and seer < len(game.players):
                shown.append(v[name])
            case ("own" | "other" as kind,):
                whose = [p == seer if kind == "own" else p != seer for p in range(len(game.players))]
                seated = seer < len(game.players)
                shown.append([n for n, his in zip(v[name], whose, strict=True) if his and seated])
    return tuple(shown)


def _asked(meaning: Meaning, state: State) -> tuple[Any, ...]:
    """Who is asked, and what for; whether the game is over."""
    names = tuple(action.name for action in meaning.menu(state))
    return (state[2], names) if names else (state[0],)


def _may(meaning: Meaning, state: State, seer: int) -> frozenset[str] | None:
    if not meaning.menu(state) or state[2] != seer:
        return None
    return frozenset(name for name, _ in meaning.steps[state])


def _told(meaning: Meaning, state: State, name: str, seer: int) -> str:
    """What he is told of a step from there."""
    game = meaning.game
    match (state[0], *game.chance) if state[0] == "chance" else (state[0],):
        case ("choose",):
            heard = not game.sealed or state[2] == seer
        case ("deal",):
            heard = meaning.deals[state[1]][0] not in game.secrets
        case (_, "draw"):
            heard = "o" not in game.secrets
        case (_, "reveal", _, to):
            heard = to in (None, seer)
        case _:
            heard = True
    return name if heard else "?"
