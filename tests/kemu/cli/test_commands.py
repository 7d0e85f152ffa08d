"""The command line: every command at work, and every ending with its exit code."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kemu.cli import explore, simulate
from kemu.service.statistics import Tally
from kemu_engine.batch.explore import Explored
from kemu_engine.run.wasm.asm import runtime

from kemu import games
from tests.kemu.conftest import CROSSES, RACE, Run

# ---------------------------------------------------------------------------------------------- endings


@pytest.mark.parametrize("code", ["import kemu", "from kemu.cli.main import main; main.get_help"])
def test_importing_kemu_and_asking_for_help_load_no_solver_no_parser_and_no_engine(code: str) -> None:
    heavy = "{'z3', 'lark', 'rich', 'numpy', 'wasmtime', 'kemu_grammar', 'kemu_engine', 'kemu_verifier'}"
    code = f"import sys; {code}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["replai"], "'replay'"),
        (["simulate"], "Missing argument 'GAME'"),
        (["simulate", RACE, "-n", "0"], "not in the range"),
        (["check", "no-such-game"], "there is no game 'no-such-game'"),
        (["check", "no/such.kemu"], "there is no file 'no/such.kemu'"),
        (["check", "."], "holds no rules file"),
        (["simulate", RACE, "--set", "gaol=5"], "did you mean `goal`?"),
        (["simulate", RACE, "--set", "goal=6"], "one of 5, 10"),
        (["simulate", RACE, "--set", "goal"], "OPTION=VALUE"),
        (["simulate", RACE, "--players", "9"], "2 to 4 players, not 9"),
        (["simulate", CROSSES, "--instance", "larg"], "did you mean large?"),
        (["simulate", RACE, "--save", "x.json"], "--game"),
        (["play"], "which game?"),
        (["play", RACE, "--seat", "pink=human"], "no player is called 'pink'"),
        (["play", RACE, "--seat", "red=robot"], "there is no bot 'robot'; there are random, mcts"),
        (["play", "--resume", "none.json"], "cannot read 'none.json'"),
        (["simulate", RACE, "--plot", "no/such.svg"], "there is no folder 'no'"),
        (["findings", RACE], "Error: Race has no rules.md"),
        (["recheck", RACE], "is not a bundle"),
        (["replay", "."], "cannot read '.'"),
        (["replay", RACE], "is not JSON"),
        (["explain", "E9999"], "no diagnostic 'E9999'"),
    ],
)
def test_bad_input_and_bad_usage_end_with_64_and_say_what_would_help(
    kemu: Run, arguments: list[str], hint: str
) -> None:
    done = kemu(*arguments)
    assert done.code == 64
    assert hint in done.err + done.out
    assert (done.err + done.out).startswith(("Error: ", "Usage: "))


def test_a_folder_without_a_manifest_is_no_bundle_whatever_else_is_in_it(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    done = kemu("recheck", str(tmp_path))
    assert done.code == 64 and "is not a bundle: it has no manifest.json" in done.err + done.out


def test_an_error_of_our_own_ends_with_70_in_one_line(kemu: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> None:
        raise ZeroDivisionError("by nobody")

    monkeypatch.setattr("kemu.cli.explain.explain", breaks)
    done = kemu("explain", "E0101")
    assert done.code == 70
    assert "internal error (ZeroDivisionError: by nobody); please report" in done.err
    assert len(done.err.splitlines()) == 1
    assert "Traceback" in kemu("--debug", "explain", "E0101").err


def test_an_interrupted_simulation_says_what_is_known_and_ends_with_130(
    kemu: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_games = simulate.simulate

    def one_batch(*arguments: Any) -> Iterator[Tally]:
        yield next(all_games(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "simulate", one_batch)
    done = kemu("simulate", RACE)
    assert done.code == 130
    assert "1 random game in" in done.out and "tie" in done.out
    assert "interrupted after 1 of 1,000 games" in done.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m kemu simulate {RACE} --game 1 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines()[1] in {"0", "141"}
    assert done.stderr == ""


def test_a_terminal_without_accents_and_colours_gets_plain_letters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    done = subprocess.run([sys.executable, "-m", "kemu", "games"], capture_output=True, env=environment)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert b"\x1b" not in done.stdout


# ---------------------------------------------------------------------------------------------- commands


def test_games_lists_what_is_in_the_library(kemu: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = kemu("games")
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80
    named = [line.split()[0] for line in done.out.splitlines() if line[:1].isalpha()]
    assert named == ["game", *games()]
    assert re.search(r"^tongiaki +2\.\.6 +boats fill beaches", done.out, re.MULTILINE)


def test_games_of_one_lists_its_options_and_instances(kemu: Run) -> None:
    done = kemu("games", RACE)
    assert done.code == 0
    assert "\nplayers 2..4: red, blue, green, white\n" in done.out
    assert "\n  goal                  5 | 10\n" in done.out
    assert kemu("games", "no-such-game").code == 64


def test_what_is_there_for_proofs_is_not_offered_but_can_be_had(kemu: Run) -> None:
    told = kemu("games", "mahe").out
    assert "  seven  " in told and "lagoon" not in told and "pond" not in told
    refused = kemu("play", "mahe", "--instance", "ocean")
    assert refused.code == 64 and "are three, four, seven" in refused.err and "pond" not in refused.err
    assert "lagoon=pond" in kemu("simulate", "mahe", "--instance", "pond", "--games", "1").out
    assert "lagoon" not in kemu("simulate", "mahe", "--games", "1").out


def test_check_makes_every_instance_and_runs_its_examples(kemu: Run) -> None:
    done = kemu("check", RACE)
    assert done.code == 0
    assert "as it stands: 2 players" in done.out

    done = kemu("check", CROSSES)
    assert done.code == 64, "three in a row do not win on the large board"
    assert "as it stands: 2 players, 1 variable, 1 of 1 example as expected" in done.out
    assert 'example "three in a row"' in done.out


def test_check_tells_several_faults_of_a_file_with_their_places(kemu: Run, tmp_path: Path) -> None:
    text = Path(RACE).read_text().replace("at[p] >= goal", "at[q] >= gaol")
    (tmp_path / "broken.kemu").write_text(text)
    done = kemu("check", "broken.kemu")
    assert done.code == 64
    assert "broken.kemu:19" in done.out
    assert "did you mean `goal`?" in done.out


def test_the_first_of_several_faults_is_the_one_to_have_explained(kemu: Run, tmp_path: Path) -> None:
    text = Path(RACE).read_text().replace("rules:", "state:\n    x: int\nrules:\n    if x = 3: pass", 1)
    (tmp_path / "broken.kemu").write_text(text)
    told = kemu("check", "broken.kemu").out
    assert told.index("error[E0211]") < told.index("error[E0203]")
    assert told.endswith("`kemu explain E0211` tells more\n")


def test_check_begins_every_instance(kemu: Run, tmp_path: Path) -> None:
    head = 'game "Begin"\nplayers ann, ben\noption full: bool = false\ninstance whole: full = true\n'
    rules = "state:\n    n: 0..3\nrules:\n    {}\n    end tie\n"
    (tmp_path / "begin.kemu").write_text(head + rules.format("if full: n -= 1"))
    done = kemu("check", "begin.kemu")
    assert done.code == 64
    assert "as it stands: 2 players" in done.out and "whole: the game cannot begin" in done.out
    assert "fault[out_of_range]" in done.out and "begin.kemu:8:" in done.out

    (tmp_path / "circle.kemu").write_text(head + rules.format("while n < 2: n = 1 - n"))
    done = kemu("check", "circle.kemu")
    assert done.code == 64 and "fault[silent_loop]" in done.out and "circle.kemu:8:" in done.out


def test_simulate_is_the_same_for_the_same_seed(kemu: Run) -> None:
    def counts(seed: str) -> list[str]:
        return kemu("simulate", RACE, "-n", "50", "--seed", seed).out.splitlines()[3:]

    assert counts("1") == counts("1") != counts("2")


def test_simulate_keeps_games_that_were_cut_off_apart(kemu: Run) -> None:
    done = kemu("simulate", RACE, "-n", "50", "--max-decisions", "4")
    assert "cut off after 4 decisions: " in done.out
    assert done.code == 0


def test_simulate_keeps_games_that_broke_down_apart_and_shows_one(kemu: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.kemu").write_text(
        Path(RACE).read_text().replace("min(at[p] + die, 10)", "at[p] + 5 * die")
    )
    done = kemu("simulate", "broken.kemu", "-n", "50")
    assert "broke down: " in done.out
    assert "out_of_range" in done.out
    number = done.out.split(", number")[1].lstrip("s ").split()[0].rstrip(",")
    shown = kemu("simulate", "broken.kemu", "--game", number)
    assert "fault[out_of_range]" in shown.out
    assert "broken.kemu:18" in shown.out


def test_explore_and_perft_know_noughts_and_crosses(kemu: Run) -> None:
    assert kemu("explore", CROSSES).out.splitlines()[1:3] == [
        "5,478 states: 4,520 decisions, 958 ends",
        "16,167 steps; 3.58 actions per decision, at most 9",
    ]
    done = kemu("perft", CROSSES, "20")
    assert done.out.splitlines()[-1] == "255,168 games, the longest of 9 steps"
    assert [int(line.split()[1].replace(",", "")) for line in done.out.splitlines()[2:5]] == [9, 72, 504]


def test_explore_stops_where_it_is_told_to_and_says_so(kemu: Run) -> None:
    done = kemu("explore", CROSSES, "--most", "100")
    assert "at least 103 states" in done.out
    assert "--most allows more" in done.err
    assert done.code == 3


@pytest.mark.parametrize("command", [["explore", CROSSES], ["perft", CROSSES, "5"]])
def test_numbers_of_states_and_ways_are_the_same_without_wasmtime(
    kemu: Run, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    fast = json.loads(kemu(*command, "--json").out)
    monkeypatch.setattr(runtime, "installed", lambda: False)
    slow = json.loads(kemu(*command, "--json").out)
    for each in (fast, slow):
        for what in ("seconds", "memory", "reader"):
            each.pop(what, None)
    assert fast == slow


def test_bots_that_search_without_wasmtime_say_once_that_they_are_slower(
    kemu: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "installed", lambda: False)
    done = kemu("match", CROSSES, "--seat", "a=mcts:9", "--seat", "b=mcts:3", "--games", "2", "--jobs", "1")
    assert (done.code, done.err) == (0, "wasmtime does not run here; with it, this is much faster\n")


def test_bots_of_a_match_without_names_are_told_how_they_are_given(kemu: Run) -> None:
    done = kemu("match", CROSSES, "mcts:200", "random", "--seat", "a=mcts")
    told = "`--seat a=mcts --seat b=mcts:200 --seat c=random`"
    assert (done.code, done.err) == (64, f"Error: each bot is given with a name for it: {told}\n")


def test_a_match_of_fewer_bots_than_seats_says_who_sits_where(kemu: Run) -> None:
    two = ("--seat", "a=random", "--seat", "b=random")
    done = kemu("match", "love-letter", "--players", "3", *two, "--games", "2", "--jobs", "1")
    seats = re.search(
        r"first (a as \w+, b as \w+, a as \w+); from game to game all move on by a seat", done.out
    )
    assert done.code == 0 and seats


def test_an_interrupted_exploration_says_what_is_known(kemu: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    states = explore.explore

    def first(*arguments: Any) -> Iterator[Explored]:
        yield next(states(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(explore, "explore", first)
    done = kemu("explore", CROSSES)
    assert done.code == 130
    assert "at least 1 state" in done.out


def test_a_random_game_is_saved_and_replayed(kemu: Run) -> None:
    shown = kemu("simulate", RACE, "--game", "1", "--save", "game.json").out
    again = kemu("replay", "game.json")
    assert again.code == 0
    assert again.out.splitlines()[2:] == shown.splitlines()[2:-2]


def test_a_record_of_other_rules_is_refused(kemu: Run, tmp_path: Path) -> None:
    kemu("simulate", RACE, "--game", "1", "--save", "game.json")
    (tmp_path / "race.kemu").write_text(Path(RACE).read_text().replace("1..3", "1..4"))
    done = kemu("replay", "game.json", "race.kemu")
    assert done.code == 64
    assert "the rules of Race have changed" in done.err


def test_perft_begins_at_an_example_or_a_saved_game_and_counts_turns(kemu: Run, tmp_path: Path) -> None:
    def counts(*words: str) -> list[int]:
        done = kemu("perft", *words, "--json")
        assert done.code == 0, done.err
        return [each["ways"] for each in json.loads(done.out)["depths"]]

    assert counts("connect-four", "3", "--example", "a full column is closed") == [1, 6, 36, 216]
    assert counts("tic-tac-toe", "3", "--turns") == counts("tic-tac-toe", "3") == [1, 9, 72, 504]
    saved = str(tmp_path / "game.json")
    assert kemu("simulate", "tic-tac-toe", "--game", "0", "--save", saved).code == 0
    assert counts("tic-tac-toe", "3", "--saved", saved) == [1]
    assert kemu("perft", "connect-four", "3", "--example", "a full colum is closed").err == (
        'Error: there is no example "a full colum is closed" here; did you mean "a full column is closed"?\n'
    )
