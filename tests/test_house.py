"""The house's rules: clean tools, imports that run downwards, no game known to the code, no foreign path."""

import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("grammar", "engine", "verifier", "kemu")
MADE_BY_TOOLS = {"__pycache__", "build", "dist", "node_modules"}
# Put together here so that this file does not break the rule that it tests.
FOREIGN_PATHS = ["/" + "work/", "../" + "shared"]


def project_files() -> list[Path]:
    """Every file of the project: what git would track; without git, all but hidden and generated ones."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        answer = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True)
        names = {Path(name.decode()) for name in answer.stdout.split(b"\0") if name}
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(ROOT) for path in ROOT.rglob("*"))
        names = {path for path in found if not any(is_left_out(part) for part in path.parts)}
    return sorted(ROOT / name for name in names if (ROOT / name).is_file())


def is_left_out(part: str) -> bool:
    return part in MADE_BY_TOOLS or (part.startswith(".") and part not in {".ci", ".gitignore"})


def plain(text: str) -> str:
    """Lower case, without accents, and with one sign for the spaces, hyphens and underscores in a name."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return re.sub(r"[ _\-]+", "-", bare)


WORDS = {"go"}
"""Names of games that are everyday words, so that to find one shows nothing."""


def names_of_games() -> list[str]:
    """The games' names, from the folders of spec/ and the titles of the rules files, in plain form."""
    names = set()
    for folder in (ROOT / "spec").iterdir():
        if not folder.is_dir() or folder.name == "boards" or folder.name.startswith((".", "_")):
            continue
        names.add(plain(folder.name))
        for rules in folder.rglob("*.kemu"):
            names.update(
                plain(title) for title in re.findall(r'^\s*game\s+"([^"]+)"', rules.read_text("utf-8"), re.M)
            )
    return sorted(names - WORDS)


def naming(name: str) -> re.Pattern[str]:
    """Finds a game's name in plain text: anywhere, or, if under five letters, only where it stands alone."""
    return re.compile(re.escape(name) if len(name) >= 5 else rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])")


def assert_clean(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} (exit {done.returncode})\n{done.stdout}", pytrace=False)


def test_ruff_finds_nothing() -> None:
    assert_clean(sys.executable, "-m", "ruff", "check", ".")


def test_ruff_has_nothing_to_format() -> None:
    assert_clean(sys.executable, "-m", "ruff", "format", "--check", ".")


@pytest.mark.xdist_group("types")  # what is checked of a module is kept for the next test
def test_types_are_clean() -> None:
    assert_clean(sys.executable, "-m", "mypy")


MISSPELT = """
import kemu

state: kemu.State = kemu.load("tic-tac-toe").initial()
found: kemu.Trace = kemu.trace(state.game, [])
number: int = state.legal()[0]
version: str = kemu.__version__
kemu.lod("tic-tac-toe")
state.machine
"""


@pytest.mark.xdist_group("types")
def test_a_type_checker_knows_the_public_names_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(MISSPELT, "utf-8")
    command = [sys.executable, "-m", "mypy", str(tmp_path / "script.py")]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    errors = [line for line in said.splitlines() if ": error:" in line]
    assert len(errors) == 2, said
    assert '"lod"' in errors[0]
    assert '"State" has no attribute "machine"' in errors[1]


def test_imports_run_downwards() -> None:
    assert_clean(str(Path(sys.executable).with_name("lint-imports")))


@pytest.mark.parametrize("name", PACKAGES)
def test_every_room_is_named_in_the_readme_of_its_folder(name: str) -> None:
    text = (ROOT / name / "README.md").read_text("utf-8")
    package = next(path.parent for path in (ROOT / name).glob("*/__init__.py"))
    rooms = [path.parent.relative_to(package).as_posix() for path in package.glob("*/**/__init__.py")]
    assert rooms
    assert [room for room in rooms if f"`{room}/`" not in text] == []
    named = re.findall(r"^\| `([\w/]+)/` \|", text, re.M)
    assert [room for room in named if room not in rooms] == []
    assert len(text.splitlines()) <= 60, "a screen at most"


def test_no_game_is_known_to_the_code() -> None:
    patterns = {name: naming(name) for name in names_of_games()}
    assert patterns, "spec/ holds no game, so this test would show nothing"
    found = []
    for path in project_files():
        place = path.relative_to(ROOT)
        if place.parts[0] not in PACKAGES:
            continue
        lines = [place.as_posix(), *path.read_text("utf-8", errors="replace").splitlines()]
        for number, line in enumerate(map(plain, lines)):
            where = f"{place}:{number}" if number else f"{place} (its name)"
            found += [f"{where} names {name}" for name, pattern in patterns.items() if pattern.search(line)]
    assert not found, "\n".join(found)


def test_no_file_names_a_foreign_path() -> None:
    found = []
    for path in project_files():
        text = path.read_text("utf-8", errors="replace")
        found += [f"{path.relative_to(ROOT)} names {foreign}" for foreign in FOREIGN_PATHS if foreign in text]
    assert not found, "\n".join(found)
