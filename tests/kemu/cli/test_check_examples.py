"""`kemu check --coverage` and `--step`: what examples do not reach, and how one runs."""

from pathlib import Path

import pytest

from tests.kemu.conftest import CROSSES, Run

GAME = """\
game "Heap"
players ann, bob
domain Size = 0..3
state:
    heap: Size = 3
fun some() -> bool: heap > 0
fun odd_heap() -> bool: odd(heap)
rule take(n: 1..2) -> bool:
    left = heap - n
    heap = left
    return left == 0
rules:
    for p in turns():
        choose:
            one if some():
                over = take(1)
                if over:
                    end win(p)
            two if heap > 1:
                over = take(2)
                if over:
                    end win(p)
                    pass
            give_up if odd_heap():
                end win(other(p))
example "one, two":
    do: one; two
    expect: winner == ann
"""


@pytest.fixture
def heap(tmp_path: Path) -> str:
    file = tmp_path / "heap.kemu"
    file.write_text(GAME)
    return str(file)


def test_coverage_shows_the_lines_that_no_example_runs_and_no_claim_reads(kemu: Run, heap: str) -> None:
    told = kemu("check", "--coverage", heap).out
    assert "touch 10 of 13 statements, 2 of 3 actions and 2 of 2 functions; not these:" in told
    assert "in `rules`\n  --> heap.kemu:18:21\n   |\n18 |                     end win(p)\n\n" in told
    assert "the action `give_up` in `rules`" in told
    assert "24 |             give_up if odd_heap():\n25 |                 end win(other(p))" in told


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("property x: from any if heap > 0: run take(1) returns", "touch 10 of 13 statements, 2 of 3"),
        ("property x: at give_up always odd_heap()", "3 of 3 actions"),
        ("property x: always can give_up or not odd_heap() or heap == 0", "3 of 3 actions"),
        ('example "y":\n    expect: legal give_up', "3 of 3 actions"),
    ],
)
def test_claims_touch_what_they_name(kemu: Run, heap: str, claim: str, expected: str) -> None:
    Path(heap).write_text(f"{GAME}\n{claim}\n")
    assert expected in kemu("check", "--coverage", heap).out


def test_rules_that_only_a_claim_runs_are_touched_as_a_whole(kemu: Run, heap: str) -> None:
    without = GAME[: GAME.index("example")]
    Path(heap).write_text(without)
    assert "touch 0 of 13 statements" in kemu("check", "--coverage", heap).out
    Path(heap).write_text(without + "property x: from any if heap > 0: run take(1) returns\n")
    assert "touch 3 of 13 statements" in kemu("check", "--coverage", heap).out


def test_what_says_who_chooses_together_is_touched_by_the_choice(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "together.kemu").write_text(
        """\
game "Together"
players ann, bob
state:
    n: 0..9
fun is_in(p: Player): n < 5 or p == ann
rules:
    choose together for p in Player if is_in(p):
        put:
            n += 1
    end tie
example "both":
    do: put; put
    expect: n == 2
"""
    )
    assert (
        "touch 3 of 3 statements, 1 of 1 action and 1 of 1 function\n"
        in kemu("check", "together.kemu", "--coverage").out
    )


def test_an_example_is_stepped_through_with_what_each_statement_changes(kemu: Run, heap: str) -> None:
    told = kemu("check", heap, "--step", "one, two").out
    assert told.index("ann: one") < told.index("heap: 3 -> 2") < told.index("bob: two")
    assert "    9 |     left = heap - n   (take)\n        left = 2\n" in told
    assert "over = true" in told
    done = kemu("check", heap, "--step", "one, two")
    assert done.code == 64
    assert "winner == ann does not hold" in done.out


def test_the_board_is_shown_where_it_has_changed(kemu: Run) -> None:
    told = kemu("check", CROSSES, "--step", "three in a row").out
    assert "[x]" in told
    assert told.count("  1 2 3\n") == 2
    assert told.endswith("as expected\n")


def test_only_an_example_that_there_is_can_be_stepped_through(kemu: Run) -> None:
    assert 'did you mean "three in a row"?' in kemu("check", CROSSES, "--step", "three in row").err


def test_one_instance_alone(kemu: Run) -> None:
    told = kemu("check", CROSSES, "--instance", "none_such")
    assert told.code == 64 and "has no instance 'none_such'; there is large" in told.out
    assert [line.split(":")[0] for line in kemu("check", "go", "--instance", "five").out.splitlines()] == [
        "go",
        "  five",
    ]
    assert "--coverage looks at every instance" in kemu("check", "go", "--instance", "five", "--coverage").err
