"""Rules that no reader gets to the end of: one clear line, soon, from every command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from kemu.base import timeouts
from kemu_engine.batch import bulk
from kemu_engine.batch.playout import walk
from kemu_engine.interp import machine
from kemu_engine.lower.instantiate import instantiate
from kemu_engine.play.game import Game
from kemu_grammar.game.game import read_text

from tests.kemu.conftest import Run
from tests.rules import LIBRARY

HEAD = 'game "Test"\nplayers ann, ben\nstate:\n    n: 0..9999999999\n'
AROUND = "    while n >= 0:\n        n = (n + 1) % 9999999999\n    end tie\n"
RULES = {
    "before the first decision": f"rules:\n{AROUND}    choose go by ann\n",
    "after it": f"rules:\n    choose go by ann\n{AROUND}",
    "in an expression": """rules:
    choose go by ann
    if len({a for a in 1..3000 if len({b for b in 1..3000 if (a * b + n) % 7 == 3}) > 3}) == 5:
        end tie
    end win(ann)
""",
    "in a condition": """rules:
    choose go by ann
    choose on(x in 1..9) by ben if all(all((a * b + n) % 7 != x - 9 for b in 1..9999) for a in 1..9999)
    end tie
""",
}


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((bulk, "GAME"), (bulk, "STEP"), (timeouts, "LONG")):
        monkeypatch.setattr(module, name, 0.1)
    monkeypatch.setitem(sys.modules, "wasmtime", None)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize(
    "command", [["simulate"], ["play", "--seat", "ann=random"], ["verify"], ["simulate", "--game", "0"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_a_step_that_takes_too_long_is_given_up(
    kemu: Run, command: list[str], rules: str, tmp_path: Path
) -> None:
    (tmp_path / "test.kemu").write_text(HEAD + rules)
    done = kemu(command[0], "test.kemu", *command[1:])
    assert done.code == 64
    assert done.err.startswith("Error: ") and done.err.endswith(" seconds of computing\n")
    assert len(done.err.splitlines()) == 1


@pytest.mark.usefixtures("hasty")
def test_check_says_so_too(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "test.kemu").write_text(HEAD + RULES["before the first decision"])
    done = kemu("check", "test.kemu")
    assert done.code == 64
    assert "the game cannot begin" in done.out and "the way to the first decision takes more than" in done.out


SLOW = """\
example "slow":
    do: ann go
    expect: n == 3
example "quick":
    expect: n == 0
rules:
    choose go by ann
    for a in 1..9999:
        for b in 1..9999:
            for c in 1..9999:
                n = (n + a * b * c) % 9999
    end tie
"""


@pytest.mark.usefixtures("hasty")
def test_an_example_that_takes_too_long_fails_and_the_others_are_run(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "test.kemu").write_text(HEAD + SLOW)
    done = kemu("check", "test.kemu")
    assert done.code == 64
    assert "1 of 2 examples as expected" in done.out and 'example "slow" (test.kemu:5)' in done.out
    assert "it takes more than" in done.out


def test_a_run_without_a_stop_is_given_up(kemu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "MOST_BLOCKS", 20_000)
    (tmp_path / "test.kemu").write_text(HEAD + RULES["before the first decision"])
    done = kemu("check", "test.kemu")
    assert done.code == 64 and "the rules take more than 20,000 turns without coming to a stop" in done.out


def test_instances_that_cost_too_much_end_the_check(
    kemu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kemu_engine.static.work.STEPS", 1000)
    monkeypatch.setattr("kemu.cli.check_instance.cores", lambda: 1)
    many = "option o: 1..99 = 1\n" + "".join(f"instance i{i}: o = {i}\n" for i in range(1, 50))
    (tmp_path / "test.kemu").write_text(
        f"{HEAD}{many}const c = [x for x in 1..999 if x > o]\nrules:\n    end tie\n"
    )
    done = kemu("check", "test.kemu")
    assert done.code == 64 and done.out.endswith("  47 other instances not made: 3 took too many steps\n")


def test_check_warns_of_what_nothing_uses(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "test.kemu").write_text(f"{HEAD}rules:\n    choose go by ann\n    n = 3\n    end tie\n")
    done = kemu("check", "test.kemu")
    assert done.code == 0
    assert "warning[E0773]: `n` is written, but nothing reads it" in done.out and "1 warning;" in done.out


CROWD = "rules:\n    choose go(a in 1..2000, b in 1..2000) by ann if (a + b + n) % 2 == 0\n    end tie\n"


@pytest.mark.parametrize("command", ["check", "simulate", "play", "verify"])
def test_a_decision_with_too_many_actions_is_given_up(
    kemu: Run, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "MOST_ACTIONS", 10_000)
    (tmp_path / "test.kemu").write_text(HEAD + CROWD)
    done = kemu(command, "test.kemu")
    assert done.code == 64
    assert "Error: the decision `go` has more than 10,000 actions" in done.out + done.err


def test_a_large_decision_with_few_actions_is_none_of_these() -> None:
    few = CROWD.replace("(a + b + n) % 2 == 0", "a == 7").replace("    end tie\n", "    end win(ben)\n")
    game = Game(instantiate(read_text(HEAD + few, "test.kemu", LIBRARY)))
    states = [state for state, _ in walk(game, 0, 0)]
    assert len(states[0].choices) == 2000 and states[-1].is_end
