"""`payoff[p]` in claims and `Result.payoffs` are the same numbers, for every form of `end`."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import State
from kemu_grammar.source.diagnostics import RulesError

from tests.rules import game_in, play, sound_in

GAME = """\
game "Ends"
players ann, ben, cid
state:
    score: map[Player, 0..9] = {ann: 3, ben: 1, cid: 3}
rules:
    choose go(n in 1..2) by ann
    if n == 1:
        end FIRST
    end SECOND
property as_told: at_end payoff == {ann: A, ben: B, cid: C}
property sums: at_end sum(payoff[p] for p in Player) == 0
"""


def holds(state: State) -> list[bool]:
    return [bool(state.evaluate(p.exprs[0])) for p in state.program.properties]


@pytest.mark.parametrize(
    ("first", "second", "move", "payoffs"),
    [
        ("win(ben)", "tie", "go(1)", (-1, 2, -1)),
        ("win(ben)", "tie", "go(2)", (0, 0, 0)),
        ("rank(score)", "tie", "go(1)", (1, -2, 1)),
        ("rank({p: (score[p], 5 if p == cid else 0) for p in Player})", "tie", "go(1)", (0, -2, 2)),
        ("pays({ann: 3, ben: -7, cid: 4})", "win(cid)", "go(1)", (3, -7, 4)),
        ("pays({ann: 3, ben: -7, cid: 4})", "win(cid)", "go(2)", (-1, -1, 2)),
        ("pays({ann: 3, ben: -7, cid: 4})", "tie", "go(2)", (0, 0, 0)),
    ],
)
def test_what_each_gets(first: str, second: str, move: str, payoffs: tuple[int, ...]) -> None:
    text = GAME.replace("FIRST", first).replace("SECOND", second)
    for name, number in zip("ABC", payoffs, strict=True):
        text = text.replace(f": {name}", f": {number}")
    end = play(sound_in(text), move)
    assert end.result is not None
    assert tuple(end.result.payoffs.values()) == payoffs
    assert holds(end) == [True, True]


def test_ranks_and_payments_do_not_mix() -> None:
    text = GAME.replace("FIRST", "rank(score)").replace("SECOND", "pays(score)")
    with pytest.raises(RulesError) as found:
        game_in(text.replace("A,", "0,").replace("B,", "0,").replace("C}", "0}"))
    assert {d.code for d in found.value.diagnostics} == {"E0780"}
