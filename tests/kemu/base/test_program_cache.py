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
    (tmp_path / "paces.csv").write_text("pace,far\nslow,1\n")
    (tmp_path / "steps.kemu").write_text(RULES.replace("STEPS", "3"))
    return tmp_path / "steps.kemu"


@pytest.fixture
def instead() -> list[Path]:
    """A file, and the one whose place it takes as soon as the rules have been read."""
    return []


@pytest.fixture
def length(
    kemu: Run, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, instead: list[Path]
) -> Callable[..., str]:
    """How long the game is, and whether its rules were read for that."""
    import kemu.base.opening as common

    monkeypatch.setenv("KEMU_CACHE", str(tmp_path / "cache"))
    opened = common.opened

    def run(*options: str) -> str:
        read: list[str] = []

        def reading(name: str) -> object:
            read.append(name)
            rules = opened(name)
            if instead:
                os.replace(*instead)
                instead.clear()
            return rules

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
    game.write_text(RULES.replace("STEPS", "4"))
    assert [length(), length()] == ["4 read", "4"]
    game.with_name("paces.csv").write_text("pace,far\nslow,2\n")
    assert [length(), length()] == ["8 read", "8"]


@pytest.mark.parametrize(
    ("file", "text", "then"),
    [
        ("steps.kemu", RULES.replace("STEPS", "4"), ["4 read", "4"]),
        ("paces.csv", "pace,far\nslow,2\n", ["6 read", "6"]),
        ("proofs.kemu", 'proves "steps.kemu"\noption m: bool = false\n', ["3 read", "3"]),
        ("proofs.kemu", 'proves "another.kemu"\n', ["3 read", "3"]),
    ],
)
def test_what_is_kept_is_not_believed_of_a_file_that_came_in_place_of_the_one_read(
    file: str, text: str, then: list[str], length: Callable[..., str], game: Path, instead: list[Path]
) -> None:
    """Even of an older one, which a backup holds."""
    backup = game.with_name("backup")
    backup.write_text(text)
    os.utime(backup, (0, 0))
    instead += [backup, game.with_name(file)]
    assert length() == "3 read"
    assert [length(), length()] == then


def test_how_a_text_ends_its_lines_does_not_count(length: Callable[..., str], game: Path) -> None:
    game.write_bytes(b"\xef\xbb\xbf" + RULES.replace("STEPS", "3").replace("\n", "\r\n").encode())
    assert [length(), length()] == ["3 read", "3"]


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
    game.write_text(RULES.replace("STEPS", "3").replace("    n: 0..9", "    n: 0..9 = 2"))
    assert ready(str(game), (), None, None).initial().to_json()["vars"] != first.to_json()["vars"]
