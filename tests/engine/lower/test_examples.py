"""Examples: where they begin, what they do and expect, and what is said if they cannot begin."""

from __future__ import annotations

import pytest
from kemu_engine.play.examples import ExampleResult, run_examples
from kemu_grammar.source.diagnostics import Diagnostic, RulesError

from tests.engine.lower.test_claims import HEAD, RULES
from tests.rules import sound_in

EXAMPLES = """\
example "as play begins":
    do: take(red); bob answer(3); roll 2
    expect: n == 2; k == red; legal bob take(blue); illegal ann take(blue); legal == {take(blue)}
example "something given":
    given: n = 6; s |= {green}; k = blue; row += [green]; pile[green] = 1; score[ann] = 9
    do: take(green)
    expect: n == 6; k == green; len(s) == 3; row == [blue, red, green]; len(pile) == 4; score[ann] == 9
example "at a stop":
    at take, p = bob:
        k = red
        n = 0
    do: bob take(blue); answer(1); roll 1
    expect: winner == bob; n == 1; winners == {bob}
example "at a stop within a rule":
    at answer, p = cid:
        n = 1
    do: cid answer(2)
    expect: n == 3
example "at chance":
    at roll, p = cid: n = 5
    do: roll 2
    expect: n == 2; legal take(blue)
example "the first of several":
    at ask, p = cid: n = 2
    do: answer(1)
    expect: n == 3
example "for few" if len(Player) == 2:
    do: take(red)
    expect: n == 99
"""


def test_examples_hold() -> None:
    results = run_examples(sound_in(HEAD + EXAMPLES + RULES))
    assert [r.message for r in results if not r.passed] == [] and len(results) == 6


def test_locals_of_every_kind_are_given_at_a_stop() -> None:
    text = """\
example "all":
    at go, a = 4, b = blue, c = none, d = {green}, e = true, f = (2, 1), g = [red], h = {blue: 2}, i = bob:
        n = 1
    do: go
    expect: n == 4; k == blue; o is none; s == {green}; row == [red]; pile == {blue: 2}; stone[(2, 1)] == bob
"""
    rules = """\
rules:
    a: 0..9 = n
    b: Hue = k
    c: Hue? = red
    d: set[Hue] = s
    e: bool = false
    f: Spot = (1, 1)
    g: list[Hue, 3] = row
    h: bag[Hue, 4] = pile
    i: Player? = none
    while n < 9:
        choose go by ann
        if n == 1:
            break
        a = n; b = k; c = o; d = s; e = not e; f = (1, 2); g = row; h = pile; i = ann
    n = a; k = b; o = c; s = d; row = g; pile = h
    stone[f] = i
    if not e:
        n = 9
    choose stop by ann
    end tie
"""
    (result,) = run_examples(sound_in(HEAD + text + rules))
    assert result.message == ""


CHANCE = """\
game "Chance"
players ann, ben
enum Card: ace, king
domain Pair = (c: Card, n: 0..2)
state:
    deck: bag[Card] = {ace: 2, king: 1}
    pairs: set[Pair] = {(ace, 0), (king, 2)}
rules:
    a = roll -1..2
    draw b from deck
    draw c from pairs
    choose go(x in 1..3) by ann if x > a
    end win(ann if b == king else ben)
example "as the interface writes it":
    do: -1; king; (king, 2); ann go(2)
    expect: winner == ann
example "as the rules write it":
    do: roll -1; draw king; draw (king, 2); ann go(2)
    expect: winner == ann
example "what may come":
    do: 2
    expect: legal king; legal == {ace, king}
"""


def test_an_outcome_has_one_text_and_may_have_the_word_of_its_stop_before_it() -> None:
    game = sound_in(CHANCE)
    assert [result.message for result in run_examples(game)] == ["", "", ""]
    first = game.initial()
    assert first.apply("roll -1") == first.apply("-1")
    assert first.apply("2").apply("draw king") == first.apply("roll 2").apply("king")


# ------------------------------------------------------------------- positions that play can come to


def begun(text: str, rules: str = RULES) -> list[ExampleResult]:
    return run_examples(sound_in(f"{HEAD}{text}{rules}"))


def refused(text: str, rules: str = RULES) -> Diagnostic:
    with pytest.raises(RulesError) as found:
        sound_in(f"{HEAD}{text}{rules}")
    return found.value.diagnostics[0]


@pytest.mark.parametrize("given", ["p = cid", "p = cid, rules.p = bob", "rules.p = bob"])
def test_a_parameter_takes_its_argument_and_tells_it(given: str) -> None:
    (result,) = begun(f'example "x":\n    at answer, {given}: n = 1\n    do: cid answer(2); roll 1\n')
    assert result.final is not None and result.final.result is not None  # it was bob's turn: the game is over


SHARED = """\
rule bid(q: Player, m: 0..9):
    choose offer(x in 1..9) by q if x > m
    n = x
rules:
    for p in turns():
        bid(p, 3)
        bid(left(p), n)
        if n == 9:
            end win(p)
"""


def test_of_several_calls_the_first_is_meant_that_fits() -> None:
    first, second = begun(
        """\
example "by the first call":
    at offer, q = bob:
        n = 5
    expect: legal offer(4)
example "by the second":
    at offer, q = bob, m = 5:
        n = 5
    do: offer(9)
    expect: winner == ann
""",
        SHARED,
    )
    assert (first.message, second.message) == ("", "")


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ("at answer:", "E0771", "play needs `p` to go on from `answer`: give it as in `at answer, p = ...`"),
        ("at answer, p = cid, rules.p = cid:", "E0772", "`p` of `ask` follows from `p` of `rules` there"),
        ("at take, p = bob, q = ann:", "E0606", "no name `q`"),
    ],
)
def test_what_is_missing_or_contradicts_is_told(given: str, code: str, words: str) -> None:
    text = f'{HEAD}example "x":\n    {given} n = 1\n    expect: n == 1\n{RULES}'
    with pytest.raises(RulesError) as found:
        sound_in(text)
    assert (found.value.diagnostics[0].code, words in found.value.diagnostics[0].message) == (code, True)


LAPS = """\
rules:
    for p in turns():
        m = n + 1
        for q in Player:
            repeat at most 3:
                choose go(x in 1..9) by q if x <= m
                if x == 3:
                    break
            if q == bob:
                end tie
"""


def test_locals_follow_from_the_state_that_is_given() -> None:
    results = begun(
        """\
example "at a decision":
    at go, p = bob, q = ann:
        n = 4
    expect: legal go(5); illegal go(6)
example "at the beginning":
    given: n = 4
    expect: legal go(5); illegal go(6)
example "in the first lap, before the players behind":
    at go, p = bob, q = ann:
        n = 4
    do: ann go(1); ann go(2); ann go(3); bob go(3)
    expect: winner is none
example "otherwise":
    at go, p = bob, q = ann, m = 4:
        n = 4
    expect: legal go(1)
""",
        LAPS,
    )
    assert [result.passed for result in results] == [True, True, True, False]
    assert "no play comes to `go` like this: `m` of `rules` follows from `n` there" in results[3].message


def test_a_loop_asks_where_it_is() -> None:
    assert "play needs `q`" in refused('example "x":\n    at go, p = bob:\n        n = 4\n', LAPS).message


def test_a_stop_that_an_instance_never_comes_to() -> None:
    text = 'example "x":\n    at lonely:\n        n = 4\nrule never():\n    choose lonely by ann\n'
    assert refused(text).code == "E0745"


@pytest.mark.parametrize(
    "given",
    ["at take, p = none:", "at stop, p = ann, b = 4, c = (blue, 0):", "at stop, b = 11:", "at stop, b = 0:"],
)
def test_what_cannot_be_given(given: str) -> None:
    rules = """
rules:
    for p in turns():
        choose take(x in s)
        b = n + 1
        c = (x, b)
"""
    rules += """
        choose stop
        n = b if c[1] > 1 else 0; k = c[0]
        if k == red:
            end tie
"""
    with pytest.raises(RulesError) as found:
        sound_in(
            f'{HEAD}example "x":\n    {given}\n        n = 1\n    do: take(red)\n    expect: n == 1\n{rules}'
        )
    assert found.value.diagnostics[0].code in ("E0746", "E0709")


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        ("n == 4", "the left side is 3, the right side 4"),
        ("k == red", "the left side is green, the right side red"),
        ("o is some and n == 4", "does not hold"),
        ("n < 9 and n == len(s)", "the left side is 3, the right side 2"),
        ("s == {red}", "the left side is {red blue}, the right side {red}"),
        ("row == [red]", "the left side is [blue red], the right side [red]"),
        ("pile == {red: 1}", "the left side is {redx2 blue}, the right side {red: 1}"),
        ("2 < n < 3", "the left side is 3, the right side 3"),
        ("legal bob take(red)", "bob is not to move: ann is at take: take(red), take(blue)"),
    ],
)
def test_a_failed_expectation_says_what_was_there(expected: str, told: str) -> None:
    (result,) = run_examples(sound_in(f'{HEAD}example "x":\n    expect: {expected}\n{RULES}'))
    assert not result.passed and told in result.message
