"""How steps are worked out: functions once, sums of few integers. What only seems to follow is stopped."""

from pathlib import Path

import pytest
from kemu_checker.text import BadText

from tests.checker.written import Written, op, written

COUNTS = """
game "Counts"
players ann
domain Place = 0..2
state:
    x: 0..3 = 0
    on: bool
    a: 0..9 = 0
    b: 0..9 = 0
    row: map[Place, 0..2 = 0]
fun much(n: 0..3) -> 0..9: sum(row[q] for q in Place if q <= n) + x
fun rest(n: 0..3) -> 0..3: n - x
rules:
    while true:
        choose by ann:
            {}
            stop: end win(ann)
property same: always a == b
"""
AT, END = "rules.choose", "rules.end win"


def counts(folder: Path, *lines: str) -> Written:
    """A game with an action of these lines."""
    return written(
        folder, COUNTS.replace("{}", "go:" + "".join(f"\n                {each}" for each in lines))
    )


def excluded(game: Written, key: str, *facts: str) -> str:
    """The verdict on a claim, by an induction that these are kept."""
    game.induction("kept", {AT: list(facts), END: list(facts)})
    return game.judge(key, "proved", kind="excluded", proofs=["kept"])


@pytest.mark.parametrize(
    ("between", "verdict"),
    [
        pytest.param("pass", "confirmed", id="nothing"),
        pytest.param("x = min(x + 1, 3)", "wrong", id="a number that it reads is written"),
        pytest.param("row[1] = 2 - row[1]", "wrong", id="an element that it reads is written"),
        pytest.param("if on: x = 0", "wrong", id="it may be written"),
        pytest.param("on = not on", "confirmed", id="what it does not read is written"),
    ],
)
def test_a_function_is_worked_out_once_as_long_as_what_it_reads_is_the_same(
    tmp_path: Path, between: str, verdict: str
) -> None:
    game = counts(tmp_path, "a = much(1)", between, "b = much(1)")
    assert excluded(game, "same", op("eq", game.load("a"), game.load("b"))) == verdict


def test_a_function_is_worked_out_for_each_argument(tmp_path: Path) -> None:
    game = counts(tmp_path, "a = much(1)", "b = much(2)")
    assert excluded(game, "same", op("eq", game.load("a"), game.load("b"))) == "wrong"


def test_a_fault_that_is_met_again_is_one(tmp_path: Path) -> None:
    """The first time nobody comes there."""
    game = counts(tmp_path, "if on: a = rest(2)", "b = rest(2)")
    assert excluded(game, "no_fault", op("not", game.load("on"))) == "wrong"


def test_a_function_that_reads_more_than_what_it_is_given(tmp_path: Path) -> None:
    game = counts(tmp_path, "a = much(1)", "b = much(1)")
    given = next(i for i, local in enumerate(game.program.locals) if local.name == "much.n")
    assert f"Local(Int(0,3,),{given}," in game.text()
    game.edited = {f'Function("much",[{given},]': 'Function("much",[]', "[Const(Int(1,1,),1,),],)": "[],)"}
    with pytest.raises(BadText, match="read where it is not set"):
        excluded(game, "same")


SUMS = """
game "Sums"
players ann
domain Place = 0..2
state:
    a: 0..2 = 0
    b: -1..2 = 0
    row: map[Place, 0..2 = 0]
rules:
    while true:
        choose by ann:
            go(i in 0..2, j in -1..2, p in Place):
                a = i
                b = j
                row[p] = i
            stop: end win(ann)
"""


@pytest.mark.parametrize(
    ("total", "low", "high"),
    [
        ("a + b", -1, 4),
        ("2 * a - b + 3", 1, 8),
        ("a - a + b", -1, 2),
        ("a + b + b", -2, 6),
        ("a - (b + 1)", -3, 2),
        ("-(a + b)", -4, 1),
        ("(a - 2 * b) * (b - 2 * a)", -20, 4),
        ("(a + b) * (1 - a)", -4, 2),
        ("(a + b) // 2", -1, 2),
        ("(a + b) % 3", 0, 2),
        ("min(a + b, 3)", -1, 3),
        ("abs(a - 2 * b)", 0, 4),
        ("row[0] + row[1] - row[2]", -2, 4),
        ("row[min(2, abs(a + b))] + a", 0, 4),
        ("(a + b if a > 0 else b - 3)", -4, 4),
    ],
)
def test_a_sum_lies_between_its_ends_and_comes_to_them(
    tmp_path: Path, total: str, low: int, high: int
) -> None:
    claims = {f"low{n}": f"always {total} >= {n}" for n in (low, low + 1)}
    claims |= {f"high{n}": f"always {total} <= {n}" for n in (high, high - 1)}
    text = "".join(f"property {name.replace('-', 'm')}: {claim}\n" for name, claim in claims.items())
    game = written(tmp_path, SUMS + text)
    found = [excluded(game, name.replace("-", "m")) for name in claims]
    assert found == ["confirmed", "wrong", "confirmed", "wrong"]
