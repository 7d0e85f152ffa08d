"""Functions that call themselves during play, so often as they say; before play they keep to it as well."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, sound_in

GAME = """\
game "Deep"
players ann, ben
domain Four = 1..4
record Both(sum: 0..99, odd: bool)
state:
    n: 0..9 = 3
    m: 0..99
    yes: bool
    next: map[Four, Four?] = {1: 3, 2: none, 3: 4, 4: 2}
fun down(k: 0..9) recursive at most 4 -> 0..99: n if k == 0 else k + down(k - 1)
fun known(k: 0..9) recursive at most 4 -> 0..99: 0 if k == 0 else k + known(k - 1)
fun far(f: Four) recursive at most 4 -> 0..4: 1 + (0 if next[f] is none else far(next[f]))
fun is_even(k: 0..9) recursive at most 5 -> bool: (n == 3) if k == 0 else is_odd(k - 1)
fun is_odd(k: 0..9) recursive at most 5 -> bool: (n != 3) if k == 0 else is_even(k - 1)
fun both(k: 0..9) recursive at most 4 -> Both:
    if k == 0:
        return Both(n, false)
    below = both(k - 1)
    return Both(below.sum + k, not below.odd)
fun leaves(seen: set[Four]) recursive at most 5 -> 1..99:
    if len(seen) == n:
        return 1
    return sum(leaves(seen | {f}) for f in Four if f not in seen)
fun twice(k: 0..9): down(k) + down(k)
rules:
    STATEMENT
    choose go by ann
    end tie
"""


def after(statement: str) -> dict[str, object]:
    game = sound_in(GAME.replace("STATEMENT", statement))
    state = game.initial()
    return {name: state[name] for name in ("m", "yes")}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("down(3)", 9), ("down(n) + down(0)", 12), ("known(n)", 6), ("known(3)", 6), ("far(1)", 4),
        ("far(3) + far(2)", 4), ("both(n).sum", 9), ("leaves({})", 24), ("twice(n)", 18),
        ("1 if both(3).odd else 0", 1), ("1 if is_even(4) and is_odd(n) else 0", 1),
        ("known(n) + known(2) + known(n)", 15),
    ],
)  # fmt: skip
def test_what_it_gives(expression: str, value: int) -> None:
    assert after(f"m = {expression}")["m"] == value


@pytest.mark.parametrize("expression", ["down(4)", "down(n + 1)", "known(n + 1)", "both(9).sum"])
def test_a_call_beyond_the_bound_is_a_fault(expression: str) -> None:
    with pytest.raises(FaultError, match="calls itself more than 4 deep"):
        game_in(GAME.replace("STATEMENT", f"m = {expression}")).initial()


def test_before_play_the_bound_holds_however_often_it_was_asked() -> None:
    game = GAME.replace("rules:", "const deep = known(2) + known(3) + known(4)\nrules:")
    with pytest.raises(RulesError) as found:
        game_in(game.replace("STATEMENT", "pass"))
    assert "more than 4 deep" in found.value.diagnostics[0].message


@pytest.mark.parametrize(
    ("function", "code"),
    [
        ("fun f(k: 0..9) -> 0..99: n if k == 0 else f(k - 1)", "E0724"),
        ("fun f(k: 0..9) recursive at most 3: n if k == 0 else f(k - 1)", "E0732"),
        ("fun f(k: 0..9) recursive at most 101 -> 0..99: n if k == 0 else f(k - 1)", "E0727"),
        ("fun f(k: 0..9) recursive at most 0 -> 0..99: n", "E0727"),
        ("fun f(k: 0..9) recursive at most 3 -> list[0..9, 3]: [n] if k == 0 else f(k - 1)", "E0733"),
    ],
)
def test_what_is_refused(function: str, code: str) -> None:
    use = "m = f(2)[0]" if "list" in function else "m = f(2)"
    with pytest.raises(RulesError) as found:
        game_in(GAME.replace("rules:", f"{function}\nrules:").replace("STATEMENT", use))
    assert [d.code for d in found.value.diagnostics] == [code]
