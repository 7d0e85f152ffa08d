"""Secrets: planted leaks come out refuted, by two plays that look alike; games without one, proved."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from kemu_engine.kernel.information_flow import InformationFlow
from kemu_engine.play.replay import replay
from kemu_verifier.goal.verdict import Verdict
from kemu_verifier.strategy import strategy
from kemu_verifier.strategy.context import ProofContext
from kemu_verifier.strategy.told_late import told_late
from kemu_verifier.strategy.verify import verify
from kemu_verifier.symbolic.deadline import Deadline

from tests.rules import game_in

HEAD = """
language 2
game "Cards"
players ann, bob
enum Card: low, high
state:
    deck: bag[Card] hidden = {low: 2, high: 2}
    shown: Card?
    flag: bool
    row: list[Card, 2]
    history past of flag
    each p in Player:
        hand: Card? secret to p
fun one(n: 0..2) recursive at most 4 -> bool: two(n - 1) if n > 0 else hand[ann] == high
fun two(n: 0..2) recursive at most 4 -> bool: one(n - 1) if n > 0 else hand[bob] == high
rules:
    for p in Player:
        hand[p] = draw from deck
"""
ASKED = """
choose by bob:
    go: end win(ann)
    stay: end win(bob)
"""
TWO_STOPS = """
if hand[ann] == low:
    choose by bob:
        wait: pass
        stay if false: pass
else:
    choose wait by bob
"""
LEAKS = {
    "a public variable set from a hidden card": ("shown = hand[ann]", "no_leak"),
    "a public flag that is worked out from it": ("if hand[ann] == high: flag = true", "no_leak"),
    "a flag that keeps its value in the other case": ("flag = flag or hand[ann] == hand[bob]", "no_leak"),
    "a local that holds it across a decision": (
        "glance = hand[ann]\nchoose wait by bob\nshown = glance", "no_leak"
    ),
    "a list of the rules that holds it": (
        "seen: list[Card, 2] = []\nseen = seen + [hand[ann]]\nchoose wait by bob\nshown = seen[0]", "no_leak"
    ),
    "who moves first": (
        "first = ann if hand[ann] == high else bob\nchoose begin by first", "no_leak informed"
    ),
    "which of two menus is shown": (
        "if hand[ann] == high:\n    choose by bob:\n        up: pass\n        out: pass\n"
        "else:\n    choose by bob:\n        down: pass\n        out: pass",
        "no_leak informed",
    ),
    "whether bob is asked at all": ("if hand[ann] == high:\n    choose wait by bob", "no_leak informed"),
    "how often he is asked": (
        "for c in Card if hand[ann] == high or c == low:\n    choose wait by bob", "no_leak informed"
    ),
    "whether the game ends": ("if hand[ann] == high: end win(ann)", "no_leak informed"),
    "a card drawn by way of a local": ("draw c from deck\nshown = c", "no_leak"),
    "whether anything is legal": (
        "choose beat by ann if hand[ann] == high\nelse: pass", "no_leak informed"
    ),
    "what never ends, in two ways": (
        "if hand[ann] == high:\n    for p in turns():\n        choose up by bob\n"
        "for p in turns():\n    choose down by bob", "no_leak informed"
    ),
    "a count in one of two plays without end": (
        "if hand[ann] == high:\n    for p in turns():\n        flag = not flag\n        choose up by bob\n"
        "for p in turns():\n    choose up by bob", "no_leak"
    ),
    "a function that asks another, and that the first": ("if one(2) or two(2): flag = true", "no_leak"),
    "the order of a list": ("row = [low, high] if hand[ann] == high else [high, low]", "no_leak"),
    "a history": ("if hand[ann] == high: note past", "no_leak"),
    "whether chance is asked": ("if hand[ann] == high:\n    d = roll 1..2", "no_leak informed"),
    "what an else does": (
        "choose by ann:\n    beat if hand[ann] == high: pass\nelse:\n    flag = true", "no_leak"
    ),
    "who is skipped": ("for p in Player if hand[p] == high:\n    choose wait by p", "no_leak informed"),
    "when the game ends": (
        "choose up by ann\nif hand[ann] == high: end win(ann)\nchoose on by ann", "no_leak"
    ),
    "how often a loop goes round": (
        "for i in 1..2 if hand[ann] == high or i == 1:\n    flag = not flag", "no_leak"
    ),
    "what is most": (
        "choose by ann:\n    take(c in Card):\n        n = 1 if hand[bob] == c else 0\n"
        "        require most n", "informed"
    ),
    "what a trial meets": (
        "choose by ann:\n    take(c in Card):\n        require hand[bob] != c", "informed"
    ),
    "a sealed choice that shows": ("sealed choose keep(c in Card) by ann\nshown = c", "no_leak"),
    "a choice that shows before it is told": (
        "for q in Player:\n    choose together for p in Player if p == q:\n        say(c in Card): shown = c",
        "no_leak",
    ),
    "what may be chosen by a choice that is not told": (
        "x: 0..1 = 0\nfor q in Player:\n    choose together for p in Player if p == q:\n"
        "        say(c in Card): x = 1 if c == high else 0\n        nay if x == 0: pass",
        "informed",
    ),
    "legality by another's card": (
        "choose by bob:\n    call if hand[ann] == low: pass\n    fold: pass", "informed"
    ),
    "legality by another's card, after stops that look alike": (
        TWO_STOPS + "choose by bob:\n    call if hand[ann] == low: pass\n    fold: pass", "informed"
    ),
    "legality by the deck": ("choose by bob:\n    call if deck[low] == 2: pass\n    fold: pass", "informed"),
}  # fmt: skip
SOUND = {
    "nothing is said": "pass",
    "a card is shown": "shown = reveal hand[ann]",
    "a card is shown to one": "c = reveal hand[ann] to bob\nhand[bob] = c",
    "a result is shown": "higher = reveal hand[ann] == high and hand[bob] == low\nif higher: flag = true",
    "the owner says it": "choose say(c in Card) by ann if c == hand[ann]\nshown = c",
    "legality by one's own card": "choose by ann:\n    beat if hand[ann] == high: pass\n    fold: pass",
    "a local that nobody sees": "glance = hand[ann]\nchoose wait by bob\nhand[ann] = glance",
    "two cards change hands": "glance = hand[ann]\nhand[ann] = hand[bob]\nhand[bob] = glance",
    "both choose at once": "choose together for p in Player:\n    say(c in Card):\n        shown = c",
    "a die under a cup": "hand[ann] = roll Card",
}


def rules(lines: str) -> str:
    return HEAD + indent(dedent(lines) + ASKED, "    ")


def answers(text: str) -> dict[str, Verdict]:
    return {v.property: v for v in verify(game_in(text), ["informed", "no_leak"], 5)}


@pytest.mark.parametrize("leak", LEAKS)
def test_a_planted_leak_is_refuted_by_two_plays_that_look_alike(leak: str) -> None:
    lines, names = LEAKS[leak]
    game = game_in(rules(lines))
    found = {v.property: v for v in verify(game, ["informed", "no_leak"], 5)}
    assert {name for name, v in found.items() if v.kind == "refuted"} == set(names.split())
    for name in names.split():
        verdict = found[name]
        _, _, other = verdict.detail.partition(": ")
        assert verdict.steps is not None
        one, two = (
            replay(game, steps).last for steps in (verdict.steps, other.partition("; ")[0].split(", "))
        )
        who = next((p for p in game.players if p in verdict.by), None)
        if who is not None:
            known = [state.information_state(who).stops for state in (one, two)]
            assert [stop.done for stop in known[0]] == [stop.done for stop in known[1]]
            assert [stop.before for stop in known[0]] == [stop.before for stop in known[1]]


@pytest.mark.parametrize("sound", SOUND)
def test_a_game_without_a_leak_is_proved(sound: str) -> None:
    assert {name: v.kind for name, v in answers(rules(SOUND[sound])).items()} == {
        "informed": "proved", "no_leak": "proved",
    }  # fmt: skip


def test_stops_look_alike_that_offer_actions_of_the_same_names() -> None:
    assert {v.kind for v in answers(rules(TWO_STOPS)).values()} == {"proved"}
    game = game_in(rules(TWO_STOPS))
    one, other = (replay(game, [card, "low", "wait"]).last for card in ("low", "high"))
    assert one.information_state("bob") == other.information_state("bob")


@pytest.mark.parametrize("leak", [leak for leak in LEAKS if "no_leak" in LEAKS[leak][1]])
def test_the_flow_of_information_sees_every_leak(leak: str) -> None:
    context = ProofContext(game_in(rules(LEAKS[leak][0])), 5, lambda text: None)
    assert InformationFlow(context.program).leaks or told_late(context, Deadline(5))


@pytest.mark.parametrize("leak", [leak for leak in LEAKS if "informed" in LEAKS[leak][1]])
def test_self_composition_proves_none_of_them(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy, "LOOK_ALIKES", 0)
    assert answers(rules(LEAKS[leak][0]))["informed"].kind == "unknown"


@pytest.mark.parametrize("sound", SOUND)
def test_where_there_is_none_the_proofs_do_without_search(
    sound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strategy, "LOOK_ALIKES", 0)
    assert {v.kind for v in answers(rules(SOUND[sound])).values()} == {"proved"}


SKIPPED = """
game "Skipped"
players ann, bob, cid
enum Card: low, high
rules:
    skip: bool = false
    for q in Player:
        choose together for p in Player if p == q and not (skip and p == bob):
            say(c in Card): skip = c == high
    end tie
"""


def test_who_is_asked_next_by_a_choice_that_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told only when all have chosen, and yet bob is left out if ann says high."""
    assert {name: v.kind for name, v in answers(SKIPPED).items()} == {
        "informed": "refuted", "no_leak": "refuted",
    }  # fmt: skip
    monkeypatch.setattr(strategy, "LOOK_ALIKES", 0)
    assert {v.kind for v in answers(SKIPPED).values()} == {"unknown"}
