"""Kemu as it is installed: from a checkout, in place, and from a wheel, beside files of any name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import kemu

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (
    "grammar/kemu_grammar",
    "engine/kemu_engine",
    "verifier/kemu_verifier",
    "verifier/kemu_checker",
    "kemu/kemu",
)
SCRIPT = """
import kemu
state = kemu.load("tic-tac-toe").initial().step(4)
verdict = next(kemu.verify("tic-tac-toe", "one_winner", seconds=20))
print(kemu.__file__, len(kemu.games()), state.actor, verdict.kind)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder, with files of names that are in the way of careless imports."""
    for name in ("grammar", "engine", "verifier", "spec", "games"):
        (tmp_path / f"{name}.py").write_text('raise AssertionError("a file of the user\'s was imported")\n')
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


def said(folder: Path, *paths: Path) -> list[str]:
    """What the script prints, with these paths before those of this Python."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
    command = [sys.executable, "script.py"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("paths", [[], [ROOT / each for each in ("grammar", "engine", "verifier", "kemu")]])
def test_a_script_beside_an_engine_plays_and_proves(folder: Path, paths: list[Path]) -> None:
    file, *rest = said(folder, *paths)
    assert Path(file) == Path(kemu.__file__)
    assert rest == [str(len(kemu.games())), "nought", "proved"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["-q", "--no-deps", "--no-build-isolation", "-w", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.mark.slow
@pytest.mark.xdist_group("wheel")  # which is built once
def test_a_wheel_holds_the_packages_and_the_games(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {each.split("/")[1] for each in PACKAGES} | {f"kemu-{kemu.__version__}.dist-info"}
    games = {name.removeprefix("kemu/games/") for name in names if name.startswith("kemu/games/")}
    kept = {
        path.relative_to(ROOT / "spec").as_posix() for path in (ROOT / "spec").rglob("*") if path.is_file()
    }
    assert games == {name for name in kept if "__pycache__" not in name}


@pytest.mark.slow
@pytest.mark.xdist_group("wheel")
def test_a_wheel_works_beside_an_engine(wheel: Path, folder: Path, tmp_path: Path) -> None:
    there = tmp_path / "installed"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-compile"]
    subprocess.run([*command, "--target", str(there), str(wheel)], check=True)
    file, *rest = said(folder, there)
    assert Path(file) == there / "kemu" / "__init__.py"
    assert rest == [str(len(kemu.games())), "nought", "proved"]
