"""Numbers of things on a large board, and that play ends, shown on the part of the state that they need."""

from __future__ import annotations

import pytest

from engine import kernel as k
from tests.rules import game_in
from verifier import bench, slices
from verifier.symbolic.facts import Facts
from verifier.symbolic.hiding import Hiding
from verifier.symbolic.pointing import Pointing
from verifier.verify import verify

MEADOW = """
game "Meadow"
players ann, bob
domain Spot = 0..11
domain Depth = 0..9
state:
    sheep: map[Spot, Player?]
    fence: map[Spot, Spot?]
    depth: map[Spot, Depth]
rules:
    for p in turns():
        choose graze(s in Spot) by p if sheep[s] is none
        sheep[s] = p
        depth[s] = depth[(s + 1) % 12]
        left: set[Spot] = {t for t in Spot if t < s and t > s - 3}
        while len(left) > 0:
            choose by p:
                build(t in left):
                    fence[t] = s
                    left -= {t}
                rest(t in left) if t > s - 2: left -= REMOVED
        if not any(sheep[t] is none for t in Spot):
            end tie
fun owned(p: Player): len({s for s in Spot if sheep[s] == p})
property half for p in Player: always owned(p) <= HALF
"""


@pytest.mark.parametrize(
    ("half", "removed", "halves", "ends"),
    [
        ("6", "{t}", "proved", "proved"),
        ("5", "{t}", "refuted", "proved"),
        ("6", "{}", "proved", "refuted"),
    ],
)
def test_counts_and_the_end_need_little_of_the_state(
    half: str, removed: str, halves: str, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not so is not proved there either: a sheep too many, a choice that leaves all as it was."""
    monkeypatch.setattr(bench, "STATES", 0)
    monkeypatch.setattr(slices, "SMALL", 0)
    monkeypatch.setattr(slices, "NEARLY", 1_000)
    game = game_in(MEADOW.replace("HALF", half).replace("REMOVED", removed))
    verdicts = {v.property: v for v in verify(game, ["half", "terminates"], seconds=30)}
    assert verdicts["half(ann)"].kind == halves, verdicts["half(ann)"]
    assert verdicts["terminates"].kind == ends, verdicts["terminates"]
    if halves == ends == "proved":
        assert "looking at sheep only" in verdicts["half(ann)"].by
        assert "looking at sheep only" in verdicts["terminates"].by


def test_what_is_chosen_points_somewhere_only_if_a_place_depends_on_it() -> None:
    program = game_in(MEADOW.replace("HALF", "6").replace("REMOVED", "{t}")).program
    hidden = frozenset(at for at, var in enumerate(program.vars) if var.name in ("fence", "depth"))
    pointing = Pointing(program, Hiding(program, Facts(program), hidden))
    arms = [arm for block in program.blocks if isinstance(block.exit, k.Decide) for arm in block.exit.arms]
    found = {arm.name: pointing.points(arm.target, [param.local for param in arm.params]) for arm in arms}
    assert found == {"graze": True, "build": False, "rest": False}
