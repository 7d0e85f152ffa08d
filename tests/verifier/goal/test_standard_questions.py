"""The standard questions: what an author may expect of them, the lines that are met; reasons for verdicts."""

from __future__ import annotations

import pytest
from kemu_engine.play.game import Game
from kemu_engine.play.steps import Steps, lines_of
from kemu_grammar.check.builtins import STANDARD
from kemu_verifier.goal.questions import called, unbidden
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy.verify import verify

from tests.rules import game_in

LOOP = """
    game "Loop"
    players ann, bob
    state:
        at: 0..5 = 0
    rules:
        for p in turns():
            choose:
                go:
                    at = (at + 1) % 3
                jump if at > 2:
                    at = 0
                stop:
                    end rank({p: 0 for p in Player})
"""


def verdicts(text: str) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game_in(text), seconds=5)}


def test_their_names_are_known_to_the_checker() -> None:
    names = {question.name.split("(")[0] for question in unbidden(game_in(LOOP).program)}
    assert names == set(STANDARD) - {"ends_almost_surely"}  # nothing is left to chance there


def test_without_expectations_each_surprises() -> None:
    found = verdicts(LOOP)
    surprising = {name: v.kind for name, v in found.items() if v.surprise}
    assert surprising == {
        "terminates": "refuted",
        "action_possible(jump)": "impossible",
        "branch_possible(test.kemu 12)": "impossible",
        "result_determined": "refuted",
    }


def test_an_author_says_what_he_expects_of_them() -> None:
    said = """
    property terminates expect refuted
    property result_determined if len(Player) == 2 expect refuted
    property action_possible(jump) expect impossible
    property branch_possible expect any
    property informed if len(Player) == 3 expect refuted
    """
    found = verdicts(LOOP + said)
    assert not any(v.surprise for v in found.values())
    assert all(v.standard for v in found.values())


def test_a_claim_of_the_same_form_speaks_for_the_standard_question() -> None:
    found = verdicts(LOOP + "    property ends expect refuted: terminates\n")
    assert not found["ends"].surprise and not found["terminates"].surprise
    assert found["terminates"].steps == found["ends"].steps


def test_a_claim_that_cannot_be_worked_out_says_so() -> None:
    text = LOOP + "    fun of(p: Player, x): x[p]\n    property one: always of(ann, {}) == 0\n"
    one = verdicts(text)["one"]
    assert one.kind == "refuted"
    assert "cannot be worked out there: the map has no ann" in one.detail


def test_steps_tell_the_lines_that_they_meet_up_to_a_fault() -> None:
    text = """
    game "Lines"
    players ann, bob
    state:
        at: 0..2 = 0
    rules:
        for p in turns():
            choose:
                go:
                    at = 1
                    at = at + at
                    at = at + 1
                stop:
                    end tie
    """
    game = game_in(text)
    lines = lines_of(game.program)
    for reader in (game, Game(game.program, reader="interpreter")):
        steps = Steps(reader)
        start, _, _ = steps.begin()
        assert start is not None
        after, fault, met = steps.follow(start, 0)
        told = [line for (_, line), origins in lines.items() if steps.mask(origins) & met]
        assert (after, fault >= 0, told) == (None, True, [10, 11])
        end, _, met = steps.follow(start, 1)
        assert end is not None and end.is_end
        assert [line for (_, line), origins in lines.items() if steps.mask(origins) & met] == [14]


def test_what_the_options_exclude_is_not_asked_of_an_instance() -> None:
    text = """
    game "Options"
    players ann, bob
    option deep: yes | no = no
    state:
        sunk: map[Player, bool]
    fun may(p: Player, n: 1..3): deep == yes and not sunk[p] and n < 3
    rules:
        for p in turns():
            choose:
                dive(n in 1..3) if may(p, n):
                    sunk[p] = true
                stop:
                    end tie
    """
    named = {deep: {q.name for q in unbidden(game_in(text, deep=deep).program)} for deep in ("yes", "no")}
    assert {"action_possible(dive)", "branch_possible(test.kemu 12)"} <= named["yes"]
    assert named["yes"] - named["no"] == {"action_possible(dive)", "branch_possible(test.kemu 12)"}


@pytest.mark.parametrize("place", ["settle", "the second turn.settle"])
def test_a_claim_at_several_stops_is_asked_for_by_its_name(place: str) -> None:
    assert called(f"f(blue) at {place}") == (f"f(blue) at {place}", "f(blue)", "f")
