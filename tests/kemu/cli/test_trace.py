"""`kemu trace`: every statement of the rulebook with what encodes it, and what `kemu check` says of it."""

import json
from pathlib import Path

import pytest

from tests.kemu.conftest import Run

RULES = """\
## Match: two take turns, the third turn ends it. [S1]
game "Match"
players ann, ben
reading K1 "who wins": last | nobody = last

state:
    n: 0..3                                    # [S2]

rules:
    for p in turns():
        choose next                            # [P1]
        n += 1                                 # [P1]
        if n == 3:
            end win(p if K1 == last else ann)  # [P2]

example "three turns":                         # [X1]
    do: next; next; next
    expect: winner == ann
"""
STATEMENTS = """\
# Match

## S. Set-up

- **[S1]** (note) Two people, a table and time.
- **[S2]** Nothing is counted yet.

## P. Play

- **[P1]** They take turns.
- **[P2]** The third turn wins.
- **[K1]** Who wins?
- **[X1]** (example) Ann wins the first game.
"""


@pytest.fixture(autouse=True)
def game(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "match.kemu").write_text(RULES)
    (tmp_path / "rules.md").write_text(STATEMENTS)


def test_every_statement_is_shown_with_what_encodes_it(kemu: Run) -> None:
    done = kemu("trace", "match.kemu")
    assert done.code == 0, done.out
    assert [" ".join(line.split()) for line in done.out.splitlines()[2:]] == [
        "S. Set-up",
        "S1 Two people, a table and time. match.kemu:2 game",
        "S2 Nothing is counted yet. match.kemu:7 state n",
        "",
        "P. Play",
        "P1 They take turns. match.kemu:11, 12 rules",
        "P2 The third turn wins. match.kemu:14 rules",
        "K1 Who wins? match.kemu:4 reading K1",
        'X1 Ann wins the first game. match.kemu:16 example "three turns"',
        "",
        "6 statements: 5 cited by rules, 1 by examples, 0 by claims; 1 note; 0 errors; 11 rule lines",
    ]


def test_one_statement_is_shown_in_full_with_the_lines_that_cite_it(kemu: Run) -> None:
    assert kemu("trace", "match.kemu", "x1").out.splitlines() == [
        "[X1]  (example)  P. Play",
        "rules.md:13",
        "",
        "Ann wins the first game.",
        "",
        'match.kemu:16  example "three turns"',
        '  16 | example "three turns":                         # [X1]',
        "  17 |     do: next; next; next",
        "  18 |     expect: winner == ann",
    ]
    done = kemu("trace", "match.kemu", "P3")
    assert done.code == 64 and "rules.md has no statement 'P3': did you mean P1?" in done.err


def test_what_does_not_agree_is_an_error_for_trace_and_for_check(kemu: Run, tmp_path: Path) -> None:
    assert "rules.md: 6 statements, all cited or notes" in kemu("check", "match.kemu").out
    (tmp_path / "match.kemu").write_text(RULES.replace("# [P1]", "# [P9]").replace("# [X1]", ""))
    for command in ("trace", "check"):
        done = kemu(command, "match.kemu")
        assert done.code == 64
        assert "error[E0801]: nothing in the rules file cites [P1]\n  --> rules.md:10:6" in done.out
        assert "error[E0802]" in done.out and "--> rules.md:13:6" in done.out
        assert "error[E0803]" in done.out and "--> match.kemu:11:51" in done.out


def test_json_has_a_line_for_each_statement_for_each_error_and_for_the_sum(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "match.kemu").write_text(RULES.replace("# [P2]", ""))
    *statements, fault, whole = map(json.loads, kemu("trace", "match.kemu", "--json").out.splitlines())
    assert [s["statement"] for s in statements] == ["S1", "S2", "P1", "P2", "K1", "X1"]
    assert statements[1]["cited"] == [
        {"kind": "rules", "name": "state n", "file": "match.kemu", "first": 7, "last": 7}
    ]
    assert (fault["fault"], fault["place"]) == ("E0801", "rules.md:11:6")
    assert whole == {"statements": 6, "faults": 1, "rule_lines": 11}


def test_a_game_without_statements_has_no_trace(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "rules.md").unlink()
    done = kemu("trace", "match.kemu")
    assert done.code == 64
    assert done.err == (
        "Error: Match cannot be traced: there is no rules.md beside 'match.kemu', "
        "which cites 6 statements of it\n"
    )
    assert kemu("check", "match.kemu").code == 0


def test_statements_that_are_no_text_are_refused(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_bytes(b"\xff\xfe")
    for command in ("trace", "check"):
        done = kemu(command, "match.kemu")
        assert done.code == 64 and "rules.md must be in UTF-8" in done.out + done.err
