"""How games end, by example; and that nothing depends on the seed of Python's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kemu_engine.play.state import Result

from tests.rules import game_in, play

ROOT = Path(__file__).parents[3]


def ending(end: str, more: str = "") -> Result:
    game = game_in(f"""\
game "Ends"
players ann, bob, cid
state:
    score:  map[Player, -9..9] = {{ann: 3, bob: -1, cid: 3}}
    shells: map[Player, 0..9] = {{ann: 1, bob: 5, cid: 1}}
fun richest(p: Player): shells[p] + (1 if p == cid else 0)
{more}rules:
    choose stop by ann
    {end}
""")
    result = play(game, "stop").result
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("end", "form", "places", "winner"),
    [
        ("end win(bob)", "win", (2, 1, 2), "bob"),
        ("end tie", "tie", (1, 1, 1), None),
        ("end rank(score)", "rank", (1, 3, 1), None),  # equals share the better place
        ("end rank(shells)", "rank", (2, 1, 2), "bob"),
        ("end rank((score, shells))", "rank", (1, 3, 1), None),
        ("end rank((score, richest))", "rank", (2, 3, 1), "cid"),  # the second breaks the tie of the first
        ("end pays({ann: 2, bob: -5, cid: 3})", "pays", (2, 3, 1), "cid"),
        ("end pays({p: score[p] * 2 for p in Player})", "pays", (1, 3, 1), None),
    ],
)
def test_the_ways_to_end(end: str, form: str, places: tuple[int, ...], winner: str | None) -> None:
    result = ending(end)
    assert (result.form, tuple(result.places.values()), result.winner) == (form, places, winner)


def test_payoffs_and_keys_are_the_scores() -> None:
    assert ending("end pays({ann: 2, bob: -5, cid: 3})").scores == {"ann": (2,), "bob": (-5,), "cid": (3,)}
    assert ending("end rank((score, shells))").scores == {"ann": (3, 1), "bob": (-1, 5), "cid": (3, 1)}


def test_the_first_end_counts() -> None:
    first = "for p in Player if score[p] == 3:\n        end win(p)\n    end tie"
    assert ending(first).winner == "ann"


def test_a_rule_may_end_the_game() -> None:
    assert ending("finish(cid)\n    end tie", "rule finish(p: Player):\n    end win(p)\n").winner == "cid"


PROBE = """
import sys
from pathlib import Path
from kemu.base.opening import load
for path in sys.argv[1:]:
    game = load(path)
    state = game.initial()
    print(game.hash, [m.text for m in state.moves()])
    for _ in range(6):
        if not state.is_end:
            state = state.follow(0)
    print(state.to_json())
"""


def test_programs_do_not_depend_on_the_seed_of_hashes() -> None:
    names = ("kuhn", "tic_tac_toe", "three", "forced_loop", "lost_for_ever")
    games = [str(ROOT / "tests" / "gallery" / f"{name}.kemu") for name in names] + ["moeraki-kemu"]
    said = {
        subprocess.run(
            [sys.executable, "-c", PROBE, *games],
            cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(said) == 1
