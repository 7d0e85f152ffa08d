"""Assertions in rules: faults that carry a name, each a question of its own."""

from __future__ import annotations

import pytest
from kemu_engine.play.state import FaultError
from kemu_grammar.game.game import read_text
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.mutate.fate import Instance
from kemu_verifier.mutate.judge import Judge
from kemu_verifier.mutate.mutants import mutants
from kemu_verifier.strategy.verify import verify

from tests.rules import LIBRARY, game_in, play, texts

HEAP = """
    game "Heap"
    players ann, ben
    state:
        heap: 0..9 = 5
    fun spare(): heap < 5
    rules:
        for p in turns():
            choose take(n in 1..2) if n <= heap
            heap -= n
            assert odd_left: odd(heap) or heap == 0 or heap == 4      # [H7]
            assert some_left: spare()
            if heap == 0:
                end win(p)
"""


def verdicts(text: str, *names: str) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game_in(text), names or None, seconds=5)}


def test_an_assertion_that_does_not_hold_is_a_fault_with_its_name_and_place() -> None:
    game = game_in(HEAP)
    with pytest.raises(FaultError) as error:
        play(game, "take(1)", "take(2)")
    fault = error.value.fault
    origin = game.program.origins[fault.origin]
    assert (fault.code, fault.name, fault.message) == (
        "assertion",
        "odd_left",
        "`odd_left` does not hold here",
    )
    assert (origin.span.line, origin.cites) == (11, ("H7",))


def test_each_is_a_question_beside_the_properties() -> None:
    found = verdicts(HEAP)
    assert (found["odd_left"].kind, found["some_left"].kind, found["no_fault"].kind) == (
        "refuted",
        "proved",
        "refuted",
    )
    assert not found["odd_left"].standard and len(found["odd_left"].steps or ()) == 2
    assert list(verdicts(HEAP, "some_left")) == ["some_left"]


def test_one_that_holds_is_no_fault() -> None:
    found = verdicts(HEAP.replace("heap == 4 ", "heap <= 4"))
    assert {found[q].kind for q in ("odd_left", "some_left", "no_fault")} == {"proved"}
    assert "vacuous" not in found["odd_left"].detail


def test_a_trial_is_no_play() -> None:
    """What `require` forbids never happens, so no assertion on the way there can fail."""
    text = """
        game "Trial"
        players ann
        state:
            heap: 0..3 = 3
        rules:
            choose take(n in 1..3) by ann
            heap -= n
            assert one_left: heap > 0
            require heap > 0
            end tie
    """
    assert texts(game_in(text).initial()) == ["take(1)", "take(2)"]
    assert verdicts(text, "one_left")["one_left"].kind == "proved"


def test_a_rule_called_twice_asserts_once() -> None:
    text = """
        game "Twice"
        players ann, ben
        state:
            n: 0..9
        rule more(k: 0..9):
            n += k
            assert small: n < 8
        rules:
            choose by ann:
                go:                                                       # [T1]
                    more(1)
                run:                                                      # [T2]
                    more(9)
            end tie
    """
    assert [v for v in verdicts(text) if v == "small"] == ["small"]
    assert verdicts(text)["small"].steps == ("run",)


def test_mutation_takes_an_assertion_for_a_claim_and_not_for_a_rule() -> None:
    text = "\n".join(line[4:] for line in HEAP.replace("heap == 4 ", "heap <= 4").splitlines())
    game = read_text(text, "test.kemu", LIBRARY)
    found = list(mutants(game))
    assert not any(m.span.line in (6, 11, 12) for m in found)  # neither the assertions nor what only they use
    more = next(m for m in found if m.after == "6")
    fate = Judge(game, [Instance("as it stands")], 1, None).judge(more)
    assert (fate.kind, fate.by) == ("property", "some_left")
