"""A game is found by its name, its file, or its folder; else one sentence says what would help."""

from pathlib import Path

import pytest
from kemu.base.library import BadInput, find, games, library

RULES = 'game "Race"\n'


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with one game and one library of boards."""
    for name, text in (("fox-and-geese/fox.kemu", RULES), ("boards/grid.kemu", "fun f(x: int): x\n")):
        path = tmp_path / "spec" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    monkeypatch.setattr("kemu.base.library.library", lambda: tmp_path / "spec")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "spec"


def test_the_library_of_this_checkout_is_its_spec_folder() -> None:
    assert library() == Path(__file__).resolve().parents[3] / "spec"


def test_games_are_the_folders_that_hold_a_game(spec: Path) -> None:
    assert games() == {"fox-and-geese": spec / "fox-and-geese" / "fox.kemu"}


@pytest.mark.parametrize("shelf", ["classics", "zoo"])  # before and after the game itself
def test_a_game_in_a_folder_of_games_does_not_hide_another(spec: Path, shelf: str) -> None:
    for name in ("fox-and-geese", "hounds"):
        (spec / shelf / name).mkdir(parents=True)
        (spec / shelf / name / "rules.kemu").write_text(RULES)
    assert games() == {
        "fox-and-geese": spec / "fox-and-geese" / "fox.kemu",
        "hounds": spec / shelf / "hounds" / "rules.kemu",
    }


@pytest.mark.parametrize(
    "name", ["fox-and-geese", "Fox and Geese", "spec/fox-and-geese", "spec/fox-and-geese/fox.kemu"]
)
def test_a_name_a_folder_and_a_file_lead_to_the_rules(spec: Path, name: str) -> None:
    assert find(name).resolve() == (spec / "fox-and-geese" / "fox.kemu").resolve()


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("fox-and-gese", "did you mean fox-and-geese?"),
        ("fox", "did you mean fox-and-geese?"),
        ("chess", "`kemu games` lists"),
        ("spec/fox-and-geese/fix.kemu", "did you mean spec/fox-and-geese/fox.kemu?"),
        ("spec/boards", "holds no rules file"),
        ("x" * 5000, "cannot use"),
        ("~nobody-of-this-name/x", "cannot use"),
    ],
)
def test_what_is_not_there_is_refused_with_a_hint(spec: Path, name: str, hint: str) -> None:
    with pytest.raises(BadInput) as refusal:
        find(name)
    assert hint in str(refusal.value)


def test_of_several_games_in_a_folder_one_must_be_named(spec: Path) -> None:
    (spec / "fox-and-geese" / "goose.kemu").write_text(RULES)
    with pytest.raises(BadInput, match=r"several games \(fox.kemu, goose.kemu\)"):
        find("spec/fox-and-geese")


def test_a_bare_name_may_mean_a_rules_file_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "foxes.kemu").write_text("game")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"there is no game 'foxes': did you mean foxes\.kemu\?"):
        find("foxes")
