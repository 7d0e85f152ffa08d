"""Whether a game is any good: measures by hand, and the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from kemu.bots.matches import Played
from kemu.study.courses import course, mean
from kemu_engine.play.record import Step, record

import kemu as api
from tests.kemu.conftest import Run

SMALL = ["--games", "2", "--random", "50", "--weak", "5", "--strong", "20", "--jobs", "1"]


def played(winner: str | None, values: list[float | None]) -> Played:
    """A game of two, by turns, of which this was thought."""
    game = api.load("tic-tac-toe")
    points = {each: 0.5 if winner is None else float(each == winner) for each in game.players}
    steps = [Step("put((1, 1))", game.players[at % 2]) for at in range(len(values))]
    kept = record(game._playable, steps)
    return Played(0, {}, "end", points, kept, {}, tuple(2 for _ in values), tuple(values))


def test_a_course_is_seen_by_the_winner() -> None:
    """Thought by turns: cross at 0.6, 0.32, then sure of it; nought, who moves between, sees the rest."""
    found = course(played("cross", [0.6, 0.68, 0.32, 0.1, 0.95]), ("cross", "nought"))
    assert found is not None
    assert found.drama == pytest.approx(0.6)  # 0.32 twice, that is 0.36 behind
    assert found.changes == 2 and found.known == pytest.approx(3 / 5)


def test_nothing_is_told_of_what_nobody_won_or_thought_of() -> None:
    players = ("cross", "nought")
    assert course(played(None, [0.5, 0.5]), players) is None
    assert course(played("cross", [None, None]), players) is None
    assert mean([0.5]) is None


def test_a_study_is_told_and_written(kemu: Run, tmp_path: Path) -> None:
    words = ["study", "kuhn-poker", *SMALL, "--compare", "cards=4", "--html", "page.html"]
    done = kemu(*words)
    assert done.code == 0
    for said in ("side by side", "cards=4", "decisions a game", "ann wins", "ladder", "against random"):
        assert said in done.out
    page = Path("page.html").read_text()
    assert page.count("<svg") >= 14 and "cards=4" in page and "http" not in page
    assert page.count('<div class="play">') == 2


def test_what_strong_play_never_uses_is_named(kemu: Run, tmp_path: Path) -> None:
    Path("silly.kemu").write_text(SILLY)
    done = kemu("study", "silly.kemu", *SMALL)
    assert "actions: choose: lose" in done.out
    assert re.search(r"choose: win +0\.\d+ \(.*\) +1\.00 \(1\.00 to 1\.00\) +1\.00", done.out)
    assert "end win(other(p))" in done.out and "used at random" in done.out


SILLY = """
game "Silly"
players ann, ben
rules:
    for p in turns():
        choose:
            lose:
                end win(other(p))
            win:
                end win(p)
"""


@pytest.mark.parametrize(
    "wrong", [["--weak", "9", "--strong", "9"], ["--compare", "cards=99"], ["--compare", "players=x"]]
)
def test_bad_input_is_one_error(kemu: Run, wrong: list[str]) -> None:
    done = kemu("study", "kuhn-poker", *wrong)
    assert done.code != 0 and done.err.startswith("Error: ") and "Traceback" not in done.err


def test_options_that_change_who_wins_are_told(kemu: Run, tmp_path: Path) -> None:
    Path("silly.kemu").write_text(
        SILLY.replace("rules:", "option first: bool = true\nrules:", 1).replace(
            "end win(p)", "end win(p if first else other(p))"
        )
    )
    done = kemu("study", "silly.kemu", *SMALL, "--options", "--games", "10")
    assert re.search(r"first=false .* -100.0% .* sure", done.out)
    few = kemu("study", "silly.kemu", *SMALL, "--options")
    assert re.search(r"first=false .*\) +- +sure\n", few.out), "two games are too few to compare"
