"""What is supposed in some states only must not take others away: forged proofs that would rest on that."""

from pathlib import Path

from tests.checker.written import number, op, written

HALVES = """
game "Halves"
players ann
state:
    a: 0..9 = 8
    b: TYPE
    c: 0..9 = 0
rules:
    for p in turns():
        choose step by p
        a += 1
        c = VALUE
"""


def halves(kind: str, value: str) -> str:
    return HALVES.replace("TYPE", kind).replace("VALUE", value)


def test_a_quotient_of_an_integer_that_may_be_out_of_its_type(tmp_path: Path) -> None:
    game = written(tmp_path, halves("0..10 = 10", "(a + b) // 10"))
    game.induction("b", {"rules.step": [op("eq", game.load("b"), number(10))]})
    assert game.judge("no_fault", "refuted", kind="all states") == "confirmed"
    assert game.judge("no_fault", "proved", kind="excluded", proofs=["b"]) == "wrong"


def test_a_quotient_by_a_sum(tmp_path: Path) -> None:
    game = written(tmp_path, halves("1..5 = 5\n    e: 1..5 = 5", "a // (b + e)"))
    assert game.judge("no_fault", "refuted", kind="all states") == "confirmed"
    assert game.judge("no_fault", "proved", kind="excluded", proofs=[]) == "wrong"


SIDE = """
game "Side"
players ann
state:
    x: 0..9 = 0
rules:
    for i in 1..9:
        choose by ann:
            go:
                x = min(9, x + 1)
            leave:
                choose side by ann if x != 5
                end win(ann)
    end win(ann)
property seven: never x == 7
"""


def test_a_stop_where_play_cannot_go_on_says_nothing_of_the_way_beside_it(tmp_path: Path) -> None:
    game = written(tmp_path, SIDE)
    (side,) = [stop for stop in game.blocks if "side" in stop]
    game.induction("s", {side: [op("ne", game.load("x"), number(5))]})
    assert game.judge("seven", "refuted", kind="all states") == "confirmed"
    for steps in (1, 2, 3):
        assert game.judge("seven", "proved", kind="steps", proofs=["s"], steps=steps) == "wrong"


ISLANDS = """
game "Islands"
players ann
domain Isle = 0..15
state:
    bridge: map[Isle, Isle?] = {i: i for i in Isle}
    at: Isle = 0
fun over(i: Isle) -> Isle: bridge[i]
fun around(i: Isle): closure({i}, x -> {over(x)})
rules:
    bridge[3] = none
    for p in turns():
        choose step(k in Isle) by p
        at = k
property self: always at in around(at)
"""


def test_a_claim_whose_large_closure_faults_does_not_hold(tmp_path: Path) -> None:
    game = written(tmp_path, ISLANDS)
    assert game.judge("self", "refuted", kind="all states") == "confirmed"
    assert game.judge("self", "proved", kind="excluded", proofs=[]) == "open"
