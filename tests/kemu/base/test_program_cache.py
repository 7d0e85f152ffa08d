"""Programs kept between commands: the same answers, and anew as soon as anything is not as it was."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from kemu.base.opening import ready

from tests.kemu.conftest import Run

RULES = """game "Steps"
players ann, ben
option steps: 1..9 = STEPS
table Pace from "paces.csv":
    far: 0..9
const reach = sum([p.far for p in Pace])
state:
    n: 0..9
rules:
    for p in turns():
        choose go
        n += 1
        if n == steps * reach: end win(p)
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    write(tmp_path / "paces.csv", "pace,far\nslow,1\n")
    write(tmp_path / "steps.kemu", RULES.replace("STEPS", "3"))
    return tmp_path / "steps.kemu"


def write(file: Path, text: str) -> None:
    """As if it had been written a minute ago: what is just being written is not kept."""
    file.write_text(text)
    os.utime(file, (file.stat().st_mtime - 60,) * 2)


@pytest.fixture
def length(kemu: Run, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """How long the game is, and whether its rules were read for that."""
    import kemu.base.opening as common

    monkeypatch.setenv("KEMU_CACHE", str(tmp_path / "cache"))
    opened = common.opened

    def run(*options: str) -> str:
        read: list[str] = []

        def reading(name: str) -> object:
            read.append(name)
            return opened(name)

        monkeypatch.setattr(common, "opened", reading)
        done = kemu("playthrough", str(game), *options)
        assert done.code == 0, done.err
        return f"{done.out.count('> go')}{' read' if read else ''}"

    return run


def test_a_program_is_made_once(length: Callable[..., str]) -> None:
    assert [length(), length()] == ["3 read", "3"]


def test_it_is_made_anew_if_the_rules_or_a_table_or_the_options_are_others(
    length: Callable[..., str], game: Path
) -> None:
    assert length() == "3 read"
    assert [length("--set", "steps=2"), length("--set", "steps=2")] == ["2 read", "2"]
    write(game, RULES.replace("STEPS", "4"))
    assert [length(), length()] == ["4 read", "4"]
    write(game.with_name("paces.csv"), "pace,far\nslow,2\n")
    assert [length(), length()] == ["8 read", "8"]


def test_a_game_of_the_library_is_made_once_for_all_folders(
    kemu: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEMU_CACHE", str(tmp_path / "cache"))
    for folder in (tmp_path / "here", tmp_path / "there"):
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert kemu("playthrough", "tic-tac-toe").code == 0
    assert len(list((tmp_path / "cache").glob("program-*"))) == 1


def test_a_damaged_file_and_a_place_where_nothing_can_be_kept_do_no_harm(
    length: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    length()
    (kept,) = (tmp_path / "cache").glob("program-*")
    kept.write_bytes(kept.read_bytes()[:-9] + b"something")
    assert [length(), length()] == ["3 read", "3"]
    monkeypatch.setenv("KEMU_CACHE", str(tmp_path / "steps.kemu"))
    assert [length(), length()] == ["3 read", "3 read"]
    monkeypatch.setenv("KEMU_CACHE", "off")
    assert [length(), length()] == ["3 read", "3 read"]


def test_a_folder_that_others_may_write_to_is_not_trusted(length: Callable[..., str], tmp_path: Path) -> None:
    length()
    assert length() == "3"
    (tmp_path / "cache").chmod(0o777)
    assert [length(), length()] == ["3 read", "3 read"]


def test_where_a_game_begins_is_kept_with_its_program(
    game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEMU_CACHE", str(tmp_path / "cache"))
    first = ready(str(game), (), None, None).initial()
    again = ready(str(game), (), None, None)
    monkeypatch.setattr(again.machine, "begin", None)
    assert again.initial().to_json() == first.to_json()
    write(game, RULES.replace("STEPS", "3").replace("    n: 0..9", "    n: 0..9 = 2"))
    assert ready(str(game), (), None, None).initial().to_json()["vars"] != first.to_json()["vars"]
